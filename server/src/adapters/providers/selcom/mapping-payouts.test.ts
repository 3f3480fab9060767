// Tests that the adapter maps the gateway's answers to outcomes of payouts, and neutral destination codes to the gateway's
// codes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answered, shortly, verdictOfWords } from '../../../../test/providers/selcom.ts'
import { DESTINATIONS } from '../../../kernel/lib/index.ts'
import { PAYOUT_METHODS, type PayoutRequest } from '../port.ts'
import { RAILS, routeTo, SELCOM_DESTINATIONS } from './destinations.ts'
import { classifySelcomExchange, type SelcomVerdict } from './envelope.ts'
import { balanceOf, nameOf, payoutSent, payoutStatus } from './mapping-payouts.ts'

const REFERENCE = '01ARZ3NDEKTSV4RRFFQ69G5FAV1'
const ASK_AGAIN_MS = 180_000

const PAYOUT: PayoutRequest = {
  reference: REFERENCE,
  environment: 'live',
  method: 'MOBILE_MONEY',
  destination_code: 'MPESA',
  destination_identifier: '255740000001',
  destination_name: null,
  bank_name: null,
  amount_minor: 1_500_000n,
  currency: 'TZS',
  sent_at: null,
}
/** Makes a refusal by a text that only the settings of this installation contain. */
const refused_by = (message: string) => {
  return classifySelcomExchange(answered(200, { resultcode: '403', result: 'FAIL', message }), [message.toLowerCase()])
}

describe('answers about a payout', () => {
  const READING = { ask_again_ms: ASK_AGAIN_MS, failed_codes: [] }
  /** A payout that the gateway accepted before, so that a failure in an answer is about this payout. */
  const TAKEN: PayoutRequest = { ...PAYOUT, sent_at: new Date('2026-03-01T09:00:00Z') }
  const sent = (verdict: SelcomVerdict) => payoutSent(verdict, PAYOUT, READING)
  const answerToQuery = (verdict: SelcomVerdict, request = TAKEN, failed_codes: string[] = []) =>
    payoutStatus(verdict, request, { ...READING, failed_codes })

  /** Each verdict, with its outcome as the answer to a payout request and as the answer to a query. */
  const CASES: [what: string, verdict: SelcomVerdict, sent: string, queried: string][] = [
    ['success', verdictOfWords('000', 'SUCCESS'), 'succeeded 1500000 TZS', 'succeeded 1500000 TZS'],
    ['a payout in progress', verdictOfWords('111', 'INPROGRESS'), 'accepted', 'accepted'],
    ['a payout in progress', verdictOfWords('927', 'PENDING'), 'accepted', 'accepted'],
    ['a payout in progress', verdictOfWords('001', 'INPROGRESS'), 'accepted', 'accepted'],
    ['a payout in progress', verdictOfWords('003', 'PENDING'), 'accepted', 'accepted'],
    ['an ambiguous result', verdictOfWords('999', 'AMBIGOUS'), 'unknown unseen_status', 'unknown unseen_status'],
    [
      'an ambiguous result',
      verdictOfWords('999', 'AMBIGUOUS', 'No reponse from upstream system'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    ['an ambiguous result', verdictOfWords('999', 'INPROGRESS'), 'unknown unseen_status', 'unknown unseen_status'],
    [
      'a silent upstream',
      verdictOfWords('403', 'FAIL', 'No reponse from upstream system'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    ['a contradiction', verdictOfWords('000', 'FAIL'), 'unknown unseen_status', 'unknown unseen_status'],
    ['a contradiction', verdictOfWords('111', 'FAIL'), 'unknown unseen_status', 'unknown unseen_status'],
    ['a contradiction', verdictOfWords('777', 'SUCCESS'), 'unknown unseen_status', 'unknown unseen_status'],
    ['a declined payout', verdictOfWords('415', 'FAIL'), 'declined unknown_recipient', 'declined unknown_recipient'],
    [
      'a wrong number',
      verdictOfWords('010', 'FAIL', 'Invalid mobile number'),
      'declined unknown_recipient',
      'declined unknown_recipient',
    ],
    ['an unknown bank', verdictOfWords('012', 'FAIL'), 'declined unknown_recipient', 'declined unknown_recipient'],
    ['an unknown bank', verdictOfWords('612', 'FAIL'), 'declined unknown_recipient', 'declined unknown_recipient'],
    ['a suspended account', verdictOfWords('029', 'FAIL'), 'declined unknown_recipient', 'declined unknown_recipient'],
    ['an unknown customer', verdictOfWords('103', 'FAIL'), 'declined unknown_recipient', 'declined unknown_recipient'],
    ['a wrong name', verdictOfWords('203', 'FAILED'), 'declined unknown_recipient', 'declined unknown_recipient'],
    [
      'a wrong account',
      verdictOfWords('201', 'FAIL', 'Account does not exist'),
      'declined unknown_recipient',
      'declined unknown_recipient',
    ],
    [
      'a limit',
      verdictOfWords('013', 'FAIL', 'must be greater than or equal to TZS 1,000.'),
      'declined limit_exceeded',
      'declined limit_exceeded',
    ],
    ['a limit', verdictOfWords('703', 'FAIL'), 'declined limit_exceeded', 'declined limit_exceeded'],
    ['a wrong amount', verdictOfWords('015', 'FAIL'), 'declined limit_exceeded', 'declined limit_exceeded'],
    [
      'a failure',
      verdictOfWords('400', 'FAIL', 'Transaction failed'),
      'declined provider_declined',
      'declined provider_declined',
    ],
    ['a failure without a text', verdictOfWords('400', 'FAIL'), 'declined provider_declined', 'unknown unseen_status'],
    ['an unexplained code', verdictOfWords('777', 'FAIL'), 'unknown unseen_status', 'unknown unseen_status'],
    [
      'an unexplained code',
      verdictOfWords('777', 'FAIL', 'Transaction failed'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'an unknown account or an unknown payout',
      verdictOfWords('404', 'FAIL'),
      'declined unknown_recipient',
      'unknown unseen_status',
    ],
    [
      'an unknown payout',
      verdictOfWords('400', 'FAIL', 'Transaction not found'),
      'declined provider_declined',
      'unknown unseen_status',
    ],
    ['an unavailable network', verdictOfWords('151', 'FAIL'), 'declined provider_declined', 'unknown unseen_status'],
    ['an internal failure', verdictOfWords('500', 'FAIL'), 'unknown unseen_status', 'unknown unseen_status'],
    ['too many requests', verdictOfWords('429', 'FAIL'), 'unknown unseen_status', 'unknown unseen_status'],
    ['an invalid vendor', verdictOfWords('651', 'FAIL', 'Invalid vendor'), 'blocked access', 'unknown unseen_status'],
    [
      'a wrong PIN, as a bad request',
      verdictOfWords('651', 'FAIL', 'Invalid PIN', 400),
      'blocked access',
      'unknown unseen_status',
    ],
    [
      'an unknown payout account of the platform',
      verdictOfWords('611', 'FAIL'),
      'blocked access',
      'unknown unseen_status',
    ],
    [
      'a duplicate',
      verdictOfWords('400', 'FAIL', 'Duplicate transid'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'an empty float',
      verdictOfWords('990', 'FAIL', 'Insufficient account balance'),
      'blocked float',
      'unknown unseen_status',
    ],
    [
      'wrong parameters',
      verdictOfWords('412', 'FAIL', '', 412),
      'declined unknown_provider_error',
      'unknown unseen_status',
    ],
    [
      'a bad request',
      verdictOfWords('400', 'FAIL', '', 400),
      'declined unknown_provider_error',
      'unknown unseen_status',
    ],
    [
      'a bad request with an unknown recipient',
      verdictOfWords('010', 'FAIL', '', 400),
      'declined unknown_recipient',
      'unknown unseen_status',
    ],
    [
      'a duplicate, as a bad request',
      verdictOfWords('400', 'FAIL', 'transid already used', 400),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a bad request without a body',
      classifySelcomExchange(answered(400, '')),
      'unknown unreadable',
      'unknown unreadable',
    ],
    [
      "a refusal of the platform's address",
      verdictOfWords('403', 'FAIL', 'Source IP not whitelisted (4032)', 403),
      'blocked address',
      'unknown refused_us',
    ],
    [
      'a refusal of the product',
      verdictOfWords('403', 'FAIL', 'API endpoint not enabled for the vendor (4035)', 403),
      'blocked access',
      'unknown refused_us',
    ],
    ['a refusal with a configured text', refused_by('You are a stranger'), 'blocked', 'unknown refused_us'],
    ['a refusal of the key', verdictOfWords('401', 'FAIL', '', 401), 'blocked access', 'unknown refused_us'],
    ['a 401 without a body', classifySelcomExchange(answered(401, '')), 'unknown refused_us', 'unknown refused_us'],
    [
      'a 401 with a page',
      classifySelcomExchange(answered(401, '<html>401</html>')),
      'unknown refused_us',
      'unknown refused_us',
    ],
    [
      'a 401 with a success',
      verdictOfWords('000', 'SUCCESS', '', 401),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a 401 with a payout in progress',
      verdictOfWords('111', 'PENDING', '', 401),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a 401 with a silent upstream',
      verdictOfWords('403', 'FAIL', 'No reponse from upstream system', 401),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a timeout with a failure code',
      verdictOfWords('400', 'FAIL', 'Transaction timed out'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a system error with a failure code',
      verdictOfWords('010', 'FAIL', 'System error, try again later'),
      'unknown unseen_status',
      'unknown unseen_status',
    ],
    [
      'a page of a firewall',
      classifySelcomExchange(answered(403, '<html>403</html>')),
      'unknown refused_us',
      'unknown refused_us',
    ],
    ['an empty body', classifySelcomExchange(answered(200, '')), 'unknown unreadable', 'unknown unreadable'],
    [
      'half an answer',
      classifySelcomExchange(answered(200, '{"resultcode":"000"')),
      'unknown unreadable',
      'unknown unreadable',
    ],
    [
      'an answer without a code',
      classifySelcomExchange(answered(200, '{"result":"SUCCESS"}')),
      'unknown unreadable',
      'unknown unreadable',
    ],
    ['408', verdictOfWords('000', 'SUCCESS', '', 408), 'unknown timeout', 'unknown timeout'],
    ['429', verdictOfWords('400', 'FAIL', '', 429), 'unknown unreachable', 'unknown unreachable'],
    ['500', verdictOfWords('000', 'SUCCESS', '', 500), 'unknown unreachable', 'unknown unreachable'],
    ['502', classifySelcomExchange(answered(502, '<html>')), 'unknown unreachable', 'unknown unreachable'],
    ['503', verdictOfWords('400', 'FAIL', '', 503), 'unknown unreachable', 'unknown unreachable'],
    ['404', verdictOfWords('404', 'FAIL', '', 404), 'unknown unreadable', 'unknown unreadable'],
    [
      'no answer in time',
      classifySelcomExchange({ kind: 'lost', why: 'timeout' }),
      'unknown timeout',
      'unknown timeout',
    ],
    [
      'a reset',
      classifySelcomExchange({ kind: 'lost', why: 'unreachable' }),
      'unknown unreachable',
      'unknown unreachable',
    ],
    ['no written byte', classifySelcomExchange({ kind: 'not_sent' }), 'not_sent', 'unknown unreachable'],
    ['no free connection', classifySelcomExchange({ kind: 'not_sent', busy: true }), 'not_sent', 'unknown busy'],
  ]

  for (const [what, verdict, as_sent, as_queried] of CASES) {
    const status = verdict.envelope ? `${verdict.envelope.resultcode} ${verdict.envelope.result}` : verdict.is
    it(`the adapter maps ${what} (${status}) to ${as_sent} for a payout request, and to ${as_queried} for a query`, () => {
      assert.equal(shortly(sent(verdict)), as_sent)
      assert.equal(shortly(answerToQuery(verdict)), as_queried)
    })
  }

  /** Messages with a failure code that may be about an unknown payout or about the query itself. */
  const NOT_ABOUT_IT = [
    'Transaction does not exist',
    "Transaction doesn't exist",
    'No record',
    'No records found',
    'Transaction not found',
    'Unknown transid',
    'Invalid timestamp',
    'Signature verification failed',
    'Digest mismatch',
    'Authentication failed',
    'Unauthorized',
    'Too many requests',
    'System error, try again later',
    'Internal server error',
    'Transaction timed out',
    'Request timeout',
    'Parameter transid is invalid or missing',
    'Failed',
    '',
  ]

  it('the adapter fails no payout because of a message about the query or about an unknown payout, with any of eleven codes', () => {
    for (const message of NOT_ABOUT_IT) {
      for (const code of ['400', '401', '403', '404', '412', '429', '500', '651', '777', '888', '990']) {
        for (const request of [PAYOUT, TAKEN]) {
          for (const transid of [undefined, REFERENCE]) {
            const verdict = classifySelcomExchange(
              answered(200, { resultcode: code, result: 'FAIL', message, messageId: transid }),
            )
            assert.equal(shortly(answerToQuery(verdict, request)), 'unknown unseen_status', `${code} ${message}`)
          }
        }
      }
    }
  })

  it('the adapter fails a queried payout only when the gateway accepted the payout before or the answer repeats its id', () => {
    const failure = { resultcode: '400', result: 'FAIL', message: 'Transaction failed' }
    for (const [more, request, expected] of [
      [{}, PAYOUT, 'unknown unseen_status'],
      [{}, TAKEN, 'declined provider_declined'],
      [{ messageId: REFERENCE }, PAYOUT, 'declined provider_declined'],
      [{ messageId: '20200721001' }, PAYOUT, 'unknown unseen_status'],
      [{ resultcode: '010', message: 'Invalid mobile number' }, PAYOUT, 'unknown unseen_status'],
    ] as const) {
      assert.equal(
        shortly(answerToQuery(classifySelcomExchange(answered(200, { ...failure, ...more })), request)),
        expected,
      )
    }
  })

  it('a configured code fails a payout unless the message is about the query or about an unknown payout', () => {
    assert.equal(shortly(answerToQuery(verdictOfWords('777', 'FAIL'), TAKEN, ['777'])), 'declined provider_declined')
    assert.equal(shortly(answerToQuery(verdictOfWords('400', 'FAIL'), TAKEN, ['400'])), 'declined provider_declined')
    assert.equal(
      shortly(payoutSent(verdictOfWords('777', 'FAIL'), PAYOUT, { ...READING, failed_codes: ['777'] })),
      'declined provider_declined',
    )
    for (const message of ['Transaction does not exist', 'Transaction timed out']) {
      assert.equal(
        shortly(answerToQuery(verdictOfWords('777', 'FAIL', message), TAKEN, ['777'])),
        'unknown unseen_status',
      )
    }
    assert.equal(shortly(answerToQuery(verdictOfWords('777', 'FAIL'), PAYOUT, ['777'])), 'unknown unseen_status')
    assert.equal(shortly(answerToQuery(verdictOfWords('777', 'SUCCESS'), TAKEN, ['777'])), 'unknown unseen_status')
  })

  it('the adapter reports no answer of the table as not_found', () => {
    for (const [, verdict] of CASES) {
      assert.notEqual(sent(verdict).kind, 'not_found')
      assert.notEqual(answerToQuery(verdict).kind, 'not_found')
    }
  })

  it('the adapter asks for the pause that the gateway requires before the query of a payout in progress', () => {
    for (const verdict of [verdictOfWords('111', 'PENDING'), verdictOfWords('999', 'AMBIGOUS')]) {
      assert.equal(sent(verdict).ask_again_ms, ASK_AGAIN_MS)
      assert.equal(answerToQuery(verdict).ask_again_ms, ASK_AGAIN_MS)
    }
    for (const verdict of [
      verdictOfWords('000', 'SUCCESS'),
      verdictOfWords('415', 'FAIL'),
      classifySelcomExchange({ kind: 'lost', why: 'timeout' }),
    ]) {
      assert.equal(sent(verdict).ask_again_ms, undefined)
      assert.equal(answerToQuery(verdict).ask_again_ms, undefined)
    }
  })

  it('the answer about a payout contains the status and the id that the gateway gave', () => {
    assert.deepEqual(sent(verdictOfWords('000', 'SUCCESS')), {
      kind: 'succeeded',
      amount_minor: 1_500_000n,
      currency: 'TZS',
      provider_status: '000 SUCCESS',
      provider_id: '0289999288',
    })
    assert.equal(sent(verdictOfWords('990', 'FAIL')).provider_status, '990 FAIL')
    // An ambiguous answer to a query has no status and no id of the payout.
    assert.deepEqual(answerToQuery(verdictOfWords('999', 'AMBIGOUS')), {
      kind: 'unknown',
      why: 'unseen_status',
      provider_status: null,
      ask_again_ms: ASK_AGAIN_MS,
    })
  })

  it('the adapter reports an unknown outcome when the gateway answers about another payout of the platform', () => {
    const echo = (more: object) =>
      classifySelcomExchange(answered(200, { resultcode: '000', result: 'SUCCESS', ...more }))
    const another = REFERENCE.replace('1', '2')
    for (const more of [{ transid: another }, { messageId: another }]) {
      assert.equal(shortly(sent(echo(more))), 'unknown unreadable')
      assert.equal(shortly(answerToQuery(echo(more))), 'unknown unreadable')
    }
    for (const more of [{}, { transid: REFERENCE }, { messageId: '20200721001' }, { transid: null }]) {
      assert.equal(shortly(answerToQuery(echo(more))), 'succeeded 1500000 TZS')
    }
  })
})

describe('the look-ups of name and balance', () => {
  const row = (data: unknown) => classifySelcomExchange(answered(200, { resultcode: '000', result: 'SUCCESS', data }))

  it('nameOf returns the name in one line, or null when the answer has no name', () => {
    assert.equal(nameOf(row([{ name: '  ASHA\n JUMA\u0000 ' }])), 'ASHA JUMA')
    assert.equal(nameOf(row([{ name: 'é'.repeat(500) }]))?.length, 100)
    for (const data of [[], [{}], [{ name: '' }], [{ name: ' ' }], [{ name: 7 }], null])
      assert.equal(nameOf(row(data)), null)
    assert.equal(nameOf(verdictOfWords('010', 'FAIL')), null)
  })

  it('balanceOf converts shillings to cents, and returns null for an answer without a valid balance', () => {
    assert.equal(balanceOf(row([{ balance: '1000000' }])), 100_000_000n)
    assert.equal(balanceOf(row([{ balance: '12.50' }])), 1250n)
    assert.equal(balanceOf(row([{ balance: 7 }])), 700n)
    assert.equal(balanceOf(row([{ balance: '0' }])), 0n)
    assert.equal(balanceOf(row([{ balance: '0.00' }])), 0n)
    for (const data of [[], [{}], [{ balance: '' }], [{ balance: '-5' }], [{ balance: 'much' }], [{ balance: null }]]) {
      assert.equal(balanceOf(row(data)), null)
    }
    assert.equal(balanceOf(verdictOfWords('990', 'FAIL')), null)
  })
})

describe('the destinations of Selcom', () => {
  it('each payout method uses one product of the gateway, and every Selcom destination has a neutral code', () => {
    for (const { code, method } of DESTINATIONS) {
      const route = routeTo(method, code)
      assert.equal(route !== null, SELCOM_DESTINATIONS.includes(code), code)
      if (route !== null) assert.equal(route.rail, RAILS[method])
    }
    const codes = DESTINATIONS.map(({ code }) => code)
    for (const code of SELCOM_DESTINATIONS) assert.ok(codes.includes(code), code)
    assert.deepEqual(
      codes.filter((code) => !SELCOM_DESTINATIONS.includes(code)),
      ['STANDARD_CHARTERED'],
    )
  })

  it('routeTo finds a destination only for the payout method of that destination', () => {
    assert.deepEqual(routeTo('MOBILE_MONEY', 'MIXX'), { rail: 'walletcashin', code: 'TPCASHIN' })
    assert.deepEqual(routeTo('BANK_ACCOUNT', 'CRDB'), { rail: 'qwiksend', code: 'CRDBBANK' })
    assert.deepEqual(routeTo('PROVIDER_PESA', 'PROVIDER_PESA'), { rail: 'selcompesa', code: 'SPSCASHIN' })
    assert.equal(routeTo('BANK_ACCOUNT', 'MPESA'), null)
    assert.equal(routeTo('MOBILE_MONEY', 'CRDB'), null)
    for (const method of PAYOUT_METHODS) {
      for (const code of ['', 'constructor', '__proto__', 'crdb']) assert.equal(routeTo(method, code), null)
    }
  })
})
