// Tests the platform with the real adapter, the provider's twin with all faults at the same time, and processes that die at
// random moments. `npm run storm` selects the long test. PAYMENTS, PAYOUTS and KILLS choose another size, and SEED repeats a
// storm.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { CIRCUIT_OPEN } from '../../src/adapters/providers/breaker.ts'
import { findProblems, findShortage, sentenceOf, undecided } from '../storm/compare-books.ts'
import { eventProblems } from '../storm/events.ts'
import { plantLosses, tamper } from '../storm/planted-losses.ts'
import { createStormRig, type StormRig } from '../storm/rig.ts'
import { type Aftermath, rage, type StormSize } from '../storm/storm.ts'

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback)
const PAYMENTS = number('PAYMENTS', 300)
const IS_LONG = PAYMENTS > 1_000
const SIZE: StormSize = {
  seed: number('SEED', randomInt(1, 1_000_000)),
  payments: PAYMENTS,
  payouts: number('PAYOUTS', 60),
  kills: number('KILLS', 3),
  per_second: IS_LONG ? 150 : 60,
  rest_ms: IS_LONG ? 600_000 : 180_000,
}
const SHOWN_MAX = 20

let rig: StormRig
after(() => rig?.close())

test('the books of provider and platform agree to the cent after a storm of faults and dying processes', async (t) => {
  const say = IS_LONG ? (line: string) => process.stdout.write(`${line}\n`) : t.diagnostic.bind(t)
  say(`SEED=${SIZE.seed} PAYMENTS=${SIZE.payments} PAYOUTS=${SIZE.payouts} KILLS=${SIZE.kills}`)
  rig = await createStormRig({ seed: SIZE.seed, shops: 5, pairs: IS_LONG ? 2 : 1 })
  const aftermath = await rage(rig, SIZE, IS_LONG ? say : () => {})
  for (const line of reportOf(aftermath)) say(line)

  const { before, after: end, differences, cases, problems, left, kills } = aftermath
  const shown = (lines: readonly string[]) => lines.slice(0, SHOWN_MAX)
  assert.deepEqual(shown(problems), [], 'each client got one answer for each key')
  assert.deepEqual(left, { payments: 0, payouts: 0, events: 0, pending: 0 }, 'no record is open')
  assert.equal(
    Object.values(kills).reduce((sum, count) => sum + count, 0),
    SIZE.kills,
  )
  assert.equal(before.results.length, SIZE.payments + SIZE.payouts)

  assert.deepEqual(
    shown(findProblems(before)),
    [],
    'no record is lost, doubled, or open although the provider has decided',
  )
  assert.deepEqual(shown(eventProblems(before)), [], 'each merchant got each event once')
  const unexplained = differences.filter(({ denied }) => !denied).map(sentenceOf)
  assert.deepEqual(shown(unexplained), [], 'the books differ only where the provider withdrew a final outcome')
  assert.deepEqual(
    [...new Set(cases.map(({ reference }) => reference))].sort(),
    differences.map(({ reference }) => reference).sort(),
    "the provider's statement shows exactly those",
  )

  assert.deepEqual(shown(findShortage(end)), [], 'no cent is missing')
  assert.deepEqual(shown(findProblems(end)), [])
  assert.deepEqual(shown(eventProblems(end)), [])
  assert.deepEqual(shown(aftermath.errors), [], 'no process logged an unexpected error')
  // The comparison finds the same planted problems in a storm of any size, so only the short test plants these problems.
  if (!IS_LONG) plantLosses(before)
  await tamper(rig, end)
})

/** Describes the course of the storm, in lines. The last line is JSON. */
function reportOf({ before, after: end, ...rest }: Aftermath): string[] {
  const statuses = (rows: readonly { status: string }[]) =>
    Object.fromEntries(
      [...Map.groupBy(rows, (row) => row.status)].map(([status, { length }]) => [status, length] as const).sort(),
    )
  const { totals } = before
  const wire = Object.entries(totals.struck).filter(([name]) => !/^(payer|payee|callback)\./.test(name))
  const faults = wire.reduce((sum, [, count]) => sum + count, 0)
  const facts = {
    seed: SIZE.seed,
    kills: rest.kills,
    connections_lost: rest.lost,
    busy_503: rest.busy,
    payments: statuses(end.our_payments),
    payouts: statuses(end.our_payouts),
    never_sent_circuit_open: end.our_payments.filter(({ word }) => word === CIRCUIT_OPEN).length,
    undecided: undecided(end).counts,
    requests: totals.requests,
    faults,
    struck: totals.struck,
    callbacks: totals.callbacks,
    events: end.deliveries.length,
    arrivals: end.arrivals.length,
    statement: { lines: rest.lines, agreed: rest.agreed, cases: rest.cases.length },
    explained_by_asking: rest.explained,
    corrected_by_operators: rest.corrected,
    ms: rest.ms,
  }
  const lines = Object.entries(facts).map(([name, value]) => {
    const text =
      typeof value === 'object'
        ? Object.entries(value)
            .map((pair) => pair.join(' '))
            .join(', ')
        : String(value)
    return `${name.padEnd(24)} ${text}`
  })
  return [...lines, JSON.stringify(facts)]
}
