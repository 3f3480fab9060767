// The e-mail to somebody who was invited. In both languages, and the same whether there is an account or not: nobody may
// learn from it which addresses have one.

import type { Email } from '../messages/index.ts'

/** What an invitation tells the one who is invited. */
export type InvitationMail = {
  merchant_id: string
  merchant_name: string
  email: string
  role: string
  /** Where to sign in; empty when this installation was told no address of its own. */
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

/** The e-mail of an invitation. */
export function invitationMail(mail: InvitationMail): Email {
  const { merchant_id, email, role, url, brand } = mail
  const merchant_name = mailedName(mail.merchant_name)
  const where = url === '' ? '' : `\n${url}`
  return {
    to: email,
    merchant_id,
    kind: 'member.invite',
    subject: `${brand}: "${merchant_name}"`,
    text: [
      `Umealikwa kujiunga na biashara "${merchant_name}" kwenye ${brand}, kama ${role}.`,
      `Ingia, au fungua akaunti kwa barua pepe hii (${email}).${where}`,
      'Kama hukutarajia mwaliko huu, usifanye chochote.',
      '---',
      `You were invited to the business "${merchant_name}" at ${brand}, as ${role}.`,
      `Sign in, or create an account, with this e-mail address (${email}).${where}`,
      'If you did not expect this invitation, do nothing.',
    ].join('\n\n'),
  }
}
