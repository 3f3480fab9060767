// Tests the preview of a price list. The preview shows the charges of the new list, and changes nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { unchanged } from '../../../test/withdrawals.ts'

let world: World
let operator: TestOperator
let shop: ShopWithKeys
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
  shop = await operator.shop('100000.00')
})
after(() => world.close())

const preview = async (body: object) =>
  world.post(`/v1/operator/merchants/${shop.merchant.id}/pricing/preview`, body, { key: await operator.session() })
const put = async (rules: object[]) => {
  const url = `/v1/operator/merchants/${shop.merchant.id}/pricing`
  const reply = await world.call({ method: 'PUT', url, payload: { rules }, key: await operator.session() })
  assert.equal(reply.status, 200, reply.text)
}

type PreviewedPriceRow = {
  flow: string
  method: string
  destination_code: string | null
  amount: string
  now: Record<string, unknown> | null
  then: Record<string, unknown> | null
}
const rowsOf = async (body: object): Promise<PreviewedPriceRow[]> => {
  const reply = await preview(body)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.rows
}
const RULES = [
  { flow: 'withdrawal', percentage: '2.00', label: 'All' },
  { flow: 'withdrawal', destination_code: 'VODACOM', flat_fee: '300.00', processor_charge: '50.00', label: 'M-Pesa' },
  { flow: 'collection', method: 'qr', percentage: '1.25', label: 'Codes' },
]

test('a preview has a row for each combination of method, destination with a separate price, and amount', async () => {
  const rows = await rowsOf({ rules: RULES, amounts: ['10000.00', 25.5] })
  const ways = rows.map(({ flow, method, destination_code, amount }) => [flow, method, destination_code, amount])
  const each = (way: (string | null)[]) => [
    [...way, '10000.00'],
    [...way, '25.50'],
  ]
  assert.deepEqual(
    ways,
    [
      ['withdrawal', 'MOBILE_MONEY', null],
      ['withdrawal', 'MOBILE_MONEY', 'MPESA'],
      ['withdrawal', 'BANK_ACCOUNT', null],
      ['withdrawal', 'PROVIDER_PESA', null],
      ['collection', 'wallet_push', null],
      ['collection', 'provider_pesa', null],
      ['collection', 'qr', null],
    ].flatMap(each),
  )
  assert.equal((await rowsOf({ rules: [] })).length, 6 * 4, 'the preview has four sample amounts')
})

test('a preview shows the exact charges of a withdrawal under the present and the new list', async () => {
  const rows = await rowsOf({ rules: RULES, amounts: ['10000.00'] })
  const { token } = await world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
  const quote = async (destination_code: string) => {
    const body = { method: 'MOBILE_MONEY', amount: '10000.00', destination_code }
    return (await world.post('/v1/merchant/withdrawals/quote', body, { key: token })).body.data
  }
  const compare = async (column: 'now' | 'then') => {
    for (const code of ['AIRTEL', 'MPESA']) {
      const row =
        rows.find((one) => one.destination_code === code) ??
        rows.find((one) => one.method === 'MOBILE_MONEY' && one.destination_code === null)
      const quoted = await quote(code)
      for (const field of [
        'percentage_fee',
        'flat_fee',
        'processor_charge',
        'total_charges',
        'total_reserved_amount',
      ]) {
        assert.equal(row?.[column]?.[field], quoted[field], `${column} ${code} ${field}`)
      }
      assert.equal(row?.[column]?.label, quoted.pricing_rule_label)
    }
  }
  await compare('now')
  await put(RULES)
  await compare('then')
})

test('the preview marks a payment as refused if the fee uses up the amount, and shows no charges without a price line', async () => {
  await put([{ flow: 'withdrawal', percentage: '1.00' }])
  const rows = await rowsOf({ rules: [{ flow: 'collection', flat_fee: '100.00' }], amounts: ['100.00', '100.01'] })
  const [swallowed, left] = rows.filter(({ method }) => method === 'wallet_push')
  assert.deepEqual([swallowed?.now, swallowed?.then?.refused, swallowed?.then?.net_amount], [null, true, null])
  assert.deepEqual([left?.then?.refused, left?.then?.net_amount], [false, '0.01'])
  const out = rows.find(({ method }) => method === 'BANK_ACCOUNT')
  assert.deepEqual([out?.now?.total_charges, out?.then], ['1.00', null], 'without a line no money leaves')
})

test('the preview refuses an invalid price list and invalid amounts', async () => {
  for (const [body, field] of [
    [{ rules: [{ flow: 'withdrawal', destination_code: 'NOWHERE' }] }, 'rules.0.destination_code'],
    [{ rules: [{ flow: 'collection', percentage: '101' }] }, 'rules.0.percentage'],
    [{ rules: RULES, amounts: ['1', '-1'] }, 'amounts.1'],
    [{ rules: RULES, amounts: [] }, 'amounts'],
    [{ rules: RULES, amounts: Array(11).fill('1') }, 'amounts'],
    [{}, 'rules'],
  ] as const) {
    const refused = await preview(body)
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'], JSON.stringify(body))
    assert.equal(refused.body.error.details.fields[0].field, field)
  }
  const unknown = '/v1/operator/merchants/00000000-0000-8000-8000-000000000000/pricing/preview'
  const missing = await world.post(unknown, { rules: [] }, { key: await operator.session() })
  assert.deepEqual(codeOf(missing), [404, 'not_found'])
})

test('a preview changes nothing', async () => {
  const before = await world.rows('select * from pricing_rules order by id')
  await unchanged(world, () => rowsOf({ rules: RULES }))
  assert.deepEqual(await world.rows('select * from pricing_rules order by id'), before)
})
