// The states of a collection, the only moves between them, and the states of an attempt.

/** Statuses of a collection. */
export const STATUSES = ['created', 'processing', 'successful', 'failed', 'pending_clearance', 'reversed'] as const
/** Where a collection stands. */
export type Status = (typeof STATUSES)[number]

/**
 * States of an attempt: not known to have reached the provider, asked about until it says something final, answered
 * for good, or still without an answer at its deadline.
 */
export const ATTEMPT_STATES = ['to_send', 'asked', 'final', 'given_up'] as const
/** Where an attempt stands. */
export type AttemptState = (typeof ATTEMPT_STATES)[number]

/** A move: where it may start, where it ends, and the event that tells the merchant. */
type Move = { from: readonly Status[]; to: Status; event: string; time_field: string }

/** Where a payer may try on a page: the one move that no word of a provider or an operator makes. No event tells it. */
export const START = { from: ['created', 'failed'], to: 'processing' } as const satisfies Omit<
  Move,
  'event' | 'time_field'
>

/**
 * Every move there is: those that a provider's word can make, and the two of operators. A late success wins over an
 * earlier failure, because the money is there (but see `wasDeclined`); nothing leaves `successful` but a reversal.
 */
export const moves = {
  succeed: {
    from: ['created', 'processing', 'failed'],
    to: 'successful',
    event: 'collection.success',
    time_field: 'completed_at',
  },
  fail: { from: ['created', 'processing'], to: 'failed', event: 'collection.failed', time_field: 'failed_at' },
  hold: {
    from: ['created', 'processing', 'failed'],
    to: 'pending_clearance',
    event: 'collection.pending_review',
    time_field: 'held_at',
  },
  reverse: { from: ['successful'], to: 'reversed', event: 'collection.reversed', time_field: 'reversed_at' },
  reverseHeld: { from: ['pending_clearance'], to: 'reversed', event: 'collection.reversed', time_field: 'reversed_at' },
  // An operator looked at held money: it is the merchant's, or it goes back to the payer.
  clear: { from: ['pending_clearance'], to: 'successful', event: 'collection.success', time_field: 'completed_at' },
  decline: { from: ['pending_clearance'], to: 'failed', event: 'collection.failed', time_field: 'failed_at' },
} as const satisfies Record<string, Move>

/** The name of a move. */
export type MoveName = keyof typeof moves

/** True when the move may start from this status. */
export function mayMove(name: MoveName, from: Status): boolean {
  return (moves[name].from as readonly Status[]).includes(from)
}
