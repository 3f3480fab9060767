// Tests that the server refuses forged tokens and other credentials. If a credential has the form of a token, the server always
// gives the same answer.

import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { CompactEncrypt, SignJWT } from 'jose'
import { createWorld, type Reply, START, type World } from '../../../test/harness.ts'
import {
  createTestIssuer,
  newTestKey,
  part,
  compact as sign,
  type TestIssuer,
  type TestKey,
} from '../../../test/issuer.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { catalogue } from '../../kernel/lib/index.ts'
import { createUser, setMember } from '../merchants/index.ts'
import { issuerKey } from './keys.ts'
import { EMBEDDED, issueAccessToken, TOKEN_MAX } from './tokens.ts'

const NOW_S = START.getTime() / 1000
const ADMIN_URL = 'http://127.0.0.1/identity'
const AUDIENCE = 'malipo-api'

/** A kind of issuer, with a user who may sign in. */
type Stage = {
  world: World
  /** The key pair of the issuer. Many forged tokens have a valid signature of this key. */
  key: TestKey
  issuer: string
  /** The header and the claims of a valid token. */
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/**
 * Returns the token with replaced claims and header fields, signed with the issuer's key. If a new value is undefined, removes
 * the claim.
 */
function altered(stage: Stage, claims: Record<string, unknown>, header: Record<string, unknown> = {}): string {
  return sign({ ...stage.header, ...header }, { ...stage.claims, ...claims }, stage.key)
}
const good = (stage: Stage) => altered(stage, {})
const pieces = (token: string) => token.split('.') as [string, string, string]

function hmac(stage: Stage, alg: string, secret: Buffer | string, header: Record<string, unknown> = {}): string {
  const input = `${part({ ...stage.header, ...header, alg })}.${part(stage.claims)}`
  return `${input}.${createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url')}`
}
const publicForms = (key: KeyObject): Record<string, Buffer | string> => ({
  'PEM (SPKI)': key.export({ format: 'pem', type: 'spki' }) as string,
  'PEM without its last newline': (key.export({ format: 'pem', type: 'spki' }) as string).trim(),
  'DER (SPKI)': key.export({ format: 'der', type: 'spki' }),
  JWK: JSON.stringify(key.export({ format: 'jwk' })),
})

type Forgery = { name: string; forge: (stage: Stage) => string | Promise<string> }
const forgeries: Forgery[] = []
const forged = (name: string, forge: Forgery['forge']) => forgeries.push({ name, forge })

// Unsigned tokens, and tokens with a wrong signature -----------------------------------------------------------------------

for (const alg of ['none', 'None', 'NONE', 'nOnE', 'none ', '', null, undefined, 0, ['none']]) {
  const unsigned = (stage: Stage) => `${part({ ...stage.header, alg })}.${part(stage.claims)}`
  forged(`alg ${JSON.stringify(alg)} without a signature`, (stage) => `${unsigned(stage)}.`)
  forged(`alg ${JSON.stringify(alg)} with the signature of a valid token`, (stage) => {
    return `${unsigned(stage)}.${pieces(good(stage))[2]}`
  })
}
for (const alg of ['HS256', 'HS384', 'HS512']) {
  for (const form of Object.keys(publicForms(newTestKey('x', 'ES256').public_key))) {
    forged(`${alg} signed with the public key as ${form}`, (stage) =>
      hmac(stage, alg, publicForms(stage.key.public_key)[form] as Buffer),
    )
  }
  forged(`${alg} signed with an empty secret`, (stage) => hmac(stage, alg, ''))
}
forged('HS256 signed with the key id', (stage) => hmac(stage, 'HS256', stage.key.kid))
for (const alg of ['RS256', 'ES256'] as const) {
  forged(`${alg} by another key under the same kid`, (stage) => {
    return sign({ ...stage.header, alg }, stage.claims, newTestKey(stage.key.kid, alg))
  })
  forged(`${alg} by another key under a kid of its own`, (stage) => {
    return sign({ ...stage.header, alg, kid: 'mine' }, stage.claims, newTestKey('mine', alg))
  })
}
for (const alg of ['RS1', 'RS512', 'ES384', 'ES256K', 'EdDSA', 'PS256', 'RSA-OAEP', 'dir', 'es256', 'rs256']) {
  forged(`alg ${alg} with a signature of another algorithm`, (stage) => altered(stage, {}, { alg }))
}
forged('an empty signature', (stage) => `${pieces(good(stage)).slice(0, 2).join('.')}.`)
forged('a signature of zeros', (stage) => {
  const [header, payload, signature] = pieces(good(stage))
  return `${header}.${payload}.${part(Buffer.alloc(Buffer.from(signature, 'base64url').length))}`
})
forged('a signature cut short', (stage) => good(stage).slice(0, -8))
forged('a signature with one more byte', (stage) => `${good(stage)}AA`)
forged('a signature with one changed bit', (stage) => {
  const [header, payload, signature] = pieces(good(stage))
  const bytes = Buffer.from(signature, 'base64url')
  bytes[5] = (bytes[5] as number) ^ 1
  return `${header}.${payload}.${part(bytes)}`
})
forged('the payload of another user under the signature', (stage) => {
  const [header, , signature] = pieces(good(stage))
  return `${header}.${part({ ...stage.claims, sub: 'another-user' })}.${signature}`
})
forged('a later exp under the signature', (stage) => {
  const [header, , signature] = pieces(good(stage))
  return `${header}.${part({ ...stage.claims, exp: NOW_S + 9_999 })}.${signature}`
})
forged('another header under the signature', (stage) => {
  const [, payload, signature] = pieces(good(stage))
  return `${part({ ...stage.header, unknown: 1 })}.${payload}.${signature}`
})

// Claims of tokens with the right signature ----------------------------------------------------------------------------------

const BAD_CLAIMS: Record<string, unknown[]> = {
  iss: [undefined, null, '', 'https://evil.example', [], 1, EMBEDDED],
  aud: [
    undefined,
    null,
    '',
    [],
    {},
    'account',
    'malipo-api-2',
    'malipo-api malipo',
    'MALIPO-API',
    ' malipo-api',
    ['account'],
    [['malipo-api']],
    [{ 0: 'malipo-api' }],
    { 'malipo-api': true },
    { 0: 'malipo-api', length: 1 },
  ],
  sub: [undefined, null, '', 7, {}, ['a'], 'nobody', 'nul\0', '\ud800', 'x'.repeat(256), "' or ''='", '%'],
  exp: [undefined, null, NOW_S - 31, NOW_S - 86_400, 0, -1, String(NOW_S + 600), 'tomorrow', {}],
  iat: [undefined, null, NOW_S + 31, NOW_S + 86_400, 'now', {}],
  nbf: [NOW_S + 31, NOW_S + 86_400, String(NOW_S), null],
  cnf: [{ jkt: 'someone' }, { 'x5t#S256': 'someone' }],
}
const shown = (value: unknown) => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 40))
for (const [claim, values] of Object.entries(BAD_CLAIMS)) {
  for (const value of values) forged(`${claim} ${shown(value)}`, (stage) => altered(stage, { [claim]: value }))
}
for (const more of ['/', '.', '#', '?', ' ']) {
  forged(`iss with ${JSON.stringify(more)} after it`, (stage) => altered(stage, { iss: `${stage.issuer}${more}` }))
}
forged('iss in upper case', (stage) => altered(stage, { iss: stage.issuer.toUpperCase() }))
forged('iss in a list', (stage) => altered(stage, { iss: [stage.issuer] }))
for (const payload of ['', 'null', '"text"', '[]', '7', '{', '{"sub":']) {
  forged(`a payload of ${JSON.stringify(payload)}`, (stage) => sign(stage.header, payload, stage.key))
}

// Headers of tokens with the right signature ---------------------------------------------------------------------------------

for (const typ of [
  undefined,
  null,
  '',
  'id_token',
  'refresh+jwt',
  'rt+jwt',
  'logout+jwt',
  'dpop+jwt',
  'at+jwt ',
  'JOSE',
]) {
  forged(`typ ${shown(typ)}`, (stage) => altered(stage, {}, { typ }))
}
const KIDS: unknown[] = [
  '',
  null,
  7,
  {},
  ['first'],
  '../../../../dev/null',
  '/proc/self/environ',
  '..%2f..%2fetc%2fpasswd',
  "x' union select 'k', 'i', '{}' --",
  "'; drop table signing_keys; --",
  'first\0',
  '\0',
  '\ud800',
  'first ',
  ' first',
  '*',
  '%',
  '__proto__',
  'constructor',
  'http://127.0.0.1:9/key',
  'x'.repeat(256),
  'x'.repeat(5_000),
]
for (const kid of KIDS) forged(`kid ${shown(kid)}`, (stage) => altered(stage, {}, { kid }))
for (const crit of [['exp'], ['kid'], ['evil'], ['b64'], [], 'exp', {}]) {
  forged(`crit ${JSON.stringify(crit)}`, (stage) => altered(stage, {}, { crit, evil: 1, b64: true }))
}
forged('a payload that is not encoded (b64 false)', (stage) => altered(stage, {}, { crit: ['b64'], b64: false }))
forged('a compressed payload (zip)', (stage) => altered(stage, {}, { crit: ['zip'], zip: 'DEF' }))
for (const header of ['', 'null', '[]', '"text"', '{', 'not json']) {
  forged(`a header of ${JSON.stringify(header)}`, (stage) => sign(header, stage.claims, stage.key))
}

// Tokens that offer a key, with a signature of that key ----------------------------------------------------------------------

const mine = newTestKey('mine')
const OFFERS: Record<string, (url: string) => unknown> = {
  jku: (url) => `${url}/keys`,
  x5u: (url) => `${url}/chain.pem`,
  jwk: () => ({ ...mine.public_key.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }),
  x5c: () => [mine.public_key.export({ format: 'der', type: 'spki' }).toString('base64')],
}
let forger: TestIssuer
for (const [name, offer] of Object.entries(OFFERS)) {
  for (const kid of ['mine', undefined, 'theirs'] as const) {
    forged(`${name} with a key of the forger and kid ${kid ?? 'missing'}`, (stage) => {
      const named = kid === 'theirs' ? stage.key.kid : kid
      return sign({ ...stage.header, alg: 'RS256', kid: named, [name]: offer(forger.url) }, stage.claims, mine)
    })
  }
}
forged('the key of another installation', async (stage) => {
  const other = await createWorld()
  try {
    const key = await issuerKey(other.deps, stage.issuer)
    return await issueAccessToken(other.deps, key, String(stage.claims.sub), ['pwd', 'otp'])
  } finally {
    await other.close()
  }
})

// Credentials other than a signed access token -------------------------------------------------------------------------------

forged('an ID token', (stage) => altered(stage, { nonce: 'n', typ: 'ID', aud: 'dashboard' }, { typ: 'JWT' }))
forged('an ID token for this audience', (stage) => altered(stage, { nonce: 'n', typ: 'ID' }, { typ: 'JWT' }))
forged('a refresh token', (stage) => altered(stage, { typ: 'Refresh' }, { typ: 'JWT' }))
forged('an offline token', (stage) => altered(stage, { typ: 'Offline' }, { typ: 'JWT' }))
forged('a logout token', (stage) => altered(stage, { typ: 'Logout', events: {} }, { typ: 'logout+jwt' }))
forged('an opaque refresh token', () => 'v1.MvJkbHvH0tLrFhc1yPzO6YtWcQe3nq2sXx')
forged('an encrypted token (JWE)', (stage) =>
  new CompactEncrypt(Buffer.from(good(stage)))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: stage.key.kid })
    .encrypt(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
)
forged('a JWE with the secret in the open (dir)', (stage) =>
  new CompactEncrypt(Buffer.from(JSON.stringify(stage.claims)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: stage.key.kid })
    .encrypt(Buffer.alloc(32)),
)
forged('a valid token in a token', (stage) => sign({ ...stage.header, cty: 'JWT' }, good(stage), stage.key))
forged('a valid token twice', (stage) => `${good(stage)}.${good(stage)}`)
forged('a valid token with a fourth part', (stage) => `${good(stage)}.${part({})}`)
forged('a valid token with a comma after it', (stage) => `${good(stage)},`)
forged('two tokens in a list', (stage) => `${good(stage)},${good(stage)}`)
forged('a token in the JSON form', (stage) => {
  const [header, payload, signature] = pieces(good(stage))
  return JSON.stringify({ protected: header, payload, signature }).replaceAll(' ', '')
})
forged('a token in the general JSON form', (stage) => {
  const [header, payload, signature] = pieces(good(stage))
  return JSON.stringify({ payload, signatures: [{ protected: header, signature }] })
})
forged('plain base64 with padding', (stage) => `${good(stage)}==`)
forged('a token above the maximum length', (stage) => altered(stage, { more: 'x'.repeat(TOKEN_MAX) }))
forged('dots', () => '...')
forged('two dots', () => '..')
forged('a text without dots', () => 'null')
forged('an unsecured token of jose itself', (stage) => `${part({ alg: 'none' })}.${part(stage.claims)}.`)
forged('percent signs', (stage) => good(stage).replaceAll('.', '%2e'))
forged('HS256 by jose with the public key', (stage) =>
  new SignJWT(stage.claims)
    .setProtectedHeader({ ...stage.header, alg: 'HS256' })
    .sign(Buffer.from(publicForms(stage.key.public_key)['PEM (SPKI)'] as string)),
)

// Stages, one for each kind of issuer -------------------------------------------------------------------------------------

async function personOf(world: World, identity: 'embedded' | { issuer: string; subject: string }): Promise<string> {
  return inTransaction(world.deps.db, async (tx) => {
    const base = { name: 'Asha', email_verified: true, language: 'sw', operator_role: null } as const
    const { id } = await createUser(world.deps, tx, { ...base, email: 'asha@example.tz', identity })
    await setMember(world.deps, tx, world.merchant.id, id, 'MERCHANT_ADMIN')
    return id
  })
}

const times = { iat: NOW_S, nbf: NOW_S, exp: NOW_S + 600, jti: 'j', client_id: 'dashboard', scope: 'openid' }

async function builtIn(): Promise<Stage> {
  const world = await createWorld()
  const { kid, private_jwk } = await issuerKey(world.deps, ADMIN_URL)
  const private_key = createPrivateKey({ key: private_jwk as Record<string, string>, format: 'jwk' })
  const sub = await personOf(world, 'embedded')
  return {
    world,
    key: { kid, alg: 'ES256', private_key, public_key: createPublicKey(private_key) },
    issuer: ADMIN_URL,
    header: { alg: 'ES256', kid, typ: 'at+jwt' },
    claims: { iss: ADMIN_URL, aud: AUDIENCE, sub, amr: ['pwd'], ...times },
  }
}

async function foreign(issuer: TestIssuer, kind: 'at+jwt' | 'bearer'): Promise<Stage> {
  const world = await createWorld({ env: { OIDC_ISSUER: issuer.url, OIDC_TOKEN_TYPE: kind } })
  await personOf(world, { issuer: issuer.url, subject: 'person-1' })
  const key = issuer.keys[0] as TestKey
  const typ = kind === 'bearer' ? 'JWT' : 'at+jwt'
  const claims = { iss: issuer.url, aud: ['account', AUDIENCE], sub: 'person-1', ...times }
  return {
    world,
    key,
    issuer: issuer.url,
    header: { alg: 'RS256', kid: key.kid, typ },
    claims: { ...claims, ...(kind === 'bearer' ? { typ: 'Bearer' } : {}) },
  }
}

/** Sends the Authorization header without any change, even of its spaces. */
function show(stage: Stage, authorization: string): Promise<Reply> {
  return stage.world.call({ method: 'GET', url: '/v1/collections', key: null, headers: { authorization } })
}

const REFUSED = {
  success: false,
  error: { code: 'invalid_session', message: catalogue.invalid_session.message, details: null },
}

let issuer: TestIssuer
const stages = new Map<string, Stage>()
before(async () => {
  issuer = await createTestIssuer()
  forger = await createTestIssuer()
  stages.set('the built-in issuer', await builtIn())
  stages.set('a foreign issuer', await foreign(issuer, 'at+jwt'))
  stages.set('an issuer like Keycloak', await foreign(issuer, 'bearer'))
})
after(async () => {
  for (const { world } of stages.values()) await world.close()
  await issuer.close()
  await forger.close()
})
const stageOf = (name: string) => stages.get(name) as Stage

for (const where of ['the built-in issuer', 'a foreign issuer', 'an issuer like Keycloak']) {
  describe(`forged tokens of ${where}`, () => {
    test(`the server accepts the valid token of ${where} from which the test makes each forged token`, async () => {
      assert.ok(forgeries.length >= 60)
      const stage = stageOf(where)
      for (const more of [{}, { aud: AUDIENCE }, { exp: NOW_S - 29 }, { iat: NOW_S + 29, nbf: NOW_S + 29 }]) {
        assert.equal((await show(stage, `Bearer ${altered(stage, more)}`)).status, 200, JSON.stringify(more))
      }
    })
    for (const { name, forge } of forgeries) {
      test(`the server refuses a token of ${where} forged as "${name}"`, async () => {
        const stage = stageOf(where)
        const token = await forge(stage)
        assert.notEqual(token, good(stage))
        const refused = await show(stage, `Bearer ${token}`)
        assert.equal(refused.status, 401, refused.text)
        // If the credential does not have the form of a token, the answer describes the credentials that the server accepts.
        if (/\..*\./.test(token)) assert.deepEqual(refused.body, REFUSED)
        else assert.equal(refused.body.error.code, 'authentication_required')
        assert.equal(refused.headers['www-authenticate'], undefined)
      })
    }
    test(`the server answers authentication_required for a credential of ${where} that the server cannot parse`, async () => {
      const stage = stageOf(where)
      const token = good(stage)
      const unreadable = [
        `Bearer ${token} ${token}`,
        `Bearer\t${token}`,
        `Bearer ${token.replace('.', ' .')}`,
        'Bearer ',
        'Bearer',
        token,
      ]
      for (const text of [...unreadable, `Basic ${token}`, `DPoP ${token}`, `Bearer: ${token}`]) {
        const refused = await show(stage, text)
        assert.deepEqual([refused.status, refused.body.error.code], [401, 'authentication_required'], text.slice(0, 12))
      }
    })
    test(`the server logs no token of ${where} and fetches no key from an address of the forger`, () => {
      const { deps } = stageOf(where).world
      for (const line of deps.logged) assert.doesNotMatch(line, /eyJ[\w-]+\.eyJ/)
      assert.deepEqual(forger.requested_paths, [])
    })
  })
}

describe('tokens of an issuer that is not configured', () => {
  test('the server refuses tokens of the built-in provider when a foreign issuer is configured', async () => {
    const { world } = stageOf('a foreign issuer')
    const { token } = await world.newSession('MERCHANT_ADMIN')
    assert.deepEqual((await world.get('/v1/collections', token)).body, REFUSED)
  })

  test('the server refuses tokens of a foreign issuer when the configuration names no issuer', async () => {
    const theirs = good(stageOf('a foreign issuer'))
    assert.deepEqual((await stageOf('the built-in issuer').world.get('/v1/collections', theirs)).body, REFUSED)
  })

  test('the server refuses an access token whose type header differs from the configured type', async () => {
    const [plain, keycloak] = [stageOf('a foreign issuer'), stageOf('an issuer like Keycloak')]
    assert.deepEqual((await plain.world.get('/v1/collections', good(keycloak))).body, REFUSED)
    assert.deepEqual((await keycloak.world.get('/v1/collections', good(plain))).body, REFUSED)
  })
})

test('a process refuses later tokens of a retired key within a minute, and all tokens of the key after their lifetime', async () => {
  const stage = await builtIn()
  try {
    assert.equal((await show(stage, `Bearer ${good(stage)}`)).status, 200)
    const retired_at = new Date(START.getTime() + 1_000)
    await stage.world.rows('update signing_keys set retired_at = $1', [retired_at])
    stage.world.deps.clock.advance(61_000)
    assert.equal((await show(stage, `Bearer ${good(stage)}`)).status, 200, 'signed before it was retired')
    assert.equal((await show(stage, `Bearer ${altered(stage, { iat: NOW_S + 2 })}`)).status, 401)
    stage.world.deps.clock.advance(900_000)
    const backdated = altered(stage, { exp: NOW_S + 86_400 })
    assert.equal((await show(stage, `Bearer ${backdated}`)).status, 401)
  } finally {
    await stage.world.close()
  }
})
