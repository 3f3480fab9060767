// Reminds customers of unpaid invoices. One transaction queues the messages and sets the time of the next reminder. If the
// process dies before the commit, the invoice becomes due again at the end of its lease.

import { type Deps, inLockOrder, inputRows, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { dayOf, runSplitting } from '../../kernel/lib/index.ts'
import { createClaimer, type Task } from '../../kernel/work/index.ts'
import { channelsOf, countInvoiceMessages, queueInvoiceMessages } from './notify.ts'
import { nextReminder } from './reminder-days.ts'
import { findInvoices, type Invoice } from './store.ts'

const EVERY_MS = 10_000
const LEASE_MS = 60_000
const CLAIM_MAX = 100
/**
 * The maximum number of invoices of one merchant in one claim. Without this limit, one merchant could delay the reminders of other
 * merchants.
 */
const MERCHANT_MAX = 25

type InvoiceKey = { merchant_id: string; id: string }

// If the merchant has sent or cancelled the invoice after the claim, that request has ended the lease, and this query skips the
// invoice.
const LOCK_DUE = sql(
  'invoices_lock_due',
  `select i.merchant_id, i.id from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) k
   cross join lateral (
     select merchant_id, id from invoices
     where merchant_id = k.merchant_id and id = k.id and status = 'SENT' and lease_owner = $2 and due_at is not null
     for update
   ) i`,
)

const SET_NEXT_REMINDER = sql(
  'invoices_move_on',
  `update invoices i set due_at = x.due_at, lease_owner = null, reminders = i.reminders + x.reminded
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid, due_at timestamptz, reminded int')} x
   where i.merchant_id = x.merchant_id and i.id = x.id`,
)

/** The age up to which a payment without an outcome delays a reminder: one hour. */
const PROCESSING_MS = 3_600_000
/** The time after which the worker checks a delayed reminder again: 15 minutes. */
const RECHECK_MS = 900_000

/** Returns true if a recent payment of the invoice has no outcome. The outcome decides whether the customer needs a reminder. */
function isBeingPaid({ paid_at, processing_since }: Invoice, now: Date): boolean {
  return paid_at === null && processing_since !== null && now.getTime() - processing_since.getTime() < PROCESSING_MS
}

/**
 * Returns true if the customer can pay the invoice now, no payment is under review, and the customer has a phone or e-mail address.
 */
function needsReminder(invoice: Invoice): boolean {
  const can_be_paid = invoice.paid_at === null && invoice.link_status === 'ACTIVE' && !invoice.under_review
  const takes_payments = invoice.environment === 'sandbox' || invoice.merchant_status === 'ACTIVE'
  return can_be_paid && takes_payments && channelsOf(invoice).length > 0
}

/**
 * If the customer needs a reminder, queues the reminder of one invoice. Returns the time of the next reminder or check.
 */
async function remindInvoice(
  deps: Deps,
  tx: Tx,
  invoice: Invoice,
  { pay_url, now, reached }: { pay_url: string; now: Date; reached: ReadonlyMap<string, Date> },
) {
  const { merchant_id, id, slug, due_date, paid_at } = invoice
  if (isBeingPaid(invoice, now)) {
    return { merchant_id, id, due_at: new Date(now.getTime() + RECHECK_MS), reminded: 0 }
  }
  const is_reminded = needsReminder(invoice)
  if (is_reminded) {
    await queueInvoiceMessages(deps, tx, 'invoice.remind', invoice, { pay_url, slug: slug as string }, reached)
  }
  const due_at = paid_at === null ? nextReminder(deps.config.invoice_reminder_days, due_date, dayOf(now)) : null
  return { merchant_id, id, due_at, reminded: is_reminded ? 1 : 0 }
}

/** Queues the reminders of the claimed invoices and sets the times of their next reminders. */
async function remindInvoices(deps: Deps, payUrl: () => string, keys: readonly InvoiceKey[]): Promise<undefined[]> {
  await inTransaction(deps.db, async (tx) => {
    const input = JSON.stringify(inLockOrder(keys, ({ id }) => id).map(({ merchant_id, id }) => ({ merchant_id, id })))
    const due = await tx.query<InvoiceKey>(LOCK_DUE, [input, deps.process_id])
    if (due.length === 0) return
    const invoices = await findInvoices(tx, due)
    const now = deps.clock.now()
    const pay_url = payUrl()
    // One statement counts all messages of the batch. Two processes thus lock the counters in one order.
    const reminded = invoices.filter((invoice) => !isBeingPaid(invoice, now) && needsReminder(invoice))
    const reached = await countInvoiceMessages(deps, tx, reminded)
    const around = { pay_url, now, reached }
    const next = await Promise.all(invoices.map((invoice) => remindInvoice(deps, tx, invoice, around)))
    await tx.query(SET_NEXT_REMINDER, [JSON.stringify(next)])
  })
  return keys.map(() => undefined)
}

/** Returns the worker's task that queues reminders. `payUrl` returns the base address of the pages. */
export function remindTask(deps: Deps, payUrl: () => string): Task {
  const claim = createClaimer<InvoiceKey>(deps, {
    name: 'invoices',
    key: ['id'],
    returning: ['merchant_id', 'id'],
    // A reminder is due at nine o'clock, so the task must not claim a reminder early.
    longest_pause_ms: null,
    written: 'updated_at',
  })

  return {
    name: 'invoice_reminders',
    every_ms: EVERY_MS,
    async runOnce() {
      const keys = await claim(CLAIM_MAX, LEASE_MS, () => MERCHANT_MAX)
      if (keys.length === 0) return 0
      const results = await runSplitting(keys, (part) => remindInvoices(deps, payUrl, part))
      for (const [i, result] of results.entries()) {
        if (result instanceof Error)
          deps.log.warn(
            { component: 'invoices', err: result, invoice_id: keys[i]?.id },
            'the worker could not queue the reminder of an invoice, and will retry',
          )
      }
      return keys.length
    },
    async idle() {},
    giveBack: claim.giveBack,
  }
}
