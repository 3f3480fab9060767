// Shows one payment of any merchant: its next step, attempts, status history, postings and webhooks.

import { Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { DeliveryState } from '../../ui/delivery-state.tsx'
import { useTexts } from '../../ui/language.ts'
import { type Column, RecordBody, Table } from '../../ui/list.tsx'
import { networkOfPhone } from '../../ui/network.ts'
import { Amount, FactList, Mono, Page, PageButton, PageLink, Panel, Time } from '../../ui/parts.tsx'
import { postingWords } from '../../ui/posting-words.ts'
import { showAmount, showPhone } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useProviderName } from '../provider-names.ts'
import { HeldHistory } from './clear.tsx'
import { PaymentStatus } from './columns.tsx'
import { paymentTexts } from './payment-texts.ts'

type PaymentRecord = Calls['GET /v1/operator/collections/{collection_id}']['data']

/**
 * Shows the payment whose id is in the address. While the page is open, it reads the payment again every few seconds.
 */
export function PaymentPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useTexts(paymentTexts)
  const params = { collection_id: id }
  const read = useRead('GET /v1/operator/collections/{collection_id}', { params }, { live: true, keep: true })
  const of = read.data
  return (
    <Page
      record
      title={of === undefined ? t.payment : t.one(showAmount(of.amount, of.currency))}
      lead={of === undefined ? undefined : <PaymentStatus of={of} />}
      actions={
        <PageButton to="payments" variant="default" size="xs">
          {t.list}
        </PageButton>
      }
    >
      <RecordBody read={read}>
        {(payment) => (
          <>
            <WaitsFor of={payment} />
            <PaymentFacts of={payment} />
            <AttemptPanel of={payment} />
            {payment.history.length === 0 ? (
              <Panel title={t.history}>
                <Text size="sm">{t.no_history}</Text>
              </Panel>
            ) : (
              <section className="panel">
                <HeldHistory of={payment} order={2} />
              </section>
            )}
            <PostingPanel of={payment} />
            <DeliveryPanel of={payment} />
          </>
        )}
      </RecordBody>
    </Page>
  )
}

function WaitsFor({ of: { waits_for, collection_id } }: { of: PaymentRecord }) {
  const t = useTexts(paymentTexts)
  if (waits_for === null) return null
  const { what, text, since, next_at, until } = waits_for
  const time = (label: string, at: string | null) =>
    at === null ? null : ([label, <Time key={label} time={at} />] as const)
  return (
    <section className="panel flag-warn">
      <Title order={2}>{t.waits}</Title>
      <Stack gap="md">
        <Text fw={600}>{t.what[what] ?? text}</Text>
        <FactList facts={[time(t.since, since), time(t.next_at, next_at), time(t.until, until)]} />
        {what === 'operator_review' ? (
          <PageLink to={`collections?act=case&about=${collection_id}`}>{t.decide}</PageLink>
        ) : null}
      </Stack>
    </section>
  )
}

function PaymentFacts({ of }: { of: PaymentRecord }) {
  const t = useTexts(paymentTexts)
  const words = useWords()
  const { currency, foreign_amount, foreign_currency } = of
  const phone = of.customer_phone
  const payer = [of.customer_name, phone && showPhone(phone), phone && networkOfPhone(phone)]
    .filter(Boolean)
    .join(' · ')
  return (
    <Panel title={t.facts}>
      <FactList
        facts={[
          [t.amount, <Amount key="amount" value={of.amount} currency={currency} />],
          of.amount_received === null
            ? null
            : [t.received, <Amount key="received" value={of.amount_received} currency={currency} />],
          foreign_amount === null || foreign_currency === null
            ? null
            : [t.received, <Amount key="foreign" value={foreign_amount} currency={foreign_currency} />],
          [t.fee, <Amount key="fee" value={of.fee} currency={currency} />],
          [
            t.merchant,
            <span key="merchant">
              <PageLink to={`merchants/${of.merchant_id}`}>{of.merchant_name}</PageLink> <Mono>{of.merchant_code}</Mono>
            </span>,
          ],
          [t.payer, payer || null],
          [t.method, of.method === null ? null : words.method(of.method)],
          [t.reference, of.reference],
          [t.description, of.description],
          of.failure_reason_code === null ? null : [t.reason, words.reason(of.failure_reason_code)],
          [t.time, <Time key="time" time={of.created_at} />],
          [t.id, <Mono key="id">{of.collection_id}</Mono>],
        ]}
      />
    </Panel>
  )
}

function AttemptPanel({ of }: { of: PaymentRecord }) {
  const t = useTexts(paymentTexts)
  const words = useWords()
  const providerName = useProviderName()
  const columns: Column<PaymentRecord['attempts'][number]>[] = [
    { label: t.number, show: ({ number }) => number },
    { label: t.provider, show: ({ provider, method }) => `${providerName(provider)}, ${words.method(method)}` },
    { label: t.provider_reference, show: ({ provider_reference }) => <Mono>{provider_reference}</Mono>, wide: true },
    { label: t.state, show: ({ state }) => t.states[state] ?? state },
    {
      label: t.provider_status,
      show: ({ provider_status, asks }) => `${words.provider_status(provider_status)} · ${t.asks(asks)}`,
    },
    { label: t.sent_at, show: ({ sent_at }) => <Time time={sent_at} /> },
    { label: t.next_at, show: ({ due_at }) => <Time time={due_at} /> },
    { label: t.deadline, show: ({ deadline_at }) => <Time time={deadline_at} /> },
  ]
  return (
    <Panel title={t.attempts}>
      {of.attempts.length === 0 ? (
        <Text size="sm">{t.no_attempts}</Text>
      ) : (
        <Table label={t.attempts} rows={of.attempts} columns={columns} rowKey={({ number }) => String(number)} />
      )}
    </Panel>
  )
}

function PostingPanel({ of }: { of: PaymentRecord }) {
  const t = useTexts(paymentTexts)
  const names = useTexts(postingWords)
  const account = (code: string) => t.accounts[code] ?? code
  const columns: Column<PaymentRecord['postings'][number]>[] = [
    { label: t.time, show: ({ at }) => <Time time={at} /> },
    { label: t.posting, show: ({ posting }) => names[posting] ?? posting },
    { label: t.move, show: ({ debit, credit }) => `${account(debit)} → ${account(credit)}` },
    { label: t.amount, show: ({ amount }) => <Amount value={amount} currency={of.currency} />, right: true },
  ]
  return (
    <Panel title={t.postings}>
      {of.postings.length === 0 ? (
        <Text size="sm">{t.no_postings}</Text>
      ) : (
        <>
          <Table
            label={t.postings}
            rows={of.postings}
            columns={columns}
            rowKey={({ at, posting, debit, credit }) => `${at} ${posting} ${debit} ${credit}`}
          />
          <details className="disclosed">
            <summary>{t.codes}</summary>
            {of.postings.map(({ at, posting, debit, credit }) => (
              <div key={`${at} ${posting} ${debit} ${credit}`}>
                <Mono>{`${posting}: ${debit} → ${credit}`}</Mono>
              </div>
            ))}
          </details>
        </>
      )}
    </Panel>
  )
}

function DeliveryPanel({ of }: { of: PaymentRecord }) {
  const t = useTexts(paymentTexts)
  const errors = useTexts(deliveryErrors)
  const columns: Column<PaymentRecord['deliveries'][number]>[] = [
    { label: t.event, show: ({ event }) => <Mono>{event}</Mono> },
    {
      label: t.status,
      show: ({ status, attempts, next_attempt_at: next_at, delivered_at, last_at }) => (
        <DeliveryState of={{ status, attempts, next_at, delivered_at, last_at }} />
      ),
    },
    {
      label: t.last,
      show: ({ last_status_code: code, last_error: error }) =>
        [code === null ? null : `HTTP ${code}`, error === null ? null : (errors[error] ?? error)]
          .filter((one) => one !== null)
          .join(' · ') || '–',
    },
  ]
  return (
    <Panel title={t.deliveries}>
      {of.deliveries.length === 0 ? (
        <Text size="sm">{t.no_deliveries}</Text>
      ) : (
        <Table label={t.deliveries} rows={of.deliveries} columns={columns} rowKey={({ delivery_id }) => delivery_id} />
      )}
    </Panel>
  )
}
