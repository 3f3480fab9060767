// Tests that the comparison distinguishes a repeated line about one movement from a second movement.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  type Reconciler,
  type StatedRow,
} from '../../../test/statements.ts'

let world: World
let operator: Reconciler
before(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
})
after(() => world.close())

const FIRST = { from: '2026-01-03', to: '2026-01-04' }
const SECOND = { from: '2026-01-04', to: '2026-01-05' }
const AT = new Date('2026-01-03T07:00:00Z')
const LATER = new Date('2026-01-04T08:00:00Z')
const plantPayout = async (fields: Partial<PlannedRecord> = {}) =>
  (
    await plant(world, [{ flow: 'payout', state: 'paid', amount_minor: 100_000n, at: AT, ...fields }])
  )[0] as PlantedRecord
const openKinds = async (one: PlantedRecord) =>
  (await operator.cases()).filter(({ reference }) => reference === one.reference).map(({ kind }) => kind)

const LINES: [string, Partial<StatedRow>, Partial<StatedRow>][] = [
  ['only the second has an id', { provider_id: null }, { provider_id: 'SECOND' }],
  ['only the first has an id', { provider_id: 'FIRST' }, { provider_id: null }],
  ['neither has an id', { provider_id: null }, { provider_id: null }],
  ['the second has only the id', { provider_id: null }, { reference: null }],
]
for (const [condition, first, second] of LINES) {
  test(`a second line about a payout a day later opens a duplicate case when ${condition}`, async () => {
    const one = await plantPayout()
    await operator.importRows([lineOf(one, first)], FIRST)
    await operator.importRows([lineOf(one, { at: LATER, ...second })], SECOND)
    assert.deepEqual(await openKinds(one), ['duplicate'])
  })
  test(`a second line about a payout in another statement of the same day opens no case when ${condition}`, async () => {
    const one = await plantPayout()
    await operator.importRows([lineOf(one, first)], FIRST)
    const earlier = new Date(AT.getTime() - 42_000)
    await operator.importRows([lineOf(one, { at: earlier, ...second })], FIRST)
    assert.deepEqual(await openKinds(one), [])
  })
}

test('a line with the same time and amount opens no case when statements of different periods contain the line', async () => {
  const one = await plantPayout()
  await operator.importRows([lineOf(one, { provider_id: null })], FIRST)
  const from_the_line = { from: '2026-01-03T07:00:00Z', to: '2026-01-05' }
  await operator.importRows([lineOf(one)], from_the_line)
  await operator.importRows([lineOf(one, { provider_id: null })], from_the_line)
  assert.deepEqual(await openKinds(one), [])
})

test('two lines of one file open a duplicate case when one line has our reference and the other line has only the provider id', async () => {
  const one = await plantPayout()
  const rows = [
    lineOf(one, { provider_id: null }),
    lineOf(one, { reference: null, at: new Date(AT.getTime() + 60_000) }),
  ]
  await operator.importRows(rows, FIRST)
  assert.deepEqual(await openKinds(one), ['duplicate'])
})
