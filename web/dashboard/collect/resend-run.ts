// Sends the webhooks of several payments again with one call, and waits for the result of each attempt.

import type { call as Call } from '../../ui/api.ts'
import { awaitResults } from '../delivery-results.ts'

/** Why a webhook did not arrive. `error` is a refusal of the server, or the loss of the connection. */
export type ResendFailure =
  | { kind: 'no_webhook' | 'waits' | 'late' | 'attempt_limit' }
  | { kind: 'status'; status_code: number }
  | { kind: 'attempt'; code: string }
  | { kind: 'error'; error: unknown }

/** The result of one payment. Null means that each endpoint accepted its webhook. */
export type ResendResults = ReadonlyMap<string, ResendFailure | null>

type Open = { collection_id: string; attempts_before: number }

/**
 * Sends the newest event of each payment again to each endpoint. `once` is the Idempotency-Key, so that a second press sends nothing
 * twice. Reports the number of finished payments.
 */
export async function resendAll(
  call: typeof Call,
  collection_ids: readonly string[],
  once: string,
  report: (finished: number) => void,
): Promise<ResendResults> {
  const results = new Map<string, ResendFailure | null>()
  const open = new Map<string, Open>()
  // The first failure of a payment stays its result.
  const fail = (id: string, failure: ResendFailure) => results.set(id, results.get(id) ?? failure)
  try {
    const body = { collection_ids: [...collection_ids] }
    const { items } = await call('POST /v1/merchant/webhook-resends', { body, once })
    for (const { collection_id, deliveries } of items) {
      // The request names payments, so each answer names its payment.
      if (collection_id === null) continue
      results.set(collection_id, deliveries.length === 0 ? { kind: 'no_webhook' } : null)
      for (const { id, attempts, refusal } of deliveries) {
        if (refusal === null) open.set(id, { collection_id, attempts_before: attempts })
        else if (refusal === 'endpoint_deleted') fail(collection_id, { kind: 'attempt', code: refusal })
        else fail(collection_id, { kind: refusal })
      }
    }
  } catch (error) {
    return new Map(collection_ids.map((id) => [id, { kind: 'error', error }]))
  }
  const all = open.size
  const finished = () => {
    const waiting = new Set([...open.values()].map(({ collection_id }) => collection_id))
    report([...results.keys()].filter((id) => !waiting.has(id)).length)
  }
  finished()
  await awaitResults(all, async () => {
    const waiting = new Set([...open.values()].map(({ collection_id }) => collection_id))
    const query = { collection_ids: [...waiting].join(',') }
    const { items } = await call('GET /v1/merchant/webhook-resends', { query })
    for (const { id, status, attempts, status_code, error } of items.flatMap(({ deliveries }) => deliveries)) {
      const sent = open.get(id)
      if (sent === undefined || (status !== 'cancelled' && attempts <= sent.attempts_before)) continue
      open.delete(id)
      if (status === 'cancelled') fail(sent.collection_id, { kind: 'attempt', code: 'endpoint_deleted' })
      else if (error !== null && status_code !== null) fail(sent.collection_id, { kind: 'status', status_code })
      else if (error !== null) fail(sent.collection_id, { kind: 'attempt', code: error })
    }
    finished()
    return all - open.size
  })
  for (const { collection_id } of open.values()) fail(collection_id, { kind: 'late' })
  return results
}
