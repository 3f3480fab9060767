// Tests that operators adjust balances with a reason, never below zero, and once per Idempotency-Key.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { type BookBalances, createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { booksHold } from '../../../test/payouts.ts'
import { unchanged } from '../../../test/withdrawals.ts'

let world: World
/** Another process of the same installation. */
let other: World
let operator: TestOperator
before(async () => {
  world = await createWorld()
  other = await createWorld({ url: world.url })
  operator = await createTestOperator(world)
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})

const CREDIT = {
  environment: 'live',
  direction: 'credit',
  amount: '1500.50',
  against: 'provider_float',
  reason: 'A payment that reached the provider account directly',
}
const DEBIT = { ...CREDIT, direction: 'debit' }

/** Makes a merchant with empty books. */
async function newShop(): Promise<ShopWithKeys> {
  const merchant = await world.newMerchant()
  const [live, sandbox] = [
    await world.newKey({ merchant, environment: 'live' }),
    await world.newKey({ merchant, environment: 'sandbox' }),
  ]
  return { merchant, live, sandbox }
}
const pathOf = ({ merchant }: ShopWithKeys) => `/v1/operator/merchants/${merchant.id}/adjustments`

async function adjust(
  shop: ShopWithKeys,
  body: object,
  options: { idempotency_key?: string | null; world?: World } = {},
): Promise<Reply> {
  const { idempotency_key = randomUUID(), world: where = world } = options
  return where.post(pathOf(shop), body, { key: await operator.session(), idempotency_key })
}

const untouched = async <Result>(work: () => Promise<Result>, what = ''): Promise<Result> => {
  const count = () => world.rows('select count(*) as adjustments from adjustments')
  const before_it = await count()
  const result = await unchanged(world, work, what)
  assert.deepEqual(await count(), before_it)
  return result
}

const balance = async (shop: ShopWithKeys) => (await world.get('/v1/balance', shop.live)).body.data.available

describe('adjustments', () => {
  const against: Record<string, string> = { provider_float: 'float', fee_income: 'fee', processor_cost: 'cost' }
  for (const [account, short] of Object.entries(against)) {
    for (const environment of ['live', 'sandbox'] as const) {
      test(`an adjustment in ${environment} credits and debits a merchant against ${account}, and changes no other book`, async () => {
        const shop = await newShop()
        const body = { ...CREDIT, against: account, environment }
        const credited = await adjust(shop, body)
        assert.equal(credited.status, 201, credited.text)
        assert.deepEqual(await operator.book(shop, environment), { available: 150_050n, [account]: -150_050n })
        const debited = await adjust(shop, { ...body, direction: 'debit', amount: 500 })
        assert.equal(debited.status, 201, debited.text)
        assert.deepEqual(await operator.book(shop, environment), { available: 100_050n, [account]: -100_050n })
        assert.deepEqual(await operator.book(shop, environment === 'live' ? 'sandbox' : 'live'), {})
        const facts = await world.rows<{ posting: string; source_id: string; id: string }>(
          'select posting, source_id, id from ledger_transfers where merchant_id = $1 order by id',
          [shop.merchant.id],
        )
        assert.deepEqual(facts.map(({ posting }) => posting).sort(), [
          `adjustment_credited_${short}`,
          `adjustment_debited_${short}`,
        ])
        for (const { id, source_id } of facts) assert.equal(id, source_id)
      })
    }
  }

  test("the response, the list, the audit log and the merchant's transactions show an adjustment", async () => {
    const shop = await newShop()
    const { data } = (await adjust(shop, CREDIT)).body
    const { id, transaction_reference, ...rest } = data
    assert.deepEqual(rest, {
      merchant_id: shop.merchant.id,
      environment: 'live',
      direction: 'credit',
      against: 'provider_float',
      amount: '1500.50',
      currency: 'TZS',
      reason: CREDIT.reason,
      created_by: { id: operator.user_id, name: operator.email },
      created_at: world.deps.clock.now().toISOString(),
    })
    assert.match(transaction_reference, /^TXN-[0-9A-Z]{26}$/)
    const listed = (await world.get(pathOf(shop), await operator.session())).body.data
    assert.deepEqual(listed.items, [data])
    const url = `/v1/operator/audit-log?merchant_id=${shop.merchant.id}`
    const [entry] = (await world.get(url, await operator.session())).body.data.items
    assert.deepEqual(
      [entry.action, entry.target_type, entry.target_id, entry.reason],
      ['adjustment.create', 'adjustment', id, CREDIT.reason],
    )
    assert.deepEqual(entry.actor, { kind: 'operator', id: operator.user_id, name: operator.email })
    assert.deepEqual(entry.before, { available: '0.00' })
    assert.deepEqual(entry.after, {
      available: '1500.50',
      environment: 'live',
      direction: 'credit',
      against: 'provider_float',
      amount: '1500.50',
    })
    const transaction = await world.get(`/v1/transactions/${transaction_reference}`, shop.live)
    assert.equal(transaction.status, 200, transaction.text)
    assert.deepEqual([transaction.body.data.type, transaction.body.data.amount], ['ADJUSTMENT', '1500.50'])
    assert.equal(await balance(shop), '1500.50')
  })

  test('an adjustment can raise a balance that a reversal made negative, but cannot lower the balance further', async () => {
    const shop = await newShop()
    const made = await world.post(
      '/v1/collections/wallet-push',
      { amount: '100', phone: '0754123001' },
      { key: shop.live },
    )
    await world.work()
    assert.equal((await adjust(shop, { ...DEBIT, amount: '60' })).status, 201)
    const answer = { kind: 'reversed', amount_minor: 10_000n, currency: 'TZS', provider_status: 'REVERSED' } as const
    const { collection_id } = made.body.data
    await world.system.driver.settle({ merchant_id: shop.merchant.id, collection_id, number: 1, answer })
    assert.equal(await balance(shop), '-60.00')
    const refused = await untouched(() => adjust(shop, { ...DEBIT, amount: '0.01' }))
    assert.deepEqual(codeOf(refused), [409, 'insufficient_balance'])
    assert.equal((await adjust(shop, { ...CREDIT, amount: '60' })).status, 201)
    assert.equal(await balance(shop), '0.00')
  })

  for (const status of ['SUSPENDED', 'PENDING']) {
    test(`an operator can adjust the balance of a merchant with the status ${status}`, async () => {
      const shop = await newShop()
      await world.rows('update merchants set status = $2 where id = $1', [shop.merchant.id, status])
      assert.equal((await adjust(shop, CREDIT)).status, 201)
      await world.rows("update merchants set status = 'ACTIVE' where id = $1", [shop.merchant.id])
    })
  }
})

describe('refused adjustments', () => {
  test('the server refuses a debit above the available balance, and the message names the amount and the available balance', async () => {
    const shop = await newShop()
    await adjust(shop, { ...CREDIT, amount: '1000.00' })
    const id = await operator.submit(shop, { amount: '400.00', ending: '103' })
    assert.equal((await operator.act(id, 'approve')).status, 200)
    await world.work()
    const refused = await untouched(() => adjust(shop, { ...DEBIT, amount: '600.01' }))
    assert.deepEqual(codeOf(refused), [409, 'insufficient_balance'])
    assert.match(refused.body.error.message, /600\.00.*600\.01/)
    assert.equal(refused.body.error.details, null)
    assert.equal((await adjust(shop, { ...DEBIT, amount: '600.00' })).status, 201)
    assert.equal(await balance(shop), '0.00')
  })

  const BAD: [string, object][] = [
    ['environment', { environment: undefined }],
    ['environment', { environment: 'test' }],
    ['direction', { direction: undefined }],
    ['direction', { direction: 'up' }],
    ['against', { against: undefined }],
    ['against', { against: 'available' }],
    ['against', { against: 'held' }],
    ['amount', { amount: undefined }],
    ['amount', { amount: '0' }],
    ['amount', { amount: 0 }],
    ['amount', { amount: '-5' }],
    ['amount', { amount: -5 }],
    ['amount', { amount: '1.001' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: true }],
    ['reason', { reason: undefined }],
    ['reason', { reason: '' }],
    ['reason', { reason: ' \u200b' }],
    ['reason', { reason: 'x'.repeat(501) }],
    ['reason', { reason: 'a\u0000b' }],
  ]
  for (const [field, wrong] of BAD) {
    test(`the server answers 400 with the field ${field} for a body with ${JSON.stringify(wrong)}`, async () => {
      const shop = await newShop()
      const refused = await untouched(() => adjust(shop, { ...CREDIT, ...wrong }))
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], refused.text)
      assert.equal(refused.body.error.details.fields[0].field, field)
    })
  }

  test('the server refuses an adjustment whose amount is too large to book', async () => {
    const shop = await newShop()
    for (const amount of ['99999999999999999', '90071992547410.00']) {
      const refused = await untouched(() => adjust(shop, { ...CREDIT, amount }))
      assert.deepEqual(codeOf(refused), [422, 'amount_not_supported'], amount)
    }
  })

  test('the server answers 404 for adjustments of a merchant that does not exist', async () => {
    const shop = await newShop()
    for (const id of [randomUUID(), 'nothing']) {
      const unknown = { ...shop, merchant: { ...shop.merchant, id } }
      assert.deepEqual(codeOf(await untouched(() => adjust(unknown, CREDIT))), [404, 'not_found'])
      assert.deepEqual(codeOf(await world.get(pathOf(unknown), await operator.session())), [404, 'not_found'])
    }
    const capitals = { ...shop, merchant: { ...shop.merchant, id: shop.merchant.id.toUpperCase() } }
    assert.equal((await adjust(capitals, CREDIT)).body.data.merchant_id, shop.merchant.id)
  })

  for (const statement of ["update adjustments set reason = ''", 'delete from adjustments', 'truncate adjustments']) {
    test(`the database refuses the SQL statement "${statement}"`, async () => {
      await assert.rejects(world.rows(statement), { code: '42501' })
    })
  }
})

describe('idempotency keys of adjustments', () => {
  test('the server refuses an adjustment without a valid Idempotency-Key', async () => {
    const shop = await newShop()
    for (const idempotency_key of [null, 'é']) {
      const refused = await untouched(() => adjust(shop, CREDIT, { idempotency_key }))
      assert.deepEqual(codeOf(refused), [400, 'idempotency_key_required'])
    }
  })

  test('a repeated Idempotency-Key makes one adjustment, and the server refuses the key for a different adjustment', async () => {
    const shop = await newShop()
    const idempotency_key = randomUUID()
    const first = await adjust(shop, CREDIT, { idempotency_key })
    const again = await untouched(() => adjust(shop, { ...CREDIT, amount: 1500.5 }, { idempotency_key, world: other }))
    assert.deepEqual([again.status, again.text, again.headers['idempotency-replayed']], [201, first.text, 'true'])
    const changed = await untouched(() => adjust(shop, { ...CREDIT, amount: '1500.51' }, { idempotency_key }))
    assert.deepEqual(codeOf(changed), [422, 'idempotency_key_reused'])
  })

  test('ten simultaneous requests with one Idempotency-Key on two processes make one adjustment', async () => {
    const shop = await newShop()
    const idempotency_key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        adjust(shop, CREDIT, { idempotency_key, world: i % 2 === 0 ? world : other }),
      ),
    )
    for (const answer of answers)
      if (answer.status !== 201) assert.deepEqual(codeOf(answer), [409, 'idempotency_in_progress'])
    assert.equal(await balance(shop), '1500.50')
  })

  test('the server stores the refusal insufficient_balance under its Idempotency-Key, and a malformed request keeps its Idempotency-Key free', async () => {
    const shop = await newShop()
    const idempotency_key = randomUUID()
    assert.equal((await adjust(shop, { ...DEBIT, reason: '' }, { idempotency_key })).status, 400)
    const refused = await adjust(shop, DEBIT, { idempotency_key })
    assert.deepEqual(codeOf(refused), [409, 'insufficient_balance'])
    await adjust(shop, CREDIT)
    const again = await untouched(() => adjust(shop, DEBIT, { idempotency_key }))
    assert.deepEqual([again.status, again.text], [409, refused.text])
    assert.equal((await adjust(shop, DEBIT)).status, 201)
  })
})

describe('adjustments at the same moment', () => {
  test('twenty simultaneous debits above the balance take at most the available amount', async () => {
    const shop = await newShop()
    await adjust(shop, { ...CREDIT, amount: '1000' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        adjust(shop, { ...DEBIT, amount: '150' }, { world: i % 2 === 0 ? world : other }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 6)
    for (const answer of answers)
      if (answer.status !== 201) assert.deepEqual(codeOf(answer), [409, 'insufficient_balance'])
    assert.equal(await balance(shop), '100.00')
  })

  test('simultaneous debits and approvals never make a balance negative', async () => {
    for (let round = 0; round < 4; round++) {
      const shop = await newShop()
      await adjust(shop, { ...CREDIT, amount: '1000' })
      const ids = [await operator.submit(shop, { amount: '600' }), await operator.submit(shop, { amount: '600' })]
      const answers = await Promise.all([
        ...ids.map((id, i) => operator.act(id, 'approve', {}, { world: i === 0 ? world : other })),
        adjust(shop, { ...DEBIT, amount: '600' }, { world: other }),
        adjust(shop, { ...DEBIT, amount: '600' }),
      ])
      assert.equal(answers.filter(({ status }) => status < 300).length, 1)
      for (const answer of answers)
        if (answer.status >= 300) assert.deepEqual(codeOf(answer), [409, 'insufficient_balance'])
      await world.work()
      const book: BookBalances = await operator.book(shop)
      assert.equal(book.available, 40_000n)
    }
  })
})

describe('the list of adjustments', () => {
  test('the list of adjustments shows the adjustments of one merchant, newest first, by page and environment', async () => {
    const [shop, neighbour] = [await newShop(), await newShop()]
    const made: { id: string; environment: string }[] = []
    for (let i = 0; i < 7; i++) {
      world.deps.clock.advance(3)
      const environment = i % 3 === 0 ? 'sandbox' : 'live'
      made.unshift({ id: (await adjust(shop, { ...CREDIT, environment })).body.data.id, environment })
      await adjust(neighbour, CREDIT)
    }
    const ids = async (query: string) => {
      const { status, body, text } = await world.get(`${pathOf(shop)}?${query}`, await operator.session())
      assert.equal(status, 200, text)
      return [body.data.items.map(({ id }: { id: string }) => id), body.data.pagination.total_items]
    }
    const all = made.map(({ id }) => id)
    assert.deepEqual(await ids(''), [all, 7])
    assert.deepEqual(await ids('page=2&page_size=3'), [all.slice(3, 6), 7])
    assert.deepEqual(await ids('page=4&page_size=3'), [[], 7])
    for (const environment of ['live', 'sandbox']) {
      const own = made.filter((one) => one.environment === environment).map(({ id }) => id)
      assert.deepEqual(await ids(`environment=${environment}`), [own, own.length])
    }
    const refused = await world.get(`${pathOf(shop)}?environment=x`, await operator.session())
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
  })
})
