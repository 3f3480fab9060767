// Tests that the withdrawal of a statement undoes the changes of its import.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  csvOf,
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  type Reconciler,
} from '../../../test/statements.ts'

let world: World
let operator: Reconciler
before(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
})
after(() => world.close())

const AT = new Date('2026-01-05T07:00:00Z')
const plantPayment = async (fields: Partial<PlannedRecord> = {}) =>
  (
    await plant(world, [{ flow: 'payment', state: 'paid', amount_minor: 100_000n, at: AT, ...fields }])
  )[0] as PlantedRecord
const earlier: PlantedRecord[] = []
const earlierLines = () => earlier.map((one) => lineOf(one))
const withdraw = async (id: string, body: object = { reason: 'The wrong file' }) =>
  world.post(`/v1/operator/statements/${id}/withdraw`, body, { key: await operator.session(), idempotency_key: null })
const openKinds = async (one: PlantedRecord) =>
  (await operator.cases()).filter(({ reference }) => reference === one.reference).map(({ kind }) => kind)

test('an operator who withdraws a statement with wrong columns closes its cases, and can import its file again', async () => {
  const one = await plantPayment()
  const csv = csvOf([lineOf(one)])
  const wrong = await operator.upload(csv, { query: '&columns=provider_id%3Dreference%2Creference%3D' })
  assert.equal(wrong.status, 201, wrong.text)
  const { id } = wrong.body.data
  assert.ok((await operator.cases()).length > 0)
  const refused = await operator.upload(csv)
  assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
  assert.match(refused.body.error.message, /withdraw the statement first/)
  const done = await withdraw(id)
  assert.equal(done.status, 200, done.text)
  assert.equal(done.body.data.state, 'withdrawn')
  assert.equal(done.body.data.withdrawn.reason, 'The wrong file')
  assert.deepEqual(await operator.cases(), [])
  const closed = await operator.cases('resolved')
  assert.ok(closed.every(({ resolution, statement_id }) => resolution === 'withdrawn' && statement_id === id))
  assert.deepEqual(await world.rows('select 1 from statement_lines'), [])
  const [log] = await world.rows<{ reason: string; after: { cases_closed: number } }>(
    `select reason, after from audit_log where action = 'statement.withdraw' and target_id = $1`,
    [id],
  )
  assert.deepEqual([log?.reason, log?.after.cases_closed], ['The wrong file', closed.length])
  const again = await operator.upload(csv)
  assert.deepEqual([again.status, again.body.data?.matched, again.body.data?.opened], [201, 1, 0], again.text)
  earlier.push(one)
  assert.deepEqual(codeOf(await withdraw(id)), [409, 'invalid_state'])
})

test('the withdrawal of a statement restores the lines that it replaced, and opens the cases that it closed', async () => {
  const [right, missing] = [await plantPayment(), await plantPayment()]
  const first = await operator.importRows([...earlierLines(), lineOf(right)])
  assert.deepEqual(await openKinds(missing), ['unknown_to_them'])
  const wrong = await operator.importRows([...earlierLines(), lineOf(right, { amount_minor: 1n }), lineOf(missing)])
  assert.deepEqual([await openKinds(right), await openKinds(missing)], [['amount_differs'], []])
  assert.equal((await withdraw(wrong.id)).status, 200)
  assert.deepEqual([await openKinds(right), await openKinds(missing)], [[], ['unknown_to_them']])
  const lines = await world.rows(
    `select statement_id, line_number, reference, provider_id, amount_minor, currency, at from statement_lines
     where reference = any($1)`,
    [[right.reference, missing.reference]],
  )
  const { reference, provider_id, amount_minor } = right
  const expected = { statement_id: first.id, line_number: earlier.length + 2, reference, provider_id, amount_minor }
  assert.deepEqual(lines, [{ ...expected, currency: 'TZS', at: AT }])
  await operator.importRows([...earlierLines(), lineOf(right), lineOf(missing)])
  assert.deepEqual(await openKinds(missing), [])
  earlier.push(right, missing)
})

test('a case stays open after the withdrawal of its statement when another statement of the same period has the same difference', async () => {
  const [failed, unknown] = [
    await plantPayment({ state: 'failed' }),
    { ...(await plantPayment({ state: 'failed' })), reference: 'TILL 1' },
  ]
  const rows = [...earlierLines(), lineOf(failed), lineOf(unknown, { provider_id: 'ABSENT' })]
  const first = await operator.importRows(rows)
  await operator.importRows(rows)
  assert.equal((await withdraw(first.id)).status, 200)
  assert.deepEqual([await openKinds(failed), await openKinds(unknown)], [['outcome_differs'], ['unknown_to_us']])
  const third = await operator.importRows(rows)
  assert.equal((await withdraw(third.id)).status, 200)
  assert.deepEqual([await openKinds(failed), await openKinds(unknown)], [['outcome_differs'], ['unknown_to_us']])
})

test('the server refuses to withdraw a statement without a reason, with an unknown id, or during another import of the provider', async () => {
  const { id } = await operator.importRows(earlierLines())
  assert.deepEqual(codeOf(await withdraw(id, {})), [400, 'validation_failed'])
  assert.deepEqual(codeOf(await withdraw(randomUUID())), [404, 'not_found'])
  assert.deepEqual(codeOf(await withdraw('x')), [404, 'not_found'])
  await world.rows(
    `insert into statements (id, provider, source, period_from, period_to, state, lease_until, lines, matched, opened,
       explained, imported_by_kind, imported_by_name, created_at)
     values ($1, 'mock', 'file', $2, $3, 'importing', $4, 0, 0, 0, 0, 'command', 'admin', $2)`,
    [
      randomUUID(),
      new Date('2026-01-04T00:00:00Z'),
      new Date('2026-01-06T00:00:00Z'),
      new Date(world.deps.clock.now().getTime() + 60_000),
    ],
  )
  assert.deepEqual(codeOf(await withdraw(id)), [409, 'invalid_state'])
  const [row] = await world.rows<{ state: string }>('select state from statements where id = $1', [id])
  assert.equal(row?.state, 'done')
})

test('the summary shows the gaps between statements, and does not add amounts of different currencies', async () => {
  await world.rows(`update statements set state = 'failed', lease_until = null where state = 'importing'`)
  await operator.importRows([], { from: '2026-01-01', to: '2026-01-02' })
  const unknown = { ...(await plantPayment({ state: 'failed' })), reference: 'TILL 2' }
  const mock_before = (await operator.summary()).providers[0]
  await operator.importRows([
    ...earlierLines(),
    lineOf(unknown, { provider_id: 'USD1', currency: 'USD', amount_minor: 7_00n }),
  ])
  const [mock] = (await operator.summary()).providers
  assert.deepEqual(mock.holes, [{ from: '2026-01-01T21:00:00.000Z', to: '2026-01-04T21:00:00.000Z' }])
  assert.deepEqual(mock.other_currencies, [{ currency: 'USD', unexplained: '7.00', net_difference: '7.00' }])
  assert.equal(mock.open_cases, mock_before.open_cases + 1)
  assert.equal(mock.unexplained, mock_before.unexplained)
})
