// The total of a list is exact, also when most of it is not counted again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../test/harness.ts'
import { postFacts } from '../../test/money.ts'
import { newId } from '../lib/index.ts'
import type { Merchant } from '../merchants/index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const MINUTE = 60_000

/** Posts payments of one cent, in sets. */
async function pay(merchant: Merchant, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1_000) {
    const set = Array.from(
      { length: Math.min(left, 1_000) },
      () => ({ fact: 'collection_settled', amount_minor: 1n }) as const,
    )
    await postFacts(world.deps, merchant, set)
  }
}

const kept = async (merchant: Merchant) => {
  const rows = await world.rows<{ items: bigint }>(
    "select items from list_counts where merchant_id = $1 and environment = 'sandbox' and list = 'transactions'",
    [merchant.id],
  )
  return rows.map(({ items }) => Number(items))
}

test('a total counts what is there now, keeps what no longer changes, and stays right as the list grows', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const total = async () => {
    const reply = await world.get(`/v1/merchants/${merchant.id}/transactions?page_size=1`, key)
    return reply.body.data.pagination.total_items
  }
  assert.equal(await total(), 0)
  await pay(merchant, 1_001)
  assert.equal(await total(), 1_001)
  assert.deepEqual(await kept(merchant), [], 'what is young may still get company')
  world.deps.clock.advance(11 * MINUTE)
  await pay(merchant, 5)
  assert.equal(await total(), 1_006)
  assert.deepEqual(await kept(merchant), [1_001])
  assert.equal(await total(), 1_006)
  world.deps.clock.advance(11 * MINUTE)
  assert.equal(await total(), 1_006)
  assert.deepEqual(await kept(merchant), [1_001], 'a few more are no reason to write')
  await pay(merchant, 1_000)
  world.deps.clock.advance(11 * MINUTE)
  assert.deepEqual(await Promise.all([total(), total(), total()]), [2_006, 2_006, 2_006])
  assert.deepEqual(await kept(merchant), [2_006])
})

test('each list, merchant and environment has its own total', async () => {
  const merchant = await world.newMerchant()
  await pay(merchant, 1_001)
  world.deps.clock.advance(11 * MINUTE)
  const sandbox = await world.newKey({ merchant })
  const live = await world.newKey({ merchant, environment: 'live' })
  const read = async (path: string, key: string) => (await world.get(path, key)).body.data.pagination.total_items
  const transactions = `/v1/merchants/${merchant.id}/transactions`
  assert.equal(await read(transactions, sandbox), 1_001)
  assert.deepEqual(await kept(merchant), [1_001])
  assert.equal(await read(transactions, live), 0)
  assert.equal(await read('/v1/collections', sandbox), 0, 'facts of this test have no payments behind them')
})

test('what got its id minutes before it was written is counted, also when the total was read in between', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const total = async () => {
    const reply = await world.get(`/v1/merchants/${merchant.id}/transactions?page_size=1`, key)
    return reply.body.data.pagination.total_items
  }
  await pay(merchant, 1_001)
  world.deps.clock.advance(11 * MINUTE)
  const transfer_id = newId(world.deps, merchant.routing_code)
  world.deps.clock.advance(9 * MINUTE)
  assert.equal(await total(), 1_001)
  assert.deepEqual(await kept(merchant), [1_001])
  await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 1n, transfer_id }])
  assert.equal(await total(), 1_002)
})
