// Reading the audit log, newest first.

import { type Reader, sql } from '../db/index.ts'
import { type Actor, type PageChoice, pageOf } from '../http/index.ts'
import type { AuditView } from './schema.ts'

/** The chain of acts that concern no merchant. */
export const PLATFORM = '00000000-0000-0000-0000-000000000000'

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

const COLUMNS = `l.merchant_id, l.seq, l.at, l.actor_kind, l.actor_id, l.actor_name, l.action, l.target_type, l.target_id,
     l.reason, l.before, l.after, l.request_id, l.address`

const LIST = sql(
  'audit_list',
  `select ${COLUMNS} from audit_log l where l.merchant_id = $1 and l.seq <= $2::bigint order by l.seq desc limit $3`,
)
const LENGTH = sql('audit_length', `select seq from audit_chains where merchant_id = $1`)

/** A page of one chain, newest first. Its entries count from 1 without a gap, so no page is slower than another. */
export async function listAudit(reader: Reader, merchant_id: string, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const [head] = await reader.query<{ seq: bigint }>(LENGTH, [merchant_id])
  const total = Number(head?.seq ?? 0n)
  const newest = total - (page - 1) * page_size
  const entries = newest < 1 ? [] : await reader.query<StoredEntry>(LIST, [merchant_id, newest, page_size])
  return pageOf(entries.map(presentAudit), total, choice)
}

// The newest n acts lie in the n chains that were written last: what is read grows with n, not with the log.
const RECENT = sql(
  'audit_recent',
  `select ${COLUMNS} from (select c.merchant_id, c.seq from audit_chains c order by c.at desc, c.merchant_id limit $1) newest
   cross join lateral (
     select * from audit_log e where e.merchant_id = newest.merchant_id and e.seq <= newest.seq order by e.seq desc limit $1) l
   order by l.at desc, l.merchant_id, l.seq desc limit $2 offset $3`,
)
const ALL_ENTRIES = sql('audit_all_entries', 'select coalesce(sum(seq), 0)::float8 as total from audit_chains')

/** How far back the view over all chains goes. What is older is found in its own chain. */
export const RECENT_MAX = 500

/** A page of the newest acts of all chains together. `total_items` counts up to RECENT_MAX, and no page goes further. */
export async function listRecentAudit(reader: Reader, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const from = (page - 1) * page_size
  const to = Math.min(from + page_size, RECENT_MAX)
  const [all] = await reader.query<{ total: number }>(ALL_ENTRIES, [])
  const entries = from >= to ? [] : await reader.query<StoredEntry>(RECENT, [to, to - from, from])
  return pageOf(entries.map(presentAudit), Math.min(all?.total ?? 0, RECENT_MAX), choice)
}

/**
 * An entry as its merchant sees it. Which person of the platform acted, from where and with what reason is the
 * platform's own matter: a reason may be a suspicion.
 */
export function hideOperator(entry: AuditView): AuditView {
  if (entry.actor.kind !== 'operator') return entry
  const actor = { kind: 'operator', id: null, name: 'operator' } as const
  return { ...entry, actor, reason: null, request_id: null, address: null }
}

function presentAudit(entry: StoredEntry): AuditView {
  const { actor_kind, actor_id, actor_name, seq, at, merchant_id, ...rest } = entry
  return {
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    seq: Number(seq),
    at: at.toISOString(),
    actor: { kind: actor_kind, id: actor_id, name: actor_name },
    ...rest,
  }
}
