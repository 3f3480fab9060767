// Tests that the redaction removes secrets from texts, and changes no other text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayHoldSecret, redactFields, redactSecrets } from './redact.ts'

const HIDDEN = '[redacted]'

test('the redaction removes PINs, passwords and other secret fields from JSON, XML and form texts, and no other text', () => {
  const rows: [given: string, left: string][] = [
    ['{"pin":"4321","a":1}', `{"pin":"${HIDDEN}","a":1}`],
    ['{"PIN" : 4321, "a": 1}', `{"PIN" : "${HIDDEN}", "a": 1}`],
    ['{"customerPin":"4\\"3,21","a":1}', `{"customerPin":"${HIDDEN}","a":1}`],
    ['{"x":{"mpin":null,"otp_code":true}}', `{"x":{"mpin":"${HIDDEN}","otp_code":"${HIDDEN}"}}`],
    ['{"credentials":{"a":["4321"]},"b":2}', `{"credentials":"${HIDDEN}","b":2}`],
    ['{"text":"{\\"pin\\":\\"4321\\",\\"a\\":1}"}', `{"text":"{\\"pin\\":\\"${HIDDEN}\\",\\"a\\":1}"}`],
    ['{"pin":"43', `{"pin":"${HIDDEN}"`],
    [
      '{"pincode":"4321","newpassword":"a","webhooksecret":"b"}',
      `{"pincode":"${HIDDEN}","newpassword":"${HIDDEN}","webhooksecret":"${HIDDEN}"}`,
    ],
    ['{"customer pin":"4321","a":1}', `{"customer pin":"${HIDDEN}","a":1}`],
    ['<a><pin>4321</pin></a>', `<a><pin>${HIDDEN}</pin></a>`],
    ['amount=1&pin=4321&b=2', `amount=1&pin=${HIDDEN}&b=2`],
    ['pin=4321', `pin=${HIDDEN}`],
    ['FAIL pin=4321 api_key=k', `FAIL pin=${HIDDEN} api_key=${HIDDEN}`],
  ]
  for (const [given, left] of rows) assert.equal(redactFields(given), left)
  for (const [given] of rows)
    assert.equal(redactFields(redactFields(given)), redactFields(given), 'a second redaction changes nothing')
})

test('the redaction changes no field with a similar name, and JSON stays valid', () => {
  for (const text of [
    '{"shipping":"x","opinion":"y","payment_token":"80008000","key_id":"k","monkey":1}',
    '{"result":"FAIL","message":"Wrong PIN"}',
    'shipping=1&spin=2',
    '',
  ]) {
    assert.equal(redactFields(text), text)
  }
  const deep = JSON.stringify({ pin: 1, list: [{ password: { a: '}' } }], note: JSON.stringify({ pin: 'a"b' }) })
  assert.doesNotThrow(() => JSON.parse(redactFields(deep)))
})

test('the redaction removes keys, signing secrets and session tokens by their form, whatever the field name', () => {
  const key = `malipo_live_${'a1B2'.repeat(9)}xy`
  const rows: [string, string][] = [
    [`{"note":"mine is ${key}."}`, `{"note":"mine is ${HIDDEN}."}`],
    [`x_${key}`, `x_${HIDDEN}`],
    [`{"plaintext_key":"short"}`, `{"plaintext_key":"${HIDDEN}"}`],
    [`whsec_${'a'.repeat(43)}=`, HIDDEN],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', HIDDEN],
  ]
  for (const [given, left] of rows) {
    assert.ok(mayHoldSecret(given))
    assert.equal(redactSecrets(given), left)
  }
  for (const plain of ['{"amount":"1000.00","phone":"0754123001"}', 'whsec', 'ORDER_live']) {
    assert.equal(redactSecrets(plain), plain)
    assert.equal(mayHoldSecret(plain), false)
  }
})

test('the redaction of hostile texts takes less than 0.5 s of CPU time', () => {
  const before = process.cpuUsage()
  for (const part of ['"pin":{', '"pin":"\\', '<pin>', 'pin=', '\\"pin\\":\\"'])
    redactFields(part.repeat(4096 / part.length))
  const { user } = process.cpuUsage(before)
  assert.ok(user < 500_000, `the redaction took ${user} µs of CPU time`)
})
