// Telling a customer of an invoice by every way that is known: SMS to the phone, e-mail to the address.

import { queueEmail, queueSms } from '../../adapters/messages/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { dayOf } from '../../kernel/lib/index.ts'
import { publicUrl } from '../payment-links/index.ts'
import type { Invoice } from './store.ts'
import { emailText, type Kind, smsText } from './texts.ts'

/** The ways by which a customer can be told. */
export function channelsOf({ customer_phone, customer_email }: Invoice): ('sms' | 'email')[] {
  return [...(customer_phone === null ? [] : ['sms' as const]), ...(customer_email === null ? [] : ['email' as const])]
}

/** Queues the messages, in the transaction that writes down that they were. `slug`: of the payment link in them. */
export async function tellCustomer(
  deps: Deps,
  tx: Tx,
  kind: Kind,
  invoice: Invoice,
  link: { pay_url: string; slug: string },
): Promise<void> {
  const { merchant_id, environment, id: invoice_id, customer_phone, customer_email } = invoice
  const { brand_name } = deps.config
  const today = dayOf(deps.clock.now())
  const telling = { kind, today, brand_name, pay_url: publicUrl(link.pay_url, link.slug) }
  const about = { kind, merchant_id, environment, invoice_id }
  await Promise.all([
    customer_phone !== null && queueSms(deps, tx, { ...about, to: customer_phone, text: smsText(invoice, telling) }),
    customer_email !== null && queueEmail(deps, tx, { ...about, to: customer_email, ...emailText(invoice, telling) }),
  ])
}
