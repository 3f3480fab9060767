// Queues messages. The server writes a message in the transaction of the fact that the message reports.

import { PLATFORM } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { newId, plainLine, plainText, routingCodeOf } from '../../kernel/lib/index.ts'
import type { Channel } from './gateway.ts'
import { hasGateway } from './gateways.ts'
import { smsText } from './sms-text.ts'

/** The fields of each message to queue. */
type QueuedMessage = {
  to: string
  text: string
  /** The kind of the message, such as identity.reset or invoice.send. */
  kind: string
  /** The merchant that the message concerns. Undefined means that the message concerns no merchant. */
  merchant_id?: string
  /** The environment of the reported fact. Undefined means live. The server never sends sandbox messages. */
  environment?: Environment
  /**
   * The reason why the server stores the message and never sends the message: a stable word, a colon and a text. Undefined
   * means that the server may send the message.
   */
  kept_because?: string
  /** The invoice of the message. If a message has an invoice, the merchant may read the message. */
  invoice_id?: string
  /**
   * The URL where the recipient stops e-mails of this kind without a sign-in. Empty or undefined means that the e-mail has
   * none.
   */
  unsubscribe_url?: string
}

/** The button of an e-mail. The text of the e-mail must have `url` on a line of its own, for programs that show no HTML. */
export type MailButton = { label: string; url: string }

/** An e-mail to queue. Undefined as `button` means that the e-mail has no button. */
export type Email = QueuedMessage & { subject: string; button?: MailButton }
/**
 * An SMS to queue for a canonical phone number. If the text has more than SMS_PARTS_MAX parts, the server cuts the text. To
 * keep a link at the end, callers use `shortestSms`.
 */
export type Sms = QueuedMessage

const INSERT = sql(
  'outbox_insert',
  `insert into outbox_messages (merchant_id, id, channel, status, due_at, environment, kind, recipient, subject, body,
     invoice_id, created_at, error, unsubscribe_url, button_label, button_line)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
)

/**
 * Queues an e-mail with an encrypted text. If a mail server is configured and `kept_because` is undefined, the worker sends the
 * e-mail after the commit. The recipient may get a live e-mail twice, with the same Message-ID, and never gets one of the
 * sandbox.
 */
export function queueEmail(deps: Deps, tx: Tx, email: Email): Promise<{ id: string }> {
  return queueMessage(deps, tx, 'email', email, plainLine(email.subject), email.text, email.button)
}

/**
 * Queues an SMS with an encrypted text. If a gateway is configured and `kept_because` is undefined, the worker sends the SMS at
 * most once after the commit. The worker sends no SMS of the sandbox.
 */
export function queueSms(deps: Deps, tx: Tx, sms: Sms): Promise<{ id: string }> {
  return queueMessage(deps, tx, 'sms', sms, '', smsText(sms.text))
}

async function queueMessage(
  deps: Deps,
  tx: Tx,
  channel: Channel,
  message: QueuedMessage,
  subject: string,
  text: string,
  button?: MailButton,
) {
  const { merchant_id = PLATFORM, environment = 'live', kind, to, invoice_id = null, kept_because = null } = message
  const id = newId(deps, merchant_id === PLATFORM ? 0 : routingCodeOf(merchant_id))
  const now = deps.clock.now()
  const is_sent = kept_because === null && environment === 'live' && hasGateway(deps.config, channel)
  const state = is_sent ? ['waiting', now] : ['kept', null]
  const body = deps.vault.seal(text)
  const unsubscribe_url = message.unsubscribe_url || null
  const about = [environment, kind, to, subject, body, invoice_id, now, kept_because, unsubscribe_url]
  const line = button === undefined ? null : buttonLine(text, button)
  await tx.query(INSERT, [merchant_id, id, channel, ...state, ...about, button?.label ?? null, line])
  return { id }
}

/** Returns the number of the last line that is the address of the button. */
function buttonLine(text: string, { url }: MailButton): number {
  const place = plainText(text).split('\n').lastIndexOf(url)
  if (place < 0) throw new Error('the text of an e-mail must have the address of its button on a line of its own')
  return place
}
