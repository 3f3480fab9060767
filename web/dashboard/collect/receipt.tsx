// Shows the receipt of a payment to the merchant, who prints it or copies it as text. The page is not public.

import { Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { maskPhone, ReceiptPaper, type ReceiptSeller, useReceiptTime } from '../receipt-paper.tsx'
import { receiptTexts } from './receipt-texts.ts'

type PaymentOfReceipt = Calls['GET /v1/collections/{collection_id}']['data']
type ReceiptTimeline = Calls['GET /v1/collections/{collection_id}/timeline']['data']

/** Shows the receipt of the payment whose id is in the address. A payment that took no money has no receipt. */
export function Receipt() {
  const t = useTexts(receiptTexts)
  const at = useEnvironmentPath()
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const params = { collection_id: id }
  const payment = useRead('GET /v1/collections/{collection_id}', { params })
  const timeline = useRead('GET /v1/collections/{collection_id}/timeline', { params })
  const seller = useRead('GET /v1/merchant/profile')
  const error = payment.error ?? timeline.error ?? seller.error
  const is_loaded = payment.data !== undefined && timeline.data !== undefined && seller.data !== undefined
  const again = () => void Promise.all([payment.refetch(), timeline.refetch(), seller.refetch()])
  const back = (
    <PageButton variant="default" to={at(`collections/${id}`)}>
      {t.back}
    </PageButton>
  )
  return (
    <Page record title={t.title} actions={back}>
      <Problem error={error} retry={again} />
      {is_loaded || error ? null : <LoadingRows />}
      {is_loaded ? <Paper payment={payment.data} timeline={timeline.data} seller={seller.data} /> : null}
    </Page>
  )
}

function Paper({
  payment,
  timeline,
  seller,
}: {
  payment: PaymentOfReceipt
  timeline: ReceiptTimeline
  seller: ReceiptSeller
}) {
  const t = useTexts(receiptTexts)
  const timeOf = useReceiptTime()
  const words = useWords()
  const stamp = t.statuses[payment.status]
  if (stamp === undefined) return <Text>{t.none}</Text>
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
  return <ReceiptPaper {...{ title: t.title, stamp, amount, facts, seller }} />
}
