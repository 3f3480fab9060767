// Tests the facts of a waiting withdrawal that operators see in the list, in the case and in the dry run of a batch.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { fund } from '../../../test/payouts.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import { getCase } from './case.ts'
import { findWithdrawalFacts, type WithdrawalKey } from './decision-facts.ts'
import { LATEST_PAID } from './withdrawals-schema.ts'

const DAY = 86_400_000
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
  recent_failures: object | null
  income_later: { amount: string | null } | null
  warnings: string[]
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

/** Submits a withdrawal with a later time than the withdrawals before, so that its id is greater. */
function submitLater(shop: ShopWithKeys, options: { amount: string; ending: string }): Promise<string> {
  world.deps.clock.advance(1)
  return operator.submit(shop, options)
}

const factsOf = (
  percent: string | null,
  largest: string | null,
  times: string | null,
  is_new: boolean,
  warnings: string[] = [],
  paid_by_others = false,
): Facts => ({
  balance_percent: percent,
  largest_paid_amount: largest,
  times_largest_paid: times,
  new_destination: is_new,
  paid_by_others,
  recent_failures: null,
  income_later: null,
  warnings,
})

test('the list, the case and the dry run show the same facts about small and large withdrawals', async () => {
  const shop = await operator.shop('120000.00', FREE)
  await operator.approve(await operator.submit(shop, { amount: '20000.00' }))
  const small = await operator.submit(shop, { amount: '999.00' })
  const large = await operator.submit(shop, { amount: '100000.00' })
  const fresh = await operator.submit(shop, { amount: '79999.99', ending: '777' })
  const expected = [
    factsOf('0.9', '20000.00', '0.0', false),
    factsOf('100.0', '20000.00', '5.0', false, ['large_share', 'large_multiple']),
    factsOf('79.9', '20000.00', '3.9', true, ['new_destination']),
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
  const ending = '612'
  await operator.approve(await operator.submit(shop, { amount: '10000.00', ending }))
  // The first withdrawal took 10800.00 of the balance with its charges.
  const id = await operator.submit(shop, { amount: '10000.00', ending })
  assert.deepEqual(await factsInCase(id), factsOf('11.1', '10000.00', '1.0', false))
})

test('a merchant without a successful withdrawal, or without a balance, has null for the facts that need one', async () => {
  const shop = await operator.shop('1000.00', FREE)
  const first = await operator.submit(shop, { amount: '1000.00', ending: '613' })
  assert.deepEqual(await factsInCase(first), factsOf('100.0', null, null, true, ['large_share', 'new_destination']))
  const next = await operator.submit(shop, { amount: '1000.00', ending: '778' })
  await operator.approve(first)
  assert.deepEqual(
    await factsInCase(next),
    factsOf(null, '1000.00', '1.0', true, ['balance_too_low', 'large_share', 'new_destination']),
  )
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

test('a failed withdrawal, another merchant and the other environment do not change the size of a withdrawal', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const other = await operator.shop('100000.00', FREE)
  const ending = '614'
  await operator.approve(await operator.submit(other, { amount: '50000.00', ending }))
  await operator.approve(await operator.submit(shop, { amount: '40000.00', environment: 'sandbox', ending }))
  const failed = await operator.submit(shop, { amount: '30000.00', ending: '102' })
  await operator.approve(failed)
  const { status, status_reason: reason, failure_reason_code, updated_at: at } = await operator.show(failed)
  const id = await submitLater(shop, { amount: '10000.00', ending })
  const warnings = ['shared_destination', 'new_destination', 'recent_failure']
  assert.deepEqual([status, failure_reason_code], ['FAILED', 'provider_declined'])
  assert.deepEqual(await factsInCase(id), {
    ...factsOf('10.0', null, null, true, warnings, true),
    recent_failures: { count: 1, withdrawal_id: failed, status, reason, failure_reason_code, at, rejected_by: null },
  })
})

test('the list, the case and the dry run show the same warnings about a shared phone and about a burst of income', async () => {
  const [shop, other, third] = [
    await operator.shop('100000.00', FREE),
    await operator.shop('1000000.00', FREE),
    await operator.shop('1000000.00', FREE),
  ]
  await operator.approve(await operator.submit(other, { ending: '621' }))
  await operator.approve(await operator.submit(third, { ending: '621' }))
  await operator.approve(await operator.submit(third, { ending: '622', environment: 'sandbox' }))
  await operator.approve(await operator.submit(shop, { ending: '621', amount: '20000.00' }))
  await operator.approve(await operator.submit(shop, { ending: '622', amount: '20000.00' }))
  world.deps.clock.advance(6 * DAY)
  const of = { merchant: shop.merchant }
  await fund(world, 1_000_000n, of)
  world.deps.clock.advance(3 * DAY)
  await fund(world, 5_000_000n, { ...of, environment: 'sandbox' })
  // The average day of the week before is 1428.57.
  await fund(world, 714_200n, of)
  const plain = await operator.submit(shop, { ending: '622', amount: '5000.00' })
  const shared = await operator.submit(shop, { ending: '621', amount: '5000.00' })
  const beyond = await operator.submit(shop, { ending: '622', amount: '70000.01' })
  const ids = [plain, shared, beyond]
  const warnings = async () => {
    const listed = await factsInList(shop)
    const in_list = ids.map((id) => listed.get(id)?.warnings)
    for (const found of [await Promise.all(ids.map(factsInCase)), await factsInBatch(ids)]) {
      assert.deepEqual(
        found.map((facts) => facts?.warnings),
        in_list,
      )
    }
    assert.deepEqual(
      ids.map((id) => listed.get(id)?.paid_by_others),
      [false, true, false],
    )
    return in_list
  }
  assert.deepEqual(await warnings(), [[], ['shared_destination'], ['large_share']])
  world.deps.clock.advance(1)
  await fund(world, 285_800n, of)
  assert.deepEqual(
    await warnings(),
    [['income_burst'], ['income_burst', 'shared_destination'], ['income_burst', 'large_share']],
    'the balance without the income since the day before covers each withdrawal, but not all of them',
  )
  assert.deepEqual((await factsInCase(plain))?.income_later, { amount: '2858.00' })
  const later = [
    await operator.submit(shop, { ending: '622', amount: '5000.00' }),
    await operator.submit(shop, { ending: '622', amount: '70000.01' }),
  ]
  const laterWarnings = async () => {
    const listed = await factsInList(shop)
    return later.map((id) => listed.get(id)?.warnings)
  }
  assert.deepEqual(
    await laterWarnings(),
    [['income_burst'], ['income_burst', 'large_share']],
    'the older part of the balance covers the small withdrawal, but not all of them',
  )
  const laterIncome = async () => Promise.all(later.map(async (id) => (await factsInCase(id))?.income_later))
  assert.deepEqual(await laterIncome(), [{ amount: '0.00' }, null])
  world.deps.clock.advance(1)
  await fund(world, 6_000_000n, of)
  assert.deepEqual(await laterWarnings(), [['income_burst'], ['income_burst']], 'later income is no older balance')
})

test('the list, the case and the dry run warn before an approval that the server would refuse', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const ending = '631'
  await operator.approve(await operator.submit(shop, { ending, amount: '30000.00' }))
  const id = await operator.submit(shop, { ending, amount: '10000.00' })
  const call = async (path: string, payload: object) => {
    const url = `/v1/operator/merchants/${shop.merchant.id}/${path}`
    const reply = await world.call({ method: 'PUT', url, key: await operator.session(), payload })
    assert.equal(reply.status, 200, reply.text)
  }
  await call('payout-limits', {
    ...{ daily_limit: '39999.99', daily_limit_per_destination: '39000.00' },
    reason: 'Test',
  })
  await world.rows("update merchants set status = 'SUSPENDED', verified = false where id = $1", [shop.merchant.id])
  const expected = ['merchant_not_active', 'merchant_not_verified', 'daily_limit', 'destination_limit']
  assert.deepEqual((await factsInList(shop)).get(id)?.warnings, expected)
  assert.deepEqual((await factsInCase(id))?.warnings, expected)
  assert.deepEqual(
    (await factsInBatch([id])).map((facts) => facts?.warnings),
    [expected],
  )
})

test('a withdrawal that waits for no approval has no facts, and a withdrawal with an open question has facts', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const ending = '641'
  const rejections = [await operator.submit(shop, { ending }), await submitLater(shop, { amount: '10000.00', ending })]
  const [paid, rejected, asked] = [
    await submitLater(shop, { amount: '10000.00', ending }),
    rejections[0] as string,
    await submitLater(shop, { amount: '45000.00', ending }),
  ]
  await operator.approve(paid)
  await operator.act(asked, 'request-info')
  const warned: number[] = []
  for (const id of rejections.toReversed()) {
    world.deps.clock.advance(1_000)
    const answer = await operator.act(id, 'reject')
    warned.push(answer.body.data.warned_withdrawals)
  }
  // The rejections warn about the withdrawal with the question. The paid one waits no longer.
  assert.deepEqual(warned, [1, 1])
  // The operator rejected the older withdrawal last, so that rejection is the latest.
  const { status_reason: reason, updated_at: at } = await operator.show(rejected)
  const rejected_by = { kind: 'operator', id: operator.user_id, name: operator.email }
  const latest = { withdrawal_id: rejected, status: 'REJECTED', reason, failure_reason_code: null, at, rejected_by }
  const shown = factsOf('50.0', '10000.00', '4.5', false, ['recent_failure'])
  const expected = [null, null, { ...shown, recent_failures: { count: 2, ...latest } }]
  const listed = await factsInList(shop)
  assert.deepEqual(
    [paid, rejected, asked].map((id) => listed.get(id)),
    expected,
  )
  for (const dry_run of [true, false]) assert.deepEqual(await factsInBatch([paid, rejected, asked], dry_run), expected)
  assert.equal((await factsInList(shop)).get(asked), null, 'the withdrawal waits no longer')
})

test('the answer to a rejection counts the waiting withdrawals that have a warning because of the rejection', async () => {
  const shop = await operator.shop('100000.00', FREE)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(await submitLater(shop, { amount: '100.00', ending: '642' }))
  const other = await operator.shop('100000.00', FREE)
  await submitLater(other, { amount: '100.00', ending: '642' })
  const answer = await operator.act(ids[0] as string, 'reject')
  const listed = [...(await factsInList(shop)).values()].filter((facts) => facts?.warnings.includes('recent_failure'))
  // The warning looks at three withdrawals before each one, so the fifth withdrawal has none.
  assert.deepEqual([answer.body.data.warned_withdrawals, listed.length], [3, 3])
})

/** The highest number of rows that the query reads besides the paid withdrawals. */
const AROUND = 40

/**
 * Adds paid withdrawals of 1000.00 as copies of another one. `prefix` begins their ids, so the prefix decides the order of
 * their ages. Without `phone`, each of them has another destination.
 */
async function addPaid(
  { rows }: World,
  { merchant }: ShopWithKeys,
  options: { prefix: string; count: number; environment?: string; phone?: string },
): Promise<void> {
  const { prefix, count, environment = 'live', phone = null } = options
  await rows(
    `insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
       destination_code, destination_identifier, percentage_fee_minor, flat_fee_minor, processor_charge_minor,
       processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind, requested_by_name,
       provider_reference, transfer_id, created_at, updated_at, completed_at)
     select merchant_id, ($2 || lpad(to_hex(n), 4, '0') || substr(id::text, 9))::uuid, $3, status, version, funds,
       method, 100000, currency, destination_code, coalesce($5, '25576' || lpad(n::text, 7, '0')), 0, 0, 0, false, 0, 100000,
       requested_by_kind, requested_by_name, provider_reference, transfer_id, created_at, updated_at, completed_at
     from withdrawals, generate_series(1, $4::int) n
     where merchant_id = $1 and status = 'SUCCESS' and amount_minor <> 100000`,
    [merchant.id, prefix, environment, count, phone],
  )
  await rows('analyze withdrawals')
}

/** Reads the facts of withdrawals, and asserts that one query reads all of them. */
const readFacts = (of: World, keys: readonly WithdrawalKey[]) =>
  rowsRead(of, async ({ db }) => {
    let queries = 0
    const query: typeof db.query = (...given) => {
      queries += 1
      return db.query(...given)
    }
    const facts = await findWithdrawalFacts({ query }, keys)
    assert.equal(queries, 1)
    return [...facts.values()]
  })

/** Makes a world with one merchant. The merchant has paid one withdrawal of 90000.00, and three withdrawals wait. */
async function openSmallWorld() {
  const own = await createWorld()
  const boss = await createTestOperator(own)
  const shop = await boss.shop('1000000.00', FREE)
  await boss.approve(await boss.submit(shop, { amount: '90000.00' }))
  const keys: WithdrawalKey[] = []
  for (const ending of ['001', '002', '003']) {
    keys.push({ merchant_id: shop.merchant.id, id: await boss.submit(shop, { ending }) })
  }
  return { own, boss, shop, keys }
}

test('one query reads the facts of a page, and reads a bounded number of rows for a merchant with 20,000 paid withdrawals', async () => {
  const { own, shop, keys } = await openSmallWorld()
  const largest = async () => {
    const { result, read } = await readFacts(own, keys)
    return { result: result.map(({ largest_paid_minor }) => largest_paid_minor), read }
  }
  const few = await largest()
  assert.deepEqual(few.result, [9_000_000n, 9_000_000n, 9_000_000n])
  await addPaid(own, shop, { prefix: '0000', count: 20_000 })
  const many = await largest()
  assert.deepEqual(many.result, few.result, 'the latest are the same')
  assert.ok(many.read <= LATEST_PAID + AROUND, `${many.read} rows`)
  await addPaid(own, shop, { prefix: 'eeee', count: 2_000, environment: 'sandbox' })
  const mixed = await largest()
  assert.deepEqual(mixed.result, few.result, 'the environments stay apart')
  assert.ok(mixed.read <= LATEST_PAID + AROUND, `${mixed.read} rows beside newer ones of the sandbox`)
  await addPaid(own, shop, { prefix: 'ffff', count: LATEST_PAID })
  assert.deepEqual((await largest()).result, [100_000n, 100_000n, 100_000n], 'only the latest count')
  await own.close()
})

test('the facts and the case read few rows of another merchant that has 10,000 payouts to the destination of a waiting withdrawal', async () => {
  const { own, boss, keys } = await openSmallWorld()
  const others = async () => {
    const { result, read } = await readFacts(own, keys)
    return { result: result.map(({ paid_by_others }) => paid_by_others), read }
  }
  assert.deepEqual((await others()).result, [false, false, false])
  const other = await boss.shop('1000000.00', FREE)
  await boss.approve(await boss.submit(other, { amount: '90000.00' }))
  await boss.approve(await boss.submit(other, { amount: '90000.00', ending: '003' }))
  const readCase = () =>
    rowsRead(own, async (deps) => (await getCase(deps, deps.db, keys[0]?.id ?? '', null)).destination)
  const few = await others()
  const few_case = await readCase()
  await addPaid(own, other, { prefix: '0000', count: 10_000, phone: '255754123001' })
  await addPaid(own, other, { prefix: 'ffff', count: 20_000 })
  const many = await others()
  assert.deepEqual(
    [few.result, many.result],
    [
      [true, false, true],
      [true, false, true],
    ],
  )
  assert.ok(many.read <= few.read + AROUND, `${many.read} rows, and before ${few.read}`)
  const many_case = await readCase()
  assert.deepEqual(many_case.result, few_case.result)
  assert.ok(many_case.read <= few_case.read + AROUND, `${many_case.read} rows of the case, before ${few_case.read}`)
  await own.close()
})

test('income after the requests gives a warning if the older balance does not cover all waiting withdrawals', async () => {
  const shop = await operator.shop('1000.00', FREE)
  await fund(world, 100_000_000n, { merchant: shop.merchant })
  world.deps.clock.advance(9 * DAY)
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(await submitLater(shop, { amount: '1000000.00', ending: '661' }))
  const states = async () => {
    const listed = await factsInList(shop)
    return ids.map((id) => [listed.get(id)?.warnings.includes('income_burst'), listed.get(id)?.income_later])
  }
  assert.deepEqual(await states(), Array(5).fill([false, null]))
  world.deps.clock.advance(3_600_000)
  await fund(world, 500_000_000n, { merchant: shop.merchant })
  assert.deepEqual(await states(), Array(5).fill([true, { amount: '5000000.00' }]))
  for (const id of ids.slice(1)) await operator.act(id, 'reject')
  assert.equal((await factsInCase(ids[0] as string))?.income_later, null, 'the older balance covers one withdrawal')
})

/** Adds payments of one shilling at the time of the clock, as copies of the first transfer of the merchant. */
async function addPayments({ rows, deps }: World, { merchant }: ShopWithKeys, count: number): Promise<void> {
  await rows(
    `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'amount_minor', 100, 'posting', 'collection_settled',
       'source_id', gen_random_uuid(), 'sequence', a.sequence + n, 'created_at', $3::timestamptz))).*
     from ledger_transfers t cross join generate_series(1, $2::int) n
     join ledger_accounts a on a.merchant_id = t.merchant_id and a.environment = 'live' and a.code = 'available'
     where t.merchant_id = $1 and t.environment = 'live' and t.sequence = 1`,
    [merchant.id, count, deps.clock.now()],
  )
  await rows(
    `update ledger_accounts set sequence = sequence + $2
     where merchant_id = $1 and environment = 'live' and code = 'available'`,
    [merchant.id, count],
  )
}

test('the facts read the book once for any number of withdrawals, and warn after 5,000 transfers or more', async () => {
  const own = await createWorld()
  const boss = await createTestOperator(own)
  const shop = await boss.shop('1000.00', FREE)
  const keys: WithdrawalKey[] = []
  const submit = async () => {
    own.deps.clock.advance(1)
    keys.push({ merchant_id: shop.merchant.id, id: await boss.submit(shop, { ending: '001', amount: '1000.00' }) })
  }
  own.deps.clock.advance(9 * DAY)
  await addPayments(own, shop, 2_000)
  for (let i = 0; i < 20; i++) await submit()
  await own.rows('analyze')
  const few = await readFacts(own, keys.slice(0, 2))
  const many = await readFacts(own, keys)
  assert.ok(few.read >= 2_000, `${few.read} rows: the query reads the book`)
  assert.ok(many.read <= few.read + 18 * AROUND, `${many.read} rows, and before ${few.read}`)
  assert.ok(many.result.every(({ income_burst }) => income_burst))
  own.deps.clock.advance(1_000)
  await addPayments(own, shop, 5_000)
  const { result, read } = await readFacts(own, keys)
  assert.deepEqual(
    result.map(({ income_burst, income_later }) => [income_burst, income_later]),
    keys.map(() => [true, { amount_minor: null }]),
  )
  assert.ok(read <= 10_000 + 20 * AROUND + few.read, `${read} rows`)
  await own.close()
})
