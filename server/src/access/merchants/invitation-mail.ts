// The e-mail to a person who was invited, in the language of the person who invites. It is the same whether there is an account
// or not, so that it does not tell which addresses have one.

import type { Email } from '../../adapters/messages/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'
import type { Language } from '../../kernel/lib/index.ts'

/** What an invitation tells the one who is invited. */
export type InvitationMail = {
  merchant_id: string
  merchant_name: string
  email: string
  role: MerchantRole
  language: Language
  /** The dashboard, where to sign in; empty when this installation was told no address of its own. */
  url: string
  brand: string
}

const ADDRESS = /(?:(?<![a-z\d+.-])[a-z\d+.-]+:\/\/|\bwww\.)\S*/gi
const DOMAIN_DOT = /(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}-]{2})/gu

/**
 * The name of a business as strangers are mailed it: on one line, and nothing in it that a mail program makes a link of.
 * Anybody may name a business as they like.
 */
export function mailedName(name: string): string {
  const plain = name.replace(ADDRESS, ' ').replace(DOMAIN_DOT, ' ')
  return plain.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim() || '-'
}

/** Roles as the dashboard calls them. */
const ROLES: Record<Language, Record<MerchantRole, string>> = {
  sw: { MERCHANT_ADMIN: 'Msimamizi', DEVELOPER: 'Msanidi', FINANCE: 'Fedha', VIEWER: 'Mtazamaji' },
  en: { MERCHANT_ADMIN: 'Administrator', DEVELOPER: 'Developer', FINANCE: 'Finance', VIEWER: 'Viewer' },
}

/** The e-mail of an invitation. */
export function invitationMail(mail: InvitationMail): Email {
  const { merchant_id, email, role, language, url, brand } = mail
  const merchant_name = mailedName(mail.merchant_name)
  const where = url === '' ? '' : `\n${url}`
  const as = ROLES[language][role]
  const paragraphs = {
    sw: [
      `Umealikwa kujiunga na biashara "${merchant_name}" kwenye ${brand}. Jukumu lako: ${as}.`,
      `Ingia, au fungua akaunti kwa barua pepe hii (${email}).${where}`,
      'Kama hukutarajia mwaliko huu, usifanye chochote.',
    ],
    en: [
      `You were invited to the business "${merchant_name}" at ${brand}. Your role: ${as}.`,
      `Sign in, or create an account, with this e-mail address (${email}).${where}`,
      'If you did not expect this invitation, do nothing.',
    ],
  }
  const subjects = { sw: `mwaliko wa "${merchant_name}"`, en: `invitation to "${merchant_name}"` }
  return {
    to: email,
    merchant_id,
    kind: 'member.invite',
    subject: `${brand}: ${subjects[language]}`,
    text: paragraphs[language].join('\n\n'),
  }
}
