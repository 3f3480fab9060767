// Putting what an invoice tells its customer into the outbox.

import { type Deps, sql, type Tx } from '../db/index.ts'
import type { Environment } from '../http/index.ts'
import { newId, plainLine, routingCodeOf } from '../lib/index.ts'

/** A message about an invoice. `kind`: invoice.send or invoice.remind. `to`: a canonical phone, or an address. */
type Sms = {
  to: string
  text: string
  kind: string
  merchant_id: string
  environment: Environment
  invoice_id: string
}
type Email = Sms & { subject: string }

const INSERT = sql(
  'invoices_queue',
  `insert into outbox_messages (merchant_id, id, channel, environment, kind, recipient, subject, body, invoice_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

/** Puts an e-mail into the outbox, in the transaction of what it tells. Its text is stored encrypted. */
export function queueEmail(deps: Deps, tx: Tx, email: Email): Promise<void> {
  return queue(deps, tx, 'email', email, plainLine(email.subject))
}

/** Puts an SMS into the outbox, in the transaction of what it tells. Its text is stored encrypted. */
export function queueSms(deps: Deps, tx: Tx, sms: Sms): Promise<void> {
  return queue(deps, tx, 'sms', sms, '')
}

async function queue(deps: Deps, tx: Tx, channel: 'email' | 'sms', told: Sms, subject: string): Promise<void> {
  const { merchant_id, environment, kind, to, text, invoice_id } = told
  const id = newId(deps, routingCodeOf(merchant_id))
  const values = [environment, kind, to, subject, deps.vault.seal(text), invoice_id, deps.clock.now()]
  await tx.query(INSERT, [merchant_id, id, channel, ...values])
}

const BASIC = /^[@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà]*$/
const ONE_SMS = 160
/** As soon as one letter is not of the phone networks' own alphabet. */
const ONE_SMS_OTHERWISE = 70

function fitsOneSms(text: string): boolean {
  return text.length <= (BASIC.test(text) ? ONE_SMS : ONE_SMS_OTHERWISE)
}

/**
 * The longest version of a text that is one SMS. `write` gets how many characters the names in it may have; with the fewest
 * its text is taken as it is.
 */
export function shortestSms(write: (name_max: number) => string): string {
  // Phone networks know neither the space that does not break, nor the sign of something cut off.
  const texts = [60, 40, 30, 20, 12, 8].map((max) => write(max).replaceAll('\u00a0', ' ').replaceAll('…', '...'))
  return texts.find(fitsOneSms) ?? (texts.at(-1) as string)
}
