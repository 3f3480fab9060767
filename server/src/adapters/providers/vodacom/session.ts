// Sessions: opened with the API key, used by every other call, and worth nothing after a while that is set at the provider's.
//
// A session is opened by one request at a time, whoever needs it. Its successor is opened before it ends, because a new one may
// take half a minute until it is let in. One that was let in and then is not has ended; one that never was is tried again
// until that half minute is over.

import { type Clock, systemClock } from '../../../kernel/lib/index.ts'

/** One session. */
export type Session = {
  /** What calls carry. */
  bearer: string
  made_at: Date
  /** True once a call was let in with it. */
  proven: boolean
  /** The question under way that is to prove it. */
  proving: Promise<boolean> | null
}

/** The sessions of one application. */
export type Sessions = {
  /** The session to use; null when there is none within that time. */
  take(timeout_ms: number): Promise<Session | null>
  /** Notes that a session was refused. True: it is over. False: it is young, and may yet be let in. */
  refused(session: Session): boolean
}

/** Options of `createSessions`. */
export type SessionsOptions = {
  /** Opens one; null when that failed. Never throws, and ends by itself. */
  open(): Promise<{ bearer: string } | null>
  /** How long a session is used. */
  life_ms: number
  /** How long a new one may be refused. */
  settle_ms: number
  clock: Clock
}

/** After a failure nobody asks for a session again so soon: it would fail for everybody who waits. */
const PAUSE_MS = 1_000
/** The successor is opened in the last part of a life: time to settle, and some to spare, but at most half of it. */
const SPARE_MS = 30_000

/** Makes them. Nothing is opened before one is taken. */
export function createSessions({ open, life_ms, settle_ms, clock }: SessionsOptions): Sessions {
  let current: Session | null = null
  let next: Session | null = null
  let opening: Promise<Session | null> | null = null
  let failed_at: Date | null = null
  const renew_at_ms = life_ms - Math.min(settle_ms + SPARE_MS, life_ms / 2)

  // A session of the future was made before the clock stepped back: its age is not known, so it is replaced.
  const ageOf = ({ made_at }: Session) => {
    const age_ms = clock.now().getTime() - made_at.getTime()
    return age_ms < 0 ? Number.POSITIVE_INFINITY : age_ms
  }
  const alive = (session: Session | null) => (session !== null && ageOf(session) < life_ms ? session : null)
  const promote = () => {
    current = alive(next)
    next = null
    return current
  }
  const openOne = (): Promise<Session | null> => {
    if (opening !== null) return opening
    if (failed_at !== null && Math.abs(clock.now().getTime() - failed_at.getTime()) < PAUSE_MS)
      return Promise.resolve(null)
    opening = open().then((opened) => {
      opening = null
      failed_at = opened === null ? clock.now() : null
      if (opened === null) return null
      const session = { bearer: opened.bearer, made_at: clock.now(), proven: false, proving: null }
      if (current === null) current = session
      else next = session
      return session
    })
    return opening
  }
  const usable = (): Session | null => {
    // A successor that had its time to settle takes over before the end.
    if (next !== null && ageOf(next) >= settle_ms) promote()
    current = alive(current) ?? promote()
    return current
  }
  return {
    async take(timeout_ms) {
      const session = usable()
      if (session === null) {
        await within(openOne(), timeout_ms)
        return usable()
      }
      if (next === null && ageOf(session) >= renew_at_ms) void openOne()
      return session
    },
    refused(session) {
      if (!session.proven && ageOf(session) < settle_ms) return false
      if (session === current) promote()
      return true
    },
  }
}

/** The value, or null when it takes longer. */
export function within<Value>(value: Promise<Value>, timeout_ms: number): Promise<Value | null> {
  return new Promise((resolve) => {
    const stop = systemClock.after(Math.max(timeout_ms, 0), () => resolve(null))
    void value.then((known) => {
      stop()
      resolve(known)
    })
  })
}
