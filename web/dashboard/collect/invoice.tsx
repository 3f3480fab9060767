// Shows one invoice: its status, its items, its payments, its messages, and its actions.

import './collect.css'
import { Button, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, RecordBody, Table } from '../../ui/list.tsx'
import { Amount, Chip, FactList, Page, Panel, Time } from '../../ui/parts.tsx'
import { showDate, showPhone, showTime } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { useMetadataFact } from '../metadata.tsx'
import { InvoiceActs, type InvoiceRecord } from './invoice-acts.tsx'
import { InvoiceMessages, Reach } from './invoice-messages.tsx'
import { forgetInvoiceResult, type InvoiceResult, invoiceResultOf } from './invoice-results.ts'
import { useInvoiceWays, useNothingSent } from './invoice-ways.ts'
import { invoicesTexts } from './invoices-texts.ts'
import { PaymentsOfLink } from './payments.tsx'
import { linkFact } from './record-parts.tsx'
import { Share } from './share.tsx'

/**
 * Shows the invoice whose id is in the address. While the page is open, it reads the invoice again every few seconds.
 */
export function Invoice() {
  const t = useTexts(invoicesTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const read = useRead('GET /v1/invoices/{invoice_id}', { params: { invoice_id: id } }, { live: true, keep: true })
  const invoice = read.data
  const title = invoice === undefined ? t.title : t.title_of(invoice.number)
  return (
    <Page
      record
      title={title}
      lead={invoice?.customer_name}
      actions={invoice ? <CustomerPages invoice={invoice} /> : null}
    >
      <RecordBody read={read}>
        {(record) => (
          <Stack gap="lg">
            <InvoiceStatus key={record.id} invoice={record} />
            <ShareInvoice invoice={record} />
            <InvoiceItems invoice={record} />
            {record.payment_link_id === null ? null : <PaymentsOfLink link_id={record.payment_link_id} />}
            <InvoiceMessages invoice_id={record.id} />
            <InvoiceFacts invoice={record} />
          </Stack>
        )}
      </RecordBody>
    </Page>
  )
}

function CustomerPages({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const { invoice_url, language, status } = invoice
  // A draft has no public page, because the customer may not read the invoice yet.
  if (invoice_url === null || status === 'CANCELLED') return null
  return (
    <>
      <Button
        component="a"
        variant="default"
        href={`${invoice_url}.pdf?lang=${language}`}
        target="_blank"
        rel="noreferrer"
      >
        {t.pdf}
      </Button>
      <Button component="a" variant="default" href={`${invoice_url}?lang=${language}`} target="_blank" rel="noreferrer">
        {t.as_customer}
      </Button>
    </>
  )
}

/**
 * Shows the status with the result of the last action. The focus moves to each result, so that a screen reader announces also
 * the same result again.
 */
function InvoiceStatus({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const words = useWords()
  const [result, setResult] = useState(() => invoiceResultOf(invoice.id))
  const status = useRef<HTMLDivElement>(null)
  useEffect(() => forgetInvoiceResult(invoice.id), [invoice.id])
  useEffect(() => {
    if (result !== null && result.act !== 'saved') status.current?.focus()
  }, [result])
  const result_text = useResultText(result)
  // The text of an issued invoice already says what the status SENT means.
  const shows_reach = invoice.status === 'SENT' || invoice.status === 'OVERDUE'
  const is_said = invoice.status === 'SENT' && result !== null && 'at' in result
  return (
    <Panel title={t.status_title} id="status-title">
      <div role="status" ref={status} tabIndex={-1}>
        <Chip tone={toneOf(invoice.status)}>{words.invoice(invoice.status)}</Chip> <span>{result_text}</span>{' '}
        {is_said ? null : <span>{t.means[invoice.status]}</span>}
        {/* After the payment or the cancellation, the customer needs no link any more. */}
        {shows_reach ? <Reach invoice_id={invoice.id} /> : null}
      </div>
      <InvoiceActs invoice={invoice} done={setResult} />
    </Panel>
  )
}

/** Describes the result of the last action. Without a result, returns an empty text. */
function useResultText(result: InvoiceResult | null): string {
  const t = useTexts(invoicesTexts)
  const language = useLanguage()
  if (result === null) return ''
  return 'at' in result ? t[result.act](showTime(result.at, language)) : t[result.act]
}

function InvoiceItems({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const { items, currency, total, note } = invoice
  const columns: Column<(typeof items)[number] & { place: number }>[] = [
    { label: t.description, show: ({ description }) => description, wide: true },
    { label: t.quantity, show: ({ quantity }) => quantity, right: true },
    { label: t.unit_price, show: ({ unit_price }) => <Amount value={unit_price} currency={currency} />, right: true },
    { label: t.amount, show: ({ amount }) => <Amount value={amount} currency={currency} />, right: true },
  ]
  return (
    <Panel title={t.items} id="items-title">
      <div>
        <Table
          label={t.items}
          rows={items.map((item, place) => ({ ...item, place }))}
          columns={columns}
          rowKey={({ place }) => String(place)}
        />
        <p className="item-total">
          <span>{t.total}</span>
          <Amount value={total} currency={currency} />
        </p>
        {note === null ? null : <p className="prose">{note}</p>}
      </div>
    </Panel>
  )
}

/** Shows the active payment link and the ways to share it. Says if the server sends no message to the customer. */
function ShareInvoice({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const nothing_sent = useNothingSent(useInvoiceWays(invoice))
  const { payment_url: url, payment_link_status, total, currency } = invoice
  if (url === null || payment_link_status !== 'ACTIVE') return null
  return (
    <Panel title={t.link} id="link-title">
      {nothing_sent === null ? null : (
        <Text>
          {nothing_sent} {t.share_yourself}
        </Text>
      )}
      <Share
        shared={{ url, amount: total, currency, about: t.title_of(invoice.number), phone: invoice.customer_phone }}
      />
    </Panel>
  )
}

function InvoiceFacts({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const at = useEnvironmentPath()
  const language = useLanguage()
  const metadata = useMetadataFact(invoice.metadata)
  const { paid_collection_id, payment_link_id } = invoice
  return (
    <Panel title={t.details} id="facts-title">
      <FactList
        facts={[
          [t.customer, invoice.customer_name],
          [t.phone, invoice.customer_phone === null ? null : showPhone(invoice.customer_phone)],
          [t.email, invoice.customer_email],
          [t.due, showDate(invoice.due_date, language)],
          [t.language, t.languages[invoice.language]],
          [t.created, <Time key="" time={invoice.created_at} />],
          invoice.sent_at === null ? null : [t.sent_at, <Time key="" time={invoice.sent_at} />],
          invoice.reminders === 0 ? null : [t.reminders, invoice.reminders],
          invoice.paid_at === null ? null : [t.paid_at, <Time key="" time={invoice.paid_at} />],
          linkFact(t.paid_by, paid_collection_id && at(`collections/${paid_collection_id}`), t.see_payment),
          invoice.payment_reversed_at === null
            ? null
            : [t.reversed, <Time key="" time={invoice.payment_reversed_at} />],
          linkFact(t.link, payment_link_id && at(`links/${payment_link_id}`), t.see_link),
          metadata,
        ]}
      />
    </Panel>
  )
}
