// Defines the statuses of a collection, all moves between them, and the states of an attempt.

/** All statuses of a collection, as the database stores them and the API shows them. */
export const STATUSES = ['created', 'processing', 'successful', 'failed', 'pending_clearance', 'reversed'] as const
/** The status of one collection. `START` and `moves` have the allowed changes. */
export type Status = (typeof STATUSES)[number]

/**
 * The states of an attempt. In `to_send`, the provider may not have the attempt yet. In `asked`, the server queries the
 * provider until the answer is final. In `final`, the attempt has a final answer. In `given_up`, the deadline passed without a
 * final answer.
 */
export const ATTEMPT_STATES = ['to_send', 'asked', 'final', 'given_up'] as const
/** The state of one attempt. ATTEMPT_STATES explains each. */
export type AttemptState = (typeof ATTEMPT_STATES)[number]

/** A move: its possible start statuses, its end status, and the event for the merchant. */
type CollectionMove = { from: readonly Status[]; to: Status; event: string; time_field: string }

/** The move that a payer causes by starting an attempt on a page. No provider or operator causes this move, and it has no event. */
export const START = { from: ['created', 'failed'], to: 'processing' } as const satisfies Omit<
  CollectionMove,
  'event' | 'time_field'
>

/**
 * The moves of provider answers and of the deadline, and the two moves of operators. A late success replaces an earlier
 * failure, because the money has arrived; `wasDeclined` has the exception. Only a reversal leaves `successful`.
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
  // An operator decides about held money: `clear` credits the merchant, and `decline` does not.
  clear: { from: ['pending_clearance'], to: 'successful', event: 'collection.success', time_field: 'completed_at' },
  decline: { from: ['pending_clearance'], to: 'failed', event: 'collection.failed', time_field: 'failed_at' },
} as const satisfies Record<string, CollectionMove>

/** A name in `moves`, such as `hold` or `clear`. START has no name here. */
export type CollectionMoveName = keyof typeof moves

/** Returns true if the move may start from the given status. */
export function mayMoveCollection(name: CollectionMoveName, from: Status): boolean {
  return (moves[name].from as readonly Status[]).includes(from)
}
