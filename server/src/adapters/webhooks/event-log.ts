// Reads the events of a merchant of the last 30 days, with or without deliveries. If an event has deliveries, its id is the id
// of its first delivery.

import { type Deps, oneStatement, type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, idsOfTime, pageOf } from '../../kernel/http/index.ts'
import { firstIdAt, isId, refuseField, ZERO_ID } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'
import { EVENT_ALIASES } from './events.ts'
import type { EventsFilter, EventView } from './schema.ts'

const DAY_MS = 86_400_000
/** The number of days for which merchants can read an event. */
export const EVENT_DAYS = 30

/** A stored event. `body` is the exact text that endpoints receive. */
export type StoredEvent = {
  id: string
  event: string
  environment: Environment
  source_id: string
  source_seq: number
  body: string
  created_at: Date
}

const COLUMNS = 'id, event, environment, source_id, source_seq, body, created_at'
/** The SQL condition for the deliveries in the list of events: no copies for further endpoints, and no tests. */
const STANDS = `not is_copy and source_type <> 'test'`
const CONDITIONS = `merchant_id = $1 and environment = $2 and ($3::text is null or event = $3) and id >= $4 and id < $5`

// The statements have no name, so that PostgreSQL plans them for the event in the request.
const LIST = sql(
  '',
  `select ${COLUMNS} from (
     (select ${COLUMNS} from webhook_deliveries where ${CONDITIONS} and ${STANDS} order by id desc limit $6)
     union all
     (select ${COLUMNS} from unsent_events where ${CONDITIONS} order by id desc limit $6)) e
   order by id desc limit $7 offset $8`,
)
const COUNT = sql(
  '',
  `select (select count(*) from (
       select 1 from webhook_deliveries where ${CONDITIONS} and ${STANDS} order by id desc limit $6) d)::int
     + (select count(*) from (select 1 from unsent_events where ${CONDITIONS} order by id desc limit $6) u)::int as total`,
)

/** Returns the stored name of the event in a filter. Null means that the filter contains no event. */
export function filteredEvent({ event }: { event?: string | undefined }): string | null {
  return event === undefined ? null : (EVENT_ALIASES.get(event) ?? event)
}

/** Returns an event id in lower case. If the text is not an id, refuses `field` with 400. */
export function eventIdIn(field: string, text: string): string {
  const id = text.toLowerCase()
  return isId(id) ? id : refuseField(field, 'must be the id of an event')
}

/** Returns the smallest possible id of an event of the last 30 days. */
export function oldestEventId(now: Date): string {
  return firstIdAt(new Date(now.getTime() - EVENT_DAYS * DAY_MS))
}

/** Reads a page of a merchant's events of the last 30 days, newest first. `total_items` counts up to 10,000. */
export async function listEvents(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { merchant_id, environment }: { merchant_id: string; environment: Environment },
  filter: EventsFilter,
) {
  const { page = 1, page_size = 20 } = filter
  const { from_id, until_id } = idsOfTime(filter)
  const after = filter.after === undefined ? ZERO_ID : idAfter(eventIdIn('after', filter.after))
  const lowest = [from_id, after, oldestEventId(clock.now())].sort().at(-1)
  const matching = [merchant_id, environment, filteredEvent(filter), lowest, until_id]
  const offset = (page - 1) * page_size
  const [rows, counted] = await Promise.all([
    db.query<StoredEvent>(LIST, [...matching, offset + page_size, page_size, offset]),
    db.query<{ total: number }>(COUNT, [...matching, COUNT_MAX]),
  ])
  return pageOf(rows.map(presentEvent), Math.min(counted[0]?.total ?? 0, COUNT_MAX), filter)
}

/** Returns the next higher id. */
function idAfter(id: string): string {
  const next = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0').slice(-32)
  return `${next.slice(0, 8)}-${next.slice(8, 12)}-${next.slice(12, 16)}-${next.slice(16, 20)}-${next.slice(20)}`
}

function presentEvent({ id, event, environment, created_at, body }: StoredEvent): EventView {
  return { id, event, environment, created_at: created_at.toISOString(), data: JSON.parse(body) }
}

/**
 * The position of a stream: the next scan begins at `from_id`, inclusive. `number` identifies the stream in one call. Null as
 * `event` means all events.
 */
export type EventPosition = {
  number: number
  merchant_id: string
  environment: Environment
  event: string | null
  from_id: string
}

/**
 * The result of one scan for one stream. `ids` are the events that match, `scanned` counts all read events, and `last_id` is
 * the last read event.
 */
export type ScannedEvents = { number: number; ids: string[]; scanned: number; last_id: string }

const POSITION = 'number int, merchant_id uuid, environment text, event text, from_id uuid'
// The scan does not filter by event. So if the event is rare, the scan also ends after $2 rows of each table.
const IDS = sql(
  'event_stream_ids',
  `select i.number, s.ids, s.scanned, s.last_id from json_to_recordset($1::json) as i(${POSITION})
   cross join lateral (
     select coalesce(array_agg(e.id::text order by e.id) filter (where i.event is null or e.event = i.event), '{}') as ids,
       count(*)::int as scanned, (array_agg(e.id order by e.id desc))[1] as last_id
     from (
       select id, event from (
         (select id, event from webhook_deliveries d where d.merchant_id = i.merchant_id and d.environment = i.environment
            and d.id >= i.from_id and ${STANDS} order by id limit $2)
         union all
         (select id, event from unsent_events u where u.merchant_id = i.merchant_id and u.environment = i.environment
            and u.id >= i.from_id order by id limit $2)) both_tables
       order by id limit $2) e) s
   where s.scanned > 0
   order by i.number`,
)

/**
 * Scans at most `ids_max` events for each position in one statement. If a position has no events, the result has no row for it.
 */
export function scanEvents(
  reader: Reader,
  positions: readonly EventPosition[],
  ids_max: number,
): Promise<ScannedEvents[]> {
  return reader.query<ScannedEvents>(IDS, [JSON.stringify(positions), ids_max])
}

const BODIES = sql(
  'event_stream_bodies',
  `select d.merchant_id, ${COLUMNS.split(', ')
    .map((column) => `d.${column}`)
    .join(', ')}
   from json_to_recordset($1::json) as i(merchant_id uuid, id uuid)
   join webhook_deliveries d on d.merchant_id = i.merchant_id and d.id = i.id
   union all
   select u.merchant_id, ${COLUMNS.split(', ')
     .map((column) => `u.${column}`)
     .join(', ')}
   from json_to_recordset($1::json) as i(merchant_id uuid, environment text, id uuid)
   join unsent_events u on u.merchant_id = i.merchant_id and u.environment = i.environment and u.id = i.id`,
)

/** Reads events by their ids, in any order. */
export function readEvents(
  reader: Reader,
  keys: readonly { merchant_id: string; environment: Environment; id: string }[],
): Promise<StoredEvent[]> {
  return reader.query<StoredEvent>(BODIES, [JSON.stringify(keys)])
}

/**
 * Returns events in the order in which streams send them: by id, and events with the same `source_id` by status change. The ids
 * alone do not suffice, because the clocks of processes differ.
 */
export function inEventOrder(events: readonly StoredEvent[]): StoredEvent[] {
  const by_id = [...events].sort((a, b) => (a.id < b.id ? -1 : 1))
  const moves = Map.groupBy(by_id, ({ source_id }) => source_id)
  for (const of_source of moves.values()) of_source.sort((a, b) => a.source_seq - b.source_seq)
  return by_id.map(({ source_id }) => moves.get(source_id)?.shift() as StoredEvent)
}

const SWEEP = sql(
  'unsent_events_sweep',
  `delete from unsent_events e using (
     select old.* from merchants m cross join (values ('live'), ('sandbox')) as of(environment)
     cross join lateral (
       select x.merchant_id, x.environment, x.id from unsent_events x
       where x.merchant_id = m.id and x.environment = of.environment and x.id < $1 order by x.id limit $2) old
     limit $2) gone
   where e.merchant_id = gone.merchant_id and e.environment = gone.environment and e.id = gone.id
   returning 1 as gone`,
)
/** The greatest number of rows that one statement deletes. */
const BATCH_MAX = 1_000

/** Makes the task that deletes events without a delivery after 30 days. The task deletes no deliveries. */
export function eventRetention(deps: Deps): Task {
  return sweepTask(deps, 'event_retention', [
    async (now) => (await oneStatement(deps.db).query(SWEEP, [oldestEventId(now), BATCH_MAX])).length,
  ])
}

/**
 * Returns the id at which a stream starts to read again, because a transaction may commit an older id late. `window_ms` is in
 * milliseconds.
 */
export function rereadFrom(time: Date, window_ms: number): string {
  return firstIdAt(new Date(time.getTime() - window_ms))
}
