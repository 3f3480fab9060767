// When an open payout is worked on again.

import { ASK_AGAIN_MS_MAX } from '../../adapters/providers/answer.ts'

/** Pauses between two questions, or two tries to reach a provider. Most payouts are final within seconds. */
const PAUSES_S = [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]

/** The longest pause of a waiting payout, whether the provider announced it or not. */
export const LONGEST_PAUSE_MS = Math.max(ASK_AGAIN_MS_MAX, 1_000 * Math.max(...PAUSES_S))

/** The next step: when the provider announced it, else after a growing pause. */
export function nextStepAt(now: Date, steps: number, announced_ms?: number): Date {
  const index = Math.min(Math.max(steps, 1), PAUSES_S.length) - 1
  return new Date(now.getTime() + (announced_ms ?? (PAUSES_S[index] as number) * 1_000))
}
