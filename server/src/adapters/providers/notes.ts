// Logs problems that only an operator can fix, each kind at most once a minute, because every request repeats such a
// problem.

import type { Clock, Log, LogFields } from '../../kernel/lib/index.ts'

const NOTE_EVERY_MS = 60_000
const KINDS_MAX = 500

/** The fields about a request that a provider refused. */
type ProblemFacts = Readonly<Omit<LogFields, 'component'>>

/**
 * Makes the log of a provider's problems, with one line a minute for each kind of problem. `facts` must contain no secret.
 */
export function createProblemLog({ name, clock, log }: { name: string; clock: Clock; log: Log }) {
  const logged_at = new Map<string, number>()
  return (kind: string, facts: ProblemFacts): void => {
    const now = clock.now().getTime()
    if (Math.abs(now - (logged_at.get(kind) ?? Number.NEGATIVE_INFINITY)) < NOTE_EVERY_MS) return
    if (logged_at.size >= KINDS_MAX) logged_at.clear()
    logged_at.set(kind, now)
    log.warn(
      { ...facts, component: 'providers', provider: name },
      'the provider refuses requests of the platform; check its settings, account and access',
    )
  }
}
