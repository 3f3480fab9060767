// Tests that no secret leaks. The test uses the whole server and causes many kinds of failures. It then searches the most
// verbose log, every row of the database and every response for every secret.

import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret as OtpSecret, TOTP } from 'otpauth'
import { PROVIDERS } from '../src/adapters/providers/registry.ts'
import { ConfigError, readConfig, settableClock } from '../src/kernel/lib/index.ts'
import { startSimulator } from '../twins/selcom/index.ts'
import { startVodacomTwin } from '../twins/vodacom/index.ts'
import { createTestDatabase } from './database.ts'
import { START } from './harness.ts'
import { startReceiver } from './receiver.ts'
import { type RevealingGateway, startRevealingGateway } from './revealing-gateway.ts'
import { everyRow, findSecrets, type Place, type Secret } from './secret-search.ts'
import { createSelcomWorld, type SelcomWorld } from './selcom-world.ts'
import { authorizeUrl, exchange, mailedUrl, newPerson, openBrowser, refresh, type Served, signIn } from './sign-in.ts'

const unique = (name: string) => `${name}x${randomBytes(12).toString('hex')}`
/** The PIN that payers type. In this test, gateways, merchants and other senders send the PIN to the platform. */
const PIN = `7${randomBytes(4).readUIntBE(0, 4)}3`
const SELCOM = {
  api_key: unique('SelcomKey'),
  api_secret: unique('SelcomSecret/+='),
  pin: unique('FloatPin'),
}
const VODACOM = { api_key: unique('VodacomKey'), callback_secret: unique('VodacomCallback') }
const MOCK_SECRET = unique('MockSecret')
const VAULT_KEY = Buffer.alloc(32, 7)

const closing: (() => Promise<unknown>)[] = []
const places: Place[] = []
const secrets: Secret[] = [
  { name: 'a PIN', value: PIN },
  { name: "Selcom's API key", value: SELCOM.api_key },
  { name: "Selcom's API secret", value: SELCOM.api_secret },
  { name: "the float's PIN", value: SELCOM.pin },
  { name: "Vodacom's API key", value: VODACOM.api_key },
  { name: "the secret of Vodacom's callbacks", value: VODACOM.callback_secret },
  { name: "the mock provider's secret", value: MOCK_SECRET },
  { name: 'SECRET_KEY', value: VAULT_KEY.toString('base64') },
  { name: 'SECRET_KEY', value: VAULT_KEY.toString('hex') },
]
const know = (name: string, value: string | undefined, shown?: RegExp) => {
  assert.ok(value && value.length >= 6, `the test used ${name}`)
  secrets.push({ name, value, ...(shown ? { shown } : {}) })
  return value
}

let stage: SelcomWorld
let world: Served
let selcom: RevealingGateway
let vodacom: RevealingGateway
/** A part of the names of the queries that fail. Null means that no query fails. */
let broken: string | null = null

before(async () => {
  const database = await createTestDatabase()
  closing.push(() => database.drop())
  const { url } = database
  know("the database's password", decodeURIComponent(new URL(url).password))
  const clock = settableClock(START)
  const selcom_twin = await startSimulator({ clock, account: SELCOM })
  const vodacom_twin = await startVodacomTwin({ clock, key_bits: 1024, account: { api_key: VODACOM.api_key } })
  selcom = await startRevealingGateway(selcom_twin.url, PIN)
  vodacom = await startRevealingGateway(vodacom_twin.url, PIN)
  closing.push(
    () => selcom_twin.close(),
    () => vodacom_twin.close(),
    () => selcom.close(),
    () => vodacom.close(),
  )
  stage = await createSelcomWorld({
    url,
    clock,
    before: (name) => {
      if (broken !== null && name.includes(broken)) throw new Error(`${name} failed`)
    },
    env: {
      LOG_LEVEL: 'debug',
      MOCK_SECRET,
      SELCOM_URL: selcom.url,
      SELCOM_API_KEY: SELCOM.api_key,
      SELCOM_API_SECRET: SELCOM.api_secret,
      SELCOM_PIN: SELCOM.pin,
      PROVIDER_ROUTES: 'wallet_push=vodacom,MOBILE_MONEY/MPESA=vodacom',
      VODACOM_URL: vodacom.url,
      VODACOM_API_KEY: VODACOM.api_key,
      VODACOM_PUBLIC_KEY: vodacom_twin.public_key,
      VODACOM_SERVICE_PROVIDER_CODE: '000000',
      VODACOM_CALLBACK_SECRET: VODACOM.callback_secret,
    },
  })
  world = { ...stage.world, base: stage.base }
  closing.push(() => stage.close())
  listenIn()
})
after(async () => {
  for (const close of closing.reverse()) await close()
})

/**
 * Records each response of the server to a call within this process or by `fetch`. Of the latter, omits the cookies and the
 * header location.
 */
function listenIn(): void {
  const { app } = world.system
  const inject = app.inject.bind(app) as (
    options: object,
  ) => Promise<{ headers: object; body: string; statusCode: number }>
  const record = (what: string, status: number, headers: object, text: string) => {
    places.push({ where: `answer to ${what.split('?')[0]} ${status}`, text: `${JSON.stringify(headers)}\n${text}` })
  }
  app.inject = (async (options: { method: string; url: string }) => {
    const reply = await inject(options)
    record(`${options.method} ${options.url}`, reply.statusCode, reply.headers, reply.body)
    return reply
  }) as never
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const reply = await fetch(input, init)
    const at = String(input)
    if (at.startsWith(world.base)) {
      const { 'set-cookie': _, location: __, ...headers } = Object.fromEntries(reply.headers)
      record(
        `${init?.method ?? 'GET'} ${at.slice(world.base.length)}`,
        reply.status,
        headers,
        await reply.clone().text(),
      )
    }
    return reply
  }
  closing.push(async () => {
    globalThis.fetch = fetch
  })
}

test('the test records every response while people sign in, fail to sign in, and recover and reset passwords', async () => {
  const password = know('a password', unique('nenosiri')) as string
  const person = await newPerson(world, { password })
  know('a wrong password', unique('kosa'))
  const wrong = secrets.at(-1)?.value as string
  await assert.rejects(signIn(world, { ...person, password: wrong }))
  const browser = openBrowser(world.base)
  const tokens = await signIn(world, person, browser)
  for (const name of ['access_token', 'refresh_token', 'id_token'] as const) {
    know(`a session's ${name}`, tokens[name], /POST \/identity\/token/)
  }
  for (const { name, value } of browser.cookies) {
    // The token is also in the address of a page. Only the signature of the token gives access.
    if (name !== 'identity_sign_in') know(`the cookie ${name}`, value)
  }
  await world.get('/v1/me', tokens.access_token)
  await world.get('/v1/me', `${tokens.access_token}x`)
  await world.get(`/v1/me?access_token=${tokens.access_token}`, 'nothing')
  await world.get(`/v1/nowhere/${tokens.access_token}`)
  const again = await refresh(world.base, tokens.refresh_token)
  know('a second refresh token', again.body.refresh_token, /POST \/identity\/token/)
  await refresh(world.base, tokens.refresh_token)

  const asking = authorizeUrl(world.base, { prompt: 'login', enrol: 'totp' })
  const page = await browser.follow(await browser.get(asking.url))
  const form = await browser.follow(await browser.post(page.url, { email: person.email, password }))
  const otp = /<code class="key"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(form.text)?.[1]?.replaceAll(' ', '')
  const enrolling = /(GET|POST) \/identity\/sign-in\/[\w-]+\/enrol (200|401)/
  know("the authenticator app's secret", otp, enrolling)
  await browser.post(form.url, { code: '000000' })
  const totp = new TOTP({ secret: OtpSecret.fromBase32(otp ?? '') })
  const shown = await browser.post(form.url, { code: totp.generate({ timestamp: world.deps.clock.now().getTime() }) })
  const codes = [...shown.text.matchAll(/<li><code>([a-z2-7-]+)<\/code>/g)].map(([, code]) => code as string)
  assert.equal(codes.length, 10)
  for (const code of codes) know('a recovery code', code, enrolling)
  const way_on = /class="button" href="([^"]+)"/.exec(shown.text)?.[1] ?? ''
  await exchange(world.base, asking, await browser.follow(await browser.get(way_on.replaceAll('&amp;', '&'))))
  const other = openBrowser(world.base)
  const second = await other.follow(await other.get(authorizeUrl(world.base).url))
  const step = await other.follow(await other.post(second.url, { email: person.email, password }))
  assert.equal((await other.post(step.url, { code: codes[0] as string })).status, 303)

  world.deps.clock.advance(1_000)
  await browser.post('/identity/forgot', { email: person.email })
  const link = await mailedUrl(world, person.email)
  know('the token of a mailed link', new URL(link).searchParams.get('token') ?? undefined, /\/identity\/reset/)
  await browser.get(link)
  const fresh = know('a new password', unique('mpya')) as string
  assert.equal((await browser.post(link, { password: fresh })).status, 200)
  await browser.post(link, { password: fresh })
})

test('the test records every response while merchants use API keys and webhook secrets, and a receiver answers with these secrets', async () => {
  const admin = (await world.newSession('MERCHANT_ADMIN')).token
  know('a session', admin)
  const body = {
    name: 'Duka',
    environment: 'sandbox',
    scopes: ['collections:write', 'collections:read', 'webhooks:manage'],
  }
  const idempotency_key = 'make-a-key'
  const made = await world.post('/v1/merchant/api-keys', body, { key: admin, idempotency_key })
  const key = know('an API key', made.body.data.plaintext_key, /POST \/v1\/merchant\/api-keys 201/) as string
  const repeated = await world.post('/v1/merchant/api-keys', body, { key: admin, idempotency_key })
  assert.equal(repeated.status, 201)
  assert.ok(!repeated.text.includes(key), 'the API shows the key once')
  const { id } = made.body.data
  await world.get(`/v1/collections?api_key=${key}`, key)
  await world.call({ method: 'GET', url: `/v1/collections?key=${key}`, key: null })
  await world.get(`/v1/collections/${key}`, key)
  await world.get('/v1/collections', `${key.slice(0, -1)}x`)
  await world.call({ method: 'GET', url: '/v1/collections', key, headers: { 'x-api-key': world.live_key } })
  const rotated = await world.post(`/v1/merchant/api-keys/${id}/rotate`, {}, { key: admin })
  know('a rotated API key', rotated.body.data.plaintext_key, /\/rotate 20[01]/)
  await world.post(`/v1/merchant/api-keys/${rotated.body.data.id}/revoke`, {}, { key: admin })
  know('the sandbox key', world.sandbox_key)
  know('the live key', world.live_key)

  const receiver = await startReceiver()
  closing.push(() => receiver.close())
  const url = '/v1/merchant/webhook-config'
  const change = { webhook_url: receiver.url }
  const saved = await world.call({ method: 'PATCH', url, key: admin, payload: change, idempotency_key: 'save' })
  const first = know('a webhook secret', saved.body.data.secret, /PATCH \/v1\/merchant\/webhook-config 200/) as string
  const twice = await world.call({ method: 'PATCH', url, key: admin, payload: change, idempotency_key: 'save' })
  assert.ok(!twice.text.includes(first), 'the API shows the secret once')
  const turned = await world.call({ method: 'PATCH', url, key: admin, payload: { rotate_secret: true } })
  const next = know('a new webhook secret', turned.body.data.secret, /PATCH \/v1\/merchant\/webhook-config 200/)
  // The signing key is the base64 value after the prefix whsec_.
  know('the bytes of a webhook secret', first.slice('whsec_'.length), /PATCH \/v1\/merchant\/webhook-config 200/)
  const text = JSON.stringify({ secret: first, was: next, key, pin: PIN, form: `a=1&pin=${PIN}`, session: admin })
  for (const status of [200, 500]) {
    receiver.reply = { kind: 'status', status, body: text, headers: { 'x-secret': first } }
    await world.post('/v1/merchant/webhook-config/test', {}, { key: admin })
    await world.work()
  }
  const deliveries = await world.get('/v1/merchant/webhook-deliveries', admin)
  for (const sent of deliveries.body.data.items) await world.get(`/v1/merchant/webhook-deliveries/${sent.id}`, admin)
})

test('the platform survives gateways that repeat their requests, callbacks that contain a PIN, and queries that fail', async () => {
  const operator = (await world.newSession('SUPER_ADMIN')).token
  know("an operator's session", operator)
  const key = world.live_key
  const take = async (path: string, more: object = {}) => {
    const reply = await world.post(path, { amount: '90000.00', phone: '0754123500', ...more }, { key })
    await world.system.driver.task.idle()
    const id = reply.body.data?.collection_id
    if (id) await world.post(`/v1/collections/${id}/refresh-status`, {}, { key })
  }
  const pay = async (destination: object, path = 'mobile-money') => {
    const body = { amount: '1000.00', destination_name: 'Asha Juma', ...destination }
    const made = await world.post(`/v1/disbursements/${path}`, body, { key })
    if (made.status !== 202) return
    await world.post(`/v1/operator/withdrawals/${made.body.data.id}/approve`, {}, { key: operator })
    await world.system.payouts.task.idle()
    await world.get(`/v1/operator/withdrawals/${made.body.data.id}`, operator)
    await world.get(`/v1/disbursements/${made.body.data.id}`, key)
  }
  const everything = async () => {
    await take('/v1/collections/wallet-push')
    await take('/v1/collections/provider-pesa')
    await take('/v1/collections/qr')
    await pay({ destination_code: 'MPESA', destination_identifier: '0754123500' })
    await pay({ destination_code: 'AIRTEL', destination_identifier: '0684123500' })
    await pay({ destination_code: 'CRDB', destination_identifier: '0150000000500', bank_name: 'CRDB' }, 'bank-account')
    await world.pass(3_000)
  }
  await world.post(
    `/v1/operator/merchants/${world.merchant.id}/adjustments`,
    { environment: 'live', direction: 'credit', against: 'provider_float', amount: '1000000.00', reason: 'Opening' },
    { key: operator },
  )
  await everything()
  for (const status of [200, 400, 401, 403, 409, 500]) {
    for (const as of ['envelope', 'page'] as const) {
      selcom.mood = { kind: 'tells', status, as }
      vodacom.mood = { kind: 'tells', status, as }
      await everything()
      // After this time, the circuits let calls through again, so the adapters call the gateway.
      world.deps.clock.advance(70_000)
    }
  }
  assert.ok(
    selcom.revealed >= 20 && vodacom.revealed >= 20,
    `${selcom.revealed} and ${vodacom.revealed} responses revealed a request`,
  )
  selcom.mood = { kind: 'passes' }
  vodacom.mood = { kind: 'passes' }
  await callBacks()
  await brokenStatements(operator, () => take('/v1/collections/wallet-push'))
  await world.pass(10_000)
  for (const url of ['/v1/operator/withdrawals', '/v1/operator/providers', '/v1/operator/waiting?kind=payout']) {
    assert.equal((await world.get(url, operator)).status, 200, url)
  }
  for (const kind of ['collections', 'audit-log']) await world.get(`/v1/operator/${kind}`, operator)
  for (const gateway of [selcom, vodacom]) {
    assert.ok(gateway.credentials.size > 0)
    for (const credential of gateway.credentials) know('a credential as a gateway got it', credential)
  }
})

/** Sends true and forged callbacks with values that a payer typed. */
async function callBacks(): Promise<void> {
  const send = (path: string, body: string | object, headers: object = {}) =>
    world.call({
      method: 'POST',
      url: `/callbacks/${path}`,
      payload: typeof body === 'string' ? body : JSON.stringify(body),
      key: null,
      headers: { 'content-type': 'application/json', ...headers },
    })
  const typed = {
    pin: PIN,
    PIN: Number(PIN),
    customer: { mPin: PIN, otp_code: PIN },
    note: JSON.stringify({ pin: PIN }),
  }
  const body = JSON.stringify({ reference: 'NOBODYS', ...typed })
  const signature = createHmac('sha256', MOCK_SECRET).update(body).digest('hex')
  assert.equal((await send('mock', body, { 'x-mock-signature': signature })).status, 200)
  assert.equal((await send('mock', body, { 'x-mock-signature': MOCK_SECRET })).status, 403)
  const about = { input_ThirdPartyConversationID: 'NOBODYS', ...typed, input_ResultDesc: `pin=${PIN}&a=b` }
  assert.equal((await send(`vodacom?secret=${VODACOM.callback_secret}`, about)).status, 200)
  assert.equal((await send(`vodacom?secret=${VODACOM.callback_secret}x`, about)).status, 403)
  for (const text of [`{"pin":"${PIN}`, `<xml><pin>${PIN}</pin></xml>`, `amount=1&pin=${PIN}`, `{"pin" : ${PIN}}`]) {
    assert.equal((await send('selcom', text, { authorization: `SELCOM ${SELCOM.api_secret}` })).status, 403)
  }
  const rows = await world.rows('select 1 from provider_callbacks')
  assert.ok(rows.length >= 7, 'the database has the callbacks')
}

/** Sends invalid requests, and lets queries fail during valid requests. */
async function brokenStatements(operator: string, take: () => Promise<void>): Promise<void> {
  const url = '/v1/collections/wallet-push'
  const phone = '0754123500'
  const nonsense = [
    { amount: PIN, phone: PIN },
    { amount: 'x', phone, pin: PIN },
    { amount: [PIN], phone },
  ]
  for (const body of nonsense) assert.equal((await world.post(url, body, { key: world.live_key })).status, 400)
  const headers = { 'content-type': 'application/json' }
  await world.call({ method: 'POST', url, key: world.live_key, headers, payload: `{"pin":"${PIN}",` })
  for (const name of ['collection', 'api_key', 'users', 'payouts', 'webhook', 'callbacks']) {
    broken = name
    await take()
    await world.get('/v1/collections', world.live_key)
    await world.get('/v1/operator/withdrawals', operator)
    await world.work().catch(() => {})
    broken = null
    await world.work()
  }
}

test('readConfig refuses an invalid setting, and the test records the message', () => {
  const wrong = know('a wrong secret', unique('Wrong')) as string
  for (const name of ['SECRET_KEY', 'SELCOM_API_SECRET', 'VODACOM_CALLBACK_SECRET', 'DATABASE_URL']) {
    const value = name === 'DATABASE_URL' ? `nonsense://user:${wrong}@host` : `${wrong} \u0000`
    try {
      readConfig({ NODE_ENV: 'production', [name]: value, SELCOM_URL: 'http://127.0.0.1/v1' }, PROVIDERS)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      places.push({ where: `the refusal of ${name}`, text: error.message })
    }
  }
  assert.ok(places.some(({ where }) => where.startsWith('the refusal of')))
})

test('the log, the database and the responses contain no secret, except the responses that must show the secret', async () => {
  const rows = await everyRow(world)
  const log = world.deps.logged.map((text) => ({ where: 'the log', text }))
  for (const [what, found] of Object.entries({ rows, log, answers: places })) {
    assert.ok(found.length > 100, `the search read only ${found.length} ${what}`)
  }
  for (const line of ['the provider refuses requests of the platform', 'request failed', 'forged callback']) {
    assert.ok(
      world.deps.logged.some((text) => text.includes(line)),
      `the log has "${line}"`,
    )
  }
  const leaks = findSecrets([...rows, ...log, ...places], secrets)
  assert.deepEqual(leaks, [])
})

test('the search finds a secret in each encoding and at any position of a text', () => {
  const value = SELCOM.api_secret
  const about = (text: string) => findSecrets([{ where: 'here', text }], [{ name: 'it', value }]).length
  assert.equal(about('nothing'), 0)
  for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
    for (const before_it of ['', 'a', 'ab', 'abc']) {
      assert.equal(
        about(`..${Buffer.from(`${before_it}${value}zz`).toString(encoding)}..`),
        1,
        `${encoding} ${before_it}`,
      )
    }
  }
  assert.equal(about(encodeURIComponent(`?x=${value}`)), 1)
})
