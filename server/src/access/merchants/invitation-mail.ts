// Writes the e-mail of an invitation, in the language of the inviting user. The text is the same with and without an account of
// the recipient, so it reveals no account.

import type { Email } from '../../adapters/messages/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'
import type { Language } from '../../kernel/lib/index.ts'

/** The data of an invitation e-mail. `language` is the language of the inviting user. */
export type InvitationMail = {
  merchant_id: string
  merchant_name: string
  email: string
  role: MerchantRole
  language: Language
  /** The URL of the dashboard. */
  url: string
  brand: string
}

const ADDRESS = /(?:(?<![a-z\d+.-])[a-z\d+.-]+:\/\/|\bwww\.)\S*/gi
const DOMAIN_DOT = /(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}-]{2})/gu

/**
 * Returns the name of a business on one line. A stranger may have chosen the name, so the function removes URLs and splits
 * domain names. A mail program then turns neither into a link.
 */
export function mailedName(name: string): string {
  const plain = name.replace(ADDRESS, ' ').replace(DOMAIN_DOT, ' ')
  return plain.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() || '-'
}

/** The role names of the dashboard, for e-mails. */
export const ROLE_NAMES: Record<Language, Record<MerchantRole, string>> = {
  sw: { MERCHANT_ADMIN: 'Msimamizi', DEVELOPER: 'Msanidi', FINANCE: 'Fedha', VIEWER: 'Mtazamaji' },
  en: { MERCHANT_ADMIN: 'Administrator', DEVELOPER: 'Developer', FINANCE: 'Finance', VIEWER: 'Viewer' },
}

/** Returns the invitation as an e-mail to queue. */
export function invitationMail(mail: InvitationMail): Email {
  const { merchant_id, email, role, language, url, brand } = mail
  const merchant_name = mailedName(mail.merchant_name)
  const as = ROLE_NAMES[language][role]
  const paragraphs = {
    sw: [
      `Umealikwa kujiunga na biashara "${merchant_name}" kwenye ${brand}. Jukumu lako: ${as}.`,
      `Ingia, au fungua akaunti kwa barua pepe hii (${email}).\n${url}`,
      'Kama hukutarajia mwaliko huu, usifanye chochote.',
    ],
    en: [
      `The business "${merchant_name}" invites you to its account at ${brand}. Your role: ${as}.`,
      `Sign in, or create an account, with this e-mail address (${email}).\n${url}`,
      'If you did not expect this invitation, do nothing.',
    ],
  }
  const labels = { sw: 'Ingia au fungua akaunti', en: 'Sign in or create an account' }
  const subjects = { sw: `mwaliko wa "${merchant_name}"`, en: `invitation to "${merchant_name}"` }
  return {
    to: email,
    merchant_id,
    kind: 'member.invite',
    subject: `${brand}: ${subjects[language]}`,
    text: paragraphs[language].join('\n\n'),
    button: { label: labels[language], url },
  }
}
