// Tests the lanes of webhook deliveries: receivers that hang must leave free slots for receivers that answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanes, type SendPace } from './lanes.ts'

/** Makes lanes with sends that the test ends itself. */
function trial(limits: { sending_max: number; queued_max: number }) {
  const open: { merchant: string; end: (pace: SendPace) => void }[] = []
  const lanes = createLanes<string>(
    (merchant) => new Promise((resolve) => open.push({ merchant, end: resolve })),
    limits,
  )
  const endAll = async (pace: SendPace, of: (merchant: string) => boolean = () => true) => {
    const ending = open.filter(({ merchant }) => of(merchant))
    open.splice(0, open.length, ...open.filter(({ merchant }) => !of(merchant)))
    for (const { end } of ending) end(pace)
    await new Promise((done) => setImmediate(done))
    return ending.length
  }
  return { lanes, open, endAll, sendingOf: (name: string) => open.filter(({ merchant }) => merchant === name).length }
}

const hangs = (merchant: string) => merchant.startsWith('hanging')

/** Adds deliveries to endpoints that hang, up to the capacity of their lanes. */
function fill(lanes: ReturnType<typeof trial>['lanes'], merchants: number): void {
  for (let i = 0; i < merchants; i++) {
    const name = `hanging ${i}`
    for (let left = lanes.capacityFor(name); left > 0; left--) lanes.add(name, name)
  }
}

test('the lanes keep slots and queue places for a receiver that answers while 400 receivers hang', async () => {
  const { lanes, endAll, sendingOf, open } = trial({ sending_max: 64, queued_max: 512 })
  lanes.add('honest', 'honest')
  await endAll('quick')
  for (let time = 0; time < 4; time++) {
    fill(lanes, 400)
    assert.ok(open.length < 64, `${open.length} of 64 slots are taken`)
    assert.ok(lanes.totalCapacity() > 0, 'the queue is not full')
    assert.ok(lanes.capacityFor('honest') > 0)
    lanes.add('honest', 'honest')
    assert.equal(sendingOf('honest'), 1, 'the lanes send its delivery immediately')
    await endAll('quick', (merchant) => !hangs(merchant))
    assert.ok((await endAll('timeout')) > 0)
  }
})

test('the lanes give receivers that time out at most a quarter of the slots, and immediately send the first delivery of a new receiver', async () => {
  const { lanes, endAll, sendingOf, open } = trial({ sending_max: 64, queued_max: 512 })
  for (let time = 0; time < 20; time++) {
    fill(lanes, 100)
    await endAll('timeout')
  }
  fill(lanes, 100)
  assert.ok(open.length <= 16, `${open.length} slots are taken by hanging receivers`)
  assert.ok(lanes.totalCapacity() >= 128, `${lanes.totalCapacity()} places are free`)
  lanes.add('new', 'new')
  assert.equal(sendingOf('new'), 1)
})

test('the lanes send one delivery at a time to a receiver that times out, and concurrent deliveries after quick answers', async () => {
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

test('unsent deliveries do not widen the lane of a receiver that timed out', async () => {
  const { lanes, endAll, sendingOf } = trial({ sending_max: 64, queued_max: 512 })
  for (let i = 0; i < 60; i++) lanes.add('shop', 'shop')
  for (let time = 0; time < 3; time++) await endAll('timeout')
  for (let time = 0; time < 10; time++) await endAll('unsent')
  assert.equal(sendingOf('shop'), 1)
})

test('the lanes keep a slot free for a new receiver while slow receivers have many deliveries', async () => {
  const { lanes, endAll, sendingOf } = trial({ sending_max: 64, queued_max: 512 })
  for (let time = 0; time < 6; time++) {
    for (let i = 0; i < 8; i++) for (let n = 0; n < 40; n++) lanes.add(`slow ${i}`, `slow ${i}`)
    await endAll('slow')
  }
  lanes.add('quick', 'quick')
  assert.equal(sendingOf('quick'), 1)
})
