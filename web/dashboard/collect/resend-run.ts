// Sends the webhooks of several payments again, and waits for the result of each attempt.

import type { call as Call } from '../../ui/api.ts'
import { lastNumber, newestDeliveries } from './resend-webhook.tsx'

/** The pause between two reads of the deliveries, in milliseconds. */
const LOOK_MS = 1_000
/** If no delivery gets a result for this time in milliseconds, the page stops. The server waits 8 seconds for a receiver. */
const PATIENCE_MS = 30_000

/** Why a webhook did not arrive. `error` is a refusal of the server, or the loss of the connection. */
export type ResendFailure =
  | { kind: 'no_webhook' | 'waits' | 'late' }
  | { kind: 'status'; status_code: number }
  | { kind: 'attempt'; code: string }
  | { kind: 'error'; error: unknown }

/** The result of one payment. Null means that each endpoint accepted its webhook. */
export type ResendResults = ReadonlyMap<string, ResendFailure | null>

type Open = { collection_id: string; attempts_before: number }

/**
 * Sends the newest event of each payment again to each endpoint, one request after the other. The Idempotency-Key of a request
 * names the last attempt, so a second press before the next attempt sends nothing twice. Reports the number of finished payments.
 */
export async function resendAll(
  call: typeof Call,
  collection_ids: readonly string[],
  report: (finished: number) => void,
): Promise<ResendResults> {
  const results = new Map<string, ResendFailure | null>()
  const open = new Map<string, Open>()
  // The first failure of a payment stays its result.
  const fail = (id: string, failure: ResendFailure) => results.set(id, results.get(id) ?? failure)
  const finished = () => {
    const waiting = new Set([...open.values()].map(({ collection_id }) => collection_id))
    report([...results.keys()].filter((id) => !waiting.has(id)).length)
  }
  for (const collection_id of collection_ids) {
    try {
      await sendPayment(call, collection_id, open, (failure) => fail(collection_id, failure))
      if (!results.has(collection_id)) results.set(collection_id, null)
    } catch (error) {
      fail(collection_id, { kind: 'error', error })
    }
    finished()
  }
  let deadline = Date.now() + PATIENCE_MS
  while (open.size > 0 && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, LOOK_MS))
    for (const [id, { collection_id, attempts_before }] of [...open]) {
      const delivery = await call('GET /v1/merchant/webhook-deliveries/{id}', { params: { id } }).catch(() => null)
      if (delivery === null) continue
      if (delivery.status !== 'cancelled' && lastNumber(delivery) <= attempts_before) continue
      open.delete(id)
      deadline = Date.now() + PATIENCE_MS
      const { status_code = null, error = null } = delivery.attempts.at(-1) ?? {}
      if (delivery.status === 'cancelled') fail(collection_id, { kind: 'attempt', code: 'endpoint_deleted' })
      else if (error !== null && status_code !== null) fail(collection_id, { kind: 'status', status_code })
      else if (error !== null) fail(collection_id, { kind: 'attempt', code: error })
      finished()
    }
  }
  for (const { collection_id } of open.values()) fail(collection_id, { kind: 'late' })
  return results
}

/** Sends the webhooks of one payment, and adds the deliveries that the server queued to `open`. */
async function sendPayment(
  call: typeof Call,
  collection_id: string,
  open: Map<string, Open>,
  fail: (failure: ResendFailure) => void,
): Promise<void> {
  const { items } = await call('GET /v1/collections/{collection_id}/timeline', { params: { collection_id } })
  const deliveries = newestDeliveries(items.filter((item) => item.kind === 'webhook'))
  if (deliveries.length === 0) fail({ kind: 'no_webhook' })
  for (const { id, last, queued, retries } of deliveries) {
    if (queued && !retries) {
      fail({ kind: 'waits' })
      continue
    }
    try {
      const once = `resend-${id}-${last.number}`
      const reply = await call('POST /v1/merchant/webhook-deliveries/{id}/replay', { params: { id }, once })
      open.set(id, { collection_id, attempts_before: lastNumber(reply) })
    } catch (error) {
      fail({ kind: 'error', error })
    }
  }
}
