// Tests the fee of a payment. When the server accepts a payment, it calculates the fee to the cent and stores the fee with the
// payment. A reversal returns the fee.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { verify } from '../../apps/admin/verify.ts'

const PUSH = '/v1/collections/wallet-push'
const PESA = '/v1/collections/provider-pesa'
const QR = '/v1/collections/qr'
const STK = '/v1/collections/stk-push'
const PAYS = '0754123001'

let world: World
let operator: string
before(async () => {
  world = await createWorld()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await world.work()
  const { checks } = await verify(world.url)
  await world.close()
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  )
})

type Line = {
  flow?: string
  method?: string | null
  percentage?: string
  flat_fee?: string
  processor_charge?: string
  processor_fee_pass_through?: boolean
}

/** Creates a merchant with this price list for collections, and returns its id and sandbox key. */
async function newShop(lines: Line[]) {
  const merchant = await world.newMerchant()
  const shop = { id: merchant.id, key: await world.newKey({ merchant }) }
  await price(shop, lines)
  return shop
}

type Shop = Awaited<ReturnType<typeof newShop>>

async function price({ id }: Shop, lines: Line[]): Promise<void> {
  const rules = lines.map((line) => ({ flow: 'collection', ...line }))
  const url = `/v1/operator/merchants/${id}/pricing`
  const reply = await world.call({ method: 'PUT', url, payload: { rules }, key: operator })
  assert.equal(reply.status, 200, reply.text)
}

const pay = (
  { key }: Shop,
  amount: string,
  { path = PUSH, phone = PAYS, idempotency_key = randomUUID() as string } = {},
) => {
  const body = path === STK || path === QR ? { amount, customer_phone: phone } : { amount, phone }
  return world.post(path, body, { key, idempotency_key })
}

const show = async ({ key }: Shop, id: string) => (await world.get(`/v1/collections/${id}`, key)).body.data
const available = async ({ key }: Shop) => (await world.get('/v1/balance', key)).body.data.available

async function earned({ id }: Shop): Promise<bigint> {
  const [row] = await world.rows<{ balance_minor: bigint }>(
    `select balance_minor from ledger_accounts where merchant_id = $1 and environment = 'sandbox' and code = 'fee_income'`,
    [id],
  )
  return row?.balance_minor ?? 0n
}

async function count({ id }: Shop): Promise<{ collections: bigint; keys: bigint }> {
  const [row] = await world.rows<{ collections: bigint; keys: bigint }>(
    `select (select count(*) from collections where merchant_id = $1) as collections,
       (select count(*) from idempotency_keys where merchant_id = $1) as keys`,
    [id],
  )
  assert.ok(row)
  return row
}

describe('the fee of one payment', () => {
  const cases: [charges: string, line: Line, amount: string, net: string, fee: bigint][] = [
    ['an empty price list', { flow: 'withdrawal', flat_fee: '500' }, '1000.00', '1000.00', 0n],
    ['a line without charges', {}, '1000.00', '1000.00', 0n],
    ['a percentage', { percentage: '1.50' }, '25000.00', '24625.00', 37_500n],
    ['a flat fee', { flat_fee: '100.00' }, '25000.00', '24900.00', 10_000n],
    ['a percentage and a flat fee', { percentage: '1.50', flat_fee: '100.00' }, '25000.00', '24525.00', 47_500n],
    ['a fee of half a cent', { percentage: '0.50' }, '1.00', '0.99', 1n],
    ['a fee below half a cent', { percentage: '0.49' }, '1.00', '1.00', 0n],
    ['a fee of one and a half cents', { percentage: '1.50' }, '1.00', '0.98', 2n],
    ['a fee of two and a half cents', { percentage: '2.50' }, '1.00', '0.97', 3n],
    ['a fee of one third', { percentage: '33.33' }, '1.01', '0.67', 34n],
    ['half a cent and a flat fee', { percentage: '0.50', flat_fee: '0.01' }, '1.00', '0.98', 2n],
    ['a fee of 99 percent', { percentage: '99.00' }, '1.00', '0.01', 99n],
    ['two decimals', { percentage: '2.55', flat_fee: '0.99' }, '1000000000.00', '974499999.01', 2_550_000_099n],
    [
      'a processor charge that the merchant bears',
      { percentage: '1.00', flat_fee: '10', processor_charge: '25.50', processor_fee_pass_through: true },
      '1000.00',
      '954.50',
      4_550n,
    ],
    [
      'a processor charge that the platform bears',
      { percentage: '1.00', flat_fee: '10', processor_charge: '25.50' },
      '1000.00',
      '980.00',
      2_000n,
    ],
  ]
  for (const [charges, line, amount, net, fee] of cases) {
    test(`the merchant gets ${net} of a payment of ${amount} under a price list with ${charges}`, async () => {
      const shop = await newShop([line])
      const { collection_id } = (await pay(shop, amount)).body.data
      await world.work()
      const shown = await show(shop, collection_id)
      assert.deepEqual(
        [shown.status, shown.amount],
        ['successful', Number(amount)],
        'the record shows the requested amount',
      )
      assert.equal(await available(shop), net)
      assert.equal(await earned(shop), fee)
    })
  }
})

describe('the rule that prices a payment', () => {
  test('the rule of the payment method applies before the rule for all methods, on each endpoint', async () => {
    const shop = await newShop([
      { flat_fee: '1' },
      { method: 'wallet_push', flat_fee: '2' },
      { method: 'provider_pesa', flat_fee: '3' },
      { method: 'qr', flat_fee: '4' },
      { flow: 'withdrawal', flat_fee: '500' },
    ])
    const fees: [string, bigint][] = [
      [PUSH, 200n],
      [STK, 200n],
      [PESA, 300n],
      [QR, 400n],
    ]
    for (const [path, fee] of fees) {
      const before = await earned(shop)
      assert.equal((await pay(shop, '100.00', { path })).status, 202)
      await world.work()
      assert.equal((await earned(shop)) - before, fee, path)
    }
  })

  test('the rule for all methods applies when only another method has a rule', async () => {
    const shop = await newShop([{ method: 'qr', flat_fee: '4' }])
    await pay(shop, '100.00')
    await price(shop, [{ method: 'qr', flat_fee: '4' }, { percentage: '10' }])
    await pay(shop, '100.00')
    await world.work()
    assert.equal(await available(shop), '190.00')
  })

  test('the server charges concurrent payments of many merchants by the price list of each merchant', async () => {
    const shops = await Promise.all([0, 1, 2, 3].map((n) => newShop([{ flat_fee: String(n) }])))
    await Promise.all(Array.from({ length: 40 }, (_, i) => pay(shops[i % 4] as Shop, '10.00')))
    await world.work()
    const balances = await Promise.all(shops.map(available))
    assert.deepEqual(balances, ['100.00', '90.00', '80.00', '70.00'])
  })
})

describe('the stored fee of a payment', () => {
  test('a changed price list does not change the fee of an accepted payment, and the next payment has the new fee', async () => {
    const shop = await newShop([{ flat_fee: '10' }])
    await pay(shop, '100.00')
    await price(shop, [{ flat_fee: '20' }])
    await pay(shop, '100.00')
    await price(shop, [])
    await pay(shop, '100.00')
    await world.work()
    assert.equal(await available(shop), '270.00')
    assert.equal(await earned(shop), 3_000n)
  })

  test('each of ten new price lists applies to the next request', async () => {
    const shop = await newShop([])
    for (let n = 0; n < 10; n++) {
      await price(shop, [{ flat_fee: `0.0${n}` }])
      await pay(shop, '1.00')
    }
    await world.work()
    assert.equal(await earned(shop), 45n)
  })

  test('a reversal returns the stored fee, even if the price list has changed', async () => {
    const shop = await newShop([{ percentage: '3' }])
    const { collection_id } = (await pay(shop, '200.00', { phone: '0754123012' })).body.data
    await price(shop, [{ percentage: '50' }])
    await world.work()
    assert.equal(await available(shop), '194.00')
    await world.pass(5_000)
    assert.equal((await show(shop, collection_id)).status, 'reversed')
    assert.equal(await available(shop), '0.00')
    assert.equal(await earned(shop), 0n)
    const moved = await world.rows<{ posting: string; leg: number; amount_minor: bigint }>(
      'select posting, leg, amount_minor from ledger_transfers where source_id = $1 order by created_at, leg',
      [collection_id],
    )
    assert.deepEqual(
      moved.map(({ posting, leg, amount_minor }) => [posting, leg, amount_minor]),
      [
        ['collection_settled', 0, 20_000n],
        ['collection_settled', 1, 600n],
        ['collection_reversed', 0, 20_000n],
        ['collection_reversed', 1, 600n],
      ],
    )
  })

  test('the server charges no fee for a held payment or a failed payment', async () => {
    const shop = await newShop([{ percentage: '3' }])
    for (const phone of ['0754123014', '0754123002']) assert.equal((await pay(shop, '200.00', { phone })).status, 202)
    await world.work()
    assert.equal(await earned(shop), 0n)
  })
})

describe('a fee that is not less than the amount', () => {
  const refused = (reply: Awaited<ReturnType<typeof pay>>) => {
    assert.deepEqual(codeOf(reply), [422, 'amount_not_supported'])
    return reply.body.error
  }

  for (const path of [PUSH, STK, PESA, QR]) {
    test(`the endpoint ${path} refuses an amount not above its fee, names the smallest valid amount, and keeps the Idempotency-Key free`, async () => {
      const shop = await newShop([{ percentage: '10', flat_fee: '9.50' }])
      const idempotency_key = randomUUID()
      const { message, details } = refused(await pay(shop, '10.56', { path, idempotency_key }))
      assert.deepEqual(details, { minimum: '10.57', maximum: '1000000000.00' })
      assert.match(message, /10\.57/)
      assert.deepEqual(await count(shop), { collections: 0n, keys: 0n })
      const paid = await pay(shop, '10.57', { path, idempotency_key })
      assert.equal(paid.status, 202, paid.text)
      await world.work()
      assert.equal(await available(shop), '0.01')
    })
  }

  test('under each of six price lists, the server accepts the smallest amount that a refusal names, and refuses one cent less', async () => {
    for (const [percentage, flat_fee] of [
      ['0', '500'],
      ['50', '0.99'],
      ['99', '1'],
      ['99.99', '0.01'],
      ['12.34', '56.78'],
      ['99.5', '0.50'],
    ]) {
      const shop = await newShop([{ percentage, flat_fee } as Line])
      const { minimum } = refused(await pay(shop, '1.00')).details
      const less = (Number(minimum) - 0.01).toFixed(2)
      refused(await pay(shop, less))
      assert.equal((await pay(shop, minimum)).status, 202, `${percentage} % + ${flat_fee}`)
    }
  })

  test('the refusal of a payment names no amount when the fee of every amount is not less than that amount', async () => {
    const shop = await newShop([{ percentage: '100' }])
    for (const amount of ['1.00', '1000000000.00']) {
      const { message, details } = refused(await pay(shop, amount))
      assert.equal(details, null)
      assert.match(message, /never less than the amount/)
    }
  })

  test('the refusal of a payment names a whole amount when the provider moves whole shillings only', async () => {
    const answer = async () => ({ kind: 'accepted', provider_status: null }) as const
    const own = await createWorld({
      compose: {
        providers: [
          {
            name: 'mock',
            capabilities: { methods: ['wallet_push'], whole_shillings: true, payout_methods: [] },
            push: answer,
            qr: answer,
            status: (all) => Promise.all(all.map(answer)),
            payout: answer,
            payoutStatus: (all) => Promise.all(all.map(answer)),
            verifyCallback: () => ({ verified: false }),
          },
        ],
      },
    })
    try {
      const { token } = await own.newSession('SUPER_ADMIN')
      const url = `/v1/operator/merchants/${own.merchant.id}/pricing`
      const rules = [{ flow: 'collection', flat_fee: '10.50' }, { flow: 'withdrawal' }]
      assert.equal((await own.call({ method: 'PUT', url, payload: { rules }, key: token })).status, 200)
      const body = { amount: '10.00', phone: PAYS }
      assert.equal(refused(await own.post(PUSH, body, { key: own.live_key })).details.minimum, '11.00')
      assert.equal((await own.post(PUSH, { ...body, amount: '11.00' }, { key: own.live_key })).status, 202)
    } finally {
      await own.close()
    }
  })

  test('the server refuses only the payments that are not above their fee when many payments arrive at the same time', async () => {
    const shop = await newShop([{ flat_fee: '5' }])
    const amounts = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? '5.00' : '6.00'))
    const replies = await Promise.all(amounts.map((amount) => pay(shop, amount)))
    for (const [i, reply] of replies.entries()) assert.equal(reply.status, i % 3 === 0 ? 422 : 202)
    await world.work()
    assert.equal(await available(shop), '40.00')
    assert.deepEqual(await count(shop), { collections: 40n, keys: 40n })
  })

  test('the request with an amount above its fee makes the payment when two concurrent requests share one key', async () => {
    const shop = await newShop([{ flat_fee: '5' }])
    const idempotency_key = randomUUID()
    const [small, large] = await Promise.all(['5.00', '6.00'].map((amount) => pay(shop, amount, { idempotency_key })))
    assert.equal(large?.status, 202)
    assert.equal(small?.status, 422)
    assert.deepEqual(await count(shop), { collections: 1n, keys: 1n })
  })

  test('the server replays the answer of a used Idempotency-Key after a change of the price list', async () => {
    const shop = await newShop([])
    const idempotency_key = randomUUID()
    const first = await pay(shop, '3.00', { idempotency_key })
    await price(shop, [{ flat_fee: '5' }])
    const again = await pay(shop, '3.00', { idempotency_key })
    assert.equal(again.headers['idempotency-replayed'], 'true')
    assert.equal(again.text, first.text)
    assert.deepEqual(codeOf(await pay(shop, '4.00', { idempotency_key })), [422, 'idempotency_key_reused'])
  })
})
