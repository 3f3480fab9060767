// Tests that the server refuses an invalid setting of Selcom and names the variable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  refusalOf,
  refusedFor,
  SELCOM_PAYOUT_SETTINGS,
  SELCOM_SETTINGS,
  settingsIn,
} from '../../../../test/providers/settings.ts'

const BAD: [string, string[]][] = [
  [
    'SELCOM_URL',
    [
      'selcom',
      'ftp://selcom.example',
      'https://selcom.example',
      'https://selcom.example/v1/x',
      'https://selcom.example/v1?a=b',
      'http://selcom.example/v1',
      'http://8.8.8.8/v1',
    ],
  ],
  ['SELCOM_BUYER_EMAIL', ['foo', 'a b@example.tz', 'foo@', 'foo@example', '@example.tz', 'a@b@example.tz']],
  ['SELCOM_ORDER_UNKNOWN_CODES', [';', '651;999', '651,']],
  ['SELCOM_API_SECRET', ['two words']],
  ['SELCOM_BUYER_PHONE', ['12', '0754']],
  ['SELCOM_PUSH_EXPIRY_MIN', ['0', '1.5', 'soon']],
  ['SELCOM_REFUSAL_TEXTS', ['|', 'a||b']],
  ['SELCOM_PESA_CODE', ['yes', '']],
  ['SELCOM_CONNECTIONS', ['0', 'many']],
]
for (const [name, values] of BAD) {
  test(`the server refuses a bad value of ${name} and names the variable`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
  })
}

test("the server accepts a gateway URL without TLS only when the gateway is in the server's own network", () => {
  for (const host of ['127.0.0.1:8091', '[::1]:8091', 'localhost:8091', '10.1.2.3', 'simulator:8091', 'sim.internal']) {
    assert.equal(settingsIn({ ...SELCOM_SETTINGS, SELCOM_URL: `http://${host}/v1` }, 'selcom').url, `http://${host}/v1`)
  }
  assert.match(
    refusalOf({ ...SELCOM_SETTINGS, SELCOM_URL: 'http://gateway.example/v1' }),
    /^SELCOM_URL must begin with https/,
  )
  assert.match(
    refusalOf({ ...SELCOM_SETTINGS, SELCOM_URL: 'https://gateway.example' }),
    /^SELCOM_URL must end in the version/,
  )
})

test('the server accepts all settings of payouts over Selcom, and names the missing setting when only some are set', () => {
  const all = { ...SELCOM_SETTINGS, ...SELCOM_PAYOUT_SETTINGS }
  assert.deepEqual(refusedFor(all), [])
  for (const one of Object.keys(SELCOM_PAYOUT_SETTINGS).filter((name) => name !== 'SELCOM_FLOAT_VENDOR')) {
    assert.deepEqual(refusedFor({ ...all, [one]: '' }), [one])
  }
  assert.deepEqual(refusedFor({ ...SELCOM_SETTINGS, SELCOM_PIN: '1234' }), ['SELCOM_FLOAT_VENDOR'])
})
