// Translates statuses, methods and reasons, and gives each status its tone.

import { type Language, textOfCode, texts, useLanguage } from './language.ts'
import type { Tone } from './parts.tsx'
import { sayReport } from './provider-report.ts'
import { showAmount } from './show.ts'

/** The text of each code of the API, by kind of code. A code without a text stays unchanged on the page. */
export const words = texts({
  sw: {
    collection: {
      created: 'Bado hayajalipwa',
      processing: 'Yanashughulikiwa',
      successful: 'Yamefanikiwa',
      failed: 'Hayakufanikiwa',
      pending_clearance: 'Yanakaguliwa',
      reversed: 'Yamerudishwa',
    } as Record<string, string>,
    withdrawal: {
      PENDING_ADMIN_APPROVAL: 'Unasubiri idhini',
      INFO_REQUESTED: 'Taarifa zaidi zinahitajika',
      PROCESSING: 'Unashughulikiwa',
      SUCCESS: 'Umefika',
      FAILED: 'Haukufanikiwa',
      REJECTED: 'Umekataliwa',
      CANCELLED: 'Umesitishwa',
      NEEDS_RECONCILIATION: 'Unahakikiwa kwa mtoa huduma',
      BLOCKED_IP_WHITELIST: 'Umezuiwa upande wetu',
      NEEDS_ADMIN_ATTENTION: 'Unashughulikiwa na mwendeshaji',
      REVERSED: 'Umerudishwa',
    } as Record<string, string>,
    link: { ACTIVE: 'Kinatumika', PAID: 'Kimelipwa', EXPIRED: 'Kimeisha muda', CANCELLED: 'Kimesitishwa' } as Record<
      string,
      string
    >,
    invoice: {
      DRAFT: 'Rasimu',
      SENT: 'Inasubiri malipo',
      PAID: 'Imelipwa',
      OVERDUE: 'Imepita tarehe',
      CANCELLED: 'Imesitishwa',
    } as Record<string, string>,
    method: {
      wallet_push: 'Simu (ombi la malipo)',
      provider_pesa: 'Pochi ya mtoa huduma',
      qr: 'Msimbo wa QR',
      MOBILE_MONEY: 'Pesa za simu',
      BANK_ACCOUNT: 'Akaunti ya benki',
      PROVIDER_PESA: 'Pochi ya mtoa huduma',
    } as Record<string, string>,
    reason: {
      user_cancelled: 'Mlipaji ameghairi',
      provider_declined: 'Mtandao umekataa',
      reversed: 'Pesa zimerudishwa',
      expired: 'Muda wa kuthibitisha umeisha',
      provider_unavailable: 'Mtandao haupatikani',
      unknown_provider_error: 'Hitilafu ya mtandao isiyojulikana',
      insufficient_balance: 'Salio la mlipaji halitoshi',
      wrong_pin: 'PIN si sahihi',
      timeout: 'Hakuna jibu kwa wakati',
      review_declined: 'Malipo yamekataliwa baada ya ukaguzi',
      unknown_recipient: 'Akaunti ya mpokeaji haipo au haiwezi kupokea',
      limit_exceeded: 'Kiasi kimepita kikomo cha akaunti ya mpokeaji',
      operator_resolved: 'Mwendeshaji amehakikisha: mpokeaji hakupata pesa',
    } as Record<string, string>,
    provider_status: {
      PENDING: 'Anasubiri',
      INPROGRESS: 'Anashughulikia',
      COMPLETED: 'Amekamilisha',
      FAILED: 'Ameshindwa',
      REJECTED: 'Amekataa',
      CANCELLED: 'Amesitisha',
      USERCANCELLED: 'Mlipaji ameghairi',
      HELD: 'Amezuia ili akague',
      REVERSED: 'Amerudisha pesa',
      NOT_FOUND: 'Mtoa huduma hana rekodi hii',
      AMBIGUOUS: 'Matokeo hayajulikani',
      REFUSED: 'Amekataa kupokea ombi',
    } as Record<string, string>,
    role: {
      MERCHANT_ADMIN: 'Msimamizi',
      DEVELOPER: 'Msanidi programu',
      FINANCE: 'Fedha',
      VIEWER: 'Mtazamaji',
    } as Record<string, string>,
    environment: { sandbox: 'Majaribio', live: 'Halisi' } as Record<string, string>,
  },
  en: {
    collection: {
      created: 'Not paid yet',
      processing: 'Processing',
      successful: 'Successful',
      failed: 'Failed',
      pending_clearance: 'Under review',
      reversed: 'Reversed',
    },
    withdrawal: {
      PENDING_ADMIN_APPROVAL: 'Pending approval',
      INFO_REQUESTED: 'More information needed',
      PROCESSING: 'Processing',
      SUCCESS: 'Paid out',
      FAILED: 'Failed',
      REJECTED: 'Rejected',
      CANCELLED: 'Cancelled',
      NEEDS_RECONCILIATION: 'Being checked with the provider',
      BLOCKED_IP_WHITELIST: 'Blocked on our side',
      NEEDS_ADMIN_ATTENTION: 'With an operator',
      REVERSED: 'Reversed',
    },
    link: { ACTIVE: 'Active', PAID: 'Paid', EXPIRED: 'Expired', CANCELLED: 'Cancelled' },
    invoice: { DRAFT: 'Draft', SENT: 'Awaiting payment', PAID: 'Paid', OVERDUE: 'Overdue', CANCELLED: 'Cancelled' },
    method: {
      wallet_push: 'Mobile money push',
      provider_pesa: 'Provider Pesa push',
      qr: 'QR code',
      MOBILE_MONEY: 'Mobile money',
      BANK_ACCOUNT: 'Bank account',
      PROVIDER_PESA: "Provider's wallet",
    },
    reason: {
      user_cancelled: 'Cancelled by the payer',
      provider_declined: 'Declined by the network',
      reversed: 'Reversed',
      expired: 'The prompt expired',
      provider_unavailable: 'Network unavailable',
      unknown_provider_error: 'Unknown error at the network',
      insufficient_balance: "The payer's balance was too low",
      wrong_pin: 'Wrong PIN',
      timeout: 'No answer in time',
      review_declined: 'Declined after a review',
      unknown_recipient: "The recipient's account does not exist or cannot receive the money",
      limit_exceeded: 'Outside the limits of the receiving account',
      operator_resolved: 'An operator confirmed that the recipient got no money',
    },
    provider_status: {
      PENDING: 'Pending',
      INPROGRESS: 'In progress',
      COMPLETED: 'Completed',
      FAILED: 'Failed',
      REJECTED: 'Rejected',
      CANCELLED: 'Cancelled',
      USERCANCELLED: 'Cancelled by the payer',
      HELD: 'Held for a review',
      REVERSED: 'Reversed',
      NOT_FOUND: 'The provider has no record of it',
      AMBIGUOUS: 'The outcome is unclear',
      REFUSED: 'Refused the request',
    },
    role: { MERCHANT_ADMIN: 'Administrator', DEVELOPER: 'Developer', FINANCE: 'Finance', VIEWER: 'Viewer' },
    environment: { sandbox: 'Sandbox', live: 'Live' },
  },
})

/** Returns the functions that translate codes into the current language. An unknown code stays unchanged. */
export function useWords() {
  return wordsIn(useLanguage())
}

/** Returns the functions that translate codes into a language. */
export function wordsIn(language: Language) {
  const t = words[language]
  const of = (kind: keyof typeof t) => (word: string | null) =>
    word === null ? '–' : (textOfCode(t[kind], word) ?? word)
  return {
    collection: of('collection'),
    withdrawal: of('withdrawal'),
    link: of('link'),
    invoice: of('invoice'),
    method: of('method'),
    reason: of('reason'),
    /** Says in words what a provider reported, as a history stores the report. */
    report: (text: string) =>
      sayReport(text, language, { amount: showAmount, reason: (code) => textOfCode(t.reason, code) }),
    provider_status: of('provider_status'),
    role: of('role'),
    environment: of('environment'),
    /** Returns all codes of a kind with their texts, for a filter. */
    choices: (kind: keyof typeof t) => Object.entries(t[kind]),
  }
}

const TONES: Record<string, Tone> = {
  created: 'plain',
  processing: 'wait',
  successful: 'good',
  failed: 'bad',
  pending_clearance: 'warn',
  reversed: 'warn',
  PENDING_ADMIN_APPROVAL: 'wait',
  INFO_REQUESTED: 'warn',
  PROCESSING: 'wait',
  SUCCESS: 'good',
  FAILED: 'bad',
  REJECTED: 'bad',
  NEEDS_RECONCILIATION: 'warn',
  BLOCKED_IP_WHITELIST: 'warn',
  NEEDS_ADMIN_ATTENTION: 'warn',
  REVERSED: 'warn',
  ACTIVE: 'wait',
  PAID: 'good',
  EXPIRED: 'plain',
  CANCELLED: 'plain',
  DRAFT: 'plain',
  SENT: 'wait',
  OVERDUE: 'bad',
}

/** Returns the tone of a status of any record. For an unknown status, returns `plain`. */
export function toneOf(status: string): Tone {
  return textOfCode(TONES, status) ?? 'plain'
}
