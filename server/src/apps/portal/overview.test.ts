// Tests that each total of the overview equals the total of the matching list, on each day and after late answers.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { createWorld, type World } from '../../../test/harness.ts'
import { submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { DAY_MS, dayNumber, formatAmount, NETWORK_OF_PREFIX, startOfDay } from '../../kernel/lib/index.ts'
import { applyOutcomes, daysTask } from '../../money/collections/index.ts'
import { linkSettlement } from '../../money/payment-links/index.ts'
import { verify } from '../admin/verify.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const STATUSES = ['created', 'processing', 'successful', 'failed', 'pending_clearance', 'reversed'] as const
const STATUS_BY_TOTAL = {
  created: 'created',
  pending: 'processing',
  successful: 'successful',
  failed: 'failed',
  held: 'pending_clearance',
  reversed: 'reversed',
} as const

type Payment = { kind: 'push' | 'wallet' | 'qr' | 'page'; phone: string; amount: number; wait_ms: number }

const payments = fc.array(
  fc.record({
    kind: fc.constantFrom('push', 'push', 'push', 'wallet', 'qr', 'page'),
    // The last digits simulate success, decline, no answer, another amount and reversal. The prefixes are of four known
    // networks and an unknown network.
    phone: fc
      .tuple(
        fc.constantFrom('0754', '0684', '0714', '0624', '0724'),
        fc.constantFrom('001', '003', '007', '011', '012'),
      )
      .map(([prefix, end]) => `${prefix}123${end}`),
    amount: fc.integer({ min: 500, max: 90_000 }),
    // The test makes payments before and after midnight in Tanzania.
    wait_ms: fc.constantFrom(0, 1, 999, 3_000, 40_000, 3 * 3_600_000),
  }),
  { minLength: 6, maxLength: 18 },
)

async function pay({ kind, phone, amount }: Payment, key: string): Promise<void> {
  const path = { push: 'wallet-push', wallet: 'provider-pesa', qr: 'qr', page: '' }[kind]
  const payer = kind === 'qr' ? { customer_phone: phone } : kind === 'page' ? {} : { phone }
  const reply = await world.post(`/v1/collections${path && `/${path}`}`, { amount, ...payer }, { key })
  assert.equal(reply.status, 202, reply.text)
}

type PaymentRow = { id: string; status: string; method: string | null; amount_minor: bigint; received: bigint | null }

/** Reads the sandbox payments of a merchant from the table, newest first. Returns the payments that pass a filter. */
async function matching(
  merchant: Merchant,
  test: (row: PaymentRow & { at: number }) => boolean,
): Promise<PaymentRow[]> {
  const rows = await world.rows<PaymentRow>(
    `select id, status, method, amount_minor, amount_received_minor as received from collections
     where merchant_id = $1 and environment = 'sandbox' order by id desc`,
    [merchant.id],
  )
  return rows.filter((row) => test({ ...row, at: Number.parseInt(row.id.replaceAll('-', '').slice(0, 12), 16) }))
}

/** Reads a list page by page, compares the number of rows with the total, and returns the ids. */
async function listed(query: string, key: string, page_size: number): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const { items, pagination } = (await world.get(`/v1/collections?page=${page}&page_size=${page_size}${query}`, key))
      .body.data
    ids.push(...items.map((item: { collection_id: string }) => item.collection_id))
    if (page >= pagination.total_pages) {
      assert.equal(ids.length, pagination.total_items, query)
      return ids
    }
  }
}

const time = (at: number) => encodeURIComponent(new Date(at).toISOString())

/** Checks that lists with several filters have the same rows in the same order as the table. */
async function checkLists(merchant: Merchant, key: string, edges: readonly number[]): Promise<void> {
  for (const status of [undefined, ...STATUSES]) {
    for (const method of [undefined, 'qr']) {
      for (const [i, from] of [undefined, ...edges].entries()) {
        const to = [undefined, ...edges].at(-1 - (i % 3))
        const expected = await matching(
          merchant,
          (row) =>
            (status === undefined || row.status === status) &&
            (method === undefined || row.method === method) &&
            (from === undefined || row.at >= from) &&
            (to === undefined || row.at < to),
        )
        const query = [
          status && `&status=${status}`,
          method && `&method=${method}`,
          from && `&from=${time(from)}`,
          to && `&to=${time(to)}`,
        ]
        assert.deepEqual(
          await listed(query.filter(Boolean).join(''), key, 3),
          expected.map(({ id }) => id),
          `${status} ${method} ${from} ${to}`,
        )
      }
    }
  }
}

/** Compares the totals of payments in the overview with the lists of the same status and times. */
async function checkOverview(merchant: Merchant, key: string): Promise<void> {
  const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
  for (const period of ['today', '7d', '30d']) {
    const { data } = (await world.get(`/v1/merchant/overview?environment=sandbox&period=${period}`, token)).body
    const total = async (status: string, from: string, to: string) => {
      const range = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`
      const reply = await world.get(`/v1/collections?page_size=1&status=${status}&${range}`, key)
      return reply.body.data.pagination.total_items
    }
    for (const [name, status] of Object.entries(STATUS_BY_TOTAL)) {
      const { count, amount } = data.collections[name]
      assert.equal(count, await total(status, data.from, data.to), `${period} ${name}`)
      const rows = await matching(
        merchant,
        (row) => row.status === status && row.at >= Date.parse(data.from) && row.at < Date.parse(data.to),
      )
      const is_received = ['successful', 'held', 'reversed'].includes(name)
      const sum = rows.reduce((all, row) => all + (is_received ? (row.received ?? 0n) : row.amount_minor), 0n)
      assert.equal(amount, formatAmount(sum), `${period} ${name}`)
    }
    for (const name of ['successful', 'failed'] as const) {
      for (const slot of data.series) {
        // The test skips hours without payments, because one list for each hour would take minutes.
        if (slot[name].count > 0) assert.equal(slot[name].count, await total(name, slot.from, slot.to))
      }
      const of = (parts: { [key in typeof name]: { count: number } }[]) =>
        parts.reduce((all, part) => all + part[name].count, 0)
      assert.equal(of(data.series), data.collections[name].count)
      assert.equal(of(data.methods), data.collections[name].count)
    }
  }
}

/** Applies a late answer of the provider to a payment. */
async function answerLate(merchant: Merchant, row: PaymentRow, kind: 'succeeded' | 'reversed'): Promise<void> {
  const { amount_minor, received } = row
  const answer = { kind, amount_minor: received ?? amount_minor, currency: 'TZS', provider_status: null } as const
  const outcome = { merchant_id: merchant.id, collection_id: row.id, number: 1, answer }
  await inTransaction(world.deps.db, (tx) => applyOutcomes(world.deps, tx, linkSettlement, [outcome], () => false))
}

test('each total of the overview equals the total of its list around midnight, days later, and after late answers', async () => {
  await fc.assert(
    fc.asyncProperty(payments, async (history) => {
      const { clock } = world.deps
      const merchant = await world.newMerchant()
      const key = await world.newKey({ merchant })
      const midnight = startOfDay(dayNumber(clock.now()) + 1).getTime()
      clock.advance(midnight - 5_000 - clock.now().getTime())
      for (const payment of history) {
        await pay(payment, key)
        clock.advance(payment.wait_ms)
      }
      await world.work()
      const edges = [midnight - DAY_MS, midnight, midnight + 1, midnight + DAY_MS]
      await checkOverview(merchant, key)
      await checkLists(merchant, key, edges)

      clock.advance(5 * DAY_MS)
      await world.work()
      const over = await world.rows('select 1 from collection_days where merchant_id = $1', [merchant.id])
      assert.ok(over.length > 0, 'the days have sums')
      await checkOverview(merchant, key)
      await checkLists(merchant, key, edges)

      for (const row of await matching(merchant, ({ status, method }) => status === 'failed' && method !== null)) {
        await answerLate(merchant, row, 'succeeded')
      }
      const [reversed] = await matching(merchant, ({ status }) => status === 'successful')
      if (reversed) await answerLate(merchant, reversed, 'reversed')
      for (const _ of ['before the days are summed again', 'after']) {
        await checkOverview(merchant, key)
        await checkLists(merchant, key, edges)
        await daysTask(world.deps).runOnce()
      }
      const left = await world.rows('select 1 from collection_days_stale where merchant_id = $1', [merchant.id])
      assert.deepEqual(left, [])
    }),
    { numRuns: Number(process.env.RUNS_OF_OVERVIEW ?? 2) },
  )
  const { checks } = await verify(world.url)
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  )
})

test('the overview shows the success rate, fees, networks and withdrawals', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
  const read = async () => (await world.get('/v1/merchant/overview?environment=sandbox', token)).body.data
  const empty = await read()
  assert.deepEqual([empty.success_rate, empty.methods, empty.series.length], [null, [], 24])
  assert.deepEqual(empty.collections.successful, { count: 0, amount: '0.00' })
  for (const phone of ['0754123001', '0754123001', '0684123003']) {
    await world.post('/v1/collections/wallet-push', { amount: 1_000, phone }, { key })
  }
  await world.post('/v1/collections/qr', { amount: 50, customer_phone: '0754123001' }, { key })
  await world.work()
  await submitWithdrawal(world, { merchant, amount_minor: 12_345n })
  const full = await read()
  assert.equal(full.success_rate, '75.0')
  assert.deepEqual(full.collections.successful, { count: 3, amount: '2050.00' })
  assert.deepEqual(full.withdrawals.waiting, { count: 1, amount: '123.45' })
  const none = { count: 0, amount: '0.00' }
  assert.deepEqual(full.methods, [
    {
      method: 'wallet_push',
      network: 'MPESA',
      successful: { count: 2, amount: '2000.00' },
      failed: none,
      success_rate: '100.0',
    },
    ...full.methods.slice(1),
  ])
  assert.deepEqual(
    full.methods
      .slice(1)
      .map(({ method, network, success_rate }: Record<string, string>) => [method, network, success_rate])
      .sort(),
    [
      ['qr', null, '100.0'],
      ['wallet_push', 'AIRTEL', '0.0'],
    ],
  )
  const fees = await world.rows<{ fee: bigint }>(
    "select sum(fee_minor)::bigint as fee from collections where merchant_id = $1 and status = 'successful'",
    [merchant.id],
  )
  assert.equal(full.fees, formatAmount(fees[0]?.fee ?? 0n))
})

test('the overview shows the same networks for payments of an open day as for the stored sums of the day', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const prefixes = [...Object.keys(NETWORK_OF_PREFIX), '60', '64']
  for (const [i, prefix] of prefixes.entries()) {
    const phone = `0${prefix}4123${i % 3 === 0 ? '003' : '001'}`
    const reply = await world.post('/v1/collections/wallet-push', { amount: 1_000 + i, phone }, { key })
    assert.equal(reply.status, 202, reply.text)
  }
  await world.post('/v1/collections/qr', { amount: 50, customer_phone: '0754123001' }, { key })
  await world.post('/v1/collections', { amount: 70 }, { key })
  await world.work()
  const methods = async () => {
    const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
    const { data } = (await world.get('/v1/merchant/overview?environment=sandbox&period=30d', token)).body
    return data.methods.toSorted((a: { network: string }, b: { network: string }) => (a.network < b.network ? -1 : 1))
  }
  const open = await methods()
  world.deps.clock.advance(5 * DAY_MS)
  await world.work()
  const stored = await world.rows('select 1 from collection_days where merchant_id = $1', [merchant.id])
  assert.ok(stored.length > 0, 'the day has stored sums')
  assert.deepEqual(await methods(), open)
  for (const network of new Set([...Object.values(NETWORK_OF_PREFIX), null])) {
    const row = open.find((one: { method: string; network: string }) => one.method !== 'qr' && one.network === network)
    const expected = prefixes.filter((prefix) => (NETWORK_OF_PREFIX[prefix] ?? null) === network).length
    assert.equal(row.successful.count + row.failed.count, expected, `${network}`)
  }
  assert.equal(open.find(({ method }: { method: string }) => method === 'qr').network, null)
})
