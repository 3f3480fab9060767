// Keeps the sessions of callers. The session request itself needs the API key; every other call needs a session.

import type { Clock, Random } from '../../src/kernel/lib/index.ts'
import { randomBase62 } from '../../src/kernel/lib/index.ts'
import type { Settings } from './settings.ts'

/** The sessions of the twin's only application. */
export type Sessions = {
  open(): string
  /** Returns true if the session with this id is valid now. */
  knows(id: string): boolean
  end(id: string): void
  endAll(): void
}

const LENGTH = 32

/** Makes an empty store of sessions. The sessions exist only in memory. */
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
