// Shows the receipt of a withdrawal to the members of the merchant, who print it or copy it as text. The page is not public.

import { Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { maskPhone, ReceiptPaper, type ReceiptSeller, useReceiptTime } from '../receipt-paper.tsx'
import { hasReceipt, type WithdrawalDetail } from './withdrawal-record.ts'
import { withdrawalTexts } from './withdrawal-texts.ts'

const withdrawalReceiptTexts = texts({
  sw: {
    title: 'Risiti ya utoaji pesa',
    none: 'Utoaji huu hauna risiti, kwa sababu pesa hazijafika kwa mpokeaji.',
    back: 'Rudi kwenye utoaji pesa',
    id: 'Kitambulisho cha utoaji pesa',
  },
  en: {
    title: 'Withdrawal receipt',
    none: 'This withdrawal has no receipt, because the money has not reached the recipient.',
    back: 'Back to the withdrawal',
    id: 'Withdrawal id',
  },
})

/** Shows the receipt of the withdrawal whose id is in the address. A withdrawal that was not paid has no receipt. */
export function WithdrawalReceipt() {
  const t = useTexts(withdrawalReceiptTexts)
  const at = useEnvironmentPath()
  const { withdrawal_id } = useParams({ strict: false }) as { withdrawal_id: string }
  const read = useRead('GET /v1/merchant/withdrawals/{withdrawal_id}', { params: { withdrawal_id } })
  const seller = useRead('GET /v1/merchant/profile')
  const error = read.error ?? seller.error
  const is_loaded = read.data !== undefined && seller.data !== undefined
  const again = () => void Promise.all([read.refetch(), seller.refetch()])
  const back = (
    <PageButton variant="default" to={at(`withdrawals/${withdrawal_id}`)}>
      {t.back}
    </PageButton>
  )
  return (
    <Page record title={t.title} actions={back}>
      <Problem error={error} retry={again} />
      {is_loaded || error ? null : <LoadingRows />}
      {is_loaded ? <WithdrawalPaper row={read.data} seller={seller.data} /> : null}
    </Page>
  )
}

/** Hides the middle of a phone number. Of an account of a bank or a wallet, shows only the last four characters. */
const maskIdentifier = ({ destination_identifier }: WithdrawalDetail) =>
  /^255\d{9}$/.test(destination_identifier)
    ? maskPhone(destination_identifier)
    : `*** ${destination_identifier.slice(-4)}`

function WithdrawalPaper({ row, seller }: { row: WithdrawalDetail; seller: ReceiptSeller }) {
  const t = useTexts(withdrawalReceiptTexts)
  const names = useTexts(withdrawalTexts)
  const words = useWords()
  const timeOf = useReceiptTime()
  const destinations = useRead('GET /v1/destinations', { query: { environment: row.environment } })
  if (!hasReceipt(row)) return <Text>{t.none}</Text>
  const place = destinations.data?.items.find(({ code }) => code === row.destination_code)?.name
  const money = (value: string) => showAmount(value, row.currency)
  const facts = [
    [names.charges, money(row.total_charges)],
    [names.total, money(row.total_reserved_amount)],
    [names.to, row.destination_name],
    [names.number, maskIdentifier(row)],
    [names.place, row.bank_name ?? place ?? row.destination_code],
    [names.method, words.method(row.method)],
    [names.created, timeOf(row.created_at)],
    [names.completed, row.completed_at === null ? null : timeOf(row.completed_at)],
    [names.reference, row.reference],
    [names.provider_reference, row.provider_reference],
    [t.id, row.id],
  ] as const
  return (
    <ReceiptPaper
      title={t.title}
      stamp={words.withdrawal(row.status)}
      amount={money(row.recipient_net_amount)}
      facts={facts}
      seller={seller}
    />
  )
}
