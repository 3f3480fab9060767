// Finds the record with an id and reads its state, for `admin explain`.

import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { base32ToId, isId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { parseReference } from '../../money/collections/index.ts'
import { findHold, parsePayoutReference } from '../../money/withdrawals/index.ts'
import {
  type ExplainedDelivery,
  type ExplainedPayment,
  type ExplainedPayout,
  type Explanation,
  explainDelivery,
  explainPayment,
  explainPayout,
  type OpenStep,
} from './explain-texts.ts'

// The id contains the routing code of the merchant, so each statement finds its row by the primary key.
const PAYMENT = sql(
  '',
  `select c.merchant_id, c.id, c.status, c.created_at, c.failure_reason_code,
     (select h.at from collection_history h where h.merchant_id = c.merchant_id and h.collection_id = c.id
      order by h.seq desc limit 1) as since
   from merchants m join collections c on c.merchant_id = m.id where m.routing_code = $1 and c.id = $2`,
)
const OPEN_ATTEMPT = sql(
  '',
  `select provider, state, asks, due_at, deadline_at, lease_owner, sent_at, created_at from collection_attempts
   where merchant_id = $1 and collection_id = $2 and due_at is not null order by due_at limit 1`,
)
const PAYOUT = sql(
  '',
  `select w.merchant_id, w.id, w.environment, w.status, w.created_at, w.failure_reason_code, w.status_reason,
     w.approvals_required, w.destination_code,
     (select h.at from withdrawal_history h where h.merchant_id = w.merchant_id and h.withdrawal_id = w.id
      order by h.seq desc limit 1) as since,
     p.provider, p.state, p.asks, p.due_at, p.deadline_at, p.lease_owner, p.sent_at, p.created_at as payout_at
   from merchants m join withdrawals w on w.merchant_id = m.id
   left join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
   where m.routing_code = $1 and w.id = $2`,
)
const DELIVERY = sql(
  '',
  `select d.status, d.event, d.attempts, d.due_at, d.lease_owner, d.created_at, d.updated_at,
     a.at as last_at, a.status_code as last_status_code, a.error as last_error
   from merchants m join webhook_deliveries d on d.merchant_id = m.id
   left join lateral (
     select at, status_code, error from webhook_attempts
     where merchant_id = d.merchant_id and delivery_id = d.id order by number desc limit 1) a on true
   where m.routing_code = $1 and d.id = $2`,
)
const SOURCE = sql(
  '',
  `select t.source_type, t.source_id from merchants m join ledger_transfers t on t.merchant_id = m.id
   where m.routing_code = $1 and t.id = $2`,
)

/**
 * The parsed id of a payment, payout or delivery. If the text began with TXN-, `is_transaction` is true, and `id` is the id of
 * a ledger transfer.
 */
export type ExplainedId = { id: string; is_transaction: boolean }

/** Parses an id or a provider reference from the command line. If the text has no valid form, returns null. */
export function parseExplained(text: string): ExplainedId | null {
  const given = text.trim()
  if (isId(given.toLowerCase())) return { id: given.toLowerCase(), is_transaction: false }
  const upper = given.toUpperCase()
  const transfer = upper.startsWith('TXN-') ? base32ToId(upper.slice(4)) : null
  if (transfer !== null) return { id: transfer, is_transaction: true }
  const id = parsePayoutReference(upper)?.id ?? parseReference(upper)?.collection_id
  return id === undefined ? null : { id, is_transaction: false }
}

/** Explains the state of a payment, payout or webhook delivery. If no record has this id, refuses with not_found. */
export async function explain({ db, clock }: Pick<Deps, 'db' | 'clock'>, given: ExplainedId): Promise<Explanation> {
  const id = given.is_transaction ? await sourceOf(db, given.id) : given.id
  const now = clock.now()
  const key = id === null ? null : [routingCodeOf(id), id]
  const found =
    key === null
      ? null
      : ((await findPaymentExplanation(db, key, now)) ??
        (await findPayoutExplanation(db, key, now)) ??
        (await findDeliveryExplanation(db, key, now)))
  return (
    found ??
    refuse('not_found', { message: 'There is no payment, payout or webhook delivery with this id. Check the id.' })
  )
}

async function sourceOf(reader: Reader, transfer_id: string): Promise<string | null> {
  const [row] = await reader.query<{ source_id: string }>(SOURCE, [routingCodeOf(transfer_id), transfer_id])
  return row?.source_id ?? null
}

async function findPaymentExplanation(reader: Reader, key: unknown[], now: Date): Promise<Explanation | null> {
  type ExplainedPaymentRow = Omit<ExplainedPayment, 'open'> & { merchant_id: string; id: string }
  const [payment] = await reader.query<ExplainedPaymentRow>(PAYMENT, key)
  if (payment === undefined) return null
  const [open = null] = await reader.query<OpenStep>(OPEN_ATTEMPT, [payment.merchant_id, payment.id])
  return explainPayment({ ...payment, open }, now)
}

type PayoutRow = Omit<ExplainedPayout, 'open' | 'hold'> & {
  merchant_id: string
  environment: Environment
  destination_code: string
  payout_at: Date
} & Omit<OpenStep, 'provider' | 'due_at' | 'created_at'> & { provider: string | null; due_at: Date | null }

async function findPayoutExplanation(reader: Reader, key: unknown[], now: Date): Promise<Explanation | null> {
  const [row] = await reader.query<PayoutRow>(PAYOUT, key)
  if (row === undefined) return null
  const { provider, due_at, payout_at, ...payout } = row
  if (provider === null || due_at === null) return explainPayout({ ...payout, hold: null, open: null }, now)
  const hold = row.state === 'to_send' ? await findHold(reader, { ...payout, provider }) : null
  const open = { ...payout, provider, due_at, created_at: payout_at }
  return explainPayout({ ...payout, hold: hold?.text ?? null, open }, now)
}

async function findDeliveryExplanation(reader: Reader, key: unknown[], now: Date): Promise<Explanation | null> {
  const [delivery] = await reader.query<ExplainedDelivery>(DELIVERY, key)
  return delivery === undefined ? null : explainDelivery(delivery, now)
}
