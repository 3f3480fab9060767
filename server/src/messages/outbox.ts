// The outbox: an e-mail is a row first, in the transaction of what it tells, so that neither exists without the other.

import { PLATFORM } from '../audit/index.ts'
import { type Deps, sql, type Tx } from '../db/index.ts'
import { newId, routingCodeOf } from '../lib/index.ts'

/** An e-mail that is to be sent. `kind` says what it is about, such as password.reset. */
export type Email = { to: string; subject: string; text: string; kind: string; merchant_id?: string }

/** An e-mail of the outbox. `text` is null where it may open an account and nobody but its reader should see it. */
export type StoredEmail = {
  id: string
  merchant_id: string | null
  kind: string
  to: string
  subject: string
  text: string | null
  created_at: Date
}

const INSERT = sql(
  'outbox_insert',
  `insert into outbox_messages (merchant_id, id, kind, recipient, subject, body, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
)

/** Puts an e-mail into the outbox. Its text is stored encrypted. */
export async function queueEmail(deps: Deps, tx: Tx, email: Email): Promise<{ id: string }> {
  const { merchant_id = PLATFORM, kind, to, subject, text } = email
  const id = newId(deps, merchant_id === PLATFORM ? 0 : routingCodeOf(merchant_id))
  await tx.query(INSERT, [merchant_id, id, kind, to, subject, deps.vault.seal(text), deps.clock.now()])
  return { id }
}

const LIST = sql(
  'outbox_list',
  `select merchant_id, id, kind, recipient, subject, body, created_at from outbox_messages
   where ($1::uuid is null or merchant_id = $1) and ($2::text is null or recipient = $2) order by id desc limit $3`,
)

type Row = Omit<StoredEmail, 'merchant_id' | 'to' | 'text'> & { merchant_id: string; recipient: string; body: string }

/** How many e-mails a list shows at most. */
const LIST_MAX = 200

/**
 * The newest e-mails, of one merchant or of the whole installation, newest first. In production their texts
 * stay closed unless `open` is true: whoever can read a password link can sign in as anybody.
 */
export async function listEmails(
  deps: Deps,
  filter: { merchant_id?: string; to?: string; open?: boolean } = {},
): Promise<StoredEmail[]> {
  const open = filter.open ?? deps.config.node_env !== 'production'
  const rows = await deps.db.query<Row>(LIST, [filter.merchant_id ?? null, filter.to?.toLowerCase() ?? null, LIST_MAX])
  return rows.map(({ merchant_id, recipient, body, ...rest }) => ({
    ...rest,
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    to: recipient,
    text: open ? deps.vault.open(body) : null,
  }))
}
