// Tests that the server stores a valid withdrawal with its charges, and that a refused submission stores no row.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'
import { balanceOf, contentOf, fund, unchanged } from '../../../test/withdrawals.ts'
import { METHODS, PAYOUT_METHODS, type Provider } from '../../adapters/providers/port.ts'

const SUBMIT = '/v1/merchant/withdrawals'
const PESA = '/v1/disbursements/provider-pesa'
const MOBILE = '/v1/disbursements/mobile-money'
const BANK = '/v1/disbursements/bank-account'

const PHONE = {
  method: 'MOBILE_MONEY',
  amount: '10000.00',
  destination_code: 'MPESA',
  destination_name: 'Juma Ali',
  destination_phone: '255754123456',
}
const ACCOUNT = {
  method: 'BANK_ACCOUNT',
  amount: '10000.00',
  destination_code: 'CRDB',
  bank_name: 'CRDB Bank',
  bank_account_number: '0152-1234/567890',
  bank_account_name: 'Juma Ali',
}
const TO_PHONE = {
  amount: '10000.00',
  destination_name: 'Juma Ali',
  destination_identifier: '0754123456',
  destination_code: 'MPESA',
}
const TO_ACCOUNT = {
  ...TO_PHONE,
  destination_identifier: '0152-1234/567890',
  destination_code: 'CRDB',
  bank_name: 'CRDB',
}

const RULES = [
  {
    flow: 'withdrawal',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    percentage: '1.50',
    flat_fee: '500.00',
    processor_charge: '250.00',
    processor_fee_pass_through: true,
    label: 'M-Pesa payouts',
  },
  { flow: 'withdrawal', flat_fee: '1000', processor_charge: '300', label: 'Others' },
]

/** A provider that moves whole shillings only, and whose payments succeed immediately. */
const WHOLE_SHILLINGS: Provider = {
  ...NO_PAYOUTS,
  name: 'sandbox',
  capabilities: { methods: METHODS, whole_shillings: true, payout_methods: PAYOUT_METHODS },
  push: async ({ amount_minor, currency }) => ({ kind: 'succeeded', amount_minor, currency, provider_status: 'OK' }),
  qr: async () => ({ kind: 'not_found', provider_status: null }),
  status: async (requests) => requests.map(() => ({ kind: 'not_found', provider_status: null })),
  verifyCallback: () => ({ verified: false }),
}

let world: World
let finance: string
let operator: string
before(async () => {
  world = await createWorld()
  finance = (await world.newSession('FINANCE')).token
  operator = (await world.newSession('SUPER_ADMIN')).token
  await price(world.merchant.id, RULES)
  for (const environment of ['sandbox', 'live'] as const) await fund(world, { amount: '1000000', environment })
})
after(async () => {
  await world.work()
  await world.close()
})

async function price(merchant_id: string, rules: object[]): Promise<void> {
  const url = `/v1/operator/merchants/${merchant_id}/pricing`
  const reply = await world.call({ method: 'PUT', url, payload: { rules }, key: operator })
  assert.equal(reply.status, 200, reply.text)
}
const submit = (body: object, options: { key?: string; idempotency_key?: string | null } = {}) =>
  world.post(SUBMIT, body, { key: finance, ...options })
const fieldsOf = (reply: Reply): string[] =>
  (reply.body.error?.details?.fields ?? []).map(({ field }: { field: string }) => field)
const countOf = async (): Promise<number> =>
  Number((await world.rows<{ n: bigint }>('select count(*) as n from withdrawals'))[0]?.n)

test('a submitted withdrawal waits for an operator, and the server reserves no money and sends no payout', async () => {
  const rest = ['ledger_transfers', 'ledger_accounts', 'payouts', 'withdrawal_history', 'webhook_deliveries']
  const before = await contentOf(world, rest)
  const reply = await submit({ ...PHONE, reference: 'PAY-1' })
  assert.equal(reply.status, 202, reply.text)
  const at = world.deps.clock.now().toISOString()
  const { id, pricing_rule_id, ...record } = reply.body.data
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.match(pricing_rule_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(record, {
    merchant_id: world.merchant.id,
    environment: 'live',
    method: 'MOBILE_MONEY',
    amount: '10000.00',
    currency: 'TZS',
    destination_name: 'Juma Ali',
    destination_identifier: '255754123456',
    destination_code: 'MPESA',
    bank_name: null,
    reference: 'PAY-1',
    merchant_reference: 'PAY-1',
    status: 'PENDING_ADMIN_APPROVAL',
    requires_approval: true,
    status_reason: null,
    failure_reason_code: null,
    failure_reason_message: null,
    failure_reason_message_sw: null,
    processor_charge: '250.00',
    infinity_fee: '650.00',
    percentage_fee: '150.00',
    flat_fee: '500.00',
    total_charges: '900.00',
    total_reserved_amount: '10900.00',
    recipient_net_amount: '10000.00',
    pricing_rule_label: 'M-Pesa payouts',
    processor_fee_pass_through: true,
    provider_reference: null,
    transaction_reference: null,
    metadata: {},
    initiated_at: at,
    completed_at: null,
    created_at: at,
    updated_at: at,
  })
  await world.work()
  assert.deepEqual(await contentOf(world, rest), before)
  assert.deepEqual((await world.get(`${SUBMIT}/${id}`, finance)).body.data, { ...reply.body.data, history: [] })
})

test('the audit log has the id and the e-mail address of the user who submitted a withdrawal', async () => {
  const { token, user_id, email } = await world.newSession('FINANCE')
  const { id } = (await submit(PHONE, { key: token })).body.data
  const [entry] = (await world.get(`/v1/operator/audit-log?merchant_id=${world.merchant.id}`, operator)).body.data.items
  assert.deepEqual([entry.action, entry.target_id], ['withdrawal.submit', id])
  assert.deepEqual([entry.actor.kind, entry.actor.id, entry.actor.name], ['user', user_id, email])
  assert.deepEqual(entry.after, {
    status: 'PENDING_ADMIN_APPROVAL',
    environment: 'live',
    amount: '10000.00',
    total_reserved_amount: '10900.00',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    destination_identifier: '0754 *** 456',
  })
  const [row] = await world.rows(
    'select requested_by_kind, requested_by_id, requested_by_name from withdrawals where id = $1',
    [id],
  )
  assert.deepEqual(row, { requested_by_kind: 'user', requested_by_id: user_id, requested_by_name: email })
})

for (const [path, body, method] of [
  [PESA, { ...TO_PHONE, destination_code: undefined }, 'PROVIDER_PESA'],
  [MOBILE, TO_PHONE, 'MOBILE_MONEY'],
  [BANK, TO_ACCOUNT, 'BANK_ACCOUNT'],
] as const) {
  test(`a withdrawal at ${path} waits for an operator, with a key or a session of either environment`, async () => {
    const callers: [string, string, string][] = [
      ['sandbox', world.sandbox_key, ''],
      ['live', world.live_key, ''],
      ['live', finance, ''],
      ['sandbox', finance, '?environment=sandbox'],
    ]
    for (const [environment, key, query] of callers) {
      const named = { ...body, merchant_id: world.merchant.id, reference: 'R' }
      const reply = await world.post(`${path}${query}`, named, { key })
      assert.equal(reply.status, 202, reply.text)
      const { status, requires_approval, ...data } = reply.body.data
      assert.deepEqual([status, requires_approval], ['PENDING_ADMIN_APPROVAL', true])
      assert.deepEqual([data.environment, data.method, data.reference], [environment, method, 'R'])
      assert.equal(
        data.destination_code,
        { PROVIDER_PESA: 'PROVIDER_PESA', MOBILE_MONEY: 'MPESA', BANK_ACCOUNT: 'CRDB' }[method],
      )
      assert.deepEqual((await world.get(`/v1/disbursements/${data.id}${query}`, key)).body.data, {
        ...reply.body.data,
        history: [],
      })
    }
  })
}

test('the server stores a phone number in its canonical form, and an account number as the caller sent it', async () => {
  for (const phone of ['0754123456', '754123456', '255754123456', '+255754123456', '+255 754-123 456']) {
    for (const method of ['MOBILE_MONEY', 'PROVIDER_PESA']) {
      const code = method === 'MOBILE_MONEY' ? {} : { destination_code: 'PROVIDER_PESA' }
      const reply = await submit({ ...PHONE, ...code, method, destination_phone: phone })
      assert.equal(reply.body.data?.destination_identifier, '255754123456', reply.text)
    }
  }
  for (const number of ['0754123456', '255754123456', '00012', 'TZ12/3456-7', 'a', 'X'.repeat(34)]) {
    const reply = await submit({ ...ACCOUNT, bank_account_number: number })
    assert.equal(reply.body.data?.destination_identifier, number, reply.text)
  }
  for (const number of ['123456', '5778600130859', '0'.repeat(20)]) {
    const reply = await world.post(PESA, { amount: 100, destination_identifier: number })
    assert.equal(reply.body.data?.destination_identifier, number, reply.text)
  }
})

test('the server reads the phone or the account number from destination_identifier', async () => {
  const { destination_phone: _, ...phone } = PHONE
  const { bank_account_number: __, bank_account_name: ___, ...account } = ACCOUNT
  const one = await submit({ ...phone, destination_identifier: '0754123456' })
  assert.equal(one.body.data.destination_identifier, '255754123456')
  const both = await submit({ ...PHONE, destination_identifier: '0754123456' })
  assert.equal(both.body.data.destination_identifier, '255754123456')
  const two = await submit({ ...account, destination_identifier: '0152', destination_name: ' Juma Ali ' })
  assert.deepEqual([two.body.data.destination_identifier, two.body.data.destination_name], ['0152', 'Juma Ali'])
  const named = (await submit(ACCOUNT)).body.data
  assert.deepEqual([named.destination_name, named.bank_name], ['Juma Ali', 'CRDB Bank'])
})

test('the server accepts a disbursement by an API key without a recipient name', async () => {
  for (const [path, body] of [
    [MOBILE, { ...TO_PHONE, destination_name: undefined }],
    [MOBILE, { ...TO_PHONE, destination_name: ' ' }],
    [PESA, { ...TO_PHONE, destination_code: undefined, destination_name: undefined }],
    [BANK, { ...TO_ACCOUNT, destination_name: undefined }],
  ] as const) {
    const reply = await world.post(path, body)
    assert.deepEqual([reply.status, reply.body.data?.destination_name], [202, null], reply.text)
  }
})

test('the server accepts a network or bank by its code or an alias, and stores its code', async () => {
  for (const [name, code] of [
    ['VODACOM', 'MPESA'],
    ['vodacom', 'MPESA'],
    ['m-pesa', 'MPESA'],
    ['Tigo', 'MIXX'],
    ['YAS', 'MIXX'],
    ['airtel money', 'AIRTEL'],
  ] as const) {
    assert.equal((await submit({ ...PHONE, destination_code: name })).body.data?.destination_code, code, name)
  }
  assert.equal((await submit({ ...ACCOUNT, destination_code: 'crdbbank' })).body.data.destination_code, 'CRDB')
  assert.equal((await world.post(PESA, { ...TO_PHONE, destination_code: 'provider-pesa' })).status, 202)
})

test('the server accepts the amount as a decimal text or as a number', async () => {
  for (const [amount, shown] of [
    ['1', '1.00'],
    ['250.5', '250.50'],
    [250.5, '250.50'],
    [99, '99.00'],
    ['99.99', '99.99'],
  ] as const) {
    const { data } = (await submit({ ...PHONE, amount })).body
    assert.deepEqual([data.amount, data.recipient_net_amount], [shown, shown])
  }
})

test('the server computes the charges and ignores charges in the request', async () => {
  const caller_charges = {
    infinity_fee: '0.00',
    total_charges: '0.00',
    pricing_rule_id: randomUUID(),
    status: 'SUCCESS',
  }
  const { data } = (await submit({ ...PHONE, ...caller_charges })).body
  assert.deepEqual([data.total_charges, data.status], ['900.00', 'PENDING_ADMIN_APPROVAL'])
})

test('a destination without its own rule gets the general pricing rule, and the charges stay fixed when the price list changes', async () => {
  const bank = (await submit(ACCOUNT)).body.data
  assert.deepEqual(
    [bank.pricing_rule_label, bank.total_charges, bank.processor_charge, bank.total_reserved_amount],
    ['Others', '1000.00', '300.00', '11000.00'],
  )
  const airtel = (await submit({ ...PHONE, destination_code: 'AIRTEL' })).body.data
  assert.equal(airtel.pricing_rule_label, 'Others')
  await price(world.merchant.id, [{ flow: 'withdrawal', percentage: '50', label: 'Dear' }])
  try {
    const shown = (await world.get(`${SUBMIT}/${bank.id}`, finance)).body.data
    assert.deepEqual([shown.total_charges, shown.pricing_rule_id], ['1000.00', bank.pricing_rule_id])
    assert.equal((await submit(ACCOUNT)).body.data.total_charges, '5000.00', 'a new one is priced by the new list')
  } finally {
    await price(world.merchant.id, RULES)
  }
})

test('the server rounds the fee of a withdrawal half up to the cent', async () => {
  for (const [amount, percentage_fee] of [
    ['1.00', '0.02'],
    ['0.33', null],
    ['33.33', '0.50'],
    ['33.67', '0.51'],
    ['101.00', '1.52'],
  ] as const) {
    const reply = await submit({ ...PHONE, amount })
    if (percentage_fee === null) assert.deepEqual(codeOf(reply), [422, 'amount_not_supported'])
    else assert.equal(reply.body.data.percentage_fee, percentage_fee, amount)
  }
})

test('a merchant without prices and approval can submit a withdrawal without charges in the sandbox', async () => {
  const merchant = await world.newMerchant({ approved: false })
  await fund(world, { merchant, amount: '500' })
  const key = await world.newKey({ merchant })
  const { data } = (await world.post(MOBILE, { ...TO_PHONE, amount: 500 }, { key })).body
  assert.deepEqual(
    [data.total_charges, data.total_reserved_amount, data.pricing_rule_id, data.pricing_rule_label],
    ['0.00', '500.00', null, null],
  )
})

test('a merchant can withdraw the whole balance including charges, but not a cent more', async () => {
  const merchant = await world.newMerchant()
  await price(merchant.id, [{ flow: 'withdrawal', flat_fee: '100.00' }])
  await fund(world, { merchant, amount: '1000', environment: 'live' })
  const key = await world.newKey({ merchant, environment: 'live' })
  const over = await unchanged(world, () => world.post(MOBILE, { ...TO_PHONE, amount: '900.01' }, { key }))
  assert.deepEqual(codeOf(over), [409, 'insufficient_balance'])
  const { data } = (await world.post(MOBILE, { ...TO_PHONE, amount: '900.00' }, { key })).body
  assert.equal(data.total_reserved_amount, '1000.00')
  // The server reserves no money before an approval, so the merchant may submit a second withdrawal.
  assert.equal((await world.post(MOBILE, { ...TO_PHONE, amount: '900.00' }, { key })).status, 202)
  assert.deepEqual(await balanceOf(world, key), ['1000.00', '0.00'])
})

describe('invalid bodies of a submission', () => {
  const wrong: [string, object, object, string][] = [
    [SUBMIT, PHONE, { method: undefined }, 'method'],
    [SUBMIT, PHONE, { method: 'CASH' }, 'method'],
    [SUBMIT, PHONE, { amount: undefined }, 'amount'],
    [SUBMIT, PHONE, { amount: null }, 'amount'],
    [SUBMIT, PHONE, { amount: '' }, 'amount'],
    [SUBMIT, PHONE, { amount: 'ten' }, 'amount'],
    [SUBMIT, PHONE, { amount: '0' }, 'amount'],
    [SUBMIT, PHONE, { amount: 0 }, 'amount'],
    [SUBMIT, PHONE, { amount: '0.00' }, 'amount'],
    [SUBMIT, PHONE, { amount: '-5' }, 'amount'],
    [SUBMIT, PHONE, { amount: -5 }, 'amount'],
    [SUBMIT, PHONE, { amount: '10.001' }, 'amount'],
    [SUBMIT, PHONE, { amount: 10.001 }, 'amount'],
    [SUBMIT, PHONE, { amount: '1e3' }, 'amount'],
    [SUBMIT, PHONE, { amount: '10,000' }, 'amount'],
    [SUBMIT, PHONE, { amount: true }, 'amount'],
    [SUBMIT, PHONE, { destination_code: undefined }, 'destination_code'],
    [SUBMIT, PHONE, { destination_code: '' }, 'destination_code'],
    [SUBMIT, PHONE, { destination_code: 7 }, 'destination_code'],
    [SUBMIT, PHONE, { destination_phone: undefined }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_phone: '' }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_phone: '+254712345678' }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_phone: '0222123456' }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_phone: '07541234567' }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_phone: 255754123456 }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_identifier: '0754123457' }, 'destination_identifier'],
    [SUBMIT, PHONE, { destination_phone: undefined, bank_account_number: '0754123456' }, 'destination_phone'],
    [SUBMIT, PHONE, { destination_name: 'a\u0000b' }, 'destination_name'],
    [SUBMIT, PHONE, { destination_name: undefined }, 'destination_name'],
    [SUBMIT, PHONE, { destination_name: '' }, 'destination_name'],
    [SUBMIT, PHONE, { destination_name: ' \t\u3000 ' }, 'destination_name'],
    [SUBMIT, PHONE, { destination_name: undefined, bank_account_name: 'Juma Ali' }, 'destination_name'],
    [
      SUBMIT,
      PHONE,
      { method: 'PROVIDER_PESA', destination_code: undefined, destination_name: ' ' },
      'destination_name',
    ],
    [SUBMIT, PHONE, { reference: 'x'.repeat(101) }, 'reference'],
    [SUBMIT, PHONE, { environment: 'test' }, 'environment'],
    [SUBMIT, ACCOUNT, { bank_name: undefined }, 'bank_name'],
    [SUBMIT, ACCOUNT, { bank_name: '' }, 'bank_name'],
    [SUBMIT, ACCOUNT, { bank_name: ' \u200b ' }, 'bank_name'],
    [SUBMIT, ACCOUNT, { bank_account_number: undefined }, 'bank_account_number'],
    [SUBMIT, ACCOUNT, { bank_account_number: '' }, 'bank_account_number'],
    [SUBMIT, ACCOUNT, { bank_account_number: '12 34' }, 'bank_account_number'],
    [SUBMIT, ACCOUNT, { bank_account_number: 'x'.repeat(35) }, 'bank_account_number'],
    [SUBMIT, ACCOUNT, { destination_identifier: '0152' }, 'destination_identifier'],
    [SUBMIT, ACCOUNT, { destination_name: 'Asha Ali' }, 'bank_account_name'],
    [PESA, TO_PHONE, { destination_identifier: undefined }, 'destination_identifier'],
    [PESA, TO_PHONE, { destination_identifier: '12345' }, 'destination_identifier'],
    [PESA, TO_PHONE, { destination_identifier: '+254712345678' }, 'destination_identifier'],
    [MOBILE, TO_PHONE, { destination_identifier: '5778600130859' }, 'destination_identifier'],
    [MOBILE, TO_PHONE, { destination_identifier: '254712345678' }, 'destination_identifier'],
    [MOBILE, TO_PHONE, { destination_code: undefined }, 'destination_code'],
    [BANK, TO_ACCOUNT, { bank_name: undefined }, 'bank_name'],
    [BANK, TO_ACCOUNT, { bank_name: '   ' }, 'bank_name'],
    [BANK, TO_ACCOUNT, { bank_name: null }, 'bank_name'],
    [BANK, TO_ACCOUNT, { destination_code: undefined }, 'destination_code'],
    [BANK, TO_ACCOUNT, { destination_identifier: 'TZ 1' }, 'destination_identifier'],
  ]
  for (const [path, body, change, field] of wrong) {
    const shown = JSON.stringify(change, (_, value) => (value === undefined ? 'left out' : value))
    test(`the endpoint ${path} answers 400 to a body with ${shown}, names ${field} and stores no row`, async () => {
      const idempotency_key = randomUUID()
      const key = path === SUBMIT ? finance : world.sandbox_key
      const reply = await unchanged(world, () => world.post(path, { ...body, ...change }, { key, idempotency_key }))
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'], reply.text)
      assert.ok(fieldsOf(reply).includes(field), reply.text)
      assert.equal((await world.rows('select 1 from idempotency_keys where key = $1', [idempotency_key])).length, 0)
    })
  }
  test('the refusal of an invalid body names all invalid fields', async () => {
    const phone = await submit({ method: 'MOBILE_MONEY', amount: 'x' })
    assert.deepEqual(fieldsOf(phone), ['amount', 'destination_code', 'destination_phone', 'destination_name'])
    const reply = await submit({ method: 'BANK_ACCOUNT', amount: 'x', bank_account_number: '?' })
    assert.deepEqual(fieldsOf(reply), ['amount', 'destination_code', 'bank_account_number', 'bank_name'])
  })
})

test('the server refuses a body whose environment differs from the environment of the key or of the query', async () => {
  for (const [path, key, environment] of [
    [MOBILE, world.live_key, 'sandbox'],
    [MOBILE, world.sandbox_key, 'live'],
    [`${MOBILE}?environment=sandbox`, finance, 'live'],
  ] as const) {
    const reply = await unchanged(world, () => world.post(path, { ...TO_PHONE, environment }, { key }))
    assert.deepEqual([codeOf(reply), fieldsOf(reply)], [[400, 'validation_failed'], ['environment']])
  }
  assert.equal((await submit({ ...PHONE, environment: 'sandbox' })).body.data.environment, 'sandbox')
  assert.equal((await world.post(MOBILE, { ...TO_PHONE, environment: 'live' }, { key: world.live_key })).status, 202)
})

describe('refusals by the rules of the platform', () => {
  const refused: [string, object, number, string][] = [
    ['another currency', { currency: 'USD' }, 422, 'unsupported_currency'],
    ['an unknown destination', { destination_code: 'NOBANK' }, 422, 'unknown_destination'],
    ['a bank instead of a network', { destination_code: 'CRDB' }, 422, 'unknown_destination'],
    ['a wallet instead of a network', { destination_code: 'PROVIDER_PESA' }, 422, 'unknown_destination'],
    ['an amount below the minimum', { amount: '0.99' }, 422, 'amount_not_supported'],
    ['an amount above the maximum', { amount: '1000000000.01' }, 422, 'amount_not_supported'],
    ['an amount of forty digits', { amount: '9'.repeat(40) }, 422, 'amount_not_supported'],
    ['another merchant', { merchant_id: randomUUID() }, 403, 'merchant_mismatch'],
  ]
  for (const [name, change, status, code] of refused) {
    test(`the server refuses ${name} with ${status}, stores no row and does not use the Idempotency-Key`, async () => {
      for (const key of [world.sandbox_key, world.live_key, finance]) {
        const idempotency_key = randomUUID()
        const send = (body: object) => world.post(MOBILE, body, { key, idempotency_key })
        const reply = await unchanged(world, () => send({ ...TO_PHONE, ...change }), name)
        assert.deepEqual(codeOf(reply), [status, code], reply.text)
        assert.equal((await world.rows('select 1 from idempotency_keys where key = $1', [idempotency_key])).length, 0)
        assert.equal((await send(TO_PHONE)).status, 202)
      }
    })
  }
  test('the refusal of an amount below the minimum names both limits', async () => {
    const { error } = (await submit({ ...PHONE, amount: '0.50' })).body
    assert.match(error.message, /1\.00 to 1000000000\.00/)
    assert.deepEqual(error.details, { minimum: '1.00', maximum: '1000000000.00' })
  })
})

test('the server refuses an amount with cents when the provider moves whole shillings only', async () => {
  const whole = await createWorld({ compose: { providers: [WHOLE_SHILLINGS] } })
  try {
    await fund(whole, { amount: '1000' })
    const send = (amount: string) => whole.post(MOBILE, { ...TO_PHONE, amount })
    assert.deepEqual(codeOf(await unchanged(whole, () => send('10.50'))), [422, 'amount_not_supported'])
    assert.equal((await send('10.00')).status, 202)
  } finally {
    await whole.close()
  }
})

test('the server refuses an amount above the balance with 409 insufficient_balance, and the message has both amounts', async () => {
  for (const [environment, key] of [
    ['live', world.live_key],
    ['sandbox', world.sandbox_key],
  ] as const) {
    const [available] = await balanceOf(world, key)
    for (const [path, body] of [
      [MOBILE, TO_PHONE],
      [BANK, TO_ACCOUNT],
      [PESA, { ...TO_PHONE, destination_code: undefined }],
    ] as const) {
      const reply = await unchanged(
        world,
        () => world.post(path, { ...body, amount: '999999.99' }, { key }),
        environment,
      )
      assert.deepEqual(codeOf(reply), [409, 'insufficient_balance'], reply.text)
      assert.equal(reply.body.error.details, null)
      for (const amount of [available, '999999.99']) assert.ok(reply.body.error.message.includes(amount), reply.text)
    }
  }
})

describe('live money of restricted merchants', () => {
  const restrictions: [string, (id: string) => Promise<unknown>][] = [
    ['suspended', (id) => world.rows("update merchants set status = 'SUSPENDED' where id = $1", [id])],
    ['not active yet', (id) => world.rows("update merchants set status = 'PENDING' where id = $1", [id])],
    ['not verified', (id) => world.rows('update merchants set verified = false where id = $1', [id])],
    ['not priced', (id) => price(id, [])],
    ['not priced for this destination', (id) => price(id, [{ flow: 'withdrawal', destination_code: 'CRDB' }])],
  ]
  for (const [name, restrict] of restrictions) {
    for (const funded of [true, false]) {
      test(`the server refuses live money of a merchant that is ${name} in a session with 409 withdrawal_restricted, ${funded ? 'with' : 'without'} a balance`, async () => {
        const merchant = await world.newMerchant()
        if (funded) await fund(world, { merchant, amount: '100000', environment: 'live' })
        const live = await world.newKey({ merchant, environment: 'live' })
        const sandbox = await world.newKey({ merchant })
        const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
        await restrict(merchant.id)
        const reply = await unchanged(world, () => submit(PHONE, { key: token }), name)
        assert.deepEqual(codeOf(reply), [409, 'withdrawal_restricted'], reply.text)
        assert.equal(reply.body.error.details, null)
        const by_key = await unchanged(world, () => world.post(MOBILE, TO_PHONE, { key: live }), name)
        const expected =
          name === 'suspended' || name === 'not active yet'
            ? [403, 'production_access_restricted']
            : [409, 'withdrawal_restricted']
        assert.deepEqual(codeOf(by_key), expected)
        // Every merchant may use the sandbox.
        await fund(world, { merchant, amount: '100000' })
        assert.equal((await world.post(MOBILE, TO_PHONE, { key: sandbox })).status, 202)
        assert.equal((await submit({ ...PHONE, environment: 'sandbox' }, { key: token })).status, 202)
      })
    }
  }
})

test('the server refuses a key at the dashboard endpoint, and refuses to let a viewer or developer send money', async () => {
  const reply = await unchanged(world, () => submit(PHONE, { key: world.live_key }))
  assert.deepEqual(codeOf(reply), [403, 'insufficient_role'])
  for (const role of ['VIEWER', 'DEVELOPER'] as const) {
    const { token } = await world.newSession(role)
    for (const [path, body] of [
      [SUBMIT, PHONE],
      [MOBILE, TO_PHONE],
    ] as const) {
      const refused = await unchanged(world, () => world.post(path, body, { key: token }))
      assert.deepEqual(codeOf(refused), [403, 'insufficient_role'])
    }
  }
})

test('the refusal names the first failed check when several checks fail', async () => {
  const merchant = await world.newMerchant({ approved: false })
  const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
  const key = await world.newKey({ merchant, scopes: ['disbursements:read'] })
  const steps: [object, { key: string | null; idempotency_key?: null }, [number, string]][] = [
    [{ amount: 'x' }, { key: null }, [401, 'authentication_required']],
    [{ amount: 'x' }, { key, idempotency_key: null }, [403, 'insufficient_scope']],
    [{ ...TO_PHONE, amount: 'x', currency: 'USD' }, { key: token, idempotency_key: null }, [400, 'validation_failed']],
    [{ ...TO_PHONE, currency: 'USD' }, { key: token, idempotency_key: null }, [400, 'idempotency_key_required']],
    [{ ...TO_PHONE, currency: 'USD', destination_code: 'X' }, { key: token }, [422, 'unsupported_currency']],
    [{ ...TO_PHONE, destination_code: 'X', amount: '0.01' }, { key: token }, [422, 'unknown_destination']],
    [{ ...TO_PHONE, amount: '0.01' }, { key: token }, [422, 'amount_not_supported']],
    [TO_PHONE, { key: token }, [409, 'withdrawal_restricted']],
  ]
  for (const [body, options, expected] of steps) {
    assert.deepEqual(codeOf(await world.post(MOBILE, body, options)), expected, JSON.stringify(body))
  }
  const foreign = { ...TO_PHONE, merchant_id: randomUUID(), currency: 'USD' }
  const no_key = { key: world.live_key, idempotency_key: null }
  assert.deepEqual(codeOf(await world.post(MOBILE, foreign, no_key)), [400, 'idempotency_key_required'])
  assert.deepEqual(codeOf(await world.post(MOBILE, foreign, { key: world.live_key })), [403, 'merchant_mismatch'])
})

describe('repeated submissions', () => {
  for (const [path, body, keyOf] of [
    [SUBMIT, PHONE, () => finance],
    [`${SUBMIT}?environment=sandbox`, ACCOUNT, () => finance],
    [MOBILE, TO_PHONE, () => world.live_key],
    [BANK, TO_ACCOUNT, () => world.sandbox_key],
    [PESA, { ...TO_PHONE, destination_code: undefined }, () => world.sandbox_key],
  ] as const) {
    test(`the endpoint ${path} refuses a request without an Idempotency-Key`, async () => {
      for (const idempotency_key of [null, '', 'a b', 'x'.repeat(256)]) {
        const reply = await unchanged(world, () => world.post(path, body, { key: keyOf(), idempotency_key }))
        assert.deepEqual(codeOf(reply), [400, 'idempotency_key_required'])
      }
    })

    test(`the endpoint ${path} answers a replay with the same bytes, and another body with 422`, async () => {
      const options = { key: keyOf(), idempotency_key: randomUUID() }
      const first = await world.post(path, body, options)
      assert.equal(first.status, 202)
      const again = await unchanged(world, () => world.post(path, { ...body, amount: 10000 }, options))
      assert.equal(again.text, first.text)
      assert.deepEqual([again.status, again.headers['idempotency-replayed']], [202, 'true'])
      const other = await unchanged(world, () => world.post(path, { ...body, amount: '10001' }, options))
      assert.deepEqual(codeOf(other), [422, 'idempotency_key_reused'])
    })

    test(`the endpoint ${path} makes one withdrawal of ten concurrent requests on two processes`, async () => {
      const second = await createWorld({ url: world.url })
      try {
        const before = await countOf()
        const options = { key: keyOf(), idempotency_key: randomUUID() }
        const replies = await Promise.all(
          Array.from({ length: 10 }, (_, i) => (i % 2 ? world : second).post(path, body, options)),
        )
        assert.equal(await countOf(), before + 1)
        assert.deepEqual([...new Set(replies.map(({ status }) => status))], [202])
        assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
      } finally {
        await second.close()
      }
    })
  }

  test('the server checks a used Idempotency-Key before the rules of the platform', async () => {
    const options = { key: world.sandbox_key, idempotency_key: randomUUID() }
    await world.post(MOBILE, TO_PHONE, options)
    for (const change of [{ currency: 'USD' }, { merchant_id: randomUUID() }, { amount: '0.01' }]) {
      const reply = await unchanged(world, () => world.post(MOBILE, { ...TO_PHONE, ...change }, options))
      assert.deepEqual(codeOf(reply), [422, 'idempotency_key_reused'])
    }
  })

  test('a replay gets the stored refusal even when a new request would succeed', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant, environment: 'live' })
    const unfunded = { key, idempotency_key: randomUUID() }
    const first = await world.post(MOBILE, TO_PHONE, unfunded)
    assert.deepEqual(codeOf(first), [409, 'insufficient_balance'])
    await world.rows('update merchants set verified = false where id = $1', [merchant.id])
    const unverified = { key, idempotency_key: randomUUID() }
    const second = await world.post(MOBILE, TO_PHONE, unverified)
    assert.deepEqual(codeOf(second), [409, 'withdrawal_restricted'])
    await world.rows('update merchants set verified = true where id = $1', [merchant.id])
    await fund(world, { merchant, amount: '50000', environment: 'live' })
    for (const [options, stored] of [
      [unfunded, first],
      [unverified, second],
    ] as const) {
      const again = await unchanged(world, () => world.post(MOBILE, TO_PHONE, options))
      assert.equal(again.text, stored.text)
      assert.equal(again.headers['idempotency-replayed'], 'true')
    }
    assert.equal((await world.post(MOBILE, TO_PHONE, { key })).status, 202)
  })

  test('the same Idempotency-Key makes a separate withdrawal in each environment and for each merchant', async () => {
    const idempotency_key = randomUUID()
    const ids = new Set<string>()
    const merchant = await world.newMerchant()
    await fund(world, { merchant, amount: '50000' })
    for (const key of [world.sandbox_key, world.live_key, await world.newKey({ merchant })]) {
      ids.add((await world.post(MOBILE, TO_PHONE, { key, idempotency_key })).body.data.id)
    }
    assert.equal(ids.size, 3)
  })
})
