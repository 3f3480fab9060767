// Tests the statements of merchants: the lines add up, and the closing balance of a period is the opening balance of the next
// period.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { codeOf, createWorld, type Reply, testDeps, type World } from '../../../test/harness.ts'
import { approve, type FactOf, payoutAnswer, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { lockBooks } from '../../books/ledger/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { newId, settableClock } from '../../kernel/lib/index.ts'
import { readPeriod } from './period.ts'
import type { StatementView } from './schema.ts'
import { readStatement } from './statement.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

const cents = (text: string) => BigInt(text.replace('.', ''))

/** Sets the clock to a time in Tanzania. */
function moveTo(time: string): void {
  world.deps.clock.advance(Date.parse(`${time}+03:00`) - world.deps.clock.now().getTime())
}

/** Returns the date in Tanzania at a time in milliseconds. */
const dayOf = (ms: number) => new Date(ms + 3 * HOUR).toISOString().slice(0, 10)

/** Creates a merchant and functions that read the merchant's statements. */
async function newBook() {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const get = (period: string, query = ''): Promise<Reply> =>
    world.get(`/v1/merchants/${merchant.id}/statements/${period}?${query}`, key)
  const read = async (period: string): Promise<StatementView> => {
    const reply = await get(period)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.data
  }
  return { merchant, key, get, read }
}

/** Returns the lines of a statement that have at least one transaction, as texts. */
const linesAsText = ({ lines }: StatementView) =>
  lines.filter(({ count }) => count > 0).map((line) => Object.values(line).join(' '))

function assertAddsUp(statement: StatementView): void {
  const net = statement.lines.reduce((sum, line) => sum + cents(line.net), 0n)
  assert.equal(cents(statement.opening_balance) + net, cents(statement.closing_balance), statement.period)
}

describe('periods of statements', () => {
  for (const [name, from, to] of [
    ['2026-01-05', '2026-01-04T21:00:00.000Z', '2026-01-05T21:00:00.000Z'],
    ['2026-01', '2025-12-31T21:00:00.000Z', '2026-01-31T21:00:00.000Z'],
    ['2026-12-31', '2026-12-30T21:00:00.000Z', '2026-12-31T21:00:00.000Z'],
    ['2024-02', '2024-01-31T21:00:00.000Z', '2024-02-29T21:00:00.000Z'],
    ['2024-02-29', '2024-02-28T21:00:00.000Z', '2024-02-29T21:00:00.000Z'],
    ['0050-03', '0050-02-28T21:00:00.000Z', '0050-03-31T21:00:00.000Z'],
  ] as const) {
    test(`the statement ${name} begins and ends at midnight in Tanzania`, () => {
      const period = readPeriod(name)
      assert.deepEqual([period?.from.toISOString(), period?.to.toISOString()], [from, to])
    })
  }

  for (const name of [
    '2026',
    '2026-13',
    '2026-00',
    '2026-1',
    '2026-02-30',
    '2026-02-29',
    '2026-01-00',
    '26-01',
    ' 2026-01',
    '2026-01-05T00:00',
  ]) {
    test(`the server refuses the statement of "${name}", which is neither a day nor a month, and names the field`, async () => {
      const { get } = await newBook()
      const reply = await get(encodeURIComponent(name))
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
      assert.equal(reply.body.error.details.fields[0].field, 'period')
    })
  }

  test('the server refuses a statement before its period begins in Tanzania, and marks a statement final five minutes after its period ends', async () => {
    moveTo('2026-02-09T23:59:59.999')
    const { get, read } = await newBook()
    assert.equal((await read('2026-02-09')).final, false)
    assert.equal((await read('2026-02')).final, false)
    for (const period of ['2026-02-10', '2026-03', '9999-12-31'])
      assert.deepEqual(codeOf(await get(period)), [400, 'validation_failed'])
    moveTo('2026-02-10T00:00:00.000')
    assert.equal((await read('2026-02-10')).final, false)
    assert.equal((await read('2026-02-09')).final, false, 'a booking in progress may still belong to the day')
    moveTo('2026-02-10T00:05:00.000')
    assert.equal((await read('2026-02-09')).final, true)
  })
})

describe('contents of statements', () => {
  test('a statement has the opening balance, the lines by type, and the closing balance', async () => {
    moveTo('2026-03-09T12:00:00')
    const { merchant, read } = await newBook()
    const [reversed] = await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor: 100_000n, fee_minor: 2_500n },
    ])
    moveTo('2026-03-10T00:00:00.000')
    await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor: 50_000n, fee_minor: 1_250n },
      { fact: 'collection_reversed', amount_minor: 100_000n, fee_minor: 2_500n, source_id: reversed as string },
    ])
    moveTo('2026-03-10T09:00:00')
    await postFacts(world.deps, merchant, [
      { fact: 'adjustment_credited_float', amount_minor: 70_000n },
      { fact: 'adjustment_debited_fee', amount_minor: 33n },
    ])
    const money = { merchant, amount_minor: 20_000n, fee_minor: 300n, charge_minor: 50n, pass_through: true }
    const [paid, failed] = [await submitWithdrawal(world, money), await submitWithdrawal(world, money)]
    await approve(world.deps, merchant, [paid, failed])
    await payoutAnswer(world.deps, merchant, paid, { kind: 'succeeded' })
    moveTo('2026-03-10T23:59:59.999')
    await payoutAnswer(world.deps, merchant, failed, { kind: 'declined' })
    moveTo('2026-03-11T00:00:00.000')
    await payoutAnswer(world.deps, merchant, paid, { kind: 'reversed', charge_returned: false })
    moveTo('2026-03-12T00:00:00')

    const monday = await read('2026-03-09')
    assert.deepEqual([monday.opening_balance, monday.closing_balance, monday.final], ['0.00', '975.00', true])
    assert.deepEqual(linesAsText(monday), ['COLLECTION credit 1 1000.00 25.00 975.00'])

    const tuesday = await read('2026-03-10')
    assert.deepEqual([tuesday.opening_balance, tuesday.closing_balance], ['975.00', '983.67'])
    assert.deepEqual(linesAsText(tuesday), [
      'COLLECTION credit 1 500.00 12.50 487.50',
      'COLLECTION_REVERSAL debit 1 1000.00 25.00 -975.00',
      'WITHDRAWAL debit 2 400.00 7.00 -407.00',
      'WITHDRAWAL_REVERSAL credit 1 200.00 3.50 203.50',
      'ADJUSTMENT credit 1 700.00 0.00 700.00',
      'ADJUSTMENT debit 1 0.33 0.00 -0.33',
    ])
    assert.equal(tuesday.lines.length, 6)

    const wednesday = await read('2026-03-11')
    assert.deepEqual(linesAsText(wednesday), ['WITHDRAWAL_REVERSAL credit 1 200.00 3.00 203.00'])
    assert.deepEqual([wednesday.opening_balance, wednesday.closing_balance], ['983.67', '1186.67'])

    const march = await read('2026-03')
    assert.deepEqual([march.opening_balance, march.closing_balance, march.final], ['0.00', '1186.67', false])
    assert.deepEqual(linesAsText(march).slice(0, 1), ['COLLECTION credit 2 1500.00 37.50 1462.50'])
    const quiet = await read('2026-02')
    assert.deepEqual([quiet.opening_balance, quiet.closing_balance, linesAsText(quiet)], ['0.00', '0.00', []])
    for (const statement of [monday, tuesday, wednesday, march, quiet]) assertAddsUp(statement)
  })

  test('a statement closes with the current balance when its period has not ended', async () => {
    moveTo('2026-03-16T12:00:00')
    const { merchant, key, read } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 700n }])
    moveTo('2026-03-17T12:00:00')
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 20n }])
    const today = await read('2026-03-17')
    assert.deepEqual([today.opening_balance, today.closing_balance, today.final], ['7.00', '7.20', false])
    assert.equal((await world.get('/v1/balance', key)).body.data.available, today.closing_balance)
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 5n }])
    assert.equal((await read('2026-03-17')).closing_balance, '7.25')
  })

  test('a statement opens with the balance after the last transaction, even if months without transactions follow', async () => {
    moveTo('2026-03-18T12:00:00')
    const { merchant, read } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 700n, fee_minor: 7n }])
    moveTo('2026-06-02T12:00:00')
    for (const period of ['2026-03-19', '2026-04', '2026-05-31', '2026-06-01']) {
      const { opening_balance, closing_balance } = await read(period)
      assert.deepEqual([opening_balance, closing_balance], ['6.93', '6.93'], period)
    }
  })

  test('a statement has only the transactions of one merchant in the environment that a member chooses', async () => {
    moveTo('2026-06-03T12:00:00')
    const { merchant, read } = await newBook()
    await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor: 700n },
      { fact: 'collection_settled', amount_minor: 30n, environment: 'live' },
    ])
    const path = `/v1/merchants/${merchant.id}/statements/2026-06-03`
    const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
    assert.equal((await read('2026-06-03')).closing_balance, '7.00')
    assert.equal((await world.get(path, token)).body.data.closing_balance, '0.30')
    assert.equal((await world.get(`${path}?environment=sandbox`, token)).body.data.closing_balance, '7.00')
    assert.deepEqual(codeOf(await world.get(path)), [403, 'merchant_mismatch'])
  })

  test('a statement has the same lines and balances in JSON and in CSV', async () => {
    moveTo('2026-06-08T12:00:00')
    const { merchant, get } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 700n, fee_minor: 7n }])
    moveTo('2026-06-09T12:00:00')
    await postFacts(world.deps, merchant, [{ fact: 'collection_reversed', amount_minor: 1_000n }])
    const reply = await get('2026-06-09', 'format=csv')
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
    assert.equal(
      reply.headers['content-disposition'],
      `attachment; filename="statement-2026-06-09-${merchant.merchant_code}-sandbox.csv"`,
    )
    const of = '2026-06-09,sandbox,TZS,false'
    assert.deepEqual(reply.text.split('\r\n'), [
      'period,environment,currency,final,line,direction,count,amount,fee,net,balance',
      `${of},OPENING_BALANCE,,,,,,6.93`,
      `${of},COLLECTION,credit,0,0.00,0.00,0.00,`,
      `${of},COLLECTION_REVERSAL,debit,1,10.00,0.00,-10.00,`,
      `${of},WITHDRAWAL,debit,0,0.00,0.00,0.00,`,
      `${of},WITHDRAWAL_REVERSAL,credit,0,0.00,0.00,0.00,`,
      `${of},ADJUSTMENT,credit,0,0.00,0.00,0.00,`,
      `${of},ADJUSTMENT,debit,0,0.00,0.00,0.00,`,
      `${of},CLOSING_BALANCE,,,,,,-3.07`,
      '',
    ])
    assert.deepEqual(codeOf(await get('2026-06-09', 'format=pdf')), [400, 'validation_failed'])
  })
})

test('the statement of a month is the same for each of six sizes of the batches that the server sums', async () => {
  moveTo('2026-06-20T12:00:00')
  const { merchant, read } = await newBook()
  for (let i = 0; i < 25; i++) {
    const fact = i % 4 === 3 ? 'adjustment_debited_cost' : 'collection_settled'
    await postFacts(world.deps, merchant, [{ fact, amount_minor: BigInt(100 + i), fee_minor: i % 4 === 0 ? 9n : 0n }])
    world.deps.clock.advance(i % 3)
  }
  moveTo('2026-07-01T12:00:00')
  const whole = await read('2026-06')
  assert.deepEqual(
    whole.lines.filter(({ count }) => count > 0).map(({ count }) => count),
    [19, 6],
  )
  const period = readPeriod('2026-06')
  assert.ok(period)
  for (const batch of [1, 4, 5, 24, 25, 26]) {
    const book = { merchant_id: merchant.id, environment: 'sandbox' } as const
    assert.deepEqual(await readStatement(world.deps, book, period, batch), whole, `${batch} at a time`)
  }
})

/** A transaction that the test has booked. */
type BookedTransaction = { at: number; kind: string; amount: bigint; fee: bigint; net: bigint }

/** Returns the expected statement of a period, which the test calculates from its transactions. */
function expectedStatement(booked: readonly BookedTransaction[], name: string) {
  const period = readPeriod(name)
  assert.ok(period)
  const [from, to] = [period.from.getTime(), period.to.getTime()]
  const sum = (transactions: readonly BookedTransaction[], field: 'amount' | 'fee' | 'net') =>
    transactions.reduce((total, transaction) => total + transaction[field], 0n)
  const within = booked.filter(({ at }) => at >= from && at < to)
  const lines = [...Map.groupBy(within, ({ kind }) => kind)].map(
    ([kind, group]) => `${kind} ${group.length} ${sum(group, 'amount')} ${sum(group, 'fee')} ${sum(group, 'net')}`,
  )
  const opening = sum(
    booked.filter(({ at }) => at < from),
    'net',
  )
  return { opening, closing: opening + sum(within, 'net'), lines: lines.sort() }
}

function shownStatement(statement: StatementView) {
  const lines = statement.lines
    .filter(({ count }) => count > 0)
    .map(
      (line) =>
        `${line.type} ${line.direction} ${line.count} ${cents(line.amount)} ${cents(line.fee)} ${cents(line.net)}`,
    )
  return { opening: cents(statement.opening_balance), closing: cents(statement.closing_balance), lines: lines.sort() }
}

type RandomMove = { gap_ms: number; lag_ms: number; what: number; amount: number; fee: number }

/**
 * The random choices of the test: pauses of up to 15 seconds or of 1 to 12 hours. The posting comes up to 20 seconds after the
 * creation of its id.
 */
const moves: fc.Arbitrary<RandomMove[]> = fc.array(
  fc.record({
    gap_ms: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 1, max: 15 * SECOND }),
      fc.integer({ min: HOUR, max: 12 * HOUR }),
    ),
    lag_ms: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 * SECOND })),
    what: fc.integer({ min: 0, max: 5 }),
    amount: fc.integer({ min: 100, max: 100_000 }),
    fee: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 99 })),
  }),
  { minLength: 1, maxLength: 40 },
)

/** Books one random move and returns the expected transaction. The process makes the transfer id `lag_ms` before the posting. */
async function bookMove(
  merchant: Merchant,
  { lag_ms, what, amount, fee }: RandomMove,
  balance: bigint,
): Promise<BookedTransaction> {
  const { deps } = world
  const at = deps.clock.now().getTime()
  const transfer_id = newId({ ...deps, clock: settableClock(new Date(at - lag_ms)) }, merchant.routing_code)
  const [amount_minor, fee_minor] = [BigInt(amount), BigInt(fee)]
  const has_balance = balance >= amount_minor + fee_minor
  const post = (fact: FactOf['fact'], more: Partial<FactOf> = {}) =>
    postFacts(deps, merchant, [{ fact, amount_minor, transfer_id, ...more }])
  if (what === 1) {
    await post('collection_reversed', { fee_minor })
    return {
      at,
      kind: 'COLLECTION_REVERSAL debit',
      amount: amount_minor,
      fee: fee_minor,
      net: fee_minor - amount_minor,
    }
  }
  if (what === 2 && has_balance) {
    const total = amount_minor + fee_minor
    const source_id = await submitWithdrawal(world, { merchant, amount_minor, fee_minor })
    await post('withdrawal_reserved', { amount_minor: total, source_id })
    return { at, kind: 'WITHDRAWAL debit', amount: amount_minor, fee: fee_minor, net: -total }
  }
  if (what === 3 && has_balance) {
    const source_id = await submitWithdrawal(world, { merchant, amount_minor, fee_minor })
    await post('withdrawal_paid_late', { fee_minor, source_id, charge_minor: 5n, charge_borne_by: 'platform' })
    return { at, kind: 'WITHDRAWAL debit', amount: amount_minor, fee: fee_minor, net: -amount_minor - fee_minor }
  }
  if (what === 4 && has_balance) {
    await post('adjustment_debited_float')
    return { at, kind: 'ADJUSTMENT debit', amount: amount_minor, fee: 0n, net: -amount_minor }
  }
  await post('collection_settled', { fee_minor })
  return { at, kind: 'COLLECTION credit', amount: amount_minor, fee: fee_minor, net: amount_minor - fee_minor }
}

test('each statement adds up and opens with the closing balance of the previous period after random bookings', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (history) => {
      const { merchant, read } = await newBook()
      // The bookings begin two days before the end of a month, a few seconds before midnight.
      const now = new Date(world.deps.clock.now().getTime() + 3 * HOUR)
      const begin = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, -1) - 3 * HOUR - 5 * SECOND
      world.deps.clock.advance(begin - now.getTime() + 3 * HOUR)
      const booked: BookedTransaction[] = []
      for (const move of history) {
        world.deps.clock.advance(move.gap_ms)
        const balance = booked.reduce((sum, { net }) => sum + net, 0n)
        booked.push(await bookMove(merchant, move, balance))
      }
      world.deps.clock.advance(DAY)
      const end = world.deps.clock.now().getTime()
      const days = Array.from({ length: Math.ceil((end - begin) / DAY) + 1 }, (_, i) => dayOf(begin - DAY + i * DAY))
      const months = [...new Set(days.map((day) => day.slice(0, 7)))]
      for (const names of [days, months]) {
        let closing: bigint | null = null
        for (const name of names) {
          const statement = await read(name)
          assertAddsUp(statement)
          assert.deepEqual(shownStatement(statement), expectedStatement(booked, name), name)
          if (closing !== null) assert.equal(cents(statement.opening_balance), closing, name)
          closing = cents(statement.closing_balance)
        }
      }
    }),
    { numRuns: 25 },
  )
})

describe('bookings of two processes at midnight', () => {
  /** Creates the dependencies of another process on the same database. The clock of the process begins at `time`. */
  const newProcess = (time: string) =>
    testDeps(world.url, { clock: settableClock(new Date(Date.parse(`${time}+03:00`))) })

  /** Waits until `count` database connections wait for a lock. */
  const waitForLocks = async (count: number) => {
    for (;;) {
      const [row] = await world.rows<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (row?.waiting === count) return
    }
  }

  test('a payment is in the statement of the day of the previous booking when its process read its clock before midnight', async () => {
    const { merchant, read } = await newBook()
    moveTo('2029-05-06T23:00:00')
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 1_000n }])
    const [late, early] = [newProcess('2029-05-06T23:59:59.990'), newProcess('2029-05-07T00:00:00.010')]
    // While a third transaction holds the lock of the book, the process with the later clock is the first to wait.
    const book = { merchant_id: merchant.id, environment: 'sandbox' }
    const queued: Promise<unknown>[] = []
    await inTransaction(world.deps.db, async (tx) => {
      await lockBooks(tx, [book])
      queued.push(postFacts(early, merchant, [{ fact: 'collection_settled', amount_minor: 20n, fee_minor: 1n }]))
      await waitForLocks(1)
      queued.push(postFacts(late, merchant, [{ fact: 'collection_settled', amount_minor: 300n, fee_minor: 2n }]))
      await waitForLocks(2)
    })
    await Promise.all(queued)
    await Promise.all([late.close(), early.close()])
    const order = await world.rows<{ amount_minor: bigint }>(
      'select amount_minor from ledger_transfers where merchant_id = $1 and leg = 0 order by credit_version',
      [merchant.id],
    )
    assert.deepEqual(
      order.map((row) => row.amount_minor),
      [1_000n, 20n, 300n],
      'the later process booked first',
    )
    moveTo('2029-05-08T12:00:00')
    const [yesterday, today] = [await read('2029-05-06'), await read('2029-05-07')]
    assert.deepEqual([yesterday.opening_balance, yesterday.closing_balance], ['0.00', '10.00'])
    assert.deepEqual([today.opening_balance, today.closing_balance], ['10.00', '13.17'])
    assert.deepEqual(linesAsText(yesterday), ['COLLECTION credit 1 10.00 0.00 10.00'])
    assert.deepEqual(linesAsText(today), ['COLLECTION credit 2 3.20 0.03 3.17'])
  })

  test('the statements of two days add up and the log has a warning when the clocks of two processes differ by minutes', async () => {
    const { merchant, read } = await newBook()
    moveTo('2029-06-06T12:00:00')
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 500n }])
    const [ahead, right] = [newProcess('2029-06-07T00:06:00'), newProcess('2029-06-06T23:59:00')]
    await postFacts(ahead, merchant, [{ fact: 'collection_settled', amount_minor: 1_000n }])
    for (const amount_minor of [1_500n, 500n])
      await postFacts(right, merchant, [{ fact: 'collection_settled', amount_minor }])
    await Promise.all([ahead.close(), right.close()])
    moveTo('2029-06-08T12:00:00')
    const [yesterday, today] = [await read('2029-06-06'), await read('2029-06-07')]
    assert.deepEqual([yesterday.opening_balance, yesterday.closing_balance], ['0.00', '5.00'])
    assert.deepEqual([today.opening_balance, today.closing_balance], ['5.00', '35.00'])
    assert.equal(right.logged.filter((line) => line.includes('clock of this process is behind')).length, 1)
    assert.equal(ahead.logged.length, 0)
  })

  test('the statements of both days add up when two processes post at midnight', async () => {
    const { merchant, read } = await newBook()
    moveTo('2029-06-06T12:00:00')
    const both = [newProcess('2029-06-06T23:59:59.900'), newProcess('2029-06-06T23:59:59.930')]
    const post = async (deps: (typeof both)[number], turn: number) => {
      for (let i = 0; i < 60; i++) {
        const facts = Array.from({ length: 1 + ((i + turn) % 4) }, (_, k): FactOf => {
          return { fact: 'collection_settled', amount_minor: BigInt(100 + i * 7 + k), fee_minor: BigInt((i + k) % 3) }
        })
        await postFacts(deps, merchant, facts)
        deps.clock.advance(1 + ((i * 7 + turn) % 5))
      }
    }
    // Several transactions of each process wait for the lock of the book at the same time. Each process makes the transfer ids
    // before it waits.
    await Promise.all(both.flatMap((deps) => [1, 2, 3].map((turn) => post(deps, turn))))
    for (const deps of both) await deps.close()
    moveTo('2029-06-08T12:00:00')
    const days = [
      await read('2029-06-05'),
      await read('2029-06-06'),
      await read('2029-06-07'),
      await read('2029-06-08'),
    ]
    for (const [i, day] of days.entries()) {
      assertAddsUp(day)
      if (i > 0) assert.equal(day.opening_balance, days[i - 1]?.closing_balance)
    }
    const counts = days.map(({ lines }) => lines[0]?.count ?? 0)
    assert.ok((counts[1] ?? 0) > 50 && (counts[2] ?? 0) > 50, `both days have transactions: ${counts}`)
    const [sum] = await world.rows<{ balance_minor: bigint; turned: number }>(
      `select balance_minor, (
         select count(*)::int from ledger_transfers a join ledger_transfers b on b.merchant_id = a.merchant_id
         where a.merchant_id = $1 and a.leg = 0 and b.leg = 0 and a.id < b.id and a.credit_version > b.credit_version
       ) as turned
       from ledger_accounts where merchant_id = $1 and environment = 'sandbox' and code = 'available'`,
      [merchant.id],
    )
    assert.ok(sum && sum.turned > 0, 'some ids were made in another order')
    assert.equal(cents(days[3]?.closing_balance ?? ''), sum.balance_minor)
    assert.deepEqual([days[1]?.final, days[2]?.final], [true, true])
  })
})
