// Implements the checkout of the gateway: orders, prompts on orders, and the statuses of orders.

import { type Order, type Push, statusAt } from './book.ts'
import { digits } from './chance.ts'
import { readUrl } from './check.ts'
import { PAYER_FATES, type PayerFateName } from './fates.ts'
import { isPayable, payerActs, scan, spellStatus } from './payers.ts'
import { type Reply, referenceOf, refusal, replyOfKind, spellsSecond, success } from './reply.ts'
import { tanqrOf } from './tanqr.ts'
import type { Run, Twin } from './twin.ts'

const MINUTE_MS = 60_000
const EAT_OFFSET_MS = 3 * 3_600_000

/** Creates an order. The payer gets no prompt until a push. */
export const createOrder: Run = (twin, fields) => {
  const { order_id = '', vendor, amount = '', currency = '', buyer_phone = '', webhook, expiry } = fields
  if (vendor !== twin.account.vendor) return refusal('vendor', 200, '651', 'Invalid vendor')
  const known = twin.book.orders.get(order_id)
  if (known) {
    known.requests++
    return duplicate(twin, twin.settings.duplicate_order, order_id, known.created)
  }
  const now = twin.clock.now()
  const lifetime_min = expiry === undefined ? twin.settings.order_expiry_min : Number(expiry)
  const order: Order = {
    order_id,
    amount: BigInt(amount),
    currency,
    buyer_phone,
    payer_phone: null,
    webhook: webhook === undefined ? null : readUrl(webhook),
    created_at: now,
    expires_at: lifetime_min === null ? null : new Date(now.getTime() + lifetime_min * MINUTE_MS),
    reference: referenceOf('order', order_id),
    payment_token: digits(8, 'token', order_id),
    word: 'PENDING',
    prompts: 0,
    requests: 1,
    payment: null,
    odd: null,
    created: null,
  }
  twin.book.orders.set(order_id, order)
  scanLater(twin, order)
  order.created = created(order)
  return order.created
}

function created(order: Order): Reply {
  const page = `https://checkout.invalid/pay/${order.payment_token}`
  return success(order.reference, 'Payment notification logged', [
    {
      gateway_buyer_uuid: digits(8, 'buyer', order.buyer_phone),
      payment_token: order.payment_token,
      qr: tanqrOf(order),
      payment_gateway_url: Buffer.from(page).toString('base64'),
    },
  ])
}

/**
 * Lets a payer scan the QR code after `scan_after_ms`. If a payer got a prompt before that time, no payer scans the code.
 */
function scanLater(twin: Twin, order: Order): void {
  const { scan_after_ms } = twin.settings
  if (scan_after_ms === null) return
  twin.clock.after(scan_after_ms, () => {
    if (order.prompts === 0 && order.payer_phone === null) scan(twin, order)
  })
}

/**
 * Makes the function that prompts the payer of an order. The two rails have separate transids: the same transid on the other
 * rail is a new push.
 */
export function pushOn(rail: 'wallet-payment' | 'selcompesa-payment'): Run {
  return (twin, { transid = '', order_id = '', msisdn = '' }) => {
    const key = `${rail} ${transid}`
    const known = twin.book.pushes.get(key)
    if (known) {
      known.requests++
      return duplicate(twin, twin.settings.duplicate_transid, transid, known.said, () => prompt(twin, known))
    }
    const order = twin.book.orders.get(order_id)
    if (!order || !isPayable(order, twin.clock.now())) return refusal('order', 200, '651', 'Invalid order')
    // `prompt` replaces this answer by the answer to the push.
    const placeholder = success('', '')
    const push = {
      rail,
      transid,
      order_id,
      msisdn,
      fate: null,
      prompts: 0,
      requests: 1,
      at: twin.clock.now(),
      said: placeholder,
    }
    twin.book.pushes.set(key, push)
    return prompt(twin, push)
  }
}

/**
 * Prompts the payer of a push, even if the payer already got a prompt. If the payer's network is unavailable, the payer gets no
 * prompt.
 */
function prompt(twin: Twin, push: Push): Reply {
  const order = twin.book.orders.get(push.order_id)
  if (!order) return refusal('order', 200, '651', 'Invalid order')
  const chosen = twin.faults.payer(order.order_id, push.msisdn)
  push.fate = chosen.fate
  push.said = answerTo(twin, push, chosen.fate)
  if (chosen.fate === 'unavailable') return push.said
  push.prompts++
  order.prompts++
  payerActs(twin, order, push.msisdn, chosen)
  return push.said
}

function answerTo(twin: Twin, push: Push, fate: PayerFateName): Reply {
  const { push: kind } = PAYER_FATES[fate]
  if (kind === 'unavailable') {
    const { envelope } = replyOfKind(twin.settings, 'fail', push.order_id, push.rail)
    return { http: 200, envelope: { ...envelope, resultcode: '151', message: 'Service unavailable' } }
  }
  return replyOfKind(twin.settings, kind, push.order_id, push.rail)
}

/** Returns the status of an order. The result code describes the query, not the payment. */
export const orderStatus: Run = (twin, { order_id = '' }) => {
  const order = twin.book.orders.get(order_id)
  if (!order) return unknownOrder(twin, order_id)
  const { settings } = twin
  const status = statusAt(order, twin.clock.now())
  const { odd } = order
  order.odd = null
  const payment = status === 'COMPLETED' ? order.payment : null
  const reply = success(order.reference, 'Order fetch successful', [
    {
      order_id,
      creation_date: localTime(order.created_at),
      amount: String(payment?.amount ?? order.amount),
      payment_status: odd === 'word' ? 'ONHOLD' : spellStatus(settings, order_id, status),
      transid: payment?.transid ?? null,
      channel: payment?.channel ?? null,
      reference: payment?.reference ?? null,
      [spellsSecond(settings, order_id, 'phone') ? 'msisdn' : 'phone']: payment?.phone ?? null,
    },
  ])
  if (odd === 'envelope') reply.envelope.result = 'FAIL'
  return reply
}

function unknownOrder(twin: Twin, order_id: string): Reply {
  if (twin.settings.unknown_order === 'fail') return refusal('unknown_order', 200, '651', 'Invalid order')
  return replyOfKind(twin.settings, 'ambiguous', order_id, 'order-status')
}

/** Cancels an order that a payer can still pay. */
export const cancelOrder: Run = (twin, { order_id = '' }) => {
  const order = twin.book.orders.get(order_id)
  if (!order) return unknownOrder(twin, order_id)
  if (!isPayable(order, twin.clock.now())) return refusal('order', 200, '400', 'Order cannot be cancelled')
  order.word = 'CANCELLED'
  return success(order.reference, 'Order cancelled successfully')
}

/** Returns the orders of the given days, in East African time. */
export const listOrders: Run = (twin, { fromdate = '', todate = '' }) => {
  const { settings } = twin
  const now = twin.clock.now()
  const data: Record<string, string>[] = []
  for (const order of twin.book.orders.values()) {
    const creation_date = localTime(order.created_at)
    const day = creation_date.slice(0, 10)
    if (day < fromdate || day > todate) continue
    const payment_status = spellStatus(settings, order.order_id, statusAt(order, now))
    data.push({ order_id: order.order_id, creation_date, amount: String(order.amount), payment_status })
  }
  return success(referenceOf('list', fromdate, todate), 'Orders fetched successfully', data)
}

/** Answers a request with a used reference as the settings choose. */
export function duplicate(
  twin: Twin,
  how: 'fail' | 'replay' | 'ambiguous' | 'execute',
  id: string,
  first: Reply | null,
  execute?: () => Reply,
): Reply {
  if (how === 'replay' && first) return first
  if (how === 'execute' && execute) return execute()
  if (how === 'ambiguous') return replyOfKind(twin.settings, 'ambiguous', id, 'duplicate')
  return refusal('duplicate', 200, twin.settings.duplicate_code, 'Duplicate transaction')
}

/** Formats a time as the gateway does: in local time without a time zone. */
function localTime(time: Date): string {
  return new Date(time.getTime() + EAT_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
}
