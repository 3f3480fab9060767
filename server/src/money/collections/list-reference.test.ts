// Tests that a search by the beginning of a reference reads a bounded number of rows, even with many old matches.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, START, type World } from '../../../test/harness.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { COUNT_MAX } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { BEGUN_MAX, type CollectionFilters, listCollections, NEWEST_MAX } from './list.ts'

const OLD = 45_000
const YOUNG = NEWEST_MAX + 500
/**
 * The maximum number of rows that one search may read: the limits of both searches, and one page of rows with attempts and
 * links.
 */
const READ_MAX = BEGUN_MAX + 1 + NEWEST_MAX + 100
/** The same limit if the newest payments alone have more matches than a search counts. */
const READ_MAX_OF_MANY = BEGUN_MAX + 1 + COUNT_MAX + 100

let world: World
before(async () => {
  world = await createWorld()
  await plant(world.merchant, OLD, 'Old', START.getTime() - 10 * 86_400_000)
  await plant(world.merchant, YOUNG, 'young', START.getTime() - 3_600_000)
  await plant(world.merchant, YOUNG, 'live', START.getTime() - 3_000_000, 'live')
})
after(() => world.close())

/** Inserts failed payments one millisecond apart, with numbered references such as `Old-00000`, the newest last. */
async function plant(of: Merchant, many: number, reference: string, since: number, environment = 'sandbox') {
  const rows = Array.from({ length: many }, (_, i) => {
    const at = new Date(since + i)
    const seams = { ...world.deps, clock: { ...world.deps.clock, now: () => at } }
    return { id: newId(seams, of.routing_code), at, reference: `${reference}-${String(i).padStart(5, '0')}` }
  })
  await world.rows(
    `insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
       currency, fee_minor, reference, customer_phone, created_at, updated_at, failure_reason_code)
     select $1, id, $3, $3, 'failed', 1, 'wallet_push', 100, 'TZS', 0, reference, '255754123456', at, at,
       'wrong_pin' from json_to_recordset($2::json) as x(id uuid, at timestamptz, reference text)`,
    [of.id, JSON.stringify(rows), environment],
  )
}

const search = (filter: Partial<CollectionFilters>, page = 1) => {
  const filters: CollectionFilters = {
    merchant_id: world.merchant.id,
    environment: 'sandbox',
    status: null,
    method: null,
    reference: 'OLD-',
    phone: null,
    metadata: null,
    from: null,
    to: null,
    ...filter,
  }
  return rowsRead(world, (deps) => listCollections(deps, filters, page, 20))
}
const references = ({ rows }: Awaited<ReturnType<typeof listCollections>>) => rows.map(({ reference }) => reference)
const numbered = (from: number, many: number) =>
  Array.from({ length: many }, (_, i) => `Old-${String(from - i).padStart(5, '0')}`)

for (const statistics of ['without statistics', 'with statistics'] as const) {
  describe(`a search for the beginning of 45,000 references, ${statistics} of the database`, () => {
    before(async () => {
      if (statistics === 'with statistics') await world.rows('analyze collections')
    })

    test(`a search for a reference, ${statistics} of the database, reads a bounded number of rows and shows the newest matches`, async () => {
      const { result, read } = await search({})
      assert.ok(read <= READ_MAX, `${read} rows read`)
      assert.deepEqual(references(result), numbered(OLD - 1, 20))
      assert.equal(result.total, 10_000)
    })

    test(`the pages of a search for a reference, ${statistics} of the database, end at the total of the search`, async () => {
      const last = await search({}, 500)
      assert.ok(last.read <= READ_MAX, `${last.read} rows read`)
      assert.deepEqual(references(last.result), numbered(OLD - 9_981, 20))
      assert.deepEqual((await search({}, 501)).result, { rows: [], total: 10_000 })
    })

    for (const [name, filter] of [
      ['a status without payments', { status: 'successful' }],
      ['a method without payments', { method: 'qr' }],
      ['a phone without payments', { phone: '255754999999' }],
      ['a time before all payments', { to: new Date(START.getTime() - 20 * 86_400_000) }],
      ['a time after all payments', { from: START }],
    ] as const) {
      test(`a search for a reference and ${name}, ${statistics} of the database, reads a bounded number of rows and finds no payment`, async () => {
        const { result, read } = await search(filter)
        assert.ok(read <= READ_MAX, `${read} rows read`)
        assert.deepEqual(result, { rows: [], total: 0 })
      })
    }

    test(`a search for a reference and a time, ${statistics} of the database, finds the newest payments of that time`, async () => {
      const to = new Date(START.getTime() - 10 * 86_400_000 + 5_000)
      const { result, read } = await search({ to })
      assert.ok(read <= READ_MAX, `${read} rows read`)
      assert.deepEqual(references(result), numbered(4_999, 20))
      assert.equal(result.total, 5_000)
    })

    test(`a search for a reference, ${statistics} of the database, finds every payment when at most 10,000 references match`, async () => {
      const { result, read } = await search({ reference: 'old-012' })
      assert.ok(read <= READ_MAX, `${read} rows read`)
      assert.deepEqual(references(result), numbered(1_299, 20))
      assert.equal(result.total, 100)
    })

    test(`a search for the reference of most new payments, ${statistics} of the database, reads new payments up to the largest total`, async () => {
      const { result, read } = await search({ reference: 'YOUNG' })
      assert.ok(read <= READ_MAX_OF_MANY, `${read} rows read`)
      assert.equal(references(result)[0], `young-${YOUNG - 1}`)
      assert.equal(result.total, COUNT_MAX)
      const last = await search({ reference: 'YOUNG' }, COUNT_MAX / 20)
      assert.equal(references(last.result).at(-1), `young-${YOUNG - COUNT_MAX}`)
    })

    test(`a search for a reference, ${statistics} of the database, counts a payment once that is new and last in alphabetical order`, async () => {
      const from = new Date(START.getTime() - 10 * 86_400_000 + 38_000)
      const all = await search({ from, to: new Date(START.getTime() - 9 * 86_400_000) })
      assert.equal(all.result.total, OLD - 38_000)
      assert.deepEqual(references(all.result), numbered(OLD - 1, 20))
    })
  })
}

test('a search for a reference lists new matches first, then older matches that only the alphabetical order finds', async () => {
  const young = ['00100', '20400', '20499'].map((number) => `young-${number}`)
  await world.rows("update collections set reference = 'old-9-' || reference where reference = any($1)", [young])
  const from = new Date(START.getTime() - 10 * 86_400_000 + 40_000)
  const { result } = await search({ from })
  // The payment young-00100 is older than the newest 20,000 payments.
  assert.equal(result.total, 5_000 + young.length)
  assert.deepEqual(references(result), [...young.reverse().map((name) => `old-9-${name}`), ...numbered(OLD - 1, 17)])
  const status = await search({ from, status: 'successful' })
  assert.deepEqual(status.result, { rows: [], total: 0 })
})
