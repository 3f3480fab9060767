// Tests over real sockets that all calls of the adapter keep the rules for capabilities, timeouts, secrets and the log.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adapterFor, KEY, PIN, payment, payout, SECRET, start } from '../../../../test/providers/selcom.ts'
import { CALL_MS_MAX } from '../port.ts'

describe('the adapter as a whole', () => {
  it('the capabilities name whole shillings, every payment and payout method, and CRDB but not Standard Chartered', async () => {
    const { capabilities, name } = adapterFor('http://127.0.0.1:1').provider
    assert.equal(name, 'selcom')
    assert.equal(capabilities.whole_shillings, true)
    assert.equal(capabilities.asks_singly, 64)
    assert.deepEqual(capabilities.methods, ['wallet_push', 'provider_pesa', 'qr'])
    assert.deepEqual(capabilities.payout_methods, ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'])
    assert.equal(capabilities.destinations?.includes('CRDB'), true)
    assert.equal(capabilities.destinations?.includes('STANDARD_CHARTERED'), false)
  })

  it('the adapter ends every call within CALL_MS_MAX even when the configured timeout is longer', async () => {
    const { provider } = await start(() => 'hang', { timeout_ms: 60_000 })
    const calls = [
      () => provider.push(payment()),
      () => provider.qr(payment({ method: 'qr' })),
      () => provider.status([payment(), payment()]),
      () => provider.payout(payout()),
      () => provider.payoutStatus([payout(), payout()]),
      () => provider.floatBalance(),
      () => provider.lookupName({ method: 'BANK_ACCOUNT', destination_code: 'NMB', destination_identifier: '1' }),
    ]
    const took = await Promise.all(
      calls.map(async (call) => {
        const began = performance.now()
        await call()
        return performance.now() - began
      }),
    )
    for (const ms of took) assert.ok(ms < CALL_MS_MAX, `${ms} ms`)
  })

  it('logs and answers contain no secret, even when the gateway repeats all secrets', async () => {
    const authorization = `SELCOM ${Buffer.from(KEY).toString('base64')}`
    const secrets = [SECRET, KEY, authorization.slice(7), PIN]
    const repeated = `${authorization} ${KEY} ${SECRET} pin ${PIN}.`
    const kinds = [
      { resultcode: '403', result: 'FAIL' },
      { resultcode: '000', result: 'SUCCESS' },
      { resultcode: '990', result: 'FAIL' },
      { resultcode: '000', result: `SUCCESS ${repeated}` },
    ]
    for (const status of [200, 400, 401, 403, 412, 500]) {
      for (const kind of kinds) {
        const words = { ...kind, message: `(4032) ${repeated}`, reference: repeated, transid: repeated }
        const { provider, logged } = await start(({ fields }) => {
          // The order row repeats no PIN, because no request for an order contains a PIN.
          const echoed = repeated.replace(`pin ${PIN}`, '')
          const row = {
            order_id: fields.order_id,
            payment_status: echoed,
            payment_token: echoed,
            qr: echoed,
            name: echoed,
          }
          return { status, content: { ...words, data: [row] } }
        })
        const answers = [
          await provider.push(payment()),
          await provider.qr(payment({ method: 'qr' })),
          ...(await provider.status([payment()])),
          await provider.payout(payout()),
          ...(await provider.payoutStatus([payout()])),
          await provider.floatBalance(),
          await provider.lookupName({ method: 'BANK_ACCOUNT', destination_code: 'NMB', destination_identifier: '1' }),
        ]
        const text =
          logged.join('') + JSON.stringify(answers, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
        for (const secret of secrets) assert.ok(!text.includes(secret), `${status} ${kind.resultcode}: ${text}`)
      }
    }
  })

  it('the redaction leaves a number unchanged that contains the PIN by chance', async () => {
    for (const reference of [`S20${PIN}`, `${PIN}5527`, `S20${PIN}5527`]) {
      const { provider } = await start(() => ({ content: { resultcode: '000', result: 'SUCCESS', reference } }))
      assert.equal((await provider.payout(payout())).provider_id, reference)
    }
  })

  it('at most once a minute, the adapter logs a problem that only an operator can fix', async () => {
    const message = 'Source IP not whitelisted (4032)'
    const { provider, logged } = await start(() => ({
      status: 403,
      content: { resultcode: '403', result: 'FAIL', message },
    }))
    const first = payout()
    await provider.payout(first)
    for (let i = 0; i < 3; i++) await provider.payout(payout())
    assert.equal(logged.length, 1)
    const { level, provider: name, ...fields } = JSON.parse(logged[0] ?? '')
    const { provider_path, provider_reference, provider_status, provider_code, provider_message } = fields
    assert.deepEqual(
      { level, name, provider_path, provider_reference, provider_status, provider_code, provider_message },
      {
        level: 'warn',
        name: 'selcom',
        provider_path: '/walletcashin/process',
        provider_reference: first.reference,
        provider_status: 403,
        provider_code: '403',
        provider_message: message,
      },
    )
  })
})
