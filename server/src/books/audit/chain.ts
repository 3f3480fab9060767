// Computes and checks the hash chain of a merchant. Each hash covers its entry and the previous hash, so a changed, removed or
// inserted entry does not fit the hashes. The seal of an entry is a keyed hash that needs SECRET_KEY.

import { createHash, timingSafeEqual } from 'node:crypto'
import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Actor } from '../../kernel/http/index.ts'
import type { Vault } from '../../kernel/lib/index.ts'
import { addressesKeptSince, addressFault, SALTED_COLUMN } from './addresses.ts'

/** The value of the previous hash in the first entry of a chain. */
export const GENESIS = Buffer.alloc(32)

/** The fields that a hash covers. `before` and `after` are the stored JSON texts. `at` is ISO 8601 in UTC. */
export type HashedEntry = {
  merchant_id: string
  seq: number
  at: string
  actor: Actor
  action: string
  target_type: string
  target_id: string
  reason?: string | null
  before: string | null
  after: string | null
  request_id?: string | null
  /**
   * The salted hash of the IP address. Entries of earlier versions contain the address itself. Missing or null means that the
   * entry has no address.
   */
  address?: string | null
}

/** Returns the SHA-256 of the previous hash and of the entry as a JSON array. */
export function entryHash(previous: Uint8Array, entry: HashedEntry): Buffer {
  const { merchant_id, seq, at, actor, action, target_type, target_id, before, after } = entry
  const text = JSON.stringify([
    merchant_id,
    seq,
    at,
    [actor.kind, actor.id, actor.name],
    action,
    [target_type, target_id],
    entry.reason ?? null,
    before,
    after,
    entry.request_id ?? null,
    entry.address ?? null,
  ])
  return createHash('sha256').update(previous).update(text).digest()
}

/**
 * Returns the seal of an entry: 32 bytes. The rotation of SECRET_KEY does not change the key of seals, so old seals stay valid.
 */
export function sealOf(vault: Pick<Vault, 'mark'>, merchant_id: string, seq: number, hash: Buffer): Buffer {
  return vault.mark(`malipo audit entry ${merchant_id} ${seq} ${hash.toString('hex')}`)
}

/** The data for the check of seals and addresses. */
export type SealCheck = {
  /** The keyed hash function. Null means that the check has no secret key and finds only missing seals. */
  vault: Pick<Vault, 'mark'> | null
  /**
   * The time of the migration that added seals. Every later entry needs a seal. Null means that the database has no seals yet.
   */
  since: Date | null
  /**
   * The time at which an operator abandoned a lost SECRET_KEY. No program can check earlier seals. Null means that the check
   * knows no such time.
   */
  abandoned_at: Date | null
  /**
   * The time after which every entry must still have its IP address. Null means that the check ignores missing addresses.
   */
  addresses_since: Date | null
}

const SEALS_SINCE = sql(
  'audit_seals_since',
  "select min(applied_at) as since from schema_migrations where name like '%\\_audit\\_seals.sql'",
)

// If the database has no retired key, the statement does not read the audit log.
const ABANDONED = sql(
  'audit_seals_abandoned',
  `select merchant_id, seq::text as seq, at, hash, seal from audit_log
   where merchant_id = '00000000-0000-0000-0000-000000000000' and action = 'secrets.abandon' and seal is not null
     and exists (select from vault_canary where retired_at is not null)
   order by merchant_id, seq desc limit 20`,
)

/**
 * Reads the data for the check of seals and addresses. Null as `now` means that the check ignores missing addresses.
 */
export async function sealCheck(
  reader: Reader,
  vault: SealCheck['vault'],
  now: Date | null = null,
): Promise<SealCheck> {
  const [row] = await reader.query<{ since: Date | null }>(SEALS_SINCE)
  const since = row?.since ?? null
  const addresses_since = now === null ? null : addressesKeptSince(now)
  if (vault === null) return { vault, since, abandoned_at: null, addresses_since }
  const acts = await reader.query<{ merchant_id: string; seq: string; at: Date; hash: Buffer; seal: Buffer }>(ABANDONED)
  // If the entry has a valid seal, an operator with the current key abandoned the earlier key.
  const proven = acts.find(({ merchant_id, seq, hash, seal }) => fits(vault, merchant_id, Number(seq), hash, seal))
  return { vault, since, abandoned_at: proven?.at ?? null, addresses_since }
}

function fits(vault: Pick<Vault, 'mark'>, merchant_id: string, seq: number, hash: Buffer, seal: Buffer): boolean {
  const expected = sealOf(vault, merchant_id, seq, hash)
  return expected.length === seal.length && timingSafeEqual(expected, seal)
}

/**
 * Checks the seal of an entry with a valid hash. Entries from before the migration have no seal, but the seal of a later entry
 * protects them. Null means no fault.
 */
function sealFault(merchant_id: string, link: ChainLink, row: ChainRow, check: SealCheck): string | null {
  const { vault, since, abandoned_at } = check
  if (row.seal === null) {
    if (!link.sealed && (since === null || row.at <= since)) return null
    return `${merchant_id}: entry ${row.seq} has no seal: a program of an earlier version wrote it, or a role other than the server changed the log`
  }
  if (vault === null || fits(vault, merchant_id, Number(row.seq), row.hash, row.seal)) return null
  if (abandoned_at !== null && row.at <= abandoned_at) return null
  return `${merchant_id}: entry ${row.seq} has a wrong seal: the program that wrote the entry did not have the SECRET_KEY of this database`
}

const CHAINS = sql(
  'audit_check_chains',
  `select c.merchant_id, c.seq::text as seq, c.hash from audit_chains c where $1::uuid is null or c.merchant_id > $1 order by c.merchant_id limit 1000`,
)
const ORPHANS = sql(
  'audit_check_orphans',
  `select distinct merchant_id from audit_log l where not exists (select from audit_chains c where c.merchant_id = l.merchant_id) limit 10`,
)
type ChainHead = { merchant_id: string; seq: string; hash: Buffer }

/** A stored entry with all columns that its hash covers. */
export type ChainRow = {
  seq: string
  at: Date
  actor_kind: Actor['kind']
  actor_id: string | null
  actor_name: string
  action: string
  target_type: string
  target_id: string
  reason: string | null
  before: string | null
  after: string | null
  request_id: string | null
  address: string | null
  salted_address: string | null
  hash: Buffer
  seal: Buffer | null
}

/** SQL for the columns of a `ChainRow`. In the statement, l is the alias of audit_log. */
export const CHAIN_COLUMNS = `l.seq::text as seq, l.at, l.actor_kind, l.actor_id, l.actor_name, l.action, l.target_type, l.target_id, l.reason,
     l.before::text as before, l.after::text as after, l.request_id, l.address, ${SALTED_COLUMN}, l.hash, l.seal`

const ENTRIES = sql(
  'audit_check_entries',
  `select ${CHAIN_COLUMNS} from audit_log l where l.merchant_id = $1 and l.seq > $2::bigint order by l.seq limit 1000`,
)

/** The last checked entry of a chain. `sealed` means that the entry has a seal. */
export type ChainLink = { seq: number; hash: Buffer; sealed: boolean }

/** The state before the first entry of a chain. */
export const FIRST_LINK: ChainLink = { seq: 0, hash: GENESIS, sealed: false }

/**
 * Checks the next entry of a chain. Returns its number, hash and seal state. If the entry is faulty, returns a text about the
 * fault.
 */
export function nextLink(merchant_id: string, link: ChainLink, row: ChainRow, seals: SealCheck): ChainLink | string {
  const { actor_kind, actor_id, actor_name, seal, ...rest } = row
  const actor = { kind: actor_kind, id: actor_id, name: actor_name }
  const entry = { ...rest, merchant_id, seq: Number(row.seq), at: row.at.toISOString(), actor }
  if (entry.seq !== link.seq + 1) return `${merchant_id}: entry ${link.seq + 1} is missing`
  const hash = entryHash(link.hash, entry)
  if (!hash.equals(row.hash)) return `${merchant_id}: entry ${row.seq} is not what the server wrote`
  const fault = addressFault(row, seals.addresses_since)
  if (fault !== null) return `${merchant_id}: entry ${row.seq} ${fault}`
  return sealFault(merchant_id, link, row, seals) ?? { seq: entry.seq, hash, sealed: seal !== null }
}

/**
 * Compares the last checked entry with the stored head of the chain. If they differ, returns a text about the fault. Null means
 * no fault.
 */
export function endFault(merchant_id: string, link: ChainLink, head: { seq: string; hash: Buffer }): string | null {
  const ends = String(link.seq) === head.seq && link.hash.equals(head.hash)
  return ends ? null : `${merchant_id}: the chain ends at ${link.seq}, but its head records ${head.seq}`
}

/**
 * Checks every chain from its first entry. Returns one text for each broken chain, which names the first faulty entry. If
 * `vault` is null, ignores wrong seals. If `now` is null, ignores missing addresses.
 */
export async function checkChains(
  reader: Reader,
  vault: SealCheck['vault'] = null,
  now: Date | null = null,
): Promise<string[]> {
  const broken: string[] = []
  const seals = await sealCheck(reader, vault, now)
  for (const { merchant_id } of await reader.query<{ merchant_id: string }>(ORPHANS, [])) {
    broken.push(`${merchant_id} has entries but no chain`)
  }
  for (let after: string | null = null; ; ) {
    const heads: ChainHead[] = await reader.query<ChainHead>(CHAINS, [after])
    for (const head of heads) {
      const fault = await checkChain(reader, head, seals)
      if (fault !== null) broken.push(fault)
    }
    const last = heads.at(-1)
    if (!last) return broken
    after = last.merchant_id
  }
}

async function checkChain(reader: Reader, head: ChainHead, seals: SealCheck): Promise<string | null> {
  let link = FIRST_LINK
  for (;;) {
    const rows = await reader.query<ChainRow>(ENTRIES, [head.merchant_id, link.seq])
    for (const row of rows) {
      const next = nextLink(head.merchant_id, link, row, seals)
      if (typeof next === 'string') return next
      link = next
    }
    if (rows.length === 0) return endFault(head.merchant_id, link, head)
  }
}
