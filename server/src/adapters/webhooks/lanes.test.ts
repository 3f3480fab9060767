// Who may send now: hanging receivers, however many, leave room for those that answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes, type Pace } from './lanes.ts'

/** Lanes whose sends end when the test says so. */
function trial(limits: { sending_max: number; queued_max: number }) {
  const open: { merchant: string; end: (pace: Pace) => void }[] = []
  const lanes = createLanes<string>(
    (merchant) => new Promise((resolve) => open.push({ merchant, end: resolve })),
    limits,
  )
  const endAll = async (pace: Pace, of: (merchant: string) => boolean = () => true) => {
    const ending = open.filter(({ merchant }) => of(merchant))
    open.splice(0, open.length, ...open.filter(({ merchant }) => !of(merchant)))
    for (const { end } of ending) end(pace)
    await new Promise((done) => setImmediate(done))
    return ending.length
  }
  return { lanes, open, endAll, sendingOf: (name: string) => open.filter(({ merchant }) => merchant === name).length }
}

const hangs = (merchant: string) => merchant.startsWith('hanging')

/** Adds as much as there is room for, as the worker does. */
function fill(lanes: ReturnType<typeof trial>['lanes'], merchants: number): void {
  for (let i = 0; i < merchants; i++) {
    const name = `hanging ${i}`
    for (let room = lanes.room(name); room > 0; room--) lanes.add(name, name)
  }
}

test('400 receivers that hang leave slots and places to one that answers, from its first delivery on', async () => {
  const { lanes, endAll, sendingOf, open } = trial({ sending_max: 64, queued_max: 512 })
  lanes.add('honest', 'honest')
  await endAll('quick')
  for (let time = 0; time < 4; time++) {
    fill(lanes, 400)
    assert.ok(open.length < 64, `${open.length} of 64 slots are taken`)
    assert.ok(lanes.free() > 0, 'there are places left')
    assert.ok(lanes.room('honest') > 0)
    lanes.add('honest', 'honest')
    assert.equal(sendingOf('honest'), 1, 'it is sent at once')
    await endAll('quick', (merchant) => !hangs(merchant))
    assert.ok((await endAll('timeout')) > 0)
  }
})

test('once receivers have timed out they share a quarter of the slots, so that a new merchant never waits for them', async () => {
  const { lanes, endAll, sendingOf, open } = trial({ sending_max: 64, queued_max: 512 })
  for (let time = 0; time < 20; time++) {
    fill(lanes, 100)
    await endAll('timeout')
  }
  fill(lanes, 100)
  assert.ok(open.length <= 16, `${open.length} slots are taken by those that hang`)
  assert.ok(lanes.free() >= 128, `${lanes.free()} places are free`)
  lanes.add('new', 'new')
  assert.equal(sendingOf('new'), 1)
})

test('a receiver that times out again and again is sent one at a time, and gets its width back when it answers', async () => {
  const { lanes, endAll, sendingOf } = trial({ sending_max: 64, queued_max: 512 })
  const add = (count: number) => {
    for (let i = 0; i < count; i++) lanes.add('shop', 'shop')
  }
  add(40)
  for (let time = 0; time < 3; time++) await endAll('timeout')
  assert.equal(sendingOf('shop'), 1)
  add(40)
  for (let time = 0; time < 5; time++) await endAll('quick')
  assert.ok(sendingOf('shop') >= 8, `${sendingOf('shop')}`)
})

test('what was let go unsent says nothing about a receiver', async () => {
  const { lanes, endAll, sendingOf } = trial({ sending_max: 64, queued_max: 512 })
  for (let i = 0; i < 60; i++) lanes.add('shop', 'shop')
  for (let time = 0; time < 3; time++) await endAll('timeout')
  for (let time = 0; time < 10; time++) await endAll('unsent')
  assert.equal(sendingOf('shop'), 1)
})

test('receivers that answer, but take long, do not take every slot', async () => {
  const { lanes, endAll, sendingOf } = trial({ sending_max: 64, queued_max: 512 })
  for (let time = 0; time < 6; time++) {
    for (let i = 0; i < 8; i++) for (let n = 0; n < 40; n++) lanes.add(`slow ${i}`, `slow ${i}`)
    await endAll('slow')
  }
  lanes.add('quick', 'quick')
  assert.equal(sendingOf('quick'), 1)
})
