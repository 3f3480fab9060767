// Contains the texts of the console's frame.

import { texts } from '../ui/language.ts'
import type { Me } from './operator.ts'

/** The role of an operator, as the API writes it. */
export type OperatorRole = NonNullable<Me['operator_role']>

/** The texts of the menu, and of the page for a user who is not an operator. */
export const frameTexts = texts({
  sw: {
    console: 'Waendeshaji',
    strip: 'Maamuzi ya hapa yanahamisha pesa halisi',
    queue: 'Yanayosubiri',
    money: 'Pesa',
    withdrawals: 'Utoaji pesa',
    decisions: 'Maamuzi ya pili',
    pauses: 'Kusimamisha utoaji pesa',
    payments: 'Malipo yote',
    collections: 'Malipo yaliyozuiwa',
    merchants_heading: 'Biashara',
    merchants: 'Biashara zote',
    addresses: 'Anwani za IP',
    webhooks: 'Webhook zinazoshindwa',
    platform: 'Mfumo',
    providers: 'Watoa huduma',
    waiting: 'Yanayomsubiri mtoa huduma',
    networks: 'Msaada wa mitandao',
    messages: 'Ujumbe',
    reasons: 'Sababu zilizohifadhiwa',
    reconciliation: 'Ulinganisho',
    system: 'Hali ya mfumo',
    operators: 'Waendeshaji',
    audit: 'Historia ya shughuli',
    account: 'Wasifu wako',
    sessions: 'Mahali ulipoingia',
    roles: {
      SUPPORT: 'Huduma kwa wateja: anasoma tu',
      FINANCE_OPERATOR: 'Mwendeshaji wa fedha',
      COMPLIANCE: 'Mkaguzi wa biashara',
      SUPER_ADMIN: 'Msimamizi mkuu',
    } satisfies Record<OperatorRole, string>,
    stranger_title: 'Sehemu hii ni ya waendeshaji tu',
    stranger: (email: string) =>
      `Umeingia kama ${email}. Akaunti hii si ya mwendeshaji wa mfumo huu, au uliingia bila hatua ya pili ya kuingia. Hakuna unachoweza kuona hapa.`,
    dashboard: 'Kama una biashara, dashibodi yako iko hapa:',
  },
  en: {
    console: 'Operators',
    strip: 'Decisions here move real money',
    queue: 'Open work',
    money: 'Money',
    withdrawals: 'Withdrawals',
    decisions: 'Second decisions',
    pauses: 'Payout pauses',
    payments: 'All payments',
    collections: 'Held payments',
    merchants_heading: 'Merchants',
    merchants: 'All merchants',
    addresses: 'IP addresses',
    webhooks: 'Failing webhooks',
    platform: 'Platform',
    providers: 'Providers',
    waiting: 'Waiting for a provider',
    networks: 'Help for networks',
    messages: 'Messages',
    reasons: 'Saved reasons',
    reconciliation: 'Reconciliation',
    system: 'System',
    operators: 'Operators',
    audit: 'Audit log',
    account: 'Your profile',
    sessions: 'Your sessions',
    roles: {
      SUPPORT: 'Support: reads only',
      FINANCE_OPERATOR: 'Finance operator',
      COMPLIANCE: 'Compliance',
      SUPER_ADMIN: 'Super admin',
    },
    stranger_title: 'This console is for operators only',
    stranger: (email: string) =>
      `You are signed in as ${email}. That account is not an operator of this installation, or it signed in without a second step. You have no access to this console.`,
    dashboard: 'If you have a business, your dashboard is here:',
  },
})
