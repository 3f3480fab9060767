// One invoice: where it stands, its lines, how it reached the customer, and what can be done with it.

import './collect.css'
import { Button, Stack, Title } from '@mantine/core'
import { useParams, useRouterState } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, Table, Waiting } from '../../ui/list.tsx'
import { Amount, Chip, FactList, Go, Page, When } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showDate, showPhone } from '../../ui/show.ts'
import { useIn } from '../merchant.ts'
import { toneOf, useWords } from '../words.ts'
import { InvoiceActs } from './invoice-acts.tsx'
import { InvoiceMessages, Reach } from './invoice-messages.tsx'
import { invoicesTexts } from './invoices-texts.ts'
import { Payments } from './payments.tsx'
import { Share } from './share.tsx'

/** An invoice as its merchant sees it. */
export type InvoiceRecord = Calls['GET /v1/invoices/{invoice_id}']['data']

/** The page of one invoice. */
export function Invoice() {
  const t = useTexts(invoicesTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const read = useRead('GET /v1/invoices/{invoice_id}', { params: { invoice_id: id } }, { live: true, keep: true })
  const invoice = read.data
  const title = invoice === undefined ? t.title : t.title_of(invoice.number)
  return (
    <Page title={title} lead={invoice?.customer_name} actions={invoice ? <Papers invoice={invoice} /> : null}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {invoice === undefined && !read.error ? <Waiting /> : null}
      {invoice ? (
        <Stack gap="lg">
          <Standing invoice={invoice} />
          <Lines invoice={invoice} />
          <Paying invoice={invoice} />
          <InvoiceMessages invoice_id={invoice.id} />
          <Facts invoice={invoice} />
        </Stack>
      ) : null}
    </Page>
  )
}

function Papers({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const { invoice_url, language, status } = invoice
  // What customers may not read any more has no page.
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

function Standing({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const words = useWords()
  const saved = useRouterState({ select: ({ location }) => (location.state as { saved?: boolean }).saved === true })
  return (
    <section className="panel" aria-labelledby="standing-title">
      <Title order={2} id="standing-title">
        {t.standing}
      </Title>
      <Stack gap="md">
        <div role="status">
          <Chip tone={toneOf(invoice.status)}>{words.invoice(invoice.status)}</Chip>{' '}
          <span>
            {saved && invoice.status === 'DRAFT' ? `${t.saved} ` : ''}
            {t.means[invoice.status]}
          </span>
          <Reach invoice_id={invoice.id} />
        </div>
        <InvoiceActs invoice={invoice} />
      </Stack>
    </section>
  )
}

function Lines({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const { items, currency, total, note } = invoice
  const columns: Column<(typeof items)[number] & { place: number }>[] = [
    { label: t.description, show: ({ description }) => description, wide: true },
    { label: t.quantity, show: ({ quantity }) => quantity, right: true },
    { label: t.unit_price, show: ({ unit_price }) => <Amount value={unit_price} currency={currency} />, right: true },
    { label: t.amount, show: ({ amount }) => <Amount value={amount} currency={currency} />, right: true },
  ]
  return (
    <section className="panel" aria-labelledby="items-title">
      <Title order={2} id="items-title">
        {t.items}
      </Title>
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
    </section>
  )
}

function Paying({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const { payment_link_id: link_id, payment_url: url, payment_link_status, total, currency } = invoice
  if (link_id === null || url === null) return null
  return (
    <>
      {payment_link_status === 'ACTIVE' ? (
        <section className="panel" aria-labelledby="link-title">
          <Title order={2} id="link-title">
            {t.link}
          </Title>
          <Share
            shared={{
              link_id,
              url,
              amount: total,
              currency,
              about: t.title_of(invoice.number),
              phone: invoice.customer_phone,
            }}
          />
        </section>
      ) : null}
      <Payments link_id={link_id} />
    </>
  )
}

function Facts({ invoice }: { invoice: InvoiceRecord }) {
  const t = useTexts(invoicesTexts)
  const at = useIn()
  const language = useLanguage()
  const { paid_collection_id, payment_link_id } = invoice
  return (
    <section className="panel" aria-labelledby="facts-title">
      <Title order={2} id="facts-title">
        {t.details}
      </Title>
      <FactList
        facts={[
          [t.customer, invoice.customer_name],
          [t.phone, invoice.customer_phone === null ? null : showPhone(invoice.customer_phone)],
          [t.email, invoice.customer_email],
          [t.due, showDate(invoice.due_date, language)],
          [t.language, t.languages[invoice.language]],
          [t.created, <When key="" time={invoice.created_at} />],
          invoice.sent_at === null ? null : [t.sent_at, <When key="" time={invoice.sent_at} />],
          invoice.reminders === 0 ? null : [t.reminders, invoice.reminders],
          invoice.paid_at === null ? null : [t.paid_at, <When key="" time={invoice.paid_at} />],
          paid_collection_id === null
            ? null
            : [
                t.paid_by,
                <Go key="" to={at(`collections/${paid_collection_id}`)}>
                  {t.see_payment}
                </Go>,
              ],
          invoice.payment_reversed_at === null
            ? null
            : [t.reversed, <When key="" time={invoice.payment_reversed_at} />],
          payment_link_id === null
            ? null
            : [
                t.link,
                <Go key="" to={at(`links/${payment_link_id}`)}>
                  {t.see_link}
                </Go>,
              ],
        ]}
      />
    </section>
  )
}
