// Payments that a payer tried more than once: each try is compared with what it took, and with nothing that another one took.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  lineOf,
  openReconciler,
  type Plant,
  type Planted,
  plant,
  plantRetry,
  type Reconciler,
  type Retry,
  type Row,
} from '../../../test/statements.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import { countMissing } from './sweep.ts'

let world: World
let desk: Reconciler
beforeEach(async () => {
  world = await createWorld()
  desk = await openReconciler(world)
})
afterEach(() => world.close())

const AT = new Date('2026-01-05T07:00:00Z')
const AMOUNT = 100_000n

/** Two tries of one payment. `two` is the second one, with what it took. */
type Pair = { one: Planted; two: Planted }

async function pair(
  state: Plant['state'],
  retry: Retry & { took?: Partial<Plant>; first_at?: string } = {},
): Promise<Pair> {
  const { took, first_at, ...rest } = retry
  const wish: Plant = { flow: 'payment', state, amount_minor: AMOUNT, at: AT }
  const [one] = (await plant(world, [wish], first_at)) as [Planted]
  const [beside] = took ? await plant(world, [{ ...wish, state: 'paid', ...took }]) : []
  return { one, two: await plantRetry(world, one, beside ? { ...rest, beside } : rest) }
}

const back = (one: Planted) => lineOf(one, { kind: 'reversal', provider_id: `R${one.provider_id}` })
const second = (one: Planted) => lineOf(one, { provider_id: `X${one.provider_id}` })
const found = async () =>
  (await desk.cases())
    .map(({ kind, line_kind, reference, difference }) => `${kind} of a ${line_kind} ${reference} ${difference}`)
    .sort()
const said = (kind: string, { reference }: Planted, difference: bigint, line_kind = 'payment') =>
  `${kind} of a ${line_kind} ${reference} ${formatAmount(difference)}`

/** What the books hold, what the provider states, and what has to become of it. */
const WAYS: { name: string; make(): Promise<Pair>; lines(pair: Pair): Row[]; cases(pair: Pair): string[] }[] = [
  {
    name: 'the second try paid',
    make: () => pair('paid', { settled: true }),
    lines: ({ two }) => [lineOf(two)],
    cases: () => [],
  },
  {
    name: 'the first try paid, after the second was begun',
    make: () => pair('paid'),
    lines: ({ one }) => [lineOf(one)],
    cases: () => [],
  },
  {
    name: 'both paid, and the books hold both',
    make: () => pair('paid', { took: {} }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'both paid, and lines bear nothing but their ids',
    make: () => pair('paid', { took: {} }),
    lines: ({ one, two }) => [lineOf(one, { reference: null }), lineOf(two, { reference: null })],
    cases: () => [],
  },
  {
    name: 'both paid, and what the second took went back',
    make: () => pair('paid', { took: { state: 'reversed' } }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two), back(two)],
    cases: () => [],
  },
  {
    name: 'both paid, and what the first took went back',
    make: () => pair('reversed', { took: {} }),
    lines: ({ one, two }) => [lineOf(one), back(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'the first was paid and taken back there, and the second paid',
    make: () => pair('paid', { settled: true }),
    lines: ({ one, two }) => [back(one), lineOf(two)],
    cases: () => [],
  },
  {
    name: 'both paid there, and the books hold the second alone',
    make: () => pair('paid', { settled: true }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ one }) => [said('outcome_differs', one, AMOUNT)],
  },
  {
    name: 'both paid there, and the books hold the first alone',
    make: () => pair('paid'),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ two }) => [said('outcome_differs', two, AMOUNT)],
  },
  {
    name: 'the second is paid there, and the books hold that of the first',
    make: () => pair('paid'),
    lines: ({ two }) => [lineOf(two)],
    cases: ({ one, two }) => [said('outcome_differs', two, AMOUNT), said('unknown_to_them', one, -AMOUNT)],
  },
  {
    name: 'the second was executed twice, and so was the first',
    make: () => pair('paid', { took: {} }),
    lines: ({ one, two }) => [lineOf(one), second(one), lineOf(two), second(two)],
    cases: ({ one, two }) => [said('duplicate', one, AMOUNT), said('duplicate', two, AMOUNT)],
  },
  {
    name: 'the one try that paid was executed twice',
    make: () => pair('paid', { settled: true }),
    lines: ({ two }) => [lineOf(two), second(two)],
    cases: ({ two }) => [said('duplicate', two, AMOUNT)],
  },
  {
    name: 'both paid, and they know of the first alone',
    make: () => pair('paid', { took: {} }),
    lines: ({ one }) => [lineOf(one)],
    cases: ({ two }) => [said('unknown_to_them', two, -AMOUNT)],
  },
  {
    name: 'both paid, and they know of none',
    make: () => pair('paid', { took: { amount_minor: 70_000n } }),
    lines: () => [],
    cases: ({ one, two }) => [said('unknown_to_them', one, -AMOUNT), said('unknown_to_them', two, -70_000n)],
  },
  {
    name: 'the second paid, and they know of none',
    make: () => pair('paid', { settled: true }),
    lines: () => [],
    cases: ({ two }) => [said('unknown_to_them', two, -AMOUNT)],
  },
  {
    name: 'the first paid, and they know of none',
    make: () => pair('paid'),
    lines: () => [],
    cases: ({ one }) => [said('unknown_to_them', one, -AMOUNT)],
  },
  {
    name: 'the second took another amount than they state',
    make: () => pair('paid', { took: { amount_minor: 70_000n } }),
    lines: ({ one, two }) => [lineOf(one), lineOf(two, { amount_minor: 70_100n })],
    cases: ({ two }) => [said('amount_differs', two, 100n)],
  },
  {
    name: 'neither paid, and they have both',
    make: () => pair('failed'),
    lines: ({ one, two }) => [lineOf(one), lineOf(two)],
    cases: ({ one, two }) => [said('outcome_differs', one, AMOUNT), said('outcome_differs', two, AMOUNT)],
  },
]

test('two tries of one payment, in every way that they can end: what differs is found for the try that it is about', async () => {
  const expected: string[] = []
  const rows: Row[] = []
  const names = new Map<string, string>()
  let agreeing = 0
  for (const { name, make, lines, cases } of WAYS) {
    const planted = await make()
    for (const { reference } of [planted.one, planted.two]) names.set(reference, name)
    const wanted = cases(planted)
    expected.push(...wanted)
    rows.push(...lines(planted))
    agreeing += lines(planted).length - wanted.filter((text) => !text.startsWith('unknown_to_them')).length
  }
  const statement = await desk.take(rows)
  const named = (text: string) => `${text}: ${names.get(text.split(' ')[4] ?? '')}`
  assert.deepEqual((await found()).map(named), expected.sort().map(named))
  assert.equal(statement.matched, agreeing)
  // Stated again, nothing more is found.
  const again = await desk.take(rows)
  assert.deepEqual([again.opened, again.explained], [0, 0])
})

test('money under review beside a paid try is compared with the try that took it', async () => {
  const { one, two } = await pair('paid', { took: {} })
  await world.rows("update collections set status = 'pending_clearance' where id = $1", [two.id])
  await desk.take([lineOf(one)])
  assert.deepEqual(await found(), [said('unknown_to_them', two, -AMOUNT)])
  await desk.take([lineOf(one), lineOf(two)])
  assert.deepEqual(await found(), [])
})

test('tries at two providers: each is asked for its own alone', async () => {
  const failed_here = await pair('paid', { settled: true, provider: 'selcom' })
  const paid_here = await pair('paid', { provider: 'selcom' })
  const both = await pair('paid', { provider: 'selcom', took: {} })
  const period = { from: new Date('2026-01-05T06:00:00Z'), to: new Date('2026-01-05T08:00:00Z') }
  for (const provider of ['mock', 'selcom']) assert.equal(await countMissing(world.deps, provider, period), 2, provider)
  await desk.take([lineOf(paid_here.one), lineOf(both.one)])
  assert.deepEqual(await found(), [])
  await desk.take([], { provider: 'selcom' })
  assert.deepEqual(
    await found(),
    [said('unknown_to_them', failed_here.two, -AMOUNT), said('unknown_to_them', both.two, -AMOUNT)].sort(),
  )
  await desk.take([lineOf(failed_here.two), lineOf(both.two)], { provider: 'selcom' })
  assert.deepEqual(await found(), [])
})

test('a try at another provider than before, paid at both and booked once: the other one is found', async () => {
  const { one, two } = await pair('paid', { settled: true, provider: 'selcom' })
  await desk.take([lineOf(two)], { provider: 'selcom' })
  await desk.take([lineOf(one)])
  assert.deepEqual(await found(), [said('outcome_differs', one, AMOUNT)])
})

test('what the books learn of a second try closes its case, and leaves that of the first open', async () => {
  const { one, two } = await pair('paid')
  await desk.take([lineOf(one), second(one), lineOf(two)])
  assert.deepEqual(await found(), [said('duplicate', one, AMOUNT), said('outcome_differs', two, AMOUNT)])
  const [beside] = (await plant(world, [{ flow: 'payment', state: 'paid', amount_minor: AMOUNT, at: AT }])) as [Planted]
  // The word comes after the payer tried a third time, in vain.
  await world.rows(
    `update collection_attempts set number = 3, provider_reference = left(provider_reference, 26) || '03'
     where collection_id = $1 and number = 2`,
    [one.id],
  )
  await plantRetry(world, one, { beside })
  await world.rows('update collections set attempts = 3 where id = $1', [one.id])
  await desk.take([lineOf(one), lineOf(two)])
  assert.deepEqual(await found(), [said('duplicate', one, AMOUNT)])
})
