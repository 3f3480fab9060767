// Defines the contract of every provider, mock and real, as a suite of tests. The file contract.test.ts in the folder of each
// provider runs this suite.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Answer,
  FAILURE_REASONS,
  METHODS,
  PAYOUT_FAILURES,
  type PaymentRequest,
  type PayoutAnswer,
  type PayoutRequest,
} from '../src/adapters/providers/port.ts'
import { DESTINATIONS } from '../src/kernel/lib/index.ts'
import { eventually } from './mock-providers.ts'
import { type AnySubject, paymentBy, payoutTo } from './provider-subjects.ts'

/** The only permitted answers about a request that the platform never sent. */
const SAYS_NOTHING = ['unknown', 'not_found']

/** Adds the contract tests for the provider that `start` makes. */
export function testProviderContract(name: string, start: () => Promise<AnySubject>): void {
  describe(`the contract of every provider: ${name}`, () => {
    let subject: AnySubject
    before(async () => {
      subject = await start()
    })
    after(() => subject.close())
    const statusOf = async (request: PaymentRequest): Promise<Answer> =>
      (await subject.provider.status([request]))[0] as Answer
    const payoutStatusOf = async (request: PayoutRequest): Promise<PayoutAnswer> =>
      (await subject.provider.payoutStatus([request]))[0] as PayoutAnswer
    const callbacksFor = ({ reference }: { reference: string }) =>
      subject.received.filter(({ body }) => body.includes(`"${reference}"`))
    /** Sends a request. Returns the request as the platform stores it. */
    const push = async (request: PaymentRequest): Promise<PaymentRequest> => {
      const answer = await subject.provider.push(request)
      assert.equal(answer.kind, 'accepted')
      return { ...request, sent_at: new Date() }
    }
    const payOut = async (request: PayoutRequest): Promise<PayoutRequest> => {
      const { kind } = await subject.provider.payout(request)
      assert.ok(kind === 'accepted' || kind === 'succeeded' || kind === 'declined', kind)
      return { ...request, sent_at: new Date() }
    }

    it('the provider reports a paid payment as succeeded with the amount and the currency, and repeats the answer', async () => {
      const request = await push(paymentBy(subject.payers.pays))
      await eventually(async () => assert.equal((await statusOf(request)).kind, 'succeeded'))
      const first = await statusOf(request)
      assert.ok(first.kind === 'succeeded')
      assert.deepEqual([first.amount_minor, first.currency], [request.amount_minor, 'TZS'])
      assert.deepEqual(await statusOf(request), first)
    })

    it('the provider reports a declined payment with a reason that payers can read', async () => {
      const request = await push(paymentBy(subject.payers.declines))
      await eventually(async () => assert.equal((await statusOf(request)).kind, 'declined'))
      const answer = await statusOf(request)
      assert.ok(answer.kind === 'declined' && Object.hasOwn(FAILURE_REASONS, answer.reason))
    })

    it('the provider sends one prompt for a repeated reference, even if another process repeats the request', async () => {
      const request = paymentBy(subject.payers.pays)
      const answers = await Promise.all([1, 2, 3].map(() => subject.provider.push(request)))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      const again = await subject.another?.push(request)
      assert.ok(again === undefined || ['accepted', 'succeeded', 'unknown'].includes(again.kind), again?.kind)
      await eventually(async () => assert.equal((await statusOf(request)).kind, 'succeeded'))
      if (subject.another !== null) assert.equal(subject.times(request.reference), 1)
      await eventually(async () => assert.equal(callbacksFor(request).length, 1))
    })

    it('the provider answers many queries in the order of the queries, and reports no outcome of an unknown reference', async () => {
      const paid = await push(paymentBy(subject.payers.pays))
      const declined = await push(paymentBy(subject.payers.declines))
      await eventually(async () => assert.equal((await statusOf(paid)).kind, 'succeeded'))
      await eventually(async () => assert.equal((await statusOf(declined)).kind, 'declined'))
      const never = () => paymentBy(subject.payers.pays)
      const kinds = (await subject.provider.status([never(), declined, paid, never(), declined])).map(
        ({ kind }) => kind,
      )
      assert.deepEqual([kinds[1], kinds[2], kinds[4]], ['declined', 'succeeded', 'declined'])
      for (const kind of [kinds[0], kinds[3]]) assert.ok(SAYS_NOTHING.includes(kind ?? ''), kind)
      assert.deepEqual(await subject.provider.status([]), [])
    })

    it('the adapter declines a payment of an unsupported method or amount, and the provider sends no prompt', async () => {
      const { methods, whole_shillings } = subject.provider.capabilities
      const cannot = METHODS.filter((method) => !methods.includes(method)).map((method) => paymentBy('001', { method }))
      if (whole_shillings) cannot.push(paymentBy('001', { amount_minor: 500_050n }))
      for (const request of cannot) {
        const answer = await (request.method === 'qr' ? subject.provider.qr(request) : subject.provider.push(request))
        assert.equal(answer.kind, 'declined', request.method)
        assert.equal(subject.times(request.reference), null)
      }
    })

    it('a provider of QR codes returns the same code for a repeated request', async () => {
      if (!subject.provider.capabilities.methods.includes('qr')) return
      const request = paymentBy('001', { method: 'qr', phone: null })
      const code = await subject.provider.qr(request)
      assert.equal(code.kind, 'accepted')
      assert.match(code.payment_token ?? '', /^\d{8}$/)
      assert.match(code.qr_payload ?? '', /^000201.*6304[0-9A-F]{4}$/)
      assert.deepEqual(await subject.provider.qr(request), code)
      const other = await subject.provider.qr(paymentBy('001', { method: 'qr', phone: null }))
      assert.notEqual(other.qr_payload, code.qr_payload)
    })

    it('a callback names its payment, and the adapter rejects a callback without a valid signature', async () => {
      const request = await push(paymentBy(subject.payers.pays))
      await eventually(async () => assert.ok(callbacksFor(request).length > 0))
      const [callback] = callbacksFor(request)
      assert.ok(callback)
      const { provider } = subject
      const { headers, body } = callback
      assert.deepEqual(provider.verifyCallback(headers, body), { verified: true, reference: request.reference })
      for (const [proof, content] of [
        [{}, body],
        [headers, Buffer.alloc(0)],
        [headers, Buffer.from('{')],
        [headers, Buffer.alloc(20_000, '{')],
        [headers, Buffer.from('null')],
      ] as const) {
        assert.deepEqual(provider.verifyCallback(proof, content), { verified: false })
      }
    })

    it('the provider reports a paid payout as succeeded, with its amount and currency', async () => {
      const request = await payOut(payoutTo(subject.payees.pays))
      await eventually(async () => assert.equal((await payoutStatusOf(request)).kind, 'succeeded'))
      const answer = await payoutStatusOf(request)
      assert.ok(answer.kind === 'succeeded')
      assert.deepEqual([answer.amount_minor, answer.currency], [request.amount_minor, 'TZS'])
    })

    it('the provider reports a declined payout with a reason that merchants can read', async () => {
      const request = payoutTo(subject.payees.declines)
      let answer = await subject.provider.payout(request)
      await eventually(async () => {
        if (answer.kind !== 'declined') answer = await payoutStatusOf({ ...request, sent_at: new Date() })
        assert.equal(answer.kind, 'declined')
      })
      assert.ok(answer.kind === 'declined' && Object.hasOwn(PAYOUT_FAILURES, answer.reason))
    })

    it('the provider makes one payout for a repeated reference, even if another process repeats the request', async () => {
      const request = payoutTo(subject.payees.pays)
      const answers = await Promise.all([1, 2, 3].map(() => subject.provider.payout(request)))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      // The answer to a repeated reference is never a failure, because the first request sent the money.
      const again = await subject.another?.payout(request)
      assert.ok(again === undefined || ['accepted', 'succeeded', 'unknown'].includes(again.kind), again?.kind)
      await eventually(async () => assert.equal((await payoutStatusOf(request)).kind, 'succeeded'))
      const times = subject.times(request.reference)
      assert.ok(times === null || times === 1, `${times} times`)
    })

    it('the provider answers many payout queries in the order of the queries, and reports no outcome of an unknown reference', async () => {
      const paid = await payOut(payoutTo(subject.payees.pays))
      await eventually(async () => assert.equal((await payoutStatusOf(paid)).kind, 'succeeded'))
      const never = () => payoutTo(subject.payees.pays)
      const kinds = (await subject.provider.payoutStatus([never(), paid, never()])).map(({ kind }) => kind)
      assert.equal(kinds[1], 'succeeded')
      for (const kind of [kinds[0], kinds[2]]) assert.ok(SAYS_NOTHING.includes(kind ?? ''), kind)
      assert.deepEqual(await subject.provider.payoutStatus([]), [])
    })

    it('the adapter declines a payout to an unsupported destination, blocks a payout with an unsupported amount or a missing field, and sends neither payout', async () => {
      const { destinations, needs, payout_methods, whole_shillings } = subject.provider.capabilities
      const beyond = DESTINATIONS.filter(
        ({ code, method }) =>
          (destinations !== undefined && !destinations.includes(code)) || !payout_methods.includes(method),
      )
      const cannot = beyond.map(({ code, method }) =>
        payoutTo(subject.payees.pays, {
          method,
          destination_code: code,
          bank_name: method === 'BANK_ACCOUNT' ? code : null,
        }),
      )
      const unfit = whole_shillings ? [payoutTo(subject.payees.pays, { amount_minor: 1_500_050n })] : []
      for (const method of payout_methods) {
        const code = DESTINATIONS.find(
          (one) => one.method === method && (destinations ?? [one.code]).includes(one.code),
        )
        for (const field of needs?.[method] ?? []) {
          const to = { method, destination_code: code?.code as string, bank_name: code?.name as string, [field]: null }
          unfit.push(payoutTo(subject.payees.pays, to))
        }
      }
      for (const [requests, kind] of [
        [cannot, 'declined'],
        [unfit, 'blocked'],
      ] as const) {
        for (const request of requests) {
          assert.equal((await subject.provider.payout(request)).kind, kind, request.destination_code)
          assert.equal(subject.times(request.reference), null)
        }
      }
    })
  })
}
