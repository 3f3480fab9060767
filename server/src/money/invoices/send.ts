// Sending an invoice: its link, its status, its messages and when it is reminded of, in one transaction. Dying before the
// commit leaves it unsent; dying after it leaves the messages in the outbox.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import { dayOf, refuse } from '../../kernel/lib/index.ts'
import { environmentOf, type LiveProviders } from '../payment-links/index.ts'
import { ensureLink } from './link.ts'
import { dayStart, nextReminder } from './reminder-days.ts'
import { checkState, displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice, lockInvoice } from './store.ts'
import { channelsOf, tellCustomer } from './tell.ts'

/** How often one invoice is sent on one day at most. */
export const SENDS_MAX = 5

const SENT = sql(
  'invoices_sent',
  `update invoices set status = 'SENT', sent_at = $3, sends_today = $4, due_at = $5, lease_owner = null, updated_at = $3
   where merchant_id = $1 and id = $2 and status in ('DRAFT', 'SENT')`,
)

/** Which time this is today. Refuses the sixth with rate_limited. */
function countSending(invoice: Invoice, now: Date): number {
  const today = dayOf(now)
  const before = invoice.sent_at !== null && dayOf(invoice.sent_at) === today ? invoice.sends_today : 0
  if (before < SENDS_MAX) return before + 1
  const retry_after_s = Math.ceil((dayStart(today, 1).getTime() - now.getTime()) / 1_000)
  const message = `An invoice is sent at most ${SENDS_MAX} times a day. Its customer has had it that often today.`
  return refuse('rate_limited', { retry_after_s, message })
}

/**
 * Sends an invoice to its customer, for the first time or again. Refuses with invalid_state what is paid or cancelled, or has
 * no customer who could be reached; with production_access_restricted a merchant that may not take real money; with
 * rate_limited what was sent too often today.
 */
export async function sendInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  id: string,
  live: LiveProviders,
  pay_url: string,
  act: Act,
): Promise<Invoice> {
  const merchant_id = caller.merchant.id
  const invoice = (await lockInvoice(tx, merchant_id, id)) ?? refuse('not_found')
  const now = deps.clock.now()
  checkState(invoice, 'sent', now)
  const channels = channelsOf(invoice)
  if (channels.length === 0) {
    refuse('invalid_state', {
      message: 'This invoice names neither a phone nor an e-mail address of the customer, so it cannot be sent.',
    })
  }
  await environmentOf(tx, caller, live)
  const sends = countSending(invoice, now)
  const { link, made } = await ensureLink(deps, tx, caller, invoice, live)
  const remind_at = nextReminder(deps.config.invoice_reminder_days, invoice.due_date, dayOf(now))
  await tx.query(SENT, [merchant_id, id, now, sends, remind_at])
  await tellCustomer(deps, tx, 'invoice.send', invoice, { pay_url, slug: link.slug })
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'invoice.send',
    target_type: 'invoice',
    target_id: id,
    before: { status: statusAt(invoice, now) },
    after: {
      status: statusAt({ ...invoice, status: 'SENT' }, now),
      number: displayNumber(invoice.number),
      channels,
      payment_link_id: link.id,
      payment_link_made: made,
    },
  })
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}
