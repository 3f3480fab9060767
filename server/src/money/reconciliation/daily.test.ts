// Tests the daily run: one process fetches each day of a provider's list of movements once. The server logs each day that the
// provider does not return.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  type Reconciler,
} from '../../../test/statements.ts'
import type { MovesPage, ProviderLists, ProviderMove } from '../../adapters/providers/extras.ts'
import { settableClock } from '../../kernel/lib/index.ts'
import { reconciliationTask } from './daily.ts'

/** The pages of a provider's list of movements. Null means that the provider does not respond. */
let pages: (MovesPage | null)[] = []
let calls: (string | null)[] = []

const lists: ProviderLists = {
  listMoves: async (_from, _to, cursor) => {
    calls.push(cursor)
    return pages[cursor === null ? 0 : Number(cursor)] ?? null
  },
}

let world: World
let operator: Reconciler
before(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
})
after(() => world.close())

/** Returns a separate process at the time `now`, whose adapter `mock` has the given functions. */
function processAt(now: string, extras: ProviderLists = lists) {
  const clock = settableClock(new Date(now))
  const deps = { ...world.deps, clock, process_id: randomUUID() }
  const adapter = { name: 'mock', ...extras } as never
  return { clock, task: reconciliationTask(deps, new Map([['mock', adapter]])) }
}

const runsOf = (day: string) =>
  world.rows<{ finished_at: Date | null; statement_id: string | null }>(
    'select finished_at, statement_id from reconciliation_runs where day = $1',
    [day],
  )
const movementOf = (one: PlantedRecord, more: Partial<ProviderMove> = {}): ProviderMove => ({
  currency: 'TZS',
  ...lineOf(one),
  ...more,
})
const paid = (at: string): PlannedRecord => ({ flow: 'payment', state: 'paid', amount_minor: 500n, at: new Date(at) })

test('one process fetches the list of movements of yesterday once, page by page, from 02:00 on', async () => {
  const made = await plant(world, ['2026-01-06T05:00:00Z', '2026-01-06T20:00:00Z', '2026-01-06T20:30:00Z'].map(paid))
  const [first, second, third] = made as [PlantedRecord, PlantedRecord, PlantedRecord]
  pages = [
    { moves: [movementOf(first)], next: '1' },
    { moves: [movementOf(second, { amount_minor: 400n })], next: null },
  ]
  calls = []
  await processAt('2026-01-06T22:59:00Z').task.runOnce()
  assert.equal((await runsOf('2026-01-06')).length, 0, 'the server does not fetch the day before 02:00')
  const tasks = Array.from({ length: 3 }, () => processAt('2026-01-06T23:00:00Z').task)
  const before = calls.length
  await Promise.all(tasks.map((task) => task.runOnce()))
  assert.deepEqual(calls.slice(before), [null, '1'], 'one process fetched the list')
  await processAt('2026-01-07T12:00:00Z').task.runOnce()
  assert.equal(calls.length, before + 2, 'the day is finished')
  const cases = await operator.cases()
  assert.deepEqual(
    cases.map(({ kind, reference, difference }) => [reference, kind, difference]).sort(),
    [
      [second.reference, 'amount_differs', '-1.00'],
      [third.reference, 'unknown_to_them', '-5.00'],
    ].sort(),
  )
  const [run] = await runsOf('2026-01-06')
  const [statement] = await world.rows<Record<string, unknown>>(
    'select source, lines, matched, opened, imported_by_kind from statements where id = $1',
    [run?.statement_id],
  )
  assert.deepEqual(statement, { source: 'list', lines: 2, matched: 1, opened: 2, imported_by_kind: 'system' })
})

test('the next daily run fetches a day again when its list was incomplete, and the server opens no case before', async () => {
  const [one] = (await plant(world, [paid('2026-01-07T05:00:00Z')])) as [PlantedRecord]
  pages = [{ moves: [], next: '1' }]
  const opened = (await operator.cases()).length
  const { clock, task } = processAt('2026-01-07T23:00:00Z')
  await task.runOnce()
  assert.equal((await runsOf('2026-01-07'))[0]?.finished_at, null)
  assert.equal((await operator.cases()).length, opened)
  // Before the lease ends, no other process claims the day. After the lease ends, the first process claims the day.
  const early = calls.length
  await processAt('2026-01-07T23:05:00Z').task.runOnce()
  assert.equal(calls.length, early)
  pages = [{ moves: [movementOf(one), movementOf(one, { at: new Date('2026-01-09T00:00:00Z') })], next: null }]
  clock.advance(11 * 60_000)
  await task.runOnce()
  assert.notEqual((await runsOf('2026-01-07'))[0]?.finished_at, null)
  assert.equal((await operator.cases()).length, opened, 'movements outside the day do not count')
})

test("a daily run does not import a provider's list with an invalid movement, and logs the number of the movement", async () => {
  pages = [{ moves: [{ reference: null, provider_id: null } as ProviderMove], next: null }]
  await processAt('2026-01-08T23:00:00Z').task.runOnce()
  assert.equal((await runsOf('2026-01-08'))[0]?.finished_at, null)
  assert.ok(world.deps.logged.some((line) => line.includes("movement 1 of the provider's list is invalid")))
})

test('a daily run does not finish a day when the adapter throws or does not respond', async () => {
  const thrown = processAt('2026-01-09T23:00:00Z', { listMoves: () => Promise.reject(new Error('socket hang up')) })
  await thrown.task.runOnce()
  assert.equal((await runsOf('2026-01-09'))[0]?.finished_at, null)
  let markCalled = () => {}
  const called = new Promise<void>((resolve) => {
    markCalled = resolve
  })
  const hanging = processAt('2026-01-09T23:30:00Z', {
    listMoves: () => {
      markCalled()
      return new Promise(() => {})
    },
  })
  const run = hanging.task.runOnce()
  await called
  hanging.clock.advance(6_000)
  await run
  assert.equal((await runsOf('2026-01-09'))[0]?.finished_at, null)
})

test('the server logs missing movements once and opens no case when the provider has no list of movements', async () => {
  await plant(world, [paid('2026-01-10T05:00:00Z')])
  const opened = (await operator.cases()).length
  const countLogged = () => world.deps.logged.filter((line) => line.includes('no statement has these movements')).length
  const before = countLogged()
  // Before 02:00 in Tanzania, the newest day of the run is 9 January. Our books have no movements on that day.
  await processAt('2026-01-10T22:00:00Z', {}).task.runOnce()
  assert.equal(countLogged(), before)
  for (let i = 0; i < 2; i++) await processAt('2026-01-10T23:00:00Z', {}).task.runOnce()
  assert.equal(countLogged(), before + 1)
  assert.equal((await operator.cases()).length, opened)
})

test('the next daily run closes a case when the settled payment agrees with the statement', async () => {
  const [one] = (await plant(world, [{ ...paid('2026-01-11T05:00:00Z'), state: 'processing' }])) as [PlantedRecord]
  pages = [{ moves: [movementOf(one)], next: null }]
  await processAt('2026-01-11T23:00:00Z').task.runOnce()
  const found = (await operator.cases()).find(({ reference }) => reference === one.reference)
  assert.equal(found?.kind, 'outcome_differs')
  const answer = { kind: 'succeeded', amount_minor: 500n, currency: 'TZS', provider_status: 'OK' } as const
  await world.system.driver.settle({ merchant_id: one.merchant_id, collection_id: one.id, number: 1, answer })
  pages = [{ moves: [], next: null }]
  await processAt('2026-01-12T23:00:00Z').task.runOnce()
  const closed = (await operator.cases('resolved')).find(({ id }) => id === found?.id)
  assert.deepEqual([closed?.resolution, closed?.explained_by], ['explained', null])
})

test('a daily run fetches all days on which no process ran, each day with its movements', async () => {
  const days = ['2026-01-13', '2026-01-14', '2026-01-15']
  const made = await plant(
    world,
    days.map((day) => paid(`${day}T05:00:00Z`)),
  )
  pages = [{ moves: made.map((one) => movementOf(one)), next: null }]
  calls = []
  await processAt('2026-01-15T23:00:00Z').task.runOnce()
  assert.equal(calls.length, 3)
  for (const day of days) assert.notEqual((await runsOf(day))[0]?.statement_id, null, day)
  const subjects = await world.rows<{ subject: string }>(
    `select l.subject from statement_lines l join reconciliation_runs r using (statement_id) where r.day = any($1::date[])
     order by l.at`,
    [days],
  )
  assert.deepEqual(
    subjects.map(({ subject }) => subject),
    made.map(({ reference }) => reference),
  )
})

test('a day that always fails delays no other day, and a daily run stops after one failed day', async () => {
  const silent = processAt('2026-01-17T23:00:00Z', { listMoves: async () => null })
  await silent.task.runOnce()
  assert.equal((await runsOf('2026-01-16'))[0]?.finished_at, null)
  assert.equal((await runsOf('2026-01-17')).length, 0)
  const partial = processAt('2026-01-17T23:30:00Z', {
    listMoves: async (from) => (from < new Date('2026-01-16T00:00:00Z') ? null : { moves: [], next: null }),
  })
  await partial.task.runOnce()
  assert.equal((await runsOf('2026-01-16'))[0]?.finished_at, null)
  assert.notEqual((await runsOf('2026-01-17'))[0]?.finished_at, null)
  pages = [{ moves: [], next: null }]
  await processAt('2026-01-18T12:00:00Z').task.runOnce()
  assert.notEqual((await runsOf('2026-01-16'))[0]?.finished_at, null)
})

test('a daily run logs missing movements of a provider that serves no new payments', async () => {
  await plant(world, [paid('2026-02-02T05:00:00Z')], 'former')
  const deps = { ...world.deps, clock: settableClock(new Date('2026-02-02T23:00:00Z')), process_id: randomUUID() }
  await reconciliationTask(deps, new Map([['former', { name: 'former' } as never]])).runOnce()
  const logged = world.deps.logged.filter((line) => line.includes('"former"') && line.includes('"missing":1'))
  assert.equal(logged.length, 1)
})

test('a daily run fetches a list of movements again when an operator has withdrawn its statement', async () => {
  const [one] = (await plant(world, [paid('2026-01-18T05:00:00Z')])) as [PlantedRecord]
  pages = [{ moves: [movementOf(one, { amount_minor: 499n })], next: null }]
  await processAt('2026-01-18T23:00:00Z').task.runOnce()
  const [run] = await runsOf('2026-01-18')
  const withdrawn = await world.post(
    `/v1/operator/statements/${run?.statement_id}/withdraw`,
    { reason: 'The provider was wrong' },
    { key: await operator.session() },
  )
  assert.equal(withdrawn.status, 200, withdrawn.text)
  pages = [{ moves: [movementOf(one)], next: null }]
  await processAt('2026-01-18T23:20:00Z').task.runOnce()
  assert.notEqual((await runsOf('2026-01-18'))[0]?.statement_id, run?.statement_id)
  assert.equal(
    (await operator.cases()).some(({ reference }) => reference === one.reference),
    false,
  )
})
