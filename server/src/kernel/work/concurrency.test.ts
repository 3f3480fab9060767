// Tests the concurrency limits of lanes, and the greatest size of a claim under these limits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConcurrencyLimits } from './index.ts'

const CLAIM_MAX = 250

test('a lane at its limit closes and takes no capacity from another lane', () => {
  const limits = createConcurrencyLimits(new Map([['slow', 4]]), CLAIM_MAX, 1_000)
  for (let i = 0; i < 4; i++) assert.ok(limits.reserve('slow'))
  assert.equal(limits.reserve('slow'), null)
  assert.equal(limits.hasCapacity('slow'), false)
  assert.equal(limits.hasCapacity('other'), true)
  assert.deepEqual(limits.claimable(), { max: CLAIM_MAX, closed: ['slow'] })
})

test('a claim has at most as many rows as the smallest free capacity of an open lane', () => {
  const few = new Map([
    ['a', 128],
    ['b', 40],
  ])
  const limits = createConcurrencyLimits(few, CLAIM_MAX, 1_000)
  assert.deepEqual(limits.claimable(), { max: 40, closed: [] })
  for (let i = 0; i < 30; i++) limits.acquire('b')
  assert.deepEqual(limits.claimable(), { max: 10, closed: [] })
  limits.acquire('b')
  assert.deepEqual(
    limits.claimable(),
    { max: 128, closed: ['b'] },
    'less than a quarter free: the lane stays closed until more is free',
  )
  limits.release('b')
  assert.deepEqual(limits.claimable(), { max: 10, closed: [] })
})

test('a process claims one row at a time for a lane with limit 1, and uses the default limit for an undeclared lane', () => {
  const limits = createConcurrencyLimits(new Map([['one', 1]]), CLAIM_MAX)
  assert.deepEqual(limits.claimable(), { max: 1, closed: [] })
  const release = limits.reserve('one')
  assert.deepEqual(limits.claimable(), { max: CLAIM_MAX, closed: ['one'] })
  release?.()
  for (let i = 0; i < 999; i++) limits.acquire('many')
  assert.deepEqual(limits.claimable().closed, [])
  limits.acquire('many')
  assert.deepEqual(limits.claimable().closed, ['many'])
})
