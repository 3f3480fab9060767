// Reading what happened to one record: each of these finds its rows by keys of the record, and reads at most so many.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { type Reader, sql } from '../../kernel/db/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { transactionReference } from '../../money/transactions/index.ts'
import type { TimelineItem } from './timeline-schema.ts'

/** Most rows of one kind that a timeline shows: the newest. */
export const PART_MAX = 200

/** Some rows of one kind; `cut` when there are more. */
export type Part<Row> = { rows: Row[]; cut: boolean }

/** Which record is meant. */
export type Subject = { merchant_id: string; id: string }

/** A record as the books and its events name it. */
export type Source = Subject & { source_type: 'collection' | 'withdrawal' }

function part<Row>(rows: Row[]): Part<Row> {
  return { rows: rows.slice(0, PART_MAX), cut: rows.length > PART_MAX }
}

/** A try at a provider to take a payment. */
export type AttemptRow = {
  number: number
  provider: string
  method: string
  provider_reference: string
  provider_status: string | null
  state: string
  sent_at: Date | null
  created_at: Date
  updated_at: Date
}

// What a second try took beside the first has a collection of its own, and its try is that of the other one.
const ATTEMPTS = sql(
  'timeline_attempts',
  `select a.number, a.provider, a.method, a.provider_reference, a.provider_status, a.state, a.sent_at, a.created_at, a.updated_at
   from (
     select * from (
       select * from collection_attempts where merchant_id = $1 and collection_id = $2 order by number desc limit $3) own
     union all
     select * from (
       select * from collection_attempts where merchant_id = $1 and extra_collection_id = $2 limit $3) beside
   ) a order by a.number desc`,
)

/** The tries of a payment, newest first. */
export async function attemptsOf(reader: Reader, { merchant_id, id }: Subject): Promise<Part<AttemptRow>> {
  return part(await reader.query<AttemptRow>(ATTEMPTS, [merchant_id, id, PART_MAX + 1]))
}

/** A move of a payment. */
export type MoveRow = {
  seq: number
  from_status: string
  to_status: string
  actor: string
  reason: string | null
  at: Date
}

// A word of the provider that moved nothing is for operators.
const MOVES = sql(
  'timeline_collection_moves',
  `select seq, from_status, to_status, actor, reason, at from collection_history
   where merchant_id = $1 and collection_id = $2 and from_status <> to_status order by seq desc limit $3`,
)

/** The moves of a payment, newest first. */
export async function movesOf(reader: Reader, { merchant_id, id }: Subject): Promise<Part<MoveRow>> {
  return part(await reader.query<MoveRow>(MOVES, [merchant_id, id, PART_MAX + 1]))
}

const BIRTH = sql(
  'timeline_collection_birth',
  `select c.settled_attempt, c.payment_link_id is not null and not exists (
       select from payment_links l where l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.collection_id = c.id
     ) as by_payer
   from collections c where c.merchant_id = $1 and c.id = $2`,
)

/** How a payment began: by its payer on a payment link, or by its merchant; and which try paid it. */
export async function birthOf(reader: Reader, { merchant_id, id }: Subject) {
  const [row] = await reader.query<{ settled_attempt: number | null; by_payer: boolean }>(BIRTH, [merchant_id, id])
  return row ?? { settled_attempt: null, by_payer: false }
}

/** What a provider is asked to pay out. */
export type PayoutRow = Omit<AttemptRow, 'number' | 'provider_status'>

const PAYOUT = sql(
  'timeline_payout',
  `select provider, method, provider_reference, state, sent_at, created_at, updated_at from payouts
   where merchant_id = $1 and withdrawal_id = $2`,
)

/** The payout of a withdrawal, or null before it was approved. */
export async function payoutOf(reader: Reader, { merchant_id, id }: Subject): Promise<PayoutRow | null> {
  const [row] = await reader.query<PayoutRow>(PAYOUT, [merchant_id, id])
  return row ?? null
}

type TransferRow = {
  id: string
  posting: string
  debit_code: string
  credit_code: string
  amount_minor: bigint
  created_at: Date
  /** The movement of the amount, when the fact touched what is available. */
  transaction_id: string | null
}

// What was written in one moment touches one account of the merchant, whose versions tell the order.
const VERSION = `case when l.credit_code = 'available' then l.credit_version
     when l.debit_code in ('available', 'reserved', 'held') then l.debit_version else l.credit_version end`

// What the platform settles with itself is no business of the merchant.
const TRANSFERS = sql(
  'timeline_transfers',
  `select l.id, l.posting, l.debit_code, l.credit_code, l.amount_minor, l.created_at, (
       select t.id from ledger_transfers t where t.merchant_id = l.merchant_id and t.source_id = l.source_id
         and t.source_type = l.source_type and t.posting = l.posting and ${IS_BOOKING}) as transaction_id
   from ledger_transfers l
   where l.merchant_id = $1 and l.source_id = $2 and l.source_type = $3
     and (l.debit_code in ('available', 'reserved', 'held') or l.credit_code in ('available', 'reserved', 'held'))
   order by l.created_at desc, ${VERSION} desc limit $4`,
)

/** The movements of money about a record, newest first. */
export async function transfersOf(
  reader: Reader,
  { merchant_id, id, source_type }: Source,
): Promise<Part<TimelineItem>> {
  const rows = await reader.query<TransferRow>(TRANSFERS, [merchant_id, id, source_type, PART_MAX + 1])
  return part(
    rows.map((row) => ({
      at: row.created_at.toISOString(),
      kind: 'transfer' as const,
      posting: row.posting,
      debit: row.debit_code,
      credit: row.credit_code,
      amount: formatAmount(row.amount_minor),
      reference: row.transaction_id === null ? null : transactionReference(row.transaction_id),
    })),
  )
}

type WebhookRow = {
  id: string
  event: string
  due_at: Date | null
  created_at: Date
  newest: boolean
  number: number | null
  at: Date | null
  duration_ms: number | null
  status_code: number | null
  error: string | null
}

const WEBHOOKS = sql(
  'timeline_webhooks',
  `select d.id, d.event, d.due_at, d.created_at, a.number, a.at, a.duration_ms, a.status_code, a.error,
     row_number() over (partition by d.id order by a.number desc) = 1 as newest
   from (
     select id, event, due_at, created_at from webhook_deliveries
     where merchant_id = $1 and source_id = $2 and source_type = $3 order by source_seq desc limit $4
   ) d
   left join lateral (
     select number, at, duration_ms, status_code, error from webhook_attempts
     where merchant_id = $1 and delivery_id = d.id order by number desc limit $4) a on true
   order by coalesce(a.at, d.created_at) desc, d.id, a.number desc limit $4`,
)

/** The attempts to tell the merchant about a record, in no order; of an event that was not sent yet, that it is queued. */
export async function webhooksOf(
  reader: Reader,
  { merchant_id, id, source_type }: Source,
): Promise<Part<TimelineItem>> {
  const rows = await reader.query<WebhookRow>(WEBHOOKS, [merchant_id, id, source_type, PART_MAX + 1])
  return part(
    rows.map((row) => ({
      at: (row.at ?? row.created_at).toISOString(),
      kind: 'webhook' as const,
      delivery_id: row.id,
      event: row.event,
      number: row.number ?? 0,
      status_code: row.status_code,
      duration_ms: row.duration_ms,
      error: row.error,
      delivered: row.number !== null && row.error === null,
      next_attempt_at: row.newest ? (row.due_at?.toISOString() ?? null) : null,
    })),
  )
}
