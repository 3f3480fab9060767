// Makes an operator for tests, with functions that make merchants with money and prices, submit withdrawals, and call the
// operator's API.

import assert from 'node:assert/strict'
import { issueAccessToken, issuerKey } from '../src/access/identity/index.ts'
import type { Merchant } from '../src/access/merchants/index.ts'
import type { Reply, World } from './harness.ts'

/** The prices of the merchants: 1 % plus 500.00 as our fee, and 200.00 as the provider's charge. */
export const PRICES = {
  rules: [
    {
      flow: 'withdrawal',
      percentage: '1.00',
      flat_fee: '500.00',
      processor_charge: '200.00',
      processor_fee_pass_through: true,
    },
  ],
}

/** The opening balance of a shop. The next four constants show the book around a withdrawal of 10000.00, which costs 800.00. */
export const MONEY = '100000.00'
/** The book before the approval, and after the release of all reserved money. */
export const UNTOUCHED: BookBalances = { available: 10_000_000n, provider_float: -10_000_000n }
/** The book after the approval. */
export const RESERVED: BookBalances = { available: 8_920_000n, reserved: 1_080_000n, provider_float: -10_000_000n }
/** The book after the payout. */
export const PAID: BookBalances = { available: 8_920_000n, fee_income: 60_000n, provider_float: -8_980_000n }
/** The book after a reversal: the merchant has the amount and the fee again, and the provider kept its charge. */
export const REVERSED: BookBalances = { available: 9_980_000n, provider_float: -9_980_000n }

/** A merchant, with the keys that request withdrawals. */
export type ShopWithKeys = { merchant: Merchant; live: string; sandbox: string }

/** The accounts of a book that contain money, in cents. */
export type BookBalances = Record<string, bigint>

/** The last part of the path of an operator's decision about a withdrawal. */
export type OperatorVerb = 'approve' | 'reject' | 'request-info' | 'resolve' | 'retry' | 'recall'

/** An operator of a world, with the calls of the operator. */
export type TestOperator = {
  /** Returns a session token that is valid at the current time of the test's clock. */
  session(): Promise<string>
  user_id: string
  email: string
  /**
   * Makes a merchant with this live and sandbox balance, and with PRICES by default. Null means the default prices of a new
   * merchant.
   */
  shop(money: string, prices?: object | null): Promise<ShopWithKeys>
  /** Adjusts the balance of a merchant. If the adjustment needs a second operator, a colleague makes the same call. */
  adjust(shop: ShopWithKeys, body: object): Promise<Reply>
  /** Submits a withdrawal to a phone number with this ending. A blank `name` names no recipient. Returns its id. */
  submit(
    shop: ShopWithKeys,
    options?: { ending?: string; amount?: string; environment?: 'live' | 'sandbox'; name?: string },
  ): Promise<string>
  /** Calls the operator's route for the withdrawal. Without `idempotency_key`, the request has no Idempotency-Key. */
  act(
    id: string,
    verb: OperatorVerb,
    body?: object,
    options?: { idempotency_key?: string; world?: World },
  ): Promise<Reply>
  /** Reads the withdrawal with its history, payout and balance. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read every field of the answer
  show(id: string): Promise<any>
  book(shop: ShopWithKeys, environment?: 'live' | 'sandbox'): Promise<BookBalances>
  /** Approves the withdrawal and runs the work that is due afterwards. */
  approve(id: string): Promise<Reply>
  /** Reads the past statuses of a withdrawal, each with its actor: `SUCCESS by mock`. */
  wayOf(id: string): Promise<string[]>
}

/** Creates a SUPER_ADMIN in a world. Its session token has the current time of the test's clock. */
export async function createTestOperator(world: World): Promise<TestOperator> {
  const { user_id, email } = await world.newSession('SUPER_ADMIN')
  const tokenOf = async (id: string) =>
    issueAccessToken(world.deps, await issuerKey(world.deps, 'http://127.0.0.1/identity'), id, ['pwd', 'otp'])
  const session: TestOperator['session'] = () => tokenOf(user_id)
  let colleague: Promise<{ user_id: string }> | null = null
  const adjust: TestOperator['adjust'] = async (shop, body) => {
    const path = `/v1/operator/merchants/${shop.merchant.id}/adjustments`
    const made = await world.post(path, body, { key: await session() })
    if (made.status !== 200) return made
    colleague ??= world.newSession('SUPER_ADMIN')
    return world.post(path, body, { key: await tokenOf((await colleague).user_id) })
  }
  const show: TestOperator['show'] = async (id) => {
    const reply = await world.get(`/v1/operator/withdrawals/${id}`, await session())
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data
  }
  const act: TestOperator['act'] = async (
    id,
    verb,
    body = BODIES[verb],
    { idempotency_key, world: where = world } = {},
  ) =>
    where.post(`/v1/operator/withdrawals/${id}/${verb}`, body, {
      key: await session(),
      idempotency_key: idempotency_key ?? null,
    })
  return {
    session,
    user_id,
    email,
    adjust,
    show,
    async shop(money, prices = PRICES) {
      const merchant = await world.newMerchant()
      const [live, sandbox] = [
        await world.newKey({ merchant, environment: 'live' }),
        await world.newKey({ merchant, environment: 'sandbox' }),
      ]
      const shop = { merchant, live, sandbox }
      if (prices !== null) {
        const url = `/v1/operator/merchants/${merchant.id}/pricing`
        const priced = await world.call({ method: 'PUT', url, key: await session(), payload: prices })
        assert.equal(priced.status, 200, priced.text)
      }
      for (const environment of ['live', 'sandbox']) {
        const body = { environment, direction: 'credit', against: 'provider_float', amount: money, reason: 'Opening' }
        const made = await adjust(shop, body)
        assert.equal(made.status, 201, made.text)
      }
      return shop
    },
    async submit(shop, { ending = '001', amount = '10000.00', environment = 'live', name = 'Asha Mwinyi' } = {}) {
      const made = await world.post(
        '/v1/disbursements/mobile-money',
        {
          amount,
          destination_name: name,
          destination_identifier: `255754123${ending}`,
          destination_code: 'MPESA',
        },
        { key: shop[environment] },
      )
      assert.equal(made.status, 202, made.text)
      return made.body.data.id
    },
    act,
    async book(shop, environment = 'live') {
      const rows = await world.rows<{ code: string; balance_minor: bigint }>(
        'select code, balance_minor from ledger_accounts where merchant_id = $1 and environment = $2 and balance_minor <> 0',
        [shop.merchant.id, environment],
      )
      return Object.fromEntries(rows.map(({ code, balance_minor }) => [code, balance_minor]))
    },
    async approve(id) {
      const approved = await act(id, 'approve')
      assert.equal(approved.status, 200, approved.text)
      await world.work()
      await world.pass(3_000)
      return approved
    },
    async wayOf(id) {
      const { history } = await show(id)
      return history.map((step: { to_status: string; actor: { name: string } }) =>
        step.actor.name === email ? `${step.to_status} by the operator` : `${step.to_status} by ${step.actor.name}`,
      )
    },
  }
}

/** The smallest valid body for each route. */
export const BODIES: Record<OperatorVerb, object> = {
  approve: {},
  reject: { reason: 'The name does not fit the number' },
  'request-info': { message: 'Who is Asha Mwinyi?' },
  resolve: { outcome: 'SUCCESS', reason: 'Seen in the portal of the provider' },
  retry: {},
  recall: { reason: 'The recipient is on a list of frauds' },
}
