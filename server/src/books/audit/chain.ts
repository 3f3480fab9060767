// Computes and checks the hash chain: each hash covers its entry and the previous hash. After any change, removal or
// insertion of an entry, the chain of hashes no longer fits.

import { createHash } from 'node:crypto'
import { type Reader, sql } from '../../kernel/db/index.ts'
import type { Actor } from '../../kernel/http/index.ts'

/** The hash before the first entry of a chain. */
export const GENESIS = Buffer.alloc(32)

/** The content that a hash covers. `before` and `after` are JSON texts as stored. `at` is ISO 8601 in UTC. */
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
  address?: string | null
}

/** Returns the SHA-256 of the previous hash and the entry as one JSON array. */
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

const CHAINS = sql(
  'audit_check_chains',
  `select c.merchant_id, c.seq::text as seq, c.hash from audit_chains c where $1::uuid is null or c.merchant_id > $1 order by c.merchant_id limit 1000`,
)
const ORPHANS = sql(
  'audit_check_orphans',
  `select distinct merchant_id from audit_log l where not exists (select from audit_chains c where c.merchant_id = l.merchant_id) limit 10`,
)
type ChainHead = { merchant_id: string; seq: string; hash: Buffer }

/** A stored entry with the columns that its hash covers. */
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
  hash: Buffer
}

/** The columns of a `ChainRow` in SQL. In the statement, l is the alias of the table. */
export const CHAIN_COLUMNS = `l.seq::text as seq, l.at, l.actor_kind, l.actor_id, l.actor_name, l.action, l.target_type, l.target_id, l.reason,
     l.before::text as before, l.after::text as after, l.request_id, l.address, l.hash`

const ENTRIES = sql(
  'audit_check_entries',
  `select ${CHAIN_COLUMNS} from audit_log l where l.merchant_id = $1 and l.seq > $2::bigint order by l.seq limit 1000`,
)

/** The last entry of a chain that the check has read. */
export type ChainLink = { seq: number; hash: Buffer }

/**
 * Checks the next entry of a chain. Returns the link of the entry. If the entry is faulty, returns a text that describes the
 * fault.
 */
export function nextLink(merchant_id: string, link: ChainLink, row: ChainRow): ChainLink | string {
  const { actor_kind, actor_id, actor_name, ...rest } = row
  const actor = { kind: actor_kind, id: actor_id, name: actor_name }
  const entry = { ...rest, merchant_id, seq: Number(row.seq), at: row.at.toISOString(), actor }
  if (entry.seq !== link.seq + 1) return `${merchant_id}: entry ${link.seq + 1} is missing`
  const hash = entryHash(link.hash, entry)
  return hash.equals(row.hash) ? { seq: entry.seq, hash } : `${merchant_id}: entry ${row.seq} is not what was written`
}

/**
 * Compares the last entry of a chain with the head of the chain. If they differ, returns a text that describes the fault.
 * Null means that both agree.
 */
export function endFault(merchant_id: string, link: ChainLink, head: { seq: string; hash: Buffer }): string | null {
  const ends = String(link.seq) === head.seq && link.hash.equals(head.hash)
  return ends ? null : `${merchant_id}: the chain ends at ${link.seq}, its head records ${head.seq}`
}

/** Checks every chain from its first entry. For each broken chain, returns one text that names the first faulty entry. */
export async function checkChains(reader: Reader): Promise<string[]> {
  const broken: string[] = []
  for (const { merchant_id } of await reader.query<{ merchant_id: string }>(ORPHANS, [])) {
    broken.push(`${merchant_id} has entries but no chain`)
  }
  for (let after: string | null = null; ; ) {
    const heads: ChainHead[] = await reader.query<ChainHead>(CHAINS, [after])
    for (const head of heads) {
      const fault = await checkChain(reader, head)
      if (fault !== null) broken.push(fault)
    }
    const last = heads.at(-1)
    if (!last) return broken
    after = last.merchant_id
  }
}

async function checkChain(reader: Reader, head: ChainHead): Promise<string | null> {
  let link: ChainLink = { seq: 0, hash: GENESIS }
  for (;;) {
    const rows = await reader.query<ChainRow>(ENTRIES, [head.merchant_id, link.seq])
    for (const row of rows) {
      const next = nextLink(head.merchant_id, link, row)
      if (typeof next === 'string') return next
      link = next
    }
    if (rows.length === 0) return endFault(head.merchant_id, link, head)
  }
}
