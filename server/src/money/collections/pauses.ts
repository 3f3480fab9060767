// Calculates the time at which the server queries the provider about an open payment again.

import { ASK_AGAIN_MS_MAX } from '../../adapters/providers/answer.ts'
import type { PushAnswer } from '../../adapters/providers/port.ts'

/**
 * The pauses between the queries of an accepted payment. Most payers answer within a minute, so the first pauses are short.
 */
const ASK_PAUSES_S = [5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]

/**
 * The pauses before an acceptance. If the provider did not get the request, the payer has seen no prompt, so the first queries
 * come sooner.
 */
const UNSURE_PAUSES_S = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600]

/** The longest pause between two queries of an open attempt, even if the provider announces a longer pause. */
export const LONGEST_PAUSE_MS = Math.max(ASK_AGAIN_MS_MAX, 1_000 * Math.max(...ASK_PAUSES_S, ...UNSURE_PAUSES_S))

/**
 * The pause before the server again sends a request that was certainly not sent, for example because no connection was free.
 */
const UNSENT_PAUSE_MS = 1_000

/**
 * Returns the time of the next query or push: the end of the pause that the provider announced, or else of a growing pause. The
 * time is not after the deadline; if the deadline has passed, the time is `now`.
 */
export function nextAskAt(
  now: Date,
  attempt: { asks: number; sent_at: Date | null; deadline_at: Date },
  answer: PushAnswer,
): Date {
  const pauses = attempt.sent_at === null ? UNSURE_PAUSES_S : ASK_PAUSES_S
  const index = Math.min(Math.max(attempt.asks, 1), pauses.length) - 1
  const grown_ms = answer.kind === 'not_sent' ? UNSENT_PAUSE_MS : (pauses[index] as number) * 1_000
  const pause_ms = answer.ask_again_ms ?? grown_ms
  return new Date(Math.min(now.getTime() + pause_ms, Math.max(attempt.deadline_at.getTime(), now.getTime())))
}
