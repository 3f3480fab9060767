// Sends the newest event of a payment or withdrawal now or again to each endpoint, waits for the attempts, and shows their results.

import { Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { readAgain, useCall, useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { DeliveryState } from '../../ui/delivery-state.tsx'
import { useTexts } from '../../ui/language.ts'
import { Mono, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { awaitResults, lastNumber } from '../delivery-results.ts'
import { deliveryState } from '../develop/delivery-parts.tsx'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { resendTexts } from './resend-texts.ts'

/** The events of the timeline of a payment or withdrawal. */
export type TimelineRead = Calls['GET /v1/collections/{collection_id}/timeline']['data']['items']
type WebhookItem = Extract<TimelineRead[number], { kind: 'webhook' }>
type ResentDelivery = Calls['GET /v1/merchant/webhook-deliveries/{id}']['data']

/** A delivery that the page sent again. `ended` is true if its attempt has ended or the server has cancelled the delivery. */
type ResentWebhook = { delivery: ResentDelivery; ended: boolean }
/** The results of one press of the button, and the refusals of the server. */
type ResentSet = { results: readonly ResentWebhook[]; refusals: readonly ResendRefusal[] }
/** The server refused to send this delivery again. */
type ResendRefusal = { id: string; error: unknown }

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

/** Sends deliveries again, each with its own request, and returns the results as they arrive. */
function useResend() {
  const call = useCall()
  const queries = useQueryClient()
  const [set, setSet] = useState<ResentSet | null>(null)
  const [sending, setSending] = useState(false)
  const send = async (ids: readonly string[]) => {
    setSet(null)
    setSending(true)
    const replies = await Promise.allSettled(
      ids.map((id) => call('POST /v1/merchant/webhook-deliveries/{id}/replay', { params: { id } })),
    )
    const sent = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []))
    const refusals = replies.flatMap((reply, i) =>
      reply.status === 'rejected' ? [{ id: ids[i] ?? '', error: reply.reason }] : [],
    )
    const newest = new Map(sent.map((delivery) => [delivery.id, delivery]))
    const ended = (before: ResentDelivery) => {
      const now = newest.get(before.id) ?? before
      return lastNumber(now.attempts) > lastNumber(before.attempts) || now.status === 'cancelled'
    }
    const show = (chosen: readonly ResentDelivery[]) => {
      const results = chosen.map((one) => ({ delivery: newest.get(one.id) ?? one, ended: ended(one) }))
      setSet({ results, refusals })
      // The timeline then shows the attempts of the results.
      return readAgain(queries)
    }
    void show([])
    let shown = 0
    await awaitResults(sent.length, async () => {
      const open = sent.filter((one) => !ended(one)).map(({ id }) => id)
      const read = (id: string) => call('GET /v1/merchant/webhook-deliveries/{id}', { params: { id } })
      const reads = await Promise.all(open.map((id) => read(id).catch(() => null)))
      for (const delivery of reads) if (delivery !== null) newest.set(delivery.id, delivery)
      const results = sent.filter(ended)
      if (results.length > shown) void show(results)
      shown = results.length
      return shown
    })
    setSending(false)
    await show(sent)
  }
  return { send, set, sending }
}

/**
 * Returns the button that sends the newest event of the record to each endpoint that receives it, and the results. A text says
 * how the attempts of waiting deliveries ended. If all deliveries are due without a failed attempt, the button is disabled.
 * If the record has no webhook, or the member may not send webhooks, both are null.
 */
export function useResendWebhook(items: TimelineRead | undefined): { button: ReactNode; result: ReactNode } {
  const t = useTexts(resendTexts)
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const { send, set, sending } = useResend()
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
            {set?.results.map(({ delivery, ended }) => (
              <Stack key={delivery.id} gap={0} className="long-mono">
                <EndpointAddress endpoint_id={delivery.endpoint_id} />
                <ResendResult delivery={delivery} ended={ended} />
              </Stack>
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
  const { id, endpoint_id, event, status, delivered_at } = delivery
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
      <Group gap="md">
        {ended && error !== null && status !== 'cancelled' ? (
          <PageLink to={at(`webhooks?endpoint_id=${endpoint_id}`)}>{t.mend}</PageLink>
        ) : null}
        <PageLink to={at(`webhooks/deliveries/${id}`)}>{t.open}</PageLink>
      </Group>
    </Stack>
  )
}
