// Telling a merchant by e-mail what an operator decided or asks, in each recipient's language. Plain text, in the transaction of the
// decision itself: neither exists without the other.

import { dashboardUrl, mailedName } from '../../access/merchants/index.ts'
import { type Email, queueEmail } from '../../adapters/messages/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { type Language, showAmount, showTime } from '../../kernel/lib/index.ts'
import type { Locked } from './store.ts'

/** What is told. */
export type DecisionKind = 'rejected' | 'info_requested'

/** A merchant with more people for its money than this has other ways of telling them. */
const RECIPIENTS_MAX = 20

// Only addresses that are proven: anybody may be invited under any address. The longest members first.
const RECIPIENTS = sql(
  'withdrawals_recipients',
  `select u.email, u.language from members s join users u on u.id = s.user_id
   where s.merchant_id = $1 and s.role in ('MERCHANT_ADMIN', 'FINANCE') and u.email_verified and u.disabled_at is null
   order by s.id limit $2`,
)

/** Mails the people who look after the merchant's money what an operator told them about a withdrawal. */
export async function notifyDecision(deps: Deps, tx: Tx, row: Locked, kind: DecisionKind, text: string): Promise<void> {
  const people = await tx.query<{ email: string; language: Language }>(RECIPIENTS, [row.merchant_id, RECIPIENTS_MAX])
  const { brand_name: brand } = deps.config
  const url = dashboardUrl(deps, row.merchant_id, `${row.environment}/withdrawals/${row.id}`)
  await Promise.all(
    people.map((person) => queueEmail(deps, tx, decisionMail({ row, kind, text, ...person, brand, url }))),
  )
}

type Mail = {
  row: Locked
  kind: DecisionKind
  text: string
  email: string
  language: Language
  brand: string
  /** The page of the withdrawal; empty when this installation was told no address of its own. */
  url: string
}

const WORDS = {
  sw: {
    what: (merchant: string, what: string) => `Ombi la biashara "${merchant}" la kutoa ${what}`,
    sandbox: ' [majaribio]',
    rejected: {
      subject: 'ombi la kutoa pesa limekataliwa',
      told: 'limekataliwa. Hakuna pesa iliyotoka. Sababu:',
      next: 'Angalia ombi hili kwenye dashibodi.',
    },
    info_requested: {
      subject: 'taarifa zinahitajika',
      told: 'linasubiri taarifa kutoka kwako. Swali:',
      next: 'Ingia kwenye dashibodi ujibu.',
    },
  },
  en: {
    what: (merchant: string, what: string) => `The withdrawal of ${what} of the business "${merchant}"`,
    sandbox: ' [sandbox]',
    rejected: {
      subject: 'withdrawal rejected',
      told: 'was rejected. No money has left your balance. The reason:',
      next: 'See the withdrawal in the dashboard.',
    },
    info_requested: {
      subject: 'information requested',
      told: 'waits for information from you. The question:',
      next: 'Sign in to the dashboard and answer it.',
    },
  },
} as const

/**
 * The e-mail. Whatever a merchant wrote is put in quotes, on one line, and holds nothing that would become a link; the
 * operator's own words stay as they are.
 */
function decisionMail({ row, kind, text, email, language, brand, url }: Mail): Email {
  const words = WORDS[language]
  const { subject, told, next } = words[kind]
  const merchant = mailedName(row.merchant_name)
  const amount = showAmount(row.amount_minor, row.currency)
  const reference = row.reference === null ? '' : `"${mailedName(row.reference)}", `
  const sandbox = row.environment === 'sandbox' ? words.sandbox : ''
  const what = `${amount} (${reference}${showTime(row.created_at, language)})${sandbox}`
  return {
    to: email,
    merchant_id: row.merchant_id,
    environment: row.environment,
    kind: `withdrawal.${kind}`,
    subject: `${brand}: ${subject}`,
    text: [`${words.what(merchant, what)} ${told}`, `"${text}"`, url === '' ? next : `${next}\n${url}`].join('\n\n'),
  }
}
