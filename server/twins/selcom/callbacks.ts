// Sends callbacks about an order to its webhook URL, when a payment on the order starts and when the status of the order
// changes. The settings choose the statuses that cause a callback.

import { Pool } from 'undici'
import { type Clock, systemClock } from '../../src/kernel/lib/index.ts'
import { type CallbackEntry, type Order, statusAt } from './book.ts'
import type { CallbackKind, OrderStatus } from './fates.ts'
import { isOpen, spellStatus } from './payers.ts'
import type { Settings } from './settings.ts'
import { type Account, signedHeaders } from './signature.ts'
import type { Callbacks } from './twin.ts'

const CONNECTIONS_MAX = 64
const SIGNED = ['transid', 'order_id', 'reference', 'result', 'resultcode', 'payment_status']
const UNSIGNED_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
const FOREIGN_SECRET = "somebody else's secret"

type Message = { headers: Record<string, string>; body: string }

/** Makes the sender of callbacks, which adds each callback to `entries`. */
export function createCallbacks(
  account: Account,
  settings: Settings,
  entries: CallbackEntry[],
  clock: Clock = systemClock,
): Callbacks {
  const { post, close } = createPoster(settings)
  let is_closed = false

  const attempt = async (url: URL, entry: CallbackEntry, message: Message, retries: number): Promise<void> => {
    if (is_closed) return
    entry.requests++
    const status = await post(url, message)
    if (status !== null && status >= 200 && status < 300) entry.state = 'delivered'
    else if (retries >= settings.callback_retries) entry.state = 'given_up'
    else clock.after(settings.callback_retry_pause_ms, () => void attempt(url, entry, message, retries + 1))
  }

  /**
   * Sends a callback with all its retries. Resolves after the first attempt. Null as `message` means that the callback is lost.
   */
  const send = async (order: Order, payment_status: OrderStatus, kind: CallbackKind, message: Message | null) => {
    if (order.webhook === null) return
    const { order_id } = order
    const state = message === null ? 'lost' : 'waiting'
    const entry: CallbackEntry = { order_id, payment_status, kind, state, requests: 0, at: clock.now() }
    entries.push(entry)
    if (message !== null) await attempt(new URL(order.webhook), entry, message, 0)
  }

  const report = async (order: Order, kind: CallbackKind, status: OrderStatus): Promise<void> => {
    const values = valuesOf(settings, order, status)
    if (kind === 'lost') return await send(order, status, kind, null)
    if (kind === 'tampered') values.amount = String(BigInt(values.amount ?? '0') * 10n)
    const headers = kind === 'unsigned' ? UNSIGNED_HEADERS : signedHeaders(account, clock.now(), SIGNED, values)
    await send(order, status, kind, { headers, body: JSON.stringify(values) })
  }

  return {
    started(order, kind) {
      if (kind === 'forged') {
        const values = valuesOf(settings, order, 'COMPLETED')
        const headers = signedHeaders({ ...account, api_secret: FOREIGN_SECRET }, clock.now(), SIGNED, values)
        void send(order, 'COMPLETED', kind, { headers, body: JSON.stringify(values) })
      }
      if (settings.callback_on === 'all' && kind !== 'reordered') void report(order, kind, statusAt(order, clock.now()))
    },
    changed(order, kind) {
      const { word: status } = order
      const is_final = !isOpen(status)
      const is_due = { success: status === 'COMPLETED', final: is_final, all: true }[settings.callback_on]
      if (!is_due) return
      if (kind === 'late') clock.after(settings.callback_late_ms, () => void report(order, kind, status))
      else if (kind === 'reordered') void report(order, kind, status).then(() => report(order, kind, 'PENDING'))
      // The twin sent the forged callback when the payer got the prompt, so this callback has the true status.
      else if (kind === 'forged') void report(order, 'plain', status)
      else for (let sent = 0; sent < (kind === 'duplicate' ? 3 : 1); sent++) void report(order, kind, status)
    },
    async close() {
      is_closed = true
      await close()
    },
  }
}

/**
 * Makes the function that posts a message. The function returns the receiver's HTTP status. If the request fails or gets no
 * answer in time, the function returns null.
 */
function createPoster(settings: Settings) {
  const pools = new Map<string, Pool>()
  const poolOf = (origin: string): Pool => {
    const existing = pools.get(origin)
    if (existing) return existing
    const pool = new Pool(origin, { connections: CONNECTIONS_MAX, pipelining: 1 })
    pools.set(origin, pool)
    return pool
  }
  return {
    async post(url: URL, { headers, body }: Message): Promise<number | null> {
      const path = url.pathname + url.search
      const signal = AbortSignal.timeout(settings.callback_timeout_ms)
      try {
        const answer = await poolOf(url.origin).request({ path, method: 'POST', headers, body, signal })
        await answer.body.dump()
        return answer.statusCode
      } catch {
        return null
      }
    },
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function valuesOf(settings: Settings, order: Order, status: OrderStatus): Record<string, string> {
  const [result, resultcode] =
    status === 'COMPLETED' ? ['SUCCESS', '000'] : isOpen(status) ? ['PENDING', '111'] : ['FAIL', '400']
  return {
    result,
    resultcode,
    order_id: order.order_id,
    transid: order.payment?.transid ?? '',
    reference: order.payment?.reference ?? order.reference,
    channel: order.payment?.channel ?? '',
    amount: String(order.payment?.amount ?? order.amount),
    phone: order.payer_phone ?? order.buyer_phone,
    payment_status: spellStatus(settings, order.order_id, status),
  }
}
