// Tests at which console a token is valid, and that the operator console requires a new sign-in each time.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestIssuer, type TestIssuer } from '../../../test/issuer.ts'
import {
  authorizeUrl,
  exchange,
  newPerson,
  openBrowser,
  refresh,
  requestToken,
  type Served,
  serve,
  signIn,
} from '../../../test/sign-in.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import type { Console } from '../../kernel/http/index.ts'
import { createUser, setMember } from '../merchants/index.ts'

const MERCHANTS = '/v1/collections?environment=sandbox'
const OPERATORS = '/v1/operator/merchants'
const ALIEN: [number, string] = [403, 'insufficient_role']

let world: Served
before(async () => {
  world = await serve()
})
after(() => world.close())

/** Makes a user who is an operator and also a member of a merchant. */
async function newBoth() {
  const person = await newPerson(world, { super_admin: true })
  await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, world.merchant.id, person.id, 'MERCHANT_ADMIN'))
  return person
}

const me = async (token: string, at: World = world) => (await at.get('/v1/me', token)).body.data
const opens = async (token: string, at: World = world) => [
  codeOf(await at.get(MERCHANTS, token)),
  codeOf(await at.get(OPERATORS, token)),
]

describe('tokens of the built-in provider', () => {
  test('the API of operators refuses a token of the dashboard, even when its user is an operator', async () => {
    const { access_token } = await signIn(world, await newBoth())
    assert.deepEqual(await opens(access_token), [[200, 'ok'], ALIEN])
    const { console, super_admin } = await me(access_token)
    assert.deepEqual([console, super_admin], ['dashboard', true])
    const refused = await world.get(OPERATORS, access_token)
    assert.match(refused.body.error.message, /Sign in to the operators' console/)
  })

  test('the API of merchants refuses a token of the operator console, even when its user is a member', async () => {
    const { access_token } = await signIn(world, await newBoth(), openBrowser(world.base), 'operator')
    assert.deepEqual(await opens(access_token), [ALIEN, [200, 'ok']])
    assert.equal((await me(access_token)).console, 'operator')
    const refused = await world.get(MERCHANTS, access_token)
    assert.match(refused.body.error.message, /Sign in to the dashboard/)
  })

  test('both APIs refuse a token of the operator console when its user has no operator role', async () => {
    const person = await newPerson(world)
    const { access_token } = await signIn(world, person, openBrowser(world.base), 'operator')
    assert.deepEqual(await opens(access_token), [ALIEN, ALIEN])
  })

  test('both APIs accept a token of the admin command', async () => {
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN' }, { role: 'SUPER_ADMIN' }])
    assert.deepEqual(await opens(token), [
      [200, 'ok'],
      [200, 'ok'],
    ])
    const { console, auth_time } = await me(token)
    assert.deepEqual([console, auth_time], [null, world.deps.clock.now().toISOString()])
  })

  test('the provider refuses a code or refresh token of one console from the client of the other console', async () => {
    const person = await newBoth()
    const browser = openBrowser(world.base)
    const tokens = await signIn(world, person, browser)
    assert.equal((await refresh(world.base, tokens.refresh_token, 'operator')).body.error, 'invalid_grant')
    const asking = authorizeUrl(world.base, { prompt: 'none' })
    const back = await browser.get(asking.url)
    const more = { client_id: 'operator', redirect_uri: `${world.base}/operator/callback` }
    for (const as of [{ client_id: 'operator' }, more]) {
      assert.equal((await exchange(world.base, asking, back, as)).body.error, 'invalid_grant')
    }
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: 'admin' }
    assert.equal((await requestToken(world.base, form)).body.error, 'invalid_client')
  })

  test('the sign-in for each console returns the browser only to the address of that console', async () => {
    const browser = openBrowser(world.base)
    for (const [client, other] of [
      ['dashboard', 'operator'],
      ['operator', 'dashboard'],
    ] as [Console, Console][]) {
      const asking = authorizeUrl(world.base, { redirect_uri: `${world.base}/${other}/callback` }, client)
      const { status, location } = await browser.get(asking.url)
      assert.deepEqual([status, location], [400, null])
    }
    const page = await browser.follow(await browser.get(authorizeUrl(world.base, {}, 'operator').url))
    assert.match(page.text, new RegExp(`<p class="brand"><a href="${world.base}/operator/">`))
  })

  test('the sign-in accepts the address that OPERATOR_REDIRECT_URIS names, and refuses the default address of the console', async () => {
    const uri = 'https://console.example.tz/operator/callback'
    const other = await serve({ env: { OPERATOR_REDIRECT_URIS: uri }, url: world.url })
    try {
      const browser = openBrowser(other.base)
      assert.equal((await browser.get(authorizeUrl(other.base, {}, 'operator').url)).status, 400)
      const page = await browser.follow(
        await browser.get(authorizeUrl(other.base, { redirect_uri: uri }, 'operator').url),
      )
      assert.equal(page.status, 200)
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action [^;]*https:\/\/console\.example\.tz/)
      const headers = { origin: 'https://console.example.tz', 'content-type': 'application/x-www-form-urlencoded' }
      const reply = await fetch(`${other.base}/identity/token`, { method: 'POST', headers, body: 'client_id=operator' })
      assert.equal(reply.headers.get('access-control-allow-origin'), 'https://console.example.tz')
    } finally {
      await other.close()
    }
  })
})

describe('sign-ins to the operator console', () => {
  const signedIn = async () => {
    const browser = openBrowser(world.base)
    const person = await newBoth()
    await signIn(world, person, browser)
    return { browser, person }
  }

  test('the operator console requires the password when the user has a session of the dashboard', async () => {
    const { browser, person } = await signedIn()
    const asking = authorizeUrl(world.base, {}, 'operator')
    const page = await browser.follow(await browser.get(asking.url))
    assert.match(page.text, /name="password"/)
    const wrong = await browser.post(page.url, { email: person.email, password: 'not a password of mine' })
    assert.equal(wrong.status, 401)
    const back = await browser.follow(await browser.post(page.url, person))
    assert.equal((await exchange(world.base, asking, back)).status, 200)
  })

  test('the operator console refuses a sign-in without a page, even right after another sign-in', async () => {
    const { browser, person } = await signedIn()
    await signIn(world, person, browser, 'operator')
    const silent = await browser.get(authorizeUrl(world.base, { prompt: 'none' }, 'operator').url)
    const query = new URL(silent.location ?? '', world.base).searchParams
    assert.deepEqual([query.get('code'), query.get('error')], [null, 'login_required'])
    const page = await browser.follow(await browser.get(authorizeUrl(world.base, { max_age: '86400' }, 'operator').url))
    assert.match(page.text, /name="password"/)
  })

  test('a sign-in to the operator console returns no code when the user signed in to the dashboard after that sign-in began', async () => {
    const browser = openBrowser(world.base)
    const begun = await browser.get(authorizeUrl(world.base, {}, 'operator').url)
    const uid = new URL(begun.location ?? '', world.base).pathname.split('/').at(-1)
    await signIn(world, await newBoth(), browser)
    const resumed = await browser.get(`/identity/authorize/${uid}`)
    assert.doesNotMatch(resumed.location ?? '', /code=/)
    assert.doesNotMatch((await browser.follow(resumed)).location ?? '', /code=/)
  })

  test('the operator console requires the setup of a second step', async () => {
    const person = await newPerson(world, { super_admin: true, demo: false })
    const browser = openBrowser(world.base)
    const asking = authorizeUrl(world.base, {}, 'operator')
    const page = await browser.follow(await browser.get(asking.url))
    const next = await browser.follow(await browser.post(page.url, person))
    assert.match(next.url, /\/enrol/)
  })
})

describe('auth_time of tokens', () => {
  test('auth_time is the time at which the user entered the credentials, and stays the same after a refresh', async () => {
    const signed_in_at = new Date(Math.floor(world.deps.clock.now().getTime() / 1000) * 1000).toISOString()
    for (const client of ['operator', 'dashboard'] as const) {
      const other = await serve({ url: world.url })
      try {
        let { access_token, refresh_token } = await signIn(
          other,
          await newPerson(other, { super_admin: true }),
          openBrowser(other.base),
          client,
        )
        for (let i = 0; i < 3; i++) {
          assert.equal((await me(access_token, other)).auth_time, signed_in_at)
          // A session of an operator ends after 15 minutes without activity.
          other.deps.clock.advance(client === 'operator' ? 600_000 : 3_600_000)
          const { body, status } = await refresh(other.base, refresh_token, client)
          assert.equal(status, 200)
          ;({ access_token, refresh_token } = body)
        }
        assert.equal((await me(access_token, other)).auth_time, signed_in_at)
        assert.equal((await me(access_token, other)).console, client)
      } finally {
        await other.close()
      }
    }
  })

  test('auth_time in the tokens of one console stays the same after a sign-in to the other console', async () => {
    const other = await serve({ url: world.url })
    try {
      const person = await newPerson(other, { super_admin: true })
      const browser = openBrowser(other.base)
      const console = await signIn(other, person, browser, 'operator')
      const signed_in_at = (await me(console.access_token, other)).auth_time
      other.deps.clock.advance(600_000)
      await browser.follow(await browser.get(authorizeUrl(other.base, { prompt: 'login' }).url))
      const asking = authorizeUrl(other.base, { prompt: 'login' })
      const page = await browser.follow(await browser.get(asking.url))
      const back = await browser.follow(await browser.post(page.url, person))
      const dashboard = (await exchange(other.base, asking, back)).body
      assert.notEqual((await me(dashboard.access_token, other)).auth_time, signed_in_at)
      const { body } = await refresh(other.base, console.refresh_token, 'operator')
      assert.equal((await me(body.access_token, other)).auth_time, signed_in_at)
    } finally {
      await other.close()
    }
  })
})

describe('tokens of a foreign issuer', () => {
  let issuer: TestIssuer
  let named: World
  let unnamed: World
  before(async () => {
    issuer = await createTestIssuer()
    const env = { OIDC_ISSUER: issuer.url, DASHBOARD_CLIENT_ID: 'shop', OPERATOR_CLIENT_ID: 'boss' }
    named = await createWorld({ env })
    unnamed = await createWorld({ env: { OIDC_ISSUER: issuer.url } })
    for (const at of [named, unnamed]) {
      await inTransaction(at.deps.db, async (tx) => {
        const base = { email: 'asha@example.com', email_verified: true, name: 'Asha', language: 'sw' } as const
        const identity = { issuer: issuer.url, subject: 'asha' }
        const { id } = await createUser(at.deps, tx, { ...base, identity, operator_role: 'SUPER_ADMIN' })
        await setMember(at.deps, tx, at.merchant.id, id, 'MERCHANT_ADMIN')
      })
    }
  })
  after(async () => {
    await named.close()
    await unnamed.close()
    await issuer.close()
  })
  const token = (claims: object) => {
    const now = Math.floor(named.deps.clock.now().getTime() / 1000)
    return issuer.token({
      iss: issuer.url,
      aud: 'malipo-api',
      sub: 'asha',
      amr: ['mfa'],
      iat: now,
      exp: now + 600,
      ...claims,
    })
  }

  for (const claim of ['client_id', 'azp']) {
    test(`the claim ${claim} of a foreign token determines the console of the token`, async () => {
      assert.deepEqual(await opens(token({ [claim]: 'shop' }), named), [[200, 'ok'], ALIEN])
      assert.deepEqual(await opens(token({ [claim]: 'boss' }), named), [ALIEN, [200, 'ok']])
      assert.equal((await me(token({ [claim]: 'boss' }), named)).console, 'operator')
    })
  }

  test('the server refuses a foreign token of another client, of no client, or of both clients', async () => {
    const strange = [
      { client_id: 'third' },
      {},
      { client_id: 'boss', azp: 'shop' },
      { client_id: ['boss'] },
      { azp: '' },
    ]
    for (const claims of strange) {
      const { status, body } = await named.get('/v1/me', token(claims))
      assert.deepEqual([status, body.error?.code], [401, 'invalid_session'], JSON.stringify(claims))
    }
    assert.deepEqual(await opens(token({ client_id: 'shop', azp: 'shop' }), named), [[200, 'ok'], ALIEN])
  })

  test('both APIs accept a foreign token when the configuration names no client ids', async () => {
    assert.deepEqual(await opens(token({ azp: 'any client' }), unnamed), [
      [200, 'ok'],
      [200, 'ok'],
    ])
    assert.equal((await me(token({}), unnamed)).console, null)
  })

  test('auth_time is the time in the foreign token, and null when the token has no valid time', async () => {
    const now = Math.floor(named.deps.clock.now().getTime() / 1000)
    const authTimeOf = async (auth_time: unknown) => (await me(token({ azp: 'boss', auth_time }), named)).auth_time
    assert.equal(await authTimeOf(now - 60), new Date((now - 60) * 1000).toISOString())
    for (const auth_time of [undefined, null, '5', `${now}`, 0, -1, 1.5, now + 3_600, [now]]) {
      assert.equal(await authTimeOf(auth_time), null, JSON.stringify(auth_time))
    }
  })
})
