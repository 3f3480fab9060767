// Invoices, newest first.

import './collect.css'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { type Column, type Filter, List, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, Empty, GoButton, Page } from '../../ui/parts.tsx'
import { showDate } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useIn } from '../merchant.ts'
import { invoicesTexts } from './invoices-texts.ts'
import { useCollects } from './not-yours.tsx'

type Row = Calls['GET /v1/invoices']['data']['items'][number]

/** The list of invoices. */
export function Invoices() {
  const t = useTexts(invoicesTexts)
  const language = useLanguage()
  const words = useWords()
  const at = useIn()
  const may = useCollects()
  const filters: Filter[] = [{ name: 'status', label: t.status, kind: 'choice', choices: words.choices('invoice') }]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/invoices', { query: list.query }, { live: true, keep: true })
  const columns: Column<Row>[] = [
    { label: t.number, show: (row) => row.number },
    { label: t.customer, show: (row) => <span className="clamp">{row.customer_name}</span> },
    { label: t.total, show: (row) => <Amount value={row.total} currency={row.currency} />, right: true },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.invoice(row.status)}</Chip> },
    { label: t.due, show: (row) => showDate(row.due_date, language) },
  ]
  const make = may ? <GoButton to={at('invoices/new')}>{t.make}</GoButton> : null
  return (
    <Page title={t.title} lead={t.lead} actions={make}>
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.id}
        href={(row) => at(`invoices/${row.id}`)}
        csv={{ name: 'GET /v1/invoices/export.csv', file: 'invoices.csv' }}
        empty={
          <Empty title={t.empty} action={make}>
            {t.teach}
          </Empty>
        }
      />
    </Page>
  )
}
