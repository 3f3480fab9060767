// The outbox: a message is a row first, in the transaction of what it tells, so that neither exists without the other.

import { PLATFORM } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { newId, plainLine, routingCodeOf } from '../../kernel/lib/index.ts'
import type { Channel } from './gateway.ts'
import { hasGateway } from './gateways.ts'
import { smsText } from './sms-text.ts'

/** What every message says of itself. */
type Told = {
  to: string
  text: string
  /** What it is about, such as password.reset. */
  kind: string
  /** Whom it concerns. Left out: no merchant. */
  merchant_id?: string
  /** The environment of what it tells. Left out: live. A message about a sandbox record is kept: none ever leaves. */
  environment?: Environment
  /** The invoice that it is about: its merchant may read it. */
  invoice_id?: string
}

/** An e-mail that is to be sent. */
export type Email = Told & { subject: string }
/** An SMS that is to be sent, to a canonical phone. What is longer than SMS_PARTS_MAX parts is cut: see `shortestSms`. */
export type Sms = Told

const INSERT = sql(
  'outbox_insert',
  `insert into outbox_messages (merchant_id, id, channel, status, due_at, environment, kind, recipient, subject, body,
     invoice_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
)

/**
 * Puts an e-mail into the outbox. Its text is stored encrypted. With a mail server it is sent within seconds of the
 * commit, at least once; without one, and for the sandbox, it is kept.
 */
export function queueEmail(deps: Deps, tx: Tx, email: Email): Promise<{ id: string }> {
  return queue(deps, tx, 'email', email, plainLine(email.subject), email.text)
}

/** Puts an SMS into the outbox. With a gateway it is sent within seconds of the commit, at most once; else it is kept. */
export function queueSms(deps: Deps, tx: Tx, sms: Sms): Promise<{ id: string }> {
  return queue(deps, tx, 'sms', sms, '', smsText(sms.text))
}

async function queue(deps: Deps, tx: Tx, channel: Channel, told: Told, subject: string, text: string) {
  const { merchant_id = PLATFORM, environment = 'live', kind, to, invoice_id = null } = told
  const id = newId(deps, merchant_id === PLATFORM ? 0 : routingCodeOf(merchant_id))
  const now = deps.clock.now()
  const leaves = environment === 'live' && hasGateway(deps.config, channel)
  const state = leaves ? ['waiting', now] : ['kept', null]
  const body = deps.vault.seal(text)
  await tx.query(INSERT, [merchant_id, id, channel, ...state, environment, kind, to, subject, body, invoice_id, now])
  return { id }
}
