// Tests that a person who never confirms prompts does not keep a page busy for other payers.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { verify } from '../../apps/admin/verify.ts'

const STRANGER = '203.0.113.9'
const CUSTOMER = '198.51.100.7'
/** A phone whose owner never answers a prompt. */
const SILENT = '0754123007'
const BUSY = [409, 'payment_in_progress']

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
})
after(() => world.close())

const pay = (slug: string, phone: string, remoteAddress: string): Promise<Reply> =>
  world.call({
    method: 'POST',
    url: `/public/payment-links/${slug}/collect`,
    key: null,
    idempotency_key: randomUUID(),
    payload: { method: 'WALLET_PUSH', customer_phone: phone },
    remoteAddress,
  })
const stateFor = async (slug: string, remoteAddress: string): Promise<string> =>
  (await world.call({ method: 'GET', url: `/pay/${slug}/state`, key: null, remoteAddress })).body.state
const promptEnds = () => world.deps.clock.advance(world.deps.config.push_lifetime_s * 1_000)

async function newLink(): Promise<string> {
  return (await world.post('/v1/payment-links', { amount: '25000.00' })).body.data.public_slug
}
async function newHostedPage(): Promise<string> {
  const made = await world.post('/v1/collections', { amount: '25000.00', reference: 'ORDER-1' })
  return String(made.body.data.payment_url).split('/pay/')[1] as string
}

for (const [kind, make] of [
  ['payment link', newLink],
  ['hosted page', newHostedPage],
] as const) {
  test(`after two unapproved prompts from one address, other payers of a ${kind} no longer wait for that address`, async () => {
    const slug = await make()
    for (let i = 0; i < 2; i++) {
      assert.equal((await pay(slug, SILENT, STRANGER)).status, 202)
      assert.deepEqual(codeOf(await pay(slug, '0754123001', CUSTOMER)), BUSY, `prompt ${i + 1}`)
      assert.equal(await stateFor(slug, CUSTOMER), 'in_progress')
      promptEnds()
    }
    // After 15 minutes the server still counts the earlier prompts of the address.
    world.deps.clock.advance(15 * 60_000)
    await world.work()
    const third = await pay(slug, SILENT, STRANGER)
    assert.equal(third.status, 202)
    assert.deepEqual(codeOf(await pay(slug, '0754123017', STRANGER)), BUSY, 'the address itself waits')
    assert.deepEqual([await stateFor(slug, STRANGER), await stateFor(slug, CUSTOMER)], ['in_progress', 'choose'])
    const paid = await pay(slug, '0754123001', CUSTOMER)
    assert.equal(paid.status, 202, paid.text)
    assert.equal(await stateFor(slug, STRANGER), 'paid')
    assert.equal((await pay(slug, '0754123001', '192.0.2.1')).status, 409)

    // The stranger approves late: the server holds this second payment, and the page counts one payment.
    const { collection_id } = third.body.data
    const answer = {
      kind: 'succeeded',
      amount_minor: 2_500_000n,
      currency: 'TZS',
      provider_status: 'COMPLETED',
    } as const
    await world.system.driver.settle({
      merchant_id: world.merchant.id,
      collection_id,
      number: kind === 'hosted page' ? 3 : 1,
      answer,
    })
    const statuses = await world.rows<{ status: string }>(
      `select c.status from collections c join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id
       where l.slug = $1 and c.amount_received_minor is not null order by c.status`,
      [slug],
    )
    assert.deepEqual(statuses, [{ status: 'pending_clearance' }, { status: 'successful' }])
    const { checks } = await verify(world.url)
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    )
  })
}

test('the prompt of a customer keeps a page busy also while a stranger has a third prompt', async () => {
  const slug = await newLink()
  for (let i = 0; i < 2; i++) {
    await pay(slug, SILENT, STRANGER)
    promptEnds()
  }
  assert.equal((await pay(slug, '0754133007', CUSTOMER)).status, 202)
  assert.deepEqual(codeOf(await pay(slug, SILENT, STRANGER)), BUSY)
  promptEnds()
  assert.equal((await pay(slug, SILENT, STRANGER)).status, 202)
  // Ids of the same millisecond have no order, so the test advances the clock.
  world.deps.clock.advance(1_000)
  assert.equal((await pay(slug, '0754133007', CUSTOMER)).status, 202)
  assert.equal(await stateFor(slug, '192.0.2.1'), 'in_progress')
  assert.deepEqual(codeOf(await pay(slug, '0754123001', '192.0.2.1')), BUSY)
})
