// Defines the statuses of a merchant and the moves between them.

/** All statuses of a merchant. Only an ACTIVE merchant may use live keys. */
export const MERCHANT_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED'] as const
/**
 * PENDING: no operator has approved the merchant. ACTIVE: the merchant may use live keys. SUSPENDED: an operator has suspended
 * the merchant.
 */
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number]

type StatusMove = { from: MerchantStatus; to: MerchantStatus; message: string }

/**
 * The moves of operators. If the merchant has another status than `from`, the refusal contains `message`. Operators cannot
 * suspend a PENDING merchant, because a reactivation would then give live access without an approval.
 */
export const merchantMoves = {
  approve: { from: 'PENDING', to: 'ACTIVE', message: 'An operator can approve only a PENDING merchant.' },
  suspend: { from: 'ACTIVE', to: 'SUSPENDED', message: 'An operator can suspend only an ACTIVE merchant.' },
  reactivate: { from: 'SUSPENDED', to: 'ACTIVE', message: 'An operator can reactivate only a SUSPENDED merchant.' },
} as const satisfies Record<string, StatusMove>

/** A move that an operator makes: `approve`, `suspend` or `reactivate`. */
export type MerchantMove = keyof typeof merchantMoves
