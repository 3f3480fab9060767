// Tests that the sums of closed days are right, even if another transaction changes a payment at the same time.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { createDb, inTransaction } from '../../kernel/db/index.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'
import { linkSettlement } from '../payment-links/index.ts'
import { daysTask } from './days-task.ts'
import { applyOutcomes } from './settle.ts'

let world: World
/** The function that the test world calls before each SQL query. */
let onStatement: (name: string) => void | Promise<void> = () => {}
before(async () => {
  world = await createWorld({ before: (name) => onStatement(name) })
})
after(() => world.close())

/** Creates a merchant with payments of five days ago, all failed. */
async function oldPayments(count: number): Promise<{ merchant: Merchant; key: string; ids: string[] }> {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const reply = await world.post('/v1/collections/wallet-push', { amount: 100, phone: '0754123003' }, { key })
    ids.push(reply.body.data.collection_id)
  }
  await world.work()
  world.deps.clock.advance(5 * DAY_MS)
  await world.work()
  return { merchant, key, ids }
}

function outcome(merchant: Merchant, collection_id: string) {
  const answer = { kind: 'succeeded', amount_minor: 10_000n, currency: 'TZS', provider_status: null } as const
  return { merchant_id: merchant.id, collection_id, number: 1, answer }
}

const succeed = (merchant: Merchant, id: string) =>
  inTransaction(world.deps.db, (tx) =>
    applyOutcomes(world.deps, tx, linkSettlement, [outcome(merchant, id)], () => false),
  )

async function totals(key: string): Promise<Record<string, number>> {
  const total = async (status: string) =>
    (await world.get(`/v1/collections?page_size=1&status=${status}`, key)).body.data.pagination.total_items
  return { successful: await total('successful'), failed: await total('failed') }
}

const marks = async (merchant: Merchant) =>
  (await world.rows('select 1 from collection_days_stale where merchant_id = $1', [merchant.id])).length

const summed = async (merchant: Merchant) => {
  const rows = await world.rows<{ status: string; items: bigint }>(
    'select status, sum(items)::bigint as items from collection_days where merchant_id = $1 group by status order by status',
    [merchant.id],
  )
  return Object.fromEntries(rows.map(({ status, items }) => [status, Number(items)]))
}

test('the total of a filtered list has the payments of summed and open days, and the server sums a day after its end', async () => {
  const { merchant, key } = await oldPayments(3)
  assert.deepEqual(await summed(merchant), { failed: 3 })
  assert.deepEqual(await totals(key), { successful: 0, failed: 3 })
  const today = await world.post('/v1/collections/wallet-push', { amount: 100, phone: '0754123003' }, { key })
  assert.equal(today.status, 202)
  await world.work()
  world.deps.clock.advance(3 * DAY_MS - 3_600_000)
  await world.work()
  assert.deepEqual(await summed(merchant), { failed: 3 })
  assert.deepEqual(await totals(key), { successful: 0, failed: 4 })
  world.deps.clock.advance(DAY_MS + 4 * 3_600_000)
  await world.work()
  assert.deepEqual(await summed(merchant), { failed: 4 })
})

test('the sums include each payment that changed while the task summed its day, at the latest after the next run', async () => {
  const { merchant, key, ids } = await oldPayments(3)
  const [first, second] = ids as [string, string, string]
  await succeed(merchant, first)
  assert.equal(await marks(merchant), 1)
  // When the task sums the day, the other transaction has written the second change and has not committed it.
  const other = createDb({ url: world.url, max_connections: 1 })
  let commit = () => {}
  const held = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written = () => {}
  const is_written = new Promise<void>((resolve) => {
    written = resolve
  })
  const changing = inTransaction(other, async (tx) => {
    await applyOutcomes(world.deps, tx, linkSettlement, [outcome(merchant, second)], () => false)
    written()
    await held
  })
  await is_written
  assert.equal(await daysTask(world.deps).runOnce(), 1)
  assert.deepEqual(await summed(merchant), { failed: 2, successful: 1 })
  assert.equal(await marks(merchant), 0)
  commit()
  await changing
  await other.close()
  assert.equal(await marks(merchant), 1, 'the mark of the later change is there')
  assert.deepEqual(
    await totals(key),
    { successful: 2, failed: 1 },
    'the list shows the change before the task sums the day again',
  )
  await daysTask(world.deps).runOnce()
  assert.deepEqual(await summed(merchant), { failed: 1, successful: 2 })
})

for (const statement of ['', 'collection_days_clear', 'collection_days_write']) {
  test(`the mark of a change that commits right before ${statement || 'the task reads the payments'} stays, and the next run sums the change`, async () => {
    const { merchant, key, ids } = await oldPayments(3)
    const [first, second] = ids as [string, string, string]
    await succeed(merchant, first)
    let seen_lock = false
    onStatement = async (name) => {
      if (name === 'collection_days_marks') seen_lock = true
      if (!seen_lock || name !== statement) return
      onStatement = () => {}
      await succeed(merchant, second)
    }
    await daysTask(world.deps).runOnce()
    onStatement = () => {}
    assert.deepEqual(await totals(key), { successful: 2, failed: 1 })
    assert.equal(await marks(merchant), 1)
    await daysTask(world.deps).runOnce()
    assert.deepEqual(await summed(merchant), { failed: 1, successful: 2 })
    assert.deepEqual(await totals(key), { successful: 2, failed: 1 })
  })
}

test('two tasks that run at the same time sum every closed day once', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  await world.post('/v1/collections/wallet-push', { amount: 100, phone: '0754123003' }, { key })
  await world.work()
  world.deps.clock.advance(5 * DAY_MS)
  const both = [daysTask(world.deps), daysTask(world.deps)]
  await Promise.all(both.map((task) => task.runOnce()))
  await world.work()
  assert.deepEqual(await summed(merchant), { failed: 1 })
})

test('the task changes no sum and no mark when the process dies before the commit', async () => {
  const { merchant, key, ids } = await oldPayments(2)
  await succeed(merchant, ids[0] as string)
  onStatement = (name) => {
    if (name === 'collection_days_write') throw new Error('the process dies here')
  }
  await assert.rejects(daysTask(world.deps).runOnce())
  onStatement = () => {}
  assert.deepEqual(await summed(merchant), { failed: 2 })
  assert.equal(await marks(merchant), 1)
  assert.deepEqual(await totals(key), { successful: 1, failed: 1 })
})

test('a payment that settles on the day of its creation writes no mark and updates its row in place', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const reply = await world.post('/v1/collections/wallet-push', { amount: 100, phone: '0754123007' }, { key })
  const id = reply.body.data.collection_id
  const statements: string[] = []
  const text = `select pg_stat_get_xact_tuples_updated(oid)::int as updated, pg_stat_get_xact_tuples_hot_updated(oid)::int as hot
    from pg_class where relname = 'collections'`
  type Updates = { updated: number; hot: number }
  const [before, after] = await inTransaction(world.deps.db, async (tx) => {
    const count = async () => (await tx.query<Updates>({ name: '', text }))[0] as Updates
    const earlier = await count()
    onStatement = (name) => void statements.push(name)
    await applyOutcomes(world.deps, tx, linkSettlement, [outcome(merchant, id)], () => false)
    onStatement = () => {}
    return [earlier, await count()]
  })
  assert.deepEqual([after.updated - before.updated, after.hot - before.hot], [1, 1], 'no index is written')
  assert.ok(statements.includes('collections_write'))
  assert.ok(!statements.includes('collection_days_mark'))
})
