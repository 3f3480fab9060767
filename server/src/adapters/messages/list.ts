// Lists the messages of the outbox: for a merchant, for operators, and for the admin command.

import { PLATFORM } from '../../books/audit/index.ts'
import { type Deps, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { ZERO_ID } from '../../kernel/lib/index.ts'
import type { Channel } from './gateway.ts'
import type { MerchantMessage, MessageStatus, OperatorMessage } from './schema.ts'

type MessageRow = {
  merchant_id: string
  id: string
  environment: Environment
  channel: Channel
  status: MessageStatus
  kind: string
  recipient: string
  subject: string
  body: string
  tries: number
  error: string | null
  gateway_id: string | null
  invoice_id: string | null
  due_at: Date | null
  sent_at: Date | null
  created_at: Date
}

const COLUMNS = `m.merchant_id, m.id, m.environment, m.channel, m.status, m.kind, m.recipient, m.subject, m.body, m.tries,
     m.error, m.gateway_id, m.invoice_id, m.due_at, m.sent_at, m.created_at`

/** The filter of a merchant's list of messages. Undefined as a field means all values. */
export type MessageFilter = PageChoice & {
  channel?: Channel | undefined
  status?: MessageStatus | undefined
  invoice_id?: string | undefined
}

// The queries of the paged lists have no name, so that PostgreSQL plans each query for its actual filters.
const OF_MERCHANT = `outbox_messages m where m.merchant_id = $1 and m.environment = $2 and m.invoice_id is not null
     and ($3::text is null or m.channel = $3) and ($4::text is null or m.status = $4) and ($5::uuid is null or m.invoice_id = $5)`
const LIST_MERCHANT = sql('', `select ${COLUMNS} from ${OF_MERCHANT} order by m.id desc limit $6 offset $7`)
const COUNT_MERCHANT = sql('', `select count(*)::int as total from (select 1 from ${OF_MERCHANT} limit $6) counted`)

/** Reads a page of the messages about a merchant's invoices, newest first. `total_items` counts up to 10,000. */
export async function listMerchantMessages(
  deps: Deps,
  owner: { merchant_id: string; environment: Environment },
  filter: MessageFilter,
) {
  const { channel = null, status = null, invoice_id = null, page = 1, page_size = 20 } = filter
  const matching = [owner.merchant_id, owner.environment, channel, status, invoice_id]
  const [rows, counted] = await Promise.all([
    deps.db.query<MessageRow>(LIST_MERCHANT, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT_MERCHANT, [...matching, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentForMerchant(deps, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}

// If a message has no merchant, its merchant_id is the id of zeros.
const OWNERS = `(select id as merchant_id, archived_at from merchants union all select '${ZERO_ID}'::uuid, null) w`
const ownersOf = `select merchant_id from ${OWNERS}
       where w.merchant_id = $1 or ($1::uuid is null and w.archived_at is null)`
const ofOwner = (condition: string) => `select id from outbox_messages m where m.merchant_id = o.merchant_id
       and ($2::text is null or m.channel = $2) ${condition}`

// The newest n messages are among the messages of the n owners with the newest messages. From a sample, the query computes the
// lowest possible id of the n-th message, so that it reads no older rows.
const DEPTH = '($4::int + $5::int)'
const messageListSql = (condition: string) =>
  sql(
    '',
    `with owners as materialized (
       select o.* from (${ownersOf}) o cross join lateral (${ofOwner(condition)} order by m.id desc limit 1) m
       order by m.id desc limit ${DEPTH}
     ), sample as (
       select m.id from owners o cross join lateral (${ofOwner(condition)} order by m.id desc
         limit (select 4 * ${DEPTH} / greatest(count(*), 1) + 1 from owners)) m
     ), oldest as materialized (
       select coalesce((select id from sample order by id desc limit 1 offset ${DEPTH} - 1), '${ZERO_ID}') as id
     )
     select ${COLUMNS} from (
       select o.merchant_id, m.id from owners o cross join lateral (
         ${ofOwner(condition)} and m.id >= (select id from oldest) order by m.id desc limit ${DEPTH}) m
       order by m.id desc limit $4 offset $5
     ) found
     join outbox_messages m on m.merchant_id = found.merchant_id and m.id = found.id order by m.id desc`,
  )
const messageCountSql = (condition: string) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from (${ownersOf}) o cross join lateral (${ofOwner(condition)} limit $4) m limit $4) counted`,
  )
// PostgreSQL uses the partial index on waiting and failed messages only if the condition names both statuses.
const UNSENT = "and m.status = $3 and m.status in ('waiting', 'failed')"
const ANY_STATUS = 'and ($3::text is null or m.status = $3)'
const LISTS = { unsent: messageListSql(UNSENT), any: messageListSql(ANY_STATUS) }
const COUNTS = { unsent: messageCountSql(UNSENT), any: messageCountSql(ANY_STATUS) }

/** The filter of the operators' list of messages. Undefined as a field means all values. */
export type OperatorMessageFilter = Omit<MessageFilter, 'invoice_id'> & { merchant_id?: string | undefined }

/**
 * Reads a page of the messages of one merchant or of all merchants, newest first. If `merchant_id` is undefined, the page
 * includes messages without a merchant. `total_items` counts up to 10,000.
 */
export async function listMessages(deps: Deps, filter: OperatorMessageFilter) {
  const { channel = null, status = null, merchant_id = null, page = 1, page_size = 20 } = filter
  const which = status === 'waiting' || status === 'failed' ? 'unsent' : 'any'
  const matching = [merchant_id, channel, status]
  const [rows, counted] = await Promise.all([
    deps.db.query<MessageRow>(LISTS[which], [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNTS[which], [...matching, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentMessageForOperator(deps, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}

/** The kinds of messages that never contain a sign-in link, so operators may read their texts in production. */
const SAFE_KINDS = /^(?:invoice|withdrawal)\./

function presentMessageForOperator(deps: Deps, row: MessageRow): OperatorMessage {
  const shows_text = deps.config.node_env !== 'production' || SAFE_KINDS.test(row.kind)
  const { merchant_id, gateway_id, error } = row
  return {
    ...common(row),
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    text: shows_text ? openText(deps, row) : null,
    error,
    gateway_id,
  }
}

/**
 * Converts a message to the form for its merchant. The error contains only its first word, because the rest is an answer of the
 * gateway.
 */
function presentForMerchant(deps: Deps, row: MessageRow): MerchantMessage {
  return { ...common(row), text: openText(deps, row), error: row.error?.split(':', 1)[0] ?? null }
}

function common({
  id,
  environment,
  channel,
  status,
  kind,
  recipient,
  subject,
  tries,
  invoice_id,
  ...times
}: MessageRow) {
  return {
    id,
    environment,
    channel,
    status,
    kind,
    to: recipient,
    subject: channel === 'email' ? subject : null,
    invoice_id,
    tries,
    next_try_at: times.due_at?.toISOString() ?? null,
    sent_at: times.sent_at?.toISOString() ?? null,
    created_at: times.created_at.toISOString(),
  }
}

/** Decrypts the text of a message. Null means that SECRET_KEY is not the key that encrypted the text. */
function openText({ vault }: Deps, { body }: { body: string }): string | null {
  try {
    return vault.open(body)
  } catch {
    return null
  }
}

/**
 * An e-mail of the outbox. Null as `merchant_id` means that the e-mail has no merchant. Null as `text` means that the server
 * hides or cannot decrypt the text.
 */
export type StoredEmail = {
  id: string
  merchant_id: string | null
  kind: string
  to: string
  subject: string
  text: string | null
  status: MessageStatus
  created_at: Date
}

const LIST_EMAILS = sql(
  'outbox_list_emails',
  `select merchant_id, id, kind, recipient, subject, body, status, created_at from outbox_messages
   where channel = 'email' and ($1::uuid is null or merchant_id = $1) and ($2::text is null or recipient = $2)
   order by id desc limit $3`,
)

type EmailRow = Omit<StoredEmail, 'merchant_id' | 'to' | 'text'> & {
  merchant_id: string
  recipient: string
  body: string
}

/** The greatest number of e-mails that the admin command shows. */
const EMAILS_MAX = 200

/**
 * Reads the e-mails of one merchant or of all merchants, newest first. If `open` is false, the texts are null. In production,
 * `open` is false by default, because a reader of sign-in links can act as any user.
 */
export async function listEmails(
  deps: Deps,
  filter: { merchant_id?: string; to?: string; open?: boolean } = {},
): Promise<StoredEmail[]> {
  const shows_text = filter.open ?? deps.config.node_env !== 'production'
  const values = [filter.merchant_id ?? null, filter.to?.toLowerCase() ?? null, EMAILS_MAX]
  const rows = await deps.db.query<EmailRow>(LIST_EMAILS, values)
  return rows.map(({ merchant_id, recipient, body, ...rest }) => ({
    ...rest,
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    to: recipient,
    text: shows_text ? openText(deps, { body }) : null,
  }))
}
