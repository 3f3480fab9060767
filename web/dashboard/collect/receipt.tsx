// Shows the receipt of a payment to the merchant, who prints it or copies it as text. The page is not public.

import './collect.css'
import { Button, Group, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { CopyButton, FactList, Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showTime } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { receiptTexts } from './receipt-texts.ts'

type PaymentOfReceipt = Calls['GET /v1/collections/{collection_id}']['data']
type ReceiptTimeline = Calls['GET /v1/collections/{collection_id}/timeline']['data']
type Seller = Calls['GET /v1/merchant/profile']['data']

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

/** Hides the middle of a canonical phone number, as the receipts of payers do. */
const maskPhone = (phone: string) => `0${phone.slice(3, 6)} *** ${phone.slice(9)}`

function Paper({
  payment,
  timeline,
  seller,
}: {
  payment: PaymentOfReceipt
  timeline: ReceiptTimeline
  seller: Seller
}) {
  const t = useTexts(receiptTexts)
  const language = useLanguage()
  const words = useWords()
  const { environment } = useMerchantAccess()
  const stamp = t.statuses[payment.status]
  if (stamp === undefined) return <Text>{t.none}</Text>
  const paid = timeline.items.find((item) => item.kind === 'status' && item.to === 'successful')
  const attempts = timeline.items.filter((item) => item.kind === 'attempt')
  const phone = payment.customer_phone
  const contact = [seller.support_phone, seller.support_email, seller.support_address].filter((one) => one !== null)
  const amount = showAmount(payment.amount_received ?? payment.amount, payment.currency)
  const facts: (readonly [string, string | null])[] = [
    [t.contact, contact.length === 0 ? null : contact.join(' · ')],
    [t.paid_at, `${showTime(paid?.at ?? payment.updated_at, language, true)} (EAT)`],
    [t.method, words.method(payment.method)],
    [t.payer, payment.customer_name],
    [t.phone, phone === null ? null : maskPhone(phone)],
    [t.reference, payment.reference],
    [t.provider_reference, attempts.at(-1)?.provider_reference ?? null],
    [t.id, payment.collection_id],
  ]
  const shown = facts.filter(([, value]) => value !== null)
  const test = environment === 'sandbox' ? [t.test] : []
  const lines = [...test, seller.name, `${t.title}: ${stamp}`, amount, ...shown.map((fact) => fact.join(': '))]
  return (
    <>
      <article className="panel paper" aria-label={t.title}>
        {test.map((text) => (
          <Text key={text} fw={700}>
            {text}
          </Text>
        ))}
        {seller.logo === null ? null : (
          <img className="paper-logo" src={`data:image/png;base64,${seller.logo.png}`} alt="" />
        )}
        <Text fw={700}>{seller.name}</Text>
        <Text>{stamp}</Text>
        <p className="paper-amount">{amount}</p>
        <FactList facts={shown} />
      </article>
      <Group gap="xs" className="no-print">
        <Button onClick={() => print()}>{t.print}</Button>
        <CopyButton text={lines.join('\n')} label={t.copy} />
      </Group>
    </>
  )
}
