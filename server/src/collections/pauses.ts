// When an open payment is asked about again.

import type { Answer } from '../providers/port.ts'

/** Pauses between two questions. Most payers answer within a minute; whoever has not is asked about less and less. */
const ASK_PAUSES_S = [5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]

/** An unsent request is tried sooner: nobody has seen a prompt yet. */
const RESEND_PAUSES_S = [1, 2, 5, 10, 30, 60]

/** The next question: when the provider said so, else after a growing pause, and at the deadline at the latest. */
export function nextAskAt(
  now: Date,
  attempt: { asks: number; sent_at: Date | null; deadline_at: Date },
  answer: Answer,
): Date {
  const pauses = attempt.sent_at === null ? RESEND_PAUSES_S : ASK_PAUSES_S
  const index = Math.min(Math.max(attempt.asks, 1), pauses.length) - 1
  const pause_ms = answer.ask_again_ms ?? (pauses[index] as number) * 1_000
  return new Date(Math.min(now.getTime() + pause_ms, Math.max(attempt.deadline_at.getTime(), now.getTime())))
}
