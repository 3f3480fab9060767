// Reminding customers of unpaid invoices.
//
// The messages are queued in the transaction that moves the invoice on to its next reminder: a process that dies before the
// commit has reminded nobody, and the row falls due again when its lease ends; one that dies after it has done all.

import { type Deps, inLockOrder, inputRows, inTransaction, sql } from '../../kernel/db/index.ts'
import { dayOf, runSplitting } from '../../kernel/lib/index.ts'
import { createClaimer, type Task } from '../../kernel/work/index.ts'
import { nextReminder } from './reminder-days.ts'
import { findInvoices, type Invoice } from './store.ts'
import { channelsOf, tellCustomer } from './tell.ts'

const EVERY_MS = 10_000
const LEASE_MS = 60_000
const CLAIM_MAX = 100
/** Of one merchant at once: the others get their turn. */
const MERCHANT_MAX = 25

type Key = { merchant_id: string; id: string }

// Whoever sent or cancelled the invoice meanwhile has taken the lease away.
const LOCK = sql(
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

const MOVE_ON = sql(
  'invoices_move_on',
  `update invoices i set due_at = x.due_at, lease_owner = null, reminders = i.reminders + x.reminded
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid, due_at timestamptz, reminded int')} x
   where i.merchant_id = x.merchant_id and i.id = x.id`,
)

/** How long a payment without an outcome is given before its customer is reminded all the same. */
const TRYING_MS = 3_600_000
/** When it is looked at again. */
const TRYING_AGAIN_MS = 900_000

/** True when its customer is paying it just now: whether a reminder is wanted is known soon. */
function isBeingPaid({ paid_at, trying_since }: Invoice, now: Date): boolean {
  return paid_at === null && trying_since !== null && now.getTime() - trying_since.getTime() < TRYING_MS
}

/** True when its customer is asked for money that could be paid now, and has not paid any that is still under review. */
function isWanted(invoice: Invoice): boolean {
  const can_be_paid = invoice.paid_at === null && invoice.link_status === 'ACTIVE' && !invoice.under_review
  const takes_payments = invoice.environment === 'sandbox' || invoice.merchant_status === 'ACTIVE'
  return can_be_paid && takes_payments && channelsOf(invoice).length > 0
}

/** The worker's task. `payUrl`: where the pages are served. */
export function remindTask(deps: Deps, payUrl: () => string): Task {
  const claim = createClaimer<Key>(deps, {
    name: 'invoices',
    key: ['id'],
    returning: ['merchant_id', 'id'],
    // A reminder is due on a day of the calendar. Falling due earlier would remind a customer too early.
    longest_pause_ms: null,
    written: 'updated_at',
  })

  const remind = (keys: readonly Key[]): Promise<undefined[]> =>
    inTransaction(deps.db, async (tx) => {
      const input = JSON.stringify(
        inLockOrder(keys, ({ id }) => id).map(({ merchant_id, id }) => ({ merchant_id, id })),
      )
      const due = await tx.query<Key>(LOCK, [input, deps.process_id])
      if (due.length === 0) return keys.map(() => undefined)
      const invoices = await findInvoices(tx, due)
      const now = deps.clock.now()
      const today = dayOf(now)
      const pay_url = payUrl()
      const moves = await Promise.all(
        invoices.map(async (invoice) => {
          const { merchant_id, id, slug, due_date, paid_at } = invoice
          if (isBeingPaid(invoice, now))
            return { merchant_id, id, due_at: new Date(now.getTime() + TRYING_AGAIN_MS), reminded: 0 }
          const wanted = isWanted(invoice)
          if (wanted) await tellCustomer(deps, tx, 'invoice.remind', invoice, { pay_url, slug: slug as string })
          const due_at = paid_at === null ? nextReminder(deps.config.invoice_reminder_days, due_date, today) : null
          return { merchant_id, id, due_at, reminded: wanted ? 1 : 0 }
        }),
      )
      await tx.query(MOVE_ON, [JSON.stringify(moves)])
      return keys.map(() => undefined)
    })

  return {
    name: 'invoice_reminders',
    every_ms: EVERY_MS,
    async runOnce() {
      const keys = await claim(CLAIM_MAX, LEASE_MS, () => MERCHANT_MAX)
      if (keys.length === 0) return 0
      const answers = await runSplitting(keys, remind)
      for (const [i, answer] of answers.entries()) {
        if (answer instanceof Error)
          deps.log.warn({ err: answer, invoice_id: keys[i]?.id }, 'a reminder was not queued')
      }
      return keys.length
    },
    async idle() {},
  }
}
