import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answered, type Text, text } from '../../../../test/providers/selcom.ts'
import type { ExchangeResult } from '../exchange.ts'
import { classifySelcomExchange, readSelcomEnvelope, resultClassOf } from './envelope.ts'

describe('envelopes', () => {
  it('resultClassOf returns the class of the result code when the result text agrees, and unclear otherwise', () => {
    const cases: [code: string, result: string, result_class: string, message?: string][] = [
      ['000', 'SUCCESS', 'done'],
      ['000', 'success', 'done'],
      ['000', 'FAIL', 'unclear'],
      ['000', 'PENDING', 'unclear'],
      ['000', '', 'unclear'],
      ['111', 'PENDING', 'pending'],
      ['111', 'INPROGRESS', 'pending'],
      ['111', 'IN PROGRESS', 'pending'],
      ['927', 'INPROGRESS', 'pending'],
      ['927', 'PENDING', 'pending'],
      ['001', 'INPROGRESS', 'pending'],
      ['002', 'PENDING', 'pending'],
      ['003', 'INPROGRESS', 'pending'],
      ['111', 'SUCCESS', 'unclear'],
      ['927', 'FAIL', 'unclear'],
      ['001', 'FAIL', 'unclear'],
      ['999', 'AMBIGOUS', 'unclear'],
      ['999', 'AMBIGUOUS', 'unclear'],
      ['999', 'INPROGRESS', 'unclear'],
      ['999', 'SUCCESS', 'unclear'],
      ['999', 'FAIL', 'unclear'],
      ['403', 'FAIL', 'failed'],
      ['010', 'FAILED', 'failed'],
      ['abc', 'FAIL', 'failed'],
      ['403', 'FAIL', 'unclear', 'No reponse from upstream system'],
      ['403', 'FAIL', 'unclear', 'no  response from upstream'],
      ['403', 'SUCCESS', 'unclear'],
      ['777', 'SUCCESS', 'unclear'],
      ['777', 'PENDING', 'unclear'],
      ['777', 'AMBIGUOUS', 'unclear'],
      ['777', 'WHATEVER', 'unclear'],
    ]
    for (const [resultcode, result, result_class, message] of cases) {
      const envelope = readSelcomEnvelope(text({ resultcode, result, message }))
      assert.ok(envelope)
      assert.equal(resultClassOf(envelope), result_class, `${resultcode} ${result} ${message}`)
    }
  })

  it('readSelcomEnvelope returns null when code or result text is missing or invalid, or when the body is no JSON object', () => {
    const none: string[] = [
      '',
      'null',
      '[]',
      '"000"',
      '{}',
      '<html>502</html>',
      text({ resultcode: '000', result: 'SUCCESS' }).slice(0, -5),
      text({ result: 'SUCCESS' }),
      text({ resultcode: '000' }),
      text({ resultcode: 0, result: 'SUCCESS' }),
      text({ resultcode: '', result: 'SUCCESS' }),
      text({ resultcode: '0'.repeat(9), result: 'SUCCESS' }),
      text({ resultcode: ['000'], result: 'SUCCESS' }),
      text({ resultcode: '000', result: null }),
    ]
    for (const one of none) assert.equal(readSelcomEnvelope(one), null, one)
  })

  it('readSelcomEnvelope returns the data as a list of objects, from a list or from a single object', () => {
    const dataOf = (data: unknown) => readSelcomEnvelope(text({ resultcode: '000', result: 'SUCCESS', data }))?.data
    assert.deepEqual(dataOf([]), [])
    assert.deepEqual(dataOf([{ a: 1 }, null, 2, ['x']]), [{ a: 1 }])
    assert.deepEqual(dataOf({ a: 1 }), [{ a: 1 }])
    for (const data of [null, 'x', 3, undefined]) assert.deepEqual(dataOf(data), [])
  })

  it('readSelcomEnvelope reads the transaction id under both of its names, and shortens long texts', () => {
    const envelope = (more: Text) => readSelcomEnvelope(text({ resultcode: '000', result: 'SUCCESS', ...more }))
    assert.equal(envelope({ transid: 'A' })?.transid, 'A')
    assert.equal(envelope({ messageId: 'B' })?.transid, 'B')
    assert.equal(envelope({ transid: 7 })?.transid, null)
    assert.equal(envelope({ message: 'x'.repeat(100_000) })?.message.length, 300)
    assert.equal(envelope({ message: 7 })?.message, '')
  })
})

const weightOf = (sent: ExchangeResult, texts?: string[]): string => {
  const verdict = classifySelcomExchange(sent, texts)
  if (verdict.is === 'refused') return verdict.certain ? 'refused for certain' : 'refused perhaps'
  return verdict.is === 'unclear' ? `unclear ${verdict.why}` : verdict.is
}

describe('exchanges', () => {
  const FAIL = { resultcode: '400', result: 'FAIL' }
  const NOT_LISTED = { resultcode: '403', result: 'FAIL', message: 'Source IP not whitelisted (4032)' }
  const NOT_ENABLED = { resultcode: '403', result: 'FAIL', message: 'API endpoint not enabled for the vendor (4035)' }

  it('classifySelcomExchange decides by the HTTP status first, then by the envelope', () => {
    const cases: [string, ExchangeResult, string][] = [
      ['no byte was written', { kind: 'not_sent' }, 'not_sent'],
      ['no answer in time', { kind: 'lost', why: 'timeout' }, 'unclear timeout'],
      ['a reset', { kind: 'lost', why: 'unreachable' }, 'unclear unreachable'],
      ['an answer too long', { kind: 'lost', why: 'unreadable' }, 'unclear unreadable'],
      ['success', answered(200, { resultcode: '000', result: 'SUCCESS' }), 'done'],
      ['success, created', answered(201, { resultcode: '000', result: 'SUCCESS' }), 'done'],
      ['in progress', answered(200, { resultcode: '111', result: 'PENDING' }), 'pending'],
      ['failed', answered(200, FAIL), 'failed'],
      ['ambiguous', answered(200, { resultcode: '999', result: 'AMBIGOUS' }), 'unclear unseen_status'],
      ['a contradiction', answered(200, { resultcode: '000', result: 'FAIL' }), 'unclear unseen_status'],
      ['an empty body', answered(200, ''), 'unclear unreadable'],
      ['half an answer', answered(200, '{"resultcode":"000","res'), 'unclear unreadable'],
      ['no code', answered(200, '{"result":"SUCCESS"}'), 'unclear unreadable'],
      ['a page', answered(200, '<html>'), 'unclear unreadable'],
      ['wrong parameters', answered(412, { resultcode: '412', result: 'FAIL' }), 'rejected'],
      ['a bad request', answered(400, FAIL), 'rejected'],
      ['a bad request without a body', answered(400, ''), 'unclear unreadable'],
      [
        'a bad request with a success',
        answered(400, { resultcode: '000', result: 'SUCCESS' }),
        'unclear unseen_status',
      ],
      [
        'wrong parameters in progress',
        answered(412, { resultcode: '111', result: 'PENDING' }),
        'unclear unseen_status',
      ],
      [
        'a bad request, upstream silent',
        answered(400, { ...FAIL, message: 'No reponse from upstream' }),
        'unclear unseen_status',
      ],
      ['a wrong key', answered(401, { resultcode: '401', result: 'FAIL' }), 'refused for certain'],
      ['a 401 without a body', answered(401, ''), 'refused perhaps'],
      ['a 401 page', answered(401, '<html>401</html>'), 'refused perhaps'],
      ['a 401 with a success', answered(401, { resultcode: '000', result: 'SUCCESS' }), 'unclear unseen_status'],
      ['a 401 in progress', answered(401, { resultcode: '111', result: 'PENDING' }), 'unclear unseen_status'],
      [
        'a 401, upstream silent',
        answered(401, { ...FAIL, message: 'No reponse from upstream' }),
        'unclear unseen_status',
      ],
      ['an address that is not listed', answered(403, NOT_LISTED), 'refused for certain'],
      ['a product that is not enabled', answered(403, NOT_ENABLED), 'refused for certain'],
      ['an address that is not listed, with 200', answered(200, NOT_LISTED), 'refused for certain'],
      ['a product that is not enabled, with 400', answered(400, NOT_ENABLED), 'refused for certain'],
      ['a firewall', answered(403, '<html>Request blocked (4032)</html>'), 'refused perhaps'],
      ['forbidden without a reason', answered(403, { resultcode: '403', result: 'FAIL' }), 'refused perhaps'],
      [
        'forbidden, upstream silent',
        answered(403, { ...FAIL, message: 'No reponse from upstream' }),
        'refused perhaps',
      ],
      ['forbidden success', answered(403, { resultcode: '000', result: 'SUCCESS' }), 'refused perhaps'],
      [
        'forbidden contradiction',
        answered(403, { resultcode: '000', result: 'SUCCESS', message: '(4032)' }),
        'refused perhaps',
      ],
      ['request timeout', answered(408, FAIL), 'unclear timeout'],
      ['too many requests', answered(429, FAIL), 'unclear unreachable'],
      ['an internal error', answered(500, FAIL), 'unclear unreachable'],
      [
        'an internal error with a success',
        answered(500, { resultcode: '000', result: 'SUCCESS' }),
        'unclear unreachable',
      ],
      ['a bad gateway', answered(502, '<html>'), 'unclear unreachable'],
      ['unavailable', answered(503, ''), 'unclear unreachable'],
      ['a redirect', answered(302, ''), 'unclear unreadable'],
      ['not found', answered(404, FAIL), 'unclear unreadable'],
      ['a teapot', answered(418, FAIL), 'unclear unreadable'],
    ]
    for (const [what, sent, weight] of cases) assert.equal(weightOf(sent), weight, what)
  })

  it('classifySelcomExchange finds a refusal by its known text only, not by a similar number or text', () => {
    const failing = (message: string, texts?: string[]) =>
      weightOf(answered(200, { resultcode: '403', result: 'FAIL', message }), texts)
    assert.equal(failing('IP 1.2.3.4 is not in the white list'), 'refused for certain')
    assert.equal(failing('Recipient not whitelisted'), 'failed')
    assert.equal(failing('Order 140325 failed'), 'failed')
    assert.equal(failing('Host unknown to us'), 'failed')
    assert.equal(failing('Host unknown to us', ['HOST UNKNOWN']), 'refused for certain')
  })
})
