// Replays the deliveries of a merchant since a time, after an outage of the merchant's receiver.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { firstIdAt, refuseField, timeOfId, ZERO_ID } from '../../kernel/lib/index.ts'
import { DUE_SOON_MS, ENDPOINT_EXISTS, endpointFilterOf, REPLAYS_MAX } from './deliveries.ts'
import { EVENT_ALIASES } from './events.ts'
import { ATTEMPTS_MAX } from './record.ts'
import type { ReplayInput, ReplayView } from './schema.ts'

/** The greatest number of deliveries that one call queues. */
const QUEUED_MAX = 5_000
/** The greatest number of deliveries that one call scans, so that the duration of a call does not grow with the period. */
const SCANNED_MAX = 200_000

// Finds the first delivery that this call does not scan.
const SCAN_END = sql(
  'webhook_replay_looked',
  `select id from webhook_deliveries where merchant_id = $1 and id >= $2 and id < $3 order by id offset $4 limit 1`,
)

// A pending delivery matches only while it waits for a retry and no process sends it. REPLAY of deliveries.ts has the reasons.
const MATCHES = `status = any($5::text[]) and case when status = 'pending'
       then attempts > 0 and lease_owner is null and due_at > $12 else attempts < $9 end`

// The statement changes no due delivery, so only one of two concurrent calls queues a delivery. The statement locks the
// rows by id, in the same order as every batch of this table.
const REPLAY = sql(
  'webhook_replay_since',
  `update webhook_deliveries
   set status = 'pending', attempts = case when status = 'pending' then attempts else greatest(attempts, $7) end,
     due_at = $8, lease_owner = null, updated_at = case when status = 'pending' then updated_at else $8 end
   where merchant_id = $1 and id = any(array(
       select id from webhook_deliveries
       where merchant_id = $1 and environment = $2 and id >= $3 and id < $4 and ${MATCHES}
         and ($6::text is null or event = $6) and ($11::uuid is null or endpoint_id = $11) and ${ENDPOINT_EXISTS}
       order by id limit $10))
     and ${MATCHES}
   returning id`,
)

const STATUSES = {
  failed: ['failed', 'pending'],
  delivered: ['delivered'],
  all: ['failed', 'pending', 'delivered'],
} as const

/**
 * Queues one more attempt of each matching delivery since a time, at most 5,000. Without `status`, failed deliveries and
 * waiting retries match. If a delivery waits for a retry, makes this retry due now. `next_since` is the `since` of the next call;
 * null means that no delivery is left. Skips deliveries that are due or in flight, have 100 attempts, or have a deleted endpoint.
 */
export async function replaySince(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environment: Environment,
  input: ReplayInput,
): Promise<ReplayView> {
  const now = deps.clock.now()
  const since = new Date(input.since)
  const until = input.until === undefined ? now : new Date(input.until)
  if (since >= now) refuseField('since', 'must be in the past')
  if (until <= since) refuseField('until', 'must be after since')
  const event = input.event === undefined ? null : (EVENT_ALIASES.get(input.event) ?? input.event)
  const endpoint_id = endpointFilterOf(input)
  const statuses = STATUSES[input.status ?? 'failed']
  const [from, to] = [firstIdAt(since), firstIdAt(until)]
  const [beyond] = await tx.query<{ id: string }>(SCAN_END, [merchant_id, from, to, SCANNED_MAX])
  const end = beyond?.id ?? to
  const period = [merchant_id, environment, from, end, statuses, event]
  const limits = [ATTEMPTS_MAX - 1, now, REPLAYS_MAX, QUEUED_MAX]
  const soon = new Date(now.getTime() + DUE_SOON_MS)
  const queued = await tx.query<{ id: string }>(REPLAY, [...period, ...limits, endpoint_id, soon])
  const full = queued.length === QUEUED_MAX
  const last = queued.reduce((max, { id }) => (id > max ? id : max), ZERO_ID)
  const next = full ? last : beyond?.id
  return { queued: queued.length, more: next !== undefined, next_since: next ? timeOfId(next).toISOString() : null }
}
