// Tests over HTTP that the adapter sends the fields of the manual and reports the right outcome when the gateway fails.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nowhere } from '../../../../test/providers/servers.ts'
import {
  API_KEY,
  adapterFor,
  eventually,
  NO_PROMPT,
  PUBLIC_KEY,
  payment,
  payout,
  script,
  shortly,
  start,
  type VodacomReaction,
} from '../../../../test/providers/vodacom.ts'
import { inSteps } from '../../../../test/steps.ts'
import { ConfigError, systemClock } from '../../../kernel/lib/index.ts'
import { CALL_MS_MAX } from '../port.ts'
import { createVodacomProvider, type VodacomOptions } from './adapter.ts'

const INS_0: VodacomReaction = {
  status: 201,
  content: { output_ResponseCode: 'INS-0', output_TransactionID: 'receipt1' },
}

describe('requests', () => {
  test('the adapter sends the fields of the manual as texts, with a bearer and an origin', async () => {
    const { provider, received } = await script(() => INS_0, { origin: 'https://pay.example.com' })
    const [pushed, paid_out] = [payment(), payout()]
    await provider.push(pushed)
    await provider.payout(paid_out)
    const money = received.filter(({ method }) => method === 'POST')
    const [c2b, b2c] = money.map(({ body }) => JSON.parse(body))
    assert.deepEqual(
      money.map(({ path }) => path),
      ['/x/c2bPayment/singleStage/', '/x/b2cPayment/'],
    )
    const { input_TransactionReference: packed, ...rest } = c2b
    assert.match(packed, /^[0-9A-Za-z]{20}$/)
    assert.deepEqual(rest, {
      input_Amount: '5000',
      input_CustomerMSISDN: '255754000001',
      input_Country: 'TZN',
      input_Currency: 'TZS',
      input_ServiceProviderCode: '123456',
      input_ThirdPartyConversationID: pushed.reference,
      input_PurchasedItemsDesc: 'Payment',
    })
    assert.equal(b2c.input_Amount, '15000')
    assert.equal(b2c.input_ThirdPartyConversationID, paid_out.reference)
    assert.equal(b2c.input_PaymentItemsDesc, 'Payout')
    for (const { headers } of received) {
      assert.equal(headers.origin, 'https://pay.example.com')
      assert.equal(headers['content-type'], 'application/json')
      assert.match(headers.authorization ?? '', /^Bearer [A-Za-z0-9+/]{170}[A-Za-z0-9+/=]{2}$/)
    }
  })

  test('the adapter gives each query a new conversation id', async () => {
    const { provider, received } = await script(() => ({ content: { output_ResponseCode: 'INS-0' } }))
    const request = payment()
    await provider.status([request, request, payment()])
    const requests = received.filter(({ path }) => path.includes('queryTransactionStatus'))
    const queries = requests.map(({ path }) => new URL(path, 'http://x').searchParams)
    assert.equal(requests.length, 3)
    assert.equal(new Set(queries.map((query) => query.get('input_ThirdPartyConversationID'))).size, 3)
    assert.equal(queries[0]?.get('input_QueryReference'), request.reference)
    assert.equal(queries[0]?.get('input_Country'), 'TZN')
    assert.equal(queries[0]?.get('input_ServiceProviderCode'), '123456')
    assert.deepEqual(await provider.status([]), [])
  })

  test('the adapter sends no request for a payment or payout that the gateway cannot take', async () => {
    const { provider, received } = await script(() => INS_0)
    const unfit = { kind: 'declined', reason: 'unknown_provider_error', provider_status: null }
    for (const fields of [{ amount_minor: 100_050n }, { amount_minor: 0n }, { currency: 'USD' }, { phone: null }]) {
      assert.deepEqual(await provider.push(payment('001', fields)), unfit)
    }
    assert.deepEqual(await provider.push(payment('001', { phone: '+255754000001' })), unfit)
    assert.deepEqual(
      await provider.push(payment('001', { reference: 'no reference of the platform, too long' })),
      unfit,
    )
    assert.deepEqual(await provider.push(payment('001', { method: 'provider_pesa' })), NO_PROMPT)
    assert.deepEqual(await provider.qr(payment('001', { method: 'qr' })), NO_PROMPT)
    const { provider_message, ...small } = await provider.payout(payout('001', { amount_minor: 50n }))
    assert.deepEqual(small, { kind: 'blocked', provider_status: null })
    assert.match(provider_message ?? '', /^not sent: .*whole shillings/)
    for (const fields of [
      { destination_code: 'AIRTEL' },
      { method: 'BANK_ACCOUNT', destination_code: 'CRDB', destination_identifier: '0150000000001' },
      { method: 'PROVIDER_PESA', destination_code: 'PROVIDER_PESA' },
      { destination_identifier: '0754000001' },
    ] as const) {
      assert.equal(shortly(await provider.payout(payout('001', fields))), 'declined unknown_recipient')
    }
    assert.deepEqual(received, [])
  })

  test('the capabilities list the methods, destinations and limits of the adapter', async () => {
    const { provider } = adapterFor({ url: 'http://127.0.0.1:1', public_key: PUBLIC_KEY })
    assert.deepEqual(provider.capabilities, {
      methods: ['wallet_push'],
      whole_shillings: true,
      slow_pushes: true,
      asks_singly: 16,
      payout_methods: ['MOBILE_MONEY'],
      destinations: ['MPESA'],
      concurrency_limits: { payments: 64, payouts: 64 },
      prompts: ['MPESA'],
    })
    // Half of the connections may wait for late answers, rounded down.
    const odd = adapterFor({ url: 'http://127.0.0.1:1', public_key: PUBLIC_KEY }, { act_connections: 1 })
    assert.deepEqual(odd.provider.capabilities.concurrency_limits, { payments: 1, payouts: 1 })
  })
})

describe('states that no setting names', () => {
  const stateAnswer = (state: string): VodacomReaction => ({
    content: { output_ResponseCode: 'INS-0', output_ResponseTransactionStatus: state },
  })

  test('the adapter reports an unknown outcome for a state that no setting names, and logs the state once with its settings', async () => {
    let state = 'Cancelled'
    const { provider, logged } = await script(() => stateAnswer(state), { failed_states: { Expired: 'expired' } })
    const lines = () =>
      logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('a state that no setting names'))
    for (let i = 0; i < 3; i++) {
      const [answer] = await provider.status([payment()])
      assert.equal(shortly(answer), 'unknown unseen_status')
    }
    assert.deepEqual(
      lines().map((line) => [line.kind, line.provider_state, line.settings]),
      [['payment', 'Cancelled', 'VODACOM_PENDING_STATES, VODACOM_FAILED_STATES']],
    )
    state = 'CANCELLED'
    await provider.status([payment()])
    const [answer] = await provider.payoutStatus([payout()])
    assert.deepEqual([shortly(answer), answer?.provider_message], ['unknown unseen_status', 'CANCELLED'])
    assert.deepEqual(
      lines().map(({ kind }) => kind),
      ['payment', 'payout'],
      'the same state of a payout is logged too',
    )
    for (const known of ['expired', 'Completed']) {
      state = known
      await provider.status([payment()])
    }
    assert.equal(lines().length, 2)
  })
})

describe('a failing gateway', () => {
  const strange: [string, VodacomReaction, string, string, string][] = [
    [
      'a text that is no JSON',
      { content: 'not json' },
      'unknown unreadable',
      'unknown unreadable',
      'unknown unreadable',
    ],
    ['a JSON list', { content: '[]' }, 'unknown unreadable', 'unknown unreadable', 'unknown unreadable'],
    ['an empty answer', { content: '' }, 'unknown unreadable', 'unknown unreadable', 'unknown unreadable'],
    [
      'an HTML page with HTTP 502',
      { status: 502, content: '<html>' },
      'unknown unreachable',
      'unknown unreachable',
      'unknown unreachable',
    ],
    ['HTTP 429', { status: 429, content: '' }, 'unknown unreachable', 'unknown unreachable', 'unknown unreachable'],
    [
      'an answer above the size limit',
      { content: `"${'x'.repeat(200_000)}"` },
      'unknown unreadable',
      'unknown unreadable',
      'unknown unreadable',
    ],
    ['a redirect', { status: 302, content: '{}' }, 'unknown unreadable', 'unknown unreadable', 'unknown unreadable'],
    ['a missing answer', 'hang', 'unknown timeout', 'unknown timeout', 'unknown timeout'],
    ['a reset connection', 'reset', 'unknown unreachable', 'unknown unreachable', 'unknown unreachable'],
  ]
  for (const [name, act, to_push, to_payout, to_question] of strange) {
    test(`the adapter reports an unknown outcome after ${name}`, async () => {
      const { provider } = await script(
        ({ method, path }) =>
          // All queries except those about ASKED1 succeed, such as the query that tests the session.
          method === 'GET' && !path.includes('ASKED') ? { content: { output_ResponseCode: 'INS-0' } } : act,
        { timeout_ms: 2_000 },
      )
      assert.equal(shortly(await provider.push(payment())), to_push)
      assert.equal(shortly(await provider.payout(payout())), to_payout)
      const queried = { reference: 'ASKED1' }
      assert.equal(shortly((await provider.status([payment('001', queried)]))[0]), to_question)
      assert.equal(shortly((await provider.payoutStatus([payout('001', queried)]))[0]), to_question)
      assert.equal(await provider.lookupName({ ...payout() }), null)
    })
  }

  test('the adapter reports a payment as not prompted and a payout as not sent, and logs no secret, when nothing listens at the address', async () => {
    const url = await nowhere()
    const { provider, logged } = adapterFor({ url, public_key: PUBLIC_KEY })
    assert.deepEqual(await provider.push(payment()), NO_PROMPT)
    assert.deepEqual(await provider.payout(payout()), { kind: 'not_sent', provider_status: null })
    assert.equal(shortly((await provider.status([payment()]))[0]), 'unknown unreachable')
    assert.equal(shortly((await provider.payoutStatus([payout()]))[0]), 'unknown unreachable')
    assert.ok(!logged.join().includes(API_KEY))
  })

  test('the adapter reports a payout as not sent and a payment as not prompted after the gateway stopped', async () => {
    const { provider, twin } = await start()
    await Promise.all([provider.push(payment()), provider.payout(payout())])
    await twin.close()
    // For a short time, the adapter may still write to a closed connection and report an unknown outcome.
    await eventually(async () => assert.equal((await provider.payout(payout())).kind, 'not_sent'))
    await eventually(async () => assert.deepEqual(await provider.push(payment()), NO_PROMPT))
    assert.equal(shortly((await provider.payoutStatus([payout()]))[0]), 'unknown unreachable')
  })

  test('a push, a query and a payout end within CALL_MS_MAX when the gateway hangs', async () => {
    const { provider } = await script(() => 'hang', { timeout_ms: 60_000, late_ms: 1 })
    const { result, took_ms } = await inSteps(
      Promise.all([provider.push(payment()), provider.status([payment()]), provider.payout(payout())]),
    )
    assert.ok(took_ms < CALL_MS_MAX, `${took_ms} ms`)
    assert.deepEqual(result[0], NO_PROMPT, 'the gateway never accepted the session, so nothing was sent')
  })

  test('answers and log lines contain no secret when the gateway repeats the secrets', async () => {
    let seen = ''
    const { provider, logged } = await script(({ headers, method }) => {
      seen = headers.authorization?.slice('Bearer '.length) ?? ''
      const echo = `${'x'.repeat(290)} ${seen} ${API_KEY} the-session-of-the-tests`
      return method === 'GET'
        ? { content: { output_ResponseCode: 'INS-0', output_ResponseTransactionStatus: echo } }
        : { status: 400, content: { output_ResponseCode: 'INS-21', output_ResponseDesc: echo } }
    })
    const answers = [
      await provider.push(payment()),
      await provider.payout(payout()),
      ...(await provider.status([payment()])),
      ...(await provider.payoutStatus([payout()])),
    ]
    const written =
      JSON.stringify(answers, (_name, value) => (typeof value === 'bigint' ? `${value}` : value)) + logged.join()
    assert.match(written, /INS-21/)
    assert.equal(JSON.parse(logged[0] ?? '').provider_message.length, 300)
    for (const secret of [seen, seen.slice(0, 40), API_KEY, 'the-session-of-the-tests']) {
      assert.ok(!written.includes(secret), secret)
    }
  })

  test('the adapter logs an empty float once for five payouts, and logs no low balance of a payer', async () => {
    const { provider, logged } = await script(({ method }) =>
      method === 'GET'
        ? { content: { output_ResponseCode: 'INS-0' } }
        : { status: 422, content: { output_ResponseCode: 'INS-2006', output_ResponseDesc: 'Insufficient balance' } },
    )
    for (let i = 0; i < 5; i++) {
      await provider.payout(payout())
      await provider.push(payment())
    }
    assert.equal(logged.length, 1, "an operator must fix an empty float, but not a payer's low balance")
    assert.match(logged[0] ?? '', /b2cPayment.*INS-2006/)
  })
})

test('the adapter names an invalid setting in its refusal, and the message contains no secret', () => {
  const good: VodacomOptions = {
    name: 'vodacom',
    url: 'http://127.0.0.1:1/x',
    origin: '*',
    api_key: 'secret-api-key',
    public_key: PUBLIC_KEY,
    service_provider_code: '000000',
    clock: systemClock,
    random: { bytes: (length) => new Uint8Array(length) },
    log: adapterFor({ url: 'http://127.0.0.1:1', public_key: PUBLIC_KEY }).provider as never,
  }
  for (const [wrong, named] of [
    [{ url: 'nowhere' }, 'VODACOM_URL'],
    [{ api_key: '' }, 'VODACOM_API_KEY'],
    [{ public_key: 'secret-but-no-key' }, 'VODACOM_PUBLIC_KEY'],
    [{ origin: '' }, 'VODACOM_ORIGIN'],
    [{ service_provider_code: '1' }, 'VODACOM_SERVICE_PROVIDER_CODE'],
    [{ callback_secret: 'secret-short' }, 'VODACOM_CALLBACK_SECRET'],
    [{ payment_text: '' }, 'VODACOM_PAYMENT_TEXT'],
    [{ payment_failures: { 'INS-6': 'wrong_pin' } }, 'VODACOM_PAYMENT_FAILURES'],
    [{ payment_failures: { 'INS-5': 'bored' as never } }, 'VODACOM_PAYMENT_FAILURES'],
    [{ failed_states: { Failed: 'bored' as never } }, 'VODACOM_FAILED_STATES'],
  ] as const) {
    assert.throws(
      () => createVodacomProvider({ ...good, ...wrong }),
      (error: unknown) =>
        error instanceof ConfigError && error.message.includes(named) && !/secret-/.test(error.message),
      named,
    )
  }
})
