// Keeps the IP addresses of callers beside the audit log, so that the worker can delete them and the chain stays valid. An entry
// holds only a hash of the address and a random salt. Without the salt, a reader cannot find the address by a hash of every address.

import { createHash } from 'node:crypto'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { ADDRESS_DAYS_MIN } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

const DAY_MS = 86_400_000
const SALT_BYTES = 16
const PREFIX = 'sha256:'
/** The highest number of rows that one SQL statement deletes. */
const ROWS_MAX = 1_000

/** What an entry and the table of addresses hold about the address of a caller. */
export type KeptAddress = {
  /** The text in the entry: a hash. */
  address: string
  caller: string
  /** Hexadecimal. */
  salt: string
}

/** Splits an address into the hash for the entry, and the address and salt for the table that the worker may delete from. */
export function keepAddress({ random }: Pick<Deps, 'random'>, caller: string): KeptAddress {
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('hex')
  return { address: hashOf(`${salt} ${caller}`), caller, salt }
}

function hashOf(salted: string): string {
  return PREFIX + createHash('sha256').update(salted).digest('hex')
}

const OF_ENTRY = 'from audit_addresses a where a.merchant_id = l.merchant_id and a.seq = l.seq'

/** The address of an entry l in SQL. Entries of earlier versions hold the address itself. Null means none, or deleted. */
export const ADDRESS_COLUMN = `coalesce((select a.address ${OF_ENTRY}), case when l.address not like '${PREFIX}%' then l.address end) as address`

/** The salt and the address of an entry l as one text in SQL. Null means that the table has no address of the entry. */
export const SALTED_COLUMN = `(select encode(a.salt, 'hex') || ' ' || a.address ${OF_ENTRY}) as salted_address`

/**
 * Checks the address of an entry. `kept_since` is a time from which the worker has deleted no address; null skips that check. Returns the
 * end of a sentence about the fault, or null.
 */
export function addressFault(
  { at, address, salted_address }: { at: Date; address: string | null; salted_address: string | null },
  kept_since: Date | null,
): string | null {
  if (salted_address !== null)
    return hashOf(salted_address) === address ? null : 'has another address than the one that was written'
  if (!address?.startsWith(PREFIX) || kept_since === null || at < kept_since) return null
  return `has lost its address, which the server keeps for at least ${ADDRESS_DAYS_MIN} days`
}

/** Returns a time from which no worker has deleted an address. One day allows for clocks that differ. */
export function addressesKeptSince(now: Date): Date {
  return new Date(now.getTime() - (ADDRESS_DAYS_MIN - 1) * DAY_MS)
}

// The times of a chain never decrease, so the first address of a chain is its oldest.
const SWEEP = sql(
  'audit_addresses_sweep',
  `delete from audit_addresses a using (
     select next.merchant_id, next.seq from audit_chains c
     cross join lateral (
       select x.at from audit_addresses x where x.merchant_id = c.merchant_id order by x.seq limit 1) oldest
     cross join lateral (
       select x.merchant_id, x.seq, x.at from audit_addresses x where x.merchant_id = c.merchant_id order by x.seq limit $2) next
     where oldest.at < $1 and next.at < $1
     limit $2) gone
   where a.merchant_id = gone.merchant_id and a.seq = gone.seq
   returning 1 as gone`,
)

/** Makes the task that deletes the addresses of the audit log after RETENTION_AUDIT_ADDRESSES_DAYS. */
export function addressRetention(deps: Deps): Task {
  return sweepTask(deps, 'address_retention', [
    async (now) => {
      const { retention_audit_addresses_days } = deps.config
      if (retention_audit_addresses_days === 0) return 0
      const before = new Date(now.getTime() - retention_audit_addresses_days * DAY_MS)
      return (await oneStatement(deps.db).query(SWEEP, [before, ROWS_MAX])).length
    },
  ])
}
