// Defines components for the list of deliveries, the page of a delivery, and the test of the webhook.

import type { Calls } from '../../ui/api-types.ts'
import { DeliveryState, type SentThing } from '../../ui/delivery-state.tsx'
import { useTexts } from '../../ui/language.ts'
import { Chip } from '../../ui/parts.tsx'
import { showDuration } from '../../ui/show.ts'
import { webhooksTexts } from './webhooks-texts.ts'

/** A webhook delivery with its attempts, as the API lists deliveries. */
export type WebhookDelivery = Calls['GET /v1/merchant/webhook-deliveries']['data']['items'][number]
/** One attempt of a delivery, as the API lists it with the delivery. */
export type DeliveryAttempt = WebhookDelivery['attempts'][number]

/** Shows the state of a delivery. */
export function DeliveryStatus({ row }: { row: WebhookDelivery }) {
  return <DeliveryState of={deliveryState(row)} />
}

/** Returns a delivery of the API as a thing with a state. The API lists the newest attempts, so the last number counts all. */
export function deliveryState({ status, attempts, delivered_at, next_attempt_at }: WebhookDelivery): SentThing {
  const last = attempts.at(-1)
  return { status, attempts: last?.number ?? 0, next_at: next_attempt_at, delivered_at, last_at: last?.at ?? null }
}

/** Shows the event of a delivery. A test delivery has the name of a real event, so a chip marks the test. */
export function EventName({ row }: { row: WebhookDelivery }) {
  const t = useTexts(webhooksTexts)
  return (
    <>
      {t.event[row.event] ?? row.event} {isTest(row) ? <Chip tone="plain">{t.test_mark}</Chip> : null}
    </>
  )
}

/** Returns true if the payload marks the delivery as a test. */
export function isTest({ payload }: WebhookDelivery): boolean {
  return (payload as { test?: unknown }).test === true
}

/**
 * Returns true if the server can send the delivery again: the delivery has ended and its endpoint exists, or it waits for a
 * retry.
 */
export function canSendDelivery({ status, attempts }: WebhookDelivery): boolean {
  return status === 'delivered' || status === 'failed' || (status === 'pending' && attempts.length > 0)
}

/**
 * Shows the status code or the error of an attempt, with its duration. Undefined means that the server has made no attempt.
 */
export function AttemptResult({ attempt }: { attempt: DeliveryAttempt | undefined }) {
  const t = useTexts(webhooksTexts)
  if (attempt === undefined) return <>{t.no_attempt}</>
  const { status_code, error, duration_ms } = attempt
  const what = status_code ?? (error === null ? t.none_code : (t.error[error] ?? error))
  return (
    <>
      {what} · {showDuration(duration_ms)}
    </>
  )
}
