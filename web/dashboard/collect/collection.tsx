// Shows one payment: its status, payer and fee, its actions, its details and its timeline.

import './collect.css'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { Customer } from '../../ui/customer.tsx'
import { useAction, useRead } from '../../ui/data.ts'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Chip, CopyButton, FactList, Mono, Page, PageButton, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
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
    <Page record title={title} lead={record ? <Time time={record.created_at} /> : null}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {record === undefined && !read.error ? <LoadingRows /> : null}
      {record ? (
        <Stack gap="lg">
          <PaymentHead record={record} />
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

/**
 * Returns the provider's reference of the newest attempt. Null means that the page knows no attempt, or that the newest attempt
 * has no reference.
 */
function providerReference(items: TimelineRead | undefined): string | null {
  const attempts = items?.filter((item) => item.kind === 'attempt') ?? []
  return attempts.at(-1)?.provider_reference ?? null
}

/** Shows the facts and the actions that a member needs first, so that a phone shows them without scrolling. */
function PaymentHead({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const params = { collection_id: record.collection_id }
  const items = useRead(TIMELINE, { params }, { live: true, keep: true }).data?.items
  const reference = providerReference(items)
  const statusLine = useRef<HTMLDivElement>(null)
  const { status, currency, fee, net_amount, customer_name, customer_phone } = record
  const money = (value: number) => <Amount key="" value={value} currency={currency} />
  return (
    <Stack gap="sm" className="record-head">
      <div role="status" ref={statusLine} tabIndex={-1}>
        <Chip tone={toneOf(status)}>{words.collection(status)}</Chip> <span>{t.means[status]}</span>
      </div>
      <FactList
        facts={[
          [t.payer, <Customer key="" name={customer_name} phone={customer_phone} />, 'wide'],
          net_amount === null ? null : [t.net, <strong key="">{money(net_amount)}</strong>],
          fee === null ? null : [t.fee, money(fee)],
          reference === null ? null : [t.provider_reference, <Copyable key="" text={reference} />, 'wide'],
        ]}
      />
      <PaymentActs key={record.collection_id} record={record} items={items} statusLine={statusLine} />
    </Stack>
  )
}

/** Shows a reference and the button that copies it on one line. */
function Copyable({ text }: { text: string }) {
  return (
    <span className="copyable">
      <Mono>{text}</Mono> <CopyButton text={text} />
    </span>
  )
}

function CollectionFacts({ record }: { record: CollectionDetail }) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const { amount, amount_received, currency, foreign_amount, foreign_currency } = record
  const differs = amount_received !== null && amount_received !== amount
  const money = (value: number) => <Amount key="" value={value} currency={currency} />
  return (
    <section className="panel" aria-labelledby="details-title">
      <Title order={2} id="details-title">
        {t.details_title}
      </Title>
      <FactList
        facts={[
          [t.amount, money(amount)],
          foreign_amount === null || foreign_currency === null
            ? null
            : [t.foreign_received, <Amount key="" value={foreign_amount} currency={foreign_currency} />],
          differs ? [t.received, money(amount_received)] : null,
          [t.method, words.method(record.method)],
          [t.reference, record.reference ?? '–'],
          record.failure_reason_code === null ? null : [t.reason, words.reason(record.failure_reason_code)],
          [t.provider_status, words.provider_status(record.provider_payment_status)],
          [t.created, <Time key="" time={record.created_at} />],
          [t.updated, <Time key="" time={record.updated_at} />],
          [t.id, <Copyable key="" text={record.collection_id} />, 'wide'],
        ]}
      />
    </section>
  )
}

/** Shows the actions on a payment. `statusLine` is the line of its status. */
function PaymentActs({
  record,
  items,
  statusLine,
}: {
  record: CollectionDetail
  items: TimelineRead | undefined
  statusLine: RefObject<HTMLElement | null>
}) {
  const t = useTexts(collectionTexts)
  const words = useWords()
  const refresh = useAction('POST /v1/collections/{collection_id}/refresh-status')
  const resend = useResendWebhook(items)
  const [before, setBefore] = useState(record.status)
  // The provider has more to say about an open payment. After that, the merchant rather wants the receipt and the webhook.
  const paid = record.status === 'successful'
  const open = !paid && record.status !== 'failed' && record.status !== 'reversed'
  // A final payment has the button at another place, so the button loses the focus.
  const startQuery = useFocusAfterRemoval(!open, refresh.isPending, statusLine)
  const query = () => {
    setBefore(record.status)
    if (open) startQuery()
    refresh.mutate({ params: { collection_id: record.collection_id } })
  }
  const now = refresh.data?.status
  const said = now === undefined ? '' : (now === before ? t.unchanged : t.changed)(words.collection(now))
  const at = useEnvironmentPath()
  const ask =
    record.method === null ? null : (
      <BusyButton variant="default" busy={refresh.isPending} onClick={query}>
        {t.refresh}
      </BusyButton>
    )
  return (
    <Stack gap="xs" className="no-print">
      <Group gap="xs">
        {open ? ask : null}
        {!paid ? null : record.payment_url === null ? (
          <PageButton variant="default" to={at(`collections/${record.collection_id}/receipt`)}>
            {t.receipt}
          </PageButton>
        ) : (
          <Button
            component="a"
            variant="default"
            href={`${record.payment_url}/c/${record.collection_id}/receipt`}
            target="_blank"
            rel="noreferrer"
          >
            {t.receipt}
          </Button>
        )}
        {resend.button}
        {record.payment_url === null ? null : (
          <Button component="a" variant="default" href={record.payment_url} target="_blank" rel="noreferrer">
            {t.open_page}
          </Button>
        )}
        {open ? null : ask}
      </Group>
      {record.method === null ? <Text size="sm">{t.no_attempt_yet}</Text> : null}
      {resend.result}
      <StatusMessage>{said}</StatusMessage>
      <Problem error={refresh.error} retry={query} />
    </Stack>
  )
}
