// Tests payments that a provider took in another currency. The ledger books the money after an operator states its value in
// shillings.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf } from '../../../test/harness.ts'
import {
  answerWithAmount,
  type HeldPaymentWorld,
  openHeldPaymentWorld,
  REQUESTED_MINOR,
} from '../../../test/held-payments.ts'
import { booksHold } from '../../../test/payouts.ts'
import type { Answer } from '../../adapters/providers/port.ts'

let stage: HeldPaymentWorld
let world: HeldPaymentWorld['world']
let operator: HeldPaymentWorld['operator']
let review: HeldPaymentWorld['review']
before(async () => {
  stage = await openHeldPaymentWorld()
  ;({ world, operator, review } = stage)
})
after(() => stage.close())

const dollars = (kind: 'succeeded' | 'held' | 'reversed', amount_minor = 1_050n): Answer => ({
  kind,
  amount_minor,
  currency: 'USD',
  provider_status: kind.toUpperCase(),
})
const PRICES = { rules: [{ flow: 'collection', percentage: '1.00', flat_fee: '0' }] }
type Shop = Awaited<ReturnType<HeldPaymentWorld['review']['shop']>>

async function paidInDollars(shop: Shop): Promise<string> {
  const id = await review.pay(shop, '007')
  await review.say(shop, id, dollars('succeeded'))
  return id
}
const clear = (id: string, body: object, idempotency_key?: string) =>
  review.clear(id, 'approve', { body, ...(idempotency_key === undefined ? {} : { idempotency_key }) })
const transfersOf = async (id: string) =>
  (
    await world.rows<{ posting: string; amount_minor: bigint }>(
      'select posting, amount_minor from ledger_transfers where source_id = $1 and leg = 0 order by posting',
      [id],
    )
  ).map(({ posting, amount_minor }) => `${posting} ${amount_minor}`)

test('a payment that succeeds in another currency waits for review, and no book contains its money', async () => {
  const shop = await review.shop()
  for (const kind of ['succeeded', 'held'] as const) {
    const id = await review.pay(shop, '007')
    await review.say(shop, id, dollars(kind))
    await review.say(shop, id, dollars(kind))
    const { status, amount, amount_received, foreign_amount, foreign_currency, currency } = await review.shown(shop, id)
    assert.deepEqual(
      [status, amount, amount_received, foreign_amount, foreign_currency, currency],
      ['pending_clearance', 1000, null, 10.5, 'USD', 'TZS'],
    )
    assert.deepEqual(await transfersOf(id), [])
    assert.deepEqual(
      (await review.historyOf(id)).map(({ to_status, reason }) => [to_status, reason]),
      [['pending_clearance', `${kind} 10.50 USD`]],
    )
  }
  assert.deepEqual(await operator.book(shop), {})
  await world.work()
  const events = stage.receiver.received.map(({ body }) => JSON.parse(body.toString()))
  const [event] = events.filter((one) => one.event === 'collection.pending_review' && one.foreign_currency === 'USD')
  assert.deepEqual([event.amount, event.amount_received, event.foreign_amount], ['1000.00', undefined, '10.50'])
  await booksHold(world)
})

test('when an operator approves foreign money with an amount in shillings, the ledger credits that amount', async () => {
  const shop = await review.shop(PRICES)
  const id = await paidInDollars(shop)
  const approve = { decision: 'approve', reason: 'Rate of the day' }
  for (const body of [
    approve,
    { ...approve, amount: 'ten' },
    { ...approve, amount: '0' },
    { ...approve, amount: '-1' },
  ]) {
    const refused = await review.untouched(() => clear(id, body))
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'], refused.text)
    assert.equal(refused.body.error.details.fields[0].field, 'amount')
  }
  const large = await review.untouched(() => clear(id, { ...approve, amount: '99999999999.00' }))
  assert.deepEqual(codeOf(large), [422, 'amount_not_supported'])
  const key = randomUUID()
  const done = await clear(id, { ...approve, amount: '26250.00' }, key)
  assert.equal(done.status, 200, done.text)
  const again = await review.untouched(() => clear(id, { ...approve, amount: '26250.00' }, key))
  assert.deepEqual([again.text, again.headers['idempotency-replayed']], [done.text, 'true'])
  const record = done.body.data
  assert.deepEqual(
    [record.status, record.amount_received, record.foreign_amount, record.foreign_currency],
    ['successful', 26_250, 10.5, 'USD'],
  )
  assert.deepEqual(await transfersOf(id), ['collection_cleared 2625000', 'collection_held 2625000'])
  assert.equal((await operator.book(shop)).available, 2_625_000n - 1_000n, 'the ledger subtracts the frozen fee')
  assert.equal((await review.historyOf(id)).at(-1)?.reason, 'Rate of the day (10.50 USD = 26250.00 TZS)')
  const log = await world.get(`/v1/operator/audit-log?target_id=${id}`, await operator.session())
  const { amount, amount_received, foreign_amount, foreign_currency } = log.body.data.items[0].after
  assert.deepEqual([amount, amount_received, foreign_amount, foreign_currency], ['1000.00', '26250.00', '10.50', 'USD'])
  const twice = await review.untouched(() => clear(id, { ...approve, amount: '26250.00' }))
  assert.deepEqual(codeOf(twice), [409, 'invalid_state'])
  // The provider repeats its answer and then reverses the payment. The reversal removes the credited amount from the ledger.
  await review.untouched(() => review.say(shop, id, dollars('succeeded')))
  await review.say(shop, id, dollars('reversed'))
  await review.say(shop, id, dollars('reversed'))
  assert.equal((await review.shown(shop, id)).status, 'reversed')
  assert.equal((await operator.book(shop)).available ?? 0n, 0n)
  await booksHold(world)
})

test('no book contains foreign money after an operator declines the payment', async () => {
  const shop = await review.shop()
  const id = await paidInDollars(shop)
  const decline = { decision: 'decline', reason: 'Sent back' }
  const stated = await review.untouched(() => clear(id, { ...decline, amount: '1' }))
  assert.deepEqual(codeOf(stated), [400, 'validation_failed'])
  assert.equal((await clear(id, decline)).status, 200)
  const { status, failure_reason_code, foreign_amount } = await review.shown(shop, id)
  assert.deepEqual([status, failure_reason_code, foreign_amount], ['failed', 'review_declined', 10.5])
  assert.equal((await review.historyOf(id)).at(-1)?.reason, 'Sent back (10.50 USD)')
  for (const answer of [dollars('succeeded'), dollars('reversed'), answerWithAmount('succeeded', REQUESTED_MINOR)])
    await review.say(shop, id, answer)
  assert.equal((await review.shown(shop, id)).status, 'failed')
  assert.deepEqual([await transfersOf(id), await operator.book(shop)], [[], {}])
  await booksHold(world)
})

test('no book contains foreign money that the provider reverses before or after it reports the success', async () => {
  const shop = await review.shop()
  const seen = await paidInDollars(shop)
  const unseen = await review.pay(shop, '007')
  for (const id of [seen, unseen]) {
    await review.say(shop, id, dollars('reversed'))
    await review.say(shop, id, dollars('reversed'))
    assert.equal((await review.shown(shop, id)).status, 'reversed')
    assert.deepEqual(await transfersOf(id), [])
    const late = await clear(id, { decision: 'approve', reason: 'Late', amount: '1' })
    assert.deepEqual(codeOf(late), [409, 'invalid_state'])
  }
  assert.deepEqual(await operator.book(shop), {})
  await booksHold(world)
})

test('a later report of success in shillings adds a row to the history and credits nothing', async () => {
  const shop = await review.shop()
  const id = await paidInDollars(shop)
  await review.say(shop, id, answerWithAmount('succeeded', REQUESTED_MINOR))
  assert.deepEqual(
    (await review.historyOf(id)).map(({ to_status, reason }) => `${to_status}: ${reason}`),
    ['pending_clearance: succeeded 10.50 USD', 'pending_clearance: succeeded 1000.00 TZS'],
  )
  assert.deepEqual([await transfersOf(id), await operator.book(shop)], [[], {}])
  await booksHold(world)
})

test('the server refuses an amount in shillings for a payment that the provider took in shillings', async () => {
  const shop = await review.shop()
  const id = await review.hold(shop)
  for (const decision of ['approve', 'decline']) {
    const refused = await review.untouched(() => clear(id, { decision, reason: 'Seen', amount: '1000.00' }))
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
    assert.equal(refused.body.error.details.fields[0].field, 'amount')
  }
})

test('a duplicate payment of a link in another currency waits for review, and no book contains its money', async () => {
  const shop = await review.shop()
  const link = (await world.post('/v1/payment-links', { amount: '1000.00' }, { key: shop.live })).body.data
  const pay = async (phone: string) =>
    (
      await world.post(
        `/public/payment-links/${link.public_slug}/collect`,
        { method: 'WALLET_PUSH', customer_phone: phone },
        { key: null },
      )
    ).body.data.collection_id as string
  const first = await pay('0754123007')
  world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)
  const second = await pay('0754123001')
  await world.work()
  assert.equal((await review.shown(shop, second)).status, 'successful')
  await review.say(shop, first, dollars('succeeded'))
  assert.equal((await review.shown(shop, first)).status, 'pending_clearance')
  assert.deepEqual(await transfersOf(first), [])
  await booksHold(world)
  const done = await clear(first, { decision: 'approve', reason: 'A tip', amount: '26000' })
  assert.equal(done.status, 200, done.text)
  assert.equal((await operator.book(shop)).available, 2_600_000n + REQUESTED_MINOR)
  await booksHold(world)
})
