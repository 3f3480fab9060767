// Tests that the adapter maps the gateway's answers to outcomes of payments.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answered, shortly, verdictOfWords } from '../../../../test/providers/selcom.ts'
import type { ExchangeResult } from '../exchange.ts'
import type { PaymentRequest } from '../port.ts'
import { classifySelcomExchange, type SelcomVerdict } from './envelope.ts'
import { orderMade, orderStatus, promptAnswer, qrAnswerOf } from './mapping.ts'

const NOW = new Date('2026-03-01T09:00:00Z')
const REFERENCE = '01ARZ3NDEKTSV4RRFFQ69G5FAV01'

const PAYMENT: PaymentRequest = {
  reference: REFERENCE,
  method: 'wallet_push',
  phone: '255740000001',
  amount_minor: 500_000n,
  currency: 'TZS',
  simulate_status: null,
  sent_at: new Date(NOW.getTime() - 600_000),
}
const READING = { now: NOW, expiry_min: null, unknown_codes: [] }

describe('answers about an order', () => {
  const kindOf = (verdict: SelcomVerdict) => {
    const made = orderMade(verdict)
    return made.kind === 'made' ? 'made' : `${made.kind}: ${shortly(made.answer)}`
  }

  it('orderMade maps an answer to made, refused, kept out, not sent or unclear, and never to paid', () => {
    const cases: [SelcomVerdict, string][] = [
      [verdictOfWords('000', 'SUCCESS'), 'made'],
      [verdictOfWords('010', 'FAIL'), 'refused: declined provider_declined'],
      [verdictOfWords('151', 'FAIL'), 'refused: declined provider_unavailable'],
      [verdictOfWords('218', 'FAIL'), 'refused: declined provider_unavailable'],
      [verdictOfWords('889', 'FAIL'), 'refused: declined provider_unavailable'],
      [verdictOfWords('900', 'FAIL'), 'refused: declined provider_unavailable'],
      [verdictOfWords('651', 'FAIL', 'Invalid vendor'), 'refused: declined unknown_provider_error'],
      [
        verdictOfWords('412', 'FAIL', 'Parameter no_of_items is invalid or missing', 412),
        'refused: declined unknown_provider_error',
      ],
      [verdictOfWords('651', 'FAIL', 'Duplicate order'), 'refused: unknown unseen_status'],
      [
        verdictOfWords('403', 'FAIL', 'Source IP not whitelisted (4032)', 403),
        'kept_out: declined provider_unavailable',
      ],
      [verdictOfWords('403', 'FAIL', 'Go away', 403), 'kept_out: declined provider_unavailable'],
      [verdictOfWords('401', 'FAIL', '', 401), 'kept_out: declined provider_unavailable'],
      [classifySelcomExchange({ kind: 'not_sent' }), 'not_sent: unknown unreachable'],
      [classifySelcomExchange({ kind: 'not_sent', busy: true }), 'not_sent: unknown busy'],
      [classifySelcomExchange({ kind: 'lost', why: 'timeout' }), 'unclear: unknown timeout'],
      [verdictOfWords('999', 'AMBIGOUS'), 'unclear: unknown unseen_status'],
      [verdictOfWords('111', 'PENDING'), 'unclear: unknown unseen_status'],
      [verdictOfWords('000', 'FAIL'), 'unclear: unknown unseen_status'],
      [verdictOfWords('000', 'SUCCESS', '', 502), 'unclear: unknown unreachable'],
    ]
    for (const [verdict, expected] of cases) assert.equal(kindOf(verdict), expected)
  })

  it('qrAnswerOf returns the QR code of an order unchanged, and an unknown outcome when the order has no code', () => {
    const codeIn = (row: object) => {
      const made = orderMade(
        classifySelcomExchange(answered(200, { resultcode: '000', result: 'SUCCESS', data: [row] })),
      )
      assert.equal(made.kind, 'made')
      return made.kind === 'made' ? qrAnswerOf(made) : null
    }
    assert.deepEqual(codeIn({ payment_token: '80008000', qr: ' 0002&é ' }), {
      kind: 'accepted',
      payment_token: '80008000',
      qr_payload: ' 0002&é ',
      provider_status: 'SUCCESS',
      provider_id: '0289999288',
    })
    for (const row of [{}, { payment_token: '1' }, { qr: 'x' }, { payment_token: 1, qr: 'x' }]) {
      assert.equal(shortly(codeIn(row)), 'unknown unreadable')
    }
  })

  it('promptAnswer reports none of the listed answers as a paid payment', () => {
    const cases: [SelcomVerdict, string][] = [
      [verdictOfWords('111', 'PENDING'), 'accepted'],
      [verdictOfWords('927', 'INPROGRESS'), 'accepted'],
      [verdictOfWords('000', 'SUCCESS'), 'accepted'],
      [verdictOfWords('010', 'FAIL', 'Invalid mobile number'), 'declined provider_declined'],
      [verdictOfWords('900', 'FAIL'), 'declined provider_unavailable'],
      [verdictOfWords('412', 'FAIL', '', 412), 'declined unknown_provider_error'],
      [verdictOfWords('400', 'FAIL', 'Duplicate transid'), 'unknown unseen_status'],
      [verdictOfWords('400', 'FAIL', 'transid already used'), 'unknown unseen_status'],
      [verdictOfWords('403', 'FAIL', 'No reponse from upstream system'), 'unknown unseen_status'],
      [verdictOfWords('999', 'AMBIGUOUS'), 'unknown unseen_status'],
      [verdictOfWords('000', 'FAIL'), 'unknown unseen_status'],
      [verdictOfWords('403', 'FAIL', 'Source IP not whitelisted (4032)', 403), 'not prompted'],
      [verdictOfWords('403', 'FAIL', 'Go away', 403), 'unknown refused_us'],
      [verdictOfWords('000', 'SUCCESS', '', 500), 'unknown unreachable'],
      [classifySelcomExchange({ kind: 'not_sent' }), 'not prompted'],
      [classifySelcomExchange({ kind: 'lost', why: 'timeout' }), 'unknown timeout'],
      [classifySelcomExchange(answered(200, '')), 'unknown unreadable'],
    ]
    for (const [verdict, expected] of cases) assert.equal(shortly(promptAnswer(verdict)), expected)
    const { provider_status, provider_id } = promptAnswer(verdictOfWords('111', 'PENDING')) ?? {}
    assert.deepEqual([provider_status, provider_id], ['PENDING', '0289999288'])
  })
})

describe('the status of an order', () => {
  const ROW = { order_id: REFERENCE, amount: '5000', payment_status: 'PENDING', transid: null, reference: null }
  const status = (row: object, request = PAYMENT, reading: Parameters<typeof orderStatus>[2] = READING) =>
    orderStatus(
      classifySelcomExchange(answered(200, { resultcode: '000', result: 'SUCCESS', data: [{ ...ROW, ...row }] })),
      request,
      reading,
    )

  it("orderStatus maps each known spelling of an order's status to the outcome of the payment", () => {
    const cases: [string, string][] = [
      ['PENDING', 'accepted'],
      ['INPROGRESS', 'accepted'],
      ['COMPLETED', 'succeeded 500000 TZS'],
      ['COMPLETE', 'succeeded 500000 TZS'],
      ['completed', 'succeeded 500000 TZS'],
      ['USERCANCELLED', 'declined user_cancelled'],
      ['USERCANCELED', 'declined user_cancelled'],
      ['CANCELLED', 'declined user_cancelled'],
      ['CANCELED', 'declined user_cancelled'],
      ['CANCEL', 'declined user_cancelled'],
      ['REJECTED', 'declined provider_declined'],
      ['FAIL', 'unknown unseen_status'],
      ['REFUNDED', 'unknown unseen_status'],
      ['', 'unknown unseen_status'],
    ]
    for (const [payment_status, expected] of cases) {
      const answer = status({ payment_status })
      assert.equal(shortly(answer), expected, payment_status)
      assert.equal(answer.provider_status, payment_status)
    }
  })

  it('orderStatus reports the paid amount in cents, and an unknown outcome when the amount is unreadable', () => {
    const paid = (amount: unknown) => shortly(status({ payment_status: 'COMPLETED', amount }))
    assert.equal(paid('5000'), 'succeeded 500000 TZS')
    assert.equal(paid('5000.00'), 'succeeded 500000 TZS')
    assert.equal(paid(5000), 'succeeded 500000 TZS')
    assert.equal(paid('4999'), 'succeeded 499900 TZS')
    assert.equal(paid(5000.5), 'succeeded 500050 TZS')
    for (const amount of [null, undefined, '', '0', '-5000', '5,000', '5e3', 1e21, '5000.001', {}, '9'.repeat(20)]) {
      assert.equal(paid(amount), 'unknown unreadable', String(amount))
    }
    assert.equal(shortly(status({ payment_status: 'COMPLETED', currency: 'USD' })), 'succeeded 500000 USD')
  })

  it('orderStatus returns the id that the network gave to the payment', () => {
    assert.equal(status({ reference: 'S20656625527', transid: 'DDQF10OW3W' }).provider_id, 'S20656625527')
    assert.equal(status({ transid: 'DDQF10OW3W' }).provider_id, 'DDQF10OW3W')
    assert.equal(status({}).provider_id, null)
  })

  it('orderStatus reports a cancelled order as expired when the configured end of the order has passed', () => {
    const cancelled = (expiry_min: number | null, request = PAYMENT) =>
      shortly(status({ payment_status: 'CANCELLED' }, request, { ...READING, expiry_min }))
    assert.equal(cancelled(10), 'declined expired')
    assert.equal(cancelled(11), 'declined user_cancelled')
    assert.equal(cancelled(10, { ...PAYMENT, sent_at: null }), 'declined user_cancelled')
    assert.equal(cancelled(10, { ...PAYMENT, method: 'qr' }), 'declined user_cancelled')
    assert.equal(
      shortly(status({ payment_status: 'USERCANCELLED' }, PAYMENT, { ...READING, expiry_min: 1 })),
      'declined user_cancelled',
    )
  })

  it('orderStatus reports an unknown outcome when the answer has only another order, has the order twice, or has no order', () => {
    const about = (data: unknown) =>
      shortly(
        orderStatus(
          classifySelcomExchange(answered(200, { resultcode: '000', result: 'SUCCESS', data })),
          PAYMENT,
          READING,
        ),
      )
    const paid = { ...ROW, payment_status: 'COMPLETED' }
    assert.equal(about([paid]), 'succeeded 500000 TZS')
    assert.equal(about({ ...paid }), 'succeeded 500000 TZS')
    assert.equal(about([{ ...paid, order_id: 'ANOTHER' }, paid]), 'succeeded 500000 TZS')
    for (const data of [
      [],
      null,
      [{ ...paid, order_id: 'ANOTHER' }],
      [{ ...paid, order_id: undefined }],
      [paid, paid],
    ]) {
      assert.equal(about(data), 'unknown unreadable')
    }
    assert.equal(shortly(status({ payment_status: null })), 'unknown unreadable')
    assert.equal(shortly(status({ payment_status: { a: 1 } })), 'unknown unreadable')
  })

  it('orderStatus reports an unknown outcome when the query fails', () => {
    const paid = { data: [{ ...ROW, payment_status: 'COMPLETED' }] }
    const cases: [ExchangeResult, string][] = [
      [answered(200, { resultcode: '000', result: 'FAIL', ...paid }), 'unknown unseen_status'],
      [answered(200, { resultcode: '403', result: 'FAIL', ...paid }), 'unknown unseen_status'],
      [answered(200, { resultcode: '111', result: 'PENDING', ...paid }), 'unknown unseen_status'],
      [answered(200, { resultcode: '999', result: 'AMBIGOUS' }), 'unknown unseen_status'],
      [answered(200, { resultcode: '651', result: 'FAIL', message: 'Invalid order' }), 'unknown unseen_status'],
      [answered(404, { resultcode: '404', result: 'FAIL' }), 'unknown unreadable'],
      [answered(403, { resultcode: '403', result: 'FAIL', message: '(4032)' }), 'unknown refused_us'],
      [answered(401, ''), 'unknown refused_us'],
      [answered(500, { resultcode: '000', result: 'SUCCESS', ...paid }), 'unknown unreachable'],
      [{ kind: 'lost', why: 'timeout' }, 'unknown timeout'],
      [{ kind: 'not_sent' }, 'unknown unreachable'],
      [{ kind: 'not_sent', busy: true }, 'unknown busy'],
    ]
    for (const [sent, expected] of cases) {
      const answer = orderStatus(classifySelcomExchange(sent), PAYMENT, READING)
      assert.equal(shortly(answer), expected)
      assert.equal(answer.provider_status, null)
    }
  })

  it('orderStatus reports not_found only when the gateway itself answers a configured code about an unconfirmed order', () => {
    const unsent: PaymentRequest = { ...PAYMENT, sent_at: null }
    const answerTo = (sent: ExchangeResult, codes = ['651'], request = unsent) =>
      shortly(orderStatus(classifySelcomExchange(sent), request, { ...READING, unknown_codes: codes }))
    const none = { resultcode: '651', result: 'FAIL', message: 'Invalid order' }
    for (const status of [200, 400, 404, 412]) assert.equal(answerTo(answered(status, none)), 'not_found')
    for (const status of [302, 401, 403, 408, 418, 429, 500, 503]) {
      assert.notEqual(answerTo(answered(status, none)), 'not_found')
    }
    assert.equal(answerTo(answered(200, none), [], unsent), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, none), ['651'], PAYMENT), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, { ...none, result: 'SUCCESS' })), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, { ...none, message: 'No reponse from upstream' })), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, { resultcode: '652', result: 'FAIL' })), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, { resultcode: '111', result: 'PENDING' }), ['111']), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, { resultcode: '000', result: 'SUCCESS' }), ['000']), 'unknown unreadable')
    // An operator may configure the ambiguous code too, at the operator's risk. No default contains that code.
    const silent = { resultcode: '999', result: 'AMBIGOUS', message: 'No reponse from upstream system' }
    assert.equal(answerTo(answered(200, silent)), 'unknown unseen_status')
    assert.equal(answerTo(answered(200, silent), ['999']), 'not_found')
    assert.equal(answerTo(answered(502, silent), ['999']), 'unknown unreachable')
  })
})
