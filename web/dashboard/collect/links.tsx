// Shows the payment links of the environment, newest first.

import './collect.css'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, hasNoRecord, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, PageButton, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { linksTexts } from './links-texts.ts'

type PaymentLinkRow = Calls['GET /v1/payment-links']['data']['items'][number]

/**
 * Shows the list with filters and CSV export. Only administrators and finance members see the button for a new link.
 */
export function Links() {
  const t = useTexts(linksTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: words.choices('link') },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/payment-links', { query: list.query }, { live: true, keep: true })
  const columns: Column<PaymentLinkRow>[] = [
    { label: t.created, show: (row) => <Time time={row.created_at} /> },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.link(row.status)}</Chip> },
    { label: t.description, show: (row) => <span className="clamp">{row.description ?? '–'}</span> },
    { label: t.customer, show: (row) => <span className="clamp">{row.customer_name ?? '–'}</span> },
  ]
  const lines = (row: PaymentLinkRow): RowLines => ({
    title: <Amount value={row.amount} currency={row.currency} />,
    status: <Chip tone={toneOf(row.status)}>{words.link(row.status)}</Chip>,
    facts: [row.customer_name, row.description, <Time key="" time={row.created_at} />],
  })
  const make = may ? <PageButton to={at('links/new')}>{t.make}</PageButton> : null
  return (
    <Page title={t.title} lead={t.lead} actions={hasNoRecord(read, list) ? null : make}>
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines }}
        rowKey={(row) => row.id}
        href={(row) => at(`links/${row.id}`)}
        csv={{ name: 'GET /v1/payment-links/export.csv', file: 'payment-links.csv' }}
        empty={
          <EmptyState title={t.empty} action={make}>
            {t.teach}
          </EmptyState>
        }
      />
    </Page>
  )
}
