// Tests that the server requires the settings of each used provider, and that production refuses insecure settings.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  PRODUCTION_SETTINGS,
  refusedFor,
  SELCOM_PAYOUT_SETTINGS,
  SELCOM_SETTINGS,
  settingsIn,
  VODACOM_SETTINGS,
} from '../../../test/providers/settings.ts'
import { readConfig } from '../../kernel/lib/index.ts'
import { PROVIDERS } from './registry.ts'

for (const [name, settings_of, used] of [
  [
    'selcom',
    SELCOM_SETTINGS,
    [
      { PROVIDER: 'selcom' },
      { ...VODACOM_SETTINGS, PROVIDER: 'vodacom', PROVIDER_ROUTES: 'qr=selcom' },
      { SELCOM_URL: SELCOM_SETTINGS.SELCOM_URL },
    ],
  ],
  [
    'vodacom',
    VODACOM_SETTINGS,
    [
      { PROVIDER: 'vodacom' },
      { ...SELCOM_SETTINGS, PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY/MPESA=vodacom' },
      { VODACOM_URL: VODACOM_SETTINGS.VODACOM_URL },
    ],
  ],
] as const) {
  test(`the server refuses to use ${name} when required settings are missing, and names each missing setting`, () => {
    for (const env of used) {
      const missing = Object.keys(settings_of).filter((variable) => !(variable in env))
      assert.deepEqual(refusedFor(env), missing)
      assert.deepEqual(refusedFor({ ...env, ...settings_of }), [])
      for (const one of missing) assert.deepEqual(refusedFor({ ...env, ...settings_of, [one]: '' }), [one])
    }
  })
}

test('production refuses a gateway URL without TLS and names the setting of the URL', () => {
  const env = { ...PRODUCTION_SETTINGS, ...SELCOM_SETTINGS, ...VODACOM_SETTINGS }
  assert.deepEqual(refusedFor(env), [])
  assert.deepEqual(refusedFor({ ...env, SELCOM_URL: 'http://gateway.example/v1' }), ['SELCOM_URL'])
  assert.deepEqual(refusedFor({ ...env, SELCOM_URL: 'http://10.0.0.5/v1' }), ['SELCOM_URL'])
  assert.deepEqual(refusedFor({ ...env, VODACOM_URL: 'http://127.0.0.1/vodacomTZN' }), ['VODACOM_URL'])
})

test('the server parses the lists, pairs and texts in the settings of a provider', () => {
  const env = {
    PROVIDER_ROUTES: ' wallet_push=mock , MOBILE_MONEY/MPESA = mock',
    SELCOM_ORDER_UNKNOWN_CODES: '651, 999',
    SELCOM_REFUSAL_TEXTS: 'not allowed, sorry | blocked',
    SELCOM_BUYER_PHONE: '0754 123 456',
    VODACOM_FAILED_STATES: 'Cancelled=user_cancelled,Expired=expired',
  }
  assert.deepEqual(
    [...readConfig(env, PROVIDERS).provider_routes],
    [
      ['wallet_push', 'mock'],
      ['MOBILE_MONEY/MPESA', 'mock'],
    ],
  )
  const { order_unknown_codes, refusal_texts, buyer_phone } = settingsIn(env, 'selcom')
  assert.deepEqual(order_unknown_codes, ['651', '999'])
  assert.deepEqual(refusal_texts, ['not allowed, sorry', 'blocked'])
  assert.equal(buyer_phone, '255754123456')
  const { failed_states } = settingsIn(env, 'vodacom')
  assert.deepEqual(Object.fromEntries(failed_states as ReadonlyMap<string, string>), {
    Cancelled: 'user_cancelled',
    Expired: 'expired',
  })
})

test('the server can read each secret of Selcom and Vodacom from a file', () => {
  const file = join(tmpdir(), `provider-secret-${process.pid}`)
  writeFileSync(file, 'from-a-file\n', { mode: 0o600 })
  const env = {
    SELCOM_API_KEY_FILE: file,
    SELCOM_API_SECRET_FILE: file,
    VODACOM_API_KEY_FILE: file,
    VODACOM_PUBLIC_KEY_FILE: file,
    VODACOM_CALLBACK_SECRET_FILE: file,
  }
  const selcom = settingsIn(env, 'selcom')
  const vodacom = settingsIn(env, 'vodacom')
  for (const value of [
    selcom.api_key,
    selcom.api_secret,
    vodacom.api_key,
    vodacom.public_key,
    vodacom.callback_secret,
  ]) {
    assert.equal(value, 'from-a-file')
  }
  const paying = { ...SELCOM_SETTINGS, ...SELCOM_PAYOUT_SETTINGS, SELCOM_PIN: undefined, SELCOM_PIN_FILE: file }
  assert.equal(settingsIn(paying, 'selcom').pin, 'from-a-file')
})
