// Shows the transactions of the environment: each change of the available balance.

import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, PageButton, Reference, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { statusWord, useKinds } from './transaction-words.ts'

type TransactionRow = Calls['GET /v1/merchants/{merchant_id}/transactions']['data']['items'][number]

const transactionsTexts = texts({
  sw: {
    title: 'Miamala',
    lead: 'Kila badiliko la salio lako linalopatikana, jipya kwanza.',
    time: 'Muda',
    type: 'Aina',
    net: 'Badiliko la salio',
    fee: 'Makato',
    after: 'Salio baada yake',
    status: 'Hali',
    reference: 'Namba yako ya kumbukumbu',
    statements: 'Taarifa za akaunti',
    collections: 'Angalia malipo',
    empty: 'Bado hakuna miamala',
    teach: 'Malipo yakifanikiwa au pesa zikitolewa, zinaonekana hapa pamoja na makato na salio.',
  },
  en: {
    title: 'Transactions',
    lead: 'Each change of your available balance, newest first.',
    time: 'Time',
    type: 'Type',
    net: 'Change of the balance',
    fee: 'Fees',
    after: 'Balance afterwards',
    status: 'Status',
    reference: 'Your reference',
    statements: 'Statements',
    collections: 'See the payments',
    empty: 'No transactions yet',
    teach:
      'When a payment succeeds, or an operator approves a withdrawal, the transaction appears here with its fees and the balance.',
  },
})

/**
 * Shows the list with filters for type and day, and CSV export. While the page is open, it reads the list again every few
 * seconds.
 */
export function Transactions() {
  const t = useTexts(transactionsTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const kinds = useKinds()
  const at = useEnvironmentPath()
  const params = { merchant_id: useMerchantAccess().membership.merchant_id }
  const filters: ListFilter[] = [
    { name: 'type', label: t.type, kind: 'choice', choices: kinds.choices },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead(
    'GET /v1/merchants/{merchant_id}/transactions',
    { params, query: list.query },
    { live: true, keep: true },
  )
  const columns: Column<TransactionRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.type, show: (row) => kinds.word(row.type) },
    { label: t.net, show: (row) => <Signed row={row} />, right: true },
    { label: t.fee, show: (row) => <Amount value={row.fee} currency={row.currency} />, right: true },
    { label: t.after, show: (row) => <Amount value={row.balance_after} currency={row.currency} />, right: true },
    {
      label: t.status,
      show: (row) => <Chip tone={toneOf(row.status)}>{statusWord(row.type, row.status, words)}</Chip>,
    },
    { label: t.reference, show: (row) => <Reference text={row.merchant_reference} />, optional: { name: 'reference' } },
  ]
  const lines = (row: TransactionRow): RowLines => ({
    title: <Signed row={row} />,
    status: <Chip tone={toneOf(row.status)}>{statusWord(row.type, row.status, words)}</Chip>,
    facts: [
      kinds.word(row.type),
      row.merchant_reference,
      <span key="">
        {t.after}: <Amount value={row.balance_after} currency={row.currency} />
      </span>,
      <Time key="" time={row.created_at} />,
    ],
  })
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <PageButton to={at('statements')} variant="default">
          {t.statements}
        </PageButton>
      }
    >
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines }}
        rowKey={(row) => row.reference}
        href={(row) => at(`transactions/${row.reference}`)}
        empty={
          <EmptyState title={t.empty} action={<PageButton to={at('collections')}>{t.collections}</PageButton>}>
            {t.teach}
          </EmptyState>
        }
        csv={{
          name: 'GET /v1/merchants/{merchant_id}/transactions/export',
          file: 'transactions.csv',
          input: { params },
        }}
      />
    </Page>
  )
}

/** Shows the change of the balance with a plus or minus sign, so that the direction does not depend on colour. */
export function Signed({ row }: { row: Pick<TransactionRow, 'direction' | 'net_amount' | 'currency'> }) {
  const amount = row.net_amount.replace(/^-/, '')
  return (
    <span className="amount">
      {row.direction === 'credit' ? '+' : '−'} <Amount value={amount} currency={row.currency} />
    </span>
  )
}
