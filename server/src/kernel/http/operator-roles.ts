// Defines the roles of operators, and the duties of each role. Routes, SQL conditions and the operator console use this one
// table.

/**
 * The roles of operators. SUPPORT only reads, FINANCE_OPERATOR decides about money, and COMPLIANCE decides about merchants.
 * SUPER_ADMIN may do everything. An operator has one role.
 */
export const OPERATOR_ROLES = ['SUPPORT', 'FINANCE_OPERATOR', 'COMPLIANCE', 'SUPER_ADMIN'] as const
/** The one role of an operator, which decides the operator's duties. */
export type OperatorRole = (typeof OPERATOR_ROLES)[number]

/** Every duty of operators, with the roles that may do it. Each route of operators names one duty. */
export const OPERATOR_DUTIES = {
  /** Read all data of the console of operators, without changes. */
  read: OPERATOR_ROLES,
  /** Decide about withdrawals, held payments, adjustments and the reconciliation. */
  money: ['FINANCE_OPERATOR', 'SUPER_ADMIN'],
  /** Decide about merchants, their IP addresses and their payout limits, and end a pause of payouts. */
  merchants: ['COMPLIANCE', 'SUPER_ADMIN'],
  /** Start a pause of payouts, which stops unsent payouts. */
  pause: ['FINANCE_OPERATOR', 'COMPLIANCE', 'SUPER_ADMIN'],
  /** Set prices, and the settings of the whole platform. */
  platform: ['SUPER_ADMIN'],
} as const satisfies Record<string, readonly OperatorRole[]>
/** A duty of operators: a name in `OPERATOR_DUTIES`. */
export type OperatorDuty = keyof typeof OPERATOR_DUTIES

/** Every duty, in the order of the table. */
export const OPERATOR_DUTY_NAMES = Object.keys(OPERATOR_DUTIES) as OperatorDuty[]

/** Returns true for a role of operators, and false for a role in a merchant. */
export function isOperatorRole(role: string): role is OperatorRole {
  return (OPERATOR_ROLES as readonly string[]).includes(role)
}

/** Returns true if an operator with this role may do the duty. */
export function mayOperate(role: OperatorRole, duty: OperatorDuty): boolean {
  return (OPERATOR_DUTIES[duty] as readonly OperatorRole[]).includes(role)
}

/** Returns the duties of a role. Null means that the user is no operator, and the result is empty. */
export function dutiesOf(role: OperatorRole | null): OperatorDuty[] {
  return role === null ? [] : OPERATOR_DUTY_NAMES.filter((duty) => mayOperate(role, duty))
}
