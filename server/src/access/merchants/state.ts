// Defines the statuses of a merchant and the moves between them.

/** All statuses of a merchant. Only an ACTIVE merchant may use live keys. */
export const MERCHANT_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED'] as const
/** One status of a merchant. */
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number]

type StatusMove = { from: MerchantStatus; to: MerchantStatus; message: string }

/**
 * The moves of operators. If a merchant has another status, the refusal has `message`. Operators cannot suspend a PENDING merchant,
 * because a later reactivation would give live access without an approval.
 */
export const merchantMoves = {
  approve: { from: 'PENDING', to: 'ACTIVE', message: 'Only a PENDING merchant can be approved.' },
  suspend: { from: 'ACTIVE', to: 'SUSPENDED', message: 'Only an ACTIVE merchant can be suspended.' },
  reactivate: { from: 'SUSPENDED', to: 'ACTIVE', message: 'Only a SUSPENDED merchant can be reactivated.' },
} as const satisfies Record<string, StatusMove>

/** The name of one move of a merchant. */
export type MerchantMove = keyof typeof merchantMoves
