// Stores the IP addresses of callers in a table beside the audit log. An entry contains only a hash of the address with a
// random salt. So the worker can delete addresses and salts without a change of the hash chain.

import { createHash } from 'node:crypto'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { ADDRESS_DAYS_MIN } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

const DAY_MS = 86_400_000
const SALT_BYTES = 16
const PREFIX = 'sha256:'
/** The greatest number of rows that one statement deletes. */
const ROWS_MAX = 1_000

/** The IP address of a caller in the two forms that the server stores. */
export type KeptAddress = {
  /** The hash that the audit entry contains. */
  address: string
  caller: string
  /** The random salt in hexadecimal, as in the table of addresses. */
  salt: string
}

/** Returns the hash of an IP address for the audit entry, and the address with its salt for the table of addresses. */
export function keepAddress({ random }: Pick<Deps, 'random'>, caller: string): KeptAddress {
  const salt = Buffer.from(random.bytes(SALT_BYTES)).toString('hex')
  return { address: hashOf(`${salt} ${caller}`), caller, salt }
}

function hashOf(salted: string): string {
  return PREFIX + createHash('sha256').update(salted).digest('hex')
}

const OF_ENTRY = 'from audit_addresses a where a.merchant_id = l.merchant_id and a.seq = l.seq'

/**
 * SQL for the IP address of the entry l. Entries of earlier versions contain the address itself. Null means that the entry
 * never had an address, or that the worker deleted it.
 */
export const ADDRESS_COLUMN = `coalesce((select a.address ${OF_ENTRY}), case when l.address not like '${PREFIX}%' then l.address end) as address`

/**
 * SQL for the salt and the IP address of the entry l as one text. Null means that the table contains no address of the entry.
 */
export const SALTED_COLUMN = `(select encode(a.salt, 'hex') || ' ' || a.address ${OF_ENTRY}) as salted_address`

/**
 * Checks the IP address of an entry. If an entry at or after `kept_since` has the hash of an address, the table must have the
 * address; null skips this check. Returns the end of a sentence about the fault. Null means no fault.
 */
export function addressFault(
  { at, address, salted_address }: { at: Date; address: string | null; salted_address: string | null },
  kept_since: Date | null,
): string | null {
  if (salted_address !== null)
    return hashOf(salted_address) === address ? null : 'has another address than the server wrote'
  if (!address?.startsWith(PREFIX) || kept_since === null || at < kept_since) return null
  return `has lost its address, which the server keeps for at least ${ADDRESS_DAYS_MIN} days`
}

/**
 * Returns the time after which every entry must still have its address: one day less than the minimum, because clocks differ.
 */
export function addressesKeptSince(now: Date): Date {
  return new Date(now.getTime() - (ADDRESS_DAYS_MIN - 1) * DAY_MS)
}

// The times of a chain follow the order of its entries, except for small differences between clocks. So the first address of a
// chain is one of its oldest.
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

/**
 * Makes the task that deletes the IP addresses of the audit log after RETENTION_AUDIT_ADDRESSES_DAYS. If the setting is 0, the
 * task deletes nothing.
 */
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
