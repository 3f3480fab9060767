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
const push = (fields: Fields) => rig.call('POST', '/checkout/wallet-payment', fields)
const status = (order_id: string) => rig.call('GET', '/checkout/order-status', { order_id })
const wallet = (fields: Fields) => rig.call('POST', '/walletcashin/process', fields)

describe('payouts of the twin', () => {
  const query = (rail: string, transid: string) => rig.call('GET', `/${rail}/query`, { transid })
  const balance = async () => {
    const fields = { vendor: 'SIMFLOAT', pin: '0000', transid: 'B1' }
    return dataOf(await rig.call('POST', '/vendor/balance', fields)).balance
  }

  it('the twin pays out of the float on each rail, and a query on that rail shows the receipt', async () => {
    const { utilitycode: _left_out, ...pesa } = walletOf('OUT')
    const rails: [string, string, Fields][] = [
      ['walletcashin', '/walletcashin/process', walletOf('OUT')],
      ['selcompesa', '/selcompesa/cashin', pesa],
      ['qwiksend', '/qwiksend/process', bankOf('OUT')],
    ]
    for (const [rail, path, fields] of rails) {
      const before = Number(await balance())
      const reply = await rig.call('POST', path, fields)
      assert.equal(resultOf(reply), '000 SUCCESS', rail)
      assert.equal(reply.json?.transid, 'OUT')
      assert.equal(Number(await balance()), before - Number(fields.amount))
      const queried = await query(rail, 'OUT')
      assert.equal(queried.json?.messageId, 'OUT')
      assert.equal(queried.json?.reference, reply.json?.reference)
      assert.match(dataOf(queried).receipt ?? '', /^\d{10}$/)
      assert.equal(rig.simulator.payout(rail, 'OUT')?.executions, 1)
    }
  })

  it('a query finds a payout only on its rail, and the settings choose the answer about an unknown transid', async () => {
    await wallet(walletOf('MINE'))
    assert.equal(resultOf(await query('walletcashin', 'MINE')), '000 SUCCESS')
    const reply = await query('qwiksend', 'MINE')
    assert.equal(resultOf(reply), '999 AMBIGOUS')
    assert.equal(reply.json?.message, 'No reponse from upstream system')
    rig.simulator.set({ unknown_transid: 'fail' })
    assert.equal(resultOf(await query('qwiksend', 'MINE')), '404 FAIL')
    rig.simulator.set({ unknown_transid: 'mixed' })
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => query('qwiksend', `NONE${i}`)))
    const texts = new Set(replies.map(({ json }) => `${json?.resultcode} ${json?.message}`))
    assert.ok(texts.size > 8, [...texts].join(', '))
    assert.deepEqual(new Set(replies.map(({ json }) => json?.result)), new Set(['FAIL']))
    const echoes = replies.filter(({ json }) => json?.messageId !== undefined).length
    assert.ok(echoes > 0 && echoes < replies.length)
  })

  it('the twin refuses a wrong float, PIN, amount or receiver of a payout, and the transid stays unused', async () => {
    const refused: [Fields, string][] = [
      [{ vendor: 'SIMTILL' }, '651 FAIL'],
      [{ pin: '1111' }, '651 FAIL'],
      [{ amount: 999 }, '013 FAIL'],
      [{ amount: 1_000_001 }, '990 FAIL'],
      [{ utilitycode: 'CRDBBANK' }, '612 FAIL'],
      [{ utilityref: '12' }, '010 FAIL'],
    ]
    const before = await balance()
    for (const [changes, expected] of refused) assert.equal(resultOf(await wallet(walletOf('FREE', changes))), expected)
    const bank = await rig.call('POST', '/qwiksend/process', bankOf('FREE', { recipientFiCode: 'VMCASHIN' }))
    assert.equal(resultOf(bank), '612 FAIL')
    const wrong = { vendor: 'SIMFLOAT', pin: '1111', transid: 'B2' }
    assert.equal(resultOf(await rig.call('POST', '/vendor/balance', wrong)), '651 FAIL')
    assert.equal(await balance(), before)
    assert.equal(rig.simulator.payout('walletcashin', 'FREE'), null)
    assert.equal(resultOf(await wallet(walletOf('FREE', { amount: 1000 }))), '000 SUCCESS')
  })

  it('the twin does not add payments of customers to the float', async () => {
    const before = await balance()
    await create(orderOf('FILL', { amount: 900_000 }))
    await push({ transid: 'T-FILL', order_id: 'FILL', msisdn: '255740000999' })
    rig.clock.advance(10_000)
    assert.equal(dataOf(await status('FILL')).payment_status, 'COMPLETED')
    assert.equal(await balance(), before)
  })

  it('the twin answers a used transid of a payout as the settings choose, and pays again only for the setting execute', async () => {
    const first = await wallet(walletOf('AGAIN'))
    for (const [duplicate_transid, expected, executions] of [
      ['fail', '400 FAIL', 1],
      ['ambiguous', '999 AMBIGOUS', 1],
      ['replay', '000 SUCCESS', 1],
      ['execute', '000 SUCCESS', 2],
    ] as const) {
      rig.simulator.set({ duplicate_transid })
      const before = Number(await balance())
      const again = await wallet(walletOf('AGAIN', { amount: 20_000 }))
      assert.equal(resultOf(again), expected)
      if (duplicate_transid === 'replay') assert.deepEqual(again.json, first.json)
      assert.equal(rig.simulator.payout('walletcashin', 'AGAIN')?.executions, executions)
      assert.equal(Number(await balance()), duplicate_transid === 'execute' ? before - 15_000 : before)
    }
    assert.equal(rig.simulator.totals().payouts.executed_more_than_once, 1)
  })

  it('the twin answers a look-up with the name, and accepts the transid of the look-up for the payout', async () => {
    const look = (utilityref: string) =>
      rig.call('GET', '/walletcashin/namelookup', { utilitycode: 'VMCASHIN', utilityref, transid: 'LOOK' })
    assert.equal(dataOf(await look('255740000999')).name, dataOf(await look('255740000999')).name)
    assert.match(dataOf(await look('255740000999')).name ?? '', /^[A-Z]+ [A-Z]+$/)
    assert.equal(resultOf(await look('255740000110')), '010 FAIL')
    assert.equal(resultOf(await wallet(walletOf('LOOK'))), '000 SUCCESS')
    const pesa = await rig.call('GET', '/selcompesa/namelookup', { utilityref: '5678901', transid: 'LOOK' })
    assert.equal(resultOf(pesa), '000 SUCCESS')
    const bank = { bank: 'NOBANK', account: '12345', transid: 'LOOK' }
    assert.equal(resultOf(await rig.call('GET', '/qwiksend/lookup', bank)), '612 FAIL')
  })
})
