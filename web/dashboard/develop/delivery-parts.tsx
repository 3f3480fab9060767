// Defines components for the list of deliveries, the page of a delivery, and the test of the webhook.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useTexts } from '../../ui/language.ts'
import { Chip, Time, type Tone } from '../../ui/parts.tsx'
import { showDuration } from '../../ui/show.ts'
import { webhooksTexts } from './webhooks-texts.ts'

/** A webhook delivery with its attempts, as the API lists deliveries. */
export type WebhookDelivery = Calls['GET /v1/merchant/webhook-deliveries']['data']['items'][number]
/** One attempt of a delivery, as the API lists it with the delivery. */
export type DeliveryAttempt = WebhookDelivery['attempts'][number]

/** The tone of each delivery status, which selects its colour. */
export const DELIVERY_TONES: Record<WebhookDelivery['status'], Tone> = {
  pending: 'wait',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
}

/** Shows the status of a delivery. If the delivery waits for a retry, also shows the time of the next attempt. */
export function DeliveryStatus({ row: { status, attempts, next_attempt_at } }: { row: WebhookDelivery }) {
  const t = useTexts(webhooksTexts)
  const waits = attempts.length > 0 && next_attempt_at !== null && Date.parse(next_attempt_at) > Date.now()
  return (
    <>
      <Chip tone={DELIVERY_TONES[status]}>{t.state[status]}</Chip>
      {waits ? (
        <Text size="xs">
          {t.next}: <Time time={next_attempt_at} />
        </Text>
      ) : null}
    </>
  )
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
