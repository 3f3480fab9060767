// Shows the invoices of the environment, newest first.

import './collect.css'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, hasNoRecord, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, PageButton } from '../../ui/parts.tsx'
import { showDate } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { invoicesTexts } from './invoices-texts.ts'
import { useMayCollect } from './not-yours.tsx'

type InvoiceRow = Calls['GET /v1/invoices']['data']['items'][number]

/**
 * Shows the list with a status filter and CSV export. While the page is open, it reads the list again every few seconds.
 */
export function Invoices() {
  const t = useTexts(invoicesTexts)
  const language = useLanguage()
  const words = useWords()
  const at = useEnvironmentPath()
  const may = useMayCollect()
  const filters: ListFilter[] = [{ name: 'status', label: t.status, kind: 'choice', choices: words.choices('invoice') }]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/invoices', { query: list.query }, { live: true, keep: true })
  const columns: Column<InvoiceRow>[] = [
    { label: t.number, show: (row) => row.number },
    { label: t.customer, show: (row) => <span className="clamp">{row.customer_name}</span> },
    { label: t.total, show: (row) => <Amount value={row.total} currency={row.currency} />, right: true },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.invoice(row.status)}</Chip> },
    { label: t.due, show: (row) => showDate(row.due_date, language) },
  ]
  const lines = (row: InvoiceRow): RowLines => ({
    title: <Amount value={row.total} currency={row.currency} />,
    status: <Chip tone={toneOf(row.status)}>{words.invoice(row.status)}</Chip>,
    facts: [
      <span key="number" className="whole">
        {row.number}
      </span>,
      row.customer_name,
      <span key="due" className="own-line">
        {t.due_on(showDate(row.due_date, language))}
      </span>,
    ],
  })
  const make = may ? <PageButton to={at('invoices/new')}>{t.make}</PageButton> : null
  return (
    <Page title={t.title} lead={t.lead} actions={hasNoRecord(read, list) ? null : make}>
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines }}
        rowKey={(row) => row.id}
        href={(row) => at(`invoices/${row.id}`)}
        csv={{ name: 'GET /v1/invoices/export.csv', file: 'invoices.csv' }}
        empty={
          <EmptyState title={t.empty} action={make}>
            {t.teach}
          </EmptyState>
        }
      />
    </Page>
  )
}
