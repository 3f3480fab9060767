// Tests that the adapter accepts a callback by the secret in its URL and reads only the reference from the callback.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLBACK_PATH } from '../port.ts'
import { callbackReply, verifyCallback } from './callback.ts'

const SECRET = 'a-secret-of-the-tests'
const REFERENCE = '01ARZ3NDEKTSV4RRFFQ69G000101'
const BODY = {
  input_OriginalConversationID: 'conversation1',
  input_TransactionID: 'receipt1',
  input_ResultCode: 'INS-0',
  input_ResultDesc: 'Request processed successfully',
  input_ThirdPartyConversationID: REFERENCE,
}
const at = (path: string) => ({ [CALLBACK_PATH]: path })
const GOOD = at(`/callbacks/vodacom?secret=${SECRET}`)
const bytes = (content: unknown) => Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
const verdict = (content: unknown, headers = GOOD, secret: string | null = SECRET) =>
  verifyCallback(secret, headers, bytes(content))

test('the adapter reads the reference from either of two fields of a callback with the secret in its URL', () => {
  assert.deepEqual(verdict(BODY), { verified: true, reference: REFERENCE })
  const { input_ThirdPartyConversationID: reference, ...rest } = BODY
  assert.deepEqual(verdict({ ...rest, input_ThirdPartyReference: reference }), { verified: true, reference })
  assert.deepEqual(verdict({ input_ThirdPartyConversationID: 'x' }), { verified: true, reference: 'x' })
  for (const result of ['0', 'INS-6', null, 5]) {
    assert.equal(
      verdict({ ...BODY, input_ResultCode: result }).verified,
      true,
      'the result in a callback does not matter',
    )
  }
})

test('the adapter refuses a callback whose URL does not contain the secret', () => {
  for (const path of [
    '',
    '/callbacks/vodacom',
    '/callbacks/vodacom?secret=',
    '/callbacks/vodacom?secret=another-secret',
    `/callbacks/vodacom?secret=${SECRET}x`,
    `/callbacks/vodacom?secret=${SECRET.slice(1)}`,
    `/callbacks/vodacom?other=${SECRET}`,
    `/callbacks/vodacom?secret=${SECRET}&secret=x`,
    SECRET,
  ]) {
    assert.deepEqual(verdict(BODY, at(path)), { verified: false }, path)
  }
  assert.deepEqual(verifyCallback(SECRET, { secret: SECRET, authorization: SECRET }, bytes(BODY)), { verified: false })
})

test('the adapter refuses every callback when the settings have no callback secret', () => {
  for (const path of ['/callbacks/vodacom', '/callbacks/vodacom?secret=', '/callbacks/vodacom?secret=null']) {
    assert.deepEqual(verdict(BODY, at(path), null), { verified: false })
  }
})

test('the adapter refuses a callback whose body names no payment', () => {
  for (const content of [
    '',
    '{',
    'null',
    '[]',
    '5',
    {},
    { input_ThirdPartyConversationID: 5 },
    { input_ThirdPartyConversationID: '' },
    { input_ThirdPartyConversationID: [REFERENCE] },
    `{"input_ThirdPartyConversationID":"${'x'.repeat(20_000)}"}`,
  ]) {
    assert.deepEqual(verdict(content), { verified: false }, JSON.stringify(content).slice(0, 60))
  }
})

test('the adapter answers a readable callback with the fields that the gateway expects, and cuts long values', () => {
  assert.deepEqual(callbackReply(bytes(BODY)), {
    output_OriginalConversationID: 'conversation1',
    output_ResponseCode: '0',
    output_ResponseDesc: 'Successfully Accepted Result',
    output_ThirdPartyConversationID: REFERENCE,
  })
  assert.equal(callbackReply(bytes({ input_ThirdPartyReference: 'R' }))?.output_ThirdPartyReference, 'R')
  assert.equal(callbackReply(bytes('{')), null)
  const long = callbackReply(bytes({ input_OriginalConversationID: 'x'.repeat(5_000) }))
  assert.equal(long?.output_OriginalConversationID?.length, 128)
})
