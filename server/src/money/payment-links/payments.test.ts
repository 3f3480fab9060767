// Tests the list of payments of one link for its merchant.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0' } })
})
after(() => world.close())

const newLink = async () => (await world.post('/v1/payment-links', { amount: '25000', reference: 'ORDER-1' })).body.data
async function pay(slug: string, phone: string): Promise<string> {
  const url = `/public/payment-links/${slug}/collect`
  const payload = { method: 'WALLET_PUSH', customer_phone: phone }
  const made = await world.call({ method: 'POST', url, key: null, idempotency_key: randomUUID(), payload })
  await world.work()
  return made.body.data.collection_id
}
const paymentsOf = (id: string, query = '', key?: string) =>
  world.get(`/v1/payment-links/${id}/collections${query}`, key)

test('a merchant can read all payments of a link in pages, newest first, including failed payments', async () => {
  const [link, other] = [await newLink(), await newLink()]
  const failed = await pay(link.public_slug, '0754123002')
  // The test advances the clock between payments, because ids of the same millisecond have no order.
  world.deps.clock.advance(1_000)
  const paid = await pay(link.public_slug, '0754123001')
  await pay(other.public_slug, '0754123001')
  const { items, pagination } = (await paymentsOf(link.id)).body.data
  assert.deepEqual(
    items.map((item: { collection_id: string; status: string }) => [item.collection_id, item.status]),
    [
      [paid, 'successful'],
      [failed, 'failed'],
    ],
  )
  assert.equal(pagination.total_items, 2)
  const second = (await paymentsOf(link.id, '?page=2&page_size=1')).body.data
  assert.equal(second.items[0].collection_id, failed)
  assert.deepEqual(items[0], (await world.get(`/v1/collections/${paid}`)).body.data)
})

test('the server answers not_found to another merchant and to the other environment when they read the payments of a link', async () => {
  const link = await newLink()
  const stranger = await world.newKey({ merchant: await world.newMerchant() })
  for (const key of [stranger, world.live_key]) {
    assert.deepEqual(codeOf(await paymentsOf(link.id, '', key)), [404, 'not_found'])
  }
  assert.deepEqual(codeOf(await paymentsOf('nothing')), [404, 'not_found'])
  const links_only = await world.newKey({ scopes: ['payment_links:read'] })
  assert.equal((await paymentsOf(link.id, '', links_only)).status, 403)
})
