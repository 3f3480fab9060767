// Sends the newest webhook of a payment now or again, waits for the attempt, and shows its result.

import { Button, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { useTexts } from '../../ui/language.ts'
import { PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { resendTexts } from './resend-texts.ts'

/** The events of a payment's timeline. */
export type TimelineRead = Calls['GET /v1/collections/{collection_id}/timeline']['data']['items']
type WebhookItem = Extract<TimelineRead[number], { kind: 'webhook' }>
type ResentDelivery = Calls['GET /v1/merchant/webhook-deliveries/{id}']['data']

/** The pause between two reads of the delivery, in milliseconds. */
const LOOK_MS = 500
/** After this time in milliseconds, the page stops waiting for the result. The server waits 8 seconds for a receiver. */
const PATIENCE_MS = 30_000

const lastNumber = ({ attempts }: ResentDelivery) => attempts.at(-1)?.number ?? 0

/** A delivery that the page sent again, and the number of its last attempt before. */
type ResentWebhook = { id: string; attempts_before: number }

/**
 * Reads a delivery until its next attempt has ended, or until the page stops waiting. `ended` is true if the attempt has ended
 * or the server has cancelled the delivery.
 */
function useNextAttempt(resent: ResentWebhook | null) {
  const queries = useQueryClient()
  const [finished, setFinished] = useState<ResentWebhook | null>(null)
  const waiting = resent !== null && finished !== resent
  const { data, error } = useRead(
    'GET /v1/merchant/webhook-deliveries/{id}',
    { params: { id: resent?.id ?? '' } },
    { enabled: waiting, live: LOOK_MS },
  )
  const ended =
    resent !== null && data !== undefined && (lastNumber(data) > resent.attempts_before || data.status === 'cancelled')
  useEffect(() => {
    if (!waiting) return
    const finish = () => {
      setFinished(resent)
      // The timeline then shows the attempt of the result.
      void queries.invalidateQueries()
    }
    if (ended) return finish()
    const patience = setTimeout(finish, PATIENCE_MS)
    return () => clearTimeout(patience)
  }, [waiting, ended, resent, queries])
  // While the page waits, it hides an error, because a later read may succeed.
  return { delivery: data, error: resent === null || waiting ? null : error, waiting, ended }
}

/**
 * Returns the button that sends the newest webhook of the payment, and the result. If the delivery waits for its retry, the
 * button sends it now, and a text says how the attempts before ended. If the delivery is due without a failed attempt, the
 * button is disabled. If the payment has no webhook, or the member may not send webhooks, both are null.
 */
export function useResendWebhook(items: TimelineRead | undefined): { button: ReactNode; result: ReactNode } {
  const t = useTexts(resendTexts)
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const replay = useAction('POST /v1/merchant/webhook-deliveries/{id}/replay')
  const [resent, setResent] = useState<ResentWebhook | null>(null)
  const { delivery, error, waiting, ended } = useNextAttempt(resent)
  const webhooks = items?.filter((item) => item.kind === 'webhook') ?? []
  const last = webhooks.at(-1)
  if (!develops || last === undefined) return { button: null, result: null }
  const send = () => {
    setResent(null)
    replay.mutate(
      { params: { id: last.delivery_id } },
      { onSuccess: (sent) => setResent({ id: sent.id, attempts_before: lastNumber(sent) }) },
    )
  }
  const sending = replay.isPending || waiting
  const queued = last.number === 0 || last.next_attempt_at !== null
  const retries = queued && last.number > 0 && !last.delivered
  return {
    button: (
      <Button variant="default" loading={sending} disabled={queued && !retries && !sending} onClick={send}>
        {sending ? t.sending : retries ? t.send_now : t.resend}
      </Button>
    ),
    result: (
      <>
        {queued && !sending && delivery === undefined ? (
          <QueuedWebhook last={last} attempts={webhooks.filter((item) => item.delivery_id === last.delivery_id)} />
        ) : null}
        <div role="status">
          {sending ? <Text size="sm">{t.sending}</Text> : null}
          {sending || delivery === undefined || error !== null ? null : (
            <ResendResult delivery={delivery} ended={ended} />
          )}
        </div>
        <Problem error={replay.error ?? error} />
      </>
    ),
  }
}

/** Says how the attempts of a delivery that waits ended, and when the server tries next. */
function QueuedWebhook({ last, attempts }: { last: WebhookItem; attempts: readonly WebhookItem[] }) {
  const t = useTexts(resendTexts)
  const errors = useTexts(deliveryErrors)
  const { event, number, status_code, error, delivered, next_attempt_at } = last
  const failed = attempts.filter((one) => one.number > 0 && !one.delivered).length
  const text =
    number === 0
      ? t.untried(event)
      : delivered
        ? t.repeats(event)
        : status_code === null
          ? t.unanswered(event, failed, errors[error ?? ''] ?? error ?? '')
          : t.rejected(event, failed, status_code)
  return (
    <Text size="sm">
      {text}
      {next_attempt_at === null ? null : (
        <>
          {' '}
          {t.next} <Time time={next_attempt_at} /> (EAT).
        </>
      )}
    </Text>
  )
}

/** Shows the result of the attempt. If the webhook did not arrive and the server retries, also shows when. */
function ResendResult({ delivery, ended }: { delivery: ResentDelivery; ended: boolean }) {
  const t = useTexts(resendTexts)
  const errors = useTexts(deliveryErrors)
  const at = useEnvironmentPath()
  const { id, event, status, next_attempt_at } = delivery
  const { status_code = null, error = null } = delivery.attempts.at(-1) ?? {}
  const delivered = ended && status !== 'cancelled' && error === null
  const reason = status === 'cancelled' ? 'endpoint_deleted' : (error ?? '')
  const text = !ended
    ? t.late(event)
    : delivered
      ? t.delivered(event, status_code ?? 200)
      : status_code === null
        ? t.failed(event, errors[reason] ?? reason)
        : t.refused(event, status_code)
  return (
    <Stack gap="xs">
      <Text size="sm">
        {text}
        {delivered || next_attempt_at === null ? null : (
          <>
            {' '}
            {t.next} <Time time={next_attempt_at} />.
          </>
        )}
      </Text>
      <span>
        <PageLink to={at(`webhooks/deliveries/${id}`)}>{t.open}</PageLink>
      </span>
    </Stack>
  )
}
