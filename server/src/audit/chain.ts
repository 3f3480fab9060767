// The hash chain: each entry's hash covers the entry and the hash before it, so that no entry can be changed, removed
// or slipped in without breaking every hash after it.

import { createHash } from 'node:crypto'
import { type Reader, sql } from '../db/index.ts'
import type { Actor } from '../http/index.ts'

/** What the first entry of a chain follows. */
export const GENESIS = Buffer.alloc(32)

/** What a hash covers. `before` and `after` are JSON texts, as they are stored; `at` is ISO 8601 in UTC. */
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

/** SHA-256 of the previous hash and of the entry, written as one JSON array. */
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
const ENTRIES = sql(
  'audit_check_entries',
  `select l.seq::text as seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, reason,
     before::text as before, after::text as after, request_id, address, hash
   from audit_log l where merchant_id = $1 and l.seq > $2::bigint order by l.seq limit 1000`,
)

type Head = { merchant_id: string; seq: string; hash: Buffer }

type Row = {
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

/** Reads every chain from its first entry and names each that is broken, with the entry where it breaks. */
export async function checkChains(reader: Reader): Promise<string[]> {
  const broken: string[] = []
  for (const { merchant_id } of await reader.query<{ merchant_id: string }>(ORPHANS, [])) {
    broken.push(`${merchant_id} has entries but no chain`)
  }
  for (let after: string | null = null; ; ) {
    const heads: Head[] = await reader.query<Head>(CHAINS, [after])
    for (const head of heads) {
      const fault = await checkChain(reader, head)
      if (fault !== null) broken.push(fault)
    }
    const last = heads.at(-1)
    if (!last) return broken
    after = last.merchant_id
  }
}

async function checkChain(reader: Reader, head: Head): Promise<string | null> {
  let hash: Buffer = GENESIS
  let seq = 0
  for (;;) {
    const rows = await reader.query<Row>(ENTRIES, [head.merchant_id, seq])
    for (const row of rows) {
      const { actor_kind, actor_id, actor_name, ...rest } = row
      const actor = { kind: actor_kind, id: actor_id, name: actor_name }
      const entry = { ...rest, merchant_id: head.merchant_id, seq: Number(row.seq), at: row.at.toISOString(), actor }
      if (entry.seq !== seq + 1) return `${head.merchant_id}: entry ${seq + 1} is missing`
      hash = entryHash(hash, entry)
      if (!hash.equals(row.hash)) return `${head.merchant_id}: entry ${row.seq} is not what was written`
      seq = entry.seq
    }
    if (rows.length > 0) continue
    const ends = String(seq) === head.seq && hash.equals(head.hash)
    return ends ? null : `${head.merchant_id}: the chain ends at ${seq}, its head says ${head.seq}`
  }
}
