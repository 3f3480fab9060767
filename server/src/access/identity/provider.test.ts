// Tests the built-in OpenID provider with the requests of a console and a browser.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { createWorld } from '../../../test/harness.ts'
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
import { setMember } from '../merchants/index.ts'

let world: Served
before(async () => {
  world = await serve()
})
after(() => world.close())

const me = (token: string) => world.call({ method: 'GET', url: '/v1/me', key: token })

describe('password sign-ins', () => {
  test('a user who signs in with a password gets a token that the API accepts', async () => {
    const person = await newPerson(world)
    await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, world.merchant.id, person.id, 'VIEWER'))
    const tokens = await signIn(world, person)
    const answer = await me(tokens.access_token)
    assert.deepEqual([answer.status, answer.body.data.email], [200, person.email])
    assert.equal((await world.get('/v1/collections?environment=sandbox', tokens.access_token)).status, 200)

    const { typ, alg } = decodeProtectedHeader(tokens.access_token)
    assert.deepEqual([typ, alg], ['at+jwt', 'ES256'])
    const claims = decodeJwt(tokens.access_token)
    assert.equal(claims.iss, `${world.base}/identity`)
    assert.equal(claims.aud, 'malipo-api')
    assert.deepEqual(claims.amr, ['pwd'])
    assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 900)
    assert.equal(decodeJwt(tokens.id_token).email, person.email)
  })

  test('the API refuses an ID token in place of an access token', async () => {
    const { id_token } = await signIn(world, await newPerson(world))
    const refused = await me(id_token)
    assert.deepEqual([refused.status, refused.body.error.code], [401, 'invalid_session'])
  })

  test('a browser with a session signs in the same user again without a password', async () => {
    const browser = openBrowser(world.base)
    const person = await newPerson(world)
    await signIn(world, person, browser)
    const asking = authorizeUrl(world.base, { prompt: 'none' })
    const { status, body } = await exchange(world.base, asking, await browser.get(asking.url))
    assert.equal(status, 200)
    assert.equal((await me(body.access_token)).body.data.email, person.email)
  })

  test('a disabled user can sign in neither with the password nor with the session of the browser', async () => {
    const browser = openBrowser(world.base)
    const person = await newPerson(world)
    const tokens = await signIn(world, person, browser)
    await world.rows('update users set disabled_at = $2 where id = $1', [person.id, world.deps.clock.now()])
    assert.equal((await me(tokens.access_token)).status, 401)
    assert.equal((await refresh(world.base, tokens.refresh_token)).body.error, 'invalid_grant')
    const page = await browser.follow(await browser.get(authorizeUrl(world.base).url))
    assert.equal((await browser.post(page.url, person)).status, 401)
  })

  test('the sign-in page after a wrong password shows the e-mail address again and not the password', async () => {
    const browser = openBrowser(world.base)
    const page = await browser.follow(await browser.get(authorizeUrl(world.base).url))
    const refused = await browser.post(page.url, { email: 'nobody@example.com', password: 'not a password of mine' })
    assert.equal(refused.status, 401)
    assert.match(refused.text, /value="nobody@example.com"/)
    assert.match(refused.text, /The e-mail address or the password is not right/)
    assert.doesNotMatch(refused.text, /not a password of mine/)
  })

  test('the log contains no password, access token or refresh token', async () => {
    const person = await newPerson(world, { password: 'siri ya moyo wangu' })
    const tokens = await signIn(world, person)
    await refresh(world.base, tokens.refresh_token)
    const logged = world.deps.logged.join('\n')
    for (const secret of [person.password, tokens.access_token, tokens.refresh_token])
      assert.ok(!logged.includes(secret))
    assert.match(logged, /"path":"\/identity\/token"/)
  })
})

describe('authorization codes', () => {
  async function withCode() {
    const browser = openBrowser(world.base)
    const person = await newPerson(world)
    const asking = authorizeUrl(world.base)
    const page = await browser.follow(await browser.get(asking.url))
    return { asking, back: await browser.follow(await browser.post(page.url, person)) }
  }

  test('the provider refuses an authorization code without its code verifier', async () => {
    const { asking, back } = await withCode()
    const refused = await exchange(world.base, asking, back, { code_verifier: 'x'.repeat(43) })
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
    const { verifier: _, ...without } = asking
    assert.equal((await exchange(world.base, { ...without, verifier: '' }, back)).status, 400)
  })

  test('a second use of an authorization code revokes the refresh token of the first use', async () => {
    const { asking, back } = await withCode()
    const first = await exchange(world.base, asking, back)
    assert.equal(first.status, 200)
    assert.equal((await exchange(world.base, asking, back)).body.error, 'invalid_grant')
    assert.equal((await refresh(world.base, first.body.refresh_token)).body.error, 'invalid_grant')
  })

  test('the provider refuses a sign-in without PKCE, with a plain code challenge or with an unknown redirect address', async () => {
    const browser = openBrowser(world.base)
    const asking = authorizeUrl(world.base)
    const without = asking.url.replace(/&code_challenge=[^&]*&code_challenge_method=S256/, '')
    const plain = authorizeUrl(world.base, { code_challenge_method: 'plain' })
    for (const url of [without, plain.url]) {
      const { location } = await browser.get(url)
      assert.equal(new URL(location ?? '', world.base).searchParams.get('error'), 'invalid_request')
    }
    const strange = await browser.get(authorizeUrl(world.base, { redirect_uri: 'https://evil.example/callback' }).url)
    assert.deepEqual([strange.status, strange.location], [400, null])
  })
})

describe('refresh tokens', () => {
  test('each use of a refresh token returns a new refresh token and a valid access token', async () => {
    const first = await signIn(world, await newPerson(world))
    const second = await refresh(world.base, first.refresh_token)
    assert.equal(second.status, 200)
    assert.notEqual(second.body.refresh_token, first.refresh_token)
    assert.deepEqual(decodeJwt(second.body.access_token).amr, ['pwd'])
    assert.equal((await me(second.body.access_token)).status, 200)
    assert.equal((await refresh(world.base, second.body.refresh_token)).status, 200)
  })

  test('a second use of a refresh token revokes all refresh tokens of the sign-in, because a thief may have a copy', async () => {
    const first = await signIn(world, await newPerson(world))
    const second = await refresh(world.base, first.refresh_token)
    assert.equal((await refresh(world.base, first.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await refresh(world.base, second.body.refresh_token)).body.error, 'invalid_grant')
  })

  test('at most one of many simultaneous uses of a refresh token succeeds', async () => {
    const { refresh_token } = await signIn(world, await newPerson(world))
    const replies = await Promise.all(Array.from({ length: 6 }, () => refresh(world.base, refresh_token)))
    assert.ok(replies.filter(({ status }) => status === 200).length <= 1)
    assert.ok(replies.every(({ status }) => status === 200 || status === 400))
  })

  test('the provider refuses a refresh token that no client has used for a week', async () => {
    const other = await serve()
    try {
      const { refresh_token } = await signIn(other, await newPerson(other))
      other.deps.clock.advance(7 * 86_400_000 + 1000)
      assert.equal((await refresh(other.base, refresh_token)).body.error, 'invalid_grant')
      await other.work()
      const left = await other.rows("select 1 from identity_records where model = 'RefreshToken'")
      assert.deepEqual(left, [])
    } finally {
      await other.close()
    }
  })

  test('the table identity_records contains no refresh token or cookie in plain text', async () => {
    const browser = openBrowser(world.base)
    const { refresh_token } = await signIn(world, await newPerson(world), browser)
    const stored = JSON.stringify(await world.rows('select * from identity_records'))
    assert.ok(!stored.includes(refresh_token))
    for (const { value } of browser.cookies) assert.ok(!stored.includes(value))
  })
})

describe('sign-outs', () => {
  test('a sign-out ends the session and its refresh tokens only after the user confirms the sign-out', async () => {
    const browser = openBrowser(world.base)
    const tokens = await signIn(world, await newPerson(world), browser)
    const query = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${world.base}/dashboard/`,
    })
    const question = await browser.get(`/identity/sign-out?${query}`)
    assert.match(question.text, /Do you want to sign out/)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    const done = await browser.post('/identity/sign-out/confirm', { xsrf, logout: 'yes' })
    assert.deepEqual([done.status, done.location], [303, `${world.base}/dashboard/`])
    assert.equal((await refresh(world.base, tokens.refresh_token)).body.error, 'invalid_grant')
    const asking = authorizeUrl(world.base, { prompt: 'none' })
    const { location } = await browser.get(asking.url)
    assert.equal(new URL(location ?? '', world.base).searchParams.get('error'), 'login_required')
  })
})

describe('endpoints of the provider', () => {
  test('the discovery document names the token endpoint and omits three endpoints that the server does not offer', async () => {
    const found = JSON.parse((await openBrowser(world.base).get('/identity/.well-known/openid-configuration')).text)
    assert.equal(found.issuer, `${world.base}/identity`)
    assert.equal(found.token_endpoint, `${world.base}/identity/token`)
    assert.deepEqual(found.response_types_supported, ['code'])
    assert.deepEqual(found.code_challenge_methods_supported, ['S256'])
    for (const absent of ['registration_endpoint', 'userinfo_endpoint', 'pushed_authorization_request_endpoint']) {
      assert.equal(found[absent], undefined)
    }
    const { keys } = JSON.parse((await openBrowser(world.base).get('/identity/jwks')).text)
    assert.ok(keys.length > 0 && keys.every((key: Record<string, unknown>) => key.d === undefined))
  })

  test('the provider refuses an unknown path, grant type or client', async () => {
    assert.equal((await openBrowser(world.base).get('/identity/nothing')).status, 404)
    assert.equal(
      (await requestToken(world.base, { grant_type: 'client_credentials' })).body.error,
      'unsupported_grant_type',
    )
    assert.equal((await requestToken(world.base, { grant_type: 'refresh_token', client_id: 'other' })).status, 401)
  })

  test('the provider builds addresses from the configured public address, and not from the headers of a request', async () => {
    const named = await createWorld({ env: { BASE_URL: 'https://api.example.com' } })
    try {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
      const url = '/identity/.well-known/openid-configuration'
      const { body } = await named.call({ method: 'GET', url, key: null, headers })
      assert.equal(body.token_endpoint, 'https://api.example.com/identity/token')
      const authorize_url = new URL(authorizeUrl('https://api.example.com').url)
      const begun = await named.call({
        method: 'GET',
        url: authorize_url.pathname + authorize_url.search,
        key: null,
        headers,
      })
      assert.equal(begun.status, 303)
      for (const cookie of begun.headers['set-cookie'] as string[])
        assert.match(cookie, /^__Secure-identity_.*; samesite=lax; secure; httponly/i)
    } finally {
      await named.close()
    }
  })

  test('the server has no built-in provider when the configuration names a foreign issuer', async () => {
    const foreign = await createWorld({ env: { OIDC_ISSUER: 'https://login.example.com' } })
    try {
      for (const url of ['/identity/sign-up', '/identity/.well-known/openid-configuration', '/identity/token']) {
        assert.equal((await foreign.call({ method: 'GET', url, key: null })).status, 404)
      }
    } finally {
      await foreign.close()
    }
  })
})
