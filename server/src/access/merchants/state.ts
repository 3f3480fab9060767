// The states of a merchant and the only moves between them.

/** Statuses of a merchant. Only an ACTIVE one may use live keys. */
export const MERCHANT_STATUSES = ['PENDING', 'ACTIVE', 'SUSPENDED'] as const
/** Where a merchant stands. */
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number]

type Move = { from: MerchantStatus; to: MerchantStatus; message: string }

/**
 * Every move an operator can make, and what a merchant in another state is told. A PENDING merchant cannot be suspended:
 * it has nothing live to lose, and reactivating it would be an approval that nobody gave.
 */
export const merchantMoves = {
  approve: { from: 'PENDING', to: 'ACTIVE', message: 'Only a PENDING merchant can be approved.' },
  suspend: { from: 'ACTIVE', to: 'SUSPENDED', message: 'Only an ACTIVE merchant can be suspended.' },
  reactivate: { from: 'SUSPENDED', to: 'ACTIVE', message: 'Only a SUSPENDED merchant can be reactivated.' },
} as const satisfies Record<string, Move>

/** The name of a move. */
export type MerchantMove = keyof typeof merchantMoves
