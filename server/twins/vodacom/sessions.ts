// Keeps the sessions of callers. Every call except the session request needs a session.

import type { Clock, Random } from '../../src/kernel/lib/index.ts'
import { randomBase62 } from '../../src/kernel/lib/index.ts'
import type { Settings } from './settings.ts'

/** The sessions of the only application. */
export type Sessions = {
  open(): string
  /** Returns true while the session with this id is valid. */
  knows(id: string): boolean
  end(id: string): void
  endAll(): void
}

const LENGTH = 32

/** Makes the sessions of the application. */
export function createSessions(settings: Settings, clock: Clock, random: Random): Sessions {
  const made = new Map<string, Date>()
  return {
    open() {
      if (settings.one_session) made.clear()
      const id = randomBase62(random, LENGTH)
      made.set(id, clock.now())
      return id
    },
    knows(id) {
      const at = made.get(id)
      if (at === undefined) return false
      const age_ms = clock.now().getTime() - at.getTime()
      return age_ms >= settings.session_settle_ms && age_ms < settings.session_life_ms
    },
    end: (id) => void made.delete(id),
    endAll: () => made.clear(),
  }
}
