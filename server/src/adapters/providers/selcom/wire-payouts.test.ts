// Tests over real sockets that the adapter sends each payout at most once and reports whether the platform may send the payout
// again.

import assert from 'node:assert/strict'
import { createServer as createTcpServer } from 'node:net'
import { describe, it } from 'node:test'
import {
  adapterFor,
  FAIL,
  PIN,
  payout,
  type ServerReaction,
  SUCCESS,
  shortly,
  start,
  why,
} from '../../../../test/providers/selcom.ts'
import { listen, nowhere } from '../../../../test/providers/servers.ts'
import type { PayoutRequest } from '../port.ts'

describe('payouts', () => {
  const DONE: ServerReaction = { content: { ...SUCCESS, message: 'Selcom Qwikpay' } }
  const wallet = payout()

  it("the adapter sends and queries a payout at the product of the payout's destination", async () => {
    const { provider, received } = await start(() => DONE)
    const pesa = payout({ method: 'PROVIDER_PESA', destination_code: 'PROVIDER_PESA' })
    const bank = payout({
      method: 'BANK_ACCOUNT',
      destination_code: 'CRDB',
      destination_identifier: '0150000000001',
      destination_name: ' ASHA\tJUMA\n',
    })
    const requests = [wallet, pesa, bank]
    for (const request of requests) {
      assert.deepEqual(await provider.payout(request), {
        kind: 'succeeded',
        amount_minor: 1_500_000n,
        currency: 'TZS',
        provider_status: '000 SUCCESS',
        provider_id: '0289999288',
      })
    }
    const answers = await provider.payoutStatus(requests)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['succeeded', 'succeeded', 'succeeded'],
    )
    assert.deepEqual(
      received.map(({ method, path }) => `${method} ${path}`),
      [
        'POST /v1/walletcashin/process',
        'POST /v1/selcompesa/cashin',
        'POST /v1/qwiksend/process',
        'GET /v1/walletcashin/query',
        'GET /v1/selcompesa/query',
        'GET /v1/qwiksend/query',
      ],
    )
    assert.deepEqual(received[0]?.fields, {
      transid: wallet.reference,
      utilitycode: 'TPCASHIN',
      utilityref: '255680000001',
      amount: 15000,
      vendor: 'FLOAT1',
      pin: PIN,
    })
    assert.deepEqual(received[1]?.fields, {
      transid: pesa.reference,
      utilityref: '255680000001',
      amount: 15000,
      vendor: 'FLOAT1',
      pin: PIN,
    })
    assert.deepEqual(received[2]?.fields, {
      transid: bank.reference,
      recipientFiCode: 'CRDBBANK',
      recipientAccount: '0150000000001',
      recipientName: 'ASHA JUMA',
      senderAccount: 'M0001',
      senderName: 'DUKA LTD',
      amount: 15000,
      vendor: 'FLOAT1',
      pin: PIN,
      msisdn: '255740000002',
      purpose: 'BUSINESS',
    })
    for (const [i, { reference }] of requests.entries())
      assert.deepEqual(received[3 + i]?.fields, { transid: reference })
  })

  it('the adapter sends the product code in a payout to Selcom Pesa when the setting is true', async () => {
    const { provider, received } = await start(() => DONE, { selcom_pesa_code: true })
    await provider.payout(payout({ method: 'PROVIDER_PESA', destination_code: 'PROVIDER_PESA' }))
    assert.equal(received[0]?.fields.utilitycode, 'SPSCASHIN')
  })

  it('the adapter reports a payout as not_sent when the client wrote no byte of the request', async () => {
    const { provider } = adapterFor(await nowhere())
    assert.deepEqual(await provider.payout(payout()), { kind: 'not_sent', provider_status: null })
    const [answer] = await provider.payoutStatus([payout()])
    assert.equal(why(answer), 'unreachable')
  })

  it('the adapter reports a payout as not_sent when the TLS handshake fails or hangs', async () => {
    const received: string[] = []
    const plain = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        received.push(chunk.toString('latin1'))
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
    })
    const refusing = (await listen(plain)).replace('http:', 'https:')
    assert.equal((await adapterFor(refusing).provider.payout(payout())).kind, 'not_sent')
    const sockets: { destroy(): void }[] = []
    const silent = createTcpServer((socket) => {
      socket.on('error', () => {})
      sockets.push(socket)
    })
    const hanging = (await listen(silent)).replace('http:', 'https:')
    assert.equal((await adapterFor(hanging, { timeout_ms: 200 }).provider.payout(payout())).kind, 'not_sent')
    for (const socket of sockets) socket.destroy()
    assert.ok(received.length > 0)
    assert.ok(received.every((text) => !text.includes('HTTP/1.1') && !text.includes('SELCOM')))
  })

  it('the adapter reports a payout as not_sent when no connection is free in time, and never sends that payout later', async () => {
    const { provider, received } = await start(() => 'hang', { connections: 1, timeout_ms: 2_000 })
    const [first, second] = [payout(), payout()]
    const answers = await Promise.all([provider.payout(first), provider.payout(second)])
    assert.deepEqual(answers.map(why), ['timeout', 'not_sent'])
    assert.ok(answers[1]?.kind === 'not_sent' && answers[1].busy, 'busy connections are no failure of the gateway')
    // The connection is free again. The adapter has dropped the waiting payout and sends a third payout.
    await provider.payout(payout())
    assert.deepEqual(
      received.map(({ fields }) => fields.transid === second.reference),
      [false, false],
    )
  })

  it('the adapter reports an unknown outcome of a payout when no readable answer comes, and does not send the payout again', async () => {
    for (const [act, reason] of [
      ['hang', 'timeout'],
      ['reset', 'unreachable'],
      ['half', 'unreachable'],
      [{ content: '' }, 'unreadable'],
      [{ content: '{"resultcode":"000","resu' }, 'unreadable'],
      [{ content: { ...SUCCESS, message: 'x'.repeat(300_000) } }, 'unreadable'],
      [{ status: 502, content: '<html>502</html>' }, 'unreachable'],
      [{ status: 429, content: '' }, 'unreachable'],
      [{ status: 408, content: '' }, 'timeout'],
      [{ status: 302, content: '' }, 'unreadable'],
      [{ status: 403, content: '<html>403</html>' }, 'refused_us'],
      [{ content: { resultcode: '999', result: 'AMBIGUOUS' } }, 'unseen_status'],
    ] as [ServerReaction, string][]) {
      const { provider, received } = await start(() => act, { timeout_ms: 2_000 })
      const request = payout()
      assert.equal(why(await provider.payout(request)), reason)
      assert.equal(why(await provider.payout(request)), reason)
      assert.equal(received.length, 1)
      assert.equal(why((await provider.payoutStatus([request]))[0]), reason)
    }
  })

  it('the adapter sends a payout again with the same reference when the gateway refused access or executed nothing', async () => {
    let act: ServerReaction = {
      status: 403,
      content: { resultcode: '403', result: 'FAIL', message: 'Source IP not whitelisted (4032)' },
    }
    const { provider, received } = await start(() => act)
    const request = payout()
    assert.deepEqual(await provider.payout(request), {
      kind: 'blocked',
      because: 'address',
      provider_status: '403 FAIL',
      provider_id: null,
      provider_message: '403 FAIL: Source IP not whitelisted (4032)',
    })
    act = { content: { resultcode: '990', result: 'FAIL', message: 'Insufficient account balance' } }
    assert.equal(shortly(await provider.payout(request)), 'blocked float')
    act = { content: { resultcode: '651', result: 'FAIL', message: 'Invalid vendor or PIN' } }
    assert.equal(shortly(await provider.payout(request)), 'blocked access')
    act = DONE
    assert.equal((await provider.payout(request)).kind, 'succeeded')
    assert.deepEqual(
      received.map(({ fields }) => fields.transid),
      Array(4).fill(request.reference),
    )
  })

  it('the adapter declines a payout to an unreachable destination and sends no request', async () => {
    const { provider, received } = await start(() => DONE)
    for (const fields of [
      { method: 'BANK_ACCOUNT', destination_code: 'STANDARD_CHARTERED' },
      { destination_code: 'CRDB' },
    ] as const) {
      const answer = await provider.payout(payout(fields))
      assert.deepEqual(answer, { kind: 'declined', reason: 'unknown_recipient', provider_status: null })
    }
    assert.deepEqual(received, [])
  })

  it('the adapter blocks a payout that the gateway cannot take, sends no request, and gives operators the reason', async () => {
    const { provider, received } = await start(() => DONE)
    assert.deepEqual(provider.capabilities.needs, { BANK_ACCOUNT: ['destination_name'] })
    for (const fields of [
      { amount_minor: 1_500_001n },
      { currency: 'USD' },
      { method: 'BANK_ACCOUNT', destination_code: 'NMB', destination_name: null },
      { method: 'BANK_ACCOUNT', destination_code: 'NMB', destination_name: ' \n' },
    ] as const) {
      const { provider_message, ...answer } = await provider.payout(payout(fields))
      assert.deepEqual(answer, { kind: 'blocked', provider_status: null })
      assert.match(provider_message ?? '', /^not sent: .*whole shillings.*name/)
    }
    assert.deepEqual(received, [])
  })

  it("the adapter blocks a payout after a wrong PIN or vendor, with the gateway's message but without the PIN", async () => {
    const message = `Invalid vendor or PIN ${PIN}`
    const { provider, logged } = await start(() => ({ content: { resultcode: '651', result: 'FAIL', message } }))
    const answers = [await provider.payout(payout()), await provider.payout(payout())]
    for (const { kind, provider_message } of answers) {
      assert.deepEqual([kind, provider_message], ['blocked', '651 FAIL: Invalid vendor or PIN [redacted]'])
    }
    const lines = logged.filter((line) => line.includes('the provider refuses requests of the platform'))
    assert.equal(lines.length, 1, 'the log has one line a minute')
    assert.match(lines[0] as string, /Invalid vendor or PIN \[redacted\]/)
    assert.ok(!logged.join('').includes(PIN))
  })

  it('the adapter reports a declined payout for an invalid recipient, and logs no problem for operators', async () => {
    const content = { resultcode: '010', result: 'FAIL', message: 'Invalid account' }
    const { provider, logged } = await start(() => ({ content }))
    assert.equal((await provider.payout(payout())).kind, 'declined')
    assert.ok(!logged.some((line) => line.includes('refuses requests of the platform')))
  })

  it('the adapter reports a payout as not_sent when the settings have no payout account', async () => {
    const { provider, received } = await start(() => DONE, { float: null })
    assert.deepEqual(provider.capabilities.payout_methods, [])
    assert.deepEqual(provider.capabilities.destinations, [])
    assert.equal((await provider.payout(payout())).kind, 'not_sent')
    assert.equal(await provider.floatBalance(), null)
    assert.deepEqual(received, [])
  })
})

describe('the look-ups of the adapter', () => {
  it("the adapter looks up the name on an account at the product of the account's destination", async () => {
    const { provider, received } = await start(() => ({ content: { ...SUCCESS, data: [{ name: 'ASHA JUMA' }] } }))
    const ask = (method: PayoutRequest['method'], destination_code: string, destination_identifier: string) =>
      provider.lookupName({ method, destination_code, destination_identifier })
    assert.deepEqual(await ask('MOBILE_MONEY', 'AIRTEL', '255680000001'), { name: 'ASHA JUMA' })
    assert.deepEqual(await ask('PROVIDER_PESA', 'PROVIDER_PESA', '255680000001'), { name: 'ASHA JUMA' })
    assert.deepEqual(await ask('BANK_ACCOUNT', 'NMB', '01 5&=+0'), { name: 'ASHA JUMA' })
    assert.equal(await ask('BANK_ACCOUNT', 'MPESA', '255680000001'), null)
    const transids = received.map(({ fields }) => fields.transid)
    for (const transid of transids) assert.match(String(transid), /^NAME[0-9A-Z]{24}$/)
    assert.equal(new Set(transids).size, 3)
    assert.deepEqual(
      received.map(({ path, fields: { transid: _, ...rest } }) => [path, rest]),
      [
        ['/v1/walletcashin/namelookup', { utilitycode: 'AMCASHIN', utilityref: '255680000001' }],
        ['/v1/selcompesa/namelookup', { utilityref: '255680000001' }],
        ['/v1/qwiksend/lookup/', { bank: 'NMB', account: '01 5&=+0' }],
      ],
    )
  })

  it('the adapter reads the balance of the payout account', async () => {
    const { provider, received } = await start(() => ({ content: { ...SUCCESS, data: [{ balance: '1000000' }] } }))
    assert.deepEqual(await provider.floatBalance(), { amount_minor: 100_000_000n, currency: 'TZS' })
    const [balance] = received
    assert.deepEqual(
      [balance?.method, balance?.path, balance?.names],
      ['POST', '/v1/vendor/balance', ['vendor', 'pin', 'transid']],
    )
    assert.deepEqual([balance?.fields.vendor, balance?.fields.pin], ['FLOAT1', PIN])
  })

  it('the adapter returns null for name and balance when the gateway gives no readable answer', async () => {
    for (const act of ['hang', 'reset', FAIL, { status: 500, content: '' }, { content: '' }] as ServerReaction[]) {
      const { provider } = await start(() => act, { timeout_ms: 200 })
      assert.equal(await provider.floatBalance(), null)
      const { method, destination_code, destination_identifier } = payout()
      assert.equal(await provider.lookupName({ method, destination_code, destination_identifier }), null)
    }
  })
})
