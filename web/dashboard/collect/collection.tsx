// Shows one payment: its amount, payer, fee and net amount, its actions, and its timeline.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { Customer } from '../../ui/customer.tsx'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/list.tsx'
import { Amount, Chip, CopyButton, FactList, Mono, Page, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { Raw } from '../raw.tsx'
import { StatusMessage } from '../status-message.tsx'
import { Timeline } from '../timeline.tsx'
import { collectionTexts } from './collection-texts.ts'
import { type TimelineRead, useResendWebhook } from './resend-webhook.tsx'

type CollectionDetail = Calls['GET /v1/collections/{collection_id}']['data']

const TIMELINE = 'GET /v1/collections/{collection_id}/timeline'

/**
 * Shows the payment whose id is in the address. While the page is open, it reads the payment again every few seconds.
 */
export function Collection() {
  const t = useTexts(collectionTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const params = { collection_id: id }
  const read = useRead('GET /v1/collections/{collection_id}', { params }, { live: true, keep: true })
  const record = read.data
  const title = record === undefined ? t.title : t.title_of(showAmount(record.amount, record.currency))
  return (
    <Page record title={title} lead={record ? <PaymentLead record={record} /> : null}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {record === undefined && !read.error ? <LoadingRows /> : null}
      {record ? (
        <Stack gap="lg">
          <CollectionFacts record={record} />
          <Timeline name={TIMELINE} params={params} />
          <details className="disclosed">
            <summary>{t.raw}</summary>
            <Raw text={JSON.stringify(record, null, 2)} label={t.raw} copy={t.copy_raw} />
          </details>
        </Stack>
      ) : null}
    </Page>
  )
}

function PaymentLead({ record }: { record: CollectionDetail }) {
  const words = useWords()
  return (
    <>
      <Chip tone={toneOf(record.status)}>{words.collection(record.status)}</Chip> <Time time={record.created_at} />
    </>
  )
}

/**
 * Returns the provider's reference of the newest attempt. Null means that the page knows no attempt, or that the newest attempt
 * has no reference.
 */
function providerReference(items: TimelineRead | undefined): string | null {
  const attempts = items?.filter((item) => item.kind === 'attempt') ?? []
  return attempts.at(-1)?.provider_reference ?? null
}

function CollectionFacts({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const params = { collection_id: record.collection_id }
  const items = useRead(TIMELINE, { params }, { live: true, keep: true }).data?.items
  const reference = providerReference(items)
  const { status, amount, amount_received, currency, foreign_amount, foreign_currency, fee, net_amount } = record
  const differs = amount_received !== null && amount_received !== amount
  const money = (value: number) => <Amount key="" value={value} currency={currency} />
  return (
    <section className="panel" aria-labelledby="status-title">
      <Title order={2} id="status-title">
        {t.status_title}
      </Title>
      <Stack gap="md">
        <div role="status">
          <Chip tone={toneOf(status)}>{words.collection(status)}</Chip> <span>{t.means[status]}</span>
        </div>
        <FactList
          facts={[
            [t.amount, money(amount)],
            foreign_amount === null || foreign_currency === null
              ? null
              : [t.foreign_received, <Amount key="" value={foreign_amount} currency={foreign_currency} />],
            differs ? [t.received, money(amount_received)] : null,
            [t.payer, <Customer key="" name={record.customer_name} phone={record.customer_phone} />],
            fee === null ? null : [t.fee, money(fee)],
            net_amount === null ? null : [t.net, <strong key="">{money(net_amount)}</strong>],
            [t.method, words.method(record.method)],
            [t.reference, record.reference ?? '–'],
            record.failure_reason_code === null ? null : [t.reason, words.reason(record.failure_reason_code)],
            [t.provider_status, words.provider_status(record.provider_payment_status)],
            reference === null
              ? null
              : [
                  t.provider_reference,
                  <span key="">
                    <Mono>{reference}</Mono> <CopyButton text={reference} />
                  </span>,
                ],
            [t.created, <Time key="" time={record.created_at} />],
            [t.updated, <Time key="" time={record.updated_at} />],
            [
              t.id,
              <span key="">
                <Mono>{record.collection_id}</Mono> <CopyButton text={record.collection_id} />
              </span>,
            ],
          ]}
        />
        <PaymentActs key={record.collection_id} record={record} items={items} />
      </Stack>
    </section>
  )
}

function PaymentActs({ record, items }: { record: CollectionDetail; items: TimelineRead | undefined }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const refresh = useAction('POST /v1/collections/{collection_id}/refresh-status')
  const resend = useResendWebhook(items)
  const [before, setBefore] = useState(record.status)
  const query = () => {
    setBefore(record.status)
    refresh.mutate({ params: { collection_id: record.collection_id } })
  }
  const now = refresh.data?.status
  const said = now === undefined ? '' : (now === before ? t.unchanged : t.changed)(words.collection(now))
  const receipt =
    record.payment_url !== null && record.status === 'successful'
      ? `${record.payment_url}/c/${record.collection_id}/receipt`
      : null
  return (
    <Stack gap="xs" className="no-print">
      <Group gap="xs">
        {record.method === null ? null : (
          <Button variant="default" loading={refresh.isPending} onClick={query}>
            {t.refresh}
          </Button>
        )}
        {resend.button}
        {receipt === null ? null : (
          <Button component="a" variant="default" href={receipt} target="_blank" rel="noreferrer">
            {t.receipt}
          </Button>
        )}
        {record.payment_url === null ? null : (
          <Button component="a" variant="default" href={record.payment_url} target="_blank" rel="noreferrer">
            {t.open_page}
          </Button>
        )}
      </Group>
      {record.method === null ? <Text size="sm">{t.no_attempt_yet}</Text> : null}
      {resend.result}
      <StatusMessage>{said}</StatusMessage>
      <Problem error={refresh.error} retry={query} />
    </Stack>
  )
}
