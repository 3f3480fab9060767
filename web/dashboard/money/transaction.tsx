// Shows one transaction and the record that caused it.

import { useParams } from '@tanstack/react-router'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Chip, CopyButton, FactList, Mono, Page, PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showCount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { statusWord, useKinds } from './transaction-words.ts'
import { Signed } from './transactions.tsx'

const transactionTexts = texts({
  sw: {
    title: 'Muamala',
    amount: 'Kiasi kabla ya makato',
    fee: 'Makato',
    net: 'Badiliko la salio',
    after: 'Salio baada yake',
    status: 'Hali',
    time: 'Muda',
    mine: 'Namba yako ya kumbukumbu',
    reference: 'Namba ya kumbukumbu ya muamala',
    sequence: 'Namba ya mfuatano',
    collection: 'Malipo',
    withdrawal: 'Utoaji pesa',
    open_collection: 'Fungua malipo haya',
    open_withdrawal: 'Fungua utoaji huu',
  },
  en: {
    title: 'Transaction',
    amount: 'Amount before fees',
    fee: 'Fees',
    net: 'Change of the balance',
    after: 'Balance afterwards',
    status: 'Status',
    time: 'Time',
    mine: 'Your reference',
    reference: 'Reference of the transaction',
    sequence: 'Sequence number',
    collection: 'Payment',
    withdrawal: 'Withdrawal',
    open_collection: 'Open this payment',
    open_withdrawal: 'Open this withdrawal',
  },
})

/**
 * Shows the transaction whose reference is in the address. While the page is open, it reads the transaction again every few
 * seconds.
 */
export function Transaction() {
  const t = useTexts(transactionTexts)
  const words = useWords()
  const kinds = useKinds()
  const at = useEnvironmentPath()
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead('GET /v1/transactions/{reference}', { params: { reference } }, { live: true })
  const row = read.data
  if (row === undefined) {
    return (
      <Page title={t.title}>
        {read.error ? <Problem error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  const money = (value: string) => <Amount value={value} currency={row.currency} />
  return (
    <Page record title={kinds.word(row.type)} lead={<Time time={row.created_at} />}>
      <section className="panel">
        <FactList
          facts={[
            [t.net, <strong key="net">{<Signed row={row} />}</strong>],
            [t.amount, money(row.amount)],
            [t.fee, money(row.fee)],
            [t.after, money(row.balance_after)],
            [t.sequence, showCount(row.sequence)],
            [
              t.status,
              <Chip key="status" tone={toneOf(row.status)}>
                {statusWord(row.type, row.status, words)}
              </Chip>,
            ],
            [t.mine, row.merchant_reference],
            row.collection_id === null
              ? null
              : [
                  t.collection,
                  <PageLink key="collection" to={at(`collections/${row.collection_id}`)}>
                    {t.open_collection}
                  </PageLink>,
                ],
            row.withdrawal_id === null
              ? null
              : [
                  t.withdrawal,
                  <PageLink key="withdrawal" to={at(`withdrawals/${row.withdrawal_id}`)}>
                    {t.open_withdrawal}
                  </PageLink>,
                ],
            [
              t.reference,
              <span key="reference">
                <Mono>{row.reference}</Mono> <CopyButton text={row.reference} />
              </span>,
            ],
          ]}
        />
      </section>
    </Page>
  )
}
