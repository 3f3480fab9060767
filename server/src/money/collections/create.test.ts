// Tests the answers to requests for new payments, and the refusals that leave no payment.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { NO_PAYOUTS } from '../../../test/no-payouts.ts'

const PUSH = '/v1/collections/wallet-push'
const PESA = '/v1/collections/provider-pesa'
const QR = '/v1/collections/qr'
const STK = '/v1/collections/stk-push'

let world: World
before(async () => {
  world = await createWorld()
})
after(async () => {
  await world.work()
  await world.close()
})

/** Returns the fee and the net amount of the transaction of a payment. */
async function bookedOf(collection_id: string): Promise<[number, number]> {
  const { items } = (await world.get('/v1/merchants/me/transactions?page_size=100')).body.data
  const found = items.find((item: { collection_id: string }) => item.collection_id === collection_id)
  return [Number(found.fee), Number(found.net_amount)]
}

const show = async (id: string, key?: string) => (await world.get(`/v1/collections/${id}`, key)).body.data

describe('answers to new payments', () => {
  for (const [path, word] of [
    [PUSH, 'phone'],
    [PESA, 'wallet app'],
  ] as const) {
    test(`the endpoint ${path} answers 202 with collection_id, reference, status and message, and stores the method`, async () => {
      const reply = await world.post(path, {
        amount: '25000.00',
        currency: 'TZS',
        phone: '+255754123001',
        reference: 'ORDER-1',
        customer_name: 'Asha',
      })
      assert.equal(reply.status, 202)
      assert.deepEqual(Object.keys(reply.body.data), ['collection_id', 'reference', 'status', 'message'])
      assert.equal(reply.body.data.reference, 'ORDER-1')
      assert.equal(reply.body.data.status, 'processing')
      assert.ok(reply.body.data.message.includes(word))
      const shown = await show(reply.body.data.collection_id)
      assert.equal(shown.method, path === PUSH ? 'wallet_push' : 'provider_pesa')
    })
  }

  test('the endpoint qr answers 202 with the unchanged token and code of the provider, and with expires_at null', async () => {
    const reply = await world.post(QR, { amount: 25000, reference: 'ORDER-2' })
    assert.equal(reply.status, 202)
    assert.deepEqual(Object.keys(reply.body.data), [
      'collection_id',
      'reference',
      'status',
      'payment_token',
      'qr_payload',
      'expires_at',
    ])
    assert.equal(reply.body.data.status, 'processing')
    assert.equal(reply.body.data.expires_at, null)
    const [stored] = await world.rows<{ payment_token: string; qr_payload: string }>(
      'select payment_token, qr_payload from collection_attempts where collection_id = $1',
      [reply.body.data.collection_id],
    )
    assert.deepEqual(stored, { payment_token: reply.body.data.payment_token, qr_payload: reply.body.data.qr_payload })
    const shown = await show(reply.body.data.collection_id)
    assert.deepEqual([shown.method, shown.customer_phone], ['qr', null])
  })

  test('the endpoint stk-push makes the same payment as wallet-push from fields with other names', async () => {
    const reply = await world.post(STK, {
      amount: '10',
      customer_phone: '0754123001',
      merchant_reference: 'M-1',
      merchant_id: world.merchant.id,
    })
    assert.equal(reply.status, 202)
    assert.deepEqual(Object.keys(reply.body.data), ['collection_id', 'reference', 'status', 'message'])
    assert.equal(reply.body.data.reference, 'M-1')
    const shown = await show(reply.body.data.collection_id)
    assert.equal(shown.method, 'wallet_push')
    assert.equal(shown.merchant_reference, 'M-1')
    assert.equal(shown.customer_phone, '255754123001')
  })

  test('the answers have a null reference when the request has a webhook_url and no reference', async () => {
    const { data } = (await world.post(PUSH, { amount: 10, phone: '0754123001', webhook_url: 'http://127.0.0.1:1/x' }))
      .body
    assert.equal(data.reference, null)
    const shown = await show(data.collection_id)
    assert.equal(shown.reference, null)
    assert.equal(shown.merchant_reference, null)
  })

  test('the server stores a name of the customer that has only direction marks as no name', async () => {
    const body = { amount: '25000', phone: '0754123001', customer_name: '\u202e\u2069' }
    const { data } = (await world.post(PUSH, body)).body
    assert.equal((await show(data.collection_id)).customer_name, null)
  })

  test('the status record of a settled payment has the documented fields, and the amount in the record is a number', async () => {
    const { data } = (
      await world.post(PUSH, {
        amount: '25000.50',
        phone: '0754123001',
        reference: 'R',
        customer_name: '\u202eJu\u2066ma\u2069',
      })
    ).body
    assert.equal((await show(data.collection_id)).net_amount, null, 'a payment without an outcome adds nothing yet')
    await world.work()
    const shown = await show(data.collection_id)
    for (const field of [
      'collection_id',
      'reference',
      'status',
      'amount',
      'currency',
      'method',
      'provider_payment_status',
      'created_at',
      'updated_at',
      'failure_reason_code',
      'failure_reason_message',
      'merchant_reference',
      'environment',
    ]) {
      assert.ok(field in shown, field)
    }
    assert.equal(shown.amount, 25000.5)
    assert.deepEqual([shown.customer_name, shown.customer_phone], ['Juma', '255754123001'])
    assert.deepEqual([shown.fee, shown.net_amount], await bookedOf(data.collection_id))
    assert.equal(shown.currency, 'TZS')
    assert.equal(shown.environment, 'sandbox')
    assert.equal(shown.status, 'successful')
    assert.match(shown.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('the server finds a payment by its id in upper case, and answers 404 to an unknown id and to other texts', async () => {
    const { collection_id } = (await world.post(PUSH, { amount: 10, phone: '0754123001' })).body.data
    assert.equal((await world.get(`/v1/collections/${collection_id.toUpperCase()}`)).status, 200)
    for (const id of [randomUUID(), 'x', "' or 1=1 --", '00000000-0000-0000-0000-000000000000', `${collection_id}0`]) {
      assert.deepEqual(codeOf(await world.get(`/v1/collections/${encodeURIComponent(id)}`)), [404, 'not_found'], id)
    }
  })
})

describe('amounts', () => {
  const push = (amount: unknown) => world.post(PUSH, { amount, phone: '0754123001' })
  const written = (amount: string) =>
    world.call({
      method: 'POST',
      url: PUSH,
      idempotency_key: randomUUID(),
      headers: { 'content-type': 'application/json' },
      payload: `{"amount":${amount},"phone":"0754123001"}`,
    })

  for (const [amount, cents] of [
    ['1', 100n],
    ['1.00', 100n],
    ['25000.5', 2_500_050n],
    [25000, 2_500_000n],
    [25000.5, 2_500_050n],
    [0.1 + 0.9, 100n],
    [1.15, 115n],
    ['1000000000.00', 100_000_000_000n],
    [1e9, 100_000_000_000n],
  ] as const) {
    test(`the server reads the amount ${JSON.stringify(amount)} as ${cents} cents`, async () => {
      const reply = await push(amount)
      assert.equal(reply.status, 202, reply.text)
      const [row] = await world.rows<{ amount_minor: bigint }>('select amount_minor from collections where id = $1', [
        reply.body.data.collection_id,
      ])
      assert.equal(row?.amount_minor, cents)
    })
  }

  for (const amount of [
    '',
    ' ',
    'ten',
    '1,000',
    '1 000',
    '+5',
    '-5',
    '0',
    '0.00',
    '1.001',
    '1.000',
    '1e3',
    '0x10',
    '.5',
    '5.',
    'NaN',
    'Infinity',
    '१०',
  ]) {
    test(`the server refuses the amount "${amount}" with 400 and names the field`, async () => {
      const reply = await push(amount)
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
      assert.deepEqual(
        reply.body.error.details.fields.map((entry: { field: string }) => entry.field),
        ['amount'],
      )
    })
  }

  for (const amount of ['0', '-1', '-0', '1e3', '1E3', '10e-1', '1.001', '0.1e1', '1e400', '90071992547409.921']) {
    test(`the server refuses the unquoted number ${amount} with 400`, async () =>
      assert.deepEqual(codeOf(await written(amount)), [400, 'validation_failed']))
  }

  for (const amount of ['0.99', '0.01', '1000000000.01', '90071992547409.93', '99999999999999999999']) {
    test(`the server refuses the amount ${amount} with 422 and names the limits, whether the amount is a text or a number`, async () => {
      for (const reply of [await push(amount), await written(amount)]) {
        assert.deepEqual(codeOf(reply), [422, 'amount_not_supported'])
        assert.deepEqual(reply.body.error.details, { minimum: '1.00', maximum: '1000000000.00' })
      }
    })
  }

  test('the server refuses an amount with cents with 422 when the provider moves only whole shillings', async () => {
    const { deps } = world
    const base = {
      name: 'mock',
      capabilities: { methods: ['wallet_push'], whole_shillings: true, payout_methods: [] },
    } as const
    const accepted = { kind: 'accepted', provider_status: null } as const
    const own = await createWorld({
      compose: {
        providers: [
          {
            ...base,
            push: async () => accepted,
            qr: async () => accepted,
            status: async (all) => all.map(() => accepted),
            ...NO_PAYOUTS,
            verifyCallback: () => ({ verified: false }),
          },
        ],
      },
    })
    try {
      assert.ok(deps)
      assert.deepEqual(codeOf(await own.post(PUSH, { amount: '10.50', phone: '0754123001' }, { key: own.live_key })), [
        422,
        'amount_not_supported',
      ])
      assert.equal((await own.post(PUSH, { amount: '10.00', phone: '0754123001' }, { key: own.live_key })).status, 202)
    } finally {
      await own.close()
    }
  })
})

describe('phones and currencies', () => {
  for (const phone of ['0754123001', '754123001', '255754123001', '+255754123001', '0754 123-001']) {
    test(`the server accepts the phone "${phone}" and stores the canonical format`, async () => {
      const { collection_id } = (await world.post(PUSH, { amount: 10, phone })).body.data
      const [row] = await world.rows<{ customer_phone: string }>(
        'select customer_phone from collections where id = $1',
        [collection_id],
      )
      assert.equal(row?.customer_phone, '255754123001')
    })
  }
  for (const [path, field] of [
    [PUSH, 'phone'],
    [PESA, 'phone'],
    [STK, 'customer_phone'],
    [QR, 'customer_phone'],
  ] as const) {
    test(`the server refuses an invalid phone on ${path} with 400 and names ${field}`, async () => {
      for (const phone of ['', '12345', '+254712345678', '0222123456', 'abc']) {
        const reply = await world.post(path, { amount: 10, [field]: phone })
        assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
        assert.deepEqual(
          reply.body.error.details.fields.map((entry: { field: string }) => entry.field),
          [field],
        )
      }
    })
  }
  test('the server refuses a currency other than TZS, and TZS in small letters, with 422', async () => {
    for (const currency of ['USD', 'KES', 'tzs', ''])
      assert.deepEqual(codeOf(await world.post(PUSH, { amount: 10, phone: '0754123001', currency })), [
        422,
        'unsupported_currency',
      ])
  })
})

describe('the order of the checks', () => {
  test('the server checks credential, scope, body, Idempotency-Key and merchant in this order, and then the rules', async () => {
    const used = 'order-of-checks'
    assert.equal((await world.post(PUSH, { amount: 10, phone: '0754123001' }, { idempotency_key: used })).status, 202)
    const reader = await world.newKey({ scopes: ['collections:read'] })
    const foreign = { amount: 10, phone: '0754123001', merchant_id: randomUUID(), currency: 'USD' }
    const own = { ...foreign, merchant_id: world.merchant.id }
    const send = (
      body: object | string,
      options: { key?: string | null; idempotency_key?: string | null; type?: string } = {},
    ) => {
      const { type = 'application/json', ...rest } = options
      return world.call({
        method: 'POST',
        url: PUSH,
        payload: typeof body === 'string' ? body : JSON.stringify(body),
        ...rest,
        headers: { 'content-type': type },
      })
    }
    assert.deepEqual(codeOf(await send('{', { key: null })), [401, 'authentication_required'])
    assert.deepEqual(codeOf(await send('{', { key: reader })), [403, 'insufficient_scope'])
    assert.deepEqual(codeOf(await send('{', { type: 'text/plain' })), [415, 'unsupported_media_type'])
    assert.deepEqual(codeOf(await send('{')), [400, 'invalid_json'])
    assert.deepEqual(codeOf(await send({ ...foreign, amount: 'ten' }, { idempotency_key: used })), [
      400,
      'validation_failed',
    ])
    assert.deepEqual(codeOf(await send({ ...foreign, phone: 'none' })), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await send(foreign)), [400, 'idempotency_key_required'])
    assert.deepEqual(codeOf(await send(foreign, { idempotency_key: used })), [422, 'idempotency_key_reused'])
    assert.deepEqual(codeOf(await send(foreign, { idempotency_key: 'fresh' })), [403, 'merchant_mismatch'])
    assert.deepEqual(codeOf(await send(own, { idempotency_key: 'fresh' })), [422, 'unsupported_currency'])
    assert.deepEqual(codeOf(await send({ ...own, currency: 'TZS' }, { idempotency_key: 'fresh' })), [202, 'ok'])
  })

  test('each of four endpoints refuses simulate_status with a live key with 422 and makes no payment', async () => {
    const count = async () => (await world.rows<{ n: bigint }>('select count(*) as n from collections'))[0]?.n
    const before = await count()
    for (const path of [PUSH, PESA, QR, STK]) {
      const body = { amount: 10, phone: '0754123001', customer_phone: '0754123001', simulate_status: 'successful' }
      assert.deepEqual(codeOf(await world.post(path, body, { key: world.live_key })), [
        422,
        'simulate_status_not_allowed',
      ])
    }
    assert.equal(await count(), before)
  })
})
