// The same payment again: what a later statement states once more is told from what is stated a second time.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  lineOf,
  openReconciler,
  type Plant,
  type Planted,
  plant,
  type Reconciler,
  type Row,
} from '../../../test/statements.ts'

let world: World
let desk: Reconciler
before(async () => {
  world = await createWorld()
  desk = await openReconciler(world)
})
after(() => world.close())

const FIRST = { from: '2026-01-03', to: '2026-01-04' }
const SECOND = { from: '2026-01-04', to: '2026-01-05' }
const AT = new Date('2026-01-03T07:00:00Z')
const LATER = new Date('2026-01-04T08:00:00Z')
const make = async (wish: Partial<Plant> = {}) =>
  (await plant(world, [{ flow: 'payout', state: 'paid', amount_minor: 100_000n, at: AT, ...wish }]))[0] as Planted
const kindsOf = async (one: Planted) =>
  (await desk.cases()).filter(({ reference }) => reference === one.reference).map(({ kind }) => kind)

const LINES: [string, Partial<Row>, Partial<Row>][] = [
  ['the second has an id of its own', { provider_id: null }, { provider_id: 'SECOND' }],
  ['the first had one', { provider_id: 'FIRST' }, { provider_id: null }],
  ['neither has', { provider_id: null }, { provider_id: null }],
  ['the second is placed by its id', { provider_id: null }, { reference: null }],
]
for (const [what, first, second] of LINES) {
  test(`a payout that was executed again a day later is a duplicate: ${what}`, async () => {
    const one = await make()
    await desk.take([lineOf(one, first)], FIRST)
    await desk.take([lineOf(one, { at: LATER, ...second })], SECOND)
    assert.deepEqual(await kindsOf(one), ['duplicate'])
  })
  test(`a payout that is stated again in a statement of the same day is none: ${what}`, async () => {
    const one = await make()
    await desk.take([lineOf(one, first)], FIRST)
    const minutes = new Date(AT.getTime() - 42_000)
    await desk.take([lineOf(one, { at: minutes, ...second })], FIRST)
    assert.deepEqual(await kindsOf(one), [])
  })
}

test('one that both statements have, to the second and the cent, is none, whatever their periods', async () => {
  const one = await make()
  await desk.take([lineOf(one, { provider_id: null })], FIRST)
  const at_its_edge = { from: '2026-01-03T07:00:00Z', to: '2026-01-05' }
  await desk.take([lineOf(one)], at_its_edge)
  await desk.take([lineOf(one, { provider_id: null })], at_its_edge)
  assert.deepEqual(await kindsOf(one), [])
})

test('two of one file are a duplicate, also when one names our reference and the other only the id', async () => {
  const one = await make()
  const rows = [
    lineOf(one, { provider_id: null }),
    lineOf(one, { reference: null, at: new Date(AT.getTime() + 60_000) }),
  ]
  await desk.take(rows, FIRST)
  assert.deepEqual(await kindsOf(one), ['duplicate'])
})
