// Tests that the server validates price lists, and that a new list replaces the previous list.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { FLOW_METHODS } from '../../access/merchants/choose-rule.ts'
import { DESTINATIONS } from '../../kernel/lib/index.ts'

let world: World
let operator: string
before(async () => {
  world = await createWorld()
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(() => world.close())

const path = (merchant_id: string) => `/v1/operator/merchants/${merchant_id}/pricing`
const put = (merchant_id: string, rules: unknown) =>
  world.call({ method: 'PUT', url: path(merchant_id), payload: { rules }, key: operator })
const inForce = async (merchant_id: string) => (await world.get(path(merchant_id), operator)).body.data.rules

const FULL = {
  flow: 'withdrawal',
  method: 'MOBILE_MONEY',
  destination_code: 'MPESA',
  percentage: '1.50',
  flat_fee: '500.00',
  processor_charge: '250.00',
  processor_fee_pass_through: true,
  label: 'M-Pesa payouts',
}
const DEFAULTS = {
  method: null,
  destination_code: null,
  percentage: '0.00',
  flat_fee: '0.00',
  processor_charge: '0.00',
  processor_fee_pass_through: false,
  label: '',
}

test('the server returns a price list with the default of each missing field, and the most specific lines of withdrawals first', async () => {
  const { id } = await world.newMerchant({ approved: false })
  const written = [
    { flow: 'withdrawal' },
    { flow: 'collection', method: 'wallet_push', percentage: '2', destination_code: null },
    FULL,
    { flow: 'withdrawal', method: 'BANK_ACCOUNT', flat_fee: '1000', percentage: '100' },
  ]
  const { status, body, text } = await put(id, written)
  assert.equal(status, 200, text)
  const at = world.deps.clock.now().toISOString()
  const shown = body.data.rules.map(
    ({
      id: _,
      valid_from,
      destination_known,
      ...rule
    }: {
      id: string
      valid_from: string
      destination_known: boolean
    }) => {
      assert.equal(valid_from, at)
      assert.equal(destination_known, true)
      return rule
    },
  )
  assert.deepEqual(shown, [
    FULL,
    { ...DEFAULTS, flow: 'withdrawal', method: 'BANK_ACCOUNT', flat_fee: '1000.00', percentage: '100.00' },
    { ...DEFAULTS, flow: 'withdrawal' },
    { ...DEFAULTS, flow: 'collection', method: 'wallet_push', percentage: '2.00' },
  ])
  assert.deepEqual(await inForce(id), body.data.rules)
})

test('a new price list ends every line of the previous list and deletes no line', async () => {
  const { id } = await world.newMerchant()
  const [first] = await inForce(id)
  world.deps.clock.advance(60_000)
  await put(id, [FULL])
  const rows = await world.rows<{ id: string; valid_until: Date | null }>(
    'select id, valid_until from pricing_rules where merchant_id = $1 order by valid_from',
    [id],
  )
  assert.deepEqual(
    rows.map((row) => [row.id === first.id, row.valid_until?.toISOString() ?? null]),
    [
      [true, world.deps.clock.now().toISOString()],
      [false, null],
    ],
  )
})

test('the audit log contains the previous and the new price list', async () => {
  const { id } = await world.newMerchant()
  const before = await inForce(id)
  const { body } = await put(id, [FULL])
  const [entry] = (await world.get(`/v1/operator/audit-log?merchant_id=${id}`, operator)).body.data.items
  assert.equal(entry.action, 'merchant.price')
  assert.deepEqual(entry.before, { rules: before })
  assert.deepEqual(entry.after, body.data)
})

test('without a line for withdrawals, a merchant is not priced and gets no live key', async () => {
  const merchant = await world.newMerchant()
  for (const rules of [[], [{ flow: 'collection' }]]) {
    assert.equal((await put(merchant.id, rules)).status, 200)
    assert.equal((await world.get(`/v1/operator/merchants/${merchant.id}`, operator)).body.data.priced, false)
    await assert.rejects(world.newKey({ merchant, environment: 'live' }), { code: 'production_access_restricted' })
  }
})

test('when ten price lists arrive at the same time, exactly one complete list is in force', async () => {
  const { id } = await world.newMerchant()
  const lists = Array.from({ length: 10 }, (_, i) => [
    { ...FULL, label: `list ${i}` },
    { flow: 'withdrawal', label: `list ${i}` },
  ])
  for (const { status } of await Promise.all(lists.map((rules) => put(id, rules)))) assert.equal(status, 200)
  const labels = (await inForce(id)).map(({ label }: { label: string }) => label)
  assert.equal(labels.length, 2)
  assert.equal(labels[0], labels[1])
})

test('the error names a wrong line of a price list by its number and field', async () => {
  const { id } = await world.newMerchant()
  const before = await inForce(id)
  const wrong: [object, string][] = [
    [{ flow: 'refund' }, 'rules.1.flow'],
    [{}, 'rules.1.flow'],
    [{ flow: 'withdrawal', method: 'wallet_push' }, 'rules.1.method'],
    [{ flow: 'collection', method: 'MOBILE_MONEY' }, 'rules.1.method'],
    [{ flow: 'collection', destination_code: 'MPESA' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', destination_code: 'M-PAISA' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', destination_code: 'BANK7' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', destination_code: '' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', method: 'BANK_ACCOUNT', destination_code: 'AIRTEL' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', method: 'MOBILE_MONEY', destination_code: 'CRDB' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', method: 'MOBILE_MONEY', destination_code: 'PROVIDER_PESA' }, 'rules.1.destination_code'],
    [{ flow: 'withdrawal', percentage: '1.505' }, 'rules.1.percentage'],
    [{ flow: 'withdrawal', percentage: '100.01' }, 'rules.1.percentage'],
    [{ flow: 'withdrawal', percentage: '-1' }, 'rules.1.percentage'],
    [{ flow: 'withdrawal', percentage: 1.5 }, 'rules.1.percentage'],
    [{ flow: 'withdrawal', flat_fee: '-0.01' }, 'rules.1.flat_fee'],
    [{ flow: 'withdrawal', flat_fee: '1.005' }, 'rules.1.flat_fee'],
    [{ flow: 'withdrawal', flat_fee: 500 }, 'rules.1.flat_fee'],
    [{ flow: 'withdrawal', flat_fee: '1e3' }, 'rules.1.flat_fee'],
    [{ flow: 'withdrawal', processor_charge: '99999999999999999999' }, 'rules.1.processor_charge'],
    [{ flow: 'withdrawal', processor_fee_pass_through: 'yes' }, 'rules.1.processor_fee_pass_through'],
    [{ flow: 'withdrawal', label: 'a\u0000b' }, 'rules.1.label'],
  ]
  for (const [rule, field] of wrong) {
    const { status, body } = await put(id, [FULL, rule])
    assert.deepEqual([status, body.error.code], [400, 'validation_failed'], JSON.stringify(rule))
    assert.ok(
      body.error.details.fields.some((problem: { field: string }) => problem.field === field),
      `${JSON.stringify(rule)}: ${JSON.stringify(body.error.details)}`,
    )
  }
  assert.deepEqual(await inForce(id), before, 'a refused list changes nothing')
})

test('the server refuses a price list that repeats a line, and names the number of the line', async () => {
  const { id } = await world.newMerchant()
  const { body } = await put(id, [FULL, { flow: 'withdrawal' }, { ...FULL, label: 'again' }])
  assert.deepEqual(body.error.details.fields, [
    { field: 'rules.2', message: 'applies to the same payments or payouts as rules.0' },
  ])
})

test('the server refuses a second line for one destination, also under another name and with or without the method', async () => {
  const { id } = await world.newMerchant()
  const before = await inForce(id)
  const same: [object, object][] = [
    [{ destination_code: 'MPESA' }, { destination_code: 'VODACOM' }],
    [{ destination_code: 'm-pesa' }, { destination_code: 'MPESA' }],
    [{ destination_code: 'TIGO' }, { destination_code: 'yas' }],
    [{ destination_code: 'CRDB' }, { destination_code: 'CRDB', method: 'BANK_ACCOUNT' }],
    [
      { destination_code: 'HALOTEL', method: 'MOBILE_MONEY' },
      { destination_code: 'HALOPESA', method: null },
    ],
  ]
  for (const [one, other] of same) {
    const { status, body } = await put(id, [
      { flow: 'withdrawal', ...one },
      { flow: 'withdrawal', method: 'PROVIDER_PESA' },
      { flow: 'withdrawal', ...other },
    ])
    assert.deepEqual([status, body.error.details.fields[0].field], [400, 'rules.2'], JSON.stringify([one, other]))
  }
  assert.deepEqual(await inForce(id), before)
})

test('the server accepts a destination by any of its names, and stores and shows the code', async () => {
  const { id } = await world.newMerchant()
  const names = ['vodacom', 'Tigo Pesa', 'SELCOM_PESA', 'scb', 'I-and-M']
  const { status, body, text } = await put(
    id,
    names.map((destination_code) => ({ flow: 'withdrawal', destination_code })),
  )
  assert.equal(status, 200, text)
  const codes = body.data.rules.map((rule: { destination_code: string }) => rule.destination_code)
  assert.deepEqual(codes.sort(), ['IMBANK', 'MIXX', 'MPESA', 'PROVIDER_PESA', 'STANDARD_CHARTERED'])
  assert.deepEqual(await inForce(id), body.data.rules)
})

test('the server refuses an unknown destination and names the call that lists the known destinations', async () => {
  const { id } = await world.newMerchant()
  const { body } = await put(id, [{ flow: 'withdrawal', destination_code: 'BANK7' }])
  assert.match(body.error.details.fields[0].message, /GET \/v1\/destinations/)
})

test('a price list may contain every method and destination, and at most 200 lines', async () => {
  const { id } = await world.newMerchant()
  const every = [
    ...DESTINATIONS.map(({ code, method }) => ({ flow: 'withdrawal', destination_code: code, method })),
    ...Object.entries(FLOW_METHODS).flatMap(([flow, methods]) =>
      [null, ...methods].map((method) => ({ flow, method })),
    ),
  ]
  const { status, text } = await put(id, every)
  assert.equal(status, 200, text)
  const kept = await inForce(id)
  assert.equal(kept.length, every.length)
  const fields = async (count: number): Promise<string[]> => {
    const { status, body } = await put(id, Array(count).fill({ flow: 'withdrawal' }))
    assert.equal(status, 400)
    return body.error.details.fields.map(({ field }: { field: string }) => field)
  }
  assert.equal((await fields(200))[0], 'rules.1', 'the server checks each of two hundred lines')
  assert.deepEqual(await fields(201), ['rules'])
  assert.deepEqual(await inForce(id), kept)
})

test('the server answers 404 for the price list of an unknown merchant', async () => {
  assert.equal((await put(randomUUID(), [FULL])).body.error.code, 'not_found')
})

test('the server refuses an unknown network, names its line and the known codes, and stores the code for any name of a known network', async () => {
  const { id } = await world.newMerchant()
  const { status, body } = await put(id, [FULL, { flow: 'withdrawal', destination_code: 'vodka' }])
  assert.equal(status, 400)
  const [problem] = body.error.details.fields
  assert.equal(problem.field, 'rules.1.destination_code')
  for (const code of ['MPESA', 'AIRTEL', 'CRDB']) assert.match(problem.message, new RegExp(`\\b${code}\\b`))
  for (const [name, code] of [
    ['voda', 'MPESA'],
    ['Vodacom', 'MPESA'],
    [' mixx-by-yas ', 'MIXX'],
    ['crdb bank', 'CRDB'],
  ]) {
    const kept = await put(id, [{ flow: 'withdrawal', destination_code: name }])
    assert.equal(kept.status, 200, JSON.stringify(kept.body))
    const [rule] = await inForce(id)
    assert.deepEqual([rule.destination_code, rule.destination_known], [code, true], name)
  }
})

test('a stored price with another name of a network applies to that network, and the list shows an unknown network as stored', async () => {
  const merchant = await world.newMerchant()
  const { id } = merchant
  assert.equal((await put(id, [{ ...FULL, flow: 'withdrawal', destination_code: 'MPESA' }])).status, 200)
  const store = (code: string) =>
    world.rows('update pricing_rules set destination_code = $2 where merchant_id = $1 and valid_until is null', [
      id,
      code,
    ])
  await store('voda')
  const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
  const quoted_withdrawal = {
    environment: 'live',
    amount: '10000',
    method: 'MOBILE_MONEY',
    destination_code: 'VODACOM',
  }
  const quote = () => world.post('/v1/merchant/withdrawals/quote', quoted_withdrawal, { key: token })
  assert.equal((await quote()).status, 200)
  await store('vodka')
  assert.equal((await quote()).body.error.code, 'withdrawal_restricted')
  const [rule] = await inForce(id)
  assert.deepEqual([rule.destination_code, rule.destination_known], ['vodka', false])
})
