// Configuration: a bad value is refused by its name, before anything starts.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError, readConfig, settings } from './config.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const PRODUCTION = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://malipo@db/malipo',
  SECRET_KEY: KEY,
  MOCK_SECRET: 'a secret of our own that is long enough',
  BASE_URL: 'https://api.example.tz',
}

/** The names of the variables that a configuration is refused for. */
function refusedFor(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n').map((line) => line.split(' ')[0] as string)
  }
}

test('an empty environment is a working configuration', () => {
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
  test(`a bad ${name} is refused by name`, () => {
    for (const value of values) assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
  })
}

test('a smallest amount above the largest is refused by name', () => {
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '9.99' }), [
    'COLLECTION_MIN_AMOUNT',
  ])
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '10.00' }), [])
})

test('all that is wrong is named at once', () => {
  assert.deepEqual(refusedFor({ PORT: 'x', BRAND: 'X', LOG_LEVEL: 'x' }).sort(), ['BRAND', 'LOG_LEVEL', 'PORT'])
})

test('a refused value is never repeated: it may be a secret', () => {
  const secret = randomBytes(20).toString('base64')
  assert.throws(
    () => readConfig({ SECRET_KEY: secret, DATABASE_URL: `mysql://root:${secret}@db` }),
    (error: Error) => !error.message.includes(secret),
  )
})

test('a sound production configuration is accepted', () => assert.deepEqual(refusedFor(PRODUCTION), []))

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
] as const) {
  test(`production refuses ${name}=${value === '' ? '(empty)' : value} by name`, () => {
    assert.deepEqual(refusedFor({ ...PRODUCTION, [name]: value }), [name])
  })
}

test('the name of an issuer is kept to the letter', () => {
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

test('a secret may come from a file', () => {
  const file = join(tmpdir(), `secret-${process.pid}`)
  writeFileSync(file, `${KEY}\n`)
  assert.equal(readConfig({ SECRET_KEY_FILE: file }).secret_key, KEY)
  assert.deepEqual(refusedFor({ SECRET_KEY_FILE: '/nowhere/at/all' }), ['SECRET_KEY'])
})
