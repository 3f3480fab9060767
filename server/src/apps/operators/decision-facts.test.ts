// Tests the facts of a waiting withdrawal that operators see in the list, in the case and in the dry run of a batch.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import { findWithdrawalFacts } from './decision-facts.ts'
import { LATEST_PAID } from './withdrawals-schema.ts'

const FREE = { rules: [{ flow: 'withdrawal' }] }

let world: World
let operator: TestOperator
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
})
after(() => world.close())

type Facts = Record<'balance_percent' | 'largest_paid_amount' | 'times_largest_paid', string | null> & {
  new_destination: boolean
  paid_by_others: boolean
}

async function factsInList(shop: ShopWithKeys, query = ''): Promise<Map<string, Facts | null>> {
  const url = `/v1/operator/withdrawals?merchant_id=${shop.merchant.id}&page_size=100${query}`
  const reply = await world.get(url, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return new Map(reply.body.data.items.map((item: { id: string; facts: Facts | null }) => [item.id, item.facts]))
}

async function factsInCase(id: string): Promise<Facts | null> {
  const reply = await world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.facts
}

async function factsInBatch(withdrawal_ids: readonly string[], dry_run = true): Promise<(Facts | null)[]> {
  const body = { withdrawal_ids, dry_run }
  const reply = await world.post('/v1/operator/withdrawals/approve-batch', body, { key: await operator.session() })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items.map(({ facts }: { facts: Facts | null }) => facts)
}

const factsOf = (percent: string | null, largest: string | null, times: string | null, is_new: boolean): Facts => ({
  balance_percent: percent,
  largest_paid_amount: largest,
  times_largest_paid: times,
  new_destination: is_new,
  paid_by_others: false,
})

test('the list, the case and the dry run show the same facts about small and large withdrawals', async () => {
  const shop = await operator.shop('120000.00', FREE)
  await operator.approve(await operator.submit(shop, { amount: '20000.00' }))
  const small = await operator.submit(shop, { amount: '999.00' })
  const large = await operator.submit(shop, { amount: '100000.00' })
  const fresh = await operator.submit(shop, { amount: '79999.99', ending: '777' })
  const expected = [
    factsOf('0.9', '20000.00', '0.0', false),
    factsOf('100.0', '20000.00', '5.0', false),
    factsOf('79.9', '20000.00', '3.9', true),
  ]
  const listed = await factsInList(shop)
  assert.deepEqual(
    [small, large, fresh].map((id) => listed.get(id)),
    expected,
  )
  assert.deepEqual(await Promise.all([small, large, fresh].map(factsInCase)), expected)
  assert.deepEqual(await factsInBatch([small, large, fresh]), expected)
})

test('the percentage includes the charges, and the multiple does not', async () => {
  const shop = await operator.shop('108000.00')
  await operator.approve(await operator.submit(shop, { ending: '621', amount: '10000.00' }))
  // The first withdrawal took 10800.00 of the balance with its charges.
  const id = await operator.submit(shop, { ending: '621', amount: '10000.00' })
  assert.deepEqual(await factsInCase(id), factsOf('11.1', '10000.00', '1.0', false))
})

test('a merchant without a successful withdrawal, or without a balance, has null for the facts that need one', async () => {
  const shop = await operator.shop('1000.00', FREE)
  const first = await operator.submit(shop, { ending: '622', amount: '1000.00' })
  assert.deepEqual(await factsInCase(first), factsOf('100.0', null, null, true))
  const next = await operator.submit(shop, { amount: '1000.00', ending: '778' })
  await operator.approve(first)
  assert.deepEqual(await factsInCase(next), factsOf(null, '1000.00', '1.0', true))
})

test('a paid withdrawal of another merchant to the same destination marks a withdrawal in the list, the case and the dry run', async () => {
  const [shop, other] = [await operator.shop('100000.00', FREE), await operator.shop('100000.00', FREE)]
  const ids = [await operator.submit(shop, { ending: '626' }), await operator.submit(other, { ending: '626' })] as const
  const isMarked = async (id: string) => (await factsInCase(id))?.paid_by_others
  // Waiting withdrawals, paid ones of the sandbox and payouts to other numbers do not count.
  await operator.approve(await operator.submit(other, { ending: '626', environment: 'sandbox' }))
  await operator.approve(await operator.submit(other, { ending: '627' }))
  assert.deepEqual(await Promise.all(ids.map(isMarked)), [false, false])
  await operator.approve(ids[1])
  assert.equal(await isMarked(ids[0]), true)
  assert.equal((await factsInList(shop)).get(ids[0])?.paid_by_others, true)
  assert.equal((await factsInBatch([ids[0]]))[0]?.paid_by_others, true)
  // Whichever of the two merchants has the lower id, each sees the payouts of the other one.
  await operator.approve(ids[0])
  assert.equal(await isMarked(await operator.submit(other, { ending: '626' })), true)
})

test('a failed withdrawal, another merchant and the other environment do not change the facts', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const other = await operator.shop('100000.00', FREE)
  await operator.approve(await operator.submit(other, { ending: '624', amount: '50000.00' }))
  await operator.approve(await operator.submit(shop, { ending: '623', amount: '40000.00', environment: 'sandbox' }))
  await operator.approve(await operator.submit(shop, { amount: '30000.00', ending: '102' }))
  const id = await operator.submit(shop, { ending: '623', amount: '10000.00' })
  assert.deepEqual(await factsInCase(id), factsOf('10.0', null, null, true))
})

test('a withdrawal that waits for no approval has no facts, and a withdrawal with an open question has facts', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const [paid, rejected, asked] = [
    await operator.submit(shop, { ending: '625' }),
    await operator.submit(shop, { ending: '625' }),
    await operator.submit(shop, { ending: '625', amount: '45000.00' }),
  ]
  await operator.approve(paid)
  await operator.act(rejected, 'reject')
  await operator.act(asked, 'request-info')
  const expected = [null, null, factsOf('50.0', '10000.00', '4.5', false)]
  const listed = await factsInList(shop)
  assert.deepEqual(
    [paid, rejected, asked].map((id) => listed.get(id)),
    expected,
  )
  for (const dry_run of [true, false]) assert.deepEqual(await factsInBatch([paid, rejected, asked], dry_run), expected)
  assert.equal((await factsInList(shop)).get(asked), null, 'the withdrawal waits no longer')
})

/** The highest number of rows that the query reads besides the paid withdrawals. */
const AROUND = 40

/**
 * Adds paid withdrawals of 1000.00 as copies of another one. `prefix` begins their ids, so the prefix decides the order of
 * their ages. Without `phone`, each pays another phone.
 */
async function addPaid(
  shop: ShopWithKeys,
  prefix: string,
  count: number,
  { environment = 'live', phone = null }: { environment?: string; phone?: string | null } = {},
): Promise<void> {
  await world.rows(
    `insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
       destination_code, destination_identifier, percentage_fee_minor, flat_fee_minor, processor_charge_minor,
       processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind, requested_by_name,
       provider_reference, transfer_id, created_at, updated_at, completed_at)
     select merchant_id, ($2 || lpad(to_hex(n), 4, '0') || substr(id::text, 9))::uuid, $3, status, version, funds,
       method, 100000, currency, destination_code, coalesce($5, '25576' || lpad(n::text, 7, '0')), 0, 0, 0, false, 0, 100000,
       requested_by_kind, requested_by_name, provider_reference, transfer_id, created_at, updated_at, completed_at
     from withdrawals, generate_series(1, $4::int) n
     where merchant_id = $1 and status = 'SUCCESS' and amount_minor <> 100000`,
    [shop.merchant.id, prefix, environment, count, phone],
  )
  await world.rows('analyze withdrawals')
}

test('one query reads the facts of a page, and reads a bounded number of rows for a merchant with 20,000 paid withdrawals', async () => {
  const shop = await operator.shop('1000000.00', FREE)
  await operator.approve(await operator.submit(shop, { amount: '90000.00' }))
  const keys: { merchant_id: string; id: string }[] = []
  for (const ending of ['001', '002', '003']) {
    keys.push({ merchant_id: shop.merchant.id, id: await operator.submit(shop, { ending }) })
  }
  const largest = () =>
    rowsRead(world, async ({ db }) => {
      let queries = 0
      const query: typeof db.query = (...given) => {
        queries += 1
        return db.query(...given)
      }
      const facts = await findWithdrawalFacts({ query }, keys)
      assert.equal(queries, 1)
      return [...facts.values()].map(({ largest_paid_minor }) => largest_paid_minor)
    })
  const few = await largest()
  assert.deepEqual(few.result, [9_000_000n, 9_000_000n, 9_000_000n])
  await addPaid(shop, '0000', 20_000)
  const many = await largest()
  assert.deepEqual(many.result, few.result, 'the latest are the same')
  assert.ok(many.read <= LATEST_PAID + AROUND, `${many.read} rows`)
  await addPaid(shop, 'eeee', 2_000, { environment: 'sandbox' })
  const mixed = await largest()
  assert.deepEqual(mixed.result, few.result, 'the environments stay apart')
  assert.ok(mixed.read <= LATEST_PAID + AROUND, `${mixed.read} rows beside newer ones of the sandbox`)
  await addPaid(shop, '0001', 5_000, { phone: '255754123002' })
  const same = await largest()
  assert.deepEqual(same.result, few.result, 'payouts to one destination change nothing')
  assert.ok(same.read <= LATEST_PAID + AROUND, `${same.read} rows beside many payouts to one destination`)
  await addPaid(shop, 'ffff', LATEST_PAID)
  assert.deepEqual((await largest()).result, [100_000n, 100_000n, 100_000n], 'only the latest count')
})
