// Logs problems that only an operator can fix, each kind at most once a minute, because every request repeats such a
// problem.

import type { Clock, Log } from '../../kernel/lib/index.ts'

const NOTE_EVERY_MS = 60_000
const KINDS_MAX = 500

/**
 * Makes the log of a provider's problems, with one line a minute for each kind of problem. `facts` must contain no secret.
 */
export function createProblemLog({ name, clock, log }: { name: string; clock: Clock; log: Log }) {
  const logged_at = new Map<string, number>()
  return (kind: string, facts: Readonly<Record<string, unknown>>): void => {
    const now = clock.now().getTime()
    if (Math.abs(now - (logged_at.get(kind) ?? Number.NEGATIVE_INFINITY)) < NOTE_EVERY_MS) return
    if (logged_at.size >= KINDS_MAX) logged_at.clear()
    logged_at.set(kind, now)
    log.warn(
      { provider: name, ...facts },
      'the provider refuses requests of the platform; check its settings, account and access',
    )
  }
}
