// Sends the newest event of a payment or withdrawal now or again to each endpoint, waits for the attempts, and shows their results.

import { Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { useCall, useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { DeliveryState } from '../../ui/delivery-state.tsx'
import { useTexts } from '../../ui/language.ts'
import { Mono, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { deliveryState } from '../develop/delivery-parts.tsx'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { resendTexts } from './resend-texts.ts'

/** The events of the timeline of a payment or withdrawal. */
export type TimelineRead = Calls['GET /v1/collections/{collection_id}/timeline']['data']['items']
type WebhookItem = Extract<TimelineRead[number], { kind: 'webhook' }>
type ResentDelivery = Calls['GET /v1/merchant/webhook-deliveries/{id}']['data']

/** The pause between two reads of the delivery, in milliseconds. */
const LOOK_MS = 500
/** After this time in milliseconds, the page stops waiting for the result. The server waits 8 seconds for a receiver. */
const PATIENCE_MS = 30_000

/** Returns the number of the last attempt, or 0. */
export const lastNumber = ({ attempts }: ResentDelivery) => attempts.at(-1)?.number ?? 0

/** A delivery that the page sent again, its endpoint, and the number of its last attempt before. */
type ResentWebhook = { id: string; endpoint_id: string; attempts_before: number }
/** The deliveries of one press of the button, and the refusals of the server. */
type ResentSet = { at: number; sent: readonly ResentWebhook[]; refusals: readonly ResendRefusal[] }
/** The server refused to send this delivery again. */
type ResendRefusal = { id: string; error: unknown }

/**
 * Reads a delivery until its next attempt has ended, or until the page stops waiting. `ended` is true if the attempt has ended
 * or the server has cancelled the delivery.
 */
function useNextAttempt(resent: ResentWebhook, onFinish: () => void) {
  const queries = useQueryClient()
  const [waiting, setWaiting] = useState(true)
  const { data, error } = useRead(
    'GET /v1/merchant/webhook-deliveries/{id}',
    { params: { id: resent.id } },
    { enabled: waiting, live: LOOK_MS },
  )
  const ended = data !== undefined && (lastNumber(data) > resent.attempts_before || data.status === 'cancelled')
  const finished = useRef(onFinish)
  finished.current = onFinish
  useEffect(() => {
    if (!waiting) return
    const finish = () => {
      setWaiting(false)
      finished.current()
      // The timeline then shows the attempt of the result.
      void queries.invalidateQueries()
    }
    if (ended) return finish()
    const patience = setTimeout(finish, PATIENCE_MS)
    return () => clearTimeout(patience)
  }, [waiting, ended, queries])
  // While the page waits, it hides an error, because a later read may succeed.
  return { delivery: data, error: waiting ? null : error, waiting, ended }
}

/** Returns the deliveries of the newest event, one for each endpoint. Ids of deliveries begin with their time. */
export function newestDeliveries(webhooks: readonly WebhookItem[]) {
  const newest = webhooks.reduce<WebhookItem | undefined>(
    (max, item) => (max === undefined || item.delivery_id > max.delivery_id ? item : max),
    undefined,
  )
  const ids = new Set(webhooks.filter(({ event }) => event === newest?.event).map(({ delivery_id }) => delivery_id))
  return [...ids].flatMap((id) => {
    const attempts = webhooks.filter(({ delivery_id }) => delivery_id === id)
    const last = attempts.at(-1)
    if (last === undefined) return []
    const queued = last.number === 0 || last.next_attempt_at !== null
    return [{ id, attempts, last, queued, retries: queued && last.number > 0 && !last.delivered }]
  })
}

/** Sends deliveries again, each with its own request, and returns the result of each request. */
function useResend() {
  const call = useCall()
  const queries = useQueryClient()
  const [set, setSet] = useState<ResentSet | null>(null)
  const [asking, setAsking] = useState(false)
  const [open, setOpen] = useState(0)
  const send = async (ids: readonly string[]) => {
    setSet(null)
    setAsking(true)
    const replies = await Promise.allSettled(
      ids.map((id) => call('POST /v1/merchant/webhook-deliveries/{id}/replay', { params: { id } })),
    )
    const sent = replies.flatMap((reply) => {
      if (reply.status === 'rejected') return []
      const { id, endpoint_id } = reply.value
      return [{ id, endpoint_id, attempts_before: lastNumber(reply.value) }]
    })
    const refusals = replies.flatMap((reply, i) =>
      reply.status === 'rejected' ? [{ id: ids[i] ?? '', error: reply.reason }] : [],
    )
    setSet({ at: Date.now(), sent, refusals })
    setOpen(sent.length)
    setAsking(false)
    await queries.invalidateQueries()
  }
  return { send, set, sending: asking || open > 0, onFinish: () => setOpen((count) => count - 1) }
}

/**
 * Returns the button that sends the newest event of the record to each endpoint that receives it, and the results. A text says
 * how the attempts of waiting deliveries ended. If all deliveries are due without a failed attempt, the button is disabled.
 * If the record has no webhook, or the member may not send webhooks, both are null.
 */
export function useResendWebhook(items: TimelineRead | undefined): { button: ReactNode; result: ReactNode } {
  const t = useTexts(resendTexts)
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const { send, set, sending, onFinish } = useResend()
  const webhooks = items?.filter((item) => item.kind === 'webhook') ?? []
  const deliveries = newestDeliveries(webhooks)
  if (!develops || deliveries.length === 0) return { button: null, result: null }
  const sendable = deliveries.filter(({ queued, retries }) => !queued || retries)
  const retries = sendable.length > 0 && sendable.every((one) => one.retries)
  const ids = sendable.map(({ id }) => id)
  return {
    button: (
      <BusyButton variant="default" busy={sending} disabled={ids.length === 0} onClick={() => void send(ids)}>
        {sending ? t.sending : retries ? t.send_now : t.resend}
      </BusyButton>
    ),
    result: (
      <>
        {sending || set !== null
          ? null
          : deliveries
              .filter(({ queued }) => queued)
              .map(({ id, last, attempts }) => <QueuedWebhook key={id} last={last} attempts={attempts} />)}
        <div role="status">
          {sending ? <Text size="sm">{t.sending}</Text> : null}
          <Stack gap="sm">
            {set?.sent.map((one) => (
              <ResentOutcome key={`${set.at} ${one.id}`} resent={one} onFinish={onFinish} />
            ))}
          </Stack>
        </div>
        {set?.refusals.map(({ id, error }) => (
          <RefusedResend key={id} id={id} error={error} />
        ))}
      </>
    ),
  }
}

/** Shows the address of an endpoint. If the merchant has removed the endpoint, says so. */
function EndpointAddress({ endpoint_id }: { endpoint_id: string }) {
  const t = useTexts(resendTexts)
  const endpoints = useRead('GET /v1/merchant/webhook-endpoints').data?.items
  if (endpoints === undefined) return null
  const address = endpoints.find(({ id }) => id === endpoint_id)?.webhook_url
  return address === undefined ? <Text size="sm">{t.removed}</Text> : <Mono>{address}</Mono>
}

/** Shows the endpoint of a delivery that the server did not send again, and the reason. */
function RefusedResend({ id, error }: ResendRefusal) {
  const { data } = useRead('GET /v1/merchant/webhook-deliveries/{id}', { params: { id } })
  return (
    <Stack gap={0} className="long-mono">
      {data === undefined ? null : <EndpointAddress endpoint_id={data.endpoint_id} />}
      <Problem error={error} />
    </Stack>
  )
}

/** Waits for the attempt of one endpoint, and shows its address and its result. */
function ResentOutcome({ resent, onFinish }: { resent: ResentWebhook; onFinish: () => void }) {
  const { delivery, error, waiting, ended } = useNextAttempt(resent, onFinish)
  if (waiting) return null
  return (
    <Stack gap={0} className="long-mono">
      <EndpointAddress endpoint_id={resent.endpoint_id} />
      {delivery === undefined || error !== null ? null : <ResendResult delivery={delivery} ended={ended} />}
      <Problem error={error} />
    </Stack>
  )
}

/** Says how the attempts of a delivery that waits ended, and when the server tries next. */
function QueuedWebhook({ last, attempts }: { last: WebhookItem; attempts: readonly WebhookItem[] }) {
  const t = useTexts(resendTexts)
  const errors = useTexts(deliveryErrors)
  const { event, number, status_code, error, next_attempt_at } = last
  const failed = attempts.filter((one) => one.number > 0 && !one.delivered).length
  const arrived = attempts.find((one) => one.delivered)
  const text =
    number === 0
      ? t.untried(event)
      : arrived !== undefined
        ? t.repeats(event)
        : status_code === null
          ? t.unanswered(event, failed, errors[error ?? ''] ?? error ?? '')
          : t.rejected(event, failed, status_code)
  return (
    <Text size="sm">
      <DeliveryState
        of={{ status: 'pending', attempts: number, next_at: next_attempt_at, delivered_at: arrived?.at ?? null }}
      />{' '}
      {text}
    </Text>
  )
}

/** Shows the result of the attempt. If the webhook did not arrive and the server retries, also shows when. */
function ResendResult({ delivery, ended }: { delivery: ResentDelivery; ended: boolean }) {
  const t = useTexts(resendTexts)
  const errors = useTexts(deliveryErrors)
  const at = useEnvironmentPath()
  const { id, event, status, delivered_at } = delivery
  const { status_code = null, error = null } = delivery.attempts.at(-1) ?? {}
  const delivered = ended && status !== 'cancelled' && error === null
  const reason = status === 'cancelled' ? 'endpoint_deleted' : (error ?? '')
  const text = !ended
    ? t.late(event)
    : delivered
      ? t.delivered(event, status_code ?? 200)
      : status_code === null
        ? (delivered_at === null ? t.failed : t.repetition_failed)(event, errors[reason] ?? reason)
        : (delivered_at === null ? t.refused : t.repetition_refused)(event, status_code)
  return (
    <Stack gap="xs">
      <Text size="sm">
        <DeliveryState of={deliveryState(delivery)} /> {text}
      </Text>
      <span>
        <PageLink to={at(`webhooks/deliveries/${id}`)}>{t.open}</PageLink>
      </span>
    </Stack>
  )
}
