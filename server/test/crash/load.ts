// Simulates clients that request payments for merchants. A client gives each payment one Idempotency-Key. If the connection
// breaks or the server can answer later, the client repeats the request.

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Shop } from './rig.ts'

/** A payment that a client requests, with its Idempotency-Key. */
export type Order = { shop: Shop; path: string; key: string; amount_minor: number; body: string }

/** A payment that the server acknowledged. */
export type Ack = { key: string; merchant_id: string; collection_id: string; amount_minor: number; text: string }

/** A client that sends orders to one server address. */
export type Client = {
  /**
   * Sends an order repeatedly until the server acknowledges it. If a response is unexpected, or if the time limit ends, throws
   * an error.
   */
  order(order: Order): Promise<Ack>
  /** Sends the order once. Returns the status and the text of the response. Null means that the connection broke. */
  once(order: Order): Promise<{ status: number; text: string } | null>
  /** Returns the number of requests whose connection broke. */
  lost(): number
  close(): Promise<void>
}

const RETRY_MS = 50
const RETRIED = [502, 503, 504]
const GIVE_UP_MS = 180_000

/** Makes an order. `ending` is the last three digits of the payer's phone number. */
export function orderOf(
  shop: Shop,
  key: string,
  amount_minor: number,
  ending: string,
  method: 'wallet-push' | 'qr' = 'wallet-push',
): Order {
  const phone = `255754123${ending}`
  const amount = `${Math.floor(amount_minor / 100)}.${String(amount_minor % 100).padStart(2, '0')}`
  const body = JSON.stringify({ amount, reference: key, ...(method === 'qr' ? { customer_phone: phone } : { phone }) })
  return { shop, path: `/v1/collections/${method}`, key, amount_minor, body }
}

/** Makes a client with keep-alive connections. */
export function createClient(url: string, connections: number): Client {
  const pool = new Pool(url, { connections, pipelining: 1, connect: { timeout: 2_000 }, headersTimeout: 20_000 })
  let lost = 0
  const once: Client['once'] = async ({ shop, path, key, body }) => {
    try {
      const answer = await pool.request({
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${shop.key}`, 'content-type': 'application/json', 'idempotency-key': key },
        body,
      })
      return { status: answer.statusCode, text: await answer.body.text() }
    } catch {
      lost++
      return null
    }
  }
  return {
    once,
    async order(order) {
      const give_up = Date.now() + GIVE_UP_MS
      for (;;) {
        const answer = await once(order)
        if (answer?.status === 202) {
          const { data } = JSON.parse(answer.text) as { data: { collection_id: string } }
          const { key, amount_minor } = order
          return {
            key,
            merchant_id: order.shop.merchant.id,
            collection_id: data.collection_id,
            amount_minor,
            text: answer.text,
          }
        }
        // Status 409 can mean that the first request with this key still runs. With status 503, the server requests a retry. A
        // balancer answers 502 or 504.
        const is_retried = answer === null || RETRIED.includes(answer.status)
        if (!is_retried && !answer.text.includes('idempotency_in_progress')) {
          throw new Error(`${order.key} got the unexpected answer ${answer.status}: ${answer.text}`)
        }
        if (Date.now() > give_up)
          throw new Error(`the server did not acknowledge ${order.key}: ${answer?.text ?? 'no connection'}`)
        await sleep(RETRY_MS)
      }
    },
    lost: () => lost,
    close: () => pool.destroy(),
  }
}

/** Clients that request payments until the test stops them. */
export type Load = {
  acks: Ack[]
  /**
   * Errors that a client saw: an unexpected response, or a second response to the same key that differs from the first
   * response.
   */
  problems: string[]
  orders(): number
  /**
   * Starts no further payment. Resolves when each started payment has its acknowledgement or an entry in `problems`.
   */
  stop(): Promise<void>
}

/**
 * The clients of a load. `concurrency` is the number of requests at the same time, and `per_second` the highest number of
 * payments in a second.
 */
export type LoadOptions = {
  client: Client
  shops: readonly Shop[]
  random: () => number
  concurrency: number
  per_second: number
  /** Last digits of the payers' phone numbers. The client draws one ending for each payment. */
  endings: readonly string[]
}

/** The share of payments whose request the client repeats right after the response. */
const REPEAT_SHARE = 0.05

/** Starts clients that request payments until the test calls `stop`. */
export function startLoad(options: LoadOptions): Load {
  const { client, shops, random, concurrency, per_second, endings } = options
  const acks: Ack[] = []
  const problems: string[] = []
  const pause_ms = (concurrency / per_second) * 1000
  let orders = 0
  let running = true

  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const runClient = async () => {
    const order = orderOf(draw(shops), `order-${++orders}`, 100 + Math.floor(random() * 5_000_000), draw(endings))
    const repeats = random() < REPEAT_SHARE
    try {
      const ack = await client.order(order)
      acks.push(ack)
      if (!repeats) return
      const again = await client.order(order)
      if (again.text !== ack.text) problems.push(`${order.key} got the answer ${ack.text} and then ${again.text}`)
    } catch (error) {
      problems.push((error as Error).message)
    }
  }
  const loop = async () => {
    while (running) {
      await runClient()
      await sleep(random() * 2 * pause_ms)
    }
  }
  const loops = Array.from({ length: concurrency }, loop)
  return {
    acks,
    problems,
    orders: () => orders,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}
