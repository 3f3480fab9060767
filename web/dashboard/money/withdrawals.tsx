// Shows the withdrawals of the environment, of every status.

import { Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, hasNoRecord, List, type ListFilter, type RowLines, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, PageButton, Reference, Time } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { Balance } from './balance.tsx'
import { METHODS, showIdentifier } from './withdrawal-record.ts'

type MerchantWithdrawalRow = Calls['GET /v1/merchant/withdrawals']['data']['items'][number]

const withdrawalsTexts = texts({
  sw: {
    title: 'Utoaji pesa',
    lead: 'Pesa unazotoa kwenye salio lako. Kila ombi hupitiwa na mwendeshaji kabla pesa hazijatumwa.',
    make: 'Toa pesa',
    time: 'Muda',
    amount: 'Kiasi',
    charges: 'Makato',
    status: 'Hali',
    method: 'Njia',
    to: 'Mpokeaji',
    reference: 'Namba ya kumbukumbu',
    empty: 'Bado hujatoa pesa',
    teach:
      'Unapotoa pesa, unaona makato yote kabla ya kuthibitisha. Mwendeshaji huidhinisha, kisha pesa zinatumwa kwenye simu au benki.',
    only: 'Msimamizi au mtu wa Fedha ndiye anayetoa pesa.',
  },
  en: {
    title: 'Withdrawals',
    lead: 'Money that you withdraw from your balance. An operator checks each withdrawal before the server sends money.',
    make: 'Withdraw money',
    time: 'Time',
    amount: 'Amount',
    charges: 'Fees',
    status: 'Status',
    method: 'Method',
    to: 'Recipient',
    reference: 'Reference',
    empty: 'You have not withdrawn anything yet',
    teach:
      'You see every fee before you confirm. An operator approves the withdrawal, then the money goes to a phone or a bank.',
    only: 'Administrators and finance members withdraw money.',
  },
})

/**
 * Shows the list with filters and CSV export, below the balance. While the page is open, it reads the list again every few
 * seconds.
 */
export function MerchantWithdrawals() {
  const t = useTexts(withdrawalsTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const filters: ListFilter[] = [
    { name: 'status', label: t.status, kind: 'choice', choices: words.choices('withdrawal') },
    { name: 'method', label: t.method, kind: 'choice', choices: METHODS.map((one) => [one, words.method(one)]) },
    { name: 'reference', label: t.reference, kind: 'text', as_typed: true },
    { name: 'from', label: parts.from, kind: 'day', edge: 'from' },
    { name: 'to', label: parts.to, kind: 'day', edge: 'to' },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/merchant/withdrawals', { query: list.query }, { live: true, keep: true })
  const columns: Column<MerchantWithdrawalRow>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={row.currency} />, right: true },
    {
      label: t.charges,
      show: (row) => <Amount value={row.total_charges} currency={row.currency} />,
      right: true,
      optional: { name: 'charges' },
    },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.withdrawal(row.status)}</Chip> },
    { label: t.to, show: (row) => <Recipient row={row} /> },
    { label: t.reference, show: (row) => <Reference text={row.reference} /> },
  ]
  const lines = (row: MerchantWithdrawalRow): RowLines => ({
    title: <Amount value={row.amount} currency={row.currency} />,
    status: <Chip tone={toneOf(row.status)}>{words.withdrawal(row.status)}</Chip>,
    facts: [
      row.destination_name,
      showIdentifier(row.method, row.destination_identifier),
      row.reference,
      <Time key="" time={row.created_at} />,
    ],
  })
  const make = may ? <PageButton to={at('withdrawals/new')}>{t.make}</PageButton> : null
  return (
    <Page title={t.title} lead={t.lead} actions={hasNoRecord(read, list) ? null : make}>
      <Balance list_failed={read.error !== null && read.data === undefined} />
      <List
        label={t.title}
        {...{ read, list, filters, columns, lines }}
        rowKey={(row) => row.id}
        href={(row) => at(`withdrawals/${row.id}`)}
        empty={
          <EmptyState title={t.empty} action={make}>
            {may ? t.teach : t.only}
          </EmptyState>
        }
        csv={{ name: 'GET /v1/merchant/withdrawals/export.csv', file: 'withdrawals.csv' }}
      />
    </Page>
  )
}

function Recipient({ row }: { row: MerchantWithdrawalRow }) {
  const { data } = useRead('GET /v1/destinations', { query: { environment: row.environment } })
  const network = data?.items.find(({ code }) => code === row.destination_code)?.name
  return (
    <span>
      {row.destination_name ?? '–'}
      <Text size="xs" c="dimmed" component="span" display="block">
        {row.bank_name ?? network ?? row.destination_code} {showIdentifier(row.method, row.destination_identifier)}
      </Text>
    </span>
  )
}
