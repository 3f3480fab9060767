// Simulates the payers: their reactions to a prompt or a scan, and the money that the gateway takes from them.

import { type Order, statusAt } from './book.ts'
import { letters } from './chance.ts'
import { type CallbackKind, type OrderStatus, PAYER_FATES, type PayerFate, type PayerFateName } from './fates.ts'
import { referenceOf, spellsSecond } from './reply.ts'
import type { Settings } from './settings.ts'
import type { Twin } from './twin.ts'

/**
 * The network of a phone by the two digits after the country code. The digits are only a hint, because payers can move a number
 * to another network.
 */
const CHANNELS: Record<string, string> = {
  '61': 'HALOPESATZ',
  '62': 'HALOPESATZ',
  '63': 'HALOPESATZ',
  '65': 'TIGOPESATZ',
  '67': 'TIGOPESATZ',
  '70': 'TIGOPESATZ',
  '71': 'TIGOPESATZ',
  '66': 'AIRTELMONEY',
  '68': 'AIRTELMONEY',
  '69': 'AIRTELMONEY',
  '78': 'AIRTELMONEY',
  '73': 'TTCLMOBILE',
  '77': 'ZANTELEZPESA',
}

const SECOND_SPELLING: Partial<Record<OrderStatus, string>> = {
  COMPLETED: 'COMPLETE',
  USERCANCELLED: 'USERCANCELED',
  CANCELLED: 'CANCEL',
}

/** Returns the status of an order in the spelling that the settings choose. */
export function spellStatus(settings: Settings, order_id: string, status: OrderStatus): string {
  return (spellsSecond(settings, order_id, 'word') && SECOND_SPELLING[status]) || status
}

/** Returns true if a payer can still pay the order at `now`. */
export function isPayable(order: Order, now: Date): boolean {
  return isOpen(statusAt(order, now))
}

/** Returns true for a status before the payer's decision. */
export function isOpen(status: OrderStatus): boolean {
  return status === 'PENDING' || status === 'INPROGRESS'
}

/** Runs the steps of a payment course on an order, with a pause before each step. */
export function payerActs(
  twin: Twin,
  order: Order,
  phone: string,
  chosen: { fate: PayerFateName; callbacks: CallbackKind },
): void {
  const fate: PayerFate = PAYER_FATES[chosen.fate]
  order.payer_phone = phone
  order.odd = fate.odd ?? null
  twin.callbacks.started(order, chosen.callbacks)
  let last = order.word
  const step = (index: number): void => {
    const status = fate.statuses[index]
    if (status === undefined) return
    twin.clock.after(twin.settings.pay_after_ms, () => {
      const now = twin.clock.now()
      // If the order is cancelled, expired or paid by another prompt, this step has no effect.
      if (isOpen(last) && !isPayable(order, now)) return
      if (status === 'COMPLETED') takeMoney(twin, order, phone, fate.overpaid ?? 0n)
      else if (order.payment) {
        order.payment.returned_at = now
        order.payment = null
      }
      order.word = status
      last = status
      twin.callbacks.changed(order, chosen.callbacks)
      step(index + 1)
    })
  }
  step(0)
}

/**
 * Lets a payer scan the QR code of an order. Unless `fate` is given, the buyer's number or a chance chooses the course. If the
 * order is closed, returns false.
 */
export function scan(twin: Twin, order: Order, fate?: PayerFateName): boolean {
  if (!isPayable(order, twin.clock.now())) return false
  const chosen = twin.faults.payer(order.order_id, order.buyer_phone)
  payerActs(twin, order, order.buyer_phone, fate ? { ...chosen, fate } : chosen)
  return true
}

function takeMoney(twin: Twin, order: Order, phone: string, overpaid: bigint): void {
  const payment = {
    order_id: order.order_id,
    transid: letters(10, 'channel', order.order_id),
    channel: CHANNELS[phone.slice(3, 5)] ?? 'MPESA-TZ',
    reference: referenceOf('payment', order.order_id),
    phone,
    amount: order.amount + overpaid,
    at: twin.clock.now(),
    returned_at: null,
  }
  order.payment = payment
  twin.book.payments.push(payment)
}
