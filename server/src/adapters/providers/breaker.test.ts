// Tests that the circuit breaker opens a circuit after faults and closes the circuit after a successful probe.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settableClock } from '../../kernel/lib/index.ts'
import { type Breaker, type CallPermit, type CircuitHealth, createBreaker, isFault } from './breaker.ts'

const START = new Date('2026-01-05T09:00:00.000Z')
const FAULT = { fault: true, duration_ms: 5_000 }
const GOOD = { fault: false, duration_ms: 80 }

function setUp() {
  const clock = settableClock(START)
  const changes: CircuitHealth[] = []
  const breaker = createBreaker(clock, (health) => changes.push(health))
  const call = (what: typeof GOOD, times = 1) => {
    for (let i = 0; i < times; i++) breaker.record(passOf(breaker), what)
  }
  return { clock, breaker, call, changes }
}
const may = (breaker: Breaker, method = 'wallet_push') => breaker.permit('selcom', method) !== null
function passOf(breaker: Breaker): CallPermit {
  const pass = breaker.permit('selcom', 'wallet_push')
  assert.ok(pass, 'the breaker permits the call')
  return pass
}

test('the breaker opens a circuit after five faults in a row, and no other circuit', () => {
  const { breaker, call } = setUp()
  call(FAULT, 4)
  assert.equal(may(breaker), true)
  call(FAULT)
  assert.equal(may(breaker), false)
  assert.equal(may(breaker, 'qr'), true)
  assert.equal(breaker.permit('vodacom', 'wallet_push') !== null, true)
})

test('the breaker opens a circuit when more than half of the newest calls are faults, and not when exactly half are', () => {
  const { breaker, call } = setUp()
  for (let i = 0; i < 10; i++) call(i % 2 === 0 ? FAULT : GOOD)
  assert.equal(may(breaker), true)
  const other = setUp()
  // The test gets all permits while the circuit is closed, because an open circuit gives no permit.
  const passes = Array.from({ length: 12 }, () => passOf(other.breaker))
  for (const [i, pass] of passes.entries()) other.breaker.record(pass, i % 3 === 0 ? GOOD : FAULT)
  assert.equal(may(other.breaker), false)
})

test('the breaker permits exactly one probe after the pause and closes the circuit when that probe succeeds', () => {
  const { clock, breaker, call, changes } = setUp()
  call(FAULT, 5)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 2_000)
  clock.advance(1_999)
  assert.equal(may(breaker), false)
  clock.advance(1)
  const pass = passOf(breaker)
  assert.equal(pass.probing, true)
  assert.equal(may(breaker), false)
  breaker.record(pass, GOOD)
  assert.equal(may(breaker), true)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 0)
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['open', 'half_open', 'closed'],
  )
})

test('the breaker doubles the pause after every failed probe, up to a minute', () => {
  const { clock, breaker, call } = setUp()
  call(FAULT, 5)
  const pauses = []
  for (let i = 0; i < 7; i++) {
    const pause = breaker.pause('selcom', 'wallet_push')
    pauses.push(pause)
    clock.advance(pause)
    call(FAULT)
  }
  assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
})

test('the breaker permits another probe when a probe does not end', () => {
  const { clock, breaker, call } = setUp()
  call(FAULT, 5)
  clock.advance(2_000)
  assert.equal(may(breaker), true)
  clock.advance(14_999)
  assert.equal(may(breaker), false)
  clock.advance(1)
  assert.equal(may(breaker), true)
})

test('the health report shows the state, newest calls, faults, median time and next probe of a circuit', () => {
  const { clock, breaker, call } = setUp()
  call(GOOD, 3)
  call(FAULT, 5)
  assert.deepEqual(breaker.health(), [
    {
      provider: 'selcom',
      method: 'wallet_push',
      state: 'open',
      calls: 8,
      faults: 5,
      median_ms: 5_000,
      since: START,
      retry_at: new Date(clock.now().getTime() + 2_000),
    },
  ])
})

test('the breaker ignores the answer to a call that began before an open circuit opened', () => {
  const { clock, breaker, call } = setUp()
  const [good, bad] = [passOf(breaker), passOf(breaker)]
  call(FAULT, 5)
  breaker.record(good, GOOD)
  breaker.record(bad, FAULT)
  assert.equal(may(breaker), false)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 2_000)
  assert.equal(breaker.health()[0]?.calls, 5)
  clock.advance(2_000)
  assert.equal(may(breaker), true)
})

test('the breaker neither opens nor closes a circuit because of a late answer to an earlier call while a probe runs', () => {
  const { clock, breaker, call, changes } = setUp()
  const [good, bad] = [passOf(breaker), passOf(breaker)]
  call(FAULT, 5)
  clock.advance(2_000)
  const probe = passOf(breaker)
  breaker.record(bad, FAULT)
  breaker.record(good, GOOD)
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['open', 'half_open'],
  )
  breaker.record(probe, GOOD)
  assert.equal(may(breaker), true)
})

test('the breaker ignores the result of a probe that it has abandoned', () => {
  const { clock, breaker, call } = setUp()
  call(FAULT, 5)
  clock.advance(2_000)
  const forgotten = passOf(breaker)
  clock.advance(15_000)
  const probe = passOf(breaker)
  breaker.record(forgotten, GOOD)
  assert.equal(may(breaker), false)
  breaker.record(probe, FAULT)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 4_000)
})

test('the breaker does not count faults from before the circuit closed, so only five new faults open the circuit again', () => {
  const { clock, breaker, call } = setUp()
  const old = passOf(breaker)
  call(FAULT, 5)
  clock.advance(2_000)
  call(GOOD)
  breaker.record(old, FAULT)
  call(FAULT, 4)
  assert.equal(may(breaker), true)
  call(FAULT)
  assert.equal(may(breaker), false)
})

test('isFault returns false for an answer about one payment and for a lack of free connections', () => {
  const down = { kind: 'declined', reason: 'provider_unavailable', provider_status: null } as const
  assert.equal(isFault(down), true)
  assert.equal(isFault({ ...down, provider_status: '151 FAIL', answered: true }), false)
  assert.equal(isFault({ kind: 'not_sent', provider_status: null }), true)
  assert.equal(isFault({ kind: 'not_sent', busy: true, provider_status: null }), false)
  assert.equal(isFault({ kind: 'unknown', why: 'unreachable', provider_status: null }), true)
  assert.equal(isFault({ kind: 'unknown', why: 'busy', provider_status: null }), false)
  assert.equal(isFault({ kind: 'unknown', why: 'timeout', provider_status: null }), true)
  assert.equal(isFault({ kind: 'unknown', why: 'ambiguous', provider_status: 'AMBIGUOUS' }), false)
  assert.equal(isFault({ kind: 'unknown', why: 'not_asked', provider_status: null }), false)
})
