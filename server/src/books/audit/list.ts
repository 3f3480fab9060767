// Lists and searches the audit log, newest entries first.

import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { type Actor, COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { isId } from '../../kernel/lib/index.ts'
import { type AuditAction, MERCHANT_ACTIONS } from './actions.ts'
import { ADDRESS_COLUMN } from './addresses.ts'
import type { AuditView, MerchantAuditView } from './schema.ts'

/** The merchant_id of entries that concern no merchant. */
export const PLATFORM = '00000000-0000-0000-0000-000000000000'

/** An entry to append. `before` and `after` must contain no secret. */
export type AuditEntry = {
  /** The merchant that the action concerns. PLATFORM means that the action concerns no merchant. */
  merchant_id: string
  actor: Actor
  /** The name of the action as noun.verb, such as merchant.approve. */
  action: AuditAction
  target_type: string
  target_id: string
  reason?: string | null
  before?: unknown
  after?: unknown
  /** The X-Request-Id of the request. Null or undefined means that the action has no request. */
  request_id?: string | null
  /** The IP address of the caller. Null or undefined means that the action has none. */
  address?: string | null
}

/** An entry of the audit log, as the database stores it. */
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
     l.reason, l.before, l.after, l.request_id, ${ADDRESS_COLUMN}`

const LIST = sql(
  'audit_list',
  `select ${COLUMNS} from audit_log l where l.merchant_id = $1 and l.seq <= $2::bigint order by l.seq desc limit $3`,
)
const LENGTH = sql('audit_length', `select seq from audit_chains where merchant_id = $1`)

/** Returns a page of one chain, newest first. `seq` has no gap, so the statement finds any page at the same cost. */
export async function listAudit(reader: Reader, merchant_id: string, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const [head] = await reader.query<{ seq: bigint }>(LENGTH, [merchant_id])
  const total = Number(head?.seq ?? 0n)
  const newest = total - (page - 1) * page_size
  const entries = newest < 1 ? [] : await reader.query<StoredEntry>(LIST, [merchant_id, newest, page_size])
  return pageOf(entries.map(presentAudit), total, choice)
}

// The newest n entries are in the n chains with the latest writes. So the cost grows with n and not with the size of the log.
const RECENT = sql(
  'audit_recent',
  `select ${COLUMNS} from (select c.merchant_id, c.seq from audit_chains c order by c.at desc, c.merchant_id limit $1) newest
   cross join lateral (
     select * from audit_log e where e.merchant_id = newest.merchant_id and e.seq <= newest.seq order by e.seq desc limit $1) l
   order by l.at desc, l.merchant_id, l.seq desc limit $2 offset $3`,
)
const ALL_ENTRIES = sql('audit_all_entries', 'select coalesce(sum(seq), 0)::float8 as total from audit_chains')

/**
 * The greatest number of entries in the list of all chains. Operators find older entries in the list of the merchant.
 */
export const RECENT_MAX = 500

/** Returns a page of the newest entries of all chains. `total_items` is at most RECENT_MAX. */
export async function listRecentAudit(reader: Reader, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const from = (page - 1) * page_size
  const to = Math.min(from + page_size, RECENT_MAX)
  const [all] = await reader.query<{ total: number }>(ALL_ENTRIES, [])
  const entries = from >= to ? [] : await reader.query<StoredEntry>(RECENT, [to, to - from, from])
  return pageOf(entries.map(presentAudit), Math.min(all?.total ?? 0, RECENT_MAX), choice)
}

/**
 * A filter of entries. `actor` is a user id, an e-mail address or another name. `from` is inclusive, and `to` is exclusive.
 */
export type AuditFilter = {
  actor?: string | undefined
  action?: string | undefined
  target_id?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/**
 * The greatest number of entries that a search by action, time or name reads: `one` in a single chain, `each` per chain in all
 * chains.
 */
export const SEARCH_MAX = { one: 100_000, each: 200 } as const

// The statement has no name, so that PostgreSQL plans it for the actual values and can use an index for a target or a user.
const MATCHING = `l.merchant_id = c.merchant_id and ($2::text is null and $3::text is null or l.actor_id = $2 or l.actor_name = $3)
     and ($4::text is null or l.action = $4) and ($5::text is null or l.target_id = $5)
     and ($6::timestamptz is null or l.at >= $6) and ($7::timestamptz is null or l.at < $7)
     and ($5::text is not null or l.actor_id = $2 or l.seq > c.seq - $8)`
const CHAINS = `audit_chains c where ($1::uuid is null or c.merchant_id = $1) and ($6::timestamptz is null or c.at >= $6)`
const SEARCH = sql(
  '',
  `select ${COLUMNS} from (select c.merchant_id, c.seq from ${CHAINS}) c
   cross join lateral (select * from audit_log l where ${MATCHING} order by l.seq desc limit $9) l
   order by l.at desc, l.merchant_id, l.seq desc limit $10 offset $11`,
)
const SEARCH_COUNT = sql(
  '',
  `select count(*)::int as total from (
     select 1 from (select c.merchant_id, c.seq from ${CHAINS}) c
     cross join lateral (select 1 from audit_log l where ${MATCHING} order by l.seq desc limit $9) l limit $9) counted`,
)
const USER = sql('audit_user_by_email', 'select id from users where email = lower($1)')

/**
 * Returns a page of the matching entries of one chain, newest first. Null as `merchant_id` means all chains. `total_items`
 * counts up to 10,000 in one chain, and up to RECENT_MAX in all chains.
 */
export async function searchAudit(reader: Reader, merchant_id: string | null, filter: AuditFilter, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const most = merchant_id === null ? RECENT_MAX : COUNT_MAX
  const begin = (page - 1) * page_size
  const end = Math.min(begin + page_size, most)
  const { actor_id, actor_name } = await actorBy(reader, filter.actor)
  const { action = null, target_id = null, from = null, to = null } = filter
  const depth = merchant_id === null ? SEARCH_MAX.each : SEARCH_MAX.one
  const values = [merchant_id, actor_id, actor_name, action, target_id, from, to, depth]
  const rows = begin >= end ? [] : await reader.query<StoredEntry>(SEARCH, [...values, end, end - begin, begin])
  // If the page is not full, no page follows, so the total needs no count.
  const last = rows.length < end - begin && (rows.length > 0 || begin === 0)
  const [all] = last ? [] : await reader.query<{ total: number }>(SEARCH_COUNT, [...values, most])
  return pageOf(rows.map(presentAudit), all?.total ?? begin + rows.length, choice)
}

/**
 * Finds the actor that a text names: a user by id or e-mail address, otherwise an API key or a command by name. An e-mail address
 * is also the name of an earlier user, who then got another address.
 */
async function actorBy(reader: Reader, actor: string | undefined) {
  if (actor === undefined) return { actor_id: null, actor_name: null }
  const id = actor.toLowerCase()
  if (isId(id)) return { actor_id: id, actor_name: null }
  const [user] = await reader.query<{ id: string }>(USER, [actor])
  return user === undefined ? { actor_id: null, actor_name: actor } : { actor_id: user.id, actor_name: id }
}

const TARGET = sql(
  'audit_of_target',
  `select ${COLUMNS} from audit_log l where l.merchant_id = $1 and l.target_id = $2 and l.action = any($3::text[])
   order by l.seq desc limit $4`,
)

/** Returns the newest entries of some actions about one record of a merchant, at most `limit`. */
export async function listTargetAudit(
  reader: Reader,
  {
    merchant_id,
    target_id,
    actions,
  }: Pick<AuditEntry, 'merchant_id' | 'target_id'> & { actions: readonly AuditAction[] },
  limit: number,
): Promise<AuditView[]> {
  const entries = await reader.query<StoredEntry>(TARGET, [merchant_id, target_id, actions, limit])
  return entries.map(presentAudit)
}

const NEWEST_OF_TARGETS = sql(
  'audit_newest_of_targets',
  `select e.* from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, target_id text')} i
   cross join lateral (
     select ${COLUMNS} from audit_log l
     where l.merchant_id = i.merchant_id and l.target_id = i.target_id and l.action = $2 order by l.seq desc limit 1
   ) e`,
)

/** Returns the newest entry of one action about each of the records, by `target_id`. The result omits records without one. */
export async function newestTargetAudit(
  reader: Reader,
  targets: readonly Pick<AuditEntry, 'merchant_id' | 'target_id'>[],
  action: AuditAction,
): Promise<Map<string, AuditView>> {
  if (targets.length === 0) return new Map()
  const entries = await reader.query<StoredEntry>(NEWEST_OF_TARGETS, [JSON.stringify(targets), action])
  return new Map(entries.map((entry) => [entry.target_id, presentAudit(entry)]))
}

const ALLOWED = 'l.merchant_id = $1 and l.action = any($2::text[])'
const LIST_ALLOWED = sql(
  'audit_list_for_merchant',
  `select ${COLUMNS} from audit_log l where ${ALLOWED} order by l.seq desc limit $3 offset $4`,
)
const COUNT_ALLOWED = sql(
  'audit_count_for_merchant',
  `select count(*)::int as total from (select 1 from audit_log l where ${ALLOWED} limit $3) counted`,
)

/**
 * Returns a page of the entries that a merchant may read, newest first. `total_items` counts only these entries, up to 10,000.
 */
export async function listForMerchant(reader: Reader, merchant_id: string, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const allowed = [merchant_id, MERCHANT_ACTIONS]
  const [entries, counted] = await Promise.all([
    reader.query<StoredEntry>(LIST_ALLOWED, [...allowed, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT_ALLOWED, [...allowed, COUNT_MAX]),
  ])
  return pageOf(
    entries.map((entry) => hideOperator(presentAudit(entry))),
    counted[0]?.total ?? 0,
    choice,
  )
}

/**
 * Returns an entry for its merchant without approvals and without the evidence of a decision. If an operator acted, also omits the operator, the address, the reason
 * and the request id. `seq` is missing too, because gaps would reveal the number of hidden entries.
 */
function hideOperator({ seq: _, ...entry }: AuditView): MerchantAuditView {
  const after = withoutDecision(entry.after)
  if (entry.actor.kind !== 'operator') return { ...entry, after }
  const actor = { kind: 'operator', id: null, name: 'operator' } as const
  return { ...entry, after, actor, reason: null, request_id: null, address: null }
}

/** The fields of `after` that only operators read. */
const OPERATOR_FIELDS = ['approvals', 'approvals_required', 'four_eyes_amount', 'evidence']

function withoutDecision(after: unknown): unknown {
  if (typeof after !== 'object' || after === null) return after
  return Object.fromEntries(Object.entries(after).filter(([name]) => !OPERATOR_FIELDS.includes(name)))
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
