// Slowing down whoever guesses: failed tries are counted in the database, where all processes agree on them.
//
// Nobody is locked out for good. Tries are counted per account and address, and pause longer and longer; tries at one
// account from everywhere have a ceiling of their own. A browser that signed in to the account before is counted by
// itself, so that an attack on an account does not keep its owner out. Tries in vain fade, also while others are made.

import { createHash } from 'node:crypto'
import { type Deps, inTransaction, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, customerNetwork, limitConcurrency } from '../../kernel/lib/index.ts'

/**
 * After `free` tries in vain the next waits `first_s`, then twice as long each time, up to `max_s`. One of them is
 * forgotten every `fade_ms`; where that is null, only a right answer or a day of quiet forgets.
 */
type Limit = { free: number; first_s: number; max_s: number; fade_ms: number | null }
type Limits = { pair: Limit | null; account: Limit; address: Limit }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A network of many phones shares one address: its limit is wide, and soon forgets. */
const ADDRESS: Limit = { free: 200, first_s: 10, max_s: 60, fade_ms: MINUTE_MS / 2 }
const PAIR: Limit = { free: 5, first_s: 30, max_s: 900, fade_ms: null }
/** All browsers together that an account signed in with before: 500 tries a day. */
const DEVICES: Limit = { free: 500, first_s: 60, max_s: 900, fade_ms: (24 * HOUR_MS) / 500 }

/** What may be tried: a password, a code of the second step, or having mail sent. */
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
} as const satisfies Record<string, Limits>

/** A try that fails is forgotten when nothing was tried for so long. */
const FORGET_MS = 24 * HOUR_MS

/** Who tries: an e-mail address or the like, from an address, in a browser that is known to the account or not. */
export type Trier = { account: string; address: string; device: string | null }

/** A try that may be made, or how long it has to wait. */
export type Attempt =
  | { allowed: true; succeeded(): Promise<void> }
  | { allowed: false; blocked: 'pair' | 'account' | 'address'; retry_after_s: number }

type Counted = { what: 'pair' | 'account' | 'address'; key: Buffer; limit: Limit }
type Row = { key_hash: Buffer; failures: number; last_at: Date; blocked_until: Date }

const OPEN = sql(
  'attempts_open',
  `insert into sign_in_attempts (key_hash, failures, last_at, blocked_until)
   select k, 0, $2, $2 from unnest($1::bytea[]) as k order by k on conflict (key_hash) do nothing`,
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
 * Tries that a process counts at once. Those of one address wait for one row: more of them would hold every connection
 * of the pool meanwhile, and payments would get none.
 */
const countedAtOnce = limitConcurrency(2)

/** Changes counters in a transaction of its own, when its turn has come. */
function count<Result>(deps: Deps, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return countedAtOnce(() => inTransaction(deps.db, work))
}

/**
 * Asks for one try. It counts as failed at once, so that many tries at the same moment, in whatever processes, cannot
 * all slip through; a try that succeeds says so.
 */
export async function beginAttempt(deps: Deps, kind: keyof typeof KINDS, trier: Trier): Promise<Attempt> {
  const counted = countedFor(kind, trier)
  return count(deps, async (tx) => {
    const now = deps.clock.now()
    const rows = await lockRows(tx, counted, now)
    const waits = counted.map(({ what, limit }, i) => ({
      blocked: what,
      ms: leftOf((rows[i]?.blocked_until.getTime() ?? 0) - now.getTime(), limit),
    }))
    const longest = waits.reduce((a, b) => (b.ms > a.ms ? b : a))
    if (longest.ms > 0) {
      return { allowed: false, blocked: longest.blocked, retry_after_s: Math.ceil(longest.ms / 1000) }
    }
    for (const [i, { key, limit }] of counted.entries()) {
      const failures = (rows[i]?.failures ?? 0) + 1
      await tx.query(SET, [key, failures, rows[i]?.last_at, new Date(now.getTime() + pauseMs(limit, failures))])
    }
    return { allowed: true, succeeded: () => forgive(deps, counted) }
  })
}

/** A right answer: the pair starts anew, the wider counters lose this one try. */
async function forgive(deps: Deps, counted: readonly Counted[]): Promise<void> {
  await count(deps, async (tx) => {
    const now = deps.clock.now()
    const rows = await lockRows(tx, counted, now)
    for (const [i, { what, key }] of counted.entries()) {
      const failures = what === 'pair' ? 0 : Math.max(0, (rows[i]?.failures ?? 0) - 1)
      await tx.query(SET, [key, failures, rows[i]?.last_at, now])
    }
  })
}

/** The rows of what is counted, in that order, locked in one order, with what has faded until now taken off. */
async function lockRows(tx: Tx, counted: readonly Counted[], now: Date): Promise<Row[]> {
  const keys = counted.map(({ key }) => key)
  await tx.query(OPEN, [keys, now])
  const rows = await tx.query<Row>(LOCK, [keys])
  return counted.map(({ key, limit }) => {
    const row = rows.find(({ key_hash }) => key_hash.equals(key))
    assertInvariant(row !== undefined, 'a counter of attempts that was just opened exists')
    return faded(row, limit, now)
  })
}

/**
 * A row as it counts now. Of the time that passed only what let tries fade is used up: else tries that follow each other
 * faster than `fade_ms` would never fade.
 */
function faded(row: Row, { fade_ms }: Limit, now: Date): Row {
  const passed_ms = Math.max(0, now.getTime() - row.last_at.getTime())
  if (passed_ms > FORGET_MS) return { ...row, failures: 0, last_at: now }
  if (fade_ms === null) return { ...row, last_at: now }
  const gone = Math.floor(passed_ms / fade_ms)
  if (gone >= row.failures) return { ...row, failures: 0, last_at: now }
  return { ...row, failures: row.failures - gone, last_at: new Date(row.last_at.getTime() + gone * fade_ms) }
}

/** What is left of a pause: at most the longest one, even if the clock has stepped back. */
function leftOf(ms: number, { max_s }: Limit): number {
  return Math.min(ms, max_s * 1000)
}

function pauseMs({ free, first_s, max_s }: Limit, failures: number): number {
  return failures < free ? 0 : Math.min(max_s, first_s * 2 ** (failures - free)) * 1000
}

function countedFor(kind: keyof typeof KINDS, { account, address, device }: Trier): Counted[] {
  const { pair, account: of_account, address: of_address }: Limits = KINDS[kind]
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

/** Deletes counters that nobody needs any more. */
export async function sweepAttempts(deps: Deps, now: Date): Promise<number> {
  const before = new Date(now.getTime() - FORGET_MS)
  return (await oneStatement(deps.db).query(SWEEP, [before])).length
}
