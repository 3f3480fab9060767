// Tests that the total of a list is exact although the server does not count old rows again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { plant } from '../../../test/statements.ts'
import type { Merchant } from '../../access/merchants/index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const MINUTE = 60_000

/** Inserts live payments of one cent whose ids have the given time. */
async function pay(merchant: Merchant, count: number, at = world.deps.clock.now()): Promise<void> {
  const payment = { flow: 'payment', state: 'paid', amount_minor: 1n, at, merchant } as const
  await plant(
    world,
    Array.from({ length: count }, () => payment),
  )
}

const kept = async (merchant: Merchant) => {
  const rows = await world.rows<{ items: bigint }>(
    "select items from list_counts where merchant_id = $1 and environment = 'live' and list = 'collections'",
    [merchant.id],
  )
  return rows.map(({ items }) => Number(items))
}

const totalOf = async (key: string): Promise<number> =>
  (await world.get('/v1/collections?page_size=1', key)).body.data.pagination.total_items

test('the total counts all rows, and stays exact when the list grows after the server stored the count of old rows', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant, environment: 'live' })
  const total = () => totalOf(key)
  assert.equal(await total(), 0)
  await pay(merchant, 1_001)
  assert.equal(await total(), 1_001)
  assert.deepEqual(
    await kept(merchant),
    [],
    'the database does not store the count of new rows, because more rows may follow',
  )
  world.deps.clock.advance(11 * MINUTE)
  await pay(merchant, 5)
  assert.equal(await total(), 1_006)
  assert.deepEqual(await kept(merchant), [1_001])
  assert.equal(await total(), 1_006)
  world.deps.clock.advance(11 * MINUTE)
  assert.equal(await total(), 1_006)
  assert.deepEqual(await kept(merchant), [1_001], 'a few more rows cause no write')
  await pay(merchant, 1_000)
  world.deps.clock.advance(11 * MINUTE)
  assert.deepEqual(await Promise.all([total(), total(), total()]), [2_006, 2_006, 2_006])
  assert.deepEqual(await kept(merchant), [2_006])
})

test('the server counts a separate total for each merchant and environment', async () => {
  const merchant = await world.newMerchant()
  await pay(merchant, 1_001)
  world.deps.clock.advance(11 * MINUTE)
  assert.equal(await totalOf(await world.newKey({ merchant, environment: 'live' })), 1_001)
  assert.deepEqual(await kept(merchant), [1_001])
  assert.equal(await totalOf(await world.newKey({ merchant, environment: 'sandbox' })), 0)
  assert.equal(await totalOf(world.live_key), 0)
})

test('the total includes a row whose id is minutes older than its insert, even after a read between the two times', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant, environment: 'live' })
  const total = () => totalOf(key)
  await pay(merchant, 1_001)
  world.deps.clock.advance(11 * MINUTE)
  const id_made_at = world.deps.clock.now()
  world.deps.clock.advance(9 * MINUTE)
  assert.equal(await total(), 1_001)
  assert.deepEqual(await kept(merchant), [1_001])
  await pay(merchant, 1, id_made_at)
  assert.equal(await total(), 1_002)
})
