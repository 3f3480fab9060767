// Reads facts about withdrawals that are no warning of the server, but that the page of a withdrawal shows: when the API key of
// the request was made, and the names that other merchants gave the recipient.

import { sameName } from '../../adapters/providers/name-lookup.ts'
import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { withdrawalName } from '../../money/withdrawals/index.ts'
import { NEWEST_OTHERS } from './case-schema.ts'

/** The highest number of other merchants whose payouts to a destination the server reads. */
export const OTHERS_MAX = 1_000

/** The facts about the request of a withdrawal. */
export type RequestFacts = {
  /** Null means that no API key made the request. */
  api_key_created_at: Date | null
  /** The number of different names that other merchants gave the recipient, at most NEWEST_OTHERS. */
  other_names: number
}

type RequestFactsRow = {
  merchant_id: string
  id: string
  destination_name: string | null
  api_key_created_at: Date | null
  names: string[] | null
}

// As in the case, the recursion jumps from merchant to merchant in the index of paid destinations.
const PAID_HERE = `destination_identifier = w.destination_identifier and destination_code = w.destination_code
         and environment = w.environment and status = 'SUCCESS'`
const FIND = sql(
  'operator_request_facts',
  `select w.merchant_id, w.id, w.destination_name, k.created_at as api_key_created_at, o.names
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
   left join api_keys k on k.merchant_id = w.merchant_id
     and k.id = case when w.requested_by_kind = 'api_key' then w.requested_by_id::uuid end
   left join lateral (
     with recursive payers(merchant_id, place) as (
       (select merchant_id, 0 from withdrawals where ${PAID_HERE} order by merchant_id limit 1)
       union all
       select next.merchant_id, p.place + 1 from payers p cross join lateral (
         select merchant_id from withdrawals where ${PAID_HERE} and merchant_id > p.merchant_id
         order by merchant_id limit 1
       ) next where p.place < $2
     )
     select array_agg(latest.destination_name order by latest.completed_at desc, p.merchant_id) as names
     from payers p cross join lateral (
       select destination_name, completed_at from withdrawals
       where merchant_id = p.merchant_id and ${PAID_HERE} order by id desc limit 1
     ) latest
     where p.merchant_id <> w.merchant_id and latest.destination_name is not null
   ) o on w.destination_name is not null`,
)

/** Returns the facts about the requests of withdrawals by `withdrawalName`, with one query. */
export async function findRequestFacts(
  reader: Reader,
  keys: readonly { merchant_id: string; id: string }[],
): Promise<Map<string, RequestFacts>> {
  if (keys.length === 0) return new Map()
  const input = JSON.stringify(keys.map(({ merchant_id, id }) => ({ merchant_id, id })))
  const rows = await reader.query<RequestFactsRow>(FIND, [input, OTHERS_MAX])
  return new Map(
    rows.map((row) => {
      const other_names = differingNames(row.destination_name, row.names ?? []).length
      return [withdrawalName(row), { api_key_created_at: row.api_key_created_at, other_names }]
    }),
  )
}

/** Returns those of `others` that differ from `name`, each once and at most NEWEST_OTHERS. */
export function differingNames(name: string | null, others: readonly (string | null)[]): string[] {
  if (name === null) return []
  const differing: string[] = []
  for (const other of others) {
    if (differing.length === NEWEST_OTHERS) break
    if (other === null || sameName(other, name)) continue
    if (!differing.some((found) => sameName(found, other))) differing.push(other)
  }
  return differing
}
