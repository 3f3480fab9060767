// The collections of all merchants, as operators list them. No read grows with the number of payments: each status is read
// from the index of what waits, by a search in the index of each merchant, or among the newest payments.

import { beginsWith, type Deps, sql } from '../db/index.ts'
import {
  COUNT_MAX,
  ENVIRONMENTS,
  type Environment,
  idsOfTime,
  type PageChoice,
  pageOf,
  payUrlOf,
} from '../http/index.ts'
import { refuseField } from '../lib/index.ts'
import { checkPhone } from './check.ts'
import { type CollectionName, presentForOperators } from './held.ts'
import { listCollections } from './list.ts'
import type { Status } from './state.ts'

/** Which collections operators list. Without `status`: those under review, or all of them if something is searched for. */
export type OperatorFilter = PageChoice & {
  status?: Status | 'any'
  held?: boolean
  merchant_id?: string
  environment?: Environment
  method?: string
  reference?: string
  phone?: string
  from?: string
  to?: string
}

/** Most payments that are looked at, of all merchants together, where no index leads to a status. */
export const LOOKED_AT_MAX = 10_000
/** Most merchants among whose newest payments a status is looked for. */
export const BOOKS_MAX = 200
/** Most payments of one merchant that are taken from the index of what waits, or found by the beginning of a reference. */
export const EACH_MAX = 2_000
/** Most merchants whose waiting payments are listed together. */
const MERCHANTS_MAX = 500

const matching = (id: string, environment: string) =>
  `($2::text is null or ${environment} = $2) and ($3::text is null or c.method = $3)
     and ($4::text is null or ${beginsWith('c.reference', '$4')}) and ($5::text is null or c.customer_phone = $5)
     and ${id} >= $6::uuid and ${id} < $7::uuid and ($8::text is null or c.status = $8)`
const MATCHING = matching('c.id', 'c.environment')

/** The page of a selection, and how many there are, up to a limit. `depth` is how many of each merchant may be needed. */
function statements(selection: (depth: string) => string, order = 'id desc') {
  return {
    list: sql(
      '',
      `select merchant_id, id from (${selection('($9::int + $10::int)')}) f order by ${order} limit $9 offset $10`,
    ),
    count: sql('', `select count(*)::int as total from (select 1 from (${selection('$9::int')}) f limit $9) counted`),
  }
}

// Statements without a name are planned for the filters at hand: without filters on c, the queue is read alone.
const UNDER_REVIEW = statements(
  () => `select h.merchant_id, h.collection_id as id, h.held_at from held_collections h
     left join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
     where h.decided_at is null and ($1::uuid is null or h.merchant_id = $1)
       and ${matching('h.collection_id', 'h.environment')}`,
  'held_at, id',
)

// Of each merchant the newest, and of those the newest again.
const WERE_HELD = statements(
  (depth) => `select f.merchant_id, f.id from merchants m cross join lateral (
       select c.merchant_id, c.id from held_collections h
       join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
       where h.merchant_id = m.id and ${MATCHING} order by h.collection_id desc limit ${depth}) f
     where ($1::uuid is null or m.id = $1)`,
)

// Steps from merchant to merchant over the index of what is due: every payment that is processing has a try in it.
const WAITING = statements(
  () => `with recursive waiting as (
       (select a.merchant_id, 1 as number from collection_attempts a
        where a.due_at is not null and ($1::uuid is null or a.merchant_id = $1) order by a.merchant_id limit 1)
       union all
       select following.merchant_id, w.number + 1 from waiting w cross join lateral (
         select a.merchant_id from collection_attempts a
         where a.due_at is not null and a.merchant_id > w.merchant_id order by a.merchant_id limit 1) following
       where w.number < ${MERCHANTS_MAX} and $1::uuid is null
     )
     select distinct c.merchant_id, c.id from waiting w cross join lateral (
       select a.merchant_id, a.collection_id from collection_attempts a
       where a.due_at is not null and a.merchant_id = w.merchant_id order by a.due_at limit ${EACH_MAX}) a
     join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
     where ${MATCHING}`,
)

const OF_PHONE = statements(
  (depth) => `select f.merchant_id, f.id from merchants m cross join lateral (
       select c.merchant_id, c.id from collections c where c.merchant_id = m.id and ${MATCHING}
       order by c.id desc limit ${depth}) f
     where ($1::uuid is null or m.id = $1)`,
)

// In no order, so that the index of references is read and never the list of all payments.
const OF_REFERENCE = statements(
  () => `select f.merchant_id, f.id from merchants m cross join unnest('{live,sandbox}'::text[]) as e(environment)
     cross join lateral (
       select c.merchant_id, c.id from collections c
       where c.merchant_id = m.id and c.environment = e.environment and ${MATCHING} limit ${EACH_MAX}) f
     where ($1::uuid is null or m.id = $1)`,
)

// The merchants whose newest payment is newest share what may be looked at.
const NEWEST = statements(
  () => `with books as materialized (
       select m.id as merchant_id, e.environment from merchants m
       cross join unnest('{live,sandbox}'::text[]) as e(environment)
       cross join lateral (
         select n.id from collections n where n.merchant_id = m.id and n.environment = e.environment
           and n.id >= $6::uuid and n.id < $7::uuid order by n.id desc limit 1) newest
       where ($1::uuid is null or m.id = $1) and ($2::text is null or e.environment = $2)
       order by newest.id desc limit ${BOOKS_MAX}
     )
     select c.merchant_id, c.id from books b cross join lateral (
       select n.* from collections n where n.merchant_id = b.merchant_id and n.environment = b.environment
         and n.id >= $6::uuid and n.id < $7::uuid
       order by n.id desc limit (select ${LOOKED_AT_MAX} / greatest(count(*), 1) from books)) c
     where ${MATCHING}`,
)

/** True if more than the status, the merchant and the environment is asked for. */
function isSearch({ method, reference, phone, from, to }: OperatorFilter): boolean {
  return [method, reference, phone, from, to].some((value) => value !== undefined)
}

/** The status that a filter means; null: every one. */
function statusOf(filter: OperatorFilter): Status | null {
  const { status = isSearch(filter) || filter.held ? 'any' : 'pending_clearance' } = filter
  return status === 'any' ? null : status
}

/**
 * A page of the collections of all merchants, or of one: those under review, the longest waiting first; all others,
 * newest first.
 */
export async function listForOperators(deps: Deps, filter: OperatorFilter) {
  const { page = 1, page_size = 20 } = filter
  const status = statusOf(filter)
  const phone = filter.phone === undefined ? null : checkPhone('phone', filter.phone)
  const { names, total } =
    filter.merchant_id !== undefined && !filter.held && status !== 'pending_clearance'
      ? await ofOneMerchant(deps, filter, { merchant_id: filter.merchant_id, status, phone, page, page_size })
      : await ofMany(deps, filter, { status, phone, page, page_size })
  return pageOf(await presentForOperators(deps.db, names, payUrlOf(deps.config)), total, filter)
}

type Found = { names: CollectionName[]; total: number }
type Wanted = { status: Status | null; phone: string | null; page: number; page_size: number }

function statementsFor(filter: OperatorFilter, { status, phone }: Wanted) {
  if (status === 'pending_clearance') return UNDER_REVIEW
  if (filter.held) return WERE_HELD
  if (status === 'processing') return WAITING
  if (phone !== null) return OF_PHONE
  return filter.reference === undefined ? NEWEST : OF_REFERENCE
}

async function ofMany(deps: Deps, filter: OperatorFilter, wanted: Wanted): Promise<Found> {
  const { list, count } = statementsFor(filter, wanted)
  const { merchant_id = null, environment = null, method = null, reference = null } = filter
  const { from_id, until_id } = idsOfTime(filter)
  // The queue itself says that they are under review.
  const status = wanted.status === 'pending_clearance' ? null : wanted.status
  const values = [merchant_id, environment, method, reference, wanted.phone, from_id, until_id, status]
  const [names, counted] = await Promise.all([
    deps.db.query<CollectionName>(list, [...values, wanted.page_size, (wanted.page - 1) * wanted.page_size]),
    deps.db.query<{ total: number }>(count, [...values, COUNT_MAX]),
  ])
  return { names, total: counted[0]?.total ?? 0 }
}

/** As the merchant's own list: of both environments, the newest of both are merged. */
async function ofOneMerchant(
  deps: Deps,
  filter: OperatorFilter,
  { merchant_id, status, phone, page, page_size }: Wanted & { merchant_id: string },
): Promise<Found> {
  const of = (environment: Environment, number: number, size: number) => {
    const { method = null, reference = null } = filter
    const [from, to] = [filter.from, filter.to].map((time) => (time === undefined ? null : new Date(time)))
    const filters = { merchant_id, environment, status, method, reference, phone, from: from ?? null, to: to ?? null }
    return listCollections(deps, filters, number, size)
  }
  const { environment } = filter
  const until = page * page_size
  if (environment === undefined && until > COUNT_MAX) {
    refuseField(
      'page',
      `must not go beyond the newest ${COUNT_MAX} rows of both environments. Name one with environment`,
    )
  }
  const lists = await (environment === undefined
    ? Promise.all(ENVIRONMENTS.map((one) => of(one, 1, until)))
    : Promise.all([of(environment, page, page_size)]))
  const ids = lists.flatMap(({ rows }) => rows.map(({ id }) => id))
  ids.sort((a, b) => (a < b ? 1 : -1))
  return {
    names: (environment === undefined ? ids.slice(until - page_size, until) : ids).map((id) => ({ merchant_id, id })),
    total: lists.reduce((sum, { total }) => sum + total, 0),
  }
}
