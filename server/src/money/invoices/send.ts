// Sends an invoice. One transaction writes its payment link, its status, its messages and the time of its next reminder. If the
// process dies before the commit, the server has not sent the invoice. If it dies after the commit, the outbox has the
// messages.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import { dayOf, refuse } from '../../kernel/lib/index.ts'
import { environmentOf, type LiveProviders } from '../payment-links/index.ts'
import { ensureLink } from './link.ts'
import { channelsOf, countInvoiceMessages, queueInvoiceMessages } from './notify.ts'
import { dayStart, nextReminder } from './reminder-days.ts'
import { checkState, displayNumber, statusAt } from './state.ts'
import { findInvoice, type Invoice, lockInvoice } from './store.ts'

/** The maximum number of times that a merchant can send one invoice in a day. */
export const SENDS_MAX = 5

const SENT = sql(
  'invoices_sent',
  `update invoices set status = 'SENT', sent_at = $3, sends_today = $4, due_at = $5, lease_owner = null, updated_at = $3
   where merchant_id = $1 and id = $2 and status in ('DRAFT', 'SENT')`,
)

/** The tolerated difference between the clocks of two machines, in milliseconds. */
const CLOCK_DIFFERENCE_MAX_MS = 5_000

/**
 * Returns the time of a send of a locked invoice. If the clock is slightly behind that of the process that sent the invoice
 * before, this is the time of that send. Otherwise the process would count the send on the day before, and the limit would
 * restart.
 */
function sendTime({ sent_at }: Invoice, now: Date): Date {
  const ahead_ms = sent_at === null ? 0 : sent_at.getTime() - now.getTime()
  return sent_at !== null && ahead_ms > 0 && ahead_ms <= CLOCK_DIFFERENCE_MAX_MS ? sent_at : now
}

/** Returns today's number of sends of an invoice, including this send. Refuses a send above SENDS_MAX with rate_limited. */
function countSend(invoice: Invoice, now: Date): number {
  const today = dayOf(now)
  const earlier = invoice.sent_at !== null && dayOf(invoice.sent_at) === today ? invoice.sends_today : 0
  if (earlier < SENDS_MAX) return earlier + 1
  const retry_after_s = Math.ceil((dayStart(today, 1).getTime() - now.getTime()) / 1_000)
  const message = `The server sends an invoice at most ${SENDS_MAX} times a day. This invoice has reached the limit today. Send the invoice again tomorrow.`
  return refuse('rate_limited', { retry_after_s, message })
}

/** If the customer got too many messages from all merchants together, refuses the send with rate_limited. */
function refuseReached({ clock, config }: Deps, reached: ReadonlyMap<string, Date>): void {
  if (reached.size === 0) return
  const until = Math.max(...[...reached.values()].map((time) => time.getTime()))
  const retry_after_s = Math.max(1, Math.ceil((until - clock.now().getTime()) / 1_000))
  const message = `This customer got ${config.messages_per_recipient_day} messages of businesses in 24 hours. Wait before you send another message.`
  refuse('rate_limited', { retry_after_s, message })
}

/**
 * Sends an invoice to its customer, the first time or again. Refuses an unknown, paid or cancelled invoice, and a customer with
 * neither phone nor e-mail. Refuses sends above SENDS_MAX, and a customer with too many messages. Refuses a live page without
 * live access, as `createLink` does.
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
  const now = sendTime(invoice, deps.clock.now())
  checkState(invoice, 'sent', now)
  const channels = channelsOf(invoice)
  if (channels.length === 0) {
    refuse('invalid_state', {
      message:
        'This invoice has neither a phone nor an e-mail address of the customer, so the server cannot send the invoice. Add a phone or an e-mail address.',
    })
  }
  await environmentOf(tx, caller, live)
  const sends = countSend(invoice, now)
  const { link, is_new } = await ensureLink(deps, tx, caller, invoice, live)
  const remind_at = nextReminder(deps.config.invoice_reminder_days, invoice.due_date, dayOf(now))
  await tx.query(SENT, [merchant_id, id, now, sends, remind_at])
  const reached = await countInvoiceMessages(deps, tx, [invoice])
  refuseReached(deps, reached)
  await queueInvoiceMessages(deps, tx, 'invoice.send', invoice, { pay_url, slug: link.slug }, reached)
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
      payment_link_made: is_new,
    },
  })
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}
