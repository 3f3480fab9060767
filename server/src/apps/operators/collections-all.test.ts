// Tests the operators' list of the payments of all merchants, and one payment with its next step.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf } from '../../../test/harness.ts'
import { type HeldPaymentWorld, openHeldPaymentWorld } from '../../../test/held-payments.ts'

let stage: HeldPaymentWorld
let world: HeldPaymentWorld['world']
let operator: HeldPaymentWorld['operator']
let review: HeldPaymentWorld['review']
before(async () => {
  stage = await openHeldPaymentWorld()
  ;({ world, operator, review } = stage)
})
after(() => stage.close())

const URL = '/v1/operator/collections'

async function list(query: string) {
  const { status, body, text } = await world.get(`${URL}?${query}`, await operator.session())
  assert.equal(status, 200, text)
  return body.data as { items: Record<string, string | null>[]; pagination: { total_items: number } }
}
const ids = async (query: string) => (await list(query)).items.map((item) => item.collection_id as string)

/** Makes a page that no payer has opened. Its payment has the status `created`. */
async function pageOf(key: string, reference: string): Promise<void> {
  const made = await world.post('/v1/collections', { amount: '1000', reference }, { key })
  assert.ok(made.status < 300, made.text)
}

describe('the list of the payments of all merchants', () => {
  for (const environment of ['live', 'sandbox'] as const) {
    test(`an operator finds processing, successful and failed payments in ${environment} newest first, and held payments oldest first`, async () => {
      const [one, two] = [await review.shop(), await review.shop()]
      const made: Record<string, string[]> = { processing: [], successful: [], failed: [], pending_clearance: [] }
      for (const shop of [one, two, one]) {
        for (const [status, ending] of [
          ['processing', '007'],
          ['successful', '001'],
          ['failed', '002'],
          ['pending_clearance', '014'],
        ] as const) {
          world.deps.clock.advance(5)
          made[status]?.push(await review.pay(shop, ending, environment))
        }
      }
      for (const [status, expected] of Object.entries(made)) {
        const newest = status === 'pending_clearance' ? expected : [...expected].reverse()
        const found = await ids(`status=${status}&environment=${environment}&page_size=100`)
        assert.deepEqual(
          found.filter((id) => expected.includes(id)),
          newest,
          status,
        )
        const own = await list(`status=${status}&merchant_id=${one.merchant.id}`)
        assert.deepEqual(
          own.items.map((item) => item.collection_id),
          newest.filter((id) => id !== expected[1]),
          `${status} of one merchant`,
        )
        assert.equal(own.pagination.total_items, 2)
        for (const item of own.items) assert.deepEqual([item.status, item.environment], [status, environment])
        for (const narrow of [
          `merchant_id=${one.merchant.id}`,
          `merchant_id=${one.merchant.id}&environment=${environment}`,
        ])
          assert.deepEqual(
            await ids(`status=${status}&${narrow}&page=2&page_size=1`),
            [newest.filter((id) => id !== expected[1])[1]],
            `${status} page 2`,
          )
        const other = environment === 'live' ? 'sandbox' : 'live'
        assert.deepEqual(await ids(`status=${status}&merchant_id=${one.merchant.id}&environment=${other}`), [])
      }
      const all = await ids(`status=any&merchant_id=${two.merchant.id}`)
      assert.deepEqual(all, [...Object.values(made).map((of) => of[1] as string)].sort().reverse())
    })
  }

  test('pages of the list contain every payment of all merchants once', async () => {
    const shop = await review.shop()
    for (let i = 0; i < 3; i++) await review.pay(shop, '007')
    for (const status of ['processing', 'successful', 'failed', 'any']) {
      const all = await list(`status=${status}&page_size=100`)
      assert.equal(all.pagination.total_items, all.items.length, status)
      assert.ok(all.items.length >= 3, status)
      const paged = []
      for (let page = 1; page <= Math.ceil(all.items.length / 2); page++)
        paged.push(...(await ids(`status=${status}&page=${page}&page_size=2`)))
      assert.deepEqual(
        paged,
        all.items.map((item) => item.collection_id),
        status,
      )
    }
  })

  test('an operator finds payments of two merchants by reference, phone number, status, merchant, method, environment and time', async () => {
    const [one, two] = [await review.shop(), await review.shop()]
    const push = async (key: string, reference: string, phone: string) => {
      world.deps.clock.advance(1_000)
      const made = await world.post('/v1/collections/wallet-push', { amount: '700', phone, reference }, { key })
      assert.equal(made.status, 202, made.text)
      return made.body.data.collection_id as string
    }
    world.deps.clock.advance(1)
    const from = world.deps.clock.now().toISOString()
    const first = await push(one.live, 'Zulu-1', '0754777001')
    const second = await push(two.sandbox, 'ZULU-2', '0754777002')
    await world.work()
    const until = new Date(world.deps.clock.now().getTime() + 1).toISOString()
    world.deps.clock.advance(1_000)
    const third = await push(two.live, 'zulu-3', '0754777001')
    await world.work()
    const both = [third, second, first]
    assert.deepEqual(await ids('reference=zuLU'), both)
    assert.deepEqual(await ids('reference=zulu&page=2&page_size=2'), [first])
    assert.deepEqual(await ids('reference=zulu&status=failed'), [second])
    assert.deepEqual(await ids(`reference=zulu&merchant_id=${two.merchant.id}`), [third, second])
    assert.deepEqual(await ids('reference=zulu-1'), [first])
    assert.deepEqual(await ids('reference=ulu'), [])
    assert.deepEqual(await ids('phone=0754777001'), [third, first])
    assert.deepEqual(await ids('phone=7001'), [third, first])
    assert.deepEqual(await ids('phone=77002'), [second])
    assert.deepEqual(await ids(`phone=77001&merchant_id=${two.merchant.id}`), [third])
    assert.deepEqual(await ids('phone=%2B255754777001&reference=ZULU-3'), [third])
    assert.deepEqual(await ids(`from=${from}&to=${until}`), [second, first])
    assert.deepEqual(await ids(`from=${from}&environment=sandbox`), [second])
    assert.deepEqual(await ids(`from=${from}&method=qr`), [])
    assert.deepEqual(await ids(`from=${from}&method=wallet_push&status=successful`), [third, first])
  })

  test('an operator finds payments for which the payer has not chosen a method yet', async () => {
    const shop = await review.shop()
    await pageOf(shop.live, 'CHOOSE-1')
    for (const query of [
      'status=created&page_size=100',
      `status=created&merchant_id=${shop.merchant.id}`,
      'reference=choose-1',
    ]) {
      const found = (await list(query)).items.filter((item) => item.merchant_id === shop.merchant.id)
      assert.deepEqual(
        found.map((item) => [item.status, item.reference, item.method, item.held_at]),
        [['created', 'CHOOSE-1', null, null]],
        query,
      )
    }
  })

  test('the list of all payments refuses wrong values of filters, and pages beyond the limit', async () => {
    const session = await operator.session()
    const { merchant } = await review.shop()
    for (const query of [
      'status=gone',
      'phone=12',
      'method=cash',
      'from=yesterday',
      'status=processing&page=101&page_size=100',
      `status=failed&merchant_id=${merchant.id}&page=101&page_size=100`,
    ])
      assert.deepEqual(codeOf(await world.get(`${URL}?${query}`, session)), [400, 'validation_failed'], query)
    const deep = `status=failed&merchant_id=${merchant.id}&environment=live&page=101&page_size=100`
    assert.deepEqual(await ids(deep), [])
    assert.deepEqual(await ids('status=any&merchant_id=019b8d62-7a80-8fcd-b985-e7aff1551b15'), [])
  })
})

describe("the operators' view of one payment", () => {
  const open = async (id: string) => {
    const { status, body, text } = await world.get(`${URL}/${id}`, await operator.session())
    assert.equal(status, 200, text)
    // biome-ignore lint/suspicious/noExplicitAny: the tests read every field
    return body.data as any
  }

  for (const environment of ['live', 'sandbox'] as const) {
    test(`the server shows an operator the next step and the deadline of an unanswered ${environment} payment`, async () => {
      const shop = await review.shop()
      const id = await review.pay(shop, '007', environment)
      const of = await open(id)
      assert.deepEqual(
        [
          of.collection_id,
          of.merchant_id,
          of.merchant_code,
          of.merchant_name,
          of.status,
          of.environment,
          of.customer_phone,
        ],
        [
          id,
          shop.merchant.id,
          shop.merchant.merchant_code,
          shop.merchant.name,
          'processing',
          environment,
          '255754123007',
        ],
      )
      const [attempt] = of.attempts
      assert.equal(of.attempts.length, 1)
      assert.equal(attempt.state, 'asked')
      assert.equal(attempt.amount, 1000)
      assert.ok(attempt.provider && attempt.provider_reference && attempt.sent_at && attempt.due_at)
      assert.equal(of.waits_for.what, 'payer_approval')
      assert.deepEqual([of.waits_for.next_at, of.waits_for.until], [attempt.due_at, attempt.deadline_at])
      assert.ok(of.waits_for.text.includes(attempt.deadline_at), of.waits_for.text)
      // No worker runs, so the payment becomes overdue.
      world.deps.clock.advance(Date.parse(attempt.due_at) - world.deps.clock.now().getTime() + 1)
      const late = (await open(id)).waits_for
      assert.deepEqual([late.what, late.since], ['worker', attempt.due_at])
      await world.work()
      assert.equal((await open(id)).waits_for.what, 'payer_approval')
      world.deps.clock.advance(80_000)
      await world.work()
      const ended = await open(id)
      assert.deepEqual([ended.status, ended.failure_reason_code, ended.waits_for], ['failed', 'timeout', null])
      assert.equal(ended.history.at(-1).actor, 'deadline')
    })
  }

  test('an operator reads the postings, the moves and the webhook deliveries of a paid payment', async () => {
    const shop = await review.shop()
    const of = await open(await review.pay(shop, '001'))
    assert.deepEqual([of.status, of.waits_for], ['successful', null])
    assert.deepEqual(
      of.postings.map((entry: Record<string, string>) => entry.posting),
      ['collection_settled'],
    )
    assert.deepEqual(
      of.history.map((entry: Record<string, string>) => [entry.from_status, entry.to_status]),
      [['processing', 'successful']],
    )
    assert.deepEqual(
      of.deliveries.map((one: Record<string, unknown>) => [one.event, one.status, one.attempts, one.next_attempt_at]),
      [['collection.success', 'delivered', 1, null]],
    )
    assert.ok(of.deliveries[0].delivered_at)
    assert.equal(of.deliveries[0].delivered_at, of.deliveries[0].last_at)
    const kinds = new Set(of.timeline.items.map((item: Record<string, string>) => item.kind))
    for (const kind of ['status', 'attempt', 'transfer', 'webhook']) assert.ok(kinds.has(kind), kind)
  })

  test('the next step of a held payment names the operators, and a failed payment has no next step', async () => {
    const shop = await review.shop()
    const held = await open(await review.hold(shop))
    assert.deepEqual([held.waits_for.what, held.waits_for.since], ['operator_review', held.held_at])
    assert.equal((await open(await review.pay(shop, '002'))).waits_for, null)
  })

  test('the next step of a page payment names the payer, who has not chosen a method yet', async () => {
    const shop = await review.shop()
    await pageOf(shop.live, 'PAGE-1')
    const [id] = await ids(`status=created&merchant_id=${shop.merchant.id}`)
    const of = await open(id as string)
    assert.deepEqual([of.waits_for.what, of.attempts], ['payer_choice', []])
  })

  test('an operator sees that a process holds the lease of an attempt, and that the server has not sent the request yet', async () => {
    const shop = await review.shop()
    const id = await review.pay(shop, '007')
    const later = new Date(world.deps.clock.now().getTime() + 30_000)
    const set = (state: string, owner: string | null) =>
      world.rows('update collection_attempts set state = $1, lease_owner = $2, due_at = $3 where collection_id = $4', [
        state,
        owner,
        later,
        id,
      ])
    await set('asked', '019b8d62-7a80-8fcd-b985-e7aff1551b15')
    const leased = await open(id)
    assert.deepEqual([leased.waits_for.what, leased.waits_for.next_at], ['provider_call', later.toISOString()])
    assert.equal(leased.attempts[0].leased, true)
    await set('to_send', null)
    assert.equal((await open(id)).waits_for.what, 'sending')
  })

  test("the operators' view answers 404 for an unknown payment, and refuses a merchant", async () => {
    const shop = await review.shop()
    const id = await review.pay(shop, '001')
    const session = await operator.session()
    for (const unknown of ['019b8d62-7a80-8fcd-b985-e7aff1551b15', 'x', `${id}0`])
      assert.deepEqual(codeOf(await world.get(`${URL}/${unknown}`, session)), [404, 'not_found'], unknown)
    assert.equal((await world.get(`${URL}/${id.toUpperCase()}`, session)).status, 200)
    const member = (await world.newSession('MERCHANT_ADMIN')).token
    for (const key of [shop.live, shop.sandbox, member])
      for (const path of [`${URL}/${id}`, `${URL}?status=processing`])
        assert.equal((await world.get(path, key)).status, 403, path)
  })
})
