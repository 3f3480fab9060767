// Tests that the comparison finds each kind of difference among thousands of agreeing lines, and no other difference.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  type CaseView,
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  type Reconciler,
  type StatedRow,
} from '../../../test/statements.ts'
import { formatAmount } from '../../kernel/lib/index.ts'

let world: World
let operator: Reconciler
before(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
})
after(() => world.close())

const AGREEING = 5_000
const PER_KIND = 100
const MORNING = Date.parse('2026-01-05T05:00:00Z')
const at = (i: number) => new Date(MORNING + i * 1_000)

type Expected = { kind: string; line_kind: string; difference: bigint }

/** Ten differences between a statement and our books, each with the expected case. */
const DIFFERENCES: {
  name: string
  record: Pick<PlannedRecord, 'flow' | 'state'> | null
  lines(planted: PlantedRecord): StatedRow[]
  expected(planted: PlantedRecord): Expected
}[] = [
  {
    name: 'a payment that our books do not have',
    record: null,
    lines: (one) => [lineOf(one, { reference: `ORDER ${one.id}` })],
    expected: (one) => ({ kind: 'unknown_to_us', line_kind: 'payment', difference: one.amount_minor }),
  },
  {
    name: 'a payment under a reference that only looks like ours',
    record: null,
    lines: (one) => [lineOf(one)],
    expected: (one) => ({ kind: 'unknown_to_us', line_kind: 'payment', difference: one.amount_minor }),
  },
  {
    name: 'a payment that the provider does not state',
    record: { flow: 'payment', state: 'paid' },
    lines: () => [],
    expected: (one) => ({ kind: 'unknown_to_them', line_kind: 'payment', difference: -one.amount_minor }),
  },
  {
    name: 'a payout that the provider does not state',
    record: { flow: 'payout', state: 'paid' },
    lines: () => [],
    expected: (one) => ({ kind: 'unknown_to_them', line_kind: 'payout', difference: one.amount_minor }),
  },
  {
    name: 'a payment with another amount',
    record: { flow: 'payment', state: 'paid' },
    lines: (one) => [lineOf(one, { amount_minor: one.amount_minor + 1n })],
    expected: () => ({ kind: 'amount_differs', line_kind: 'payment', difference: 1n }),
  },
  {
    name: 'a payout in another currency',
    record: { flow: 'payout', state: 'paid' },
    lines: (one) => [lineOf(one, { currency: 'USD' })],
    expected: (one) => ({ kind: 'amount_differs', line_kind: 'payout', difference: one.amount_minor }),
  },
  {
    name: 'a payment that failed in our books and paid at the provider',
    record: { flow: 'payment', state: 'failed' },
    lines: (one) => [lineOf(one)],
    expected: (one) => ({ kind: 'outcome_differs', line_kind: 'payment', difference: one.amount_minor }),
  },
  {
    name: 'a payout that is processing in our books and paid at the provider',
    record: { flow: 'payout', state: 'processing' },
    lines: (one) => [lineOf(one)],
    expected: (one) => ({ kind: 'outcome_differs', line_kind: 'payout', difference: -one.amount_minor }),
  },
  {
    name: 'a payment that the provider reversed',
    record: { flow: 'payment', state: 'paid' },
    lines: (one) => [lineOf(one), lineOf(one, { kind: 'reversal', provider_id: `R${one.provider_id}` })],
    expected: (one) => ({ kind: 'outcome_differs', line_kind: 'reversal', difference: -one.amount_minor }),
  },
  {
    name: 'a payment that the provider states twice',
    record: { flow: 'payment', state: 'paid' },
    lines: (one) => [lineOf(one), lineOf(one, { provider_id: `X${one.provider_id}` })],
    expected: (one) => ({ kind: 'duplicate', line_kind: 'payment', difference: one.amount_minor }),
  },
]

/** Returns the items in a mixed order that is the same in every run. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  const placed = items.map((item, i) => ({ item, place: (i * 7_919 + 13) % 1_000_003 }))
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

test('the comparison finds exactly 1,000 planted differences of ten kinds among 5,000 agreeing payments', async () => {
  const others = await Promise.all([world.newMerchant(), world.newMerchant()])
  const merchants = [world.merchant, ...others]
  const merchantOf = (i: number) => merchants[i % merchants.length] as (typeof merchants)[0]
  const agreeing = await plant(
    world,
    Array.from(
      { length: AGREEING },
      (_, i): PlannedRecord => ({
        flow: i % 5 === 0 ? 'payout' : 'payment',
        state: i % 50 === 7 ? 'reversed' : 'paid',
        amount_minor: BigInt(100_000 + i),
        at: at(i),
        merchant: merchantOf(i),
      }),
    ),
  )
  // Some lines have none of our references, so only the provider's id identifies the payment.
  const rows: StatedRow[] = agreeing.flatMap((one, i) => {
    const line = lineOf(one, i % 10 === 3 ? { reference: i % 20 === 3 ? null : `till ${i}` } : {})
    const reversal = {
      ...line,
      kind: 'reversal' as const,
      provider_id: i % 10 === 3 ? line.provider_id : `R${line.provider_id}`,
    }
    return one.state === 'reversed' ? [line, reversal] : [line]
  })
  // If a payment or payout is open or failed in our books and the provider does not state it, both sides agree.
  await plant(
    world,
    Array.from(
      { length: 200 },
      (_, i): PlannedRecord => ({
        flow: i % 2 === 0 ? 'payout' : 'payment',
        state: i % 4 < 2 ? 'failed' : 'processing',
        amount_minor: 7_700n,
        at: at(i),
      }),
    ),
  )
  const expected = new Map<string, Expected & { name: string }>()
  for (const [w, way] of DIFFERENCES.entries()) {
    const records = Array.from(
      { length: PER_KIND },
      (_, i): PlannedRecord => ({
        flow: 'payment',
        state: 'paid',
        ...way.record,
        amount_minor: BigInt(1_000_000 * (w + 1) + i * 100),
        at: at(i * 17),
        merchant: merchantOf(i),
      }),
    )
    const planted =
      way.record === null
        ? records.map((record, i): PlantedRecord => {
            const serial = `${w}${i}`.padStart(6, '0')
            const reference = `01K6Q0Z3W5ABCDEFGH${serial}ZZ01`
            return { ...record, merchant_id: '', id: serial, reference, provider_id: `U${serial}` }
          })
        : await plant(world, records)
    for (const one of planted) {
      const lines = way.lines(one)
      rows.push(...lines)
      expected.set(lines[0]?.reference ?? one.reference, { ...way.expected(one), name: way.name })
    }
  }
  const statement = await operator.importRows(shuffled(rows))
  const cases = await operator.cases()
  const wrong: string[] = []
  for (const found of cases) {
    const expected_case = expected.get(found.reference ?? '')
    if (expected_case === undefined) wrong.push(`false: ${describe(found)}`)
    else if (!isExpected(found, expected_case)) wrong.push(`${expected_case.name} was found as ${describe(found)}`)
    else expected.delete(found.reference ?? '')
  }
  for (const { name } of expected.values()) wrong.push(`not found: ${name}`)
  assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} wrong`)
  assert.equal(cases.length, DIFFERENCES.length * PER_KIND)
  assert.equal(statement.lines, rows.length)
  assert.equal(statement.opened, DIFFERENCES.length * PER_KIND)
  assert.equal(statement.matched, rows.length - PER_KIND * 8)
})

test('the summary shows the exact sums of the money in open cases', async () => {
  const cases = await operator.cases()
  const minor = (text: string) => BigInt(text.replace('.', ''))
  const net = cases.reduce((total, { difference }) => total + minor(difference), 0n)
  const gross = cases.reduce((total, { difference }) => total + minor(difference.replace('-', '')), 0n)
  const { providers } = await operator.summary()
  const [mock] = providers
  assert.equal(mock.provider, 'mock')
  assert.equal(mock.open_cases, DIFFERENCES.length * PER_KIND)
  assert.deepEqual(mock.open_by_kind, {
    unknown_to_us: 200,
    unknown_to_them: 200,
    amount_differs: 200,
    outcome_differs: 300,
    duplicate: 100,
  })
  assert.equal(mock.unexplained, formatAmount(gross))
  assert.equal(mock.net_difference, formatAmount(net))
})

function isExpected(found: CaseView, { kind, line_kind, difference }: Expected): boolean {
  return found.kind === kind && found.line_kind === line_kind && found.difference === formatAmount(difference)
}

function describe({ kind, line_kind, difference, reference, provider_id, status_ours }: CaseView): string {
  return `${kind} of a ${line_kind}, ${difference}, ${reference} ${provider_id} ${status_ours}`
}
