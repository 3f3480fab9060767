// Simulates the operators of a storm over HTTP. They price and fund merchants, approve payouts and resend blocked payouts.
// Afterwards they upload the provider's statement and correct the books.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/index.ts'
import { csvOf, type StatedRow } from '../statements.ts'
import type { StormRig } from './rig.ts'

/** The prices of merchants. The provider takes no charge, so the provider's book shows the full amounts. */
const PRICES = {
  rules: [
    { flow: 'collection', percentage: '1.50' },
    { flow: 'withdrawal', percentage: '1.00', flat_fee: '500.00' },
  ],
}
const GIVE_UP_MS = 180_000
const AGAIN_MS = 100
const PAGE_SIZE = 100

/** A reconciliation case, with the fields that the storm needs. */
export type StormCase = {
  id: string
  kind: string
  state: string
  reference: string
  merchant_id: string
  collection_id: string | null
  withdrawal_id: string | null
  amount_theirs: string | null
  difference: string
}

type OperatorResponse = { status: number; text: string }

/**
 * The operators of a storm. They set up the merchants, approve withdrawals, send blocked payouts again, upload the statement
 * and decide cases.
 */
export type StormOperators = {
  /** Gives every merchant prices, money and a webhook address. `money` is in shillings. */
  open(money: number): Promise<void>
  /** Queues a withdrawal for approval, until the test calls `stop`. */
  hand(id: string): void
  /** Ends the approvals. Resolves when the operators have approved every queued withdrawal. */
  stop(): Promise<void>
  /** Sends blocked payouts again. Returns the number of these payouts. */
  retryBlocked(): Promise<number>
  /** Uploads a statement of all movements since `from`. Returns the number of matching lines. */
  state(rows: readonly StatedRow[], from: Date): Promise<number>
  cases(): Promise<StormCase[]>
  /** Asks the provider about a case. Returns the state of the case. */
  ask(one: StormCase): Promise<string>
  /** If the provider's answer cannot correct the books, adjusts the books and closes the case. */
  correct(one: StormCase): Promise<void>
}

const BLOCKED = sql('storm_blocked', `select id from withdrawals where status = 'BLOCKED_IP_WHITELIST'`)
const STATUS = sql('storm_standing', 'select status from withdrawals where id = $1')

/** Starts the operators. `at_once` operators approve at the same time. */
export function startStormOperators(rig: StormRig, random: () => number, at_once: number): StormOperators {
  const call = async (method: string, path: string, body: string | object, more: Record<string, string> = {}) => {
    const give_up = Date.now() + GIVE_UP_MS
    const is_csv = typeof body === 'string'
    const json = method === 'GET' ? {} : { 'content-type': is_csv ? 'text/csv' : 'application/json' }
    for (;;) {
      const { url } = rig.apis[Math.floor(random() * rig.apis.length)] as { url: string }
      const response = await once(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${await rig.session()}`, 'idempotency-key': randomUUID(), ...json, ...more },
        ...(method === 'GET' ? {} : { body: is_csv ? body : JSON.stringify(body) }),
      })
      const may_again =
        response === null || response.status === 503 || response.text.includes('idempotency_in_progress')
      if (response !== null && !may_again) return response
      if (Date.now() > give_up || rig.closed.aborted)
        throw new Error(`${method} ${path} got no response: ${response?.text ?? 'no connection'}`)
      await sleep(AGAIN_MS)
    }
  }
  const must = async (status: number, response: Promise<OperatorResponse>) => {
    const { status: got, text } = await response
    if (got !== status) throw new Error(`an operator got the unexpected status ${got}: ${text}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
    return (JSON.parse(text) as { data: any }).data
  }

  const waiting: string[] = []
  let running = true
  const approve = async (id: string) => {
    // If the response to an approval gets lost, the status of the withdrawal or a request with the same key shows the approval.
    const key: Record<string, string> = random() < 0.5 ? { 'idempotency-key': `approve-${id}` } : {}
    const { status, text } = await call('POST', `/v1/operator/withdrawals/${id}/approve`, {}, key)
    const is_done = status === 200 || (status === 409 && text.includes('invalid_state'))
    if (!is_done) throw new Error(`the server did not approve ${id}: ${status} ${text}`)
  }
  const loops = Promise.all(
    Array.from({ length: at_once }, async () => {
      while (!rig.closed.aborted && (running || waiting.length > 0)) {
        const id = waiting.shift()
        await (id === undefined ? sleep(AGAIN_MS) : approve(id))
      }
    }),
  )
  // `stop` throws the error. This handler only prevents an unhandled rejection.
  loops.catch(() => {})

  return {
    async open(money) {
      for (const { merchant, key } of rig.shops) {
        await must(200, call('PUT', `/v1/operator/merchants/${merchant.id}/pricing`, PRICES))
        const opening = { environment: 'live', direction: 'credit', against: 'provider_float', reason: 'Opening' }
        const path = `/v1/operator/merchants/${merchant.id}/adjustments`
        await must(201, call('POST', path, { ...opening, amount: String(money) }))
        const hook = { webhook_url: `${rig.hooks.url}/${merchant.id}` }
        await must(200, call('PATCH', '/v1/merchant/webhook-config', hook, { authorization: `Bearer ${key}` }))
      }
    },
    hand: (id) => void waiting.push(id),
    async stop() {
      running = false
      await loops
    },
    async retryBlocked() {
      const blocked = await rig.db.query<{ id: string }>(BLOCKED)
      for (const { id } of blocked) await call('POST', `/v1/operator/withdrawals/${id}/retry`, {})
      return blocked.length
    },
    async state(rows, from) {
      const query = `provider=selcom&from=${from.toISOString()}&to=${new Date().toISOString()}`
      const taken = await must(201, call('POST', `/v1/operator/statements?${query}`, csvOf(rows)))
      return taken.matched
    },
    async cases() {
      const found: StormCase[] = []
      for (let page = 1; ; page++) {
        const path = `/v1/operator/reconciliation/exceptions?state=open&page=${page}&page_size=${PAGE_SIZE}`
        const { items, pagination } = await must(200, call('GET', path, {}))
        found.push(...items)
        if (page >= pagination.total_pages) return found
      }
    },
    async ask(one) {
      const { status, text } = await call('POST', `/v1/operator/reconciliation/exceptions/${one.id}/ask`, {})
      // Another case about the same payment may have closed this case.
      if (status === 409) return 'resolved'
      return (await must(200, Promise.resolve({ status, text }))).state
    },
    async correct(one) {
      const reason = "As the provider's statement says"
      if (one.withdrawal_id !== null) {
        const [row] = await rig.db.query<{ status: string }>(STATUS, [one.withdrawal_id])
        if (row?.status !== 'NEEDS_ADMIN_ATTENTION') return
        const outcome = one.difference.startsWith('-') ? 'SUCCESS' : 'FAILED'
        const path = `/v1/operator/withdrawals/${one.withdrawal_id}/resolve`
        await must(200, call('POST', path, { outcome, reason }))
        await this.ask(one)
        return
      }
      const [direction, amount] = one.difference.startsWith('-')
        ? ['debit', one.difference.slice(1)]
        : ['credit', one.difference]
      const body = { environment: 'live', direction, amount, against: 'provider_float', reason }
      await must(201, call('POST', `/v1/operator/merchants/${one.merchant_id}/adjustments`, body))
      const path = `/v1/operator/reconciliation/exceptions/${one.id}/resolve`
      await must(200, call('POST', path, { resolution: 'corrected', reason }))
    },
  }
}

async function once(url: string, init: RequestInit): Promise<OperatorResponse | null> {
  try {
    const answer = await fetch(url, init)
    return { status: answer.status, text: await answer.text() }
  } catch {
    return null
  }
}
