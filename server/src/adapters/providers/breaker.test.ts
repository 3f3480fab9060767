// When a provider is left alone, and how it comes back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settableClock } from '../../kernel/lib/index.ts'
import { type Breaker, type CircuitHealth, createBreaker, isFault, type Pass } from './breaker.ts'

const START = new Date('2026-01-05T09:00:00.000Z')
const FAULT = { fault: true, duration_ms: 5_000 }
const GOOD = { fault: false, duration_ms: 80 }

function setUp() {
  const clock = settableClock(START)
  const changes: CircuitHealth[] = []
  const breaker = createBreaker(clock, (health) => changes.push(health))
  const call = (what: typeof GOOD, times = 1) => {
    for (let i = 0; i < times; i++) breaker.note(passOf(breaker), what)
  }
  return { clock, breaker, call, changes }
}
const may = (breaker: Breaker, method = 'wallet_push') => breaker.may('selcom', method) !== null
function passOf(breaker: Breaker): Pass {
  const pass = breaker.may('selcom', 'wallet_push')
  assert.ok(pass, 'the call may be made')
  return pass
}

test('five faults in a row open the circuit of that provider and method, and of no other', () => {
  const { breaker, call } = setUp()
  call(FAULT, 4)
  assert.equal(may(breaker), true)
  call(FAULT)
  assert.equal(may(breaker), false)
  assert.equal(may(breaker, 'qr'), true)
  assert.equal(breaker.may('vodacom', 'wallet_push') !== null, true)
})

test('more faults than answers among the newest calls open it too; as many do not', () => {
  const { breaker, call } = setUp()
  for (let i = 0; i < 10; i++) call(i % 2 === 0 ? FAULT : GOOD)
  assert.equal(may(breaker), true)
  const other = setUp()
  // All of them began while it was closed.
  const passes = Array.from({ length: 12 }, () => passOf(other.breaker))
  for (const [i, pass] of passes.entries()) other.breaker.note(pass, i % 3 === 0 ? GOOD : FAULT)
  assert.equal(may(other.breaker), false)
})

test('after its pause exactly one call is let through, and a good one closes the circuit', () => {
  const { clock, breaker, call, changes } = setUp()
  call(FAULT, 5)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 2_000)
  clock.advance(1_999)
  assert.equal(may(breaker), false)
  clock.advance(1)
  const pass = passOf(breaker)
  assert.equal(pass.probing, true)
  assert.equal(may(breaker), false)
  breaker.note(pass, GOOD)
  assert.equal(may(breaker), true)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 0)
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['open', 'half_open', 'closed'],
  )
})

test('every try that fails doubles the pause, up to a minute', () => {
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

test('a try that never ends does not keep the circuit open for ever', () => {
  const { clock, breaker, call } = setUp()
  call(FAULT, 5)
  clock.advance(2_000)
  assert.equal(may(breaker), true)
  clock.advance(14_999)
  assert.equal(may(breaker), false)
  clock.advance(1)
  assert.equal(may(breaker), true)
})

test('operators see each circuit: state, newest calls, faults, median time, next try', () => {
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

test('while it is open, the answer to a call that began before it opened changes nothing', () => {
  const { clock, breaker, call } = setUp()
  const [good, bad] = [passOf(breaker), passOf(breaker)]
  call(FAULT, 5)
  breaker.note(good, GOOD)
  breaker.note(bad, FAULT)
  assert.equal(may(breaker), false)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 2_000)
  assert.equal(breaker.health()[0]?.calls, 5)
  clock.advance(2_000)
  assert.equal(may(breaker), true)
})

test('while one call tries, the late answer to another neither closes the circuit nor opens it again', () => {
  const { clock, breaker, call, changes } = setUp()
  const [good, bad] = [passOf(breaker), passOf(breaker)]
  call(FAULT, 5)
  clock.advance(2_000)
  const probe = passOf(breaker)
  breaker.note(bad, FAULT)
  breaker.note(good, GOOD)
  assert.deepEqual(
    changes.map(({ state }) => state),
    ['open', 'half_open'],
  )
  breaker.note(probe, GOOD)
  assert.equal(may(breaker), true)
})

test('a try that was given up decides nothing any more when it ends at last', () => {
  const { clock, breaker, call } = setUp()
  call(FAULT, 5)
  clock.advance(2_000)
  const forgotten = passOf(breaker)
  clock.advance(15_000)
  const probe = passOf(breaker)
  breaker.note(forgotten, GOOD)
  assert.equal(may(breaker), false)
  breaker.note(probe, FAULT)
  assert.equal(breaker.pause('selcom', 'wallet_push'), 4_000)
})

test('after it closed, faults of before count for nothing: it takes five new ones to open it', () => {
  const { clock, breaker, call } = setUp()
  const old = passOf(breaker)
  call(FAULT, 5)
  clock.advance(2_000)
  call(GOOD)
  breaker.note(old, FAULT)
  call(FAULT, 4)
  assert.equal(may(breaker), true)
  call(FAULT)
  assert.equal(may(breaker), false)
})

test('what a provider answers about one payment, and that we had no connection free, are no faults of the provider', () => {
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
