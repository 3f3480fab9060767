// Tests payments with two attempts. The server compares the money that the books have for an attempt only with the lines of that
// attempt.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  plantRetry,
  type Reconciler,
  type Retry,
  type StatedRow,
} from '../../../test/statements.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { countMissing } from './sweep.ts'

let world: World
let operator: Reconciler
beforeEach(async () => {
  world = await createWorld()
  operator = await openReconciler(world)
})
afterEach(() => world.close())

const AT = new Date('2026-01-05T07:00:00Z')
const AMOUNT = 100_000n

/**
 * Two attempts of one payment. If the second attempt took money although the first attempt had paid, `two` has the duplicate
 * payment.
 */
type Pair = { one: PlantedRecord; two: PlantedRecord }

async function plantPair(
  state: PlannedRecord['state'],
  retry: Retry & { duplicate?: Partial<PlannedRecord>; first_provider?: string } = {},
): Promise<Pair> {
  const { duplicate, first_provider, ...rest } = retry
  const record: PlannedRecord = { flow: 'payment', state, amount_minor: AMOUNT, at: AT }
  const [one] = (await plant(world, [record], first_provider)) as [PlantedRecord]
  const [duplicate_payment] = duplicate ? await plant(world, [{ ...record, state: 'paid', ...duplicate }]) : []
  return { one, two: await plantRetry(world, one, duplicate_payment ? { ...rest, duplicate_payment } : rest) }
}

const reversalOf = (one: PlantedRecord) => lineOf(one, { kind: 'reversal', provider_id: `R${one.provider_id}` })
const secondLine = (one: PlantedRecord) => lineOf(one, { provider_id: `X${one.provider_id}` })
const openCases = async () =>
  (await operator.cases())
    .map(({ kind, line_kind, reference, difference }) => `${kind} of a ${line_kind} ${reference} ${difference}`)
    .sort()
const describeCase = (kind: string, { reference }: PlantedRecord, difference: bigint, line_kind = 'payment') =>
  `${kind} of a ${line_kind} ${reference} ${formatAmount(difference)}`

/** The state of the books, the lines of the provider, and the expected cases for one payment with two attempts. */
const SCENARIOS: {
  name: string
  make(): Promise<Pair>
  lines(pair: Pair): StatedRow[]
  cases(pair: Pair): string[]
}[] = [
  {
    name: 'the second attempt paid',
    make: () => plantPair('paid', { settled: true }),
    lines: ({ two }) => [lineOf(two)],
    cases: () => [],
  },
  {
    name: 'the first attempt paid after the second began',
    make: () => plantPair('paid'),
    lines: ({ one }) => [lineOf(one)],
    cases: () => [],
  },
  {
    name: 'both paid, and the books have both',
    make: () => plantPair('paid', { duplicate: {} }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'both paid, and the lines have only ids',
    make: () => plantPair('paid', { duplicate: {} }),
    lines: ({ one, two }) => [lineOf(one, { reference: null }), lineOf(two, { reference: null })],
    cases: () => [],
  },
  {
    name: 'both paid, and the second was reversed',
    make: () => plantPair('paid', { duplicate: { state: 'reversed' } }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two), reversalOf(two)],
    cases: () => [],
  },
  {
    name: 'both paid, and the first was reversed',
    make: () => plantPair('reversed', { duplicate: {} }),
    lines: ({ one, two }) => [lineOf(one), reversalOf(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'the provider reversed the first, and the second paid',
    make: () => plantPair('paid', { settled: true }),
    lines: ({ one, two }) => [reversalOf(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'both paid at the provider, and the books have only the second',
    make: () => plantPair('paid', { settled: true }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ one }) => [describeCase('outcome_differs', one, AMOUNT)],
  },
  {
    name: 'both paid at the provider, and the books have only the first',
    make: () => plantPair('paid'),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ two }) => [describeCase('outcome_differs', two, AMOUNT)],
  },
  {
    name: 'the second paid at the provider, and the books have the first',
    make: () => plantPair('paid'),
    lines: ({ two }) => [lineOf(two)],
    cases: ({ one, two }) => [
      describeCase('outcome_differs', two, AMOUNT),
      describeCase('unknown_to_them', one, -AMOUNT),
    ],
  },
  {
    name: 'the provider executed both attempts twice',
    make: () => plantPair('paid', { duplicate: {} }),
    lines: ({ one, two }) => [lineOf(one), secondLine(one), lineOf(two), secondLine(two)],
    cases: ({ one, two }) => [describeCase('duplicate', one, AMOUNT), describeCase('duplicate', two, AMOUNT)],
  },
  {
    name: 'the provider executed the paid attempt twice',
    make: () => plantPair('paid', { settled: true }),
    lines: ({ two }) => [lineOf(two), secondLine(two)],
    cases: ({ two }) => [describeCase('duplicate', two, AMOUNT)],
  },
  {
    name: 'both paid, and the provider states only the first',
    make: () => plantPair('paid', { duplicate: {} }),
    lines: ({ one }) => [lineOf(one)],
    cases: ({ two }) => [describeCase('unknown_to_them', two, -AMOUNT)],
  },
  {
    name: 'both paid, and the provider states none',
    make: () => plantPair('paid', { duplicate: { amount_minor: 70_000n } }),
    lines: () => [],
    cases: ({ one, two }) => [
      describeCase('unknown_to_them', one, -AMOUNT),
      describeCase('unknown_to_them', two, -70_000n),
    ],
  },
  {
    name: 'the second paid, and the provider states none',
    make: () => plantPair('paid', { settled: true }),
    lines: () => [],
    cases: ({ two }) => [describeCase('unknown_to_them', two, -AMOUNT)],
  },
  {
    name: 'the first paid, and the provider states none',
    make: () => plantPair('paid'),
    lines: () => [],
    cases: ({ one }) => [describeCase('unknown_to_them', one, -AMOUNT)],
  },
  {
    name: 'the provider states another amount for the second',
    make: () => plantPair('paid', { duplicate: { amount_minor: 70_000n } }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two, { amount_minor: 70_100n })],
    cases: ({ two }) => [describeCase('amount_differs', two, 100n)],
  },
  {
    name: 'neither paid, and the provider states both',
    make: () => plantPair('failed'),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ one, two }) => [
      describeCase('outcome_differs', one, AMOUNT),
      describeCase('outcome_differs', two, AMOUNT),
    ],
  },
]

test('the comparison reports each difference for its attempt when a payment has two attempts', async () => {
  const expected: string[] = []
  const rows: StatedRow[] = []
  const names = new Map<string, string>()
  let agreeing = 0
  for (const { name, make, lines, cases } of SCENARIOS) {
    const planted = await make()
    for (const { reference } of [planted.one, planted.two]) names.set(reference, name)
    const expected_here = cases(planted)
    expected.push(...expected_here)
    rows.push(...lines(planted))
    agreeing += lines(planted).length - expected_here.filter((text) => !text.startsWith('unknown_to_them')).length
  }
  const statement = await operator.importRows(rows)
  const withName = (text: string) => `${text}: ${names.get(text.split(' ')[4] ?? '')}`
  assert.deepEqual((await openCases()).map(withName), expected.sort().map(withName))
  assert.equal(statement.matched, agreeing)
  // A second statement with the same lines opens and closes no case.
  const again = await operator.importRows(rows)
  assert.deepEqual([again.opened, again.explained], [0, 0])
})

test('the comparison matches the line of held money with its attempt when another attempt paid', async () => {
  const { one, two } = await plantPair('paid', { duplicate: {} })
  await world.rows("update collections set status = 'pending_clearance' where id = $1", [two.id])
  await operator.importRows([lineOf(one)])
  assert.deepEqual(await openCases(), [describeCase('unknown_to_them', two, -AMOUNT)])
  await operator.importRows([lineOf(one), lineOf(two)])
  assert.deepEqual(await openCases(), [])
})

test('the comparison expects from each provider only the attempts at that provider', async () => {
  const paid_at_selcom = await plantPair('paid', { settled: true, provider: 'selcom' })
  const paid_at_mock = await plantPair('paid', { provider: 'selcom' })
  const both = await plantPair('paid', { provider: 'selcom', duplicate: {} })
  const period = { from: new Date('2026-01-05T06:00:00Z'), to: new Date('2026-01-05T08:00:00Z') }
  for (const provider of ['mock', 'selcom']) assert.equal(await countMissing(world.deps, provider, period), 2, provider)
  await operator.importRows([lineOf(paid_at_mock.one), lineOf(both.one)])
  assert.deepEqual(await openCases(), [])
  await operator.importRows([], { provider: 'selcom' })
  assert.deepEqual(
    await openCases(),
    [
      describeCase('unknown_to_them', paid_at_selcom.two, -AMOUNT),
      describeCase('unknown_to_them', both.two, -AMOUNT),
    ].sort(),
  )
  await operator.importRows([lineOf(paid_at_selcom.two), lineOf(both.two)], { provider: 'selcom' })
  assert.deepEqual(await openCases(), [])
})

test('the comparison opens a case for the unbooked attempt when two providers took money and the books have one payment', async () => {
  const { one, two } = await plantPair('paid', { settled: true, provider: 'selcom' })
  await operator.importRows([lineOf(two)], { provider: 'selcom' })
  await operator.importRows([lineOf(one)])
  assert.deepEqual(await openCases(), [describeCase('outcome_differs', one, AMOUNT)])
})

test('a later booking of the second attempt closes the case of that attempt, and the case of the first attempt stays open', async () => {
  const { one, two } = await plantPair('paid')
  await operator.importRows([lineOf(one), secondLine(one), lineOf(two)])
  assert.deepEqual(await openCases(), [
    describeCase('duplicate', one, AMOUNT),
    describeCase('outcome_differs', two, AMOUNT),
  ])
  const [duplicate_payment] = (await plant(world, [
    { flow: 'payment', state: 'paid', amount_minor: AMOUNT, at: AT },
  ])) as [PlantedRecord]
  // The outcome of the second attempt arrives after a third attempt failed.
  await world.rows(
    `update collection_attempts set number = 3, provider_reference = left(provider_reference, 26) || '03'
     where collection_id = $1 and number = 2`,
    [one.id],
  )
  await plantRetry(world, one, { duplicate_payment })
  await world.rows('update collections set attempts = 3 where id = $1', [one.id])
  await operator.importRows([lineOf(one), lineOf(two)])
  assert.deepEqual(await openCases(), [describeCase('duplicate', one, AMOUNT)])
})
