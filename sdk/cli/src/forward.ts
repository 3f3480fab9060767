// Forwards events to an address of the developer's computer, with the headers and the bytes of a real webhook.

import { createHmac } from 'node:crypto'
import type { StreamedEvent } from './events.ts'
import { sleep } from './sleep.ts'

const TIMEOUT_MS = 30_000
const PAUSE_MS = 250
const PAUSE_MAX_MS = 5_000

/**
 * Returns the headers of a webhook, signed with `secret`. The names of some headers contain `brand`, as on the server.
 */
export function webhookHeaders(
  { id, event, body }: StreamedEvent,
  secret: string,
  brand: string,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const prefix = `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-`
  return {
    'content-type': 'application/json',
    'user-agent': `${brand}-webhooks/1`,
    [`${prefix}Signature`]: createHmac('sha256', secret).update(body).digest('hex'),
    [`${prefix}Event`]: event,
    [`${prefix}Delivery`]: id,
    [`${prefix}Timestamp`]: timestamp,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  }
}

/**
 * Returns the brand in a key, which the names of webhook headers contain: `duka_live_...` has the brand duka. For any other
 * key, returns `service`.
 */
export function brandOf(key: string): string {
  const brand = /^([a-z][a-z0-9]*)_(?:live|sandbox)_/.exec(key)?.[1]
  return brand ?? 'service'
}

/**
 * Sends an event. If the tool cannot reach the receiver, it tries again until `signal` aborts, and then returns null. Otherwise
 * returns the HTTP status of the receiver. Any answer ends the attempts, because the developer sees the status and can replay
 * the event.
 */
export async function forwardEvent(
  url: string,
  event: StreamedEvent,
  headers: () => Record<string, string>,
  onUnreachable: (reason: string) => void,
  signal: AbortSignal,
): Promise<number | null> {
  for (let pause_ms = PAUSE_MS; !signal.aborted; pause_ms = Math.min(PAUSE_MAX_MS, pause_ms * 2)) {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: headers(),
        body: event.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.arrayBuffer()
      return response.status
    } catch (error) {
      const { cause, message } = error as Error & { cause?: { code?: string } }
      onUnreachable(cause?.code ?? message)
    }
    await sleep(pause_ms, signal)
  }
  return null
}

/**
 * Returns the id of the record that an event reports, or else the id of the event. The tool forwards the events of one record
 * in their order.
 */
export function recordOf({ id, body }: StreamedEvent): string {
  const { collection_id, disbursement_id, invoice_id } = JSON.parse(body) as Record<string, string | undefined>
  return collection_id ?? disbursement_id ?? invoice_id ?? id
}
