// Tests the order of bookings. Each balance follows from the previous booking, even if several processes book at the same time.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type TestDeps, testDeps, type World } from '../../../test/harness.ts'
import { approve, type FactOf, payoutAnswer, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { ENVIRONMENTS, type Environment } from '../../kernel/http/index.ts'
import { newId, settableClock } from '../../kernel/lib/index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const MINUTE = 60_000

type Line = {
  reference: string
  sequence: number
  direction: 'credit' | 'debit'
  net_amount: string
  balance_after: string
  created_at: string
}

const cents = (text: string) => BigInt(text.replace('.', ''))
const signed = ({ direction, net_amount }: Line) => (direction === 'credit' ? 1n : -1n) * cents(net_amount)

/**
 * Returns functions that read the bookings of a merchant in one environment: the list, the CSV file, a statement, one
 * transaction, the balance.
 */
async function readerOf(merchant: Merchant, environment: Environment) {
  const key = await world.newKey({ merchant, environment })
  const path = `/v1/merchants/${merchant.id}`
  const get = async (url: string) => {
    const reply = await world.get(url, key)
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  return {
    /** Returns the transactions of all pages of the list, newest first. */
    async list(query = '', page_size = 7): Promise<Line[]> {
      const lines: Line[] = []
      for (let page = 1; ; page++) {
        const { data } = (await get(`${path}/transactions?page=${page}&page_size=${page_size}&${query}`)).body
        lines.push(...data.items)
        if (data.items.length < page_size) {
          assert.equal(data.pagination.total_items, lines.length)
          return lines
        }
      }
    },
    async csv(query = ''): Promise<Line[]> {
      const [header = '', ...rows] = (await get(`${path}/transactions/export?${query}`)).text.split('\r\n').slice(0, -1)
      const names = header.split(',')
      return rows.map((row) => {
        const line = Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])) as unknown as Line
        return { ...line, sequence: Number(line.sequence) }
      })
    },
    statement: async (period: string) => (await get(`${path}/statements/${period}`)).body.data,
    find: async (reference: string): Promise<Line> => (await get(`/v1/transactions/${reference}`)).body.data,
    available: async () => cents((await get('/v1/balance')).body.data.available),
  }
}

/**
 * Asserts that sequence numbers have no gap, that each balance follows from the previous booking, and that times never decrease.
 */
function assertChain(newest_first: readonly Line[], opening: bigint, first = 1): bigint {
  let balance = opening
  let time = ''
  for (const [i, line] of newest_first.toReversed().entries()) {
    balance += signed(line)
    assert.equal(cents(line.balance_after), balance, `balance after booking ${first + i}`)
    assert.equal(line.sequence, first + i)
    assert.ok(line.created_at >= time, `booking ${first + i} is dated before the previous booking`)
    time = line.created_at
  }
  return balance
}

/** Runs separate processes on the same database. The clock of each process begins at one of `times`. */
async function withProcesses<T>(times: readonly Date[], work: (processes: TestDeps[]) => Promise<T>): Promise<T> {
  const processes = times.map((time) => testDeps(world.url, { clock: settableClock(time) }))
  try {
    return await work(processes)
  } finally {
    for (const deps of processes) await deps.close()
  }
}

/**
 * Books payments, reversals, adjustments and withdrawals in batches of several sizes, from several processes at the same time.
 */
async function bookAtOnce(processes: readonly TestDeps[], merchant: Merchant, rounds: number): Promise<void> {
  const credit = (environment: Environment, n: number): FactOf => ({
    fact: 'collection_settled',
    environment,
    amount_minor: BigInt(10_000 + n * 7),
    fee_minor: BigInt((n % 3) * 11),
  })
  const bookRounds = async (deps: TestDeps, lane: number) => {
    for (let round = 0; round < rounds; round++) {
      const environment = ENVIRONMENTS[(round + lane) % 2] as Environment
      const facts = Array.from({ length: 1 + ((round + lane) % 4) }, (_, n) => credit(environment, n + round))
      const sources = await postFacts(deps, merchant, [
        ...facts,
        credit(environment === 'live' ? 'sandbox' : 'live', round),
        // A held payment does not change the available balance, so it gets no sequence number.
        { fact: 'collection_held', environment, amount_minor: 5n },
        { fact: 'adjustment_credited_fee', environment, amount_minor: 50n },
      ])
      if (round % 3 === 0) {
        const [source_id] = sources as [string]
        const reversed = facts[0] as FactOf
        await postFacts(deps, merchant, [{ ...reversed, fact: 'collection_reversed', source_id }])
      }
      if (round % 4 === lane % 4) {
        const id = await submitWithdrawal(world, {
          merchant,
          environment,
          amount_minor: 900n,
          fee_minor: 30n,
          charge_minor: 7n,
          pass_through: round % 2 === 0,
        })
        await approve(deps, merchant, [id])
        const answers = [{ kind: 'declined' }, { kind: 'succeeded' }] as const
        await payoutAnswer(deps, merchant, id, answers[round % 2] as (typeof answers)[number])
        if (round % 2 === 1) await payoutAnswer(deps, merchant, id, { kind: 'reversed', charge_returned: lane === 1 })
      }
      deps.clock.advance((round * 5 + lane) % 4)
    }
  }
  for (const environment of ENVIRONMENTS) {
    await postFacts(world.deps, merchant, [
      { fact: 'adjustment_credited_float', environment, amount_minor: 1_000_000n },
    ])
  }
  await Promise.all(processes.flatMap((deps) => [0, 1].map((lane) => bookRounds(deps, lane))))
}

const now = () => world.deps.clock.now().getTime()

describe('simultaneous bookings by several processes', () => {
  let merchant: Merchant
  before(async () => {
    merchant = await world.newMerchant()
    const times = [0, 3, -2, 1].map((ms) => new Date(now() + ms))
    await withProcesses(times, (processes) => bookAtOnce(processes, merchant, 12))
    world.deps.clock.advance(MINUTE)
  })

  for (const environment of ENVIRONMENTS) {
    test(`simultaneous bookings have the same order and balances in the list, the look-up, the CSV file and the statement in ${environment}`, async () => {
      const reader = await readerOf(merchant, environment)
      const lines = await reader.list()
      assert.ok(lines.length > 150, `${lines.length} transactions`)
      assert.equal(assertChain(lines, 0n), await reader.available())
      assert.deepEqual(
        (await reader.csv()).map(({ reference, sequence, balance_after }) => [reference, sequence, balance_after]),
        lines.map(({ reference, sequence, balance_after }) => [reference, sequence, balance_after]),
      )
      for (const line of [lines[0], lines[77], lines.at(-1)] as Line[]) {
        assert.deepEqual(await reader.find(line.reference), line)
      }
      const statement = await reader.statement('2026-01')
      assert.equal(cents(statement.closing_balance), await reader.available())
      assert.equal(
        statement.lines.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
        lines.length,
      )
    })

    test(`simultaneous bookings keep their sequence numbers in a list of one type and in a CSV file of one type in ${environment}`, async () => {
      const reader = await readerOf(merchant, environment)
      const all = await reader.list('', 100)
      for (const type of ['COLLECTION', 'COLLECTION_REVERSAL', 'WITHDRAWAL', 'WITHDRAWAL_REVERSAL', 'ADJUSTMENT']) {
        const of_type = await reader.list(`type=${type}`)
        assert.deepEqual(
          of_type,
          all.filter((line) => (line as Line & { type: string }).type === type),
        )
        assert.deepEqual(
          (await reader.csv(`type=${type}`)).map(({ sequence }) => sequence),
          of_type.map(({ sequence }) => sequence),
        )
      }
    })
  }
})

test('45 payments that two workers settle at the same time have the same order and balances in the list and in the CSV file', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const second = await createWorld({ url: world.url, clock: settableClock(new Date(now() + 1)) })
  try {
    const pay = async (by: World, i: number) => {
      const body = { amount: 1000 + i, phone: '0754123001' }
      const reply = await by.post('/v1/collections/wallet-push', body, { key })
      assert.equal(reply.status, 202, reply.text)
    }
    await Promise.all(Array.from({ length: 45 }, (_, i) => pay(i % 2 === 0 ? world : second, i)))
    const reader = await readerOf(merchant, 'sandbox')
    for (;;) {
      await Promise.all([world.work(), second.work()])
      if ((await reader.list('', 100)).length === 45) break
    }
    const lines = await reader.list()
    assert.equal(assertChain(lines, 0n), await reader.available())
    assert.deepEqual(
      (await reader.csv()).map(({ sequence }) => sequence),
      lines.map(({ sequence }) => sequence),
    )
  } finally {
    await second.close()
  }
})

describe('sequence numbers of books', () => {
  const credit = (more: Partial<FactOf> = {}): FactOf => ({ fact: 'collection_settled', amount_minor: 500n, ...more })

  test('the sequence numbers of a book have no gap when a process repeats a posting or a batch rolls back', async () => {
    const merchant = await world.newMerchant()
    const [source_id] = (await postFacts(world.deps, merchant, [credit()])) as [string]
    await assert.rejects(postFacts(world.deps, merchant, [credit(), credit({ source_id }), credit()]))
    await assert.rejects(
      postFacts(world.deps, merchant, [credit(), { fact: 'withdrawal_reserved', amount_minor: 9_999n }]),
    )
    await postFacts(world.deps, merchant, [credit(), { fact: 'collection_held', amount_minor: 5n }, credit()])
    const lines = await (await readerOf(merchant, 'sandbox')).list()
    assert.deepEqual(
      lines.map(({ sequence }) => sequence),
      [3, 2, 1],
    )
    assertChain(lines, 0n)
  })

  test('the list of transactions keeps the order of bookings when the transaction ids have another order because clocks differ', async () => {
    const merchant = await world.newMerchant()
    const ids = [3, 1, 2, 0].map((ms) =>
      newId({ ...world.deps, clock: settableClock(new Date(now() - ms * 1_000)) }, merchant.routing_code),
    )
    for (const transfer_id of [ids[1], ids[3], ids[0], ids[2]] as string[])
      await postFacts(world.deps, merchant, [credit({ transfer_id, fee_minor: 3n })])
    assertChain(await (await readerOf(merchant, 'sandbox')).list(), 0n)
  })

  test('the server gives a booking no earlier time than the previous booking, even if the clock of the process is behind', async () => {
    const merchant = await world.newMerchant()
    await withProcesses([new Date(now() + 2 * MINUTE), new Date(now())], async ([ahead, behind]) => {
      for (const deps of [behind, ahead, behind, ahead, behind] as TestDeps[])
        await postFacts(deps, merchant, [credit(), credit()])
    })
    const reader = await readerOf(merchant, 'sandbox')
    const lines = await reader.list()
    assertChain(lines, 0n)
    const moment = (ms: number) => encodeURIComponent(new Date(now() + ms).toISOString())
    const sequences = async (query: string) => (await reader.list(query)).map(({ sequence }) => sequence)
    assert.deepEqual(await sequences(`to=${moment(2 * MINUTE)}`), [2, 1])
    assert.deepEqual(await sequences(`from=${moment(2 * MINUTE)}`), [10, 9, 8, 7, 6, 5, 4, 3])
    assert.deepEqual(await sequences(`from=${moment(1)}&to=${moment(2 * MINUTE)}`), [])
    assert.deepEqual(await sequences(`from=${moment(2 * MINUTE)}&to=${moment(0)}`), [])
  })
})

test('statements of consecutive days and months have each booking once, and each opens with the closing balance of the previous statement', async () => {
  const merchant = await world.newMerchant()
  const midnight = Date.parse('2026-02-01T00:00:00+03:00')
  world.deps.clock.advance(midnight - 30 - now())
  await withProcesses(
    [-20, -19, -18, -17].map((ms) => new Date(midnight + ms)),
    (processes) => bookAtOnce(processes, merchant, 12),
  )
  world.deps.clock.advance(10 * MINUTE)
  for (const environment of ENVIRONMENTS) {
    const reader = await readerOf(merchant, environment)
    const whole = await reader.list('', 100)
    for (const periods of [
      ['2026-01-30', '2026-01-31', '2026-02-01'],
      ['2025-12', '2026-01', '2026-02'],
    ]) {
      let balance = 0n
      let next = 1
      for (const period of periods) {
        const { from, to, opening_balance, closing_balance, lines } = await reader.statement(period)
        const part = await reader.list(`from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)
        assert.equal(cents(opening_balance), balance, period)
        balance = assertChain(part, balance, next)
        assert.equal(cents(closing_balance), balance, period)
        next += part.length
        assert.equal(
          lines.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
          part.length,
        )
        assert.deepEqual(
          (await reader.csv(`from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)).map(
            ({ sequence }) => sequence,
          ),
          part.map(({ sequence }) => sequence),
        )
        if (period !== periods[0]) assert.ok(part.length > 5, `${period} has lines on its side of the border`)
      }
      assert.equal(next, whole.length + 1)
    }
  }
})
