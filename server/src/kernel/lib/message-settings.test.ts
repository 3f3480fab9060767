// Tests the settings of the message gateways. If a value is invalid, the server refuses to start, and the error names the
// variable.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { ConfigError, isMailAddress, readConfig } from './index.ts'

const PRODUCTION = {
  ALLOW_MOCK_IN_PRODUCTION: 'true',
  FOUR_EYES_AMOUNT: 'off',
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://malipo@db/malipo',
  SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  MOCK_SECRET: 'a secret of our own that is long enough',
  BASE_URL: 'https://api.example.tz',
}
const MAIL = { SMTP_URL: 'smtps://pay:p%40ss@mail.example.tz', MAIL_FROM: 'Malipo <pay@example.tz>' }
const SMS = { SMS_GATEWAY: 'africastalking', AFRICASTALKING_USERNAME: 'malipo', AFRICASTALKING_API_KEY: 'atsk' }

function refusedFor(env: Record<string, string>): string[] {
  try {
    readConfig(env, PROVIDERS)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    assert.ok(!error.message.includes('siri'), 'the error never shows the refused value, which may be a secret')
    return error.message.split('\n').map((line) => line.split(' ')[0] as string)
  }
}

const BAD: [string, string[]][] = [
  [
    'SMTP_URL',
    [
      'mail.example.tz',
      'http://mail.example.tz',
      'smtp://',
      'smtp://user:siri@mail.example.tz/?tls.rejectUnauthorized=false',
      'smtp://mail.example.tz/path',
      'smtp://mail.example.tz#x',
      'smtp://user@mail.example.tz',
      'smtp://user:siri%@mail.example.tz',
      'smtp://user:siri@mail.example.tz:99999',
    ],
  ],
  [
    'MAIL_FROM',
    [
      'pay',
      'a@b@c',
      'Malipo pay@example.tz',
      'a@b, c@d',
      '<a@b',
      'X\r\nBcc: y <a@example.tz>',
      'a@example.tz\n',
      '"x" <a@b>',
    ],
  ],
  ['SMS_GATEWAY', ['beem', 'AfricasTalking']],
  ['SMS_SENDER', ['twelve-chars', 'Duka\n', 'Dükä', '12<3']],
  ['AFRICASTALKING_URL', ['api.africastalking.com', 'ftp://x']],
  ['AFRICASTALKING_API_KEY', ['siri yangu']],
]
for (const [name, values] of BAD) {
  test(`the server refuses a bad ${name} with the name of the variable`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ ...MAIL, ...SMS, [name]: value }), [name], value)
  })
}

test('the server refuses a configured gateway with the names of its missing settings', () => {
  assert.deepEqual(refusedFor({ SMTP_URL: MAIL.SMTP_URL }), ['MAIL_FROM'])
  assert.deepEqual(refusedFor({ SMS_GATEWAY: 'africastalking' }), ['AFRICASTALKING_USERNAME', 'AFRICASTALKING_API_KEY'])
  assert.deepEqual(refusedFor({ ...MAIL, ...SMS }), [])
})

test('production refuses an SMS gateway without TLS, which would get the key in plain text, and accepts smtp:// and smtps://', () => {
  const all = { ...PRODUCTION, ...MAIL, ...SMS }
  assert.deepEqual(refusedFor(all), [])
  assert.deepEqual(refusedFor({ ...all, SMTP_URL: 'smtp://mail.example.tz:587' }), [])
  assert.deepEqual(refusedFor({ ...all, AFRICASTALKING_URL: 'http://api.example' }), ['AFRICASTALKING_URL'])
})

test('MAIL_FROM accepts an address with or without a name', () => {
  const from = (MAIL_FROM: string) => readConfig({ MAIL_FROM }, PROVIDERS).mail_from
  assert.equal(from(''), null)
  assert.deepEqual(from('pay@example.tz'), { name: '', address: 'pay@example.tz' })
  assert.deepEqual(from('Duka la Asha  <pay@example.tz>'), { name: 'Duka la Asha', address: 'pay@example.tz' })
  assert.equal(isMailAddress('a.b+c@xn--fiq.tz'), true)
})

test('the server can read the secrets of the gateways from files', () => {
  const file = join(tmpdir(), `message-secret-${process.pid}`)
  writeFileSync(file, 'smtp://u:p@mail.example.tz\n', { mode: 0o600 })
  const config = readConfig({ MAIL_FROM: 'a@b.tz', SMTP_URL_FILE: file, AFRICASTALKING_API_KEY_FILE: file }, PROVIDERS)
  assert.deepEqual([config.smtp_url, config.africastalking_api_key], Array(2).fill('smtp://u:p@mail.example.tz'))
})
