// Tests that a quote has the same charges as a submission and changes no money.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { contentOf, fund, unchanged } from '../../../test/withdrawals.ts'

const QUOTE = '/v1/merchant/withdrawals/quote'
const ASKED = {
  amount: '10000',
  method: 'MOBILE_MONEY',
  destination_code: 'MPESA',
  destination_identifier: '0754123456',
}

let world: World
let finance: string
let operator: string
before(async () => {
  world = await createWorld()
  finance = (await world.newSession('FINANCE')).token
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

async function price(rules: object[], merchant_id = world.merchant.id): Promise<{ id: string }[]> {
  const url = `/v1/operator/merchants/${merchant_id}/pricing`
  const reply = await world.call({ method: 'PUT', url, payload: { rules }, key: operator })
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.rules
}
const quote = (body: object, key = finance, query = '') =>
  world.post(`${QUOTE}${query}`, body, { key, idempotency_key: null })

test('a quote has every part of the price as a decimal text and stores no row', async () => {
  const [rule] = await price([
    {
      flow: 'withdrawal',
      percentage: '1.50',
      flat_fee: '500.00',
      processor_charge: '250.00',
      processor_fee_pass_through: true,
      label: 'Agreed in May',
    },
  ])
  const keys = ['idempotency_keys']
  const before = await contentOf(world, keys)
  const reply = await unchanged(world, () => quote(ASKED))
  assert.deepEqual(await contentOf(world, keys), before)
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body.data, {
    withdrawal_amount: '10000.00',
    currency: 'TZS',
    channel: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    processor_charge: '250.00',
    infinity_fee: '650.00',
    percentage_fee: '150.00',
    flat_fee: '500.00',
    total_charges: '900.00',
    total_reserved_amount: '10900.00',
    recipient_net_amount: '10000.00',
    pricing_rule_id: rule?.id,
    pricing_rule_label: 'Agreed in May',
    processor_fee_pass_through: true,
  })
})

test('a quote shows a processor charge that the platform bears, and the total does not include the charge', async () => {
  await price([{ flow: 'withdrawal', percentage: '1', processor_charge: '250' }])
  const { data } = (await quote(ASKED)).body
  assert.deepEqual(
    [data.processor_charge, data.processor_fee_pass_through, data.total_charges, data.total_reserved_amount],
    ['250.00', false, '100.00', '10100.00'],
  )
})

test('a quote and a submission have the same charges with each of five price lists', async () => {
  await fund(world, { amount: '5000000', environment: 'live' })
  const lists = [
    [{ flow: 'withdrawal' }],
    [{ flow: 'withdrawal', percentage: '0.01' }],
    [{ flow: 'withdrawal', percentage: '100', flat_fee: '0.01' }],
    [
      {
        flow: 'withdrawal',
        percentage: '2.75',
        flat_fee: '33.33',
        processor_charge: '0.99',
        processor_fee_pass_through: true,
      },
    ],
    [
      { flow: 'withdrawal', method: 'BANK_ACCOUNT', flat_fee: '1000' },
      { flow: 'withdrawal', destination_code: 'MPESA', flat_fee: '10' },
      { flow: 'withdrawal', flat_fee: '1' },
    ],
  ]
  const destinations = [
    { method: 'MOBILE_MONEY', destination_code: 'VODACOM', destination_phone: '0754123456', destination_name: 'Asha' },
    { method: 'PROVIDER_PESA', destination_phone: '0754123456', destination_name: 'Asha' },
    { method: 'BANK_ACCOUNT', destination_code: 'NMB', bank_account_number: '1', bank_name: 'NMB' },
  ]
  for (const rules of lists) {
    await price(rules)
    for (const destination of destinations) {
      for (const amount of ['1', '33.33', 999.99, '123456.78']) {
        const body = { ...destination, amount }
        const { withdrawal_amount, channel, ...quoted } = (await quote(body)).body.data
        const made = (await world.post('/v1/merchant/withdrawals', body, { key: finance })).body.data
        for (const [field, value] of Object.entries(quoted)) assert.equal(made[field], value, field)
        assert.deepEqual([withdrawal_amount, channel], [made.amount, made.method])
      }
    }
  }
})

test('a new price list applies to the next quote', async () => {
  await price([{ flow: 'withdrawal', flat_fee: '1' }])
  assert.equal((await quote(ASKED)).body.data.total_charges, '1.00')
  await price([{ flow: 'withdrawal', flat_fee: '2' }])
  assert.equal((await quote(ASKED)).body.data.total_charges, '2.00')
})

test('the server makes a quote without a recipient and above the balance, and refuses an invalid recipient', async () => {
  await price([{ flow: 'withdrawal' }])
  const { destination_identifier: _, ...without_recipient } = ASKED
  assert.equal((await quote({ ...without_recipient, amount: '999999999' })).status, 200)
  assert.equal((await quote({ method: 'BANK_ACCOUNT', amount: 1, destination_code: 'CRDB' })).status, 200)
  assert.equal((await quote({ method: 'PROVIDER_PESA', amount: 1 })).body.data.destination_code, 'PROVIDER_PESA')
  const reply = await quote({ ...ASKED, destination_identifier: '+254712345678' })
  assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
  assert.equal(reply.body.error.details.fields[0].field, 'destination_identifier')
})

test('the server refuses a quote with a wrong field and stores no row', async () => {
  for (const [change, status, code] of [
    [{ method: 'CASH' }, 400, 'validation_failed'],
    [{ amount: '0' }, 400, 'validation_failed'],
    [{ amount: '1.005' }, 400, 'validation_failed'],
    [{ destination_code: undefined }, 400, 'validation_failed'],
    [{ currency: 'USD' }, 422, 'unsupported_currency'],
    [{ destination_code: 'CRDB' }, 422, 'unknown_destination'],
    [{ amount: '0.99' }, 422, 'amount_not_supported'],
    [{ merchant_id: randomUUID() }, 403, 'merchant_mismatch'],
  ] as const) {
    const reply = await unchanged(world, () => quote({ ...ASKED, ...change }))
    assert.deepEqual(codeOf(reply), [status, code], JSON.stringify(change))
  }
})

test('the server refuses a live quote when the merchant has no agreed fees, and a sandbox quote is then free', async () => {
  await price([{ flow: 'withdrawal', destination_code: 'CRDB' }])
  const reply = await quote(ASKED)
  assert.deepEqual(codeOf(reply), [409, 'withdrawal_restricted'])
  assert.match(reply.body.error.message, /\bfees?\b/)
  assert.equal(reply.body.error.details, null)
  const { data } = (await quote({ ...ASKED, environment: 'sandbox' })).body
  assert.deepEqual([data.total_charges, data.pricing_rule_id, data.pricing_rule_label], ['0.00', null, null])
  assert.equal((await quote(ASKED, finance, '?environment=sandbox')).status, 200)
})

test('the server gives no quote to an API key, a viewer or a developer', async () => {
  assert.deepEqual(codeOf(await quote(ASKED, world.live_key)), [403, 'insufficient_role'])
  for (const role of ['VIEWER', 'DEVELOPER'] as const) {
    assert.deepEqual(codeOf(await quote(ASKED, (await world.newSession(role)).token)), [403, 'insufficient_role'])
  }
})

test('a request with a repeated Idempotency-Key gets the first quote again', async () => {
  await price([{ flow: 'withdrawal', flat_fee: '5' }])
  const options = { key: finance, idempotency_key: randomUUID() }
  const first = await world.post(QUOTE, ASKED, options)
  await price([{ flow: 'withdrawal', flat_fee: '6' }])
  const again = await world.post(QUOTE, ASKED, options)
  assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
  assert.equal((await quote(ASKED)).body.data.flat_fee, '6.00')
})
