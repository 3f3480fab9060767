// Tests how operators decide about withdrawals, from the merchant's request to the ledger. The real worker and the mock
// provider run.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  type BookBalances,
  createTestOperator,
  MONEY,
  PAID,
  RESERVED,
  REVERSED,
  type ShopWithKeys,
  type TestOperator,
  UNTOUCHED,
} from '../../../test/operator.ts'
import { booksHold, payoutAnswers } from '../../../test/payouts.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { unchanged } from '../../../test/withdrawals.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { settlePayouts } from '../../money/withdrawals/index.ts'

let world: World
let operator: TestOperator
let receiver: Receiver
before(async () => {
  receiver = await startReceiver()
  world = await createWorld()
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await world.close()
  await receiver.close()
})

const EVENTS = ['disbursement.success', 'disbursement.failed', 'disbursement.reversed']

/** Makes a merchant whose endpoint receives a webhook for every payout event. */
async function listeningShop(): Promise<ShopWithKeys> {
  const shop = await operator.shop(MONEY)
  const payload = { webhook_url: receiver.url, events: EVENTS }
  const url = '/v1/merchant/webhook-config'
  for (const key of [shop.live, shop.sandbox]) {
    const config = await world.call({ method: 'PATCH', url, payload, key })
    assert.equal(config.status, 200, config.text)
  }
  return shop
}

/**
 * Checks that the server has delivered each webhook about a withdrawal. Returns their events, in the order of the status
 * changes.
 */
async function webhookEventsOf(id: string): Promise<string[]> {
  const rows = await world.rows<{ event: string; status: string }>(
    'select event, status from webhook_deliveries where source_id = $1 order by source_seq',
    [id],
  )
  for (const { status } of rows) assert.equal(status, 'delivered')
  return rows.map(({ event }) => event)
}

/** Makes the provider report an outcome of a payout. */
async function reportOutcome(shop: ShopWithKeys, id: string, answer: PayoutAnswer): Promise<void> {
  await settlePayouts(world.deps, [{ merchant_id: shop.merchant.id, id, answer, holds_lease: false }], () => false)
}

describe('answers of the provider after the approval', () => {
  type PayoutEnding = { statuses: string[]; events: string[]; book: BookBalances; failure?: string; payout: string }
  const APPROVED = 'PROCESSING by the operator'
  const TABLE: Record<string, PayoutEnding> = {
    '001': { statuses: ['SUCCESS'], events: ['disbursement.success'], book: PAID, payout: 'final' },
    '102': {
      statuses: ['FAILED'],
      events: ['disbursement.failed'],
      book: UNTOUCHED,
      failure: 'provider_declined',
      payout: 'final',
    },
    '103': { statuses: ['NEEDS_RECONCILIATION'], events: [], book: RESERVED, payout: 'asked' },
    '104': { statuses: ['BLOCKED_IP_WHITELIST'], events: [], book: RESERVED, payout: 'blocked' },
    '105': {
      statuses: ['SUCCESS', 'REVERSED'],
      events: ['disbursement.success', 'disbursement.reversed'],
      book: REVERSED,
      payout: 'final',
    },
    '106': { statuses: ['SUCCESS'], events: ['disbursement.success'], book: PAID, payout: 'final' },
  }
  for (const environment of ['live', 'sandbox'] as const) {
    for (const [ending, end] of Object.entries(TABLE)) {
      test(`a ${environment} payout to a destination that ends in ${ending} becomes ${end.statuses.join(', then ')}`, async () => {
        const shop = await listeningShop()
        const other = environment === 'live' ? 'sandbox' : 'live'
        const id = await operator.submit(shop, { ending, environment })
        assert.deepEqual(await operator.book(shop, environment), UNTOUCHED, 'a waiting withdrawal reserves nothing')
        assert.equal((await operator.show(id)).payout, null)

        const { data } = (await operator.approve(id)).body
        assert.deepEqual(
          [data.status, data.requires_approval, data.total_reserved_amount],
          ['PROCESSING', false, '10800.00'],
        )
        assert.match(data.provider_reference, /^W[0-9A-Z]{26}$/)
        assert.match(data.transaction_reference, /^TXN-[0-9A-Z]{26}$/)

        const shown = await operator.show(id)
        const provider = environment === 'live' ? 'mock' : 'sandbox'
        assert.deepEqual(await operator.wayOf(id), [
          APPROVED,
          ...end.statuses.map((status) => `${status} by ${provider}`),
        ])
        assert.equal(shown.status, end.statuses.at(-1))
        assert.equal(shown.failure_reason_code, end.failure ?? null)
        assert.equal(shown.completed_at !== null, end.statuses.includes('SUCCESS'))
        assert.deepEqual([shown.payout.provider, shown.payout.state], [provider, end.payout])
        assert.deepEqual(await webhookEventsOf(id), end.events)
        assert.deepEqual(await operator.book(shop, environment), end.book)
        assert.deepEqual(await operator.book(shop, other), UNTOUCHED, `${other} is another book`)
      })
    }
  }

  test('until an operator approves, the server reserves nothing and sends nothing', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    await world.work()
    world.deps.clock.advance(7 * 86_400_000)
    await world.work()
    assert.deepEqual([(await operator.show(id)).status, await operator.wayOf(id)], ['PENDING_ADMIN_APPROVAL', []])
    assert.deepEqual(await operator.book(shop), UNTOUCHED)
    assert.deepEqual(await world.rows('select 1 from payouts where withdrawal_id = $1', [id]), [])
  })

  test('the record of a withdrawal shows the submitter, the current balance of the merchant, and the payout', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    await operator.approve(id)
    const { requested_by, balance, payout, merchant_code, merchant_status } = await operator.show(id)
    assert.deepEqual([requested_by.kind, requested_by.name], ['api_key', 'Test'])
    assert.deepEqual([merchant_code, merchant_status], [shop.merchant.merchant_code, 'ACTIVE'])
    assert.deepEqual(balance, { available: '89200.00', reserved: '0.00', held: '0.00' })
    assert.deepEqual([payout.provider, payout.provider_status, payout.due_at], ['mock', 'COMPLETED', null])
    assert.match(payout.provider_id, /^MOCK-/)
    assert.ok(payout.sent_at)
  })
})

describe('stuck payouts', () => {
  const paid = payoutAnswers.paid(1_000_000n)
  /**
   * The ways to make a payout that an operator must resolve: the ending of the destination, and a later answer of the provider.
   */
  const STUCK: Record<string, { ending: string; laterAnswer?: PayoutAnswer; status: string; book: BookBalances }> = {
    'the outcome is unknown': { ending: '103', status: 'NEEDS_RECONCILIATION', book: RESERVED },
    'the provider refuses our address': { ending: '104', status: 'BLOCKED_IP_WHITELIST', book: RESERVED },
    'the provider paid another amount': {
      ending: '103',
      laterAnswer: payoutAnswers.paid(999_999n),
      status: 'NEEDS_ADMIN_ATTENTION',
      book: RESERVED,
    },
    'the provider declined a paid payout': {
      ending: '001',
      laterAnswer: payoutAnswers.declined,
      status: 'NEEDS_ADMIN_ATTENTION',
      book: PAID,
    },
    'the provider paid a declined payout': {
      ending: '102',
      laterAnswer: paid,
      status: 'NEEDS_ADMIN_ATTENTION',
      book: UNTOUCHED,
    },
  }
  const makeStuckPayout = async (how: string) => {
    const { ending, laterAnswer, status, book } = STUCK[how] as (typeof STUCK)[string]
    const shop = await listeningShop()
    const id = await operator.submit(shop, { ending })
    await operator.approve(id)
    if (laterAnswer) await reportOutcome(shop, id, laterAnswer)
    assert.equal((await operator.show(id)).status, status)
    assert.deepEqual(await operator.book(shop), book)
    return { shop, id }
  }
  for (const how of Object.keys(STUCK)) {
    for (const outcome of ['SUCCESS', 'FAILED'] as const) {
      test(`an operator resolves a stuck payout as ${outcome} when ${how}`, async () => {
        const { shop, id } = await makeStuckPayout(how)
        const reason = 'Seen in the portal of the provider'
        const resolved = await operator.act(id, 'resolve', { outcome, reason, provider_reference: 'P-1' })
        assert.equal(resolved.status, 200, resolved.text)
        assert.equal(resolved.body.data.status, outcome)
        assert.equal(resolved.body.data.failure_reason_code, outcome === 'FAILED' ? 'operator_resolved' : null)
        assert.deepEqual(await operator.book(shop), outcome === 'SUCCESS' ? PAID : UNTOUCHED)
        await world.work()
        await world.pass(10_000)
        const shown = await operator.show(id)
        assert.equal(shown.status, outcome, 'the status stays')
        assert.deepEqual([shown.payout.state, shown.payout.due_at, shown.payout.provider_id], ['final', null, 'P-1'])
        assert.equal((await operator.wayOf(id)).at(-1), `${outcome} by the operator`)
        assert.equal(shown.history.at(-1).reason, reason)
        assert.equal(
          (await webhookEventsOf(id)).at(-1),
          outcome === 'SUCCESS' ? 'disbursement.success' : 'disbursement.failed',
        )
      })
    }
  }

  test('after the merchant has spent the returned money, an operator can resolve the payout only as FAILED', async () => {
    const { shop, id } = await makeStuckPayout('the provider paid a declined payout')
    const next = await operator.submit(shop, { amount: '98000.00' })
    await operator.approve(next)
    const refused = await unchanged(world, () => operator.act(id, 'resolve'))
    assert.deepEqual(codeOf(refused), [409, 'insufficient_balance'])
    assert.match(refused.body.error.message, /320\.00.*10800\.00/)
    assert.equal(
      (await operator.act(id, 'resolve', { outcome: 'FAILED', reason: 'Called back' })).body.data.status,
      'FAILED',
    )
  })

  test('a retry sends a blocked payout again under the same reference, and the provider can block the payout again', async () => {
    const { shop, id } = await makeStuckPayout('the provider refuses our address')
    const { provider_reference } = await operator.show(id)
    const retried = await operator.act(id, 'retry')
    assert.deepEqual([retried.status, retried.body.data.status], [200, 'PROCESSING'])
    await world.work()
    await world.pass(5_000)
    const shown = await operator.show(id)
    assert.deepEqual([shown.status, shown.provider_reference], ['BLOCKED_IP_WHITELIST', provider_reference])
    assert.deepEqual(await operator.wayOf(id), [
      'PROCESSING by the operator',
      'BLOCKED_IP_WHITELIST by mock',
      'PROCESSING by the operator',
      'BLOCKED_IP_WHITELIST by mock',
    ])
    assert.deepEqual(await operator.book(shop), RESERVED, 'the server reserves the money once')
  })
})

describe('checks at the time of an approval', () => {
  const suspend = async (shop: ShopWithKeys, verb: 'suspend' | 'reactivate') =>
    world.post(`/v1/operator/merchants/${shop.merchant.id}/${verb}`, {}, { key: await operator.session() })
  const staysPending = async (id: string, code: string) => {
    for (const idempotency_key of [undefined, randomUUID()]) {
      const options = idempotency_key === undefined ? {} : { idempotency_key }
      const refused = await unchanged(world, () => operator.act(id, 'approve', {}, options))
      assert.deepEqual(codeOf(refused), [409, code])
      assert.equal(refused.body.error.details, null)
    }
    assert.equal((await operator.show(id)).status, 'PENDING_ADMIN_APPROVAL')
  }

  test('the server refuses an approval for a suspended merchant, and accepts the approval after the reactivation', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    await suspend(shop, 'suspend')
    await staysPending(id, 'withdrawal_restricted')
    await suspend(shop, 'reactivate')
    assert.equal((await operator.act(id, 'approve')).status, 200)
  })

  test('the server refuses an approval for a merchant that is no longer verified', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    await world.rows('update merchants set verified = false where id = $1', [shop.merchant.id])
    await staysPending(id, 'withdrawal_restricted')
    await world.rows('update merchants set verified = true where id = $1', [shop.merchant.id])
  })

  test('an operator can approve sandbox withdrawals of a suspended merchant, and can reject live withdrawals', async () => {
    const shop = await operator.shop(MONEY)
    const [played, real] = [await operator.submit(shop, { environment: 'sandbox' }), await operator.submit(shop)]
    await suspend(shop, 'suspend')
    assert.equal((await operator.act(played, 'approve')).status, 200)
    assert.equal((await operator.act(real, 'reject')).status, 200)
  })

  test('the server refuses an approval above the balance and names both amounts, and accepts the approval after the balance grows', async () => {
    const shop = await operator.shop('10800.00')
    const id = await operator.submit(shop)
    const cent = {
      environment: 'live',
      direction: 'debit',
      against: 'provider_float',
      amount: '0.01',
      reason: 'One cent',
    }
    assert.equal((await operator.adjust(shop, cent)).status, 201)
    await staysPending(id, 'insufficient_balance')
    assert.match((await operator.act(id, 'approve')).body.error.message, /10799\.99.*10800\.00/)
    assert.equal((await operator.adjust(shop, { ...cent, direction: 'credit' })).status, 201)
    await operator.approve(id)
    assert.deepEqual(await operator.book(shop), { fee_income: 60_000n, provider_float: -60_000n })
  })

  test('a price list that changes after the submission does not change the charges of a withdrawal', async () => {
    const shop = await operator.shop(MONEY)
    const id = await operator.submit(shop)
    const url = `/v1/operator/merchants/${shop.merchant.id}/pricing`
    const payload = { rules: [{ flow: 'withdrawal', percentage: '50.00' }] }
    assert.equal((await world.call({ method: 'PUT', url, key: await operator.session(), payload })).status, 200)
    assert.equal((await operator.approve(id)).body.data.total_charges, '800.00')
    assert.deepEqual(await operator.book(shop), PAID)
  })
})
