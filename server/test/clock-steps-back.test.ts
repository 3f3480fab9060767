// A clock that steps back: what it had put off until later than its rule allows is not left waiting.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createMerchant } from '../src/merchants/index.ts'
import { createWorld, type World } from './harness.ts'

const PAYMENTS = 60
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const checked = new Set<string>()
let world: World
before(async () => {
  world = await createWorld({
    env: { MOCK_DELAY_MS: '2000' },
    before: (name) => {
      if (name.startsWith('clock_check_')) checked.add(name.slice('clock_check_'.length))
    },
  })
})
after(() => world.close())

for (const [words, back_ms] of [
  ['a day', DAY_MS],
  ['an hour', HOUR_MS],
  ['five minutes', 5 * MINUTE_MS],
] as const) {
  test(`payments under way end in their time when the clock steps back ${words}`, async () => {
    await collect()
    await world.pass(1_000)
    const waiting = await world.rows('select 1 from collection_attempts where due_at is not null')
    assert.equal(waiting.length, PAYMENTS)
    world.deps.clock.step(-back_ms)
    await world.pass(10_000)
    const open = await world.rows(
      "select status, count(*)::int as payments from collections where status = 'processing' group by 1",
    )
    assert.deepEqual(open, [])
  })
}

test('a lease that a clock a day ahead took ends within a lease from now', async () => {
  const { merchant_id } = await collect(1)
  await world.pass(1_000)
  const owner = randomUUID()
  await world.rows(
    'update collection_attempts set lease_owner = $2, due_at = $3 where merchant_id = $1 and due_at is not null',
    [merchant_id, owner, new Date(world.deps.clock.now().getTime() + DAY_MS)],
  )
  await world.pass(4 * MINUTE_MS)
  assert.deepEqual(await world.rows('select 1 from collection_attempts where due_at is not null'), [])
})

test('each table that waits by due_at has a rule of how far ahead its rows may lie', async () => {
  const tables = await world.rows<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'due_at' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  assert.deepEqual(
    [...checked].sort(),
    tables.map(({ name }) => name),
  )
})

async function collect(count = PAYMENTS): Promise<{ merchant_id: string }> {
  const merchant = await createMerchant(world.deps, { name: 'Duka la Neema', approved: true })
  const key = await world.newKey({ merchant })
  const made = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      world.post(
        '/v1/collections/wallet-push',
        { amount: '1000', phone: `0754${String(100_008 + i * 1_000)}` },
        { key },
      ),
    ),
  )
  for (const { status } of made) assert.equal(status, 202)
  await world.system.idle()
  return { merchant_id: merchant.id }
}
