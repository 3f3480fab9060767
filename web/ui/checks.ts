// What a form can know before it asks the API, in both languages. The API checks everything again.

import { type Language, texts } from './language.ts'

const words = texts({
  sw: {
    needed: 'Jaza sehemu hii.',
    amount: 'Andika kiasi kama 25000 au 25000.50.',
    phone: 'Andika namba ya simu kama 0754 123 456.',
    email: 'Andika anwani kama jina@mfano.co.tz.',
    url: 'Andika anwani kamili inayoanza na https://',
    date: 'Andika tarehe kama 2026-12-31.',
  },
  en: {
    needed: 'Fill this in.',
    amount: 'Write an amount such as 25000 or 25000.50.',
    phone: 'Write a phone number such as 0754 123 456.',
    email: 'Write an address such as name@example.co.tz.',
    url: 'Write a whole address that begins with https://',
    date: 'Write a date such as 2026-12-31.',
  },
})

/** What people write for shillings, as the API takes it: "25,000/=", "Tsh 25000" and "25000.50" are amounts. Null: it is none. */
export function readAmount(text: string): string | null {
  const plain = text
    .replace(/^(tzs|tsh|sh)\.?/i, '')
    .replace(/\/[=-]$/, '')
    .replace(/[\s,\u00a0]/g, '')
  return /^\d{1,12}(\.\d{1,2})?$/.test(plain) && Number(plain) > 0 ? Number(plain).toFixed(2) : null
}

/** What people write for a Tanzanian mobile number, canonical. Null: it is none. */
export function readPhone(text: string): string | null {
  const [, digits] = /^(?:\+?255|0)?([67]\d{8})$/.exec(text.replace(/[\s-]/g, '')) ?? []
  return digits === undefined ? null : `255${digits}`
}

/** The checks in one language: each answers what is wrong, or null. */
export function checks(language: Language) {
  const t = words[language]
  const optional = (check: (value: string) => string | null) => (value: string) =>
    value.trim() === '' ? null : check(value)
  const needed = (value: string) => (value.trim() === '' ? t.needed : null)
  const amount = (value: string) => needed(value) ?? (readAmount(value) === null ? t.amount : null)
  const phone = (value: string) => needed(value) ?? (readPhone(value) === null ? t.phone : null)
  const email = (value: string) => needed(value) ?? (/^[^\s@]+@[^\s@]+$/.test(value.trim()) ? null : t.email)
  const url = (value: string) =>
    needed(value) ?? (/^https?:\/\/./.test(value.trim()) && URL.canParse(value.trim()) ? null : t.url)
  const date = (value: string) => needed(value) ?? (/^\d{4}-\d{2}-\d{2}$/.test(value) ? null : t.date)
  return { needed, amount, phone, email, url, date, optional }
}
