// Follows the missed deliveries of an endpoint after the server sends them again. The replay names no deliveries, so the console
// reads the list of the endpoint before the replay, and again until each of these deliveries has a result.

import type { call as Call } from '../ui/api.ts'
import type { Environment } from '../ui/data.ts'
import { ATTEMPTS_MAX, awaitResults, lastNumber } from './delivery-results.ts'

/** The greatest number of pages of one read. If the list is longer, the console does not follow the deliveries. */
const PAGES_MAX = 3
const PAGE_SIZE = 100

/** The list to read: the deliveries of this endpoint since the oldest missed one. */
type MissedList = { environment: Environment; endpoint_id: string; from: string }
/** The missed deliveries: the number of the last attempt by delivery, and the end of the list. */
export type MissedRead = { list: MissedList & { to: string }; waiting: ReadonlyMap<string, number> }
/** How many deliveries the endpoint accepted, and how many it did not accept in their next attempt. */
type MissedProgress = { arrived: number; refused: number }

async function readList(call: typeof Call, list: MissedList & { to?: string }) {
  const items = []
  for (let page = 1; ; page += 1) {
    const query = { ...list, page, page_size: PAGE_SIZE }
    const read = await call('GET /v1/merchant/webhook-deliveries', { query })
    items.push(...read.items)
    if (read.pagination.total_pages > PAGES_MAX) return null
    if (page >= read.pagination.total_pages) return items
  }
}

/** Reads the missed deliveries before a replay. Null means that the list is too long or the read failed. */
export async function readMissed(call: typeof Call, list: MissedList): Promise<MissedRead | null> {
  const items = await readList(call, list).catch(() => null)
  const missed = items?.filter(
    ({ status, attempts, delivered_at }) =>
      delivered_at === null &&
      lastNumber(attempts) < ATTEMPTS_MAX &&
      (status === 'failed' || (status === 'pending' && attempts.length > 0)),
  )
  const newest = missed?.[0]
  if (missed === undefined || newest === undefined) return null
  // The period ends after the newest missed delivery, so that later events do not lengthen the list.
  const to = new Date(Date.parse(newest.created_at) + 1_000).toISOString()
  return { list: { ...list, to }, waiting: new Map(missed.map(({ id, attempts }) => [id, lastNumber(attempts)])) }
}

/**
 * Reads the list until each missed delivery has a result, or no further result comes. Reports each change.
 */
export async function watchMissed(
  call: typeof Call,
  { list, waiting }: MissedRead,
  report: (now: MissedProgress) => void,
): Promise<MissedProgress> {
  let now: MissedProgress = { arrived: 0, refused: 0 }
  await awaitResults(waiting.size, async () => {
    const items = await readList(call, list)
    if (items === null) return now.arrived + now.refused
    const missed = items.filter(({ id }) => waiting.has(id))
    const arrived = missed.filter(({ status }) => status === 'delivered').length
    const refused = missed.filter(
      ({ id, status, attempts }) => status !== 'delivered' && lastNumber(attempts) > (waiting.get(id) ?? 0),
    ).length
    const changed = arrived !== now.arrived || refused !== now.refused
    now = { arrived, refused }
    if (changed) report(now)
    return arrived + refused
  })
  return now
}
