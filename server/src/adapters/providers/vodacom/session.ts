// Keeps the session that every call except the session request needs. One request at a time opens a session with the API
// key. The gateway may refuse a new session for half a minute, so the adapter opens a successor before the session ends.

import { type Clock, systemClock } from '../../../kernel/lib/index.ts'

/** A session of the application at the gateway. */
export type VodacomSession = {
  /** The bearer that calls under this session send. */
  bearer: string
  made_at: Date
  /** True means that the gateway has accepted a call with this session. */
  proven: boolean
  /** The running query that tests this session. Null means that no such query runs. */
  proving: Promise<boolean> | null
}

/** The functions that return the session of an application and record refusals. */
export type VodacomSessions = {
  /** Returns the session to use. If no session is open within the timeout, returns null. */
  take(timeout_ms: number): Promise<VodacomSession | null>
  /**
   * Records a refusal. If the session is young and unproven, returns false, because the gateway may accept the session later.
   * Otherwise returns true: the session has ended.
   */
  refused(session: VodacomSession): boolean
}

/** The function that opens a session, and the times that limit its use. */
export type VodacomSessionsOptions = {
  /** Opens a session. Never throws, and ends by a separate timeout. If the gateway opens no session, returns null. */
  open(): Promise<{ bearer: string } | null>
  /** The time for which the adapter uses a session. */
  life_ms: number
  /** The time for which the gateway may refuse a new session. */
  settle_ms: number
  clock: Clock
}

/** The pause after a failed request for a session, so that waiting calls do not repeat the request immediately. */
const PAUSE_MS = 1_000
/**
 * The spare time in milliseconds for opening the successor, in addition to the time to settle. Both times take at most half of
 * a session's life.
 */
const SPARE_MS = 30_000

/** Makes the sessions. The first call of `take` opens the first session. */
export function createVodacomSessions({ open, life_ms, settle_ms, clock }: VodacomSessionsOptions): VodacomSessions {
  let current: VodacomSession | null = null
  let next: VodacomSession | null = null
  let opening: Promise<VodacomSession | null> | null = null
  let failed_at: Date | null = null
  const renew_at_ms = life_ms - Math.min(settle_ms + SPARE_MS, life_ms / 2)

  // If a session has a time in the future, the clock stepped back. The age of the session is then not known, so the adapter
  // replaces the session.
  const ageOf = ({ made_at }: VodacomSession) => {
    const age_ms = clock.now().getTime() - made_at.getTime()
    return age_ms < 0 ? Number.POSITIVE_INFINITY : age_ms
  }
  const alive = (session: VodacomSession | null) => (session !== null && ageOf(session) < life_ms ? session : null)
  const promote = () => {
    current = alive(next)
    next = null
    return current
  }
  const openOne = (): Promise<VodacomSession | null> => {
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
  const usable = (): VodacomSession | null => {
    // After the time to settle, the successor replaces the session before the session ends.
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

/** Waits for a value. If no value comes before the timeout, returns null. */
export function within<Value>(value: Promise<Value>, timeout_ms: number): Promise<Value | null> {
  return new Promise((resolve) => {
    const stop = systemClock.after(Math.max(timeout_ms, 0), () => resolve(null))
    void value.then((result) => {
      stop()
      resolve(result)
    })
  })
}
