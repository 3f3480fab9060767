// Tests the clock of a process whose machine has a wrong or stepping clock, and whose database is slow or silent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog, settableClock } from '../lib/index.ts'
import { createDatabaseClock } from './database-clock.ts'

const START = new Date('2026-01-05T08:00:00Z')
const SECOND_MS = 1_000
const MINUTE_MS = 60_000

const log = createLog('silent')

/** A process on a machine whose clock is `ahead_ms` ahead of the right time. The database has the right time. */
function createMachine(ahead_ms: number) {
  const machine = settableClock(new Date(START.getTime() + ahead_ms))
  const state = { elapsed: 0, answers: true, round_trip_ms: 0, readings: 0 }
  const read = async () => {
    state.readings++
    if (!state.answers) throw new Error('the database does not answer')
    const from = state.elapsed
    return {
      now: new Date(START.getTime() + from + state.round_trip_ms / 2),
      from: from - state.round_trip_ms / 2,
      to: from + state.round_trip_ms / 2,
    }
  }
  const clock = createDatabaseClock(log, { machine, elapsed: () => state.elapsed, read })
  return {
    state,
    machine,
    clock,
    /** Moves time forward by `ms` and runs the measurements that become due. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += SECOND_MS) {
        state.elapsed += SECOND_MS
        machine.advance(SECOND_MS)
        await turn()
      }
    },
    /** The number of milliseconds by which the clock of the process is ahead of the right time. */
    error_ms: () => clock.now().getTime() - START.getTime() - state.elapsed,
  }
}

test('a process on a machine whose clock is wrong has the time of the database from its start', async () => {
  for (const ahead_ms of [10 * MINUTE_MS, -10 * MINUTE_MS, 1_500]) {
    const { clock, error_ms, pass } = createMachine(ahead_ms)
    await clock.start()
    assert.equal(error_ms(), 0)
    assert.equal(clock.ahead_ms(), ahead_ms)
    await pass(MINUTE_MS)
    assert.equal(error_ms(), 0)
    clock.close()
  }
})

test('a process keeps the clock of its machine while the clocks differ by less than a second', async () => {
  const { clock, error_ms, pass } = createMachine(400)
  await clock.start()
  await pass(MINUTE_MS)
  assert.deepEqual([error_ms(), clock.ahead_ms()], [400, 400])
  clock.close()
})

test("a step of the machine's clock does not change the time of the process, even before the next measurement", async () => {
  const { machine, clock, state, error_ms, pass } = createMachine(0)
  await clock.start()
  for (const step_ms of [24 * 60 * MINUTE_MS, -24 * 60 * MINUTE_MS]) {
    const readings = state.readings
    machine.step(step_ms)
    assert.equal(error_ms(), 0)
    assert.equal(state.readings, readings + 1, 'the clock measures at once')
    await turn()
    assert.equal(error_ms(), 0)
    await pass(MINUTE_MS)
    assert.equal(error_ms(), 0)
  }
  assert.equal(clock.ahead_ms(), 0)
  clock.close()
})

test("a step of the machine's clock does not change the time of the process while the database is slow or silent", async () => {
  const { machine, clock, state, error_ms, pass } = createMachine(0)
  await clock.start()
  state.round_trip_ms = 4_000
  machine.step(10 * MINUTE_MS)
  await pass(30_000)
  assert.equal(error_ms(), 0)
  state.answers = false
  await pass(MINUTE_MS)
  assert.equal(error_ms(), 0)
  Object.assign(state, { answers: true, round_trip_ms: 0 })
  await pass(10_000)
  assert.deepEqual([error_ms(), clock.ahead_ms()], [0, 10 * MINUTE_MS])
  clock.close()
})

test('a process returns to the clock of its machine when that clock is right again', async () => {
  const { machine, clock, error_ms, pass } = createMachine(1_200)
  await clock.start()
  machine.step(-500)
  await pass(10_000)
  assert.deepEqual([error_ms(), clock.ahead_ms()], [0, 700], 'between the two bounds, the correction stays')
  machine.step(-600)
  await pass(10_000)
  assert.deepEqual([error_ms(), clock.ahead_ms()], [100, 100])
  clock.close()
})
