// Tests that the SMS gateway sends over real connections to a simulated Africa's Talking.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type SmsReply, type SmsTwin, startSmsTwin } from '../../../test/sms-twin.ts'
import { type AfricasTalkingOptions, createAfricasTalking } from './africastalking.ts'

const SMS = { to: '255754123456', text: 'Habari & karibu = 100% +1' }

let twin: SmsTwin
const opened: { close(): Promise<void> }[] = []
beforeEach(async () => {
  twin = await startSmsTwin()
})
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close()
  await twin.close()
})

function open(options: Partial<AfricasTalkingOptions> = {}) {
  const base = { url: twin.url, username: 'malipo', api_key: twin.api_key, sender: 'MALIPO' }
  const gateway = createAfricasTalking({ ...base, ...options })
  opened.push(gateway)
  return gateway
}

test('the gateway sends an SMS unchanged with the configured sender and returns the id of the SMS', async () => {
  assert.deepEqual(await open().send(SMS), { kind: 'taken', gateway_id: 'ATXid_4711' })
  const content_type = 'application/x-www-form-urlencoded'
  assert.deepEqual(twin.sms, [
    { to: '+255754123456', text: SMS.text, from: 'MALIPO', username: 'malipo', content_type },
  ])
})

test("the gateway sends an SMS from the account's default sender when the settings name no sender", async () => {
  await open({ sender: '' }).send(SMS)
  assert.equal(twin.sms[0]?.from, null)
})

test('the gateway sends a hostile text as the message only, and adds no recipient, sender or other field', async () => {
  const text = 'Duka&to=+255700000000&from=EVIL\r\n\r\nPOST / 😀 \u202e%26to=1'
  await open().send({ ...SMS, text })
  assert.equal(twin.sms.length, 1)
  assert.deepEqual([twin.sms[0]?.to, twin.sms[0]?.from, twin.sms[0]?.text], ['+255754123456', 'MALIPO', text])
})

const recipient = (code: number, status: string): SmsReply => ({ kind: 'recipient', code, status })
const raw = (http: number, body: string, headers?: Record<string, string>): SmsReply => ({
  kind: 'raw',
  http,
  body,
  ...(headers ? { headers } : {}),
})
const data = (message: string, recipients: unknown) =>
  raw(201, JSON.stringify({ SMSMessageData: { Message: message, Recipients: recipients } }))

const MEANS: [string, SmsReply, string, string][] = [
  ['the status Processed', recipient(100, 'Processed'), 'taken', ''],
  ['the status Success', recipient(101, 'Success'), 'taken', ''],
  ['the status Queued', recipient(102, 'Queued'), 'taken', ''],
  ['the status RiskHold', recipient(401, 'RiskHold'), 'unknown', 'unknown_outcome: RiskHold'],
  [
    'the refusal of an unregistered sender',
    recipient(402, 'InvalidSenderId'),
    'again',
    'gateway_refused: InvalidSenderId',
  ],
  [
    'the refusal of a wrong number',
    recipient(403, 'InvalidPhoneNumber'),
    'refused',
    'recipient_refused: InvalidPhoneNumber',
  ],
  [
    'the refusal of a landline number',
    recipient(404, 'UnsupportedNumberType'),
    'refused',
    'recipient_refused: UnsupportedNumberType',
  ],
  [
    'the refusal for an empty balance',
    recipient(405, 'InsufficientBalance'),
    'again',
    'gateway_refused: InsufficientBalance',
  ],
  [
    'the refusal for a recipient who blocks SMS',
    recipient(406, 'UserInBlacklist'),
    'refused',
    'recipient_refused: UserInBlacklist',
  ],
  [
    'the refusal of a number without a route',
    recipient(407, 'CouldNotRoute'),
    'refused',
    'recipient_refused: CouldNotRoute',
  ],
  [
    'the refusal of an SMS at this hour',
    recipient(409, 'DoNotDisturbRejection'),
    'refused',
    'recipient_refused: DoNotDisturbRejection',
  ],
  [
    'an internal error of the gateway',
    recipient(500, 'InternalServerError'),
    'unknown',
    'unknown_outcome: InternalServerError',
  ],
  ['an error of the mobile network', recipient(501, 'GatewayError'), 'unknown', 'unknown_outcome: GatewayError'],
  [
    'a refusal by the mobile network',
    recipient(502, 'RejectedByGateway'),
    'refused',
    'recipient_refused: RejectedByGateway',
  ],
  ['an unknown status', recipient(777, 'Surprise'), 'unknown', 'unknown_outcome: Surprise'],
  [
    'a status that names a property of every object',
    recipient(777, 'constructor'),
    'unknown',
    'unknown_outcome: constructor',
  ],
  [
    'the refusal of a sender in an answer without recipients',
    data('InvalidSenderId', []),
    'again',
    'gateway_refused: InvalidSenderId',
  ],
  ['a success without recipients', data('Success', []), 'unknown', 'unknown_outcome: Success'],
  [
    'a success without a message id',
    data('', [{ statusCode: 101, status: 'Success' }]),
    'unknown',
    'unknown_outcome: Sent',
  ],
  [
    'an answer with two recipients',
    data('', [{ statusCode: 101 }, { statusCode: 101 }]),
    'unknown',
    'unknown_outcome: ',
  ],
  ['an answer without the list of recipients', raw(201, '{"SMSMessageData":{}}'), 'unknown', 'unknown_outcome: '],
  ['the answer null', raw(201, 'null'), 'unknown', 'unknown_outcome: null'],
  ['an answer without JSON', raw(201, '<html>ok</html>'), 'unknown', 'unknown_outcome: <html>ok</html>'],
  ['an empty answer', raw(201, ''), 'unknown', 'unknown_outcome:'],
  ['an endless answer', raw(201, 'x'.repeat(200_000)), 'unknown', 'unknown_outcome: UND_ERR_RES_EXCEEDED_MAX_SIZE'],
  ['the refusal of an unreadable request', raw(400, 'Bad\r\nrequest'), 'refused', 'message_refused: Bad request'],
  ['the answer 404 of a wrong address', raw(404, 'no such page'), 'again', 'gateway_refused: 404'],
  ['the answer 429 of a rate limit', raw(429, ''), 'again', 'gateway_refused: 429'],
  ['a redirect', raw(302, '', { location: 'http://127.0.0.1:1/' }), 'again', 'gateway_refused: 302'],
  ['the answer 500 of a failing server', raw(500, 'oops'), 'unknown', 'unknown_outcome: 500 oops'],
  ['the answer 504 of a proxy', raw(504, ''), 'unknown', 'unknown_outcome: 504'],
  ['the end of the connection', { kind: 'drop' }, 'unknown', 'unknown_outcome: UND_ERR_SOCKET'],
]
describe('a gateway answer', () => {
  for (const [what, reply, kind, why] of MEANS) {
    test(`the gateway client reports the outcome ${kind} for an SMS after ${what}`, async () => {
      twin.reply = reply
      const outcome = await open().send(SMS)
      assert.equal(outcome.kind, kind, JSON.stringify(outcome))
      if ('why' in outcome) assert.ok(outcome.why.startsWith(why) && outcome.why.length <= 200, outcome.why)
      assert.equal(twin.sms.length, 1, 'the request is sent once for every answer')
    })
  }

  test('the gateway client reports an unknown outcome when the gateway does not answer in time', async () => {
    twin.reply = { kind: 'hang' }
    assert.deepEqual(await open({ timeout_ms: 100 }).send(SMS), { kind: 'unknown', why: 'unknown_outcome: timeout' })
  })

  test('the worker may retry an SMS when the gateway is unreachable, because the client sent no byte', async () => {
    const gateway = open()
    await twin.close()
    const outcome = await gateway.send(SMS)
    assert.deepEqual(outcome, { kind: 'again', why: 'gateway_unreachable: ECONNREFUSED' })
    twin = await startSmsTwin()
  })

  test('the worker may retry an SMS after a wrong API key, and the reason of a refusal does not contain the key', async () => {
    const wrong = await open({ api_key: 'atsk_wrong' }).send(SMS)
    assert.ok(wrong.kind === 'again' && wrong.why.startsWith('gateway_refused: 401'), JSON.stringify(wrong))
    twin.reply = raw(400, `the key ${twin.api_key} may not do this`)
    assert.deepEqual(await open().send(SMS), { kind: 'refused', why: 'message_refused: the key *** may not do this' })
  })
})
