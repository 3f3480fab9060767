import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  bankOf,
  dataOf,
  type Fields,
  orderOf,
  resultOf,
  startRig,
  type TwinRig,
  walletOf,
} from '../../test/providers/selcom-twin-caller.ts'
import { defaultSettings } from './settings.ts'

let rig: TwinRig
before(async () => {
  rig = await startRig({ float: 1_000_000n })
})
beforeEach(() => rig.simulator.set(defaultSettings()))
after(() => rig.close())

const create = (fields: Fields) => rig.call('POST', '/checkout/create-order-minimal', fields)
const push = (fields: Fields, rail = 'wallet-payment') => rig.call('POST', `/checkout/${rail}`, fields)
const status = (order_id: string) => rig.call('GET', '/checkout/order-status', { order_id })
const pushOf = (transid: string, order_id: string) => ({ transid, order_id, msisdn: '255740000999' })

describe('the parameters of a call', () => {
  const wrong: [string, string, Fields][] = [
    ['/checkout/create-order-minimal', 'no_of_items', orderOf('P', { no_of_items: 0 })],
    ['/checkout/create-order-minimal', 'amount', orderOf('P', { amount: '8000.50' })],
    ['/checkout/create-order-minimal', 'amount', orderOf('P', { amount: 0 })],
    ['/checkout/create-order-minimal', 'buyer_phone', orderOf('P', { buyer_phone: '0740000001' })],
    ['/checkout/create-order-minimal', 'buyer_email', orderOf('P', { buyer_email: '' })],
    ['/checkout/create-order-minimal', 'currency', orderOf('P', { currency: 'EUR' })],
    ['/checkout/create-order-minimal', 'webhook', orderOf('P', { webhook: 'https://pay.example.com/callback' })],
    ['/checkout/create-order-minimal', 'redirect_url', orderOf('P', { redirect_url: btoa('not an address') })],
    ['/checkout/create-order-minimal', 'cancel_url', orderOf('P', { cancel_url: btoa('ftp://example.com') })],
    ['/checkout/create-order-minimal', 'expiry', orderOf('P', { expiry: 'soon' })],
    ['/checkout/create-order', 'payment_methods', orderOf('P')],
    ['/checkout/wallet-payment', 'msisdn', { ...pushOf('P', 'P'), msisdn: '0740000001' }],
    ['/walletcashin/process', 'pin', walletOf('P', { pin: '' })],
    ['/walletcashin/process', 'amount', walletOf('P', { amount: '15000.00' })],
    ['/qwiksend/process', 'purpose', bankOf('P', { purpose: ' ' })],
    ['/selcompesa/cashin', 'utilitycode', walletOf('P', { utilitycode: 'CASHIN' })],
  ]
  for (const [path, name, fields] of wrong) {
    it(`the twin refuses ${path} with the value ${fields[name] ?? 'missing'} in ${name}, and names that parameter`, async () => {
      const reply = await rig.call('POST', path, fields)
      assert.equal(reply.status, 412)
      assert.equal(resultOf(reply), '412 FAIL')
      assert.equal(reply.json?.message, `Parameter ${name} is invalid or missing`)
    })
  }

  it('the twin names each missing parameter', async () => {
    for (const [path, fields] of [
      ['/checkout/create-order-minimal', orderOf('P')],
      ['/checkout/selcompesa-payment', pushOf('P', 'P')],
      ['/walletcashin/process', walletOf('P')],
      ['/qwiksend/process', bankOf('P')],
      ['/vendor/balance', { vendor: 'SIMFLOAT', pin: '0000', transid: 'B' }],
    ] as const) {
      for (const name of Object.keys(fields)) {
        const { [name]: _left_out, ...others } = fields as Fields
        const reply = await rig.call('POST', path, others)
        assert.equal(reply.json?.message, `Parameter ${name} is invalid or missing`, path)
      }
    }
  })
})

describe('orders', () => {
  it('the twin shows an order as pending until its payer has paid, and then shows the payment', async () => {
    const made = await create(orderOf('LIFE'))
    assert.deepEqual(Object.keys(made.json ?? {}), ['reference', 'resultcode', 'result', 'message', 'data'])
    assert.equal(resultOf(made), '000 SUCCESS')
    const pushed = await push(pushOf('T-LIFE', 'LIFE'))
    assert.equal(resultOf(pushed), '111 PENDING')
    assert.deepEqual(pushed.json?.data, [])
    const open = { transid: null, channel: null, reference: null, phone: null }
    assert.deepEqual(dataOf(await status('LIFE')), {
      order_id: 'LIFE',
      creation_date: '2026-03-01 12:00:00',
      amount: '5000',
      payment_status: 'PENDING',
      ...open,
    })
    rig.clock.advance(1499)
    assert.equal(dataOf(await status('LIFE')).payment_status, 'PENDING')
    rig.clock.advance(1)
    const paid = dataOf(await status('LIFE'))
    assert.equal(paid.payment_status, 'COMPLETED')
    assert.equal(paid.channel, 'MPESA-TZ')
    assert.equal(paid.phone, '255740000999')
    assert.match(paid.transid ?? '', /^[0-9A-Z]{10}$/)
    assert.match(paid.reference ?? '', /^S\d{11}$/)
  })

  it('the twin accepts a full order with its billing fields, and a push on that order', async () => {
    const billing = Object.fromEntries(
      'firstname lastname address_1 city state_or_region postcode_or_pobox country phone'
        .split(' ')
        .map((name) => [`billing.${name}`, 'X']),
    )
    const full = { ...orderOf('FULL'), payment_methods: 'MOBILEMONEYPULL', ...billing }
    assert.equal(resultOf(await rig.call('POST', '/checkout/create-order', full)), '000 SUCCESS')
    assert.equal(resultOf(await push(pushOf('T-FULL', 'FULL'), 'selcompesa-payment')), '111 PENDING')
  })

  it('the twin makes no order for a foreign till, and refuses a push on an unknown order', async () => {
    assert.equal(resultOf(await create(orderOf('FOREIGN', { vendor: 'OTHER' }))), '651 FAIL')
    assert.equal(resultOf(await push(pushOf('T-FOREIGN', 'FOREIGN'))), '651 FAIL')
    assert.equal(rig.simulator.order('FOREIGN'), null)
  })

  it('the twin answers a used order_id as the settings choose, and keeps the first amount', async () => {
    const first = await create(orderOf('TWICE'))
    for (const [duplicate_order, expected] of [
      ['fail', '643 FAIL'],
      ['ambiguous', '999 AMBIGOUS'],
      ['replay', '000 SUCCESS'],
    ] as const) {
      rig.simulator.set({ duplicate_order, duplicate_code: '643' })
      const again = await create(orderOf('TWICE', { amount: 9999 }))
      assert.equal(resultOf(again), expected)
      if (duplicate_order === 'replay') assert.deepEqual(again.json, first.json)
    }
    assert.equal(rig.simulator.order('TWICE')?.amount, 5000n)
    assert.equal(rig.simulator.order('TWICE')?.requests, 4)
  })

  it('the twin answers a used transid of a push as the settings choose, and prompts again only for the setting execute', async () => {
    await create(orderOf('PROMPT'))
    await push(pushOf('T-PROMPT', 'PROMPT'))
    for (const [duplicate_transid, expected] of [
      ['fail', '400 FAIL'],
      ['ambiguous', '999 AMBIGOUS'],
      ['replay', '111 PENDING'],
    ] as const) {
      rig.simulator.set({ duplicate_transid })
      assert.equal(resultOf(await push(pushOf('T-PROMPT', 'PROMPT'))), expected)
    }
    assert.equal(rig.simulator.order('PROMPT')?.prompts, 1)
    rig.simulator.set({ duplicate_transid: 'execute' })
    await push(pushOf('T-PROMPT', 'PROMPT'))
    assert.equal(rig.simulator.order('PROMPT')?.prompts, 2)
    // The other rail has separate transids, so this transid is new on the other rail.
    rig.simulator.set({ duplicate_transid: 'fail' })
    assert.equal(resultOf(await push(pushOf('T-PROMPT', 'PROMPT'), 'selcompesa-payment')), '111 PENDING')
    assert.equal(rig.simulator.order('PROMPT')?.prompts, 3)
    rig.clock.advance(10_000)
    assert.equal(rig.simulator.list('payments').items.filter((item) => isOf(item, 'PROMPT')).length, 1)
  })

  it('the twin answers a query of an unknown order as the settings choose', async () => {
    assert.equal(resultOf(await status('NEVER')), '999 AMBIGOUS')
    rig.simulator.set({ unknown_order: 'fail' })
    assert.equal(resultOf(await status('NEVER')), '651 FAIL')
  })

  it('the twin ends an order at its given time or at the default time, and takes no payment afterwards', async () => {
    rig.simulator.set({ pay_after_ms: 120_000, order_expiry_min: 3 })
    await create(orderOf('BRIEF', { expiry: 1 }))
    await create(orderOf('DEFAULT'))
    await create(orderOf('SLOW', { expiry: 3 }))
    await push(pushOf('T-BRIEF', 'BRIEF'))
    await push({ ...pushOf('T-SLOW', 'SLOW'), msisdn: '255740000016' })
    rig.clock.advance(59_999)
    assert.equal(dataOf(await status('BRIEF')).payment_status, 'PENDING')
    rig.clock.advance(1)
    assert.equal(dataOf(await status('BRIEF')).payment_status, 'CANCELLED')
    assert.equal(resultOf(await push(pushOf('T-BRIEF2', 'BRIEF'))), '651 FAIL')
    rig.clock.advance(120_000)
    assert.equal(dataOf(await status('BRIEF')).payment_status, 'CANCELLED')
    assert.equal(rig.simulator.order('SLOW')?.word, 'INPROGRESS')
    rig.clock.advance(120_000)
    for (const id of ['DEFAULT', 'SLOW']) assert.equal(dataOf(await status(id)).payment_status, 'CANCELLED')
    const paid = rig.simulator.list('payments').items.filter((item) => isOf(item, 'BRIEF') || isOf(item, 'SLOW'))
    assert.deepEqual(paid, [])
  })

  it('a caller can cancel an unpaid order, and no payer can pay the order afterwards', async () => {
    const cancel = (order_id: string) => rig.call('DELETE', '/checkout/cancel-order', { order_id })
    await create(orderOf('STOPPED'))
    await push({ ...pushOf('T-STOPPED', 'STOPPED'), msisdn: '255740000016' })
    rig.clock.advance(1500)
    assert.equal(dataOf(await status('STOPPED')).payment_status, 'INPROGRESS')
    assert.equal(resultOf(await cancel('STOPPED')), '000 SUCCESS')
    assert.equal(resultOf(await cancel('STOPPED')), '400 FAIL')
    rig.clock.advance(10_000)
    assert.equal(dataOf(await status('STOPPED')).payment_status, 'CANCELLED')
    assert.equal(resultOf(await cancel('LIFE')), '400 FAIL')
    assert.equal(dataOf(await status('LIFE')).payment_status, 'COMPLETED')
  })

  it('the twin lists an order only in a period that contains the day of its creation', async () => {
    const list = (fromdate: string, todate: string) =>
      rig.call('GET', '/checkout/list-orders', { fromdate, todate }).then(({ json }) => json?.data as unknown[])
    const total = rig.simulator.totals().orders.count
    assert.equal((await list('2026-03-01', '2026-03-01')).length, total)
    assert.deepEqual(await list('2026-03-02', '2026-03-09'), [])
    assert.deepEqual((await list('2026-02-01', '2026-03-01'))[0], {
      order_id: 'LIFE',
      creation_date: '2026-03-01 12:00:00',
      amount: '5000',
      payment_status: 'COMPLETED',
    })
  })
})

function isOf(item: unknown, order_id: string): boolean {
  return (item as { order_id: string }).order_id === order_id
}
