// Tests that the sums of withdrawals equal the withdrawals on each day, also after late changes and changes by an earlier program,
// and that a sum reads few rows.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createWorld, type World } from '../../../test/harness.ts'
import { approve, payoutAnswer, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { DAY_MS, dayNumber, firstIdAt, newId, startOfDay } from '../../kernel/lib/index.ts'
import { sumWithdrawals } from './days.ts'
import { withdrawalDaysTask } from './days-task.ts'

const HOUR_MS = 3_600_000

let world: World
/** The function that the test world calls before each SQL query. */
let onStatement: (name: string) => void | Promise<void> = () => {}
before(async () => {
  world = await createWorld({ before: (name) => onStatement(name) })
})
after(() => world.close())

const sumUp = async () => {
  const task = withdrawalDaysTask(world.deps)
  while ((await task.runOnce()) > 0);
}

/** Creates a merchant that can approve withdrawals. */
async function newMerchant(): Promise<Merchant> {
  const merchant = await world.newMerchant()
  await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 1_000_000_000n }])
  return merchant
}

type Sum = { status: string; count: bigint; amount_minor: bigint }
const byStatus = (rows: readonly Sum[]) => rows.toSorted((a, b) => (a.status < b.status ? -1 : 1))

/** Counts withdrawals from the table, by the bounds of their ids. */
async function counted(merchant: Merchant, first_day: number, end_day: number): Promise<Sum[]> {
  return world.rows<Sum>(
    `select status, count(*) as count, sum(amount_minor)::bigint as amount_minor from withdrawals
     where merchant_id = $1 and environment = 'sandbox' and id >= $2 and id < $3 group by status order by status`,
    [merchant.id, firstIdAt(startOfDay(first_day)), firstIdAt(startOfDay(end_day))],
  )
}

/** Compares the sums of several periods around `day` with the table. */
async function checkSums(merchant: Merchant, day: number, when: string): Promise<void> {
  const today = dayNumber(world.deps.clock.now())
  for (const [first_day, end_day] of [
    [day - 1, day],
    [day, day + 1],
    [day + 1, day + 2],
    [day, day + 2],
    [today - 29, today + 1],
    [today - 6, today + 1],
    [today, today + 1],
  ] as const) {
    const book = { merchant_id: merchant.id, environment: 'sandbox' } as const
    const sums = await sumWithdrawals(world.deps.db, book, { first_day, end_day })
    assert.deepEqual(byStatus(sums), await counted(merchant, first_day, end_day), `${when}: ${first_day} to ${end_day}`)
  }
}

const storedDays = async (merchant: Merchant) =>
  (
    await world.rows<{ day: number }>(
      `select distinct day - date '1970-01-01' as day from withdrawal_days where merchant_id = $1 order by 1`,
      [merchant.id],
    )
  ).map(({ day }) => day)

const ENDINGS = ['waits', 'succeeds', 'fails', 'reversed'] as const
const withdrawals = fc.array(
  fc.record({
    amount_minor: fc.bigInt({ min: 1n, max: 900_000n }),
    early: fc.constantFrom('waits', 'succeeds', 'fails'),
    late: fc.constantFrom(...ENDINGS),
    // The test makes withdrawals before and after midnight in Tanzania.
    wait_ms: fc.constantFrom(0, 1, 999, 3_000, 40_000, 3 * HOUR_MS),
  }),
  { minLength: 6, maxLength: 14 },
)

async function finish(merchant: Merchant, id: string, ending: (typeof ENDINGS)[number]): Promise<void> {
  const [row] = await world.rows<{ status: string }>(
    'select status from withdrawals where merchant_id = $1 and id = $2',
    [merchant.id, id],
  )
  if (ending !== 'waits' && row?.status === 'PENDING_ADMIN_APPROVAL') {
    await approve(world.deps, merchant, [id])
    await payoutAnswer(world.deps, merchant, id, { kind: ending === 'fails' ? 'declined' : 'succeeded' })
  } else if (ending !== 'reversed' || row?.status !== 'SUCCESS') return
  if (ending === 'reversed') await payoutAnswer(world.deps, merchant, id, { kind: 'reversed', charge_returned: true })
}

test('the sums of withdrawals equal the withdrawals around midnight, days later, and after late changes', async () => {
  await fc.assert(
    fc.asyncProperty(withdrawals, async (history) => {
      const { clock } = world.deps
      const merchant = await newMerchant()
      const midnight = startOfDay(dayNumber(clock.now()) + 1).getTime()
      const day = dayNumber(new Date(midnight)) - 1
      clock.advance(midnight - 5_000 - clock.now().getTime())
      const ids: string[] = []
      for (const { amount_minor, early, wait_ms } of history) {
        const id = await submitWithdrawal(world, { merchant, amount_minor })
        ids.push(id)
        await finish(merchant, id, early)
        clock.advance(wait_ms)
      }
      await checkSums(merchant, day, 'on the day')
      await sumUp()
      assert.deepEqual(await storedDays(merchant), [])

      clock.advance(4 * DAY_MS)
      await checkSums(merchant, day, 'before the days have sums')
      await sumUp()
      assert.ok((await storedDays(merchant)).includes(day), 'the day has sums')
      await checkSums(merchant, day, 'after the days have sums')

      for (const [i, { late }] of history.entries()) await finish(merchant, ids[i] as string, late)
      await checkSums(merchant, day, 'after late changes')
      await sumUp()
      await checkSums(merchant, day, 'after late changes and a run of the task')
      clock.advance(2 * HOUR_MS + 1)
      await sumUp()
      await checkSums(merchant, day, 'after the days are summed again')
      const stored = await world.rows<Sum>(
        `select status, items as count, amount_minor from withdrawal_days
         where merchant_id = $1 and day = date '1970-01-01' + $2::int order by status`,
        [merchant.id, day],
      )
      assert.deepEqual(stored, await counted(merchant, day, day + 1), 'the stored sums have the late changes')
    }),
    { numRuns: Number(process.env.RUNS_OF_OVERVIEW ?? 2) },
  )
})

/** Creates a merchant with two withdrawals that wait, on a day that has sums. Returns the day and the ids. */
async function summedDay(): Promise<{ merchant: Merchant; day: number; ids: string[] }> {
  const merchant = await newMerchant()
  const day = dayNumber(world.deps.clock.now())
  const ids = [
    await submitWithdrawal(world, { merchant, amount_minor: 500n }),
    await submitWithdrawal(world, { merchant, amount_minor: 700n }),
  ]
  world.deps.clock.advance(4 * DAY_MS)
  await sumUp()
  assert.deepEqual(await storedDays(merchant), [day])
  return { merchant, day, ids }
}

test('a late change that commits while the task sums its day is in the sums, and after the next runs in the stored sums', async () => {
  const { merchant, day, ids } = await summedDay()
  await finish(merchant, ids[0] as string, 'fails')
  world.deps.clock.advance(3 * HOUR_MS)
  let changed = false
  onStatement = async (name) => {
    if (changed || name !== 'withdrawal_days_advance') return
    changed = true
    await finish(merchant, ids[1] as string, 'succeeds')
  }
  await sumUp()
  onStatement = () => {}
  assert.ok(changed, 'the task sums the day again')
  await checkSums(merchant, day, 'after the change')
  world.deps.clock.advance(3 * HOUR_MS)
  await sumUp()
  await checkSums(merchant, day, 'after the next sums')
  const stored = await world.rows('select status from withdrawal_days where merchant_id = $1 order by 1', [merchant.id])
  assert.deepEqual(stored, [{ status: 'FAILED' }, { status: 'SUCCESS' }])
})

for (const [name, ago_ms] of [
  ['now', 0],
  ['an hour ago, and commits now', HOUR_MS],
] as const) {
  test(`the sums have a late change that an earlier program, which knows no sums, makes ${name}`, async () => {
    const { merchant, day, ids } = await summedDay()
    await world.rows(
      `update withdrawals set status = 'REJECTED', version = version + 1, updated_at = $3
       where merchant_id = $1 and id = $2`,
      [merchant.id, ids[0], new Date(world.deps.clock.now().getTime() - ago_ms)],
    )
    await checkSums(merchant, day, 'after the change')
    world.deps.clock.advance(2 * HOUR_MS + 1)
    await sumUp()
    await checkSums(merchant, day, 'after the next sums')
    const stored = await world.rows('select status from withdrawal_days where merchant_id = $1 order by 1', [
      merchant.id,
    ])
    assert.deepEqual(stored, [{ status: 'PENDING_ADMIN_APPROVAL' }, { status: 'REJECTED' }])
  })
}

test('while one process sums the days of a merchant, another process skips the merchant', async () => {
  const { merchant } = await summedDay()
  const day = dayNumber(world.deps.clock.now())
  await submitWithdrawal(world, { merchant, amount_minor: 500n })
  world.deps.clock.advance(4 * DAY_MS)
  let skipped: number | null = null
  onStatement = async (name) => {
    if (skipped !== null || name !== 'withdrawal_days_changed') return
    skipped = -1
    skipped = await withdrawalDaysTask(world.deps).runOnce()
  }
  await withdrawalDaysTask(world.deps).runOnce()
  onStatement = () => {}
  assert.equal(skipped, 0)
  await sumUp()
  await checkSums(merchant, day, 'after both runs')
  assert.ok((await storedDays(merchant)).includes(day), 'the day has sums')
})

describe('sums of many withdrawals', () => {
  const PER_DAY = 400
  /** The withdrawals of today and of two days without sums, and the sums of 30 days with one status. */
  const READ_MAX = 3 * PER_DAY + 30 + 20
  let merchant: Merchant
  let today: number
  before(async () => {
    merchant = await newMerchant()
    today = dayNumber(world.deps.clock.now())
    const begin = startOfDay(today - 29).getTime()
    const step = DAY_MS / PER_DAY
    const count = Math.floor((world.deps.clock.now().getTime() - begin) / step)
    const rows = Array.from({ length: count }, (_, i) => {
      const at = new Date(begin + i * step)
      const seams = { ...world.deps, clock: { ...world.deps.clock, now: () => at } }
      return { id: newId(seams, merchant.routing_code), at }
    })
    await world.rows(
      `insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
         destination_code, destination_identifier, percentage_fee_minor, flat_fee_minor, processor_charge_minor,
         processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind, requested_by_name,
         created_at, updated_at)
       select $1, id, 'sandbox', 'REJECTED', 1, 'none', 'MOBILE_MONEY', 100, 'TZS', 'MPESA', '255754123001', 0, 0, 0,
         false, 0, 100, 'user', 'Asha', at, at
       from json_to_recordset($2::json) as x(id uuid, at timestamptz)`,
      [merchant.id, JSON.stringify(rows)],
    )
    await sumUp()
  })

  for (const statistics of ['without statistics', 'with statistics'] as const) {
    test(`the sums of 30 days, ${statistics} of the database, read the withdrawals of the last days only`, async () => {
      if (statistics === 'with statistics') await world.rows('analyze withdrawals')
      const book = { merchant_id: merchant.id, environment: 'sandbox' } as const
      const period = { first_day: today - 29, end_day: today + 1 }
      const { result, read } = await rowsRead(world, (deps) => sumWithdrawals(deps.db, book, period))
      assert.deepEqual(byStatus(result), await counted(merchant, period.first_day, period.end_day))
      assert.ok(read <= READ_MAX, `${read} rows read`)
    })
  }
})
