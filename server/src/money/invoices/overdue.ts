// Reports overdue invoices: queues one event for each invoice that became overdue in the last REPORTED_DAYS days. One
// transaction marks the invoices and queues their events, so the worker reports an invoice once.

import { enqueueEvents, subscriptionKey, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { dayOf, formatAmount, type Metadata } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { displayNumber } from './state.ts'

const EVERY_MS = 60_000
const BATCH_MAX = 500
/**
 * If an invoice has been overdue for more than this number of days, the server never reports the invoice. An upgrade thus
 * reports no old invoices.
 */
const REPORTED_DAYS = 7
const DAY_MS = 86_400_000

type OverdueInvoice = {
  merchant_id: string
  id: string
  environment: Environment
  number: number
  due_date: string
  total_minor: bigint
  currency: string
  metadata: Metadata | null
  payment_link_id: string | null
  merchant_code: string
  routing_code: number
}

// Another transaction may have locked an invoice in order to change it; `skip locked` leaves such an invoice for the next run.
// The mark `paid` comes some seconds after the payment, so the query also reads the paid links.
const MARK = sql(
  'invoices_mark_overdue',
  `update invoices i set overdue_at = $1
   from (
     select o.merchant_id, o.id, m.merchant_code, m.routing_code::float8 as routing_code from merchants m
     cross join lateral (
       select x.merchant_id, x.id from invoices x
       where x.merchant_id = m.id and x.status = 'SENT' and not x.paid and x.overdue_at is null
         and x.due_date < $2::date and x.due_date >= $3::date
         and not exists (
           select from payment_links p where p.merchant_id = x.merchant_id and p.invoice_id = x.id and p.status = 'PAID')
       order by x.due_date limit $4 for update skip locked) o
     where $5::uuid is null or m.id = $5
     limit $4) due
   where i.merchant_id = due.merchant_id and i.id = due.id
   returning i.merchant_id, i.id, i.environment, i.number, i.due_date::text as due_date, i.total_minor, i.currency, i.metadata,
     i.payment_link_id, due.merchant_code, due.routing_code`,
)

/** Returns the worker's task that reports overdue invoices. The task of webhooks sends the events. */
export function overdueTask(deps: Deps): Task {
  return {
    name: 'invoices_overdue',
    every_ms: EVERY_MS,
    runOnce: () => inTransaction(deps.db, (tx) => reportOverdue(deps, tx)),
    async idle() {},
  }
}

async function reportOverdue(deps: Deps, tx: Tx): Promise<number> {
  const now = deps.clock.now()
  const from = dayOf(new Date(now.getTime() - REPORTED_DAYS * DAY_MS))
  const invoices = await tx.query<OverdueInvoice>(MARK, [now, dayOf(now), from, BATCH_MAX, deps.only_merchant ?? null])
  if (invoices.length === 0) return 0
  const subscriptions = await subscriptionsOf(tx, [...new Set(invoices.map(({ merchant_id }) => merchant_id))])
  const events = invoices.map((invoice) => ({
    merchant_id: invoice.merchant_id,
    routing_code: invoice.routing_code,
    environment: invoice.environment,
    event: 'invoice.overdue' as const,
    endpoint_ids: subscriptions.get(subscriptionKey(invoice))?.get('invoice.overdue') ?? [],
    source_type: 'invoice' as const,
    source_id: invoice.id,
    source_seq: 0,
    body: overdueBody(invoice, now.toISOString()),
  }))
  await enqueueEvents(deps, tx, events, () => false)
  return invoices.length
}

function overdueBody(invoice: OverdueInvoice, now: string) {
  const reference = displayNumber(invoice.number)
  return {
    event: 'invoice.overdue',
    merchant_code: invoice.merchant_code,
    invoice_id: invoice.id,
    ...(invoice.payment_link_id === null ? {} : { payment_link_id: invoice.payment_link_id }),
    reference,
    merchant_reference: reference,
    amount: formatAmount(invoice.total_minor),
    currency: invoice.currency,
    status: 'OVERDUE',
    due_date: invoice.due_date,
    overdue_at: now,
    timestamp: now,
    metadata: invoice.metadata ?? {},
    ...(invoice.environment === 'sandbox' ? { sandbox: true } : {}),
  }
}
