// Tests claims of due rows: with many merchants, with a clock that is wrong, and after a process stopped.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { START, type TestDeps, testDeps } from '../../../test/harness.ts'
import { sql } from '../db/index.ts'
import { settableClock, ZERO_ID } from '../lib/index.ts'
import { createClaimer } from './index.ts'

type ClaimableRow = { merchant_id: string; id: string }

const LEASE_MS = 12_000
const everything = () => Number.MAX_SAFE_INTEGER

const FILL = sql(
  'test_fill',
  `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status, attempts, due_at, created_at, updated_at)
   select md5('merchant ' || m)::uuid, md5(m || ' ' || r)::uuid, 'sandbox', 'collection.success', 'collection', md5(m || ' ' || r)::uuid, 1, '{}',
     'pending', 0, $3, $4, $4
   from generate_series(1, $1::int) m, generate_series(1, $2::int) r`,
)
const MAKE_DUE = sql(
  'test_make_due',
  `update webhook_deliveries set due_at = $1
   where (merchant_id, id) in (select merchant_id, id from webhook_deliveries order by merchant_id desc limit 1)
   returning merchant_id`,
)

let database: TestDatabase
let deps: TestDeps
beforeEach(async () => {
  database = await createTestDatabase()
  deps = testDeps(database.url)
})
afterEach(async () => {
  await deps.close()
  await database.drop()
})

const claimer = (of: TestDeps = deps) =>
  createClaimer<ClaimableRow>(of, {
    name: 'webhook_deliveries',
    key: ['id'],
    returning: ['merchant_id', 'id'],
    longest_pause_ms: 3_600_000,
    written: 'updated_at',
  })

const fill = (merchants: number, rows: number, due_at: Date) => deps.db.query(FILL, [merchants, rows, due_at, START])

test('a claim finds the one due row although 4,000 merchants have rows that are due later', async () => {
  await fill(4_000, 1, new Date(START.getTime() + 3_600_000))
  const claim = claimer()
  assert.deepEqual(await claim(512, LEASE_MS, everything), [], 'nothing is due yet')
  for (let time = 0; time < 3; time++) {
    const [due] = await deps.db.query<ClaimableRow>(MAKE_DUE, [START])
    const found = await claim(512, LEASE_MS, everything)
    assert.deepEqual(
      found.map((row) => row.merchant_id),
      [due?.merchant_id],
    )
  }
})

test('the claimer takes rows of each merchant before it takes more rows of any merchant when one claim cannot hold all rows', async () => {
  await fill(3_000, 3, START)
  const claim = claimer()
  const turns = new Map<string, number>()
  for (let taken = 0; taken < 3_000; ) {
    const rows = await claim(250, LEASE_MS, everything)
    assert.ok(rows.length > 0 && rows.length <= 250)
    taken += rows.length
    for (const row of rows) turns.set(row.merchant_id, (turns.get(row.merchant_id) ?? 0) + 1)
  }
  assert.equal(turns.size, 3_000)
})

test('a claim finds a merchant that comes after many merchants without an allowance', async () => {
  await fill(3_000, 1, START)
  const [last] = await deps.db.query<ClaimableRow>(MAKE_DUE, [START])
  const rows = await claimer()(512, LEASE_MS, (merchant_id) => (merchant_id === last?.merchant_id ? 1 : 0))
  assert.deepEqual(
    rows.map((row) => row.merchant_id),
    [last?.merchant_id],
  )
})

test('at most three claims find the one due row among the rows of 12,000 merchants', async () => {
  await fill(12_000, 1, new Date(START.getTime() + 3_600_000))
  await deps.db.query(MAKE_DUE, [START])
  const claim = claimer()
  let claims = 0
  for (let found = 0; found === 0 && claims < 10; claims++) found = (await claim(512, LEASE_MS, everything)).length
  assert.ok(claims >= 1 && claims <= 3, `${claims} claims`)
})

test('a claim finds due rows without a merchant', async () => {
  await fill(20, 1, START)
  await deps.db.query(
    sql(
      'test_of_nobody',
      `update webhook_deliveries set merchant_id = '${ZERO_ID}' where id = (select id from webhook_deliveries limit 1)`,
    ),
  )
  const found: string[] = []
  const claim = claimer()
  for (let claims = 0; claims < 5; claims++)
    for (const row of await claim(5, LEASE_MS, everything)) found.push(row.merchant_id)
  assert.equal(found.length, 20)
  assert.ok(found.includes(ZERO_ID))
})

test('a claim takes due rows even when the clock check of the table fails', async () => {
  await fill(20, 1, START)
  let failures = 0
  const failing = testDeps(database.url, {
    before: (name) => {
      if (!/^clock_(check|far|free)_/.test(name)) return
      failures++
      throw new Error('canceling statement due to statement timeout')
    },
  })
  try {
    const claim = claimer(failing)
    assert.equal((await claim(10, LEASE_MS, everything)).length, 10)
    assert.equal((await claim(10, LEASE_MS, everything)).length, 10)
    assert.equal(failures, 1, 'the claimer repeats the check a minute later')
    failing.clock.advance(61_000)
    await claim(20, LEASE_MS, everything)
    assert.equal(failures, 2)
  } finally {
    await failing.close()
  }
})

test('a process whose clock is an hour behind shortens no lease and no pause of another process', async () => {
  await fill(4, 10, START)
  const waiting = sql('test_waiting', 'select id, due_at, lease_owner from webhook_deliveries order by id')
  const slow = testDeps(database.url, { clock: settableClock(new Date(START.getTime() - 3_600_000)) })
  try {
    assert.equal((await claimer()(20, LEASE_MS, everything)).length, 20)
    const pauses = sql(
      'test_pauses',
      'update webhook_deliveries set due_at = $1, updated_at = $2 where lease_owner is null',
    )
    await deps.db.query(pauses, [new Date(START.getTime() + 600_000), START])
    const before = await deps.db.query(waiting)
    const claim = claimer(slow)
    for (let claims = 0; claims < 5; claims++) assert.deepEqual(await claim(40, LEASE_MS, everything), [])
    assert.deepEqual(await deps.db.query(waiting), before)
    deps.clock.advance(LEASE_MS - 1)
    assert.deepEqual(await claimer()(40, LEASE_MS, everything), [], 'no lease has ended')
  } finally {
    await slow.close()
  }
})

test('a claim takes a row whose lease ends a day ahead after the row stayed unchanged for longer than a lease may last', async () => {
  const ahead = testDeps(database.url, { clock: settableClock(new Date(START.getTime() + 86_400_000)) })
  try {
    await fill(1, 3, START)
    assert.equal((await claimer(ahead)(3, LEASE_MS, everything)).length, 3)
    const claim = claimer()
    assert.deepEqual(await claim(3, LEASE_MS, everything), [])
    deps.clock.advance(LEASE_MS)
    assert.deepEqual(await claim(3, LEASE_MS, everything), [])
    deps.clock.advance(61_000)
    assert.equal((await claim(3, LEASE_MS, everything)).length, 3)
  } finally {
    await ahead.close()
  }
})

test('a stopping process ends its leases, and another process immediately takes the rows as rows of a dead process', async () => {
  await fill(2, 1, START)
  const [own, other] = [deps, { ...testDeps(database.url), process_id: '00000000-0000-8000-8000-000000000002' }]
  try {
    const [mine, theirs] = [claimer(own), claimer(other)]
    assert.equal((await mine(1, LEASE_MS, everything)).length, 1)
    assert.equal((await theirs(1, LEASE_MS, everything)).length, 1)
    assert.equal(await mine.giveBack(), 1)
    assert.equal(await mine.giveBack(), 0)
    const taken = await theirs(512, LEASE_MS, everything)
    assert.deepEqual(
      taken.map((row) => row.previous_owner),
      [own.process_id],
    )
    assert.equal(await mine.giveBack(), 0, 'the other process now holds the lease')
  } finally {
    await other.close()
  }
})
