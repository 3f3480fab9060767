// Lists a merchant's collections, newest first: one page, or all in batches. The id of a payment contains the time of its creation.

import {
  beginsWith,
  countList,
  createMetadataSearch,
  type Deps,
  type KeptList,
  lastReferenceFirst,
  metadataSearchSql,
  type Reader,
  type Statement,
  sql,
  startsWith,
} from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment } from '../../kernel/http/index.ts'
import { idsBetween, LAST_ID, type Metadata } from '../../kernel/lib/index.ts'
import { isLastDigits, lastFourCondition, phoneCondition } from './phone-filter.ts'
import { COLLECTION_COLUMNS, type Collection } from './store.ts'
import { type Segment, segmentsOf } from './tally.ts'

/**
 * The filters of a list. Null means no filter. `reference` is the beginning of a reference, in any case. `phone` is
 * a canonical phone number, or its last 4 to 9 digits. `from` (inclusive) and `to` (exclusive) limit created_at.
 */
export type CollectionFilters = {
  merchant_id: string
  environment: Environment
  status: string | null
  method: string | null
  reference: string | null
  phone: string | null
  metadata: Metadata | null
  from: Date | null
  to: Date | null
}

/** Returns the conditions of a search by reference other than the reference. */
function otherConditions(table: string): string {
  return `($3::text is null or ${table}.status = $3) and ($4::text is null or ${table}.method = $4)
     and ${phoneCondition(`${table}.customer_phone`, '$6')}`
}

const MATCHING = `c.merchant_id = $1 and c.environment = $2 and ${otherConditions('c')}
     and ($5::text is null or ${beginsWith('c.reference', '$5')})`

// The next three queries find the ids of the page first, then read only those rows. Rows of earlier pages cost only an index
// scan. PostgreSQL plans these unnamed prepared statements for the given filters, because one plan for all filters would use no
// index.
const IN_RANGES = sql(
  '',
  `select ${COLLECTION_COLUMNS} from (
     select x.id from json_to_recordset($7::json) as r(from_id uuid, until_id uuid)
     cross join lateral (
       select c.id from collections c where ${MATCHING} and c.id >= r.from_id and c.id < least(r.until_id, $12)
       order by c.id desc limit $9) x
     union all
     select i.id from collection_days d cross join lateral unnest(d.ids) as i(id)
     where d.merchant_id = $1 and d.environment = $2 and d.status = $3 and ($4::text is null or d.method = $4)
       and d.day in (select date '1970-01-01' + value::int from json_array_elements_text($8::json)) and i.id < $12
     order by id desc limit $10 offset $11) p
   join collections c on c.merchant_id = $1 and c.id = p.id
   where ${MATCHING} order by c.id desc`,
)
const IN_RANGE = sql(
  '',
  `select ${COLLECTION_COLUMNS} from (
     select c.id from collections c where ${MATCHING} and c.id >= $7 and c.id < $8 order by c.id desc limit $9 offset $10) p
   join collections c on c.merchant_id = $1 and c.id = p.id order by c.id desc`,
)
const OF_LAST_DIGITS = sql(
  '',
  `select ${COLLECTION_COLUMNS} from (
     select c.id from collections c where ${MATCHING} and ${lastFourCondition('c.customer_phone', '$6')}
       and c.id >= $7 and c.id < $8 order by c.id desc limit $9 offset $10) p
   join collections c on c.merchant_id = $1 and c.id = p.id order by c.id desc`,
)
/**
 * The maximum number of references that a search reads, the last in alphabetical order. The search reads one row more, which
 * shows that more references match.
 */
export const BEGUN_MAX = COUNT_MAX
/**
 * If more than BEGUN_MAX references match, a search also reads the newest payments of the period, up to this number.
 */
export const NEWEST_MAX = 20_000
/**
 * Returns the end of a query for a merchant's newest collections of one environment. Only the index of lists has the order of
 * this text, so PostgreSQL reads no rows of the other environment. The limit is a subquery, so that the planner does not sort
 * all rows.
 */
export function newestOf(table: string, environment: string, from_id: string, until_id: string, limit: string): string {
  const place = `(${table}.environment, ${table}.id)`
  return `${place} >= (${environment}::text, ${from_id}::uuid) and ${place} < (${environment}::text, ${until_id}::uuid)
       order by ${table}.environment desc, ${table}.id desc limit ${limit}`
}
// Both searches stop after a maximum number of rows, so the number of rows read does not grow with the data. They keep only the
// columns that the filters need. `newest` ends at COUNT_MAX matches, because a search shows no more.
// `newest` has all matches of its period down to its oldest row, so `begun` adds only older rows.
const BY_REFERENCE = sql(
  '',
  `with begun as materialized (
     select c.id, c.id >= $7 and c.id < $8 and ${otherConditions('c')} as matches
     from collections c where c.merchant_id = $1 and c.environment = $2 and ${beginsWith('c.reference', '$5')}
     order by ${lastReferenceFirst('c.reference')}, c.id desc limit (select ${BEGUN_MAX + 1})
   ), newest as materialized (
     select n.id from (
       select c.environment, c.id, c.status, c.method, c.customer_phone, c.reference from collections c
       where c.merchant_id = $1 and (select count(*) from begun) > ${BEGUN_MAX}
         and ${newestOf('c', '$2', '$7', '$8', `(select ${NEWEST_MAX})`)}) n
     where ${startsWith('n.reference', '$5')} and ${otherConditions('n')}
     order by n.environment desc, n.id desc limit (select ${COUNT_MAX})
   ), found as materialized (
     select id from newest
     union all
     select id from begun where matches and id < coalesce((select id from newest order by id limit 1), '${LAST_ID}')
     order by id desc limit ${COUNT_MAX}
   )
   select (select count(*)::int from found) as total,
     array(select id from found order by id desc limit $9 offset $10) as ids`,
)
const searchMetadata = createMetadataSearch(
  'collection_metadata',
  sql(
    '',
    metadataSearchSql({
      pairs: 'collection_metadata',
      records: 'collections',
      alias: 'c',
      conditions: MATCHING,
      from: '$7',
      until: '$8',
      next: 9,
    }),
  ),
)
const BY_IDS = sql(
  '',
  `select ${COLLECTION_COLUMNS} from collections c where c.merchant_id = $1 and c.id = any($2::uuid[]) order by c.id desc`,
)
const CHOSEN = sql(
  'collections_chosen',
  `select ${COLLECTION_COLUMNS} from collections c
   where ${MATCHING} and c.id = any($7::uuid[]) and c.id >= $8 and c.id < $9 order by c.id desc`,
)
const COUNT = sql('', `select count(*) as total from collections c where ${MATCHING} and c.id >= $7 and c.id < $8`)
const COUNT_OF_LAST_DIGITS = sql(
  '',
  `select count(*) as total from collections c where ${MATCHING} and c.id >= $7 and c.id < $8
     and ${lastFourCondition('c.customer_phone', '$6')}`,
)

function matchingValues({ merchant_id, environment, status, method, reference, phone }: CollectionFilters): unknown[] {
  return [merchant_id, environment, status, method, reference, phone]
}

function bounds({ from, to }: CollectionFilters): [from_id: string, until_id: string] {
  const { from_id, until_id } = idsBetween(from, to)
  return [from_id, until_id]
}

// PostgreSQL plans this unnamed prepared statement for the given range of ids.
const COLLECTIONS: KeptList = {
  name: 'collections',
  tail: sql(
    '',
    `select count(*) as all_of_it, count(*) filter (where id < $4) as settled
     from collections where merchant_id = $1 and environment = $2 and id >= $3`,
  ),
}

/**
 * The largest offset at which an unfiltered list skips rows one by one. For a larger offset, the sums of days give the start of
 * the page.
 */
const NEAR = 1_000

/** Returns one page and the number of all matches. For the limits of a search see `SEARCH_BOUNDS` of list-routes.ts. */
export async function listCollections(
  deps: Deps,
  filters: CollectionFilters,
  page: number,
  page_size: number,
): Promise<{ rows: Collection[]; total: number }> {
  const offset = (page - 1) * page_size
  const { reference, phone, status, method, from, to } = filters
  const has_index = reference !== null || phone !== null
  if (filters.metadata !== null) return listByMetadata(deps.db, filters, filters.metadata, page_size, offset)
  if (reference !== null) return listByReference(deps.db, filters, page_size, offset)
  const unfiltered = !has_index && [status, method, from, to].every((value) => value === null)
  if (has_index || (unfiltered && offset <= NEAR)) {
    const [select, count] = isLastDigits(phone) ? [OF_LAST_DIGITS, COUNT_OF_LAST_DIGITS] : [IN_RANGE, COUNT]
    const [rows, total] = await Promise.all([
      deps.db.query<Collection>(select, [...matchingValues(filters), ...bounds(filters), page_size, offset]),
      unfiltered
        ? countList(deps, COLLECTIONS, filters.merchant_id, filters.environment)
        : countMatching(deps.db, count, filters),
    ])
    return { rows, total }
  }
  const segments = await segmentsOf(deps.db, filters)
  const { taken, skip } = takeSegments(segments, offset, page_size)
  const rows = taken.length === 0 ? [] : await readSegments(deps.db, filters, taken, page_size, skip)
  return { rows, total: segments.reduce((sum, { items }) => sum + items, 0) }
}

async function listByReference(reader: Reader, filters: CollectionFilters, page_size: number, offset: number) {
  const values = [...matchingValues(filters), ...bounds(filters), page_size, offset]
  const [found] = await reader.query<{ total: number; ids: string[] }>(BY_REFERENCE, values)
  const { total, ids } = found ?? { total: 0, ids: [] }
  const rows = ids.length === 0 ? [] : await reader.query<Collection>(BY_IDS, [filters.merchant_id, ids])
  return { rows, total }
}

/** Returns a page of the payments with all pairs of `metadata`, newest first. `total` counts up to COUNT_MAX. */
async function listByMetadata(
  reader: Reader,
  filters: CollectionFilters,
  metadata: Metadata,
  limit: number,
  offset: number,
) {
  const values = [...matchingValues(filters), ...bounds(filters)]
  const range = { count_max: COUNT_MAX, limit, offset }
  const { total, ids } = await searchMetadata(reader, { ...filters, metadata }, values, range)
  const rows = ids.length === 0 ? [] : await reader.query<Collection>(BY_IDS, [filters.merchant_id, ids])
  return { rows, total }
}

async function countMatching(reader: Reader, count: Statement, filters: CollectionFilters): Promise<number> {
  const [row] = await reader.query<{ total: bigint }>(count, [...matchingValues(filters), ...bounds(filters)])
  return Number(row?.total ?? 0n)
}

/** Returns the segments of payments that contain a page. `skip` is the number of their rows that earlier pages show. */
function takeSegments(segments: readonly Segment[], offset: number, limit: number): { taken: Segment[]; skip: number } {
  const taken: Segment[] = []
  let before = 0
  let skip = 0
  for (const segment of segments) {
    if (before >= offset + limit) break
    if (before + segment.items > offset) {
      if (taken.length === 0) skip = offset - before
      taken.push(segment)
    }
    before += segment.items
  }
  return { taken, skip }
}

/**
 * Reads rows of segments, newest first. If the filter has a status and a day has stored ids, the query reads the rows of that
 * day by id.
 */
function readSegments(
  reader: Reader,
  filters: CollectionFilters,
  segments: readonly Segment[],
  limit: number,
  skip: number,
  before_id = LAST_ID,
): Promise<Collection[]> {
  // A stored sum has the ids of one status. For all statuses together, PostgreSQL reads a range of ids as fast as stored ids.
  const known = segments.filter(({ day }) => day !== null && filters.status !== null)
  const ranges = segments.filter((segment) => !known.includes(segment))
  return reader.query<Collection>(IN_RANGES, [
    ...matchingValues(filters),
    JSON.stringify(ranges.map(({ from_id, until_id }) => ({ from_id, until_id }))),
    JSON.stringify(known.map(({ day }) => day)),
    skip + limit,
    limit,
    skip,
    before_id,
  ])
}

/**
 * Yields one batch: the collections with these ids that pass the filters, newest first. The batch has no entry for an unknown
 * id.
 */
export async function* batchOfIds(
  deps: Deps,
  filters: CollectionFilters,
  ids: readonly string[],
): AsyncGenerator<Collection[]> {
  yield await deps.db.query<Collection>(CHOSEN, [...matchingValues(filters), ids, ...bounds(filters)])
}

/**
 * Yields all matching collections, newest first, in batches of at most `size` rows. The function reads a batch after the caller
 * has taken the previous batch.
 */
export async function* batchesOf(deps: Deps, filters: CollectionFilters, size: number): AsyncGenerator<Collection[]> {
  const { reference, phone } = filters
  if (isLastDigits(phone)) {
    yield* batchesOfLastDigits(deps.db, filters, size)
    return
  }
  const [from_id, until_id] = bounds(filters)
  const whole = { from_id, until_id, items: size, day: null }
  const segments = reference !== null || phone !== null ? [whole] : await segmentsOf(deps.db, filters)
  while (segments.length > 0) {
    const { taken } = takeSegments(segments, 0, size)
    segments.splice(0, taken.length)
    for (let before_id = LAST_ID; ; ) {
      const rows = await readSegments(deps.db, filters, taken, size, 0, before_id)
      if (rows.length > 0) yield rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < size) break
      before_id = last.id
    }
  }
}

/** Yields all payments whose phone has the last digits of the filter, newest first, in batches of at most `size` rows. */
async function* batchesOfLastDigits(
  reader: Reader,
  filters: CollectionFilters,
  size: number,
): AsyncGenerator<Collection[]> {
  const [from_id, until_id] = bounds(filters)
  for (let before_id = until_id; ; ) {
    const values = [...matchingValues(filters), from_id, before_id, size, 0]
    const rows = await reader.query<Collection>(OF_LAST_DIGITS, values)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    before_id = last.id
  }
}
