// Telling a merchant by e-mail what an operator decided or asks. In both languages, plain text, in the transaction of the
// decision itself: neither exists without the other.

import { type Deps, sql, type Tx } from '../db/index.ts'
import { formatAmount } from '../lib/index.ts'
import { mailedName } from '../merchants/index.ts'
import { type Email, queueEmail } from '../messages/index.ts'
import type { Locked } from './store.ts'

/** What is told. */
export type DecisionKind = 'rejected' | 'info_requested'

/** A merchant with more people for its money than this has other ways of telling them. */
const RECIPIENTS_MAX = 20

// Only addresses that are proven: anybody may be invited under any address. The longest members first.
const RECIPIENTS = sql(
  'withdrawals_recipients',
  `select u.email from members s join users u on u.id = s.user_id
   where s.merchant_id = $1 and s.role in ('MERCHANT_ADMIN', 'FINANCE') and u.email_verified and u.disabled_at is null
   order by s.id limit $2`,
)

/** Mails the people who look after the merchant's money what an operator told them about a withdrawal. */
export async function notifyDecision(deps: Deps, tx: Tx, row: Locked, kind: DecisionKind, text: string): Promise<void> {
  const people = await tx.query<{ email: string }>(RECIPIENTS, [row.merchant_id, RECIPIENTS_MAX])
  const { brand_name: brand, base_url: url } = deps.config
  await Promise.all(
    people.map(({ email }) => queueEmail(deps, tx, decisionMail({ row, kind, text, email, brand, url }))),
  )
}

type Mail = { row: Locked; kind: DecisionKind; text: string; email: string; brand: string; url: string }

const WORDS = {
  rejected: {
    subject: 'ombi la kutoa pesa limekataliwa / withdrawal rejected',
    sw: 'limekataliwa. Hakuna pesa iliyotoka. Sababu:',
    en: 'was rejected. No money has left your balance. The reason:',
    next: ['', ''],
  },
  info_requested: {
    subject: 'taarifa zinahitajika / information requested',
    sw: 'linasubiri taarifa kutoka kwako. Swali:',
    en: 'waits for information from you. The question:',
    next: ['Ingia kwenye dashibodi ujibu.', 'Sign in to the dashboard and answer it.'],
  },
} as const

/**
 * The e-mail. Whatever a merchant wrote is put in quotes, on one line, and holds nothing that would become a link; the
 * operator's own words stay as they are.
 */
function decisionMail({ row, kind, text, email, brand, url }: Mail): Email {
  const words = WORDS[kind]
  const merchant = mailedName(row.merchant_name)
  const amount = `${row.currency} ${formatAmount(row.amount_minor)}`
  const reference = row.reference === null ? '' : `, "${mailedName(row.reference)}"`
  const sandbox = row.environment === 'sandbox' ? ' [sandbox]' : ''
  const what = `${amount} (${row.id}${reference})${sandbox}`
  const where = url === '' ? '' : `\n${url}`
  const [next_sw, next_en] = words.next
  const told = `"${text}"`
  return {
    to: email,
    merchant_id: row.merchant_id,
    environment: row.environment,
    kind: `withdrawal.${kind}`,
    subject: `${brand}: ${words.subject}`,
    text: [
      `Ombi la biashara "${merchant}" la kutoa ${what} ${words.sw}`,
      told,
      `${next_sw}${where}`,
      '---',
      `The withdrawal of ${what} of the business "${merchant}" ${words.en}`,
      told,
      `${next_en}${where}`,
    ]
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== '')
      .join('\n\n'),
  }
}
