// Reading the outbox: a merchant what was sent in its name, operators all of it, the admin command the e-mails.

import { PLATFORM } from '../../books/audit/index.ts'
import { type Deps, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { ZERO_ID } from '../../kernel/lib/index.ts'
import type { Channel } from './gateway.ts'
import type { MerchantMessage, OperatorMessage, Status } from './schema.ts'

type Row = {
  merchant_id: string
  id: string
  environment: Environment
  channel: Channel
  status: Status
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

/** What a list is narrowed to. */
export type MessageFilter = PageChoice & {
  channel?: Channel | undefined
  status?: Status | undefined
  invoice_id?: string | undefined
}

// Statements without a name are planned for the filters at hand.
const IN_NAME_OF = `outbox_messages m where m.merchant_id = $1 and m.environment = $2 and m.invoice_id is not null
     and ($3::text is null or m.channel = $3) and ($4::text is null or m.status = $4) and ($5::uuid is null or m.invoice_id = $5)`
const LIST_MERCHANT = sql('', `select ${COLUMNS} from ${IN_NAME_OF} order by m.id desc limit $6 offset $7`)
const COUNT_MERCHANT = sql('', `select count(*)::int as total from (select 1 from ${IN_NAME_OF} limit $6) counted`)

/** A page of the messages that were sent in a merchant's name, newest first. `total_items` counts up to 10,000. */
export async function listMerchantMessages(
  deps: Deps,
  whose: { merchant_id: string; environment: Environment },
  filter: MessageFilter,
) {
  const { channel = null, status = null, invoice_id = null, page = 1, page_size = 20 } = filter
  const matching = [whose.merchant_id, whose.environment, channel, status, invoice_id]
  const [rows, counted] = await Promise.all([
    deps.db.query<Row>(LIST_MERCHANT, [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNT_MERCHANT, [...matching, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentForMerchant(deps, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}

// What concerns no merchant stands under zeros.
const OWNERS = `(select id as merchant_id from merchants union all select '${ZERO_ID}'::uuid) w`
const ownersOf = `select merchant_id from ${OWNERS} where $1::uuid is null or w.merchant_id = $1`
const ofOwner = (condition: string) => `select id from outbox_messages m where m.merchant_id = o.merchant_id
       and ($2::text is null or m.channel = $2) ${condition}`

// The newest n lie with those n owners whose newest is newest. Some rows of each of these tell how old the n-th may be at
// most: nothing older is read.
const DEPTH = '($4::int + $5::int)'
const listMerged = (condition: string) =>
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
const countMerged = (condition: string) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from (${ownersOf}) o cross join lateral (${ofOwner(condition)} limit $4) m limit $4) counted`,
  )
// What waits or failed has an index of its own, as short as the trouble: said in so many words, it is used.
const TROUBLE = "and m.status = $3 and m.status in ('waiting', 'failed')"
const ANY_STATUS = 'and ($3::text is null or m.status = $3)'
const LISTS = { trouble: listMerged(TROUBLE), any: listMerged(ANY_STATUS) }
const COUNTS = { trouble: countMerged(TROUBLE), any: countMerged(ANY_STATUS) }

/** What an operator's list is narrowed to. */
export type OperatorMessageFilter = Omit<MessageFilter, 'invoice_id'> & { merchant_id?: string | undefined }

/** A page of the messages of all merchants and of none, newest first. `total_items` counts up to 10,000. */
export async function listMessages(deps: Deps, filter: OperatorMessageFilter) {
  const { channel = null, status = null, merchant_id = null, page = 1, page_size = 20 } = filter
  const which = status === 'waiting' || status === 'failed' ? 'trouble' : 'any'
  const matching = [merchant_id, channel, status]
  const [rows, counted] = await Promise.all([
    deps.db.query<Row>(LISTS[which], [...matching, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(COUNTS[which], [...matching, COUNT_MAX]),
  ])
  return pageOf(
    rows.map((row) => presentForOperator(deps, row)),
    counted[0]?.total ?? 0,
    filter,
  )
}

/** Kinds whose texts hold nothing that signs anybody in. Of a kind that is not among them nobody can say so. */
const HARMLESS = /^(?:invoice|withdrawal)\./

function presentForOperator(deps: Deps, row: Row): OperatorMessage {
  const open = deps.config.node_env !== 'production' || HARMLESS.test(row.kind)
  const { merchant_id, gateway_id, error } = row
  return {
    ...common(row),
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    text: open ? textOf(deps, row) : null,
    error,
    gateway_id,
  }
}

/** What the gateway said in its own words is between it and the operator; a merchant gets the word that it stands for. */
function presentForMerchant(deps: Deps, row: Row): MerchantMessage {
  return { ...common(row), text: textOf(deps, row), error: row.error?.split(':', 1)[0] ?? null }
}

function common({ id, environment, channel, status, kind, recipient, subject, tries, invoice_id, ...times }: Row) {
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

/** Null when SECRET_KEY is not the one that it was stored with: the list is still there. */
function textOf({ vault }: Deps, { body }: Row): string | null {
  try {
    return vault.open(body)
  } catch {
    return null
  }
}

/** An e-mail of the outbox. `text` is null where it may open an account and nobody but its reader should see it. */
export type StoredEmail = {
  id: string
  merchant_id: string | null
  kind: string
  to: string
  subject: string
  text: string | null
  status: Status
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

/** How many e-mails the command shows at most. */
const EMAILS_MAX = 200

/**
 * The newest e-mails, of one merchant or of the whole installation, newest first. In production their texts
 * stay closed unless `open` is true: whoever can read a password link can sign in as anybody.
 */
export async function listEmails(
  deps: Deps,
  filter: { merchant_id?: string; to?: string; open?: boolean } = {},
): Promise<StoredEmail[]> {
  const open = filter.open ?? deps.config.node_env !== 'production'
  const wanted = [filter.merchant_id ?? null, filter.to?.toLowerCase() ?? null, EMAILS_MAX]
  const rows = await deps.db.query<EmailRow>(LIST_EMAILS, wanted)
  return rows.map(({ merchant_id, recipient, body, ...rest }) => ({
    ...rest,
    merchant_id: merchant_id === PLATFORM ? null : merchant_id,
    to: recipient,
    text: open ? deps.vault.open(body) : null,
  }))
}
