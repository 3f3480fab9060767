// Writes the SMS and the e-mail about an invoice, in Swahili or English. Merchants choose the names in these messages, so the
// server keeps each name on one line and makes no link from a name.

import { contactLines, mailedName } from '../../access/merchants/index.ts'
import { countMessages, type Email, queueEmail, queueSms, shortestSms } from '../../adapters/messages/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { dayOf, type Language, plainLine, showAmount, showDate } from '../../kernel/lib/index.ts'
import { publicUrl } from '../payment-links/index.ts'
import { displayNumber } from './state.ts'
import type { Invoice } from './store.ts'

/** The reason for a message: the merchant sent the invoice, or a reminder is due. */
type InvoiceMessageKind = 'invoice.send' | 'invoice.remind'

/**
 * The input of a message, in addition to the invoice. `today` is the day in Tanzania, and `pay_url` is the address of the page
 * of the payment link.
 */
type InvoiceMessageContext = { kind: InvoiceMessageKind; today: string; pay_url: string; brand_name: string }

type InvoiceMessageTexts = {
  invoice: string
  reminder: string
  due: Record<'before' | 'today' | 'late', (date: string) => string>
  subject: (topic: string, merchant: string, amount: string) => string
  greeting: (customer: string) => string
  sent: (merchant: string, number: string) => string
  reminded: (merchant: string, number: string) => string
  amount: string
  pay: string
  pay_button: (amount: string) => string
  read: string
  pin: string
  contact: (merchant: string) => string
  foot: (brand: string, merchant: string) => string
}

const TEXTS: Record<Language, InvoiceMessageTexts> = {
  sw: {
    invoice: 'ankara',
    reminder: 'kikumbusho, ankara',
    due: {
      before: (date) => `lipa hadi ${date}`,
      today: () => 'lipa leo',
      late: (date) => `ilipaswa kulipwa ${date}`,
    },
    subject: (topic, merchant, amount) => `${merchant}: ${topic}, ${amount}`,
    greeting: (customer) => `Habari ${customer},`,
    sent: (merchant, number) => `${merchant} imekutumia ankara ${number}.`,
    reminded: (merchant, number) => `${merchant} inakukumbusha kuhusu ankara ${number}, ambayo bado haijalipwa.`,
    amount: 'Kiasi',
    pay: 'Lipa hapa:',
    pay_button: (amount) => `Lipa ${amount}`,
    read: 'Soma ankara au pakua PDF hapa:',
    pin: 'Weka namba yako ya siri (PIN) kwenye simu yako tu. Usimpe mtu yeyote.',
    contact: (merchant) => `Una swali? Wasiliana na ${merchant}:`,
    foot: (brand, merchant) =>
      `Ujumbe huu umetumwa na ${brand} kwa niaba ya ${merchant}. Kama huitambui ankara hii, usilipe.`,
  },
  en: {
    invoice: 'invoice',
    reminder: 'reminder, invoice',
    due: {
      before: (date) => `pay by ${date}`,
      today: () => 'pay today',
      late: (date) => `was due ${date}`,
    },
    subject: (topic, merchant, amount) => `${merchant}: ${topic}, ${amount}`,
    greeting: (customer) => `Hello ${customer},`,
    sent: (merchant, number) => `${merchant} has sent you invoice ${number}.`,
    reminded: (merchant, number) => `${merchant} reminds you of invoice ${number}, which has not been paid yet.`,
    amount: 'Amount',
    pay: 'Pay here:',
    pay_button: (amount) => `Pay ${amount}`,
    read: 'Read the invoice or download it as a PDF here:',
    pin: 'Enter your PIN on your phone only. Never share it.',
    contact: (merchant) => `Questions? Contact ${merchant}:`,
    foot: (brand, merchant) =>
      `This message was sent by ${brand} for ${merchant}. If you do not know this invoice, do not pay it.`,
  },
}

const NAME_MAX = 60
/** The greatest number of characters of a line of the contact, which is the length of the longest e-mail address. */
const CONTACT_MAX = 254

/**
 * Returns the address of a page for the customer. The address of an English invoice names the language. For a Swahili invoice,
 * the page is in Swahili, unless the browser lists English first and no Swahili.
 */
function inInvoiceLanguage(url: string, language: Language): string {
  return language === 'sw' ? url : `${url}?lang=${language}`
}

/** Returns the parts that the SMS and the e-mail share, in the language of the invoice. */
function messageParts(invoice: Invoice, { kind, today }: InvoiceMessageContext) {
  const texts = TEXTS[invoice.language]
  const number = displayNumber(invoice.number)
  const date = showDate(invoice.due_date, invoice.language)
  const time = today < invoice.due_date ? 'before' : today === invoice.due_date ? 'today' : 'late'
  return {
    texts,
    number,
    topic: `${kind === 'invoice.send' ? texts.invoice : texts.reminder} ${number}`,
    amount: showAmount(invoice.total_minor, invoice.currency),
    due: texts.due[time](date),
    merchant: mailedName(invoice.merchant_name),
  }
}

/**
 * Returns the text of the SMS. If the text does not fit one SMS, shortens the merchant's name, to 8 characters at least.
 */
function invoiceSms(invoice: Invoice, context: InvoiceMessageContext): string {
  const { topic, amount, due, merchant } = messageParts(invoice, context)
  const url = inInvoiceLanguage(context.pay_url, invoice.language)
  return shortestSms((name_max) => `${plainLine(merchant, name_max)}: ${topic}, ${amount}, ${due}: ${url}`, 1)
}

/** Returns the subject and the text of the e-mail, in the language of the invoice. */
function invoiceEmail(invoice: Invoice, context: InvoiceMessageContext): Pick<Email, 'subject' | 'text' | 'button'> {
  const { texts, number, topic, amount, due, merchant: full_name } = messageParts(invoice, context)
  const { pay_url, brand_name, kind } = context
  const { language } = invoice
  const merchant = plainLine(full_name, NAME_MAX)
  const button = { label: texts.pay_button(amount), url: inInvoiceLanguage(pay_url, language) }
  const opening = kind === 'invoice.send' ? texts.sent(merchant, number) : texts.reminded(merchant, number)
  const { support_address } = invoice
  const address = support_address === null ? null : mailedName(support_address)
  const contact = contactLines({ ...invoice, support_address: address }).map((line) => plainLine(line, CONTACT_MAX))
  const text = [
    texts.greeting(plainLine(mailedName(invoice.customer_name), NAME_MAX)),
    `${opening}\n${texts.amount}: ${amount} (${due})`,
    `${texts.pay}\n${button.url}`,
    `${texts.read}\n${inInvoiceLanguage(`${pay_url}/invoice`, language)}`,
    texts.pin,
    ...(contact.length === 0 ? [] : [`${texts.contact(merchant)}\n${contact.join('\n')}`]),
    `-- \n${texts.foot(plainLine(brand_name, NAME_MAX), merchant)}`,
  ]
  return { subject: plainLine(texts.subject(topic, merchant, amount), 160), text: text.join('\n\n'), button }
}

/** Returns the channels for messages to the customer of an invoice: SMS, e-mail, both or none. */
export function channelsOf({ customer_phone, customer_email }: Invoice): ('sms' | 'email')[] {
  return [...(customer_phone === null ? [] : ['sms' as const]), ...(customer_email === null ? [] : ['email' as const])]
}

/** The messages above the limit of their recipient, each with the time from which the limit allows another message. */
type ReachedLimits = ReadonlyMap<string, Date>

/** The error of a message above the limit of its recipient. */
const TOO_MANY = 'recipient_limit: the recipient got too many messages in 24 hours'

const messageName = ({ id }: Pick<Invoice, 'id'>, channel: 'sms' | 'email') => `${id} ${channel}`

/** Counts the messages to the customers of invoices. Returns the messages above the limit of their recipient. */
export async function countInvoiceMessages(deps: Deps, tx: Tx, invoices: readonly Invoice[]): Promise<ReachedLimits> {
  const messages = invoices.flatMap((invoice) =>
    channelsOf(invoice).map((channel) => ({
      name: messageName(invoice, channel),
      environment: invoice.environment,
      to: (channel === 'sms' ? invoice.customer_phone : invoice.customer_email?.toLowerCase()) ?? '',
    })),
  )
  const counted = await countMessages(deps, tx, messages)
  return new Map(
    messages.flatMap(({ name }, place) => {
      const again_at = counted[place]
      return again_at instanceof Date ? [[name, again_at] as const] : []
    }),
  )
}

/**
 * Queues an SMS to the customer's phone and an e-mail to the customer's address. `slug` identifies the payment link in these
 * messages. The outbox keeps a message of `reached` with the reason, and the worker does not send it.
 */
export async function queueInvoiceMessages(
  deps: Deps,
  tx: Tx,
  kind: InvoiceMessageKind,
  invoice: Invoice,
  link: { pay_url: string; slug: string },
  reached: ReachedLimits,
): Promise<void> {
  const { merchant_id, environment, id: invoice_id, customer_phone, customer_email } = invoice
  const { brand_name } = deps.config
  const today = dayOf(deps.clock.now())
  const context = { kind, today, brand_name, pay_url: publicUrl(link.pay_url, link.slug) }
  const about = { kind, merchant_id, environment, invoice_id }
  const aboutOn = (channel: 'sms' | 'email') =>
    reached.has(messageName(invoice, channel)) ? { ...about, kept_because: TOO_MANY } : about
  await Promise.all([
    customer_phone !== null &&
      queueSms(deps, tx, { ...aboutOn('sms'), to: customer_phone, text: invoiceSms(invoice, context) }),
    customer_email !== null &&
      queueEmail(deps, tx, { ...aboutOn('email'), to: customer_email, ...invoiceEmail(invoice, context) }),
  ])
}
