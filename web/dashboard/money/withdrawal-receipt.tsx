// Shows the receipt of a withdrawal to the members of the merchant, who print it or copy it as text. The page is not public.

import { useParams } from '@tanstack/react-router'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useMerchantAccess } from '../merchant.ts'
import { maskPhone, type ReceiptContent, ReceiptPage, useReceiptTime } from '../receipt-paper.tsx'
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
  const { withdrawal_id } = useParams({ strict: false }) as { withdrawal_id: string }
  const read = useRead('GET /v1/merchant/withdrawals/{withdrawal_id}', { params: { withdrawal_id } })
  const contentOf = useWithdrawalReceipt()
  return (
    <ReceiptPage
      texts={t}
      record={`withdrawals/${withdrawal_id}`}
      reads={[read]}
      content={() => (read.data ? contentOf(read.data) : null)}
    />
  )
}

/**
 * Hides the middle of a phone number. Of an account of a bank or a wallet, shows only the last four characters. An account of a
 * bank may look like a phone number.
 */
const maskIdentifier = ({ method, destination_identifier }: WithdrawalDetail) =>
  method !== 'BANK_ACCOUNT' && /^255\d{9}$/.test(destination_identifier)
    ? maskPhone(destination_identifier)
    : `*** ${destination_identifier.slice(-4)}`

/** Returns the function that makes the receipt of a withdrawal. Null means that the withdrawal has no receipt. */
function useWithdrawalReceipt(): (row: WithdrawalDetail) => ReceiptContent | null {
  const t = useTexts(withdrawalReceiptTexts)
  const names = useTexts(withdrawalTexts)
  const words = useWords()
  const timeOf = useReceiptTime()
  const { environment } = useMerchantAccess()
  const destinations = useRead('GET /v1/destinations', { query: { environment } })
  return (row) => {
    if (!hasReceipt(row)) return null
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
    return { stamp: words.withdrawal(row.status), amount: money(row.recipient_net_amount), facts }
  }
}
