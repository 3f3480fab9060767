// Shows the receipt of a payment to the merchant, who prints it or copies it as text. The page is not public.

import { useParams } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { maskPhone, type ReceiptContent, ReceiptPage, useReceiptTime } from '../receipt-paper.tsx'
import { receiptTexts } from './receipt-texts.ts'

type PaymentOfReceipt = Calls['GET /v1/collections/{collection_id}']['data']
type ReceiptTimeline = Calls['GET /v1/collections/{collection_id}/timeline']['data']

/** Shows the receipt of the payment whose id is in the address. A payment that took no money has no receipt. */
export function Receipt() {
  const t = useTexts(receiptTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const params = { collection_id: id }
  const payment = useRead('GET /v1/collections/{collection_id}', { params })
  const timeline = useRead('GET /v1/collections/{collection_id}/timeline', { params })
  const contentOf = usePaymentReceipt()
  return (
    <ReceiptPage
      texts={t}
      record={`collections/${id}`}
      reads={[payment, timeline]}
      content={() => (payment.data && timeline.data ? contentOf(payment.data, timeline.data) : null)}
    />
  )
}

/** Returns the function that makes the receipt of a payment. Null means that the payment has no receipt. */
function usePaymentReceipt(): (payment: PaymentOfReceipt, timeline: ReceiptTimeline) => ReceiptContent | null {
  const t = useTexts(receiptTexts)
  const timeOf = useReceiptTime()
  const words = useWords()
  return (payment, timeline) => {
    const stamp = t.statuses[payment.status]
    if (stamp === undefined) return null
    const paid = timeline.items.find((item) => item.kind === 'status' && item.to === 'successful')
    const attempts = timeline.items.filter((item) => item.kind === 'attempt')
    const phone = payment.customer_phone
    const amount = showAmount(payment.amount_received ?? payment.amount, payment.currency)
    const facts: (readonly [string, string | null])[] = [
      [t.paid_at, timeOf(paid?.at ?? payment.updated_at)],
      [t.method, words.method(payment.method)],
      [t.payer, payment.customer_name],
      [t.phone, phone === null ? null : maskPhone(phone)],
      [t.reference, payment.reference],
      [t.provider_reference, attempts.at(-1)?.provider_reference ?? null],
      [t.id, payment.collection_id],
    ]
    return { stamp, amount, facts }
  }
}
