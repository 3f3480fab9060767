// Tests the scheduled runs of verify: one run in each period among all workers, its stored result, and runs that end early.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { verifyTask } from './verify-task.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

let world: World
/** The verify tasks of two workers. */
let tasks: [Task, Task]
before(async () => {
  world = await createWorld({ env: { VERIFY_EVERY_H: '24' } })
  tasks = [verifyTask(world.deps), verifyTask({ ...world.deps, process_id: randomUUID() })]
})
after(() => world.close())

const runs = () =>
  world.rows<{ ok: boolean | null; finished_at: Date | null }>('select * from verify_runs order by period_start')
/** Returns the last run as an operator reads it. The operator signs in again, because the clock moves by days. */
const shown = async () =>
  (await world.get('/v1/operator/verify', (await world.newSession('SUPER_ADMIN')).token)).body.data

test('a worker starts no scheduled verify in its first ten minutes, and never with VERIFY_EVERY_H=0', async () => {
  world.deps.clock.advance(9 * MINUTE_MS)
  await Promise.all(tasks.map((task) => task.runOnce()))
  const never = verifyTask({ ...world.deps, config: { ...world.deps.config, verify_every_h: 0 } })
  world.deps.clock.advance(MINUTE_MS)
  await never.runOnce()
  assert.deepEqual(await runs(), [])
  assert.deepEqual(await shown(), { every_h: 24, last: null, last_good_at: null })
})

test('two workers run verify once in a period, and operators see the result', async () => {
  await Promise.all(tasks.map((task) => task.runOnce()))
  await Promise.all(tasks.map((task) => task.runOnce()))
  assert.equal((await runs()).length, 1)
  const { last, last_good_at } = await shown()
  assert.equal(last.ok, true, JSON.stringify(last.broken))
  assert.ok(last.checks > 50, `${last.checks} checks`)
  assert.equal(last.problems, 0)
  assert.equal(last_good_at, world.deps.clock.now().toISOString())
})

test('a scheduled verify that finds a contradiction stores the failed checks and logs an error', async () => {
  const good = (await shown()).last_good_at
  await world.rows("update ledger_accounts set balance_minor = 5 where code = 'available' and environment = 'live'")
  world.deps.clock.advance(24 * HOUR_MS)
  await tasks[0].runOnce()
  await world.rows("update ledger_accounts set balance_minor = 0 where code = 'available' and environment = 'live'")
  const { last, last_good_at } = await shown()
  assert.equal(last.ok, false)
  assert.equal(last.problems, last.broken.length)
  assert.ok(last.broken.some(({ name }: { name: string }) => name === 'Every book sums to zero'))
  assert.equal(last_good_at, good)
  assert.ok(world.deps.logged.some((line) => line.includes('the scheduled verify found contradictions')))
})

test('another worker takes over the run of a dead process after the lease ends', async () => {
  world.deps.clock.advance(24 * HOUR_MS)
  const now = world.deps.clock.now()
  const period_start = new Date(Math.floor(now.getTime() / (24 * HOUR_MS)) * 24 * HOUR_MS)
  const until = new Date(now.getTime() + HOUR_MS)
  const insert = 'insert into verify_runs (period_start, process_id, started_at, lease_until) values ($1, $2, $3, $4)'
  await world.rows(insert, [period_start, randomUUID(), now, until])
  await tasks[1].runOnce()
  assert.equal((await runs()).at(-1)?.finished_at, null)
  world.deps.clock.advance(HOUR_MS + 1)
  await tasks[1].runOnce()
  assert.equal((await runs()).at(-1)?.ok, true)
})

test('a stopping worker ends its run immediately, and another worker starts the run of the period again', async () => {
  world.deps.clock.advance(24 * HOUR_MS)
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const lock = inTransaction(world.deps.db, async (tx) => {
    await tx.query(sql('', 'lock table ledger_transfers in access exclusive mode'))
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const run = tasks[0].runOnce()
  while ((await runs()).at(-1)?.finished_at !== null) await new Promise(setImmediate)
  await new Promise((resolve) => setTimeout(resolve, 50))
  tasks[0].stop?.()
  await run
  const before_second = (await runs()).length
  release.resolve()
  await lock
  await tasks[1].runOnce()
  assert.equal((await runs()).length, before_second + 1)
  assert.equal((await runs()).at(-1)?.ok, true)
})
