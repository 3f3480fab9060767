// Shows one webhook delivery: the payload, and each attempt with the response.

import { Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { BusyButton } from '../../ui/busy-button.tsx'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Chip, CopyButton, FactList, Mono, Page, PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showDuration } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import {
  AttemptResult,
  canSendDelivery,
  type DeliveryAttempt,
  DeliveryStatus,
  isTest,
  type WebhookDelivery,
} from './delivery-parts.tsx'
import { ENDPOINTS } from './webhook-endpoints.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

/**
 * Returns true if the endpoint of the delivery no longer exists. Undefined means that the page does not know it yet. If the
 * read of the endpoints fails, returns false, and the server decides.
 */
function useEndpointRemoved(row: WebhookDelivery | undefined): boolean | undefined {
  const other = row !== undefined && row.endpoint_id !== 'default'
  const { data, error } = useRead(ENDPOINTS, {}, { enabled: other })
  if (!other || error !== null) return false
  return data === undefined ? undefined : !data.items.some(({ id }) => id === row.endpoint_id)
}

/**
 * Shows the delivery whose id is in the address. While the page is open, it reads the delivery again every few seconds.
 */
export function DeliveryPage() {
  const t = useTexts(webhooksTexts)
  const { delivery_id: id } = useParams({ strict: false }) as { delivery_id: string }
  const read = useRead('GET /v1/merchant/webhook-deliveries/{id}', { params: { id } }, { live: true })
  const replay = useAction('POST /v1/merchant/webhook-deliveries/{id}/replay')
  const [sent_now, setSentNow] = useState(false)
  const row = read.data
  const at = useEnvironmentPath()
  const removed = useEndpointRemoved(row)
  if (row === undefined) {
    return (
      <Page title={t.one}>
        {read.error ? <Problem error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  const waits = row.status === 'pending' && canSendDelivery(row)
  // Until the page reads the result of the attempt, the button stays busy.
  const sending = replay.isPending || (replay.isSuccess && replay.data.attempts.length === row.attempts.length)
  const send = () => {
    setSentNow(waits)
    replay.mutate({ params: { id } })
  }
  const again =
    (canSendDelivery(row) || sending) && removed === false ? (
      <BusyButton busy={sending} onClick={send}>
        {waits ? t.send_now : t.replay}
      </BusyButton>
    ) : null
  const pretty = JSON.stringify(row.payload, null, 2)
  return (
    <Page record title={t.event[row.event] ?? row.event} lead={<DeliveryLead row={row} />} actions={again}>
      <Problem error={replay.error} />
      <StatusMessage>{!replay.isSuccess ? '' : sent_now ? t.sent_now : t.replay_queued}</StatusMessage>
      {removed === true ? (
        <Stack gap="xs">
          <Text size="sm">{t.removed_help}</Text>
          <span>
            <PageLink to={at('webhooks')}>{t.removed_link}</PageLink>
          </span>
        </Stack>
      ) : null}
      {row.status === 'pending' && removed !== true ? (
        <Text size="sm">
          {t.pending_help} {waits ? t.send_now_help : null}
        </Text>
      ) : null}
      <DeliveryFacts row={row} />
      <section className="panel">
        <Title order={2}>{t.body}</Title>
        <Stack gap="sm">
          <pre className="body">{pretty}</pre>
          <span>
            <CopyButton text={pretty} />
          </span>
        </Stack>
      </section>
      <section>
        <Stack gap="sm">
          <Title order={2}>{t.attempts}</Title>
          {row.attempts.length === 0 ? <Text>{t.no_attempt}</Text> : <AttemptTable attempts={row.attempts} />}
        </Stack>
      </section>
    </Page>
  )
}

function DeliveryLead({ row }: { row: WebhookDelivery }) {
  const t = useTexts(webhooksTexts)
  return (
    <>
      <DeliveryStatus row={row} /> {isTest(row) ? <Chip tone="plain">{t.test_mark}</Chip> : null} {t.event_of}{' '}
      <Time time={row.created_at} />
    </>
  )
}

function DeliveryFacts({ row }: { row: WebhookDelivery }) {
  const t = useTexts(webhooksTexts)
  const at = useEnvironmentPath()
  const { collection_id, disbursement_id } = row.payload as Record<string, unknown>
  const about = isTest(row) ? null : typeof collection_id === 'string' ? (
    <PageLink to={at(`collections/${collection_id}`)}>{t.payment}</PageLink>
  ) : typeof disbursement_id === 'string' ? (
    <PageLink to={at(`withdrawals/${disbursement_id}`)}>{t.withdrawal}</PageLink>
  ) : null
  return (
    <section className="panel">
      <Title order={2}>{t.facts}</Title>
      <FactList
        facts={[
          [t.event_name, <Mono key="event">{row.event}</Mono>],
          row.endpoint_id === 'default' ? null : [t.endpoint, <Mono key="endpoint">{row.endpoint_id}</Mono>],
          [t.last, <AttemptResult key="last" attempt={row.attempts.at(-1)} />],
          row.delivered_at === null ? null : [t.arrived, <Time key="arrived" time={row.delivered_at} />],
          row.next_attempt_at === null ? null : [t.next, <Time key="next" time={row.next_attempt_at} />],
          [t.about, about],
          [
            t.id,
            <span key="id">
              <Mono>{row.id}</Mono> <CopyButton text={row.id} />
            </span>,
          ],
        ]}
      />
    </section>
  )
}

function AttemptTable({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  const t = useTexts(webhooksTexts)
  return (
    <Table
      label={t.attempts}
      rows={[...attempts].reverse()}
      rowKey={(attempt) => String(attempt.number)}
      columns={[
        { label: t.number, show: ({ number }) => number },
        { label: t.time, show: ({ at }) => <Time time={at} /> },
        { label: t.code, show: ({ status_code }) => status_code ?? t.none_code },
        { label: t.took, show: ({ duration_ms }) => showDuration(duration_ms), right: true },
        { label: t.problem, show: ({ error }) => (error === null ? '–' : (t.error[error] ?? error)) },
        {
          label: t.answer,
          show: ({ response_body }) =>
            response_body === null || response_body === '' ? '–' : <pre className="body">{response_body}</pre>,
          wide: true,
        },
      ]}
    />
  )
}
