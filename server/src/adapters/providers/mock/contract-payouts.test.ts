// Tests that the mock providers fulfil their own contract for payouts. The file contract.test.ts has the contract of all
// providers.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  DELAY_MS,
  eventually,
  pause,
  payoutOf,
  SETTLED_MS,
  type Subject,
  startLocal,
  startRemote,
} from '../../../../test/mock-providers.ts'
import { PAYOUT_METHODS, type PayoutAnswer, type PayoutRequest } from '../port.ts'
import { PAYOUT_MAGIC_NUMBERS } from './magic.ts'

const UNCLEAR = { kind: 'unknown', why: 'ambiguous', provider_status: 'AMBIGUOUS' }
const REFUSED = { kind: 'blocked', provider_status: 'REFUSED' }
const NOT_FOUND = { kind: 'not_found', provider_status: 'NOT_FOUND' }

for (const [name, start] of [
  ['mock in this process', startLocal],
  ['mock over HTTP', startRemote],
] as const) {
  describe(`payouts of the ${name}`, () => {
    let subject: Subject
    before(async () => {
      subject = await start()
    })
    after(() => subject.close())

    /** Sends a payout request. Returns the request with the time that the platform would store, and the answer. */
    const send = async (request: PayoutRequest): Promise<[PayoutRequest, PayoutAnswer]> => {
      const answer = await subject.provider.payout(request)
      return [{ ...request, sent_at: new Date() }, answer]
    }
    const statusOf = async (request: PayoutRequest): Promise<PayoutAnswer | undefined> =>
      (await subject.provider.payoutStatus([request]))[0]
    const statusesOf = (request: PayoutRequest) =>
      subject.received
        .map(({ body }) => JSON.parse(body.toString()))
        .filter(({ reference }) => reference === request.reference)
        .map(({ status }) => status)

    it('the mock provider supports every payout method: banks, networks and wallets', () => {
      assert.deepEqual(subject.provider.capabilities.payout_methods, PAYOUT_METHODS)
    })

    it('the mock provider accepts a payout, reports the payout as paid later, and sends one callback', async () => {
      const [request, answer] = await send(payoutOf('456'))
      assert.equal(answer.kind, 'accepted')
      assert.equal(answer.provider_status, 'PENDING')
      assert.match(answer.provider_id ?? '', /^MOCK-[0-9A-F]{16}$/)
      await eventually(async () => assert.equal((await statusOf(request))?.kind, 'succeeded'))
      const { provider_id } = answer
      assert.deepEqual(await statusOf(request), {
        kind: 'succeeded',
        amount_minor: 123_450n,
        currency: 'TZS',
        provider_status: 'COMPLETED',
        provider_id,
      })
      await eventually(async () => assert.deepEqual(statusesOf(request), ['COMPLETED']))
    })

    it('the mock provider declines a payout with a reason when the destination ends in 102', async () => {
      const [request, answer] = await send(payoutOf('102'))
      assert.equal(answer.kind, 'accepted')
      await eventually(async () => assert.deepEqual(statusesOf(request), ['FAILED']))
      const { provider_id } = answer
      const declined = { kind: 'declined', reason: 'provider_declined', provider_status: 'FAILED', provider_id }
      assert.deepEqual(await statusOf(request), declined)
    })

    it('the mock provider reports no result to four queries when the destination ends in 103', async () => {
      const request = payoutOf('103')
      assert.deepEqual(await subject.provider.payout(request), UNCLEAR)
      for (const sent_at of [null, new Date(), new Date(0)]) {
        assert.deepEqual(await statusOf({ ...request, sent_at }), UNCLEAR)
      }
      await pause(SETTLED_MS)
      assert.deepEqual(await statusOf(request), UNCLEAR)
      assert.deepEqual(statusesOf(request), [])
    })

    it('the mock provider blocks each payout request when the destination ends in 104, and stores no payout', async () => {
      const request = payoutOf('104')
      for (let i = 0; i < 3; i++) assert.deepEqual(await subject.provider.payout(request), REFUSED)
      await pause(SETTLED_MS)
      assert.deepEqual(await statusOf(request), NOT_FOUND)
      assert.deepEqual(await subject.provider.payout(request), REFUSED)
      assert.deepEqual(statusesOf(request), [])
    })

    it('the mock provider pays and then reverses a payout when the destination ends in 105, and does not return its charge', async () => {
      const [request, { provider_id }] = await send(payoutOf('105'))
      const early = await statusOf(request)
      assert.ok(early?.kind === 'accepted' || early?.kind === 'succeeded')
      assert.ok(early.ask_again_ms !== undefined && early.ask_again_ms > 0 && early.ask_again_ms <= DELAY_MS)
      await eventually(async () => assert.deepEqual(statusesOf(request), ['COMPLETED', 'REVERSED']))
      assert.deepEqual(await statusOf(request), {
        kind: 'reversed',
        amount_minor: 123_450n,
        currency: 'TZS',
        charge_returned: false,
        provider_status: 'REVERSED',
        provider_id,
      })
    })

    it('the mock provider pays a payout and sends no callback when the destination ends in 106', async () => {
      const [request] = await send(payoutOf('106'))
      await eventually(async () => assert.equal((await statusOf(request))?.kind, 'succeeded'))
      await pause(SETTLED_MS)
      assert.deepEqual(statusesOf(request), [])
    })

    it('the table of payout endings has the endings that this file tests, and no other ending', () => {
      const endings = PAYOUT_MAGIC_NUMBERS.map(({ ending }) => ending)
      assert.deepEqual(endings, ['102', '103', '104', '105', '106'])
    })

    it('the ending of a bank account or a wallet chooses the same outcome as the ending of a phone', async () => {
      const bank = { method: 'BANK_ACCOUNT', destination_code: 'CRDB', bank_name: 'CRDB Bank' } as const
      const wallet = { method: 'PROVIDER_PESA', destination_code: 'PROVIDER_PESA' } as const
      for (const [destination, ending] of [
        [bank, '104'],
        [bank, '103'],
        [wallet, '104'],
      ] as const) {
        const request = payoutOf('', { ...destination, destination_identifier: `0150-${ending}` })
        const expected = ending === '103' ? UNCLEAR : REFUSED
        assert.deepEqual(await subject.provider.payout(request), expected)
      }
      const [paid] = await send(payoutOf('', { ...bank, destination_identifier: '0150102345' }))
      const [short] = await send(payoutOf('', { ...bank, destination_identifier: '7' }))
      await eventually(async () => {
        for (const request of [paid, short]) assert.equal((await statusOf(request))?.kind, 'succeeded')
      })
    })

    it('the mock provider gives the same answer and sends one callback when the platform repeats the reference of a payout', async () => {
      const request = payoutOf('456')
      const answers = await Promise.all([1, 2, 3].map(() => subject.provider.payout(request)))
      await pause(SETTLED_MS)
      answers.push(await subject.provider.payout(request))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      await pause(SETTLED_MS)
      assert.deepEqual(statusesOf(request), ['COMPLETED'])
    })

    it('the mock provider answers many payout queries in their order, and reports an unknown payout as not_found', async () => {
      const [paid] = await send(payoutOf('456'))
      const [declined] = await send(payoutOf('102'))
      const [unclear] = await send(payoutOf('103'))
      const [blocked] = await send(payoutOf('104'))
      const [reversed] = await send(payoutOf('105'))
      await pause(SETTLED_MS)
      const never = payoutOf('456')
      const answers = await subject.provider.payoutStatus([reversed, never, unclear, blocked, declined, paid, never])
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        ['reversed', 'not_found', 'unknown', 'not_found', 'declined', 'succeeded', 'not_found'],
      )
      assert.deepEqual(await subject.provider.payoutStatus([]), [])
    })

    it('the mock provider signs its payout callbacks, and the adapter refuses a forged callback', async () => {
      const [request] = await send(payoutOf('456'))
      await eventually(async () => assert.equal(statusesOf(request).length, 1))
      const callback = subject.received.find(({ body }) => body.includes(`"${request.reference}"`))
      assert.ok(callback)
      const { headers, body } = callback
      const { provider } = subject
      assert.deepEqual(provider.verifyCallback(headers, body), { verified: true, reference: request.reference })
      const forged = Buffer.from(body.toString().replace(request.reference, 'WCONTRACT0'))
      assert.deepEqual(provider.verifyCallback(headers, forged), { verified: false })
    })
  })
}
