// Tests that the outcomes of payouts agree with the books of the gateway's twin, which count the executions of each payout. The
// tests send and query as the platform does.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { payment, payout, shortly } from '../../../../test/providers/selcom.ts'
import {
  adapterOf,
  isFinal,
  repeatUntil,
  startWithTwin,
  type TwinWithAdapter,
} from '../../../../test/providers/selcom-with-twin.ts'
import { MAGIC_NUMBERS } from '../../../../twins/selcom/index.ts'
import type { PayoutAnswer, PayoutRequest } from '../port.ts'

/**
 * The expected outcomes of the twin's magic numbers. Each number that is missing here succeeds. `open` means that the twin
 * gives no final answer, so the payout stays open.
 */
const PAYEES: Record<string, string> = {
  '102': 'declined provider_declined',
  '103': 'open',
  '107': 'declined provider_declined',
  '109': 'declined provider_declined',
  '110': 'declined unknown_recipient',
  '111': 'declined limit_exceeded',
  // The gateway reports a false failure, and the adapter accepts the failure. Only the gateway's statement of account shows
  // the payout.
  '113': 'declined provider_declined',
  // The request may get lost on the way. The adapter cannot detect this loss, so the adapter does not send the payout again.
  '121': 'open',
  '123': 'open',
  '125': 'open',
  '129': 'open',
  '130': 'open',
}

/**
 * Pays out as the platform does. After `not_sent` or `blocked`, the platform may send the payout again. After any other answer,
 * the platform only queries.
 */
async function payOut(
  { provider }: TwinWithAdapter,
  request: PayoutRequest,
  done: (answer: PayoutAnswer) => boolean,
): Promise<PayoutAnswer> {
  let latest = await provider.payout(request)
  await repeatUntil(
    () => done(latest),
    async () => {
      if (latest.kind === 'not_sent' || latest.kind === 'blocked') latest = await provider.payout(request)
      else latest = (await provider.payoutStatus([request]))[0] ?? latest
      assert.notEqual(latest.kind, 'not_found')
    },
  )
  return latest
}

describe('payouts at the twin of the gateway', () => {
  it("the adapter reports the outcome of the twin's table for every magic number of payouts, and no payout moves money twice", async () => {
    const rig = await startWithTwin()
    const rows = MAGIC_NUMBERS.filter(({ ending }) => ending >= '100')
    assert.ok(rows.length > 30)
    const ways = [
      { method: 'MOBILE_MONEY', destination_code: 'AIRTEL' },
      { method: 'PROVIDER_PESA', destination_code: 'PROVIDER_PESA' },
      { method: 'BANK_ACCOUNT', destination_code: 'NMB' },
    ] as const
    const rails = { MOBILE_MONEY: 'walletcashin', PROVIDER_PESA: 'selcompesa', BANK_ACCOUNT: 'qwiksend' }
    const closed = ways.length * rows.filter(({ ending }) => PAYEES[ending] !== 'open').length
    let ended = 0
    await Promise.all(
      ways.flatMap((way) =>
        rows.map(async ({ ending, happens }) => {
          const request = payout({ ...way, destination_identifier: `255680000${ending}` })
          const expected = PAYEES[ending] ?? 'succeeded 1500000 TZS'
          const done = (received: PayoutAnswer) => (expected === 'open' ? ended === closed : isFinal(received))
          const answer = await payOut(rig, request, done)
          if (expected !== 'open') ended++
          assert.equal(isFinal(answer) ? shortly(answer) : 'open', expected, `${ending} ${happens}`)
          const booked = rig.twin.payout(rails[way.method], request.reference)
          assert.ok((booked?.executions ?? 0) <= 1, `${ending}: paid ${booked?.executions} times`)
          // For these endings, the gateway's first answer does not hold, so the outcome contradicts the books of the twin. The
          // money of 105 comes back, and the answers to 112 and 113 are false.
          if (['105', '112', '113'].includes(ending)) return
          if (answer.kind === 'succeeded') assert.equal(booked?.truth, 'paid', ending)
          if (answer.kind === 'declined') assert.notEqual(booked?.truth, 'paid', ending)
        }),
      ),
    )
  })

  it('the adapter moves the money of a payout at most once and reports no wrong outcome when every call may fail', async () => {
    const rig = await startWithTwin(
      {
        faults: {
          seed: 'payouts',
          rates: {
            payout: {
              hang_before: 0.06,
              hang_after: 0.06,
              reset_before: 0.06,
              reset_after: 0.06,
              html_after: 0.06,
              truncated: 0.06,
              limited: 0.06,
              blocked: 0.06,
            },
            query: { hang_before: 0.05, html_before: 0.1, empty: 0.1, truncated: 0.1, wall: 0.1, blocked: 0.05 },
            payee: {
              declined: 0.1,
              pending_pays: 0.2,
              pending_fails: 0.1,
              ambiguous_pays: 0.1,
              ambiguous_fails: 0.1,
              upstream_pays: 0.1,
              contradiction_pays: 0.1,
            },
          },
        },
        settings: { texts: 'mixed', unknown_transid: 'mixed' },
      },
      { timeout_ms: 1_500 },
    )
    const before = await rig.provider.floatBalance()
    const requests = Array.from({ length: 120 }, () => payout({ destination_identifier: '255680000500' }))
    // If the request of a payout did not arrive and the platform may not send the payout again, the payout gets no further
    // answer.
    const done = ({ reference }: PayoutRequest) => {
      return (received: PayoutAnswer) =>
        isFinal(received) || (received.kind === 'unknown' && rig.twin.payout('walletcashin', reference) === null)
    }
    const answers = await Promise.all(requests.map((request) => payOut(rig, request, done(request))))
    let paid_minor = 0n
    for (const [i, request] of requests.entries()) {
      const booked = rig.twin.payout('walletcashin', request.reference)
      const answer = answers[i]
      assert.ok((booked?.executions ?? 0) <= 1)
      if (answer?.kind === 'succeeded') assert.equal(booked?.truth, 'paid')
      if (answer?.kind === 'declined') assert.equal(booked?.truth, 'failed')
      if (booked?.truth === 'paid') paid_minor += request.amount_minor
    }
    const totals = rig.twin.totals()
    assert.equal(totals.payouts.executed_more_than_once, 0)
    const kinds = new Set(answers.map((answer) => answer.kind))
    assert.ok(kinds.has('succeeded') && kinds.has('declined'))
    const after = await rig.provider.floatBalance()
    const held_minor = totals.payouts.held_amount * 100n
    assert.equal((before?.amount_minor ?? 0n) - (after?.amount_minor ?? 0n), paid_minor + held_minor)
  })

  it('the adapter reports an unknown outcome for a payout that the gateway does not have, for each text of the gateway', async () => {
    const rig = await startWithTwin({ settings: { unknown_transid: 'mixed' } })
    for (const sent_at of [null, new Date()]) {
      const requests = Array.from({ length: 80 }, () => payout({ sent_at }))
      const answers = await rig.provider.payoutStatus(requests)
      assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['unknown']))
    }
  })

  it('the adapter reports a payout as blocked while the float is too small, and the gateway later pays the same reference', async () => {
    const rig = await startWithTwin({ float: 10_000n })
    const request = payout({ destination_identifier: '255680000101' })
    assert.deepEqual(await rig.provider.payout(request), {
      kind: 'blocked',
      because: 'float',
      provider_status: '990 FAIL',
      provider_message: '990 FAIL: Insufficient account balance to complete transaction',
      provider_id: (await rig.provider.payout(request)).provider_id,
    })
    assert.deepEqual(await rig.provider.floatBalance(), { amount_minor: 1_000_000n, currency: 'TZS' })
    rig.twin.addFloat(1_000_000n)
    assert.equal((await rig.provider.payout(request)).kind, 'succeeded')
    assert.equal(rig.twin.totals().payouts.executions, 1)
  })

  it('the adapter declines a payout below the minimum amount, blocks a payout with a wrong PIN, and the gateway pays neither', async () => {
    const rig = await startWithTwin()
    const small = payout({ amount_minor: 99_900n, destination_identifier: '255680000101' })
    assert.equal(shortly(await rig.provider.payout(small)), 'declined limit_exceeded')
    const stranger = adapterOf(rig.twin, { float: { vendor: rig.twin.account.float_vendor, pin: '9999' } })
    const refused = await stranger.payout(payout())
    assert.equal(shortly(refused), 'blocked access')
    assert.equal(refused.provider_message, '651 FAIL: Invalid vendor or PIN')
    assert.equal(await stranger.floatBalance(), null)
    assert.equal(rig.twin.totals().payouts.executions, 0)
  })

  it('the adapter reports a blocked payout when the gateway refuses the address, the product or the key', async () => {
    const address = await startWithTwin({ settings: { source_ips: ['10.0.0.1'] } })
    assert.equal(shortly(await address.provider.payout(payout())), 'blocked address')
    assert.equal(shortly(await address.provider.push(payment())), 'declined provider_unavailable')
    const product = await startWithTwin({ settings: { disabled_paths: ['/walletcashin/process'] } })
    assert.equal(shortly(await product.provider.payout(payout())), 'blocked access')
    const key = adapterOf(product.twin, { api_secret: 'another secret' })
    assert.equal(shortly(await key.payout(payout())), 'blocked access')
    assert.equal(product.twin.totals().payouts.count, 0)
  })

  it("lookupName returns the name on a recipient's account, or null when the account has no name", async () => {
    const { provider } = await startWithTwin()
    const ask = (destination_identifier: string) =>
      provider.lookupName({ method: 'MOBILE_MONEY', destination_code: 'AIRTEL', destination_identifier })
    assert.match((await ask('255680000101'))?.name ?? '', /^[A-Z]+ [A-Z]+$/)
    assert.equal(await ask('255680000110'), null)
    const bank = { method: 'BANK_ACCOUNT', destination_code: 'CRDB', destination_identifier: '0150000000001' } as const
    assert.match((await provider.lookupName(bank))?.name ?? '', /^[A-Z]+ [A-Z]+$/)
  })
})
