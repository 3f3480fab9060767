// Shows the payments of the environment, of every status.

import type { Calls } from '../../ui/api-types.ts'
import { Customer } from '../../ui/customer.tsx'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, PageButton, Reference, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { usePaymentsBulk } from './payments-bulk.tsx'

type MerchantCollectionRow = Calls['GET /v1/collections']['data']['items'][number]

const collectionsTexts = texts({
  sw: {
    title: 'Malipo',
    lead: 'Malipo ambayo wateja wamefanya au wamejaribu kufanya.',
    time: 'Muda',
    amount: 'Kiasi',
    status: 'Hali',
    method: 'Njia',
    reference: 'Namba ya kumbukumbu',
    phone: 'Simu ya mlipaji',
    payer: 'Mlipaji',
    fee: 'Makato yetu',
    net: 'Kinachoingia',
    empty: 'Bado hakuna malipo',
    teach: 'Tengeneza kiungo cha malipo na ukitume kwa mteja, au tuma ombi la malipo kwa API. Malipo yataonekana hapa.',
    new_link: 'Tengeneza kiungo cha malipo',
    how: 'Ombi la kwanza kwa API',
  },
  en: {
    title: 'Payments',
    lead: 'Payments that customers made or tried to make.',
    time: 'Time',
    amount: 'Amount',
    status: 'Status',
    method: 'Method',
    reference: 'Reference',
    phone: "Payer's phone",
    payer: 'Payer',
    fee: 'Our fee',
    net: 'Net amount',
    empty: 'No payments yet',
    teach:
      'Create a payment link and send it to a customer, or ask for a payment through the API. Payments will appear here.',
    new_link: 'Create a payment link',
    how: 'First request to the API',
  },
})

const METHODS = ['wallet_push', 'provider_pesa', 'qr'] as const

/**
 * Shows the payments of the environment with filters and CSV export. If a filter is invalid, the page does not read the list.
 */
export function Collections() {
  const t = useTexts(collectionsTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const collects = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const methods = METHODS.map((method) => [method, words.method(method)] as const)
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: words.choices('collection') },
    { name: 'method', label: t.method, kind: 'choice', choices: methods },
    { name: 'reference', label: t.reference, kind: 'text', as_typed: true },
    { name: 'phone', label: t.phone, kind: 'phone' },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/collections', { query: list.query }, { live: true, keep: true, enabled: !list.wrong })
  const columns: Column<MerchantCollectionRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.collection(row.status)}</Chip> },
    { label: t.payer, show: (row) => <Customer name={row.customer_name} phone={row.customer_phone} /> },
    { label: t.reference, show: (row) => <Reference text={row.reference} /> },
    { label: t.method, show: (row) => words.method(row.method), optional: { name: 'method' } },
    {
      label: t.fee,
      show: (row) => <Amount value={row.fee} currency={row.currency} />,
      right: true,
      optional: { name: 'fee', hidden: true },
    },
    {
      label: t.net,
      show: (row) => <Amount value={row.net_amount} currency={row.currency} />,
      right: true,
      optional: { name: 'net', hidden: true },
    },
  ]
  const lines = (row: MerchantCollectionRow): RowLines => ({
    title: <Amount value={row.amount} currency={row.currency} />,
    status: <Chip tone={toneOf(row.status)}>{words.collection(row.status)}</Chip>,
    facts: [
      row.customer_name,
      row.customer_phone === null ? null : (
        <span key="phone" className="whole">
          {showPhone(row.customer_phone)}
        </span>
      ),
      row.reference,
      <Time key="" time={row.created_at} />,
    ],
  })
  const bulk = usePaymentsBulk()
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines, bulk }}
        rowKey={(row) => row.collection_id}
        href={(row) => at(`collections/${row.collection_id}`)}
        csv={{ name: 'GET /v1/collections/export.csv', file: 'collections.csv' }}
        empty={
          <EmptyState
            title={t.empty}
            action={
              collects ? (
                <PageButton to={at('links/new')}>{t.new_link}</PageButton>
              ) : (
                <PageButton to={at('')}>{t.how}</PageButton>
              )
            }
          >
            {t.teach}
          </EmptyState>
        }
      />
    </Page>
  )
}
