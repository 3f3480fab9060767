// Changes the twin and shows its books through the control API, which has a separate path and token. The keys of the gateway
// give no access to the control API, and its token gives no access to the gateway.

import { type Order, statusAt, totalsOf } from './book.ts'
import { PAYER_FATES, type PayerFateName } from './fates.ts'
import { ratesOf } from './faults.ts'
import { MAGIC_NUMBERS } from './magic.ts'
import { scan } from './payers.ts'
import { settleByHand } from './payouts.ts'
import { settingsOf } from './settings.ts'
import type { Twin } from './twin.ts'

const PAGE_SIZE = 100
const PAGE_SIZE_MAX = 1000

/** A response of the control API: HTTP status and content. */
export type Shown = [number, unknown]

/** A page of a list, with the number of entries on all pages. */
export type Page = { items: unknown[]; page: number; page_size: number; total: number }

/** The calls of the control API, for help texts. */
export const CONTROL_CALLS = `
  GET  /book                             totals over everything
  GET  /orders, /pushes, /payments, /payouts, /callbacks   lists, oldest first; ?page=1&page_size=100
  GET  /orders/ID   /payouts/RAIL/TRANSID                  one entry
  GET  /magic                            the table of magic numbers
  GET  /faults      POST /faults         {"seed": text, "rates": {"push": {"hang_after": 0.01}, "payer": {"cancels": 0.1}}}
  GET  /settings    POST /settings       any of the settings
  POST /float                            {"add": shillings}
  POST /orders/ID/scan                   {"fate": name of the course of the payer; left out: by chance}
  POST /payouts/RAIL/TRANSID/settle      {"paid": true or false}; for a pending payout
`

/** Answers a call of the control API. `path` is the path after the prefix of the control API. */
export function control(twin: Twin, method: string, path: string, query: URLSearchParams, content: unknown): Shown {
  const [, name = '', ...rest] = path.split('/').map(decode)
  if (method === 'GET') {
    if (rest.length === 0) return show(twin, name, query)
    return found(one(twin, name, rest.join(' ')))
  }
  if (method !== 'POST') return [405, { error: 'GET or POST' }]
  const fields = typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {}
  const act = rest.pop()
  if (act === undefined) return change(twin, name, content, fields)
  if (name === 'orders' && act === 'scan') return scanOrder(twin, rest.join(' '), fields.fate)
  if (name === 'payouts' && act === 'settle') return settlePayout(twin, rest.join(' '), fields.paid)
  return [404, { error: 'not found' }]
}

function show(twin: Twin, name: string, query: URLSearchParams): Shown {
  switch (name) {
    case 'book':
      return [200, totalsOf(twin.book, twin.faults.struck, twin.clock.now())]
    case 'magic':
      return [200, MAGIC_NUMBERS]
    case 'faults':
      return [200, twin.faults.current]
    case 'settings':
      return [200, twin.settings]
  }
  const page = Number(query.get('page') ?? 1)
  const page_size = Number(query.get('page_size') ?? PAGE_SIZE)
  if (!(Number.isInteger(page) && page >= 1 && Number.isInteger(page_size) && page_size >= 1)) {
    return [400, { error: 'page and page_size must be whole numbers from 1' }]
  }
  return found(listPage(twin, name, page, Math.min(page_size, PAGE_SIZE_MAX)))
}

/** Returns one page of a list of the books, oldest entries first. If the books have no such list, returns null. */
export function listPage(twin: Twin, name: string, page: number, page_size: number): Page | null {
  const { orders, pushes, payouts, payments, callbacks } = twin.book
  const lists: Record<string, () => { size: number; all: Iterable<unknown> }> = {
    orders: () => ({ size: orders.size, all: orders.values() }),
    pushes: () => ({ size: pushes.size, all: pushes.values() }),
    payouts: () => ({ size: payouts.size, all: payouts.values() }),
    payments: () => ({ size: payments.length, all: payments }),
    callbacks: () => ({ size: callbacks.length, all: callbacks }),
  }
  const list = Object.hasOwn(lists, name) ? lists[name]?.() : undefined
  if (list === undefined) return null
  const from = (page - 1) * page_size
  const items = Iterator.from(list.all).drop(from).take(page_size).toArray()
  const now = twin.clock.now()
  if (name === 'orders')
    return { items: (items as Order[]).map((order) => shown(order, now)), page, page_size, total: list.size }
  return { items, page, page_size, total: list.size }
}

function one(twin: Twin, name: string, key: string): unknown {
  const { orders, payouts } = twin.book
  const order = name === 'orders' ? orders.get(key) : undefined
  if (order) return shown(order, twin.clock.now())
  return name === 'payouts' ? (payouts.get(key) ?? null) : null
}

function shown(order: Order, now: Date): object {
  return { ...order, word: statusAt(order, now) }
}

function change(twin: Twin, name: string, content: unknown, fields: Record<string, unknown>): Shown {
  if (name === 'faults') {
    const rates = ratesOf(content)
    return 'problem' in rates
      ? [400, { error: `the control API cannot read ${rates.problem}` }]
      : [200, twin.faults.set(rates.read)]
  }
  if (name === 'settings') {
    const changes = settingsOf(content)
    if ('problem' in changes) return [400, { error: `the control API cannot read ${changes.problem}` }]
    return [200, Object.assign(twin.settings, changes.read)]
  }
  if (name === 'float') {
    if (!Number.isSafeInteger(fields.add)) return [400, { error: 'add is a whole number of shillings' }]
    return [200, addFloat(twin, BigInt(fields.add as number))]
  }
  return [404, { error: 'not found' }]
}

/** Adds `amount` shillings to the float. A negative amount takes money out of the float. */
export function addFloat({ book }: Twin, amount: bigint): { added: bigint; now: bigint } {
  book.float.added += amount
  book.float.now += amount
  return book.float
}

function scanOrder(twin: Twin, order_id: string, fate: unknown): Shown {
  const order = twin.book.orders.get(order_id)
  if (order === undefined) return found(null)
  if (fate !== undefined && !(typeof fate === 'string' && Object.hasOwn(PAYER_FATES, fate))) {
    return [400, { error: `fate must be one of ${Object.keys(PAYER_FATES).join(', ')}` }]
  }
  const is_scanned = scan(twin, order, fate as PayerFateName | undefined)
  return is_scanned ? [200, shown(order, twin.clock.now())] : [409, { error: 'this order accepts no more payments' }]
}

function settlePayout(twin: Twin, key: string, paid: unknown): Shown {
  const payout = twin.book.payouts.get(key)
  if (payout === undefined) return found(null)
  if (typeof paid !== 'boolean') return [400, { error: 'paid must be true or false' }]
  return settleByHand(twin, payout, paid) ? [200, payout] : [409, { error: 'this payout is not pending' }]
}

function found(content: unknown): Shown {
  return content === null ? [404, { error: 'not found' }] : [200, content]
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
