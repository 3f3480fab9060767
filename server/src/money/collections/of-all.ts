// Lists the collections of all merchants for operators. If the filter names no merchant, a list first finds the merchants with
// such payments, and then filters a limited number of rows of each. PostgreSQL reads only the queue of reviews completely.

import { notArchived } from '../../access/merchants/index.ts'
import { beginsWith, type Deps, lastReferenceFirst, type Statement, sql } from '../../kernel/db/index.ts'
import {
  COUNT_MAX,
  ENVIRONMENTS,
  type Environment,
  idsOfTime,
  type PageChoice,
  pageOf,
  payUrlOf,
} from '../../kernel/http/index.ts'
import { refuseField } from '../../kernel/lib/index.ts'
import { checkPhoneFilter } from './check.ts'
import { type CollectionName, presentForOperators } from './held.ts'
import { listCollections, newestOf } from './list.ts'
import { isLastDigits, phoneCondition } from './phone-filter.ts'
import type { Status } from './state.ts'

/**
 * The filter of an operator's list. If the filter has no status, `held`, method, reference, phone or time, the list shows the
 * collections under review.
 */
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

/**
 * The maximum number of payments, attempts or reviews that a list over many merchants reads. The list of payments under review
 * has no such maximum.
 */
export const LOOKED_AT_MAX = 10_000
/** The maximum number of merchants, each with one environment, that share the rows of one list. */
export const BOOKS_MAX = 200
/** The maximum number of merchants that one list searches, the last registered first. */
export const ASKED_MAX = 10_000
/** The maximum number of merchants whose waiting attempts one list shows together. */
export const WAITING_MAX = 500

const matchingSql = (id: string, environment: string) =>
  `($2::text is null or ${environment} = $2) and ($3::text is null or c.method = $3)
     and ($4::text is null or ${beginsWith('c.reference', '$4')}) and ${phoneCondition('c.customer_phone', '$5')}
     and ${id} >= $6::uuid and ${id} < $7::uuid and ($8::text is null or c.status = $8)`
const MATCHING = matchingSql('c.id', 'c.environment')

/** Returns the SQL for a page of a selection and for the number of its rows, both up to COUNT_MAX. `order` sorts the rows. */
function listStatement(selection: string, order = 'id desc'): Statement {
  return sql(
    '',
    `with listed as materialized (select * from (${selection}) f order by ${order} limit ${COUNT_MAX})
     select (select count(*)::int from listed) as total, (
       select coalesce(json_agg(json_build_object('merchant_id', merchant_id, 'id', id) order by ${order}), '[]')
       from (select * from listed order by ${order} limit $9 offset $10) p) as names`,
  )
}

const SHARE = `(select greatest(${LOOKED_AT_MAX} / greatest(count(*), 1), 1) from books)`

/**
 * Returns the SQL of a list over many merchants. The query `read` selects collections of one merchant by one index, so its
 * limit bounds the rows read. At most BOOKS_MAX merchants and environments share the limit.
 */
function listShared(
  read: (merchant: string, environment: string, limit: string) => string,
  environments = "'{live,sandbox}'",
): Statement {
  return listStatement(`with books as materialized (
       select m.id as merchant_id, e.environment from (
         select id from merchants where id = $1 or ($1::uuid is null and archived_at is null) order by id desc limit ${ASKED_MAX}) m
       cross join unnest(${environments}::text[]) as e(environment)
       cross join lateral (${read('m.id', 'e.environment', '1')}) first
       order by first.id desc limit ${BOOKS_MAX}
     )
     select c.merchant_id, c.id from books b cross join lateral (${read('b.merchant_id', 'b.environment', SHARE)}) c
     where ${MATCHING}`)
}

/** Returns SQL for one payment by its primary key. `offset 0` keeps PostgreSQL from an unbounded search by a filter. */
const paymentOf = (merchant_id: string, id: string) =>
  `(select * from collections p where p.merchant_id = ${merchant_id} and p.id = ${id} offset 0)`

const IN_TIME = 'n.id >= $6::uuid and n.id < $7::uuid'
const ASKED_FOR = (environment: string) => `($2::text is null or ${environment} = $2)`

// PostgreSQL plans these unnamed prepared statements for the given filters. Without filters on `c`, PostgreSQL reads only the
// queue.
const UNDER_REVIEW = listStatement(
  `select h.merchant_id, h.collection_id as id, h.held_at from held_collections h
     left join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
     where h.decided_at is null and (h.merchant_id = $1 or ($1::uuid is null and ${notArchived('h.merchant_id')}))
       and ${matchingSql('h.collection_id', 'h.environment')}`,
  'held_at, id',
)

// The index does not contain the environment, so the query filters the environment after the index scan.
const WERE_HELD = listShared(
  (merchant, _environment, limit) => `select c.* from (
       select n.merchant_id, n.collection_id as id from held_collections n where n.merchant_id = ${merchant}
         and n.collection_id >= $6::uuid and n.collection_id < $7::uuid order by n.collection_id desc limit ${limit}) n
     cross join lateral ${paymentOf('n.merchant_id', 'n.id')} c`,
  "'{any}'",
)

// The query steps from merchant to merchant in the index of due attempts, which has every processing payment.
const WAITING = listStatement(
  `with recursive waiting as (
       (select a.merchant_id, 1 as number from collection_attempts a
        where a.due_at is not null and ($1::uuid is null or a.merchant_id = $1) order by a.merchant_id limit 1)
       union all
       select following.merchant_id, w.number + 1 from waiting w cross join lateral (
         select a.merchant_id from collection_attempts a
         where a.due_at is not null and a.merchant_id > w.merchant_id order by a.merchant_id limit 1) following
       where w.number < ${WAITING_MAX} and $1::uuid is null
     ), books as materialized (
       select w.merchant_id from waiting w where $1::uuid is not null or ${notArchived('w.merchant_id')}
     )
     select distinct c.merchant_id, c.id from books b cross join lateral (
       select a.merchant_id, a.collection_id from collection_attempts a
       where a.due_at is not null and a.merchant_id = b.merchant_id order by a.due_at limit ${SHARE}) a
     cross join lateral ${paymentOf('a.merchant_id', 'a.collection_id')} c
     where ${MATCHING}`,
)

// The index of phones does not contain the environment, so the query filters the environment after the index scan.
const OF_PHONE = listShared(
  (merchant, _environment, limit) => `select n.* from collections n where n.merchant_id = ${merchant}
       and n.customer_phone = $5 and ${IN_TIME} order by n.id desc limit ${limit}`,
  "'{any}'",
)

// Only the index of last digits has the order of this query. The query of the list then compares the whole filter.
const OF_LAST_DIGITS = listShared(
  (merchant, environment, limit) => `select n.* from collections n where n.merchant_id = ${merchant}
       and n.environment = ${environment} and ${ASKED_FOR(environment)}
       and n.customer_phone is not null and (right(n.customer_phone, 4), n.id) >= (right($5::text, 4), $6::uuid)
       and (right(n.customer_phone, 4), n.id) < (right($5::text, 4), $7::uuid)
       order by right(n.customer_phone, 4) desc, n.id desc limit ${limit}`,
)

const OF_REFERENCE = listShared(
  (merchant, environment, limit) => `select n.* from collections n where n.merchant_id = ${merchant}
       and n.environment = ${environment} and ${ASKED_FOR(environment)} and ${beginsWith('n.reference', '$4')}
       order by ${lastReferenceFirst('n.reference')}, n.id desc limit ${limit}`,
)

const NEWEST = listShared(
  (
    merchant,
    environment,
    limit,
  ) => `select n.* from collections n where n.merchant_id = ${merchant} and ${ASKED_FOR(environment)}
       and ${newestOf('n', environment, '$6', '$7', limit)}`,
)

function isSearch({ method, reference, phone, from, to }: OperatorFilter): boolean {
  return [method, reference, phone, from, to].some((value) => value !== undefined)
}

/** Returns the status of a filter. Null means every status. */
function statusOfFilter(filter: OperatorFilter): Status | null {
  const { status = isSearch(filter) || filter.held ? 'any' : 'pending_clearance' } = filter
  return status === 'any' ? null : status
}

/**
 * Returns a page of collections of all merchants or of one merchant. A list of payments under review begins with the longest wait;
 * other lists begin with the newest payment.
 */
export async function listForOperators(deps: Deps, filter: OperatorFilter) {
  const { page = 1, page_size = 20 } = filter
  const status = statusOfFilter(filter)
  const phone = checkPhoneFilter(filter.phone)
  const { names, total } =
    filter.merchant_id !== undefined && !filter.held && status !== 'pending_clearance'
      ? await ofOneMerchant(deps, filter, { merchant_id: filter.merchant_id, status, phone, page, page_size })
      : await ofMany(deps, filter, { status, phone, page, page_size })
  return pageOf(await presentForOperators(deps.db, names, payUrlOf(deps.config)), total, filter)
}

type NamedPage = { names: CollectionName[]; total: number }
type OperatorSearch = { status: Status | null; phone: string | null; page: number; page_size: number }

function statementFor(filter: OperatorFilter, { status, phone }: OperatorSearch): Statement {
  if (status === 'pending_clearance') return UNDER_REVIEW
  if (filter.held) return WERE_HELD
  if (status === 'processing') return WAITING
  if (phone !== null) return isLastDigits(phone) ? OF_LAST_DIGITS : OF_PHONE
  return filter.reference === undefined ? NEWEST : OF_REFERENCE
}

async function ofMany(deps: Deps, filter: OperatorFilter, search: OperatorSearch): Promise<NamedPage> {
  const { merchant_id = null, environment = null, method = null, reference = null } = filter
  const { from_id, until_id } = idsOfTime(filter)
  // The queue has only payments under review, so the query needs no filter by status.
  const status = search.status === 'pending_clearance' ? null : search.status
  const values = [merchant_id, environment, method, reference, search.phone, from_id, until_id, status]
  const page = [search.page_size, (search.page - 1) * search.page_size]
  const [found] = await deps.db.query<NamedPage>(statementFor(filter, search), [...values, ...page])
  return found ?? { names: [], total: 0 }
}

/**
 * Lists payments of one merchant in the order of the merchant's own list. Without an environment, merges the newest rows of both
 * environments, and refuses a page beyond COUNT_MAX rows.
 */
async function ofOneMerchant(
  deps: Deps,
  filter: OperatorFilter,
  { merchant_id, status, phone, page, page_size }: OperatorSearch & { merchant_id: string },
): Promise<NamedPage> {
  const of = (environment: Environment, number: number, size: number) => {
    const { method = null, reference = null } = filter
    const [from, to] = [filter.from, filter.to].map((time) => (time === undefined ? null : new Date(time)))
    const period = { from: from ?? null, to: to ?? null }
    const filters = { merchant_id, environment, status, method, reference, phone, metadata: null, ...period }
    return listCollections(deps, filters, number, size)
  }
  const { environment } = filter
  const until = page * page_size
  if (environment === undefined && until > COUNT_MAX) {
    refuseField('page', `must not go beyond the newest ${COUNT_MAX} rows of both environments. Choose an environment`)
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
