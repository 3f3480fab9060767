// Reads the events of one record. Each query finds its rows by an index, and reads a limited number of rows.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { type Reader, sql } from '../../kernel/db/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { transactionReference } from '../../money/transactions/index.ts'
import type { TimelineItem } from './timeline-schema.ts'

/** The highest number of rows of each kind in a timeline. The query reads the newest rows. */
export const PART_MAX = 200

/** Rows of one kind. If older rows exist that the query did not read, `has_more` is true. */
export type TimelinePart<Row> = { rows: Row[]; has_more: boolean }

/** The merchant and the id of a record. */
export type RecordKey = { merchant_id: string; id: string }

/** The key of a record in the form that transfers and webhooks store. */
export type SourceKey = RecordKey & { source_type: 'collection' | 'withdrawal' }

function limitRows<Row>(rows: Row[]): TimelinePart<Row> {
  return { rows: rows.slice(0, PART_MAX), has_more: rows.length > PART_MAX }
}

/** An attempt of a collection, as a timeline reads it. */
export type TimelineAttemptRow = {
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

// A duplicate payment has a separate collection, but its attempt is an attempt of the paid collection. `extra_collection_id` is
// the id of the separate collection.
const ATTEMPTS = sql(
  'timeline_attempts',
  `select a.number, a.provider, a.method, a.provider_reference, a.provider_status, a.state, a.sent_at, a.created_at, a.updated_at
   from (
     select * from (
       select * from collection_attempts where merchant_id = $1 and collection_id = $2 order by number desc limit $3) own
     union all
     select * from (
       select * from collection_attempts where merchant_id = $1 and extra_collection_id = $2 limit $3) duplicate
   ) a order by a.number desc`,
)

/** Reads the attempts of a collection, newest first. */
export async function readAttempts(
  reader: Reader,
  { merchant_id, id }: RecordKey,
): Promise<TimelinePart<TimelineAttemptRow>> {
  return limitRows(await reader.query<TimelineAttemptRow>(ATTEMPTS, [merchant_id, id, PART_MAX + 1]))
}

/** A status change of a collection, as a timeline reads it. */
export type TimelineMoveRow = {
  seq: number
  from_status: string
  to_status: string
  actor: string
  reason: string | null
  at: Date
}

// A provider's answer may leave the status unchanged. The timeline omits such an answer.
const MOVES = sql(
  'timeline_collection_moves',
  `select seq, from_status, to_status, actor, reason, at from collection_history
   where merchant_id = $1 and collection_id = $2 and from_status <> to_status order by seq desc limit $3`,
)

/** Reads the status changes of a collection, newest first. */
export async function readMoves(
  reader: Reader,
  { merchant_id, id }: RecordKey,
): Promise<TimelinePart<TimelineMoveRow>> {
  return limitRows(await reader.query<TimelineMoveRow>(MOVES, [merchant_id, id, PART_MAX + 1]))
}

const ORIGIN = sql(
  'timeline_collection_birth',
  `select c.settled_attempt, c.payment_link_id is not null and not exists (
       select from payment_links l where l.merchant_id = c.merchant_id and l.id = c.payment_link_id and l.collection_id = c.id
     ) as by_payer
   from collections c where c.merchant_id = $1 and c.id = $2`,
)

/** Reads which attempt paid the collection, and whether the payer (on a payment link) or the merchant created it. */
export async function readOrigin(reader: Reader, { merchant_id, id }: RecordKey) {
  const [row] = await reader.query<{ settled_attempt: number | null; by_payer: boolean }>(ORIGIN, [merchant_id, id])
  return row ?? { settled_attempt: null, by_payer: false }
}

/** The payout of a withdrawal, as a timeline reads it. */
export type TimelinePayoutRow = Omit<TimelineAttemptRow, 'number' | 'provider_status'>

const PAYOUT = sql(
  'timeline_payout',
  `select provider, method, provider_reference, state, sent_at, created_at, updated_at from payouts
   where merchant_id = $1 and withdrawal_id = $2`,
)

/** Reads the payout of a withdrawal. Before the approval of the withdrawal, returns null. */
export async function readPayout(reader: Reader, { merchant_id, id }: RecordKey): Promise<TimelinePayoutRow | null> {
  const [row] = await reader.query<TimelinePayoutRow>(PAYOUT, [merchant_id, id])
  return row ?? null
}

type TransferRow = {
  id: string
  posting: string
  debit_code: string
  credit_code: string
  amount_minor: bigint
  created_at: Date
  debit_version: bigint
  credit_version: bigint
  /** The transaction of the posting. Null means that the posting did not change the available balance. */
  transaction_id: string | null
}

// The merchant must not see transfers between two accounts of the platform.
const TRANSFERS = sql(
  'timeline_transfers',
  `select l.id, l.posting, l.debit_code, l.credit_code, l.amount_minor, l.created_at, l.debit_version, l.credit_version, (
       select t.id from ledger_transfers t where t.merchant_id = l.merchant_id and t.source_id = l.source_id
         and t.source_type = l.source_type and t.posting = l.posting and ${IS_BOOKING}) as transaction_id
   from ledger_transfers l
   where l.merchant_id = $1 and l.source_id = $2 and l.source_type = $3
     and (l.debit_code in ('available', 'reserved', 'held') or l.credit_code in ('available', 'reserved', 'held'))
   order by l.created_at desc, l.leg desc limit $4`,
)

/** The versions of both accounts after a transfer. */
const versionsOf = (row: TransferRow) =>
  new Map([
    [row.debit_code, row.debit_version],
    [row.credit_code, row.credit_version],
  ])

/** True if a transfer of `a` changed an account after a transfer of `b` changed the same account. */
function isBookedAfter(a: readonly TransferRow[], b: readonly TransferRow[]): boolean {
  const earlier = b.map(versionsOf)
  const later = a.flatMap((row) => [...versionsOf(row)])
  return later.some(([code, version]) => earlier.some((versions) => version > (versions.get(code) ?? version)))
}

/**
 * Sorts transfers, newest first. The transfers of one posting stay together. Postings with equal times have the order of their
 * booking, which the versions of a shared account give.
 */
function newestFirst(rows: readonly TransferRow[]): TransferRow[] {
  const left = [...Map.groupBy(rows, ({ posting }) => posting).values()]
  const sorted: TransferRow[] = []
  const timeOf = (posting: readonly TransferRow[] | undefined) => posting?.[0]?.created_at.getTime()
  while (left.length > 0) {
    const equal = left.filter((posting) => timeOf(posting) === timeOf(left[0]))
    const next = left.findIndex(
      (posting) =>
        equal.includes(posting) && !equal.some((other) => other !== posting && isBookedAfter(other, posting)),
    )
    sorted.push(...left.splice(Math.max(next, 0), 1).flat())
  }
  return sorted
}

/** Reads the transfers of a record, newest first. */
export async function readTransfers(
  reader: Reader,
  { merchant_id, id, source_type }: SourceKey,
): Promise<TimelinePart<TimelineItem>> {
  const rows = await reader.query<TransferRow>(TRANSFERS, [merchant_id, id, source_type, PART_MAX + 1])
  return limitRows(
    newestFirst(rows).map((row) => ({
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

/** Reads the webhook attempts of a record, newest first. If an event has no attempt, its item has the number 0. */
export async function readWebhooks(
  reader: Reader,
  { merchant_id, id, source_type }: SourceKey,
): Promise<TimelinePart<TimelineItem>> {
  const rows = await reader.query<WebhookRow>(WEBHOOKS, [merchant_id, id, source_type, PART_MAX + 1])
  return limitRows(
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
