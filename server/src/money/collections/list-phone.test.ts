// Tests that the filter by the last digits of a phone finds every matching payment. The number of rows that the filter reads
// does not grow with the other payments.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { batchesOf, type CollectionFilters, listCollections } from './list.ts'

const MANY = 40_000
const PHONES = 2_500
/** The number of payments of each phone in each environment. */
const EACH = MANY / PHONES / 2
/** The maximum number of rows that a page of 20 payments and its total may read. */
const READ_MAX = 100

let world: World
before(async () => {
  world = await createWorld()
  const { id: merchant_id, routing_code } = world.merchant
  const start = newId(world.deps, routing_code).slice(0, 29)
  await world.rows(
    `insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
       fee_minor, customer_phone, reference, created_at, updated_at)
     select $1, ($2 || lpad(to_hex(i), 7, '0'))::uuid, e, e, 'processing', 0, 'wallet_push', 100, 'TZS', 0,
       (255754120000 + i % ${PHONES})::text, 'ORDER-' || i, $3, $3
     from generate_series(1, ${MANY}) i
     cross join lateral (select case when i % ${2 * PHONES} < ${PHONES} then 'sandbox' else 'live' end as e) x`,
    [merchant_id, start, world.deps.clock.now()],
  )
})
after(() => world.close())

const filtersOf = (phone: string, rest: Partial<CollectionFilters> = {}): CollectionFilters => ({
  merchant_id: world.merchant.id,
  environment: 'sandbox',
  status: null,
  method: null,
  reference: null,
  phone,
  metadata: null,
  from: null,
  to: null,
  ...rest,
})

/** Returns the batches of an export. */
async function exported(deps: Deps, filters: CollectionFilters, size: number) {
  const batches: { id: string }[][] = []
  for await (const batch of batchesOf(deps, filters, size)) batches.push(batch)
  return batches
}

for (const analyzed of [false, true]) {
  test(`a list by the last digits of a phone reads a bounded number of rows ${analyzed ? 'with' : 'without'} statistics of the table`, async () => {
    if (analyzed) await world.rows('analyze collections')
    for (const [phone, rows] of [
      ['0012', EACH],
      ['54120012', EACH],
      ['0012', EACH],
      ['90012', 0],
      ['9999', 0],
    ] as const) {
      const { result, read } = await rowsRead(world, (deps) => listCollections(deps, filtersOf(phone), 1, 20))
      assert.deepEqual([result.rows.length, result.total], [rows, rows], phone)
      assert.ok(read <= READ_MAX, `${phone} read ${read} rows`)
    }
  })
}

test('an export by the last digits of a phone has the payments of the list, in batches, and reads a bounded number of rows', async () => {
  const { rows } = await listCollections(world.deps, filtersOf('20012'), 1, 100)
  for (const [size, batches] of [
    [3, [3, 3, 2]],
    [4, [4, 4]],
    [100, [8]],
  ] as const) {
    const { result, read } = await rowsRead(world, (deps) => exported(deps, filtersOf('20012'), size))
    assert.deepEqual(
      result.map((batch) => batch.length),
      batches,
    )
    assert.deepEqual(
      result.flat().map(({ id }) => id),
      rows.map(({ id }) => id),
    )
    assert.ok(read <= READ_MAX, `batches of ${size} read ${read} rows`)
  }
  assert.deepEqual(await exported(world.deps, filtersOf('20012', { status: 'failed' }), 100), [])
})
