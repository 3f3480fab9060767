// How much of each lane is worked on at once, and how much is claimed for that.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPlaces } from './index.ts'

const CLAIM_MAX = 250

test('a lane of few places is closed when they are taken, and takes nothing of another lane', () => {
  const places = createPlaces(new Map([['slow', 4]]), CLAIM_MAX, 1_000)
  for (let i = 0; i < 4; i++) assert.ok(places.reserve('slow'))
  assert.equal(places.reserve('slow'), null)
  assert.equal(places.room('slow'), false)
  assert.equal(places.room('other'), true)
  assert.deepEqual(places.claimable(), { max: CLAIM_MAX, closed: ['slow'] })
})

test('no more is claimed at once than the lane with the fewest free places can take', () => {
  const few = new Map([
    ['a', 128],
    ['b', 40],
  ])
  const places = createPlaces(few, CLAIM_MAX, 1_000)
  assert.deepEqual(places.claimable(), { max: 40, closed: [] })
  for (let i = 0; i < 30; i++) places.take('b')
  assert.deepEqual(places.claimable(), { max: 10, closed: [] })
  places.take('b')
  assert.deepEqual(places.claimable(), { max: 128, closed: ['b'] }, 'less than a quarter free: it waits until more is')
  places.give('b')
  assert.deepEqual(places.claimable(), { max: 10, closed: [] })
})

test('a lane of one place is claimed one by one; one of which nothing is said has its thousand', () => {
  const places = createPlaces(new Map([['one', 1]]), CLAIM_MAX)
  assert.deepEqual(places.claimable(), { max: 1, closed: [] })
  const give = places.reserve('one')
  assert.deepEqual(places.claimable(), { max: CLAIM_MAX, closed: ['one'] })
  give?.()
  for (let i = 0; i < 999; i++) places.take('many')
  assert.deepEqual(places.claimable().closed, [])
  places.take('many')
  assert.deepEqual(places.claimable().closed, ['many'])
})
