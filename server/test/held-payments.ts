// Helpers that hold payments for tests, and an operator who decides about the held payments.

import assert from 'node:assert/strict'
import type { Answer } from '../src/adapters/providers/port.ts'
import { createWorld, type Reply, type World } from './harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from './operator.ts'
import { booksHold } from './payouts.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { unchanged } from './withdrawals.ts'

/** The requested amount of each payment, in cents. */
export const REQUESTED_MINOR = 100_000n
/** The amount in cents that the provider takes from a phone number that ends in 011. */
export const EXCESS_MINOR = 110_000n
/** The default reason of the operator's decision. */
export const REASON = 'The payer sent a copy of the receipt'

type Environment = 'live' | 'sandbox'

/** `approve`: the merchant gets the money. `decline`: the money goes back to the payer. */
export type Decision = 'approve' | 'decline'
/** The two decisions that an operator may make about a held payment. */
export const DECISIONS = ['approve', 'decline'] as const

/** One row of a collection's history. */
export type CollectionHistoryLine = {
  from_status: string
  to_status: string
  actor: string
  reason: string | null
  event: string | null
}

/** Helpers that make held payments and decide about them. */
export type HeldPaymentCalls = {
  /** Makes a shop with a webhook and without money. */
  shop(prices?: object): Promise<ShopWithKeys>
  /** Requests 1000.00 from a phone number with this ending, and runs the work. Returns the id of the payment. */
  pay(shop: ShopWithKeys, ending: string, environment?: Environment): Promise<string>
  /**
   * Makes a held payment. With 014 (the default) the provider holds the payment for review; with 011 the provider takes another
   * amount.
   */
  hold(shop: ShopWithKeys, ending?: '011' | '014', environment?: Environment): Promise<string>
  /** Reads the collection as the API returns the collection to the merchant. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read every field of the answer
  shown(shop: ShopWithKeys, id: string, environment?: Environment): Promise<any>
  clear(
    id: string,
    decision: Decision,
    options?: { body?: object; idempotency_key?: string; world?: World },
  ): Promise<Reply>
  /** Books another answer of the provider about a payment. */
  say(shop: ShopWithKeys, id: string, answer: Answer): Promise<void>
  historyOf(id: string): Promise<CollectionHistoryLine[]>
  /** Runs `work` and asserts that it changes no payment and no money. */
  untouched<Result>(work: () => Promise<Result>, what?: string): Promise<Result>
}

/** Returns an answer of the provider with this amount. */
export function answerWithAmount(kind: 'succeeded' | 'held' | 'reversed', amount_minor: bigint): Answer {
  return { kind, amount_minor, currency: 'TZS', provider_status: kind.toUpperCase() }
}

const TABLES = ['collections', 'collection_history', 'collection_attempts', 'held_collections']

/** Builds the helpers for an operator of a world. The platform sends webhooks to `webhook_url`. */
export function createHeldPaymentCalls(world: World, operator: TestOperator, webhook_url: string): HeldPaymentCalls {
  const shown: HeldPaymentCalls['shown'] = async (shop, id, environment = 'live') =>
    (await world.get(`/v1/collections/${id}`, shop[environment])).body.data
  const pay: HeldPaymentCalls['pay'] = async (shop, ending, environment = 'live') => {
    const body = { amount: '1000.00', phone: `0754123${ending}`, reference: 'ORDER-1' }
    const made = await world.post('/v1/collections/wallet-push', body, { key: shop[environment] })
    assert.equal(made.status, 202, made.text)
    await world.work()
    return made.body.data.collection_id
  }
  const content = () =>
    Promise.all(
      TABLES.map((table) => world.rows(`select md5(string_agg(t::text, '|' order by t::text)) from ${table} t`)),
    )
  return {
    shown,
    pay,
    async shop(prices) {
      const merchant = await world.newMerchant()
      const [live, sandbox] = [
        await world.newKey({ merchant, environment: 'live' }),
        await world.newKey({ merchant, environment: 'sandbox' }),
      ]
      for (const key of [live, sandbox]) {
        await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: { webhook_url }, key })
      }
      if (prices !== undefined) {
        const url = `/v1/operator/merchants/${merchant.id}/pricing`
        const priced = await world.call({ method: 'PUT', url, payload: prices, key: await operator.session() })
        assert.equal(priced.status, 200, priced.text)
      }
      return { merchant, live, sandbox }
    },
    async hold(shop, ending = '014', environment = 'live') {
      const id = await pay(shop, ending, environment)
      assert.equal((await shown(shop, id, environment)).status, 'pending_clearance')
      return id
    },
    async clear(id, decision, options = {}) {
      const { body = { decision, reason: REASON }, idempotency_key = null, world: where = world } = options
      return where.post(`/v1/operator/collections/${id}/clear`, body, {
        key: await operator.session(),
        idempotency_key,
      })
    },
    say: (shop, id, answer) =>
      world.system.driver.settle({ merchant_id: shop.merchant.id, collection_id: id, number: 1, answer }),
    historyOf: (id) =>
      world.rows<CollectionHistoryLine>(
        'select from_status, to_status, actor, reason, event from collection_history where collection_id = $1 order by seq',
        [id],
      ),
    async untouched(work, what = '') {
      const before = await content()
      const result = await unchanged(world, work, what)
      assert.deepEqual(await content(), before, `${what} changed a table`)
      return result
    },
  }
}

/** Two processes of one installation, an operator, the helpers for held payments, and a receiver of webhooks. */
export type HeldPaymentWorld = {
  world: World
  other: World
  operator: TestOperator
  review: HeldPaymentCalls
  receiver: Receiver
  /** Closes the processes and the receiver. If a check of the books fails, throws an error. */
  close(): Promise<void>
}

/** Opens the world. Its payments are overdue after 72 seconds. */
export async function openHeldPaymentWorld(): Promise<HeldPaymentWorld> {
  const receiver = await startReceiver()
  const world = await createWorld({ env: { COLLECTION_DEADLINE_H: '0.02' } })
  const other = await createWorld({ url: world.url })
  const operator = await createTestOperator(world)
  const review = createHeldPaymentCalls(world, operator, receiver.url)
  return {
    world,
    other,
    operator,
    review,
    receiver,
    async close() {
      await booksHold(world)
      await other.close()
      await world.close()
      await receiver.close()
    },
  }
}
