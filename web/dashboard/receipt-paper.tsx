// Shows the page of a receipt of the merchant, who prints it or copies it as text. Payments and withdrawals share this page.

import './receipt-paper.css'
import { Button, Group, Text } from '@mantine/core'
import type { Calls } from '../ui/api-types.ts'
import { useRead } from '../ui/data.ts'
import { texts, useLanguage, useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { CopyButton, FactList, Page, PageButton } from '../ui/parts.tsx'
import { Problem } from '../ui/problem.tsx'
import { showTime } from '../ui/show.ts'
import { useEnvironmentPath, useMerchantAccess } from './merchant.ts'

const paperTexts = texts({
  sw: {
    test: 'MAJARIBIO: hakuna pesa halisi',
    contact: 'Mawasiliano',
    print: 'Chapisha',
    copy: 'Nakili kama maandishi',
  },
  en: {
    test: 'TEST: no real money',
    contact: 'Contact',
    print: 'Print',
    copy: 'Copy as text',
  },
})

/** The profile of the merchant: name, logo and contact. */
type ReceiptSeller = Calls['GET /v1/merchant/profile']['data']

/** Hides the middle of a canonical phone number, as the receipts of payers do. */
export const maskPhone = (phone: string) => `0${phone.slice(3, 6)} *** ${phone.slice(9)}`

/** Returns the function that writes a time of a receipt in Tanzanian time. */
export function useReceiptTime(): (time: string) => string {
  const language = useLanguage()
  return (time) => `${showTime(time, language, true)} (EAT)`
}

/** The status, the amount and the facts of a receipt. Facts that are null do not appear. */
export type ReceiptContent = { stamp: string; amount: string; facts: readonly (readonly [string, string | null])[] }

/** A read of the API that the receipt needs. */
type ReceiptRead = { data: unknown; error: unknown; refetch: () => unknown }

/**
 * Shows the page of a receipt. `record` is the path of its record, to which the button leads back. `content` runs after all
 * `reads` have data. If it returns null, the record has no receipt, and the page shows the text `none`.
 */
export function ReceiptPage({
  texts: t,
  record,
  reads,
  content,
}: {
  texts: { title: string; none: string; back: string }
  record: string
  reads: readonly ReceiptRead[]
  content: () => ReceiptContent | null
}) {
  const at = useEnvironmentPath()
  const seller = useRead('GET /v1/merchant/profile')
  const all = [...reads, seller]
  const error = all.find((read) => read.error)?.error
  const is_loaded = seller.data !== undefined && reads.every(({ data }) => data !== undefined)
  const shown = is_loaded ? content() : null
  const back = (
    <PageButton variant="default" to={at(record)}>
      {t.back}
    </PageButton>
  )
  return (
    <Page record title={t.title} actions={back}>
      <Problem error={error} retry={() => void Promise.all(all.map((read) => read.refetch()))} />
      {is_loaded || error ? null : <LoadingRows />}
      {is_loaded && shown === null ? <Text>{t.none}</Text> : null}
      {shown === null || seller.data === undefined ? null : (
        <ReceiptPaper {...shown} title={t.title} seller={seller.data} />
      )}
    </Page>
  )
}

/** Shows the receipt and the buttons that print and copy it. */
function ReceiptPaper({
  title,
  stamp,
  amount,
  facts,
  seller,
}: ReceiptContent & { title: string; seller: ReceiptSeller }) {
  const t = useTexts(paperTexts)
  const { environment } = useMerchantAccess()
  const contact = [seller.support_phone, seller.support_email, seller.support_address].filter((one) => one !== null)
  const contact_fact = [t.contact, contact.length === 0 ? null : contact.join(' · ')] as const
  const shown = [contact_fact, ...facts].filter(([, value]) => value !== null)
  const test = environment === 'sandbox' ? [t.test] : []
  const lines = [...test, seller.name, `${title}: ${stamp}`, amount, ...shown.map((fact) => fact.join(': '))]
  return (
    <>
      <article className="panel paper" aria-label={title}>
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
