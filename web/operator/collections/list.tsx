// Shows the payments of all merchants, of every status.

import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { Amount, EmptyState, Page, PageButton, Time } from '../../ui/parts.tsx'
import { useWords } from '../../ui/words.ts'
import { MERCHANT_FILTER, MerchantFilter } from '../merchant-filter.tsx'
import { PaymentStatus, partyColumns, paymentLines, useFurtherColumns } from './columns.tsx'
import { paymentTexts } from './payment-texts.ts'
import type { CollectionRow } from './record.ts'

const METHODS = ['wallet_push', 'provider_pesa', 'qr']

/**
 * Shows the payments of both environments, with filters. While the page is open, it reads the list again every few seconds.
 */
export function Payments() {
  const t = useTexts(paymentTexts)
  const words = useWords()
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: words.choices('collection') },
    { name: 'environment', label: t.environment, kind: 'choice', choices: words.choices('environment') },
    {
      name: 'method',
      label: t.method,
      kind: 'choice',
      choices: METHODS.map((method) => [method, words.method(method)] as const),
    },
    { name: 'reference', label: t.reference, kind: 'text', as_typed: true },
    { name: 'phone', label: t.phone, kind: 'phone' },
    { name: 'from', label: t.from, kind: 'day', edge: 'from' },
    { name: 'to', label: t.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery([...filters, MERCHANT_FILTER])
  const query: Record<string, string | number> = { status: 'any', ...list.query }
  const read = useRead('GET /v1/operator/collections', { query }, { live: true, keep: true, enabled: !list.wrong })
  const columns = usePaymentColumns()
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <PageButton to="collections" variant="default" size="xs">
          {t.held_list}
        </PageButton>
      }
    >
      <List
        label={t.title}
        {...{ read, list, filters, columns }}
        rowKey={(row) => row.collection_id}
        href={(row) => `payments/${row.collection_id}`}
        lines={paymentLines}
        first={<MerchantFilter list={list} />}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
    </Page>
  )
}

function usePaymentColumns(): Column<CollectionRow>[] {
  const t = useTexts(paymentTexts)
  return [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
    ...partyColumns(t),
    ...useFurtherColumns(t),
    { label: t.status, show: (row) => <PaymentStatus of={row} /> },
  ]
}
