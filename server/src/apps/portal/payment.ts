// Reads one payment for operators, with its next step, attempts, status changes, postings and webhooks.

import { type Breaker, CIRCUIT_OPEN, QUESTIONS } from '../../adapters/providers/breaker.ts'
import { statementForm } from '../../adapters/providers/statement-forms.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { amountAsNumber } from '../../kernel/lib/index.ts'
import { getForOperators } from '../../money/collections/index.ts'
import type { OperatorPayment } from './payment-schema.ts'
import { type RequestsOf, timelineOfCollection } from './timeline.ts'
import { PART_MAX } from './timeline-read.ts'
import { type OpenAttempt, type WaitsForFacts, waitsFor } from './waits-for-texts.ts'

type OperatorAttemptRow = {
  number: number
  provider: string
  provider_reference: string
  provider_id: string | null
  provider_status: string | null
  method: string
  phone: string | null
  amount_minor: bigint
  currency: string
  state: OperatorPayment['attempts'][number]['state']
  asks: number
  due_at: Date | null
  leased: boolean
  deadline_at: Date
  sent_at: Date | null
  created_at: Date
  updated_at: Date
}

const ATTEMPTS = sql(
  'operator_payment_attempts',
  `select number, provider, provider_reference, provider_id, provider_status, method, phone, amount_minor, currency, state,
     asks, due_at, lease_owner is not null as leased, deadline_at, sent_at, created_at, updated_at
   from collection_attempts where merchant_id = $1 and collection_id = $2 order by number desc limit $3`,
)

type OperatorDeliveryRow = {
  delivery_id: string
  event: string
  status: OperatorPayment['deliveries'][number]['status']
  attempts: number
  due_at: Date | null
  created_at: Date
  last_at: Date | null
  last_status_code: number | null
  last_error: string | null
  delivered_at: Date | null
}

const DELIVERIES = sql(
  'operator_payment_deliveries',
  `select d.id as delivery_id, d.event, d.status, d.attempts, d.due_at, d.created_at, a.at as last_at,
     a.status_code as last_status_code, a.error as last_error, accepted.at as delivered_at
   from (
     select * from webhook_deliveries
     where merchant_id = $1 and source_id = $2 and source_type = 'collection' order by source_seq desc, id desc limit $3) d
   left join lateral (
     select at, status_code, error from webhook_attempts
     where merchant_id = d.merchant_id and delivery_id = d.id order by number desc limit 1) a on true
   left join lateral (
     select at from webhook_attempts
     where merchant_id = d.merchant_id and delivery_id = d.id and error is null order by number limit 1) accepted on true
   order by d.source_seq, d.id`,
)

const PAGE_END = sql(
  'operator_payment_page_end',
  `select l.expires_at from collections c join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
   where c.merchant_id = $1 and c.id = $2`,
)

/**
 * The dependencies of `getPayment`: the circuit breaker and the request log. If `requestsOf` is missing, the timeline has no
 * requests.
 */
export type PaymentSources = { breaker: Breaker; requestsOf?: RequestsOf | undefined }

/**
 * Reads a payment with its next step, attempts, postings, webhooks and timeline. If the payment does not exist, refuses with
 * not_found.
 */
export async function getPayment(
  deps: Deps,
  { breaker, requestsOf }: PaymentSources,
  collection_id: string,
): Promise<OperatorPayment> {
  const reader: Reader = deps.db
  const collection = await getForOperators(deps, reader, collection_id)
  const { merchant_id, collection_id: id, status } = collection
  const created_at = new Date(collection.created_at)
  const payment = { merchant_id, id, status, created_at }
  const [attempts, deliveries, [page], timeline] = await Promise.all([
    reader.query<OperatorAttemptRow>(ATTEMPTS, [merchant_id, id, PART_MAX]),
    reader.query<OperatorDeliveryRow>(DELIVERIES, [merchant_id, id, PART_MAX]),
    reader.query<{ expires_at: Date | null }>(PAGE_END, [merchant_id, id]),
    timelineOfCollection(reader, payment, requestsOf),
  ])
  attempts.reverse()
  const open = findOpenAttempt(attempts)
  const next_step = waitsFor({
    now: deps.clock.now(),
    status,
    held_at: collection.held_at === null ? null : new Date(collection.held_at),
    created_at,
    expires_at: page?.expires_at ?? null,
    open,
    circuit_until: open === null ? null : circuitUntil(breaker, open),
  } satisfies WaitsForFacts)
  return {
    ...collection,
    waits_for: next_step && {
      ...next_step,
      since: isoOrNull(next_step.since),
      next_at: isoOrNull(next_step.next_at),
      until: isoOrNull(next_step.until),
    },
    attempts: attempts.map(presentAttempt),
    postings: timeline.items.filter((item) => item.kind === 'transfer'),
    deliveries: deliveries.map(({ due_at, created_at, last_at, delivered_at, ...rest }) => ({
      ...rest,
      next_attempt_at: isoOrNull(due_at),
      created_at: created_at.toISOString(),
      delivered_at: isoOrNull(delivered_at),
      last_at: isoOrNull(last_at),
    })),
    timeline,
  }
}

type AttemptWithNextStep = OperatorAttemptRow & { due_at: Date }

/** Finds the attempt with the earliest next step. If no attempt has a next step, returns null. */
function findOpenAttempt(attempts: readonly OperatorAttemptRow[]): (OpenAttempt & { method: string }) | null {
  const with_next_step = attempts.filter((attempt): attempt is AttemptWithNextStep => attempt.due_at !== null)
  with_next_step.sort((a, b) => a.due_at.getTime() - b.due_at.getTime())
  return with_next_step[0] ?? null
}

/** Returns when the open circuit of the next call permits a call again. If the circuit is not open, returns null. */
function circuitUntil(breaker: Breaker, { provider, method, state }: OpenAttempt & { method: string }): Date | null {
  const circuit_method = state === 'to_send' ? method : QUESTIONS.payments
  return breaker.health().find((one) => one.provider === provider && one.method === circuit_method)?.retry_at ?? null
}

function presentAttempt({
  amount_minor,
  provider_status,
  ...row
}: OperatorAttemptRow): OperatorPayment['attempts'][number] {
  return {
    ...row,
    statement_reference: statementForm(row.provider, row.provider_reference),
    // If the circuit was open, the process made no call, so this value is not a status of the provider.
    provider_status: provider_status === CIRCUIT_OPEN ? null : provider_status,
    amount: amountAsNumber(amount_minor),
    due_at: isoOrNull(row.due_at),
    deadline_at: row.deadline_at.toISOString(),
    sent_at: isoOrNull(row.sent_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function isoOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null
}
