// Tests the daily check of the newest backup. One worker runs the check, a failed check runs again, and operators see the
// result.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { type BackupCheckResult, lastBackupCheck } from '../operators/index.ts'
import { backupCheckTask } from './backup-check-task.ts'
import { checkDatabase } from './doctor-database.ts'
import { createReadSystem } from './doctor-server.ts'

const HOUR_MS = 3_600_000
const GOOD: BackupCheckResult = {
  ok: true,
  backup: '20260105T080000Z-abcdef',
  ended_at: new Date('2026-01-05T08:00:00Z'),
  last_change: new Date('2026-01-05T08:00:00Z'),
  error: null,
}
const BAD: BackupCheckResult = { ...GOOD, ok: false, error: 'the file data/base/1 is cut short' }

let world: World
before(async () => {
  world = await createWorld()
  // The settings refuse BACKUP_DIR together with the DATABASE_URL of a test, so the test sets the value here.
  Object.assign(world.deps.config, { backup_dir: '/backup' })
})
after(() => world.close())

/** Makes a task whose check gives this result. The task counts the checks that it starts. */
function newTask(result: () => BackupCheckResult) {
  const state = { started: 0, stopped: 0 }
  const ends: ((result: BackupCheckResult) => void)[] = []
  const task = backupCheckTask(world.deps, () => {
    state.started++
    const ended = Promise.withResolvers<BackupCheckResult>()
    ends.push(ended.resolve)
    if (!state.stopped) ended.resolve(result())
    return { result: ended.promise, stop: () => ended.resolve(BAD) }
  })
  return { task, state }
}

async function restoreCheck(): Promise<{ status: string; message: string }> {
  const { config, clock, db } = world.deps
  const input = { clock, pending: async () => [], must_separate: false } as unknown as Parameters<
    typeof checkDatabase
  >[2]
  return (await checkDatabase(db, config, input).restore?.()) as { status: string; message: string }
}

async function goodMetric(): Promise<string | undefined> {
  const text = await world.deps.metrics.text()
  return /^malipo_backup_check_good_timestamp_seconds (.+)$/m.exec(text)?.[1]
}

test('workers check the newest backup once a day, and repeat a failed check in the next period', async () => {
  assert.deepEqual((await restoreCheck()).status, 'warn')
  let answer = BAD
  const workers = [newTask(() => answer), newTask(() => answer)]
  const runAll = () => Promise.all(workers.map(({ task }) => task.runOnce()))
  const started = () => workers.reduce((sum, { state }) => sum + state.started, 0)
  await runAll()
  assert.equal(started(), 0, 'the start of a process needs the machine for other work')
  world.deps.clock.advance(HOUR_MS)
  await runAll()
  await runAll()
  assert.equal(started(), 1)
  assert.match(
    (await restoreCheck()).message,
    /the last check of the newest backup failed \(the file data\/base\/1 is cut short\)/,
  )
  assert.equal((await restoreCheck()).status, 'fail')
  assert.equal(await goodMetric(), '0')

  answer = GOOD
  world.deps.clock.advance(4 * HOUR_MS)
  await runAll()
  assert.equal(started(), 2)
  assert.equal((await restoreCheck()).status, 'ok')
  assert.equal((await lastBackupCheck(world.deps.db)).last?.backup, GOOD.backup)
  world.deps.clock.advance(20 * HOUR_MS)
  await runAll()
  assert.equal(started(), 2, 'one good check a day is enough')
  world.deps.clock.advance(4 * HOUR_MS)
  await runAll()
  assert.equal(started(), 3)

  world.deps.clock.advance(27 * HOUR_MS)
  assert.match((await restoreCheck()).message, /the last good check ended 1 day ago: check that a worker runs/)
  const { checks } = await createReadSystem(world.deps, [])()
  assert.equal(checks.find(({ name }) => name === 'restore')?.status, 'fail', 'operators see it on the page System')
})

test('a worker that stops ends its check and stores no result, so that another worker checks', async () => {
  const { last } = await lastBackupCheck(world.deps.db)
  const stopping = newTask(() => GOOD)
  stopping.state.stopped = 1
  world.deps.clock.advance(30 * HOUR_MS)
  const run = stopping.task.runOnce()
  while (stopping.state.started === 0) await new Promise((resolve) => setImmediate(resolve))
  stopping.task.stop?.()
  await run
  assert.deepEqual((await lastBackupCheck(world.deps.db)).last, last)
  const next = newTask(() => GOOD)
  world.deps.clock.advance(HOUR_MS)
  await next.task.runOnce()
  assert.equal(next.state.started, 1)
})
