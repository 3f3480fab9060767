// Tests that the Vodacom adapter fulfils its contract for payments and callbacks, against the twin of the gateway.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { closing, listen } from '../../../../test/providers/servers.ts'
import {
  adapterFor,
  CALLBACK_SECRET,
  eventually,
  payment,
  payout,
  SLOW,
  shortly,
  start,
} from '../../../../test/providers/vodacom.ts'
import { settableClock, systemClock } from '../../../kernel/lib/index.ts'
import { CALLBACK_PATH, type PaymentRequest } from '../port.ts'

type Provider = Awaited<ReturnType<typeof start>>['provider']
const statusOf = async (provider: Provider, request: PaymentRequest) => (await provider.status([request]))[0]

describe('payments at the twin of the gateway', () => {
  test('the adapter reports a payment with a receipt as paid, and a query reports the same payment', async () => {
    const { provider, twin } = await start()
    const request = payment()
    const answer = await provider.push(request)
    const receipt = twin.transaction(request.reference)?.receipt
    const paid = { kind: 'succeeded', amount_minor: 500_000n, currency: 'TZS', provider_id: receipt } as const
    assert.deepEqual(answer, { ...paid, provider_status: 'INS-0' })
    assert.deepEqual(await statusOf(provider, request), { ...paid, provider_status: 'Completed' })
  })

  test('the adapter reports the reason of each certain failure of a payment, and an unknown outcome for each uncertain answer', async () => {
    const { provider, twin } = await start({}, { timeout_ms: 2_000 })
    for (const [ending, expected_push, expected_status] of [
      ['002', 'declined provider_declined', 'unknown unseen_status'],
      ['003', 'declined insufficient_balance', 'unknown unseen_status'],
      ['004', 'declined provider_declined', 'unknown unseen_status'],
      ['005', 'declined provider_declined', 'unknown unseen_status'],
      ['006', 'unknown timeout', 'unknown unseen_status'],
      ['007', 'unknown timeout', 'succeeded 500000 TZS'],
      ['008', 'unknown unreachable', 'unknown unseen_status'],
      ['009', 'unknown unreachable', 'succeeded 500000 TZS'],
      ['010', 'declined provider_declined', 'succeeded 500000 TZS'],
      ['011', 'unknown timeout', 'unknown unseen_status'],
      ['012', 'succeeded 500000 TZS', 'reversed 500000 TZS'],
      ['013', 'unknown unseen_status', 'succeeded 500000 TZS'],
      ['014', 'accepted', 'succeeded 500000 TZS'],
      ['555', 'succeeded 500000 TZS', 'succeeded 500000 TZS'],
    ] as const) {
      const request = payment(ending)
      assert.equal(shortly(await provider.push(request)), expected_push, ending)
      await eventually(async () => assert.equal(shortly(await statusOf(provider, request)), expected_status, ending))
    }
    assert.equal(twin.totals().executed_more_than_once, 0)
  })

  test('an asynchronous application accepts a payment, and a later query finds the outcome', async () => {
    const clock = settableClock(systemClock.now())
    const { provider, twin } = await start(
      { clock, settings: { mode: 'async', decide_ms: 60_000 } },
      { pending_states: ['Pending'], failed_states: { Failed: 'provider_declined' } },
    )
    const [paid, failed] = [payment('001'), payment('002')]
    for (const request of [paid, failed]) {
      const answer = await provider.push(request)
      assert.equal(answer.kind, 'accepted')
      assert.equal(answer.provider_id, twin.transaction(request.reference)?.own_conversation)
      assert.equal((await statusOf(provider, request))?.kind, 'accepted')
    }
    clock.advance(60_000)
    assert.deepEqual((await provider.status([failed, paid])).map(shortly), [
      'declined provider_declined',
      'succeeded 500000 TZS',
    ])
  })

  test('the late answer decides the outcome and its reason when the payer decides after the timeout of the call', async () => {
    const { provider, twin } = await start(SLOW.twin, SLOW.adapter)
    const [paid, low, failed] = [payment('001'), payment('003'), payment('002')]
    const requests = [paid, low, failed]
    const pushed = await Promise.all(requests.map((request) => provider.push(request)))
    assert.deepEqual(pushed.map(shortly), ['unknown timeout', 'unknown timeout', 'unknown timeout'])
    assert.deepEqual((await provider.status(requests)).map(shortly), Array(3).fill('unknown unseen_status'))
    await eventually(async () => {
      assert.deepEqual((await provider.status(requests)).map(shortly), [
        'succeeded 500000 TZS',
        'declined insufficient_balance',
        'declined provider_declined',
      ])
    })
    // The other process did not receive the late answers, so its outcomes come from queries alone.
    const other = adapterFor(twin).provider
    assert.deepEqual((await other.status(requests)).map(shortly), [
      'succeeded 500000 TZS',
      'unknown unseen_status',
      'unknown unseen_status',
    ])
    assert.equal(twin.totals().prompts, 3)
  })

  test('the adapter first reports a late failure, then the success that a later query finds', async () => {
    const { provider } = await start(SLOW.twin, SLOW.adapter)
    const request = payment('010')
    assert.equal(shortly(await provider.push(request)), 'unknown timeout')
    await eventually(async () => assert.equal(shortly(await statusOf(provider, request)), 'declined provider_declined'))
    await eventually(async () => assert.equal(shortly(await statusOf(provider, request)), 'succeeded 500000 TZS'))
  })

  test('the adapter reports a payment as paid after eight other prompts got no answer', async () => {
    const { provider, twin } = await start({}, { timeout_ms: 2_000, act_connections: 4, ask_connections: 2 })
    await provider.push(payment())
    for (let i = 0; i < 4; i++) {
      const silent = await Promise.all([provider.push(payment('011')), provider.push(payment('011'))])
      assert.deepEqual(silent.map(shortly), ['unknown timeout', 'unknown timeout'])
    }
    assert.equal(shortly(await provider.push(payment())), 'succeeded 500000 TZS')
    assert.equal(twin.totals().requests.c2b, 10)
  })

  test('the payer gets one prompt for a repeated reference, even when another process repeats the reference', async () => {
    const { provider, twin } = await start({ settings: { decide_ms: 20 } })
    const request = payment()
    const answers = await Promise.all([1, 2, 3].map(() => provider.push(request)))
    answers.push(await provider.push(request))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(twin.totals().requests.c2b, 1)
    const other = adapterFor(twin).provider
    assert.equal(shortly(await other.push(request)), 'unknown unseen_status')
    assert.equal(twin.transaction(request.reference)?.prompts, 1)
    assert.equal(shortly(await statusOf(other, request)), 'succeeded 500000 TZS')
  })

  test('the adapter answers many queries in order, and reports an unsent payment as not_found only for a configured code', async () => {
    const { provider, twin } = await start()
    const requests = Array.from({ length: 120 }, (_, i) => payment(i % 3 === 0 ? '002' : '001'))
    for (const [i, request] of requests.entries()) if (i % 5 === 0) await provider.push(request)
    const answers = await provider.status(requests)
    for (const [i, answer] of answers.entries()) {
      assert.equal(answer.kind, i % 5 === 0 && i % 3 !== 0 ? 'succeeded' : 'unknown', String(i))
    }
    const knowing = adapterFor(twin, { not_found_codes: ['INS-23'] }).provider
    assert.deepEqual((await knowing.status(requests.slice(0, 2))).map(shortly), ['unknown unseen_status', 'not_found'])
  })

  test('the adapter sends a unique transaction reference in the packed form for each payment and payout', async () => {
    const { provider, twin } = await start()
    await Promise.all(Array.from({ length: 50 }, () => provider.push(payment())))
    await Promise.all(Array.from({ length: 50 }, () => provider.payout(payout())))
    const references = twin.transactions().map(({ reference }) => reference)
    assert.equal(new Set(references).size, 100)
    for (const reference of references) assert.match(reference, /^[0-9A-Za-z]{20}$/)
  })
})

describe('callbacks of the twin', () => {
  /** Starts an asynchronous application whose callbacks the adapter verifies. */
  const startWithCallbacks = async (settings: object = {}, secret = CALLBACK_SECRET) => {
    const verdicts: unknown[] = []
    const started = await start({ settings: { mode: 'async' } })
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      const headers = { ...(request.headers as Record<string, string>), [CALLBACK_PATH]: request.url }
      verdicts.push(started.provider.verifyCallback(headers, body))
      response.end(JSON.stringify(started.provider.callbackReply(body)))
    })
    const url = await listen(receiver)
    closing.push(async () => receiver.closeAllConnections())
    started.twin.set({ callback_url: `${url}/callbacks/vodacom?secret=${secret}`, ...settings })
    return { ...started, verdicts }
  }

  for (const callback_field of ['input_ThirdPartyConversationID', 'input_ThirdPartyReference'] as const) {
    test(`the adapter reads the payment of a callback from ${callback_field}, and the gateway gets the expected answer`, async () => {
      const { provider, twin, verdicts } = await startWithCallbacks({ callback_field, callback_success: '0' })
      const request = payment()
      await provider.push(request)
      await eventually(() => assert.equal(verdicts.length, 1))
      await twin.idle()
      assert.deepEqual(verdicts, [{ verified: true, reference: request.reference }])
      assert.equal(twin.callbacks[0]?.answer?.output_ResponseCode, '0')
      assert.equal(twin.callbacks[0]?.answer?.[callback_field.replace('input', 'output')], request.reference)
      assert.equal(shortly(await statusOf(provider, request)), 'succeeded 500000 TZS')
    })
  }

  test('the adapter reads no outcome from a callback, so a forged success leaves the status unknown', async () => {
    const { provider, twin, verdicts } = await startWithCallbacks({ callbacks: 'forged' })
    const request = payment('002')
    await provider.push(request)
    await eventually(() => assert.equal(verdicts.length, 2))
    await twin.idle()
    assert.equal(twin.callbacks[0]?.forged, true)
    assert.equal(shortly(await statusOf(provider, request)), 'unknown unseen_status')
  })

  test('the adapter refuses a callback whose URL has a wrong secret', async () => {
    const { provider, verdicts } = await startWithCallbacks({}, 'the-secret-of-another-system')
    await provider.push(payment())
    await eventually(() => assert.deepEqual(verdicts, [{ verified: false }]))
  })

  test('a query finds the outcome of a payment whose callback got lost', async () => {
    const { provider, verdicts } = await startWithCallbacks({ callbacks: 'lost' })
    const request = payment()
    await provider.push(request)
    assert.equal(shortly(await statusOf(provider, request)), 'succeeded 500000 TZS')
    assert.deepEqual(verdicts, [])
  })
})
