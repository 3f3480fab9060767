// Checks that settled payments have their events. An event needs a delivery for each endpoint that chose the event. An event
// without a delivery must be in the merchant's list of events.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { DAY_MS, firstIdAt, ZERO_ID } from '../../kernel/lib/index.ts'
import { moves } from '../../money/collections/index.ts'

/** The name of the check in the result of verify. */
export const EVENTS_HOLD =
  'Every settled payment, paid payment link and paid invoice has its event for each endpoint that chose it'

/** The number of days whose payments the check reads. The server deletes an event without an endpoint after 30 days. */
const CHECKED_DAYS = 29
const HOUR_MS = 3_600_000

const EVENT_OF_MOVE = Object.values(moves)
  .map(
    ({ from, to, event }) =>
      `when h.to_status = '${to}' and h.from_status in (${from.map((status) => `'${status}'`).join(', ')}) then '${event}'`,
  )
  .join(' ')

// `except` compares two sets by hash, so a wrong estimate of their sizes costs little. Clocks differ, and a settlement reads
// the endpoints before it reads the clock, so the check skips five minutes after a change of an endpoint. An older program may
// store no unsent events for days after migration 0086, so the check of the list begins a week later.
const LOST = sql(
  'verify_events',
  `with begin as materialized (
     select case when min(applied_at) > max(applied_at) filter (where name like '0086%') - interval '1 hour' then '-infinity'
       else max(applied_at) filter (where name like '0086%') + interval '7 days' end as list_from
     from schema_migrations
   ), fact as materialized (
     select h.merchant_id, c.environment, h.collection_id, h.seq, h.at, e.event
     from merchants m
     join collection_history h on h.merchant_id = m.id and h.collection_id >= $1
     join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
     left join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.collection_id is null
       and l.status = 'PAID' and l.paid_collection_id = c.id and h.to_status = 'successful'
     cross join lateral (values (case ${EVENT_OF_MOVE} end), (case when l.id is not null then 'payment_link.paid' end),
       (case when l.invoice_id is not null then 'invoice.paid' end)) e(event)
     where h.from_status <> h.to_status and e.event is not null
   ), sent as materialized (
     select d.merchant_id, d.environment, d.source_id, d.source_seq, d.event, d.endpoint_id
     from merchants m join webhook_deliveries d on d.merchant_id = m.id and d.id >= $2 and d.source_type = 'collection'
   ), lost as (
     (select f.merchant_id, f.collection_id, f.seq, f.event, w.id as endpoint_id
      from fact f join webhook_configs w on w.merchant_id = f.merchant_id and w.environment = f.environment
        and f.event = any(w.events) and w.updated_at + interval '5 minutes' < f.at
      except select merchant_id, source_id, source_seq, event, endpoint_id from sent)
     union all
     (select f.merchant_id, f.collection_id, f.seq, f.event, null::uuid from fact f cross join begin b where $3 and f.at >= b.list_from
      except select merchant_id, source_id, source_seq, event, null::uuid from sent
      except select u.merchant_id, u.source_id, u.source_seq, u.event, null::uuid
        from merchants m cross join (values ('live'), ('sandbox')) as of(environment)
        join unsent_events u on u.merchant_id = m.id and u.environment = of.environment and u.id >= $2)
   )
   select count(*) over ()::int as total, merchant_id || ' ' || collection_id || ' has no ' || event || case
       when endpoint_id is null then ' in the list of events'
       when endpoint_id = '00000000-0000-0000-0000-000000000000' then ' for the default endpoint'
       else ' for the endpoint ' || endpoint_id end as finding
   from lost order by finding limit $4`,
)

/**
 * Returns the number of missing events, and at most `limit` findings about them. Reads the payments of the last 29 days. If
 * `now` is null, reads all payments, but not the list of events, from which the server deletes.
 */
export async function findLostEvents(
  reader: Reader,
  now: Date | null,
  limit: number,
): Promise<{ total: number; findings: string[] }> {
  const from_id = now === null ? ZERO_ID : firstIdAt(new Date(now.getTime() - CHECKED_DAYS * DAY_MS))
  // The process that made an event may have an earlier clock than the process that made the payment.
  const events_from = now === null ? ZERO_ID : firstIdAt(new Date(now.getTime() - CHECKED_DAYS * DAY_MS - HOUR_MS))
  const values = [from_id, events_from, now !== null, limit]
  const rows = await reader.query<{ total: number; finding: string }>(LOST, values)
  return { total: rows[0]?.total ?? 0, findings: rows.map(({ finding }) => finding) }
}
