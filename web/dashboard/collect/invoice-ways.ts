// Tells on which channels the server can send an invoice to its customer.

import type { Environment } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { useTexts } from '../../ui/language.ts'
import { showPhone } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { invoicesTexts } from './invoices-texts.ts'

/** A channel to the customer. `is_sent` is false if the server has no provider for the channel. */
type InvoiceWay = { channel: 'sms' | 'email'; text: string; is_sent: boolean }

/** Returns true if the server has a provider for the channel. In the sandbox, the server never sends, and needs no provider. */
export const canSend = (channel: 'sms' | 'email', environment: Environment): boolean =>
  environment === 'sandbox' || facts.sends[channel]

/** The addresses of an invoice's customer. Null means that the invoice has no such address. */
type Customer = { customer_phone: string | null; customer_email: string | null }

/** Returns the channels for which the invoice has an address of the customer. */
export function useInvoiceWays({ customer_phone, customer_email }: Customer): readonly InvoiceWay[] {
  const t = useTexts(invoicesTexts)
  const { environment } = useMerchantAccess()
  const way = (channel: InvoiceWay['channel'], text: string) => ({
    channel,
    text,
    is_sent: canSend(channel, environment),
  })
  return [
    ...(customer_phone === null ? [] : [way('sms', t.by_sms(showPhone(customer_phone)))]),
    ...(customer_email === null ? [] : [way('email', t.by_email(customer_email))]),
  ]
}

/**
 * Says that the server sends nothing, because it has no provider for any of these channels. Null means that it sends on one of
 * them, or that the list is empty.
 */
export function useNothingSent(ways: readonly Pick<InvoiceWay, 'channel' | 'is_sent'>[]): string | null {
  const { nothing_sent, sends_none } = useTexts(invoicesTexts)
  const [first] = ways
  if (first === undefined || ways.some(({ is_sent }) => is_sent)) return null
  return nothing_sent(ways.length > 1 ? sends_none.both : sends_none[first.channel])
}
