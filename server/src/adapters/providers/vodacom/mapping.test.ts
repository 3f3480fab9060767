// Tests, by tables, that the adapter reports the listed outcome for each code and state of the gateway.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { shortly } from '../../../../test/providers/vodacom.ts'
import { isFault } from '../breaker.ts'
import type { ExchangeResult } from '../exchange.ts'
import type { FailureReason, PushAnswer } from '../port.ts'
import { CODES } from './codes.ts'
import { classifyVodacomExchange, readVodacomEnvelope, type VodacomVerdict, type VodacomWording } from './envelope.ts'
import { nameOf, paymentSent, paymentStatus, payoutSent, payoutStatus, type VodacomReading } from './mapping.ts'

const WORDING: VodacomWording = { session_texts: [], refusal_texts: [], payment_failures: {} }
const READING: VodacomReading = {
  states: { paid: ['Completed'], pending: [], failed: {}, payout_failed: [] },
  not_found_codes: [],
}
const REQUEST = { reference: '01ARZ3NDEKTSV4RRFFQ69G000101', amount_minor: 500_000n, currency: 'TZS' }
const PAID = 'succeeded 500000 TZS'

type Content = Record<string, unknown>
const answered = (status: number, content: Content | string): ExchangeResult => ({
  kind: 'answered',
  status,
  text: typeof content === 'string' ? content : JSON.stringify(content),
})
const verdictOf = (status: number, content: Content | string, wording = WORDING): VodacomVerdict =>
  classifyVodacomExchange(answered(status, content), wording)
const code = (status: number, output_ResponseCode: string, more: Content = {}, wording = WORDING) =>
  verdictOf(status, { output_ResponseCode, output_ResponseDesc: 'words', ...more }, wording)
const answersToRequest = (verdict: VodacomVerdict) => [
  shortly(paymentSent(verdict, REQUEST)),
  shortly(payoutSent(verdict, REQUEST)),
]
const answersToQuery = (verdict: VodacomVerdict, reading = READING) => [
  shortly(paymentStatus(verdict, REQUEST, reading)),
  shortly(payoutStatus(verdict, REQUEST, reading)),
]

const MALFORMED = ['declined unknown_provider_error', 'declined unknown_provider_error']
const CUSTOMER_LIMIT = ['declined provider_declined', 'declined limit_exceeded']
const FAILED = ['declined provider_declined', 'declined provider_declined']

/** Every documented code except INS-0 with its HTTP status, and with the outcomes of a payment and of a payout. */
const TABLE: [string, number, string[]][] = [
  ['INS-1', 400, ['unknown unreachable', 'unknown unreachable']],
  ['INS-6', 401, FAILED],
  ['INS-9', 408, ['unknown timeout', 'unknown timeout']],
  ['INS-10', 409, ['unknown unseen_status', 'unknown unseen_status']],
  ['INS-13', 400, ['declined unknown_provider_error', 'blocked access']],
  ['INS-15', 400, MALFORMED],
  ['INS-17', 400, MALFORMED],
  ['INS-18', 400, MALFORMED],
  ['INS-20', 400, MALFORMED],
  ['INS-21', 400, MALFORMED],
  ['INS-23', 400, ['unknown unseen_status', 'unknown unseen_status']],
  ['INS-26', 400, MALFORMED],
  ['INS-28', 400, MALFORMED],
  ['INS-30', 400, MALFORMED],
  ['INS-31', 400, MALFORMED],
  ['INS-35', 400, MALFORMED],
  ['INS-989', 400, ['not prompted', 'blocked access']],
  ['INS-990', 400, CUSTOMER_LIMIT],
  ['INS-991', 400, CUSTOMER_LIMIT],
  ['INS-992', 400, CUSTOMER_LIMIT],
  ['INS-993', 400, FAILED],
  ['INS-994', 400, FAILED],
  ['INS-995', 400, CUSTOMER_LIMIT],
  ['INS-996', 400, FAILED],
  ['INS-997', 400, ['declined provider_unavailable', 'blocked access']],
  ['INS-998', 400, ['declined provider_unavailable', 'blocked access']],
  ['INS-2006', 422, ['declined insufficient_balance', 'blocked float']],
  ['INS-2051', 400, ['declined provider_declined', 'declined unknown_recipient']],
]

describe('answers to a request about money', () => {
  for (const [name, http, expected] of TABLE) {
    test(`the adapter reports the code ${name} as ${expected.join(' for a payment, ')} for a payout`, () =>
      assert.deepEqual(answersToRequest(code(http, name)), expected))
  }

  test('the table of this test has every code that the adapter maps', () => {
    assert.deepEqual(['INS-0', ...TABLE.map(([name]) => name)], Object.keys(CODES))
  })

  test('the adapter reports the requested amount as paid for an answer with a receipt, and the request as accepted without a receipt', () => {
    const paid = code(201, 'INS-0', { output_TransactionID: 'hv9ahxcg4ccv', output_ConversationID: 'conversation1' })
    assert.deepEqual(answersToRequest(paid), [PAID, PAID])
    const answer = paymentSent(paid, REQUEST)
    assert.deepEqual([answer?.provider_status, answer?.provider_id], ['INS-0', 'hv9ahxcg4ccv'])
    for (const none of [undefined, null, '', 'N/A', 'n/a', 5, '0', {}]) {
      const taken = code(200, 'INS-0', { output_TransactionID: none, output_ConversationID: 'conversation1' })
      assert.deepEqual(answersToRequest(taken), ['accepted', 'accepted'], String(none))
      assert.equal(paymentSent(taken, REQUEST)?.provider_id, 'conversation1')
    }
  })

  test('the adapter reports an unknown outcome for an undocumented code', () => {
    for (const name of ['INS-2', 'INS-5', 'INS-7', 'INS-999', 'INS-2001', 'INS-99999']) {
      for (const http of [200, 201, 400, 401, 409, 422]) {
        assert.deepEqual(
          answersToRequest(code(http, name)),
          ['unknown unseen_status', 'unknown unseen_status'],
          `${http} ${name}`,
        )
      }
    }
  })

  test('the adapter reports an unknown outcome for a failure code with HTTP 200 and for a success code with HTTP 400', () => {
    for (const [name] of TABLE) {
      for (const http of [200, 201]) {
        assert.deepEqual(
          answersToRequest(code(http, name)),
          ['unknown unseen_status', 'unknown unseen_status'],
          `${http} ${name}`,
        )
      }
    }
    for (const http of [400, 401, 404, 409, 422]) {
      const success = code(http, 'INS-0', { output_TransactionID: 'hv9ahxcg4ccv' })
      assert.deepEqual(answersToRequest(success), ['unknown unseen_status', 'unknown unseen_status'], String(http))
    }
  })

  test('the adapter reports an unknown outcome for HTTP 408, 429 and 5xx, with each documented code and with an HTML page as the body', () => {
    for (const [http, why] of [
      [408, 'timeout'],
      [429, 'unreachable'],
      [500, 'unreachable'],
      [502, 'unreachable'],
      [503, 'unreachable'],
      [504, 'unreachable'],
      [599, 'unreachable'],
    ] as const) {
      for (const name of Object.keys(CODES)) {
        const receipt = { output_TransactionID: 'hv9ahxcg4ccv' }
        assert.deepEqual(
          answersToRequest(code(http, name, receipt)),
          [`unknown ${why}`, `unknown ${why}`],
          `${http} ${name}`,
        )
      }
      assert.deepEqual(answersToRequest(verdictOf(http, '<html></html>')), [`unknown ${why}`, `unknown ${why}`])
    }
  })

  test('the adapter reports an unknown outcome for a text that is no answer of the gateway', () => {
    const texts = ['', '{', 'null', '[]', '"INS-0"', '{}', '{"code":"INS-0"}', '<html>INS-0</html>', '\0']
    for (const http of [200, 201, 204, 301, 302, 400, 404, 409]) {
      for (const text of texts) {
        assert.deepEqual(
          answersToRequest(verdictOf(http, text)),
          ['unknown unreadable', 'unknown unreadable'],
          `${http} ${text}`,
        )
      }
    }
    for (const strange of [5, null, 'INS-', 'INS-0 ', 'ins-0', 'INS-000000', '__proto__', 'constructor', ['INS-0']]) {
      const verdict = verdictOf(201, { output_ResponseCode: strange, output_TransactionID: 'hv9ahxcg4ccv' })
      assert.deepEqual(answersToRequest(verdict), ['unknown unreadable', 'unknown unreadable'], String(strange))
    }
  })

  test('the adapter reports an unknown outcome when a proxy refuses, and a certain outcome for a known refusal of the gateway', () => {
    for (const http of [401, 403]) {
      assert.deepEqual(answersToRequest(verdictOf(http, '<html></html>')), ['unknown refused_us', 'unknown refused_us'])
    }
    const by_session = ['not prompted', 'blocked access']
    assert.deepEqual(answersToRequest(verdictOf(401, { output_error: 'Bad or missing Authorization' })), by_session)
    assert.deepEqual(answersToRequest(verdictOf(400, { output_error: 'Invalid session' })), by_session)
    assert.deepEqual(answersToRequest(verdictOf(403, { output_error: 'no' })), [
      'unknown refused_us',
      'unknown refused_us',
    ])
    // If an answer has a documented code, the code decides and not the description.
    assert.deepEqual(answersToRequest(code(401, 'INS-6', { output_ResponseDesc: 'the session has expired' })), FAILED)
    const wording = { ...WORDING, refusal_texts: ['not a trusted SOURCE'], session_texts: ['ticket'] }
    assert.deepEqual(answersToRequest(verdictOf(403, { output_error: 'Not a trusted source: 1.2.3.4' }, wording)), [
      'not prompted',
      'blocked',
    ])
    assert.deepEqual(answersToRequest(verdictOf(400, { output_error: 'your ticket is void' }, wording)), by_session)
  })

  test('the adapter fails payments but no payouts for the codes that an operator configured', () => {
    const payment_failures: Record<string, FailureReason> = { 'INS-2001': 'wrong_pin', 'INS-5': 'user_cancelled' }
    const wording = { ...WORDING, payment_failures }
    assert.deepEqual(answersToRequest(code(400, 'INS-2001', {}, wording)), [
      'declined wrong_pin',
      'unknown unseen_status',
    ])
    assert.deepEqual(answersToRequest(code(401, 'INS-5', {}, wording)), [
      'declined user_cancelled',
      'unknown unseen_status',
    ])
    assert.deepEqual(answersToRequest(code(200, 'INS-5', {}, wording)), [
      'unknown unseen_status',
      'unknown unseen_status',
    ])
    assert.deepEqual(answersToRequest(code(400, 'INS-2002', {}, wording)), [
      'unknown unseen_status',
      'unknown unseen_status',
    ])
  })

  test('the adapter reports an unknown outcome for an answer with the id of another request of the platform', () => {
    const other = { output_ThirdPartyConversationID: '01ARZ3NDEKTSV4RRFFQ69G000202', output_TransactionID: 'receipt1' }
    for (const verdict of [code(201, 'INS-0', other), code(401, 'INS-6', other)]) {
      assert.deepEqual(answersToRequest(verdict), ['unknown unreadable', 'unknown unreadable'])
    }
    for (const same of [REQUEST.reference, 'asv02e5958774f7ba228d83d0d689761', '', 'N/A']) {
      const verdict = code(201, 'INS-0', { output_ThirdPartyConversationID: same, output_TransactionID: 'receipt1' })
      assert.deepEqual(answersToRequest(verdict), [PAID, PAID], same)
    }
  })

  test('the adapter declines a payment at a closed interface, and the answer counts as no fault of the provider', () => {
    const off = paymentSent(verdictOf(400, { output_ResponseCode: 'INS-997', output_ResponseDesc: 'x' }), REQUEST)
    assert.deepEqual([off?.kind, isFault(off as PushAnswer)], ['declined', false])
    const poor = paymentSent(verdictOf(400, { output_ResponseCode: 'INS-2006', output_ResponseDesc: 'x' }), REQUEST)
    assert.ok(poor?.kind === 'declined' && !('answered' in poor))
  })

  test('the adapter reports a payment as not prompted and a payout as not_sent when the client wrote no byte, and a lost request as unknown', () => {
    assert.deepEqual(answersToRequest(classifyVodacomExchange({ kind: 'not_sent' }, WORDING)), [
      'not prompted',
      'not_sent',
    ])
    const busy = classifyVodacomExchange({ kind: 'not_sent', busy: true }, WORDING)
    const unsent = { kind: 'not_sent', busy: true, provider_status: null }
    assert.deepEqual([paymentSent(busy, REQUEST), payoutSent(busy, REQUEST)], [unsent, unsent])
    assert.deepEqual(answersToQuery(busy), ['unknown busy', 'unknown busy'])
    for (const why of ['timeout', 'unreachable', 'unreadable'] as const) {
      assert.deepEqual(answersToRequest(classifyVodacomExchange({ kind: 'lost', why }, WORDING)), [
        `unknown ${why}`,
        `unknown ${why}`,
      ])
    }
  })
})

describe('answers to a query', () => {
  const state = (state_text: unknown, more: Content = {}) =>
    code(200, 'INS-0', {
      output_ResponseTransactionStatus: state_text,
      output_OriginalTransactionID: 'receipt1',
      ...more,
    })

  test('the adapter reports a queried transaction as paid only for the state Completed when the settings name no other state', () => {
    for (const state_text of ['Completed', 'completed', 'COMPLETED', ' Completed ']) {
      assert.deepEqual(answersToQuery(state(state_text)), [PAID, PAID], state_text)
    }
    const answer = paymentStatus(state('Completed'), REQUEST, READING)
    assert.deepEqual([answer.provider_status, answer.provider_id], ['Completed', 'receipt1'])
    for (const state_text of ['Success', 'Failed', 'Cancelled', 'Expired', 'Pending', 'Complete', 'N/A', '__proto__']) {
      assert.deepEqual(
        answersToQuery(state(state_text)),
        ['unknown unseen_status', 'unknown unseen_status'],
        state_text,
      )
    }
    for (const none of [undefined, null, '', '  ', 5]) {
      assert.deepEqual(answersToQuery(state(none)), ['unknown unreadable', 'unknown unreadable'])
    }
  })

  test('the adapter reports a paid transaction with a reversal as reversed, and an unclear reversal mark as unknown', () => {
    for (const yes of ['true', 'True', true, 'Yes', '1', 1]) {
      const verdict = state('Completed', { output_Reversed: yes })
      assert.deepEqual(answersToQuery(verdict), ['reversed 500000 TZS', 'reversed 500000 TZS'], String(yes))
    }
    const back = payoutStatus(state('Completed', { output_Reversed: 'true' }), REQUEST, READING)
    assert.equal(back.kind === 'reversed' && back.charge_returned, false)
    for (const no of ['false', false, 'No', '0', '', null, 'N/A']) {
      assert.deepEqual(answersToQuery(state('Completed', { output_Reversed: no })), [PAID, PAID], String(no))
    }
    for (const strange of ['perhaps', {}, [], 2]) {
      const verdict = state('Completed', { output_Reversed: strange })
      assert.deepEqual(answersToQuery(verdict), ['unknown unseen_status', 'unknown unseen_status'])
    }
  })

  test('the adapter maps the states that an operator configured to their configured meanings', () => {
    const states = {
      paid: ['Completed'],
      pending: ['Pending'],
      failed: { Failed: 'provider_declined', Expired: 'expired' },
      payout_failed: ['Cancelled'],
    } as const
    const reading = { ...READING, states }
    assert.deepEqual(answersToQuery(state('pending'), reading), ['accepted', 'accepted'])
    assert.deepEqual(answersToQuery(state('EXPIRED'), reading), ['declined expired', 'unknown unseen_status'])
    assert.deepEqual(answersToQuery(state('Failed'), reading), ['declined provider_declined', 'unknown unseen_status'])
    assert.deepEqual(answersToQuery(state('Cancelled'), reading), [
      'unknown unseen_status',
      'declined provider_declined',
    ])
    const reversed = state('Failed', { output_Reversed: 'true' })
    assert.deepEqual(answersToQuery(reversed, reading), ['unknown unseen_status', 'unknown unseen_status'])
  })

  test('the adapter fails no payment or payout because of a code in the answer to a query, because the code is about the query', () => {
    for (const [name, http] of TABLE) {
      for (const [i, answer] of answersToQuery(code(http, name)).entries()) {
        assert.match(answer, /^unknown /, `${name} for a ${i === 0 ? 'payment' : 'payout'}`)
      }
    }
    assert.deepEqual(answersToQuery(classifyVodacomExchange({ kind: 'not_sent' }, WORDING)), [
      'unknown unreachable',
      'unknown unreachable',
    ])
    assert.deepEqual(answersToQuery(verdictOf(401, { output_error: 'x' })), [
      'unknown refused_us',
      'unknown refused_us',
    ])
  })

  test('the adapter reports a queried payment as not_found only for a configured code, and never a payout', () => {
    const reading = { ...READING, not_found_codes: ['INS-23'] }
    assert.deepEqual(answersToQuery(code(400, 'INS-23'), reading), ['not_found', 'unknown unseen_status'])
    assert.deepEqual(answersToQuery(code(500, 'INS-23'), reading), ['unknown unreachable', 'unknown unreachable'])
    assert.deepEqual(answersToQuery(code(400, 'INS-1'), reading), ['unknown unreachable', 'unknown unreachable'])
  })

  test('nameOf returns the name as one line, or null when the answer has no name', () => {
    const named = (...names: unknown[]) =>
      nameOf(code(200, 'INS-0', { output_CustomerFirstName: names[0], output_CustomerLastName: names[1] }))
    assert.equal(named('Asha', 'Juma'), 'Asha Juma')
    assert.equal(named('Asha\n\0', undefined), 'Asha')
    assert.equal(named(5, {}), null)
    assert.equal(named('', ' '), null)
    assert.equal([...(named('\u{1f4b0}'.repeat(500), '') ?? '')].length, 100)
    assert.equal(nameOf(code(400, 'INS-2051', { output_CustomerFirstName: 'Asha' })), null)
  })
})

test('readVodacomEnvelope accepts only a JSON object with fields of the gateway', () => {
  for (const text of ['', 'null', '[]', '5', '{}', '{"output":1}', '{"output_ResponseCode":"X"}']) {
    assert.equal(readVodacomEnvelope(text), null, text)
  }
  assert.equal(readVodacomEnvelope('{"output_error":"no"}')?.description, 'no')
})
