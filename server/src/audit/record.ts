// Writing the audit log: in the transaction of the act itself, so that neither exists without the other.
//
// Each merchant's chain is one lock: two acts of one merchant wait for each other, two merchants' never do. A process
// that dies before the commit leaves neither the act nor its entry.

import { type Deps, sql, type Tx } from '../db/index.ts'
import { assertInvariant } from '../lib/index.ts'
import { entryHash, GENESIS } from './chain.ts'
import type { AuditEntry } from './list.ts'

const OPEN = sql(
  'audit_open_chain',
  `insert into audit_chains (merchant_id, seq, hash, at) values ($1, 0, $2, $3) on conflict (merchant_id) do nothing`,
)
const LOCK = sql(
  'audit_lock_chain',
  `select seq::text as seq, hash from audit_chains where merchant_id = $1 for update`,
)
const APPEND = sql(
  'audit_append',
  `with entry as (
     insert into audit_log (merchant_id, seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, reason,
       before, after, request_id, address, hash)
     values ($1, $2::bigint, $3, $4, $5, $6, $7, $8, $9, $10, $11::json, $12::json, $13, $14, $15)
   )
   update audit_chains set seq = $2::bigint, hash = $15, at = greatest(at, $3)
   where merchant_id = $1 and seq = $2::bigint - 1 returning 1`,
)

/** Appends one entry to the chain of `entry.merchant_id` (PLATFORM: none). Call it last: it locks the chain. */
export async function recordAudit(deps: Deps, tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query(OPEN, [entry.merchant_id, GENESIS, deps.clock.now()])
  const [head] = await tx.query<{ seq: string; hash: Buffer }>(LOCK, [entry.merchant_id])
  assertInvariant(head !== undefined, 'an audit chain that was just opened exists')
  const seq = Number(head.seq) + 1
  // Read behind the lock, so that the times of a chain grow with it.
  const at = deps.clock.now()
  const before = entry.before === undefined ? null : JSON.stringify(entry.before)
  const after = entry.after === undefined ? null : JSON.stringify(entry.after)
  const content = { ...entry, seq, at: at.toISOString(), before, after }
  const hash = entryHash(head.hash, content)
  const appended = await tx.query(APPEND, [
    entry.merchant_id,
    seq,
    at,
    entry.actor.kind,
    entry.actor.id,
    entry.actor.name,
    entry.action,
    entry.target_type,
    entry.target_id,
    entry.reason ?? null,
    before,
    after,
    entry.request_id ?? null,
    entry.address ?? null,
    hash,
  ])
  assertInvariant(appended.length === 1, 'the audit chain moved by one entry')
}
