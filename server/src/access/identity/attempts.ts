// Limits sign-in attempts. After too many failures of an account, of an IP address, or of both together, the pauses between
// attempts grow. A browser that has signed in before has its own counter, so that an attack does not lock the owner out.

import { createHash } from 'node:crypto'
import { type Deps, inTransaction, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, customerNetwork, limitConcurrency } from '../../kernel/lib/index.ts'

/**
 * The limit of a counter. From `free` failures on, each failure causes a pause: first `first_s` seconds, then twice as long, up
 * to `max_s`. A failure expires after `fade_ms`. Null means that only a success or a day without attempts resets the counter.
 */
type AttemptLimit = { free: number; first_s: number; max_s: number; fade_ms: number | null }
type AttemptLimits = { pair: AttemptLimit | null; account: AttemptLimit; address: AttemptLimit }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The limit of an IP address. The limit is high and its failures expire soon, because many phones share an address. */
const ADDRESS: AttemptLimit = { free: 200, first_s: 10, max_s: 60, fade_ms: MINUTE_MS / 2 }
const PAIR: AttemptLimit = { free: 5, first_s: 30, max_s: 900, fade_ms: null }
/** The limit of all known browsers of an account together. In a day, 500 failures expire. */
const DEVICES: AttemptLimit = { free: 500, first_s: 60, max_s: 900, fade_ms: (24 * HOUR_MS) / 500 }

/**
 * The limits for a password, for the second step, for a request that sends an e-mail, and for the requests of one user for a new
 * e-mail address.
 */
const KINDS = {
  password: {
    pair: PAIR,
    account: { free: 50, first_s: 60, max_s: 900, fade_ms: 10 * MINUTE_MS },
    address: ADDRESS,
  },
  code: {
    pair: PAIR,
    account: { free: 20, first_s: 60, max_s: 3600, fade_ms: HOUR_MS },
    address: ADDRESS,
  },
  mail: {
    pair: null,
    account: { free: 4, first_s: 300, max_s: 3600, fade_ms: HOUR_MS },
    address: { free: 30, first_s: 30, max_s: 600, fade_ms: MINUTE_MS },
  },
  email_change: {
    pair: null,
    account: { free: 5, first_s: 300, max_s: 3600, fade_ms: HOUR_MS },
    address: ADDRESS,
  },
} as const satisfies Record<string, AttemptLimits>

/** The time in milliseconds without attempts after which the server resets a counter. */
const FORGET_MS = 24 * HOUR_MS

/**
 * The end of the pause of a counter without a pause. With the current time, the server would refuse a concurrent attempt with
 * an earlier time. Such an attempt waited for the row lock, or runs in a process whose clock is behind.
 */
const NO_PAUSE = new Date(0)

/**
 * The client of an attempt: the account, the IP address, and the id of a known browser. Null as `device` means that the browser
 * is unknown.
 */
export type AttemptClient = { account: string; address: string; device: string | null }

/**
 * The result of an attempt. If the attempt is not allowed, `retry_after_s` is the time until the next allowed attempt, in
 * seconds.
 */
export type SignInAttempt =
  | { allowed: true; succeeded(): Promise<void> }
  | { allowed: false; blocked: 'pair' | 'account' | 'address'; retry_after_s: number }

type AttemptCounter = { what: 'pair' | 'account' | 'address'; key: Buffer; limit: AttemptLimit }
type CounterRow = { key_hash: Buffer; failures: number; last_at: Date; blocked_until: Date }

const OPEN = sql(
  'attempts_open',
  `insert into sign_in_attempts (key_hash, failures, last_at, blocked_until)
   select k, 0, $2, $3 from unnest($1::bytea[]) as k order by k on conflict (key_hash) do nothing`,
)
const LOCK = sql(
  'attempts_lock',
  `select key_hash, failures, last_at, blocked_until from sign_in_attempts
   where key_hash = any($1::bytea[]) order by key_hash for update`,
)
const SET = sql(
  'attempts_set',
  'update sign_in_attempts set failures = $2, last_at = $3, blocked_until = $4 where key_hash = $1',
)
const SWEEP = sql(
  'attempts_sweep',
  `delete from sign_in_attempts where key_hash in (
     select a.key_hash from sign_in_attempts a where a.last_at < $1 limit 1000) returning failures`,
)

/**
 * The greatest number of attempts that a process counts at the same time. All attempts of unknown browsers from one address
 * wait for the same row lock. So without this limit, they could use all database connections.
 */
const countedAtOnce = limitConcurrency(2)

/** Changes counters in a separate transaction, within the concurrency limit. */
function changeCounters<Result>(deps: Deps, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return countedAtOnce(() => inTransaction(deps.db, work))
}

/**
 * Begins one attempt. If the attempt is allowed, counts it as failed, so that concurrent attempts cannot exceed the limit. If
 * the attempt succeeds, the caller calls `succeeded`.
 */
export async function beginAttempt(
  deps: Deps,
  kind: keyof typeof KINDS,
  client: AttemptClient,
): Promise<SignInAttempt> {
  const counted = countersFor(kind, client)
  return changeCounters(deps, async (tx) => {
    const now = deps.clock.now()
    const rows = await lockRows(tx, counted, now)
    const waits = counted.map(({ what, limit }, i) => ({
      blocked: what,
      ms: remainingMs((rows[i]?.blocked_until.getTime() ?? 0) - now.getTime(), limit),
    }))
    const longest = waits.reduce((a, b) => (b.ms > a.ms ? b : a))
    if (longest.ms > 0) {
      return { allowed: false, blocked: longest.blocked, retry_after_s: Math.ceil(longest.ms / 1000) }
    }
    for (const [i, { key, limit }] of counted.entries()) {
      const failures = (rows[i]?.failures ?? 0) + 1
      await tx.query(SET, [key, failures, rows[i]?.last_at, pauseEnd(limit, failures, now)])
    }
    return { allowed: true, succeeded: () => forgive(deps, counted) }
  })
}

/**
 * Removes a successful attempt: resets the counter of the account with its IP address or browser, and subtracts one from the
 * other counters.
 */
async function forgive(deps: Deps, counted: readonly AttemptCounter[]): Promise<void> {
  await changeCounters(deps, async (tx) => {
    const now = deps.clock.now()
    const rows = await lockRows(tx, counted, now)
    for (const [i, { what, key }] of counted.entries()) {
      const failures = what === 'pair' ? 0 : Math.max(0, (rows[i]?.failures ?? 0) - 1)
      await tx.query(SET, [key, failures, rows[i]?.last_at, NO_PAUSE])
    }
  })
}

/**
 * Locks the rows of the counters in the order of their keys. Returns the rows in the given order, without expired failures.
 */
async function lockRows(tx: Tx, counted: readonly AttemptCounter[], now: Date): Promise<CounterRow[]> {
  const keys = counted.map(({ key }) => key)
  await tx.query(OPEN, [keys, now, NO_PAUSE])
  const rows = await tx.query<CounterRow>(LOCK, [keys])
  return counted.map(({ key, limit }) => {
    const row = rows.find(({ key_hash }) => key_hash.equals(key))
    assertInvariant(row !== undefined, 'the counter of attempts is missing')
    return withoutExpired(row, limit, now)
  })
}

/**
 * Returns a row without its expired failures. If only some failures expire, `last_at` advances by a multiple of `fade_ms`,
 * because failures at shorter intervals would otherwise never expire.
 */
function withoutExpired(row: CounterRow, { fade_ms }: AttemptLimit, now: Date): CounterRow {
  const passed_ms = Math.max(0, now.getTime() - row.last_at.getTime())
  if (passed_ms > FORGET_MS) return { ...row, failures: 0, last_at: now }
  if (fade_ms === null) return { ...row, last_at: now }
  const gone = Math.floor(passed_ms / fade_ms)
  if (gone >= row.failures) return { ...row, failures: 0, last_at: now }
  return { ...row, failures: row.failures - gone, last_at: new Date(row.last_at.getTime() + gone * fade_ms) }
}

/**
 * Returns the rest of a pause in milliseconds. If an operator sets the clock back, the rest is at most the longest pause.
 */
function remainingMs(ms: number, { max_s }: AttemptLimit): number {
  return Math.min(ms, max_s * 1000)
}

/** Returns the end of the pause after this number of failures. */
function pauseEnd({ free, first_s, max_s }: AttemptLimit, failures: number, now: Date): Date {
  if (failures < free) return NO_PAUSE
  return new Date(now.getTime() + Math.min(max_s, first_s * 2 ** (failures - free)) * 1000)
}

function countersFor(kind: keyof typeof KINDS, { account, address, device }: AttemptClient): AttemptCounter[] {
  const { pair, account: of_account, address: of_address }: AttemptLimits = KINDS[kind]
  const place = customerNetwork(address)
  const key = (...parts: string[]) =>
    createHash('sha256')
      .update(JSON.stringify([kind, ...parts]))
      .digest()
  if (device !== null && pair) {
    return [
      { what: 'pair', key: key('device', account, device), limit: pair },
      { what: 'account', key: key('devices', account), limit: DEVICES },
    ]
  }
  return [
    ...(pair ? [{ what: 'pair' as const, key: key('pair', account, place), limit: pair }] : []),
    { what: 'account', key: key('account', account), limit: of_account },
    { what: 'address', key: key('address', place), limit: of_address },
  ]
}

/** Deletes counters without attempts for a day, at most 1,000. Returns the number of deleted counters. */
export async function sweepAttempts(deps: Deps, now: Date): Promise<number> {
  const before = new Date(now.getTime() - FORGET_MS)
  return (await oneStatement(deps.db).query(SWEEP, [before])).length
}
