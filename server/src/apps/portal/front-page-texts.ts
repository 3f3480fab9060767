// Contains the texts of the first page of the installation.

import type { Language } from '../../kernel/lib/index.ts'

type FrontTexts = {
  other: string
  skip: string
  title: string
  lead: string
  try_it: string
  try_means: string
  doors: readonly { href: string; name: string; text: string; icon: 'dashboard' | 'operators' | 'documentation' }[]
  api: string
  version: string
}

/** The texts of the first page, by language. */
export const FRONT_TEXTS: Record<Language, FrontTexts> = {
  sw: {
    other: 'English',
    skip: 'Ruka hadi kwenye maudhui',
    title: 'Pokea malipo Tanzania',
    lead: 'Pokea pesa kwa simu, pochi na msimbo wa QR, na lipa kwenye simu na benki. Seva huhifadhi kila malipo kabla ya kutuma ombi kwa mtandao.',
    try_it: 'Jaribu ukurasa wa malipo',
    try_means: 'Ni jaribio tu: hakuna pesa zinazohama.',
    doors: [
      {
        href: '/dashboard',
        name: 'Dashibodi',
        text: 'Kwa biashara: malipo, viungo, ankara, utoaji pesa na funguo za API.',
        icon: 'dashboard',
      },
      {
        href: '/operator',
        name: 'Waendeshaji',
        text: 'Kwa wanaoendesha mfumo huu: idhini za utoaji pesa, biashara na watoa huduma.',
        icon: 'operators',
      },
      {
        href: '/docs?lang=sw',
        name: 'Mwongozo wa API',
        text: 'Kwa wasanidi programu: malipo ya kwanza, webhook na misimbo ya makosa. Kurasa nyingi ziko kwa Kiingereza.',
        icon: 'documentation',
      },
    ],
    api: 'API iko hapa:',
    version: 'toleo',
  },
  en: {
    other: 'Kiswahili',
    skip: 'Skip to the content',
    title: 'Take payments in Tanzania',
    lead: 'Collect money by phone, wallet and QR code, and pay out to phones and banks. The server stores each payment before it sends a request to a network.',
    try_it: 'Try a payment page',
    try_means: 'This is only a test: no money moves.',
    doors: [
      {
        href: '/dashboard',
        name: 'Dashboard',
        text: 'For businesses: payments, links, invoices, withdrawals and API keys.',
        icon: 'dashboard',
      },
      {
        href: '/operator',
        name: 'Operators',
        text: 'For the people who run this installation: approvals of payouts, merchants and providers.',
        icon: 'operators',
      },
      {
        href: '/docs?lang=en',
        name: 'Documentation',
        text: 'For developers: the first payment, webhooks and error codes.',
        icon: 'documentation',
      },
    ],
    api: 'The API is at',
    version: 'version',
  },
}
