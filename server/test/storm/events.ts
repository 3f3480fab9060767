// Checks the events that merchants received in a storm: one event id for each promised status, with any number of deliveries.

import type { Books } from './books.ts'

/** Statuses that the platform must report to the merchant, each with its event. */
const FINAL: Record<string, string> = {
  successful: 'collection.success',
  failed: 'collection.failed',
  pending_clearance: 'collection.pending_review',
  SUCCESS: 'disbursement.success',
  FAILED: 'disbursement.failed',
}

/** Describes every problem of the events that merchants received. */
export function eventProblems({ moves, deliveries, arrivals, our_payments, our_payouts }: Books): string[] {
  const problems: string[] = []
  const sent = Map.groupBy(deliveries, (row) => `${row.source_id} ${row.source_seq}`)
  for (const { id, seq, to_status, event } of moves) {
    const rows = sent.get(`${id} ${seq}`) ?? []
    if (rows.length !== (event === null ? 0 : 1) || rows.some((row) => row.event !== event))
      problems.push(`${id} became ${to_status} with ${rows.length} events`)
  }
  const events = Map.groupBy(deliveries, (row) => row.source_id)
  for (const { id, status } of [...our_payments, ...our_payouts]) {
    const reported = (events.get(id) ?? []).map((row) => row.event)
    const due = FINAL[status]
    if (due !== undefined && !reported.includes(due))
      problems.push(`${id} is ${status}, with the events ${reported.join(', ')}`)
  }
  const arrived = Map.groupBy(arrivals, (arrival) => arrival.id)
  for (const { merchant_id, id, event, source_id, body, status } of deliveries) {
    const came = arrived.get(id) ?? []
    arrived.delete(id)
    if (status !== 'delivered') problems.push(`${event} of ${source_id} is ${status}`)
    if (!came.some((arrival) => arrival.answer === 200))
      problems.push(`the receiver never accepted ${event} of ${source_id}`)
    if (came.some((arrival) => arrival.body !== body))
      problems.push(`${event} of ${source_id} arrived with other bytes`)
    if (came.some((arrival) => arrival.path !== `/${merchant_id}`))
      problems.push(`${event} of ${source_id} arrived at another merchant`)
  }
  for (const id of arrived.keys()) problems.push(`delivery ${id} arrived, and the platform has no such delivery`)
  return problems
}
