// Configuration: the server refuses a bad value with the name of its variable, before it starts.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig, settings } from './config.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const SELCOM = {
  SELCOM_URL: 'https://gateway.example/v1',
  SELCOM_API_KEY: 'key',
  SELCOM_API_SECRET: 'secret',
  SELCOM_VENDOR: 'TILL',
  SELCOM_BUYER_EMAIL: 'payments@example.tz',
  SELCOM_BUYER_PHONE: '0754123456',
}
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://malipo@db/malipo',
  SECRET_KEY: KEY,
  MOCK_SECRET: 'a secret of our own that is long enough',
  BASE_URL: 'https://api.example.tz',
  PROVIDER: 'selcom',
  // These settings have no effect with the built-in identity provider.
  DASHBOARD_CLIENT_ID: 'malipo-dashboard',
  OPERATOR_CLIENT_ID: 'malipo-operator',
  ...SELCOM,
}

/** The names of the variables in the refusal of a configuration. */
function refusedFor(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n').map((line) => line.split(' ')[0] as string)
  }
}

test('an empty environment is a valid configuration', () => {
  const config = readConfig({})
  assert.equal(config.port, 8080)
  assert.equal(config.collection_min, 100n)
  assert.equal(config.collection_max, 100_000_000_000n)
  assert.equal(config.collection_deadline_h, 72)
  assert.equal(config.idempotency_replay_days, 30)
})

const BAD: [string, string[]][] = [
  ['NODE_ENV', ['prod', '', 'Production']],
  ['PROCESS', ['both', '']],
  ['HOST', ['127.0.0.1 ', ' ', 'local host']],
  ['PORT', ['http', '-1', '65536', '80.5', '', ' ', 'NaN', 'Infinity']],
  ['DATABASE_URL', ['mysql://db', 'db', 'http://db']],
  ['DATABASE_CONNECTIONS', ['0', '1', '100000', 'many']],
  ['BASE_URL', ['example.tz', 'ftp://example.tz']],
  ['PAY_URL', ['pay']],
  ['BRAND', ['', 'A', 'Brand', 'my-brand', 'my_brand', '1brand', 'sk', 'pk', 'x'.repeat(30)]],
  ['API_KEY_STYLE', ['stripe', '']],
  ['SECRET_KEY', ['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')]],
  ['PROVIDER', ['nobody', '']],
  [
    'PROVIDER_ROUTES',
    [
      'wallet_push',
      'wallet_push=',
      '=mock',
      'wallet_push=nobody',
      'wallet_push=mock=mock',
      'wallet_push=mock,wallet_push=mock',
      'wallet_push=mock,',
      'MOBILE_MONEY/NOBODY=mock',
      'MOBILE_MONEY/NMB=mock',
      'wallet_push/MPESA=mock',
      'MOBILE_MONEY/MPESA/X=mock',
      'wallet_pusch=mock',
      'MOBILE_MONEY/MPESA=mock,MOBILE_MONEY/VODACOM=mock',
    ],
  ],
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
  ['ALLOW_MOCK_IN_PRODUCTION', ['yes', '']],
  ['SELCOM_CONNECTIONS', ['0', 'many']],
  ['VODACOM_URL', ['vodacom', 'https://openapi.example', 'https://openapi.example/openapi/ipg/v2']],
  ['VODACOM_NOT_FOUND_CODES', [';', '23', 'INS-23;INS-24', 'INS-23,']],
  ['VODACOM_ORIGIN', ['', 'a b']],
  ['VODACOM_FAILED_STATES', ['Failed', 'Failed=a,Failed=b']],
  ['VODACOM_SESSION_LIFE_S', ['0', '']],
  ['MOCK_SUCCESS_RATE', ['1.1', '-0.1', 'often', '']],
  ['MOCK_DELAY_MS', ['-1', '1.5', 'soon']],
  ['COLLECTION_MIN_AMOUNT', ['-1', '1.5', '1.005', 'one', '']],
  ['COLLECTION_MAX_AMOUNT', ['1e9', '']],
  ['COLLECTION_DEADLINE_H', ['0', '-1', '100000']],
  ['IDEMPOTENCY_REPLAY_DAYS', ['0', '1.5']],
  ['RATE_LIMIT_PER_KEY', ['-1', 'none']],
  ['RATE_LIMIT_PER_ADDRESS', ['-1']],
  ['RATE_LIMIT_CALLBACKS', ['-1', 'many']],
  ['WEBHOOK_ALLOW_PRIVATE', ['yes', '1', 'TRUE']],
  ['WEBHOOK_TIMEOUT_MS', ['0', '8001']],
  [
    'OIDC_ISSUER',
    [
      'id',
      'ftp://id.example',
      ' https://id.example',
      'https://id.example?a=b',
      'https://id.example#a',
      'https://a:b@id.example',
    ],
  ],
  ['OIDC_AUDIENCE', ['', ' ', 'two words', 'x'.repeat(256)]],
  ['OIDC_ALGORITHMS', ['', 'none', 'HS256', 'RS256,HS256', 'rs256', 'RS256,,ES256', 'RS256,none']],
  ['OIDC_TOKEN_TYPE', ['', 'JWT', 'Bearer']],
  ['OIDC_OPERATOR_ACR', [',', 'gold,', 'a b']],
  ['OPERATOR_REDIRECT_URIS', ['console', 'ftp://console.example/callback', 'https://console.example/#callback']],
  ['DASHBOARD_CLIENT_ID', ['two words']],
  ['OPERATOR_CLIENT_ID', ['two words']],
  ['STEP_UP_S', ['-1', '1.5', 'soon', '', '86401']],
  ['FOUR_EYES_AMOUNT', ['-1', '1.5', 'much', '1e6', '1,000,000']],
  [
    'TRUST_PROXY',
    [
      'true',
      '1',
      'proxy.example',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '10.0.0.1,',
      '10.1',
      '010.0.0.1',
      '10.0.0.1/x',
      'Loopback',
      'fe80::1%eth0',
      '10.0.0.1 10.0.0.2',
    ],
  ],
  ['LOG_LEVEL', ['loud', '']],
]
for (const [name, values] of BAD) {
  test(`the server refuses a bad ${name} by name`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
  })
}

test('the server refuses a smallest amount above the largest by name', () => {
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '9.99' }), [
    'COLLECTION_MIN_AMOUNT',
  ])
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '10.00' }), [])
})

test('the refusal names all bad variables at once', () => {
  assert.deepEqual(refusedFor({ PORT: 'x', BRAND: 'X', LOG_LEVEL: 'x' }).sort(), ['BRAND', 'LOG_LEVEL', 'PORT'])
})

test('the consoles need two different clients of a foreign issuer: both or none, and in production both', () => {
  const both = { DASHBOARD_CLIENT_ID: 'one', OPERATOR_CLIENT_ID: 'two' }
  assert.deepEqual(refusedFor(both), [])
  assert.deepEqual(refusedFor({ ...both, OPERATOR_CLIENT_ID: 'one' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ DASHBOARD_CLIENT_ID: 'one' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ OPERATOR_CLIENT_ID: 'two' }), ['DASHBOARD_CLIENT_ID'])
  const { DASHBOARD_CLIENT_ID, OPERATOR_CLIENT_ID, ...built_in } = PRODUCTION
  assert.deepEqual(refusedFor(built_in), [])
  assert.deepEqual(refusedFor({ ...built_in, OIDC_ISSUER: 'https://id.example.tz' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ ...PRODUCTION, OIDC_ISSUER: 'https://id.example.tz' }), [])
})

test('a second operator is needed only if FOUR_EYES_AMOUNT, in shillings, is set', () => {
  assert.equal(readConfig({}).four_eyes_amount, null)
  assert.equal(readConfig({ FOUR_EYES_AMOUNT: '1000000' }).four_eyes_amount, 100_000_000n)
  assert.equal(readConfig({ FOUR_EYES_AMOUNT: '0' }).four_eyes_amount, 0n)
  assert.equal(readConfig({}).step_up_s, 600)
})

test('the refusal never repeats the value, which may be a secret', () => {
  const secret = randomBytes(20).toString('base64')
  assert.throws(
    () => readConfig({ SECRET_KEY: secret, DATABASE_URL: `mysql://root:${secret}@db` }),
    (error: Error) => !error.message.includes(secret),
  )
})

test('the server accepts a valid production configuration', () => assert.deepEqual(refusedFor(PRODUCTION), []))

for (const [name, value] of [
  ['DATABASE_URL', ''],
  ['SECRET_KEY', ''],
  ['MOCK_SECRET', settings.mock_secret.default],
  ['MOCK_SECRET', ''],
  ['BASE_URL', 'http://api.example.tz'],
  ['BASE_URL', ''],
  ['PAY_URL', 'http://pay.example.tz'],
  ['WEBHOOK_ALLOW_PRIVATE', 'true'],
  ['OIDC_ISSUER', 'http://id.example.tz'],
  ['OPERATOR_REDIRECT_URIS', 'http://console.example.tz/callback'],
  ['PROVIDER', 'mock'],
] as const) {
  test(`production refuses ${name}=${value === '' ? '(empty)' : value} by name`, () => {
    assert.deepEqual(refusedFor({ ...PRODUCTION, [name]: value }), [name])
  })
}

test('production needs a real provider unless the configuration declares a demonstration', () => {
  const { PROVIDER, ...forgotten } = PRODUCTION
  assert.deepEqual(refusedFor(forgotten), ['PROVIDER'])
  assert.deepEqual(refusedFor({ ...forgotten, ALLOW_MOCK_IN_PRODUCTION: 'true' }), [])
  assert.deepEqual(refusedFor({ ...PRODUCTION, PROVIDER_ROUTES: 'qr=mock' }), ['PROVIDER_ROUTES'])
  assert.deepEqual(refusedFor({ ...forgotten, PROVIDER_ROUTES: 'wallet_push=selcom' }), ['PROVIDER_ROUTES'])
})

test('the server refuses the mock provider beside a real one in every environment', () => {
  for (const env of [
    { PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY=mock' },
    { PROVIDER_ROUTES: 'wallet_push=selcom' },
    { PROVIDER_ROUTES: 'wallet_push=selcom', ALLOW_MOCK_IN_PRODUCTION: 'true' },
  ]) {
    assert.deepEqual(refusedFor({ ...SELCOM, ...env }), ['PROVIDER_ROUTES'])
  }
  assert.deepEqual(refusedFor({ PROVIDER_ROUTES: 'wallet_push=mock' }), [])
})

test('the server keeps the name of an issuer unchanged', () => {
  assert.equal(readConfig({ OIDC_ISSUER: 'https://id.example.tz/' }).oidc_issuer, 'https://id.example.tz/')
})

test('proxies are addresses, networks and named ranges, separated by commas', () => {
  assert.deepEqual(readConfig({}).trust_proxy, [])
  const given = ' 10.0.0.9, 192.168.0.0/16,fd00::/8, ::ffff:10.0.0.1 ,loopback, linklocal, uniquelocal'
  assert.deepEqual(readConfig({ TRUST_PROXY: given }).trust_proxy, [
    '10.0.0.9',
    '192.168.0.0/16',
    'fd00::/8',
    '::ffff:10.0.0.1',
    'loopback',
    'linklocal',
    'uniquelocal',
  ])
})

test('the server reads a secret from a file', () => {
  const file = join(tmpdir(), `secret-${process.pid}`)
  writeFileSync(file, `${KEY}\n`)
  assert.equal(readConfig({ SECRET_KEY_FILE: file }).secret_key, KEY)
  assert.deepEqual(refusedFor({ SECRET_KEY_FILE: '/nowhere/at/all' }), ['SECRET_KEY'])
})

/** The message of the refusal of a configuration. */
function saidOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('the server refuses a secret file that it cannot use with its path and the reason', () => {
  const empty = join(tmpdir(), `empty-secret-${process.pid}`)
  writeFileSync(empty, '\n')
  assert.match(saidOf({ SELCOM_PIN_FILE: '/nowhere/at/all' }), /^SELCOM_PIN .*\/nowhere\/at\/all.*ENOENT/)
  assert.match(saidOf({ SELCOM_PIN_FILE: empty }), /^SELCOM_PIN .*SELCOM_PIN_FILE.*empty/)
  assert.match(saidOf({ SELCOM_VENDOR_FILE: empty }), /^SELCOM_VENDOR cannot come from a file.*SELCOM_PIN/)
  assert.equal(saidOf({ LOG_LEVEL_FILE: empty }), '', 'what other programs read is not ours to judge')
})

test('the server reads the file of a secret if the variable is empty', () => {
  const file = join(tmpdir(), `beside-${process.pid}`)
  writeFileSync(file, KEY)
  assert.equal(readConfig({ SECRET_KEY: '', SECRET_KEY_FILE: file }).secret_key, KEY)
})

test('the server refuses an impossible route with the bad name and the valid names', () => {
  assert.match(saidOf({ PROVIDER_ROUTES: 'qr=mock,wallet_pusch=mock' }), /"wallet_pusch".*wallet_push/)
  assert.match(saidOf({ PROVIDER_ROUTES: 'qr=mock,wallet_push=selkom' }), /selkom.*mock, selcom, vodacom/)
  assert.match(saidOf({ PROVIDER_ROUTES: 'MOBILE_MONEY/NOBODY=mock' }), /"MOBILE_MONEY\/NOBODY".*destinations/)
})

test('a route may name a destination by any of its aliases', () => {
  const { provider_routes } = readConfig({ PROVIDER_ROUTES: 'MOBILE_MONEY/VODACOM=mock,BANK_ACCOUNT/bancabc=mock' })
  assert.deepEqual([...provider_routes.keys()], ['MOBILE_MONEY/MPESA', 'BANK_ACCOUNT/ACCESS'])
})

test('the server accepts a gateway without TLS only in its own network', () => {
  for (const host of ['127.0.0.1:8091', '[::1]:8091', 'localhost:8091', '10.1.2.3', 'simulator:8091', 'sim.internal']) {
    assert.equal(readConfig({ ...SELCOM, SELCOM_URL: `http://${host}/v1` }).selcom_url, `http://${host}/v1`)
  }
  assert.match(saidOf({ ...SELCOM, SELCOM_URL: 'http://gateway.example/v1' }), /^SELCOM_URL must begin with https/)
  assert.match(saidOf({ ...SELCOM, SELCOM_URL: 'https://gateway.example' }), /^SELCOM_URL must end in the version/)
})

const SELCOM_PAYOUTS = {
  SELCOM_FLOAT_VENDOR: 'FLOAT',
  SELCOM_PIN: '1234',
  SELCOM_SENDER_ACCOUNT: 'M1',
  SELCOM_SENDER_NAME: 'Duka Ltd',
  SELCOM_SENDER_PHONE: '0754123456',
}
const VODACOM = {
  VODACOM_URL: 'https://openapi.example/openapi/ipg/v2/vodacomTZN',
  VODACOM_API_KEY: 'key',
  VODACOM_PUBLIC_KEY: 'key',
  VODACOM_SERVICE_PROVIDER_CODE: '123456',
}

for (const [name, settings_of, used] of [
  [
    'selcom',
    SELCOM,
    [
      { PROVIDER: 'selcom' },
      { ...VODACOM, PROVIDER: 'vodacom', PROVIDER_ROUTES: 'qr=selcom' },
      { SELCOM_URL: SELCOM.SELCOM_URL },
    ],
  ],
  [
    'vodacom',
    VODACOM,
    [
      { PROVIDER: 'vodacom' },
      { ...SELCOM, PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY/MPESA=vodacom' },
      { VODACOM_URL: VODACOM.VODACOM_URL },
    ],
  ],
] as const) {
  test(`the server refuses a route over ${name} without its required settings, each by name`, () => {
    for (const env of used) {
      const missing = Object.keys(settings_of).filter((variable) => !(variable in env))
      assert.deepEqual(refusedFor(env), missing)
      assert.deepEqual(refusedFor({ ...env, ...settings_of }), [])
      for (const one of missing) assert.deepEqual(refusedFor({ ...env, ...settings_of, [one]: '' }), [one])
    }
  })
}

test('payouts over Selcom need all of their settings or none', () => {
  const all = { ...SELCOM, ...SELCOM_PAYOUTS }
  assert.deepEqual(refusedFor(all), [])
  for (const one of Object.keys(SELCOM_PAYOUTS).filter((name) => name !== 'SELCOM_FLOAT_VENDOR')) {
    assert.deepEqual(refusedFor({ ...all, [one]: '' }), [one])
  }
  assert.deepEqual(refusedFor({ ...SELCOM, SELCOM_PIN: '1234' }), ['SELCOM_FLOAT_VENDOR'])
})

test('production refuses providers without TLS by name', () => {
  const env = { ...PRODUCTION, ...SELCOM, ...VODACOM }
  assert.deepEqual(refusedFor(env), [])
  assert.deepEqual(refusedFor({ ...env, SELCOM_URL: 'http://gateway.example/v1' }), ['SELCOM_URL'])
  assert.deepEqual(refusedFor({ ...env, SELCOM_URL: 'http://10.0.0.5/v1' }), ['SELCOM_URL'])
  assert.deepEqual(refusedFor({ ...env, VODACOM_URL: 'http://127.0.0.1/vodacomTZN' }), ['VODACOM_URL'])
})

test('the server parses the lists, pairs and texts of a provider', () => {
  const config = readConfig({
    PROVIDER_ROUTES: ' wallet_push=mock , MOBILE_MONEY/MPESA = mock',
    SELCOM_ORDER_UNKNOWN_CODES: '651, 999',
    SELCOM_REFUSAL_TEXTS: 'not allowed, sorry | blocked',
    SELCOM_BUYER_PHONE: '0754 123 456',
    VODACOM_FAILED_STATES: 'Cancelled=user_cancelled,Expired=expired',
  })
  assert.deepEqual(
    [...config.provider_routes],
    [
      ['wallet_push', 'mock'],
      ['MOBILE_MONEY/MPESA', 'mock'],
    ],
  )
  assert.deepEqual(config.selcom_order_unknown_codes, ['651', '999'])
  assert.deepEqual(config.selcom_refusal_texts, ['not allowed, sorry', 'blocked'])
  assert.equal(config.selcom_buyer_phone, '255754123456')
  assert.deepEqual(Object.fromEntries(config.vodacom_failed_states), {
    Cancelled: 'user_cancelled',
    Expired: 'expired',
  })
})

test('the server reads every secret of a provider from a file', () => {
  const file = join(tmpdir(), `provider-secret-${process.pid}`)
  writeFileSync(file, 'from-a-file\n')
  const config = readConfig({
    SELCOM_API_KEY_FILE: file,
    SELCOM_API_SECRET_FILE: file,
    VODACOM_API_KEY_FILE: file,
    VODACOM_PUBLIC_KEY_FILE: file,
    VODACOM_CALLBACK_SECRET_FILE: file,
  })
  const { selcom_api_key, selcom_api_secret, vodacom_api_key, vodacom_public_key, vodacom_callback_secret } = config
  for (const value of [
    selcom_api_key,
    selcom_api_secret,
    vodacom_api_key,
    vodacom_public_key,
    vodacom_callback_secret,
  ]) {
    assert.equal(value, 'from-a-file')
  }
  assert.equal(
    readConfig({ ...SELCOM, ...SELCOM_PAYOUTS, SELCOM_PIN: undefined, SELCOM_PIN_FILE: file }).selcom_pin,
    'from-a-file',
  )
})

test('a program that calls no provider needs all settings except those of providers', () => {
  const env = { PROVIDER: 'selcom', VODACOM_URL: VODACOM.VODACOM_URL }
  assert.throws(() => readConfig(env), /SELCOM_URL must be set/)
  assert.equal(readConfig(env, { calls_providers: false }).provider, 'selcom')
  assert.throws(() => readConfig({ ...env, PORT: 'x' }, { calls_providers: false }), /PORT/)
  assert.throws(() => readConfig({ ...env, NODE_ENV: 'production' }, { calls_providers: false }), /SECRET_KEY/)
})
