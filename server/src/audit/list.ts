// Reading the audit log, newest first.

import { type Reader, sql } from '../db/index.ts'
import type { Actor } from '../http/index.ts'

/** One act, as whoever records it tells it. Secrets never belong in `before` or `after`. */
export type AuditEntry = {
  /** Whom the act concerns; PLATFORM when it concerns no merchant. */
  merchant_id: string
  actor: Actor
  /** What was done: noun.verb, such as merchant.approve. */
  action: string
  target_type: string
  target_id: string
  reason?: string | null
  before?: unknown
  after?: unknown
  /** The X-Request-Id of the request that did it. */
  request_id?: string | null
  /** The address of the caller. */
  address?: string | null
}

/** An entry as it is stored. */
export type StoredEntry = {
  merchant_id: string
  seq: bigint
  at: Date
  actor_kind: Actor['kind']
  actor_id: string | null
  actor_name: string
  action: string
  target_type: string
  target_id: string
  reason: string | null
  before: unknown
  after: unknown
  request_id: string | null
  address: string | null
}

const LIST = sql(
  'audit_list',
  `select merchant_id, seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, reason, before, after,
     request_id, address
   from audit_log where merchant_id = $1 and seq <= $2::bigint order by seq desc limit $3`,
)
const LENGTH = sql('audit_length', `select seq from audit_chains where merchant_id = $1`)

/** One page of a chain, newest first, and how long the chain is. Its entries count from 1 without a gap, so no page is slower than another. */
export async function listAudit(
  reader: Reader,
  merchant_id: string,
  page: number,
  page_size: number,
): Promise<{ entries: StoredEntry[]; total: number }> {
  const [head] = await reader.query<{ seq: bigint }>(LENGTH, [merchant_id])
  const total = Number(head?.seq ?? 0n)
  const newest = total - (page - 1) * page_size
  const entries = newest < 1 ? [] : await reader.query<StoredEntry>(LIST, [merchant_id, newest, page_size])
  return { entries, total }
}

/** An entry as the API shows it. */
export function presentAudit(entry: StoredEntry) {
  const { actor_kind, actor_id, actor_name, seq, at, ...rest } = entry
  return {
    ...rest,
    seq: Number(seq),
    at: at.toISOString(),
    actor: { kind: actor_kind, id: actor_id, name: actor_name },
  }
}
