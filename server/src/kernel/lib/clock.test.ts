// Tests the settable clock, which other tests use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settableClock } from './clock.ts'

const start = new Date('2026-01-05T09:00:00.000Z')

test('the settable clock stands still until a test moves the clock', () => {
  const clock = settableClock(start)
  assert.equal(clock.now().getTime(), start.getTime())
  clock.advance(1500)
  assert.equal(clock.now().getTime(), start.getTime() + 1500)
})

test('the settable clock runs each due timer once, in the order of due times, each at its due time', () => {
  const clock = settableClock(start)
  const fired: [string, number][] = []
  const note = (name: string) => () => void fired.push([name, clock.now().getTime() - start.getTime()])
  clock.after(30, note('third'))
  clock.after(10, note('first'))
  clock.after(20, note('second'))
  clock.after(100, note('later'))
  clock.advance(50)
  clock.advance(0)
  assert.deepEqual(fired, [
    ['first', 10],
    ['second', 20],
    ['third', 30],
  ])
})

test('the settable clock runs a due timer that another timer started during the same move', () => {
  const clock = settableClock(start)
  let ticks = 0
  const tick = () => {
    ticks++
    clock.after(10, tick)
  }
  clock.after(10, tick)
  clock.advance(35)
  assert.equal(ticks, 3)
})

test('the settable clock runs no cancelled timer, and no timer before its due time', () => {
  const clock = settableClock(start)
  let fired = 0
  const cancel = clock.after(10, () => fired++)
  clock.after(10, () => fired++)
  cancel()
  clock.advance(9)
  assert.equal(fired, 0)
  clock.advance(1)
  assert.equal(fired, 1)
})

test('a caller cannot move the clock by changing a date that the clock returned', () => {
  const clock = settableClock(start)
  clock.now().setFullYear(1999)
  assert.equal(clock.now().getTime(), start.getTime())
})
