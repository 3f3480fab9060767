import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  headersFor,
  orderOf,
  resultOf,
  START_TEXT,
  send,
  startRig,
  type TwinRig,
  walletOf,
} from '../../test/providers/selcom-twin-caller.ts'
import { MAGIC_NUMBERS } from './magic.ts'
import { SETTINGS, settingsOfEnvironment } from './settings.ts'

let rig: TwinRig
before(async () => {
  rig = await startRig({ float: 50_000n })
})
after(() => rig.close())

describe('the control API', () => {
  it("the control API requires its token, and its token gives no access to the gateway's API", async () => {
    assert.equal((await rig.control('GET', '/book', undefined, 'wrong')).status, 401)
    assert.equal((await rig.control('GET', '/book', undefined, rig.simulator.account.api_secret)).status, 401)
    const signed = headersFor(rig.simulator.account, START_TEXT, {})
    assert.equal((await send(`${rig.simulator.control_url}/book`, 'GET', signed, null)).status, 401)
    const token = { authorization: `Bearer ${rig.simulator.control_token}` }
    const { 'Content-Type': type = '', Accept = '' } = signed
    const headers = { ...token, 'Content-Type': type, Accept }
    assert.equal(
      (await send(`${rig.simulator.url}/checkout/order-status?order_id=A`, 'GET', headers, null)).status,
      401,
    )
  })

  it('the control API shows the books in pages, oldest entries first, with amounts as text', async () => {
    for (let i = 0; i < 5; i++) await rig.call('POST', '/checkout/create-order-minimal', orderOf(`PAGE${i}`))
    const page = async (query: string) => {
      const { json } = await rig.control('GET', `/orders${query}`)
      const { items, total } = json as { items: { order_id: string }[]; total: number }
      return [items.map(({ order_id }) => order_id), total]
    }
    assert.deepEqual(await page('?page=1&page_size=2'), [['PAGE0', 'PAGE1'], 5])
    assert.deepEqual(await page('?page=3&page_size=2'), [['PAGE4'], 5])
    assert.deepEqual(await page('?page=4&page_size=2'), [[], 5])
    assert.equal((await rig.control('GET', '/orders?page=0')).status, 400)
    for (const name of ['orders', 'pushes', 'payments', 'payouts', 'callbacks']) {
      assert.equal((await rig.control('GET', `/${name}`)).status, 200)
    }
    assert.equal((await rig.control('GET', '/secrets')).status, 404)
    assert.equal((await rig.control('GET', '/orders/PAGE0')).json?.amount, '5000')
    assert.equal((await rig.control('GET', '/orders/NONE')).status, 404)
    const { json } = await rig.control('GET', '/book')
    assert.deepEqual((json?.orders as { count: number } | undefined)?.count, 5)
    assert.deepEqual(json?.float, { added: '50000', now: '50000' })
  })

  it('the control API decides a pending payout once', async () => {
    const process = (transid: string, ending: string) =>
      rig.call('POST', '/walletcashin/process', walletOf(transid, { utilityref: `255680000${ending}` }))
    const settle = (transid: string, paid: unknown) =>
      rig.control('POST', `/payouts/walletcashin/${transid}/settle`, { paid })
    for (const transid of ['STUCK1', 'STUCK2']) await process(transid, '103')
    await process('MOVING', '106')
    assert.equal(rig.simulator.totals().float.now, 5000n)
    assert.equal((await settle('STUCK1', 'yes')).status, 400)
    assert.equal((await settle('STUCK1', true)).status, 200)
    assert.equal((await settle('STUCK1', false)).status, 409)
    assert.equal((await settle('STUCK2', false)).status, 200)
    assert.equal((await settle('MOVING', false)).status, 200)
    assert.equal((await settle('NONE', true)).status, 404)
    // The control API has decided the payout, so the planned steps of the payout no longer run.
    rig.clock.advance(10_000)
    const replies = await Promise.all(
      ['STUCK1', 'STUCK2', 'MOVING'].map((transid) => rig.call('GET', '/walletcashin/query', { transid })),
    )
    assert.deepEqual(replies.map(resultOf), ['000 SUCCESS', '400 FAIL', '400 FAIL'])
    assert.equal(rig.simulator.totals().float.now, 35_000n)
    assert.equal(rig.simulator.totals().payouts.executions, 1)
    assert.equal((await rig.control('GET', '/payouts/walletcashin/STUCK1')).json?.truth, 'paid')
  })

  it('the control API changes the float, the settings and the rates, and refuses invalid values', async () => {
    assert.deepEqual((await rig.control('POST', '/float', { add: 1000 })).json, { added: '51000', now: '36000' })
    assert.equal((await rig.control('POST', '/float', { add: 1.5 })).status, 400)
    assert.equal((await rig.control('POST', '/settings', { minimum_payout: 500 })).json?.minimum_payout, 500)
    for (const wrong of [{ minimum_payout: -1 }, { texts: 'third' }, { source_ips: [1] }, { nothing: 1 }, [], null]) {
      assert.equal((await rig.control('POST', '/settings', wrong)).status, 400, JSON.stringify(wrong))
    }
    assert.equal((await rig.control('POST', '/settings', { source_ips: [] })).json?.source_ips, null, 'every address')
    const rates = { push: { hang_after: 0.5, limited: 0.5 } }
    assert.deepEqual((await rig.control('POST', '/faults', { seed: 's', rates })).json, { seed: 's', rates })
    for (const wrong of [
      { push: { hang_after: 0.6, limited: 0.5 } },
      { push: { hang_after: -0.1 } },
      { push: { pays: 1 } },
      { pull: {} },
      { push: { toString: 0.1 } },
    ]) {
      assert.equal((await rig.control('POST', '/faults', { rates: wrong })).status, 400, JSON.stringify(wrong))
      assert.throws(() => rig.simulator.setFaults({ rates: wrong as never }), /cannot read/)
    }
    assert.deepEqual((await rig.control('GET', '/faults')).json, { seed: 's', rates })
    assert.equal((await rig.control('DELETE', '/faults')).status, 405)
    assert.deepEqual((await rig.control('GET', '/magic')).json, JSON.parse(JSON.stringify(MAGIC_NUMBERS)))
  })
})

describe('the settings of the twin', () => {
  it('each setting of the twin has a valid default', () => {
    for (const [name, { default: value, read }] of Object.entries(SETTINGS)) assert.deepEqual(read(value), value, name)
  })

  it('the twin reads its settings from the environment, and names the variable of an invalid value', () => {
    const env = {
      SIMULATOR_SOURCE_IPS: '10.0.0.1, ::1',
      SIMULATOR_SCAN_AFTER_MS: '',
      SIMULATOR_TEXTS: 'mixed',
      OTHER: '1',
    }
    assert.deepEqual(settingsOfEnvironment(env), {
      source_ips: ['10.0.0.1', '::1'],
      scan_after_ms: null,
      texts: 'mixed',
    })
    assert.deepEqual(settingsOfEnvironment({ SIMULATOR_SOURCE_IPS: '' }), { source_ips: null }, 'every address')
    for (const text of ['', 'x', '-1', '1.5']) {
      assert.throws(() => settingsOfEnvironment({ SIMULATOR_PAY_AFTER_MS: text }), /SIMULATOR_PAY_AFTER_MS/)
    }
  })
})

describe('the process of the twin', () => {
  const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
  const start = (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { PORT: '0', ...env } })
    const printed = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      printed.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      printed.err += chunk
    })
    return { child, printed, ended: once(child, 'close').then(([code]) => code as number) }
  }

  it('the process listens, prints its address, reads its settings from the environment, and ends after a signal', async () => {
    const { child, printed, ended } = start([], { SIMULATOR_CONTROL_TOKEN: 'token', SIMULATOR_FLOAT: '77' })
    while (!printed.out.includes('\n')) await once(child.stdout, 'data')
    const [, url = ''] = /control API on (\S+)/.exec(printed.out) ?? []
    const book = await send(`${url}/book`, 'GET', { authorization: 'Bearer token' }, null)
    assert.deepEqual(book.json?.float, { added: '77', now: '77' })
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })

  it('the process prints the magic numbers and its help, and refuses unreadable settings', async () => {
    const runs = [
      start(['--magic']),
      start(['--help']),
      start(['--nonsense']),
      start([], { SIMULATOR_FAULTS: '{"rates":{"pull":{}}}' }),
      start([], { PORT: 'x' }),
    ]
    assert.deepEqual(await Promise.all(runs.map(({ ended }) => ended)), [0, 0, 2, 1, 1])
    const [magic, help, , faults, port] = runs.map(({ printed }) => printed)
    assert.match(magic?.out ?? '', /^ {2}022 {2}pays; the push hangs, executed$/m)
    for (const name of Object.keys(SETTINGS)) assert.ok(help?.out.includes(`SIMULATOR_${name.toUpperCase()}`), name)
    assert.match(faults?.err ?? '', /SIMULATOR_FAULTS: the twin cannot read pull/)
    assert.match(port?.err ?? '', /PORT must be/)
  })
})
