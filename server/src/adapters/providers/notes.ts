// Telling an operator what only an operator can mend: it comes with every request until somebody does.

import type { Clock, Log } from '../../kernel/lib/index.ts'

const NOTE_EVERY_MS = 60_000
const NOTES_MAX = 500

/** Logs trouble of a provider: one line a minute for each kind. `facts` must hold no secret. */
export function createNotes({ name, clock, log }: { name: string; clock: Clock; log: Log }) {
  const noted = new Map<string, number>()
  return (kind: string, facts: Readonly<Record<string, unknown>>): void => {
    const now = clock.now().getTime()
    if (Math.abs(now - (noted.get(kind) ?? Number.NEGATIVE_INFINITY)) < NOTE_EVERY_MS) return
    if (noted.size >= NOTES_MAX) noted.clear()
    noted.set(kind, now)
    log.warn({ provider: name, ...facts }, 'the provider refuses what we send')
  }
}
