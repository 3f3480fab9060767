// Tests the configuration. If a value is invalid, the server refuses to start, and the error names the variable.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  PRODUCTION_SETTINGS,
  refusalOf,
  refusedFor,
  SELCOM_SETTINGS,
  VODACOM_SETTINGS,
} from '../../../test/providers/settings.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { effectiveSettings, fileSettings, readConfig, unknownSettings } from './config.ts'
import { gatherSettings } from './settings-file.ts'

const KEY = PRODUCTION_SETTINGS.SECRET_KEY
const OWNER_ONLY = { mode: 0o600 }

test('the server accepts an empty environment as a valid configuration', () => {
  const config = readConfig({}, PROVIDERS)
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
  ['MIGRATION_DATABASE_URL', ['mysql://db', 'db']],
  ['DATABASE_TLS_NOT_NEEDED', ['yes', '']],
  ['HSTS_SUBDOMAINS', ['yes', '']],
  ['DATABASE_CONNECTIONS', ['0', '1', '100000', 'many']],
  ['BASE_URL', ['example.tz', 'ftp://example.tz']],
  ['PAY_URL', ['pay']],
  ['BRAND', ['', 'A', 'Brand', 'my-brand', 'my_brand', '1brand', 'sk', 'pk', 'x'.repeat(30)]],
  ['PAYOUT_DAILY_LIMIT', ['-1', '1,000', 'many']],
  ['PAYOUT_DAILY_LIMIT_PER_DESTINATION', ['0.5', 'none']],
  ['NEW_DESTINATION', ['', 'yes']],
  ['PROMPTS_PER_PHONE_HOUR', ['-1', '1.5', 'ten']],
  ['PROMPTS_PER_PHONE_DAY', ['-1', '1000001', ' ']],
  ['MESSAGES_PER_RECIPIENT_DAY', ['-1', 'ten']],
  ['API_KEY_STYLE', ['stripe', '']],
  [
    'SECRET_KEY',
    ['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), `${KEY},`, `${KEY},${KEY}`],
  ],
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
      'MOBILE_MONEY/ABSENT=mock',
      'MOBILE_MONEY/NMB=mock',
      'wallet_push/MPESA=mock',
      'MOBILE_MONEY/MPESA/X=mock',
      'wallet_pusch=mock',
      'MOBILE_MONEY/MPESA=mock,MOBILE_MONEY/VODACOM=mock',
    ],
  ],
  ['ALLOW_MOCK_IN_PRODUCTION', ['yes', '']],
  ['COLLECTION_MIN_AMOUNT', ['-1', '1.5', '1.005', 'one', '']],
  ['COLLECTION_MAX_AMOUNT', ['1e9', '']],
  ['COLLECTION_DEADLINE_H', ['0', '-1', '100000']],
  ['IDEMPOTENCY_REPLAY_DAYS', ['0', '1.5']],
  ['KEYS_PER_MERCHANT', ['-1', '2.5', 'none']],
  ['RATE_LIMIT_PER_KEY', ['-1', 'none']],
  ['RATE_LIMIT_PER_MERCHANT_LIVE', ['-1', 'none']],
  ['RATE_LIMIT_PER_MERCHANT_SANDBOX', ['-1', '1.5']],
  ['RATE_LIMIT_PER_ADDRESS', ['-1']],
  ['RATE_LIMIT_CALLBACKS', ['-1', 'many']],
  ['CONNECTIONS_MAX', ['-1', 'many']],
  ['CONNECTIONS_PER_ADDRESS', ['-1', '1.5']],
  ['SIGN_UP', ['closed', 'Invited', '']],
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
  [
    'OPERATOR_URL',
    [
      'operators.example.tz',
      'ftp://operators.example.tz',
      'https://operators.example.tz/operator',
      'https://a@operators.example.tz',
      'https://operators.example.tz?x',
      'http://127.0.0.1:8080',
    ],
  ],
  [
    'OPERATOR_ALLOWED_IPS',
    [
      'office',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '10.0.0.5/8',
      'fd00::1/8',
      '10.0.0.1,',
      'loopback',
      '10.0.0.1 10.0.0.2',
    ],
  ],
  ['DASHBOARD_CLIENT_ID', ['two words']],
  ['OPERATOR_CLIENT_ID', ['two words']],
  ['STEP_UP_S', ['-1', '1.5', 'soon', '', '86401']],
  ['FOUR_EYES_AMOUNT', ['-1', '1.5', 'much', '1e6', '1,000,000', 'OFF', 'none']],
  [
    'TRUST_PROXY',
    [
      'true',
      '1',
      'proxy.example',
      '10.0.0.0/0',
      '::/0',
      '10.0.0.0/33',
      '10.0.0.5/8',
      '10.0.0.1,',
      '10.1',
      '010.0.0.1',
      '10.0.0.1/x',
      'Loopback',
      'fe80::1%eth0',
      '10.0.0.1 10.0.0.2',
    ],
  ],
  ['RETENTION_PAYERS_DAYS', ['-1', '399', '400.5', 'ever', '', '36501']],
  ['RETENTION_OUTBOX_DAYS', ['-1', '1.5', 'ever', '', '3651']],
  ['RETENTION_CALLBACKS_DAYS', ['-1', 'ever', '']],
  ['RETENTION_IDEMPOTENCY_DAYS', ['-1', 'ever', '', '3651']],
  ['RETENTION_AUDIT_ADDRESSES_DAYS', ['-1', '29', '30.5', 'ever', '', '3651']],
  ['LOG_LEVEL', ['loud', '']],
]
const SECRETS = new Set(fileSettings(PROVIDERS))
for (const [name, values] of BAD) {
  test(`the server refuses a bad ${name} with the name of the variable and the value, unless the value may be secret`, () => {
    for (const value of values) {
      assert.deepEqual(refusedFor({ [name]: value }), [name], JSON.stringify(value))
      const names_value = refusalOf({ [name]: value }).includes(
        JSON.stringify(value.replace(/^.*@/s, '***@').slice(0, 200)),
      )
      assert.equal(names_value, !SECRETS.has(name), refusalOf({ [name]: value }))
    }
  })
}

test('the server refuses COLLECTION_MIN_AMOUNT above COLLECTION_MAX_AMOUNT', () => {
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '9.99' }), [
    'COLLECTION_MIN_AMOUNT',
  ])
  assert.deepEqual(refusedFor({ COLLECTION_MIN_AMOUNT: '10', COLLECTION_MAX_AMOUNT: '10.00' }), [])
})

test('the refusal of a configuration names all bad variables together', () => {
  assert.deepEqual(refusedFor({ PORT: 'x', BRAND: 'X', LOG_LEVEL: 'x' }).sort(), ['BRAND', 'LOG_LEVEL', 'PORT'])
})

test('the server accepts two different console clients or none, and production with a foreign issuer requires both', () => {
  const both = { DASHBOARD_CLIENT_ID: 'one', OPERATOR_CLIENT_ID: 'two' }
  assert.deepEqual(refusedFor(both), [])
  assert.deepEqual(refusedFor({ ...both, OPERATOR_CLIENT_ID: 'one' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ DASHBOARD_CLIENT_ID: 'one' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ OPERATOR_CLIENT_ID: 'two' }), ['DASHBOARD_CLIENT_ID'])
  const { DASHBOARD_CLIENT_ID, OPERATOR_CLIENT_ID, ...built_in } = PRODUCTION_SETTINGS
  assert.deepEqual(refusedFor(built_in), [])
  assert.deepEqual(refusedFor({ ...built_in, OIDC_ISSUER: 'https://id.example.tz' }), ['OPERATOR_CLIENT_ID'])
  assert.deepEqual(refusedFor({ ...PRODUCTION_SETTINGS, OIDC_ISSUER: 'https://id.example.tz' }), [])
})

test('FOUR_EYES_AMOUNT is an amount in shillings, off or empty, and production requires an amount or off', () => {
  assert.equal(readConfig({}, PROVIDERS).four_eyes_amount, null)
  assert.equal(readConfig({ FOUR_EYES_AMOUNT: '1000000' }, PROVIDERS).four_eyes_amount, 100_000_000n)
  assert.equal(readConfig({ FOUR_EYES_AMOUNT: '0' }, PROVIDERS).four_eyes_amount, 0n)
  assert.equal(readConfig({ FOUR_EYES_AMOUNT: 'off' }, PROVIDERS).four_eyes_amount, 'off')
  const { FOUR_EYES_AMOUNT, ...unset } = PRODUCTION_SETTINGS
  assert.match(refusalOf(unset), /^FOUR_EYES_AMOUNT must be set in production\. Set an amount .* or off /)
  assert.deepEqual(refusedFor({ ...unset, FOUR_EYES_AMOUNT: 'off' }), [])
  assert.doesNotThrow(
    () => readConfig(unset, PROVIDERS, { calls_providers: false }),
    'the admin command needs no amount',
  )
  assert.equal(readConfig({}, PROVIDERS).step_up_s, 600)
})

test('without a real provider, the default limits of prompts are 0, and by default payouts have no limit', () => {
  const limitsOf = (env: Record<string, string>) => {
    const config = readConfig(env, PROVIDERS)
    return [config.prompts_per_phone_hour, config.prompts_per_phone_day]
  }
  assert.deepEqual(limitsOf({}), [0, 0])
  assert.deepEqual(limitsOf({ PROMPTS_PER_PHONE_HOUR: '4' }), [4, 0])
  const real = { ...SELCOM_SETTINGS, PROVIDER: 'selcom' }
  assert.deepEqual(limitsOf(real), [10, 30])
  assert.equal(readConfig(real, PROVIDERS).messages_per_recipient_day, 10)
  assert.deepEqual(limitsOf({ ...real, PROMPTS_PER_PHONE_DAY: '0' }), [10, 0])
  const { payout_daily_limit, payout_daily_limit_per_destination, new_destination } = readConfig({}, PROVIDERS)
  assert.deepEqual([payout_daily_limit, payout_daily_limit_per_destination, new_destination], [null, null, 'warn'])
})

test('the refusal of a configuration never contains a secret or the password of a URL', () => {
  const secret = `${randomBytes(20).toString('base64')}/@${'x'.repeat(300)}`
  assert.throws(
    () =>
      readConfig(
        { SECRET_KEY: secret, DATABASE_URL: `mysql://root:${secret}@db`, BASE_URL: `ftp://root:${secret}@host` },
        PROVIDERS,
      ),
    (error: Error) => !error.message.includes(secret.slice(0, 28)),
  )
})

test('the server accepts a valid production configuration', () => assert.deepEqual(refusedFor(PRODUCTION_SETTINGS), []))

for (const [name, value] of [
  ['DATABASE_URL', ''],
  ['SECRET_KEY', ''],
  ['BASE_URL', 'http://api.example.tz'],
  ['BASE_URL', ''],
  ['PAY_URL', 'http://pay.example.tz'],
  ['WEBHOOK_ALLOW_PRIVATE', 'true'],
  ['OIDC_ISSUER', 'http://id.example.tz'],
  ['OPERATOR_REDIRECT_URIS', 'http://console.example.tz/callback'],
  ['OPERATOR_URL', 'http://operators.example.tz'],
  ['OPERATOR_URL', 'https://api.example.tz'],
  ['PROVIDER', 'mock'],
] as const) {
  test(`production refuses ${name}=${value === '' ? '(empty)' : value} with the name of the variable`, () => {
    assert.deepEqual(refusedFor({ ...PRODUCTION_SETTINGS, [name]: value }), [name])
  })
}

test('production requires a real provider unless the configuration declares a demonstration', () => {
  const { PROVIDER, ...forgotten } = PRODUCTION_SETTINGS
  assert.deepEqual(refusedFor(forgotten), ['PROVIDER'])
  assert.deepEqual(refusedFor({ ...forgotten, ALLOW_MOCK_IN_PRODUCTION: 'true' }), [])
  assert.deepEqual(refusedFor({ ...PRODUCTION_SETTINGS, PROVIDER_ROUTES: 'qr=mock' }), ['PROVIDER_ROUTES'])
  assert.deepEqual(refusedFor({ ...forgotten, PROVIDER_ROUTES: 'wallet_push=selcom' }), ['PROVIDER_ROUTES'])
})

test('the server refuses the mock provider together with a real provider, even with ALLOW_MOCK_IN_PRODUCTION=true', () => {
  for (const env of [
    { PROVIDER: 'selcom', PROVIDER_ROUTES: 'MOBILE_MONEY=mock' },
    { PROVIDER_ROUTES: 'wallet_push=selcom' },
    { PROVIDER_ROUTES: 'wallet_push=selcom', ALLOW_MOCK_IN_PRODUCTION: 'true' },
  ]) {
    assert.deepEqual(refusedFor({ ...SELCOM_SETTINGS, ...env }), ['PROVIDER_ROUTES'])
  }
  assert.deepEqual(refusedFor({ PROVIDER_ROUTES: 'wallet_push=mock' }), [])
})

test('the server uses the URL of an issuer unchanged', () => {
  assert.equal(readConfig({ OIDC_ISSUER: 'https://id.example.tz/' }, PROVIDERS).oidc_issuer, 'https://id.example.tz/')
})

test('TRUST_PROXY accepts addresses, networks and named ranges, separated by commas', () => {
  assert.deepEqual(readConfig({}, PROVIDERS).trust_proxy, [])
  const given = ' 10.0.0.9, 192.168.0.0/16,fd00::/8, ::ffff:10.0.0.1 ,loopback, linklocal, uniquelocal'
  assert.deepEqual(readConfig({ TRUST_PROXY: given }, PROVIDERS).trust_proxy, [
    '10.0.0.9',
    '192.168.0.0/16',
    'fd00::/8',
    '::ffff:10.0.0.1',
    'loopback',
    'linklocal',
    'uniquelocal',
  ])
})

test('the server reads a secret from the file that NAME_FILE names', () => {
  const file = join(tmpdir(), `secret-${process.pid}`)
  writeFileSync(file, `${KEY}\n`, OWNER_ONLY)
  assert.equal(readConfig({ SECRET_KEY_FILE: file }, PROVIDERS).secret_key, KEY)
  assert.deepEqual(refusedFor({ SECRET_KEY_FILE: '/nowhere/at/all' }), ['SECRET_KEY'])
})

test('the refusal of an unusable secret file names the path and the reason', () => {
  const empty = join(tmpdir(), `empty-secret-${process.pid}`)
  writeFileSync(empty, '\n', OWNER_ONLY)
  assert.match(refusalOf({ SELCOM_PIN_FILE: '/nowhere/at/all' }), /^SELCOM_PIN .*\/nowhere\/at\/all.*ENOENT/)
  assert.match(refusalOf({ SELCOM_PIN_FILE: empty }), /^SELCOM_PIN .*SELCOM_PIN_FILE.*empty/)
  assert.match(refusalOf({ SELCOM_VENDOR_FILE: empty }), /^SELCOM_VENDOR cannot come from a file.*SELCOM_PIN/)
  assert.equal(refusalOf({ LOG_LEVEL_FILE: empty }), '', 'the server ignores variables of other programs')
})

test('the server reads the file of a secret when the variable of the secret is empty', () => {
  const file = join(tmpdir(), `beside-${process.pid}`)
  writeFileSync(file, KEY, OWNER_ONLY)
  assert.equal(readConfig({ SECRET_KEY: '', SECRET_KEY_FILE: file }, PROVIDERS).secret_key, KEY)
})

test('the refusal of an impossible route contains the wrong name and the valid names', () => {
  assert.match(refusalOf({ PROVIDER_ROUTES: 'qr=mock,wallet_pusch=mock' }), /"wallet_pusch".*wallet_push/)
  assert.match(refusalOf({ PROVIDER_ROUTES: 'qr=mock,wallet_push=selkom' }), /selkom.*mock, selcom, vodacom/)
  assert.match(refusalOf({ PROVIDER_ROUTES: 'MOBILE_MONEY/ABSENT=mock' }), /"MOBILE_MONEY\/ABSENT".*destinations/)
})

test('the server accepts a route that names a destination by an alias', () => {
  const { provider_routes } = readConfig(
    { PROVIDER_ROUTES: 'MOBILE_MONEY/VODACOM=mock,BANK_ACCOUNT/bancabc=mock' },
    PROVIDERS,
  )
  assert.deepEqual([...provider_routes.keys()], ['MOBILE_MONEY/MPESA', 'BANK_ACCOUNT/ACCESS'])
})

test('a program that calls no provider needs no settings of providers, and its other settings must be valid', () => {
  const env = { PROVIDER: 'selcom', VODACOM_URL: VODACOM_SETTINGS.VODACOM_URL }
  assert.throws(() => readConfig(env, PROVIDERS), /SELCOM_URL must be set/)
  assert.equal(readConfig(env, PROVIDERS, { calls_providers: false }).provider, 'selcom')
  assert.throws(() => readConfig({ ...env, PORT: 'x' }, PROVIDERS, { calls_providers: false }), /PORT/)
  assert.throws(
    () => readConfig({ ...env, NODE_ENV: 'production' }, PROVIDERS, { calls_providers: false }),
    /SECRET_KEY/,
  )
})

test('the refusal of a network with host bits names the right network and the one address', () => {
  for (const name of ['OPERATOR_ALLOWED_IPS', 'TRUST_PROXY']) {
    const refusal = refusalOf({ [name]: '192.0.2.1, 10.0.0.5/8' })
    assert.match(refusal, /"10\.0\.0\.5\/8".*write 10\.0\.0\.0\/8 for the network, or 10\.0\.0\.5 for the one address/)
    assert.match(refusalOf({ [name]: '2001:db8::5/32' }), /write 2001:db8::\/32 for the network, or 2001:db8::5 /)
    assert.deepEqual(refusedFor({ [name]: '10.0.0.0/8,10.0.0.5/32,2001:db8:0:0::/32,2001:db8::5/128' }), [])
  }
})

test('the server refuses a secret with both a value and a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'both-')), 'key')
  writeFileSync(file, KEY, OWNER_ONLY)
  const refusal = refusalOf({ SECRET_KEY: KEY, SECRET_KEY_FILE: file })
  assert.equal(
    refusal,
    'SECRET_KEY must not have a value together with SECRET_KEY_FILE: remove one of the two variables',
  )
})

test('the server refuses the file of a secret that other users can read, and accepts a credential of systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'readable-'))
  const file = join(folder, 'key')
  for (const mode of [0o640, 0o604, 0o666]) {
    writeFileSync(file, `${KEY}\n`)
    chmodSync(file, mode)
    // The server accepts a file of root that a group of the server can read.
    const by_root = mode === 0o640 && process.getuid?.() === 0
    const refusal = refusalOf({ SECRET_KEY_FILE: file })
    if (by_root) assert.equal(refusal, '')
    else assert.match(refusal, new RegExp(`^SECRET_KEY .*permissions ${mode.toString(8)}\\. Run: chmod 600 ${file}$`))
    assert.equal(refusalOf({ SECRET_KEY_FILE: file, CREDENTIALS_DIRECTORY: folder }), '')
  }
})

test('a secret of a file keeps its spaces and loses its line break', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'spaces-')), 'pin')
  writeFileSync(file, ' 12 34 \r\n', OWNER_ONLY)
  assert.equal(readConfig({ MOCK_SECRET_FILE: file }, PROVIDERS).provider_settings.get('mock')?.secret, ' 12 34 ')
})

test('the server reads the file of MALIPO_ENV, or malipo.env, or .env, and the environment overrides the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'))
  writeFileSync(join(folder, '.env'), 'PORT=1\nBRAND=old\n')
  assert.equal(gatherSettings({}, folder).values.PORT, '1')
  writeFileSync(join(folder, 'malipo.env'), 'PORT=2\nLOG_LEVEL=warn\nSECRET_KEY_FILE=/a\nMOCK_SECRET=b\n', OWNER_ONLY)
  const given = gatherSettings({ LOG_LEVEL: 'error', SECRET_KEY: KEY, MOCK_SECRET_FILE: '/c' }, folder)
  assert.deepEqual(given.values, { PORT: '2', LOG_LEVEL: 'error', SECRET_KEY: KEY, MOCK_SECRET_FILE: '/c' })
  const path = join(folder, 'other.env')
  writeFileSync(path, 'PORT=3\n', OWNER_ONLY)
  assert.equal(gatherSettings({ MALIPO_ENV: path }, folder).values.PORT, '3')
  assert.throws(
    () => gatherSettings({ MALIPO_ENV: '/nowhere.env' }, folder),
    /^Error: MALIPO_ENV: .*\/nowhere\.env \(ENOENT\)/,
  )
  mkdirSync(join(folder, 'folder.env'))
  assert.throws(() => gatherSettings({ MALIPO_ENV: join(folder, 'folder.env') }, folder), /cannot read .*EISDIR/)
})

test('the effective settings show each source and no secret', () => {
  const folder = mkdtempSync(join(tmpdir(), 'effective-'))
  const path = join(folder, 'malipo.env')
  writeFileSync(path, 'PORT=2\nSELCOM_PIN_FILE=/run/secrets/pin\nSELCOM_API_KEY=hidden-key\n', OWNER_ONLY)
  const given = gatherSettings({ BRAND: 'duka', BASE_URL: 'https://a:hidden@b.tz', SECRET_KEY: KEY }, folder)
  const found = new Map(effectiveSettings(given, PROVIDERS).map(({ name, value, source }) => [name, [value, source]]))
  assert.deepEqual(found.get('PORT'), ['2', path])
  assert.deepEqual(found.get('BRAND'), ['duka', 'environment'])
  assert.deepEqual(found.get('BASE_URL'), ['https://***@b.tz', 'environment'])
  assert.deepEqual(found.get('SECRET_KEY'), ['***', 'environment'])
  assert.deepEqual(found.get('SELCOM_API_KEY'), ['***', path])
  assert.deepEqual(found.get('SELCOM_PIN'), ['***', `file /run/secrets/pin (${path})`])
  assert.deepEqual(found.get('LOG_LEVEL'), ['info', 'default'])
  assert.deepEqual(found.get('MOCK_SECRET'), ['***', 'default'])
  assert.doesNotMatch(JSON.stringify([...found]), /hidden/)
})

test('the server finds unknown names in the file and mistyped names in the environment, and ignores other names there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unknown-'))
  const path = join(folder, 'malipo.env')
  writeFileSync(
    path,
    'LOG_LEVL=warn\nFAVOURITE=x\nPORT=1\nSECRET_KEY_FILE=/a\nNODE_OPTIONS=\nPGUSER=a\nPGHOST=b\n',
    OWNER_ONLY,
  )
  const foreign = {
    PATH: '/bin',
    HOSTNAME: 'a',
    APP_URL: 'x',
    PGHOST: 'x',
    LOG_LEVEL_FILE: 'x',
    XDG_DATA_DIRS: 'x',
    HOSTS: 'x',
  }
  const given = gatherSettings({ ...foreign, FOUR_EYE_AMOUNT: '1', OPERATOR_ALLOWED_IP: 'x' }, folder)
  const found = unknownSettings(given, PROVIDERS).sort((one, other) => (one.name < other.name ? -1 : 1))
  assert.deepEqual(found, [
    { name: 'FAVOURITE', where: path, nearest: null, of_driver: false },
    { name: 'FOUR_EYE_AMOUNT', where: 'the environment', nearest: 'FOUR_EYES_AMOUNT', of_driver: false },
    { name: 'LOG_LEVL', where: path, nearest: 'LOG_LEVEL', of_driver: false },
    { name: 'OPERATOR_ALLOWED_IP', where: 'the environment', nearest: 'OPERATOR_ALLOWED_IPS', of_driver: false },
    { name: 'PGUSER', where: path, nearest: null, of_driver: true },
  ])
  // Other programs use .env too, so the server reports no foreign names there. The server reports variables of the driver,
  // because they have no effect in a file.
  writeFileSync(join(folder, '.env'), 'PGPASSWORD=x\nFAVOURITE=x\n', OWNER_ONLY)
  const of_env = unknownSettings(gatherSettings({ MALIPO_ENV: join(folder, '.env') }, folder), PROVIDERS)
  assert.deepEqual(
    of_env.map(({ name }) => name),
    ['PGPASSWORD'],
  )
})
