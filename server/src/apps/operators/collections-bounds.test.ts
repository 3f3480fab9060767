// Tests how many rows the lists of all merchants read if each merchant has thousands of payments.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, START, type World } from '../../../test/harness.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { LOOKED_AT_MAX, listForOperators, type OperatorFilter } from '../../money/collections/index.ts'

const MERCHANTS = 6
const EACH = 3_000
/** The number of payments in the list: an equal share of LOOKED_AT_MAX for each merchant. */
const LISTED = Math.floor(LOOKED_AT_MAX / MERCHANTS) * MERCHANTS

let world: World
before(async () => {
  world = await createWorld()
  for (let n = 0; n < MERCHANTS; n++) await plant(n === 0 ? world.merchant : await world.newMerchant())
  // The statistics of these small tables favour a scan of the whole table. The queries must prevent such a plan.
  await world.rows('analyze')
})
after(() => world.close())

/** Inserts due payments that were under review before, so that every list of operators contains the payments. */
async function plant(of: Merchant): Promise<void> {
  const rows = Array.from({ length: EACH }, (_, i) => {
    const at = new Date(START.getTime() - 86_400_000 + i)
    const seams = { ...world.deps, clock: { ...world.deps.clock, now: () => at } }
    return { id: newId(seams, of.routing_code), at, reference: `ORDER-${i}` }
  })
  await world.rows(
    `with input as (
       select * from json_to_recordset($2::json) as x(id uuid, at timestamptz, reference text)
     ), made as (
       insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
         currency, fee_minor, reference, customer_phone, created_at, updated_at)
       select $1, id, 'live', 'live', 'processing', 1, 'wallet_push', 100, 'TZS', 0, reference, '255754123456', at, at from input
     ), held as (
       insert into held_collections (merchant_id, collection_id, environment, held_at, decided_at)
       select $1, id, 'live', at, at from input)
     insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference, method, phone,
       amount_minor, currency, state, asks, due_at, deadline_at, created_at, updated_at)
     select $1, id, 1, 'live', 'mock', id, 'wallet_push', '255754123456', 100, 'TZS', 'asked', 1, at, at, at, at from input`,
    [of.id, JSON.stringify(rows)],
  )
}

const list = (filter: OperatorFilter) => rowsRead(world, (deps) => listForOperators(deps, filter))

/** The highest number of rows that the server reads to find the merchants and to make a page. */
const AROUND = 600

for (const [name, filter, tables] of [
  // If the list has the order of the attempts or reviews, the server reads that row first, then the payment.
  ['that are processing', { status: 'processing' }, 2],
  ['that were held', { held: true }, 2],
  ['of a phone', { phone: '0754123456' }, 1],
  ['of the last digits of a phone', { phone: '23456' }, 1],
  ['of a reference', { reference: 'order-' }, 1],
  ['of every status', { status: 'any' }, 1],
] as const) {
  describe(`the list of all merchants' payments ${name}`, () => {
    test(`the list of payments ${name} reads a bounded number of rows for a page and its total, newest first`, async () => {
      const { result, read } = await list(filter)
      assert.ok(read <= tables * LOOKED_AT_MAX + AROUND, `${read} rows read`)
      assert.equal(result.items.length, 20)
      const ids = result.items.map(({ collection_id }) => collection_id)
      assert.deepEqual(ids, [...ids].sort().reverse())
      assert.equal(result.pagination.total_items, LISTED)
    })

    test(`the list of payments ${name} ends at the total that it states`, async () => {
      const last = Math.ceil(LISTED / 100)
      assert.equal((await list({ ...filter, page: last, page_size: 100 })).result.items.length, LISTED % 100 || 100)
      const { items, pagination } = (await list({ ...filter, page: last + 1, page_size: 100 })).result
      assert.deepEqual([items, pagination.total_items], [[], LISTED])
    })

    for (const [what, narrower] of [
      ['a method that no payment has', { method: 'qr' }],
      ['the environment that no payment has', { environment: 'sandbox' }],
      ['a time that no payment has', { to: '2025-01-01T00:00:00Z' }],
    ] as const) {
      test(`the list of payments ${name}, with ${what}, reads a bounded number of rows and finds nothing`, async () => {
        const { result, read } = await list({ ...filter, ...narrower })
        assert.ok(read <= tables * LOOKED_AT_MAX + AROUND, `${read} rows read`)
        assert.deepEqual([result.items, result.pagination.total_items], [[], 0])
      })
    }
  })
}

test('for a single merchant, the list counts all payments without the limit of the lists of all merchants', async () => {
  const { result } = await list({ status: 'processing', merchant_id: world.merchant.id })
  assert.equal(result.pagination.total_items, EACH)
})
