// Tests that the Vodacom adapter fulfils its contract for payouts, against the twin of the gateway. The file includes refunds
// and the name look-up, which are not part of the port.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  API_KEY,
  adapterFor,
  eventually,
  payment,
  payout,
  SLOW,
  shortly,
  start,
} from '../../../../test/providers/vodacom.ts'
import type { PayoutRequest } from '../port.ts'

type Provider = Awaited<ReturnType<typeof start>>['provider']
const payoutStatusOf = async (provider: Provider, request: PayoutRequest) => (await provider.payoutStatus([request]))[0]

describe('payouts at the twin of the gateway', () => {
  test('the adapter reports the reason of each certain failure of a payout, and an unknown outcome for each uncertain answer', async () => {
    const { provider, twin } = await start({}, { timeout_ms: 2_000 })
    for (const [ending, expected_answer, expected_status] of [
      ['001', 'succeeded 1500000 TZS', 'succeeded 1500000 TZS'],
      ['002', 'declined provider_declined', 'unknown unseen_status'],
      ['003', 'blocked float', 'unknown unseen_status'],
      ['004', 'declined unknown_recipient', 'unknown unseen_status'],
      ['005', 'declined limit_exceeded', 'unknown unseen_status'],
      ['006', 'unknown timeout', 'unknown unseen_status'],
      ['007', 'unknown timeout', 'succeeded 1500000 TZS'],
      ['009', 'unknown unreachable', 'succeeded 1500000 TZS'],
      ['011', 'unknown timeout', 'unknown unseen_status'],
      ['012', 'succeeded 1500000 TZS', 'reversed 1500000 TZS'],
      ['013', 'unknown unseen_status', 'succeeded 1500000 TZS'],
      ['014', 'accepted', 'succeeded 1500000 TZS'],
    ] as const) {
      const request = payout(ending)
      assert.equal(shortly(await provider.payout(request)), expected_answer, ending)
      await eventually(async () =>
        assert.equal(shortly(await payoutStatusOf(provider, request)), expected_status, ending),
      )
    }
    assert.equal(twin.totals().executed_more_than_once, 0)
  })

  test('the gateway pays out once for a repeated reference, even when another process repeats the reference', async () => {
    const { provider, twin } = await start({ settings: { decide_ms: 20 } })
    const request = payout()
    const answers = await Promise.all([1, 2, 3].map(() => provider.payout(request)))
    answers.push(await provider.payout(request))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    const other = adapterFor(twin).provider
    assert.equal(shortly(await other.payout(request)), 'unknown unseen_status')
    assert.deepEqual([twin.totals().executions, twin.totals().paid_out], [1, 15_000n])
    assert.equal(shortly(await payoutStatusOf(other, request)), 'succeeded 1500000 TZS')
  })

  test('the adapter reports a blocked payout when the float is empty, and the gateway sends no money', async () => {
    const { provider, twin } = await start({ float: 20_000n })
    assert.equal((await provider.payout(payout())).kind, 'succeeded')
    assert.equal((await provider.payout(payout())).kind, 'blocked')
    assert.deepEqual([twin.totals().float, twin.totals().paid_out], [5_000n, 15_000n])
  })

  test('the adapter reports a blocked payout and a declined payment, without a prompt, when the interfaces are closed', async () => {
    const { provider, twin } = await start({ settings: { closed: ['b2c', 'c2b'] } })
    assert.equal((await provider.payout(payout())).kind, 'blocked')
    assert.equal(shortly(await provider.push(payment())), 'declined provider_unavailable')
    assert.equal(twin.totals().transactions, 0)
  })

  test('the late answer decides the outcome of a payout when no answer came before the timeout', async () => {
    const { provider } = await start(SLOW.twin, SLOW.adapter)
    const [paid, wrong] = [payout('001'), payout('004')]
    const sent = await Promise.all([provider.payout(paid), provider.payout(wrong)])
    assert.deepEqual(sent.map(shortly), ['unknown timeout', 'unknown timeout'])
    await eventually(async () => {
      const answers = await provider.payoutStatus([paid, wrong])
      assert.deepEqual(answers.map(shortly), ['succeeded 1500000 TZS', 'declined unknown_recipient'])
    })
  })

  test('the adapter never reports an unsent payout as not_found, because a repeat could send the money twice', async () => {
    const { provider } = await start({}, { not_found_codes: ['INS-23'] })
    assert.deepEqual((await provider.payoutStatus([payout(), payout()])).map(shortly), [
      'unknown unseen_status',
      'unknown unseen_status',
    ])
    assert.deepEqual(await provider.payoutStatus([]), [])
  })
})

describe('refunds, look-ups and the log', () => {
  test('the gateway returns a payment once when the operator repeats the refund', async () => {
    const { provider, twin } = await start()
    const request = payment()
    const answer = await provider.push(request)
    const refund = { ...request, provider_id: answer.provider_id ?? '' }
    const given = await Promise.all([provider.refund(refund), provider.refund(refund)])
    assert.deepEqual(given.map(shortly), ['succeeded 500000 TZS', 'succeeded 500000 TZS'])
    assert.equal(shortly(await adapterFor(twin).provider.refund(refund)), 'unknown unseen_status')
    assert.deepEqual([twin.totals().collected, twin.transaction(request.reference)?.reversals], [0n, 1])
    assert.equal(shortly((await provider.status([request]))[0]), 'reversed 500000 TZS')
  })

  test('the adapter declines a refund of an unpaid payment, of an unknown receipt and of a malformed receipt', async () => {
    const { provider, twin } = await start()
    const failed = payment('002')
    await provider.push(failed)
    const receipt = twin.transaction(failed.reference)?.receipt ?? ''
    assert.equal(shortly(await provider.refund({ ...failed, provider_id: receipt })), 'declined provider_declined')
    const strange = { ...payment(), provider_id: 'NOTOURS' }
    assert.equal(shortly(await provider.refund(strange)), 'declined unknown_provider_error')
    const malformed = { ...payment(), provider_id: 'no receipt' }
    assert.equal(shortly(await provider.refund(malformed)), 'declined unknown_recipient')
  })

  test('lookupName returns the name, or null when the gateway has no name', async () => {
    const { provider } = await start()
    const recipient = payout('123')
    assert.deepEqual(await provider.lookupName(recipient), { name: 'ASHA JUMA 0123' })
    assert.equal(await provider.lookupName(payout('004')), null)
    assert.equal(await provider.lookupName({ ...recipient, destination_code: 'AIRTEL' }), null)
    assert.equal(await provider.lookupName({ ...recipient, destination_identifier: 'x' }), null)
  })

  test('the log of a blocked payout contains no secret', async () => {
    const { provider, logged } = await start({ settings: { closed: ['b2c'] } })
    await provider.payout(payout())
    assert.ok(logged.length > 0)
    assert.ok(!logged.join().includes(API_KEY))
    assert.ok(!/Bearer/.test(logged.join()))
  })
})
