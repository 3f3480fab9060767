// What an invoice tells its customer by SMS and e-mail, in both languages.
//
// The names in it are typed by strangers to the reader: they stand on one line, and nothing in them becomes a link.

import { mailedName } from '../../access/merchants/index.ts'
import { shortestSms } from '../../adapters/messages/index.ts'
import { type Language, plainLine, showAmount, showDate } from '../../kernel/lib/index.ts'
import { displayNumber } from './state.ts'
import type { Invoice } from './store.ts'

/** What is told: a new invoice, or a reminder of one. */
export type Kind = 'invoice.send' | 'invoice.remind'

/** What a message is made from. `today`: the day in Tanzania. `pay_url`: the page of its payment link. */
export type Telling = { kind: Kind; today: string; pay_url: string; brand_name: string }

type Texts = {
  invoice: string
  reminder: string
  when: Record<'before' | 'today' | 'late', (date: string) => string>
  subject: (what: string, merchant: string, amount: string) => string
  greeting: (customer: string) => string
  sent: (merchant: string, number: string) => string
  reminded: (merchant: string, number: string) => string
  amount: string
  pay: string
  read: string
  pin: string
  foot: (brand: string, merchant: string) => string
}

const TEXTS: Record<Language, Texts> = {
  sw: {
    invoice: 'ankara',
    reminder: 'kikumbusho, ankara',
    when: {
      before: (date) => `lipa hadi ${date}`,
      today: () => 'lipa leo',
      late: (date) => `ilipaswa kulipwa ${date}`,
    },
    subject: (what, merchant, amount) => `${merchant}: ${what}, ${amount}`,
    greeting: (customer) => `Habari ${customer},`,
    sent: (merchant, number) => `${merchant} imekutumia ankara ${number}.`,
    reminded: (merchant, number) => `${merchant} inakukumbusha kuhusu ankara ${number}, ambayo bado haijalipwa.`,
    amount: 'Kiasi',
    pay: 'Lipa hapa:',
    read: 'Soma ankara au pakua PDF hapa:',
    pin: 'Weka namba yako ya siri (PIN) kwenye simu yako tu. Usimpe mtu yeyote.',
    foot: (brand, merchant) =>
      `Ujumbe huu umetumwa na ${brand} kwa niaba ya ${merchant}. Kama huitambui ankara hii, usilipe.`,
  },
  en: {
    invoice: 'invoice',
    reminder: 'reminder, invoice',
    when: {
      before: (date) => `pay by ${date}`,
      today: () => 'pay today',
      late: (date) => `was due ${date}`,
    },
    subject: (what, merchant, amount) => `${merchant}: ${what}, ${amount}`,
    greeting: (customer) => `Hello ${customer},`,
    sent: (merchant, number) => `${merchant} has sent you invoice ${number}.`,
    reminded: (merchant, number) => `${merchant} reminds you of invoice ${number}, which has not been paid yet.`,
    amount: 'Amount',
    pay: 'Pay here:',
    read: 'Read the invoice or download it as a PDF here:',
    pin: 'Enter your PIN on your phone only. Never give it to anybody.',
    foot: (brand, merchant) =>
      `This message was sent by ${brand} for ${merchant}. If you do not know this invoice, do not pay it.`,
  },
}

const NAME_MAX = 60

/** A page in the language of the invoice. Payers get Swahili unless an address asks for something else. */
function inLanguage(url: string, language: Language): string {
  return language === 'sw' ? url : `${url}?lang=${language}`
}

function piecesOf(invoice: Invoice, { kind, today }: Telling) {
  const texts = TEXTS[invoice.language]
  const number = displayNumber(invoice.number)
  const date = showDate(invoice.due_date, invoice.language)
  const moment = today < invoice.due_date ? 'before' : today === invoice.due_date ? 'today' : 'late'
  return {
    texts,
    number,
    what: `${kind === 'invoice.send' ? texts.invoice : texts.reminder} ${number}`,
    amount: showAmount(invoice.total_minor, invoice.currency),
    when: texts.when[moment](date),
    merchant: mailedName(invoice.merchant_name),
  }
}

/** The SMS about an invoice: one of 160 characters wherever the names allow it. */
export function smsText(invoice: Invoice, telling: Telling): string {
  const { what, amount, when, merchant } = piecesOf(invoice, telling)
  const url = inLanguage(telling.pay_url, invoice.language)
  return shortestSms((name_max) => `${plainLine(merchant, name_max)}: ${what}, ${amount}, ${when}: ${url}`, 1)
}

/** The e-mail about an invoice. */
export function emailText(invoice: Invoice, telling: Telling): { subject: string; text: string } {
  const { texts, number, what, amount, when, merchant: whole } = piecesOf(invoice, telling)
  const { pay_url, brand_name, kind } = telling
  const { language } = invoice
  const merchant = plainLine(whole, NAME_MAX)
  const told = kind === 'invoice.send' ? texts.sent(merchant, number) : texts.reminded(merchant, number)
  const text = [
    texts.greeting(plainLine(mailedName(invoice.customer_name), NAME_MAX)),
    `${told}\n${texts.amount}: ${amount} (${when})`,
    `${texts.pay}\n${inLanguage(pay_url, language)}`,
    `${texts.read}\n${inLanguage(`${pay_url}/invoice`, language)}`,
    texts.pin,
    `-- \n${texts.foot(plainLine(brand_name, NAME_MAX), merchant)}`,
  ]
  return { subject: plainLine(texts.subject(what, merchant, amount), 160), text: text.join('\n\n') }
}
