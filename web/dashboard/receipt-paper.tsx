// Shows a receipt of the merchant on the screen and on paper, and copies it as text. Payments and withdrawals share this part.

import './receipt-paper.css'
import { Button, Group, Text } from '@mantine/core'
import type { Calls } from '../ui/api-types.ts'
import { texts, useLanguage, useTexts } from '../ui/language.ts'
import { CopyButton, FactList } from '../ui/parts.tsx'
import { showTime } from '../ui/show.ts'
import { useMerchantAccess } from './merchant.ts'

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
export type ReceiptSeller = Calls['GET /v1/merchant/profile']['data']

/** Hides the middle of a canonical phone number, as the receipts of payers do. */
export const maskPhone = (phone: string) => `0${phone.slice(3, 6)} *** ${phone.slice(9)}`

/** Returns the function that writes a time of a receipt in Tanzanian time. */
export function useReceiptTime(): (time: string) => string {
  const language = useLanguage()
  return (time) => `${showTime(time, language, true)} (EAT)`
}

/** Shows the receipt and the buttons that print and copy it. Facts that are null do not appear. */
export function ReceiptPaper({
  title,
  stamp,
  amount,
  facts,
  seller,
}: {
  title: string
  stamp: string
  amount: string
  facts: readonly (readonly [string, string | null])[]
  seller: ReceiptSeller
}) {
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
