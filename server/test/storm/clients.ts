// Simulates the clients of a storm: merchants that request payments and payouts, and payers who scan QR codes. A merchant
// repeats a request under the same Idempotency-Key until the server answers. The operators are in operators.ts.

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../src/kernel/db/index.ts'
import { pick, share } from '../../twins/selcom/chance.ts'
import type { PayerFateName } from '../../twins/selcom/fates.ts'
import { type Client, createClient, type Order } from '../crash/load.ts'
import type { Shop } from '../crash/rig.ts'
import { stormRates } from './faults.ts'
import type { StormRig } from './rig.ts'

/** A payment or payout that a merchant requests. Amounts are in shillings. */
export type MerchantRequest = Order & { flow: 'payment' | 'payout'; method: string; account: string; amount: number }

/**
 * The result of a merchant's request: the id of the payment or payout. Null means that the server finally refused the request.
 */
export type RequestResult = { request: MerchantRequest; id: string | null }

/** The requests of the merchants in progress, with their results so far. */
export type Clients = {
  results: RequestResult[]
  /** Responses that break the contract of the API. */
  problems: string[]
  /** Returns the number of requests whose connection broke. */
  lost(): number
  /** Returns the number of answered requests. */
  done(): number
  close(): Promise<void>
}

const GIVE_UP_MS = 180_000
const AGAIN_MS = 100
/** The pause after a 503, with which the server reports too much load. */
const LATER_MS = 1_000
/** The share of requests that the client repeats after the response. The repeated request must get the same response. */
const REPEAT_SHARE = 0.05

const PAYMENT_METHODS = ['wallet-push', 'wallet-push', 'wallet-push', 'provider-pesa', 'qr'] as const
const PAYOUT_METHODS = ['mobile-money', 'mobile-money', 'provider-pesa', 'bank-account'] as const
const NETWORKS = ['MPESA', 'AIRTEL', 'MIXX', 'HALOPESA']
const BANKS = ['CRDB', 'NMB', 'NBC']
/** Phone numbers without a fixed behaviour at the twin. The seed of the twin decides the outcome. */
const ENDINGS = { from: 200, count: 700 }

/** Makes all requests of the merchants. The same random numbers make the same requests. */
export function makeRequests(
  shops: readonly Shop[],
  random: () => number,
  counts: { payments: number; payouts: number },
): { payments: MerchantRequest[]; payouts: MerchantRequest[] } {
  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const number = () => `255754123${ENDINGS.from + Math.floor(random() * ENDINGS.count)}`
  const payment = (_: unknown, i: number): MerchantRequest => {
    const [shop, method, account] = [draw(shops), draw(PAYMENT_METHODS), number()]
    const [key, amount] = [`pay-${i + 1}`, 100 + Math.floor(random() * 90_000)]
    const payer = method === 'qr' ? { customer_phone: account } : { phone: account }
    const body = JSON.stringify({ amount: String(amount), reference: key, ...payer })
    const path = `/v1/collections/${method}`
    return { flow: 'payment', shop, method, account, path, key, amount, amount_minor: amount * 100, body }
  }
  const payout = (_: unknown, i: number): MerchantRequest => {
    const [shop, method, account] = [draw(shops), draw(PAYOUT_METHODS), number()]
    const [key, amount] = [`out-${i + 1}`, 1_000 + Math.floor(random() * 90_000)]
    const bank = draw(BANKS)
    const to =
      method === 'bank-account'
        ? { destination_code: bank, bank_name: bank }
        : method === 'mobile-money'
          ? { destination_code: draw(NETWORKS) }
          : {}
    const name = { destination_identifier: account, destination_name: 'Asha Juma' }
    const body = JSON.stringify({ amount: String(amount), reference: key, ...name, ...to })
    const path = `/v1/disbursements/${method}`
    return { flow: 'payout', shop, method, account, path, key, amount, amount_minor: amount * 100, body }
  }
  return {
    payments: Array.from({ length: counts.payments }, payment),
    payouts: Array.from({ length: counts.payouts }, payout),
  }
}

/**
 * Sends all requests, at most `at_once` at the same time and at most `per_second` in a second. Passes each result to
 * `onResult`.
 */
export function startClients(
  rig: StormRig,
  random: () => number,
  lanes: readonly {
    requests: readonly MerchantRequest[]
    at_once: number
    per_second: number
    onResult?: (result: RequestResult) => void
  }[],
): { clients: Clients; finished: Promise<void> } {
  const pools = rig.apis.map(({ url }) => createClient(url, 64))
  const results: RequestResult[] = []
  const problems: string[] = []
  const sendRequest = async (request: MerchantRequest, onResult: (result: RequestResult) => void) => {
    const first = await ask(rig, pools, random, request)
    if (typeof first === 'string') return void problems.push(first)
    const entry = { request, id: first.id }
    results.push(entry)
    onResult(entry)
    if (first.id === null || random() >= REPEAT_SHARE) return
    const again = await ask(rig, pools, random, request)
    if (typeof again === 'string') problems.push(again)
    else if (again.text !== first.text)
      problems.push(`${request.key} got the answer ${first.text} and then ${again.text}`)
  }
  const loops = lanes.flatMap(({ requests, at_once, per_second, onResult = () => {} }) => {
    const begin = Date.now()
    let next = 0
    const loop = async () => {
      for (let i = next++; i < requests.length; i = next++) {
        const early_ms = begin + (i / per_second) * 1_000 - Date.now()
        if (early_ms > 0) await sleep(early_ms)
        await sendRequest(requests[i] as MerchantRequest, onResult)
      }
    }
    return Array.from({ length: at_once }, loop)
  })
  const clients: Clients = {
    results,
    problems,
    lost: () => pools.reduce((sum, pool) => sum + pool.lost(), 0),
    done: () => results.length,
    close: async () => void (await Promise.all(pools.map((pool) => pool.close()))),
  }
  return { clients, finished: Promise.all(loops).then(() => {}) }
}

/** Repeats a request until the server answers. If the result is a text, this text describes an error. */
async function ask(
  rig: StormRig,
  pools: readonly Client[],
  random: () => number,
  request: MerchantRequest,
): Promise<{ id: string | null; text: string } | string> {
  const give_up = Date.now() + GIVE_UP_MS
  for (;;) {
    const pool = pools[Math.floor(random() * pools.length)] as Client
    const answer = await pool.once(request)
    if (answer?.status === 202) {
      const { data } = JSON.parse(answer.text) as { data: { collection_id?: string; id?: string } }
      return { id: data.collection_id ?? data.id ?? '', text: answer.text }
    }
    // The provider returned no QR code. The payment failed, and a request with this key never returns another code.
    if (answer?.status === 503 && answer.text.includes('with a new key')) return { id: null, text: answer.text }
    const may_again = answer === null || answer.status === 503 || answer.text.includes('idempotency_in_progress')
    if (!may_again) return `${request.key} got the unexpected answer ${answer.status}: ${answer.text}`
    if (Date.now() > give_up || rig.closed.aborted)
      return `${request.key} had no final answer: ${answer?.text ?? 'no connection'}`
    await sleep(answer?.status === 503 ? LATER_MS : AGAIN_MS)
  }
}

const REFERENCES = sql(
  'storm_references',
  'select collection_id as id, provider_reference as reference from collection_attempts where collection_id = any($1::uuid[])',
)
/** The share of the displayed QR codes that payers scan. */
const SCANNED_SHARE = 0.9
const SCAN_EVERY_MS = 300

/** The payers who see QR codes. */
export type Payers = {
  show(id: string): void
  /** The outcomes of the scanned QR codes, by reference. */
  fates: ReadonlyMap<string, PayerFateName>
  /** Ends the scans after the last QR code. Resolves when the payers have scanned all QR codes that they want to scan. */
  stop(): Promise<void>
}

/** Makes payers who scan most of the QR codes that they see. */
export function startPayers(rig: StormRig, seed: number): Payers {
  const { control_url, control_token } = rig.simulator
  const { payer } = stormRates(seed).rates
  const fates = new Map<string, PayerFateName>()
  let shown: string[] = []
  let running = true
  const scanAll = async () => {
    const ids = shown
    shown = []
    if (ids.length === 0) return
    for (const { reference } of await rig.db.query<{ id: string; reference: string }>(REFERENCES, [ids])) {
      if (share(seed, 'scan', reference) >= SCANNED_SHARE) continue
      const fate = pick(payer, share(seed, 'scans', reference)) as PayerFateName
      fates.set(reference, fate)
      const answer = await fetch(`${control_url}/orders/${reference}/scan`, {
        method: 'POST',
        headers: { authorization: `Bearer ${control_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ fate }),
      })
      if (answer.status !== 200) throw new Error(`the provider refused the scan of a code: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  const loop = (async () => {
    while (running && !rig.closed.aborted) {
      await scanAll()
      await sleep(SCAN_EVERY_MS)
    }
    await scanAll()
  })()
  return {
    show: (id) => void shown.push(id),
    fates,
    async stop() {
      running = false
      await loop
    },
  }
}
