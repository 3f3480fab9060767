// Finds records by the pairs of their metadata. Each kind of record has a table of pairs, whose primary key sorts the records
// of a pair by time.

import { type Metadata, metadataPairs } from '../lib/index.ts'
import { type Reader, type Statement, sql } from './pool.ts'

/** The largest number of records with a pair that a search reads, beginning with the newest. */
const SEARCHED_MAX = 20_000

/**
 * The SQL parts of a search: the table of pairs, the table of records with its alias, and the conditions of other filters.
 * `from` and `until` are the parameters of the ids. `next` is the number of the first free parameter. $1 is the merchant.
 */
type MetadataSearchSql = {
  pairs: string
  records: string
  alias: string
  conditions: string
  from: string
  until: string
  next: number
}

/**
 * Returns the statement of a search. Its last five parameters are the pair, the other pairs, the maximum of the count, the size
 * of the page and the offset. The result is one row with the count and the ids of the page, newest first.
 */
export function metadataSearchSql({ pairs, records, alias, conditions, from, until, next }: MetadataSearchSql): string {
  const [pair, others, count_max, limit, offset] = [0, 1, 2, 3, 4].map((i) => `$${next + i}`)
  return `with found as materialized (
     select d.id from (
       select p.id from ${pairs} p where p.merchant_id = $1 and p.pair = ${pair}::uuid and p.id >= ${from} and p.id < ${until}
       order by p.id desc limit (select ${SEARCHED_MAX})) d
     join ${records} ${alias} on ${alias}.merchant_id = $1 and ${alias}.id = d.id
     where ${conditions} and cardinality(${others}::uuid[]) = (
       select count(*) from ${pairs} e where e.merchant_id = $1 and e.pair = any(${others}::uuid[]) and e.id = d.id)
     order by d.id desc limit ${count_max}
   )
   select (select count(*)::int from found) as total,
     array(select id from found order by id desc limit ${limit} offset ${offset}) as ids`
}

/** Returns the statement that counts the records of each pair of a search, up to the number of records that a search reads. */
function commonnessSql(pairs: string): Statement {
  return sql(
    '',
    `select s.pair::text as pair, (
       select count(*)::int from (
         select from ${pairs} p where p.merchant_id = $1 and p.pair = s.pair limit ${SEARCHED_MAX}) counted) as records
     from unnest($2::uuid[]) as s(pair) order by 2`,
  )
}

/**
 * Makes the function that searches by metadata with a statement of `metadataSearchSql`. `values` are the parameters before
 * `next`.
 */
export function createMetadataSearch(pairs: string, search: Statement) {
  const commonness = commonnessSql(pairs)
  return async (
    reader: Reader,
    { merchant_id, environment, metadata }: { merchant_id: string; environment: string; metadata: Metadata },
    values: readonly unknown[],
    { count_max, limit, offset }: { count_max: number; limit: number; offset: number },
  ): Promise<{ total: number; ids: string[] }> => {
    const wanted = metadataPairs(environment, metadata)
    // The search begins with the rarest pair, so that a common pair beside it costs one look-up per record.
    const ordered =
      wanted.length < 2
        ? wanted
        : (await reader.query<{ pair: string }>(commonness, [merchant_id, wanted])).map(({ pair }) => pair)
    const [pair, ...others] = ordered
    const [found] = await reader.query<{ total: number; ids: string[] }>(search, [
      ...values,
      pair,
      others,
      count_max,
      limit,
      offset,
    ])
    return found ?? { total: 0, ids: [] }
  }
}
