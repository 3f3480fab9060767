// Queues e-mails to the merchant about operators' decisions, as plain text in each recipient's language. The transaction of the
// decision also queues the e-mails, so a rollback removes both.

import { dashboardUrl, mailedName, noticeRecipients, unsubscribeUrl } from '../../access/merchants/index.ts'
import { type Email, queueEmail } from '../../adapters/messages/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { type Language, showAmount, showTime } from '../../kernel/lib/index.ts'
import type { MerchantWithdrawal } from './store.ts'

/** The decisions about which the merchant gets an e-mail. */
export type DecisionKind = 'rejected' | 'info_requested' | 'recalled'

/**
 * Queues e-mails about a decision to at most 20 members who manage the merchant's money and have a verified address. If a
 * member has unsubscribed from such e-mails, the member gets none.
 */
export async function notifyDecision(
  deps: Deps,
  tx: Tx,
  row: MerchantWithdrawal,
  kind: DecisionKind,
  text: string,
): Promise<void> {
  const { merchant_id } = row
  const people = await noticeRecipients(tx, merchant_id, 'withdrawals')
  const { brand_name: brand } = deps.config
  const url = dashboardUrl(deps, row.merchant_id, `${row.environment}/withdrawals/${row.id}`)
  await Promise.all(
    people.map(({ member_id, email, language }) => {
      const unsubscribe_url = unsubscribeUrl(deps, { merchant_id, member_id, kind: 'withdrawals' })
      const mail = decisionMail({ row, kind, text, email, language, brand, url })
      return queueEmail(deps, tx, { ...mail, unsubscribe_url })
    }),
  )
}

type DecisionMailInput = {
  row: MerchantWithdrawal
  kind: DecisionKind
  text: string
  email: string
  language: Language
  brand: string
  /** The address of the withdrawal's page. */
  url: string
}

const WORDS = {
  sw: {
    withdrawal: (merchant: string, details: string) => `Ombi la biashara "${merchant}" la kutoa ${details}`,
    sandbox: ' [majaribio]',
    rejected: {
      subject: 'ombi la kutoa pesa limekataliwa',
      sentence: 'limekataliwa. Hakuna pesa iliyotoka. Sababu:',
      next: 'Angalia ombi hili kwenye dashibodi.',
      button: 'Angalia ombi',
    },
    recalled: {
      subject: 'ombi la kutoa pesa limesitishwa',
      sentence:
        'lilikuwa limeidhinishwa, na mwendeshaji amelisitisha kabla ya pesa kutumwa. Pesa zilizotengwa zimerudi kwenye salio lako. Sababu:',
      next: 'Angalia ombi hili kwenye dashibodi.',
      button: 'Angalia ombi',
    },
    info_requested: {
      subject: 'taarifa zinahitajika',
      sentence: 'linasubiri taarifa kutoka kwako. Swali:',
      next: 'Ingia kwenye dashibodi ujibu.',
      button: 'Jibu swali',
    },
  },
  en: {
    withdrawal: (merchant: string, details: string) => `The withdrawal of ${details} of the business "${merchant}"`,
    sandbox: ' [sandbox]',
    rejected: {
      subject: 'withdrawal rejected',
      sentence: 'was rejected by an operator. No money has left your balance. The reason:',
      next: 'See the withdrawal in the dashboard.',
      button: 'See the withdrawal',
    },
    recalled: {
      subject: 'withdrawal recalled',
      sentence:
        'was recalled by an operator before the server sent the payout. The reserved money is back in your balance. The reason:',
      next: 'See the withdrawal in the dashboard.',
      button: 'See the withdrawal',
    },
    info_requested: {
      subject: 'information requested',
      sentence: 'waits for information from you. The question:',
      next: 'Sign in to the dashboard and answer it.',
      button: 'Answer the question',
    },
  },
} as const

/**
 * Returns the e-mail about a decision. A text of the merchant is on one line, so that the text cannot become a link. The operator's
 * text stays unchanged.
 */
function decisionMail({ row, kind, text, email, language, brand, url }: DecisionMailInput): Email {
  const words = WORDS[language]
  const { subject, sentence, next, button } = words[kind]
  const merchant = mailedName(row.merchant_name)
  const amount = showAmount(row.amount_minor, row.currency)
  const reference = row.reference === null ? '' : `"${mailedName(row.reference)}", `
  const sandbox = row.environment === 'sandbox' ? words.sandbox : ''
  const details = `${amount} (${reference}${showTime(row.created_at, language)})${sandbox}`
  return {
    to: email,
    merchant_id: row.merchant_id,
    environment: row.environment,
    kind: `withdrawal.${kind}`,
    subject: `${brand}: ${subject}`,
    text: [`${words.withdrawal(merchant, details)} ${sentence}`, `"${text}"`, `${next}\n${url}`].join('\n\n'),
    button: { label: button, url },
  }
}
