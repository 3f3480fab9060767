// Keeps the books of the twin: its requests, orders, payouts and callbacks, and the money that moved. The books stay in memory.
// Amounts are whole shillings.

import type { CallbackKind, OrderStatus, PayeeFateName, PayerFate, PayerFateName, ReplyKind, Truth } from './fates.ts'
import type { Reply } from './reply.ts'

/** An order of the checkout, which a payer pays by a prompt or by a scan of its QR code. */
export type Order = {
  order_id: string
  amount: bigint
  currency: string
  buyer_phone: string
  /**
   * The phone of the latest prompted payer, or of the payer of a scan. Null means that no payer got a prompt or scanned.
   */
  payer_phone: string | null
  webhook: string | null
  created_at: Date
  expires_at: Date | null
  reference: string
  payment_token: string
  /** The last stored status of the order. If the order expired, `statusAt` returns another status. */
  word: OrderStatus
  prompts: number
  /** The number of requests to create this order, including repeated requests. */
  requests: number
  payment: Payment | null
  /** The fault of the next status answer: a contradiction or an undocumented status. Null means no fault. */
  odd: PayerFate['odd'] | null
  /** The answer to the first request that created the order. Null means that the twin has not answered yet. */
  created: Reply | null
}

/**
 * A push: a request that prompts a payer to pay an order. `requests` counts every request with this rail and transid.
 */
export type Push = {
  rail: string
  transid: string
  order_id: string
  msisdn: string
  fate: PayerFateName | null
  prompts: number
  requests: number
  at: Date
  said: Reply
}

/** Money that the gateway took from a payer. If a reversal returned the money, `returned_at` has its time. */
export type Payment = {
  order_id: string
  transid: string
  channel: string
  reference: string
  phone: string
  amount: bigint
  at: Date
  returned_at: Date | null
}

/**
 * A payout. `executions` counts the movements of its money to the receiver, and `returns` the movements back. `held` counts the
 * movements out of the float whose money has not reached the receiver.
 */
export type Payout = {
  rail: string
  transid: string
  code: string
  account: string
  name: string | null
  amount: bigint
  fate: PayeeFateName
  truth: Truth
  /** The kind of answer to a query of the payout, which may contradict `truth`. */
  says: ReplyKind
  executions: number
  returns: number
  held: number
  /** True if a test decided the payout through the control API. The planned steps of the payout then no longer run. */
  by_hand: boolean
  requests: number
  queries: number
  at: Date
  /** The answer to the first request for the payout. Null means that the twin has not answered yet. */
  said: Reply | null
}

/** A callback that the twin planned for an order. If the twin drops the callback on purpose, `state` is `lost`. */
export type CallbackEntry = {
  order_id: string
  payment_status: string
  kind: CallbackKind
  state: 'waiting' | 'delivered' | 'given_up' | 'lost'
  requests: number
  at: Date
}

/** Counts and amounts over all entries of the books. */
export type Totals = {
  orders: { count: number; by_word: Record<string, number> }
  pushes: { count: number; prompts: number }
  payments: { count: number; amount: bigint; returned: number; returned_amount: bigint; other_amount: number }
  payouts: {
    count: number
    by_truth: Record<Truth, number>
    executions: number
    executed_more_than_once: number
    /** The money that the receivers have, without returned money. */
    paid_amount: bigint
    /** The money of payouts that has left the float and has not reached a receiver. */
    held_amount: bigint
  }
  float: { added: bigint; now: bigint }
  callbacks: Record<CallbackEntry['state'], number>
  /** The number of requests of each call. */
  requests: Record<string, number>
  /** The number of requests that each check refused. */
  refusals: Record<string, number>
  /** The number of times that each fault and each course occurred, by `group.kind`. */
  struck: Record<string, number>
}

/** The entries of the books, in the order in which the twin added them. */
export type Book = {
  orders: Map<string, Order>
  /** The pushes and payouts by rail and transid. The same transid on another rail is another push or payout. */
  pushes: Map<string, Push>
  payouts: Map<string, Payout>
  payments: Payment[]
  callbacks: CallbackEntry[]
  requests: Record<string, number>
  refusals: Record<string, number>
  float: { added: bigint; now: bigint }
}

/** Makes empty books. `float` is the money for payouts at the start, in whole shillings. */
export function createBook(float: bigint): Book {
  return {
    orders: new Map(),
    pushes: new Map(),
    payouts: new Map(),
    payments: [],
    callbacks: [],
    requests: {},
    refusals: {},
    float: { added: float, now: float },
  }
}

/**
 * Returns the status of an order at `now`. If the payer did not pay before the order expired, the status is CANCELLED, although
 * no caller cancelled the order.
 */
export function statusAt(order: Order, now: Date): OrderStatus {
  const is_open = order.word === 'PENDING' || order.word === 'INPROGRESS'
  return is_open && order.expires_at !== null && order.expires_at <= now ? 'CANCELLED' : order.word
}

/** Adds up the entries of the books. Orders have their status at `now`, and `struck` has the counts of faults. */
export function totalsOf(book: Book, struck: Record<string, number>, now: Date): Totals {
  const by_word: Record<string, number> = {}
  for (const order of book.orders.values()) count(by_word, statusAt(order, now))
  const callbacks = { waiting: 0, delivered: 0, given_up: 0, lost: 0 }
  for (const { state } of book.callbacks) callbacks[state]++
  const pushes = { count: book.pushes.size, prompts: 0 }
  for (const push of book.pushes.values()) pushes.prompts += push.prompts
  return {
    orders: { count: book.orders.size, by_word },
    pushes,
    payments: paymentTotals(book),
    payouts: payoutTotals(book),
    float: { ...book.float },
    callbacks,
    requests: { ...book.requests },
    refusals: { ...book.refusals },
    struck: { ...struck },
  }
}

function paymentTotals(book: Book): Totals['payments'] {
  const totals = { count: book.payments.length, amount: 0n, returned: 0, returned_amount: 0n, other_amount: 0 }
  for (const { order_id, amount, returned_at } of book.payments) {
    totals.amount += amount
    if (amount !== book.orders.get(order_id)?.amount) totals.other_amount++
    if (returned_at === null) continue
    totals.returned++
    totals.returned_amount += amount
  }
  return totals
}

function payoutTotals(book: Book): Totals['payouts'] {
  const by_truth: Record<Truth, number> = { pending: 0, paid: 0, failed: 0, returned: 0 }
  const totals = {
    count: book.payouts.size,
    by_truth,
    executions: 0,
    executed_more_than_once: 0,
    paid_amount: 0n,
    held_amount: 0n,
  }
  for (const { truth, executions, returns, held, amount } of book.payouts.values()) {
    by_truth[truth]++
    totals.executions += executions
    if (executions > 1) totals.executed_more_than_once++
    totals.paid_amount += amount * BigInt(executions - returns)
    totals.held_amount += amount * BigInt(held)
  }
  return totals
}

/** Adds one to the count of `name`. A missing count is zero. */
export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
