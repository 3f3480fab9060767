import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  dataOf,
  eventually,
  type Fields,
  orderOf,
  resultOf,
  startRig,
  type TwinResponse,
  type TwinRig,
  walletOf,
} from '../../test/providers/selcom-twin-caller.ts'
import { PAYEE_FATES, PAYER_FATES, WIRE_FAULTS, type WireFault } from './fates.ts'
import { MAGIC_NUMBERS, magicText } from './magic.ts'

let rig: TwinRig
before(async () => {
  rig = await startRig({ settings: { duplicate_order: 'replay', duplicate_transid: 'replay' } })
})
after(() => rig.close())

const create = (fields: Fields) => rig.call('POST', '/checkout/create-order-minimal', fields)
const push = (transid: string, order_id: string, msisdn: string) =>
  rig.call('POST', '/checkout/wallet-payment', { transid, order_id, msisdn })
const status = (order_id: string) => rig.call('GET', '/checkout/order-status', { order_id })
const query = (transid: string) => rig.call('GET', '/walletcashin/query', { transid })

/**
 * A call with a fault. `done` returns true if the twin executed the call. Null means that the call has nothing to execute.
 */
type Faulty = { method: string; path: string; fields: Fields; done: () => boolean | null }

/** Prepares a call of each kind, with a phone or account that ends in `ending`. */
const CALLS: Record<string, (id: string, ending: string) => Promise<Faulty>> = {
  async create(id, ending) {
    const fields = orderOf(id, { buyer_phone: `255740000${ending}` })
    const done = () => rig.simulator.order(id) !== null
    return { method: 'POST', path: '/checkout/create-order-minimal', fields, done }
  },
  async push(id, ending) {
    await create(orderOf(id))
    const fields = { transid: `T${id}`, order_id: id, msisdn: `255740000${ending}` }
    const done = () => rig.simulator.order(id)?.prompts === 1
    return { method: 'POST', path: '/checkout/wallet-payment', fields, done }
  },
  async status(id, ending) {
    await create(orderOf(id, { buyer_phone: `255740000${ending}` }))
    return { method: 'GET', path: '/checkout/order-status', fields: { order_id: id }, done: () => null }
  },
  async payout(id, ending) {
    const fields = walletOf(id, { utilityref: `255680000${ending}` })
    const done = () => rig.simulator.payout('walletcashin', id)?.executions === 1
    return { method: 'POST', path: '/walletcashin/process', fields, done }
  },
  async query(id, ending) {
    await rig.call('POST', '/walletcashin/process', walletOf(id, { utilityref: `255680000${ending}` }))
    return { method: 'GET', path: '/walletcashin/query', fields: { transid: id }, done: () => null }
  },
}

/** For each fault, checks the result that the caller gets. */
const MEETS: Record<WireFault, (go: () => Promise<TwinResponse>, struck: () => void, faulty: Faulty) => Promise<void>> =
  {
    async delay(go, struck) {
      const answering = go()
      await eventually(struck)
      rig.clock.advance(999)
      assert.equal(await isOpen(answering), true)
      rig.clock.advance(1)
      assert.equal((await answering).status, 200)
    },
    hang_before: hangs,
    hang_after: hangs,
    reset_before: (go) => assert.rejects(go(), { code: 'ECONNRESET' }),
    reset_after: (go) => assert.rejects(go(), { code: 'ECONNRESET' }),
    html_before: meets(502, /^<html>.*502 Bad Gateway/, null),
    html_after: meets(502, /^<html>.*502 Bad Gateway/, null),
    empty: meets(200, /^$/, null),
    truncated: meets(200, /^\{".*[^}]$/, null),
    limited: meets(429, /^Too Many Requests/, null),
    wall: meets(403, /^<html>.*rejected/, null),
    blocked: meets(403, /Source IP not whitelisted \(4032\)/, '403 FAIL'),
  }

function meets(status: number, text: RegExp, expected: string | null) {
  return async (go: () => Promise<TwinResponse>) => {
    const reply = await go()
    assert.equal(reply.status, status)
    assert.match(reply.text, text)
    assert.equal(reply.json === null ? null : resultOf(reply), expected)
  }
}

async function hangs(_go: () => Promise<TwinResponse>, struck: () => void, { method, path, fields }: Faulty) {
  const patience = new AbortController()
  const answering = rig.callUntil(patience.signal, method, path, fields)
  await eventually(struck)
  rig.clock.advance(60_000)
  assert.equal(await isOpen(answering), true)
  patience.abort()
  await assert.rejects(answering, { name: 'AbortError' })
}

/** Returns true if the promise is still open after the twin has answered another call. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  await rig.control('GET', '/settings')
  return !settled
}

describe('faults by number', () => {
  for (const { ending, happens, fault } of MAGIC_NUMBERS) {
    if (fault === undefined) continue
    const { call, kind } = fault
    it(`the first call of the number ${ending} has the fault of its row, "${happens}", and the second call succeeds`, async () => {
      const faulty = await CALLS[call]?.(`F${ending}`, ending)
      assert.ok(faulty)
      const before = rig.simulator.totals().struck[`${call}.${kind}`] ?? 0
      const go = () => rig.call(faulty.method, faulty.path, faulty.fields)
      const struck = () => assert.equal(rig.simulator.totals().struck[`${call}.${kind}`], before + 1)
      await MEETS[kind](go, struck, faulty)
      struck()
      assert.ok([WIRE_FAULTS[kind].executes, null].includes(faulty.done()), 'executed, or not')
      assert.equal((await go()).status, 200)
      assert.notEqual(faulty.done(), false)
    })
  }
})

describe('outcomes by number', () => {
  /**
   * By number ending: the answer to the push, the status of the order after each pause, and the numbers of payments and
   * returns.
   */
  const PAYERS: Record<string, [string, string[], number, number]> = {
    '001': ['111 PENDING', ['PENDING', 'COMPLETED', 'COMPLETED'], 1, 0],
    '002': ['111 PENDING', ['PENDING', 'REJECTED', 'REJECTED'], 0, 0],
    '003': ['111 PENDING', ['PENDING', 'REJECTED', 'REJECTED'], 0, 0],
    '004': ['111 PENDING', ['PENDING', 'USERCANCELLED', 'USERCANCELLED'], 0, 0],
    '005': ['111 PENDING', ['PENDING', 'REJECTED', 'REJECTED'], 0, 0],
    '006': ['111 PENDING', ['PENDING', 'CANCELLED', 'CANCELLED'], 0, 0],
    '007': ['111 PENDING', ['PENDING', 'PENDING', 'PENDING'], 0, 0],
    '010': ['111 PENDING', ['PENDING', 'REJECTED', 'COMPLETED'], 1, 0],
    '011': ['111 PENDING', ['PENDING', 'COMPLETED', 'COMPLETED'], 1, 0],
    '012': ['111 PENDING', ['PENDING', 'COMPLETED', 'REJECTED'], 1, 1],
    '013': ['151 FAIL', ['PENDING', 'PENDING', 'PENDING'], 0, 0],
    '014': ['999 AMBIGOUS', ['PENDING', 'COMPLETED', 'COMPLETED'], 1, 0],
    '015': ['999 AMBIGOUS', ['PENDING', 'PENDING', 'PENDING'], 0, 0],
    '016': ['111 PENDING', ['PENDING', 'INPROGRESS', 'COMPLETED'], 1, 0],
    '017': ['400 FAIL', ['PENDING', 'COMPLETED', 'COMPLETED'], 1, 0],
    '018': ['000 SUCCESS', ['PENDING', 'REJECTED', 'REJECTED'], 0, 0],
    '019': ['111 PENDING', ['PENDING', 'COMPLETED', 'COMPLETED'], 1, 0],
    '090': ['111 PENDING', ['ONHOLD', 'COMPLETED', 'COMPLETED'], 1, 0],
  }
  const fates = new Set<string>()
  for (const { ending, happens, payer } of MAGIC_NUMBERS) {
    if (payer === undefined || PAYERS[ending] === undefined) continue
    fates.add(payer)
    const [pushed, statuses, paid, returned] = PAYERS[ending]
    it(`the twin gives a payment by the number ${ending} the course of its row, "${happens}"`, async () => {
      const id = `P${ending}`
      await create(orderOf(id))
      assert.equal(resultOf(await push(`T${id}`, id, `255740000${ending}`)), pushed)
      const odd = ending === '019' ? '000 FAIL' : '000 SUCCESS'
      for (const [index, expected] of statuses.entries()) {
        if (index > 0) rig.clock.advance(1500)
        const reply = await status(id)
        assert.equal(resultOf(reply), index === 0 ? odd : '000 SUCCESS')
        assert.equal(dataOf(reply).payment_status, expected)
      }
      const payments = rig.simulator.list('payments').items as { order_id: string; returned_at: Date | null }[]
      const mine = payments.filter(({ order_id }) => order_id === id)
      assert.equal(mine.length, paid)
      assert.equal(mine.filter(({ returned_at }) => returned_at !== null).length, returned)
      assert.equal(dataOf(await status(id)).amount, ending === '011' ? '5100' : '5000')
    })
  }

  /**
   * By number ending: the answer to the request, the answers to the queries, the executions, the returns, and the shillings
   * that left the float.
   */
  const PAYEES: Record<string, [string, string[], number, number, bigint]> = {
    '101': ['000 SUCCESS', ['000 SUCCESS', '000 SUCCESS'], 1, 0, 15_000n],
    '102': ['400 FAIL', ['400 FAIL', '400 FAIL'], 0, 0, 0n],
    '103': ['999 AMBIGOUS', ['999 AMBIGOUS', '999 AMBIGOUS'], 0, 0, 15_000n],
    '105': ['000 SUCCESS', ['000 SUCCESS', '400 FAIL'], 1, 1, 0n],
    '106': ['111 PENDING', ['111 PENDING', '000 SUCCESS'], 1, 0, 15_000n],
    '107': ['111 PENDING', ['111 PENDING', '400 FAIL'], 0, 0, 0n],
    '108': ['999 AMBIGOUS', ['999 AMBIGOUS', '000 SUCCESS'], 1, 0, 15_000n],
    '109': ['999 AMBIGOUS', ['999 AMBIGOUS', '400 FAIL'], 0, 0, 0n],
    '110': ['010 FAIL', ['010 FAIL', '010 FAIL'], 0, 0, 0n],
    '111': ['013 FAIL', ['013 FAIL', '013 FAIL'], 0, 0, 0n],
    '112': ['000 SUCCESS', ['400 FAIL', '400 FAIL'], 0, 0, 0n],
    '113': ['400 FAIL', ['000 SUCCESS', '000 SUCCESS'], 1, 0, 15_000n],
    '114': ['403 FAIL', ['999 AMBIGOUS', '000 SUCCESS'], 1, 0, 15_000n],
    '115': ['000 FAIL', ['000 FAIL', '000 SUCCESS'], 1, 0, 15_000n],
    '116': ['777 QUEUED', ['777 QUEUED', '000 SUCCESS'], 1, 0, 15_000n],
  }
  for (const { ending, happens, payee } of MAGIC_NUMBERS) {
    if (payee === undefined) continue
    fates.add(payee)
    it(`the twin gives a payout to the number ${ending} the course of its row, "${happens}"`, async () => {
      const [as_sent, as_queried, executions, returns, gone] = PAYEES[ending] ?? []
      assert.ok(as_queried)
      const before = rig.simulator.totals().float.now
      const id = `Q${ending}`
      const utilityref = `255680000${ending}`
      assert.equal(resultOf(await rig.call('POST', '/walletcashin/process', walletOf(id, { utilityref }))), as_sent)
      for (const [index, expected] of as_queried.entries()) {
        if (index > 0) rig.clock.advance(1500)
        assert.equal(resultOf(await query(id)), expected)
      }
      const payout = rig.simulator.payout('walletcashin', id)
      assert.deepEqual([payout?.executions, payout?.returns], [executions, returns])
      assert.equal(before - rig.simulator.totals().float.now, gone)
    })
  }

  it('the table of magic numbers has a number for each course of payments and payouts', () => {
    assert.deepEqual([...fates].sort(), [...new Set([...Object.keys(PAYER_FATES), ...Object.keys(PAYEE_FATES)])].sort())
  })

  it('the table of magic numbers has each ending once, and magicText prints every row', () => {
    const endings = MAGIC_NUMBERS.map(({ ending }) => ending)
    assert.deepEqual(endings, [...new Set(endings)].sort())
    for (const { ending, happens } of MAGIC_NUMBERS) assert.ok(magicText().includes(`  ${ending}  ${happens}\n`))
  })
})

describe('two spellings', () => {
  it('the twin uses the second spellings of the gateway when the settings choose these spellings', async () => {
    rig.simulator.set({ texts: 'second' })
    for (const [ending, status_text] of [
      ['001', 'COMPLETE'],
      ['004', 'USERCANCELED'],
      ['006', 'CANCEL'],
    ] as const) {
      const id = `S${ending}`
      await create(orderOf(id))
      assert.equal(resultOf(await push(`T${id}`, id, `255740000${ending}`)), '927 INPROGRESS')
      rig.clock.advance(1500)
      const order = dataOf(await status(id))
      assert.equal(order.payment_status, status_text)
      assert.equal('msisdn' in order && !('phone' in order), true)
    }
    assert.equal(resultOf(await query('NEVER')), '999 AMBIGUOUS')
    rig.simulator.set({ texts: 'first' })
  })

  it('the twin uses both spellings with mixed texts, and always the same spelling for one reference', async () => {
    rig.simulator.set({ texts: 'mixed' })
    const results = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const once = resultOf(await query(`NEVER${i}`))
      assert.equal(resultOf(await query(`NEVER${i}`)), once)
      results.add(once)
    }
    assert.deepEqual([...results].sort(), ['999 AMBIGOUS', '999 AMBIGUOUS'])
    rig.simulator.set({ texts: 'first' })
  })
})
