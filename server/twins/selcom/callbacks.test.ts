import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  eventually,
  orderOf,
  type ReceivedCallback,
  sign,
  startReceiver,
  startRig,
  type TwinRig,
  textToSign,
} from '../../test/providers/selcom-twin-caller.ts'
import { defaultSettings } from './settings.ts'

let rig: TwinRig
let receiver: Awaited<ReturnType<typeof startReceiver>>
const answers: number[] = []
before(async () => {
  rig = await startRig()
  receiver = await startReceiver(answers)
})
beforeEach(() => rig.simulator.set(defaultSettings()))
after(async () => {
  receiver.close()
  await rig.close()
})

/** Creates an order and pushes a prompt to its payer. The last three digits of the payer's phone are `ending`. */
async function prompted(order_id: string, ending: string, with_webhook = true): Promise<void> {
  const webhook = receiver.webhook(`/callback/${order_id}`)
  await rig.call('POST', '/checkout/create-order-minimal', orderOf(order_id, with_webhook ? { webhook } : {}))
  const msisdn = `255740000${ending}`
  await rig.call('POST', '/checkout/wallet-payment', { transid: `T${order_id}`, order_id, msisdn })
}

const receivedFor = (order_id: string) => receiver.received.filter(({ body }) => body.order_id === order_id)
const came = (order_id: string, number: number) =>
  eventually(() => {
    assert.equal(receivedFor(order_id).length, number)
    assert.deepEqual(statesOf(order_id).includes('waiting'), false)
  })
const statesOf = (order_id: string) =>
  (rig.simulator.list('callbacks').items as { order_id: string; state: string }[])
    .filter((entry) => entry.order_id === order_id)
    .map(({ state }) => state)

/** Returns true if the callback has the gateway's signature. This function shares no code with the twin. */
function isSigned({ headers, body }: ReceivedCallback): boolean {
  const names = (headers['signed-fields'] ?? '').split(',')
  const fields = Object.fromEntries(names.map((name) => [name, body[name] ?? '']))
  return headers.digest === sign(rig.simulator.account.api_secret, textToSign(headers.timestamp ?? '', fields))
}

describe('callbacks', () => {
  it('the twin reports a paid order in a callback with the documented fields and a signature like that of a request', async () => {
    await prompted('PLAIN', '999')
    assert.deepEqual(receivedFor('PLAIN'), [])
    rig.clock.advance(1500)
    await came('PLAIN', 1)
    const [callback] = receivedFor('PLAIN')
    assert.ok(callback && isSigned(callback))
    const { headers, body, path } = callback
    assert.equal(path, '/callback/PLAIN')
    assert.equal(headers['signed-fields'], 'transid,order_id,reference,result,resultcode,payment_status')
    assert.equal(headers.authorization, `SELCOM ${Buffer.from(rig.simulator.account.api_key).toString('base64')}`)
    assert.equal(headers['digest-method'], 'HS256')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers.timestamp, '2026-03-01T12:00:01+03:00')
    const { transid, reference } = rig.simulator.order('PLAIN')?.payment ?? {}
    assert.deepEqual(body, {
      result: 'SUCCESS',
      resultcode: '000',
      order_id: 'PLAIN',
      transid,
      reference,
      channel: 'MPESA-TZ',
      amount: '5000',
      phone: '255740000999',
      payment_status: 'COMPLETED',
    })
    assert.deepEqual(statesOf('PLAIN'), ['delivered'])
  })

  it('the settings choose whether the twin sends callbacks for paid orders, for final statuses, or for every status', async () => {
    const expected = {
      success: { OK: ['COMPLETED'], NO: [], SLOW: ['COMPLETED'] },
      final: { OK: ['COMPLETED'], NO: ['USERCANCELLED'], SLOW: ['COMPLETED'] },
      all: {
        OK: ['COMPLETED', 'PENDING'],
        NO: ['PENDING', 'USERCANCELLED'],
        SLOW: ['COMPLETED', 'INPROGRESS', 'PENDING'],
      },
    }
    for (const callback_on of ['success', 'final', 'all'] as const) {
      rig.simulator.set({ callback_on })
      for (const [name, ending] of [
        ['OK', '001'],
        ['NO', '004'],
        ['SLOW', '016'],
      ] as const) {
        const id = `${callback_on}-${name}`
        const statuses: readonly string[] = expected[callback_on][name]
        await prompted(id, ending)
        rig.clock.advance(3000)
        await came(id, statuses.length)
        assert.deepEqual(
          receivedFor(id)
            .map(({ body }) => body.payment_status)
            .sort(),
          statuses,
        )
        assert.ok(receivedFor(id).every(isSigned))
      }
    }
  })

  it('the twin sends no callback when the order has no callback address', async () => {
    await prompted('SILENT', '999', false)
    rig.clock.advance(1500)
    assert.equal(rig.simulator.order('SILENT')?.word, 'COMPLETED')
    assert.deepEqual(statesOf('SILENT'), [])
  })

  it('the twin repeats an unaccepted callback with the same bytes as often as the settings choose, and then gives up', async () => {
    rig.simulator.set({ callback_retries: 2, callback_retry_pause_ms: 10_000 })
    answers.push(500, 404)
    await prompted('TAKEN', '999')
    rig.clock.advance(1500)
    for (const number of [1, 2, 3]) {
      await eventually(() => assert.equal(receivedFor('TAKEN').length, number))
      // The twin starts the next pause when the receiver's answer arrives. Therefore the test advances the clock until the twin
      // retries.
      await eventually(() => {
        rig.clock.advance(10_000)
        assert.ok(number === 3 ? statesOf('TAKEN')[0] === 'delivered' : receivedFor('TAKEN').length > number)
      })
    }
    const [first, ...others] = receivedFor('TAKEN')
    for (const other of others) assert.deepEqual(other, first)
    answers.push(500, 500, 500)
    await prompted('REFUSED', '999')
    await eventually(() => {
      rig.clock.advance(10_000)
      assert.deepEqual(statesOf('REFUSED'), ['given_up'])
    })
    assert.equal(receivedFor('REFUSED').length, 3)
  })
})

describe('faulty callbacks', () => {
  /**
   * The callbacks after the payment, by number ending. Each entry has the payment status, and true if the gateway signed the
   * callback.
   */
  const COMES: Record<string, [string, boolean][]> = {
    '080': [['COMPLETED', true]],
    '081': [],
    '082': [
      ['COMPLETED', true],
      ['COMPLETED', true],
      ['COMPLETED', true],
    ],
    '084': [
      ['COMPLETED', true],
      ['PENDING', true],
    ],
    '085': [['COMPLETED', false]],
    '087': [['COMPLETED', true]],
  }
  for (const [ending, comes] of Object.entries(COMES)) {
    it(`the twin sends the callbacks that the table of magic numbers gives for the number ${ending}`, async () => {
      const id = `M${ending}`
      await prompted(id, ending)
      rig.clock.advance(1500)
      assert.equal(rig.simulator.order(id)?.word, 'COMPLETED')
      await came(id, comes.length)
      const received = receivedFor(id)
      assert.deepEqual(
        received.map((callback) => [callback.body.payment_status, isSigned(callback)]),
        comes,
      )
      if (ending === '081') assert.deepEqual(statesOf(id), ['lost'])
      if (ending === '085') assert.equal(received[0]?.headers.authorization, undefined)
      if (ending === '087') assert.equal(received[0]?.body.amount, '50000')
    })
  }

  it('the twin sends the callback late for the magic number 083', async () => {
    await prompted('LATE', '083')
    rig.clock.advance(1500 + 29_999)
    assert.deepEqual(statesOf('LATE'), [])
    rig.clock.advance(1)
    await came('LATE', 1)
  })

  it('the twin sends a forged callback before the payment for the magic number 086, and the true callback after the payment', async () => {
    await prompted('FORGED', '086')
    await came('FORGED', 1)
    const [forged] = receivedFor('FORGED')
    assert.equal(forged?.body.payment_status, 'COMPLETED')
    assert.ok(forged && !isSigned(forged) && forged.headers.digest)
    assert.equal(rig.simulator.order('FORGED')?.word, 'PENDING')
    rig.clock.advance(1500)
    await came('FORGED', 2)
    assert.ok(receivedFor('FORGED').slice(1).every(isSigned))
  })
})

describe('codes without a prompt', () => {
  const make = (order_id: string, ending: string) =>
    rig.call('POST', '/checkout/create-order-minimal', orderOf(order_id, { buyer_phone: `255740000${ending}` }))

  it('a payer scans a code after a pause when the settings choose so, unless a prompt came first', async () => {
    await make('UNSEEN', '001')
    rig.simulator.set({ scan_after_ms: 4000 })
    await make('SCANNED', '001')
    await make('REFUSED-SCAN', '004')
    await prompted('PROMPTED', '007')
    rig.clock.advance(10_000)
    const statuses = ['UNSEEN', 'SCANNED', 'REFUSED-SCAN', 'PROMPTED'].map((id) => rig.simulator.order(id)?.word)
    assert.deepEqual(statuses, ['PENDING', 'COMPLETED', 'USERCANCELLED', 'PENDING'])
  })

  it('the control API simulates a payer who scans a code, with a chosen outcome', async () => {
    await make('BY-HAND', '001')
    assert.equal((await rig.control('POST', '/orders/BY-HAND/scan', { fate: 'no such fate' })).status, 400)
    assert.equal((await rig.control('POST', '/orders/NONE/scan', {})).status, 404)
    assert.equal((await rig.control('POST', '/orders/BY-HAND/scan', { fate: 'declined' })).status, 200)
    rig.clock.advance(1500)
    assert.equal(rig.simulator.order('BY-HAND')?.word, 'REJECTED')
    assert.equal((await rig.control('POST', '/orders/BY-HAND/scan', {})).status, 409)
  })
})
