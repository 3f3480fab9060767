// Tests passkeys in a real browser with a virtual authenticator: add, sign in, confirm a session and remove. The server must refuse
// every answer that is not the answer of the user's own passkey to the open challenge.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { CDPSession, Page } from 'playwright-core'
import { listEmails } from '../../src/adapters/messages/index.ts'
import { startSite } from '../browser.ts'
import { openBrowser } from '../sign-in.ts'
import { type Office, openOffice, type Person, type Visitor } from './office.ts'

let office: Office
let asha: Holder
let juma: Holder
before(async () => {
  // Browsers permit passkeys only at a domain name. The office must therefore know its port before it starts.
  const { url, close } = await startSite(() => {})
  await close()
  office = await openOffice({ BASE_URL: url.replace('127.0.0.1', 'localhost') })
  asha = await newHolder('sw')
  juma = await newHolder('en')
})
after(() => office?.close())
beforeEach(async () => {
  await office.world.rows('delete from sign_in_attempts')
})

/** A person with an authenticator app and one passkey, in a browser with the authenticator. */
type Holder = { person: Person; visitor: Visitor; secret: string; recovery_codes: string[]; device: Device }
type Device = { cdp: CDPSession; authenticatorId: string }

async function plugIn(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const
  const present = { isUserVerified: true, automaticPresenceSimulation: true }
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, ...present },
  })
  return { cdp, authenticatorId }
}

/** Returns a code of the authenticator app that the server has not seen. */
function newCode(secret: string): string {
  const { clock } = office.world.deps
  clock.advance(30_000)
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() })
}

const submit = (page: Page) => page.locator('form:not([hidden]) button').last().click()

async function enterPassword(page: Page, { email, password }: Person): Promise<void> {
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[name=password]').fill(password)
  await submit(page)
}

/** Signs in, and adds an authenticator app and a passkey from the page of sessions. */
async function newHolder(language: 'sw' | 'en'): Promise<Holder> {
  const person = await office.newPerson('MERCHANT_ADMIN')
  const visitor = await office.comes(person, 'dashboard', { language, refusals: [401, 403] })
  const { page } = visitor
  const device = await plugIn(page)
  await visitor.opens('/sandbox/sessions')
  await page.getByText(visitor.says('Bado huna passkey.', 'You have no passkey yet.')).waitFor()
  await visitor.press('Ongeza passkey', 'Add a passkey')
  await enterPassword(page, person)
  const secret = (await page.locator('code.key').innerText()).replaceAll(' ', '')
  await page.locator('input[name=code]').fill(newCode(secret))
  await submit(page)
  const go_on = page.locator('a.button')
  await go_on.waitFor()
  const recovery_codes = await page.locator('.codes code').allInnerTexts()
  await go_on.click()
  await visitor.sees('Ongeza passkey', 'Add a passkey')
  await look('add-passkey', visitor)
  await page.locator('input[name=name]').fill('Simu ya Asha')
  await office.world.rows(
    `insert into mailed_links (token_hash, kind, user_id, created_at, expires_at, new_email)
     values (sha256($1::text::bytea), 'change', $1::uuid, now(), '2100-01-01', 'mpya@example.com')`,
    [person.user_id],
  )
  await page.locator('input[name=name]').press('Enter')
  await visitor.sees('Mahali ulipoingia', 'Your sessions')
  await page.getByText('Simu ya Asha').waitFor()
  return { person, visitor, secret, recovery_codes, device }
}

/** Ends the browser's session at the console and at the identity provider, and opens the page of the second step. */
async function openSecondStep({ visitor, person }: Holder): Promise<void> {
  const { page, context } = visitor
  await context.clearCookies()
  await page.evaluate('sessionStorage.clear()')
  await page.goto(`${office.url}/dashboard/sandbox/sessions`)
  await enterPassword(page, person)
  await visitor.sees('Hatua ya pili', 'Second step')
}

const mailsOf = async ({ email }: Person) =>
  (await listEmails(office.world.deps, { to: email })).map(({ kind }) => kind).filter((kind) => /passkey/.test(kind))
const actsOf = async ({ user_id }: Person) =>
  (
    await office.world.rows<{ action: string }>(
      "select action from audit_log where target_id = $1 and action like '%passkey%' order by seq",
      [user_id],
    )
  ).map(({ action }) => action)
const stored = ({ user_id }: Person) =>
  office.world.rows<{ sign_count: number; used: boolean }>(
    'select sign_count::int as sign_count, used_at is not null as used from passkeys where user_id = $1',
    [user_id],
  )

const look = async (name: string, visitor: Visitor) => {
  await visitor.looks(name)
  await visitor.picture(name)
}

test('a user adds a passkey, and uses the passkey by keyboard as the second step of a sign-in', async () => {
  const { person, visitor, device } = asha
  const { page } = visitor
  await look('passkeys', visitor)
  const [added] = await stored(person)
  assert.equal(added?.used, false)
  assert.deepEqual([await mailsOf(person), await actsOf(person)], [['identity.passkey_added'], ['user.add_passkey']])
  const links = await office.world.rows('select kind from mailed_links where user_id = $1', [person.user_id])
  assert.deepEqual(links, [], 'a link of another session must not change the address after the new passkey')

  await openSecondStep(asha)
  await look('second-step', visitor)
  // If the device cannot verify the user, the device does not sign. The page explains the reason, and the code still works.
  await device.cdp.send('WebAuthn.setUserVerified', { ...device, isUserVerified: false })
  await visitor.press('Tumia passkey yako', '')
  await page.getByRole('alert').getByText('Passkey haikutumika.').waitFor()
  await device.cdp.send('WebAuthn.setUserVerified', { ...device, isUserVerified: true })
  await page.getByRole('button', { name: 'Tumia passkey yako' }).focus()
  await page.keyboard.press('Enter')
  await visitor.sees('Mahali ulipoingia', '')
  await page.getByText('Uliingia kwa nywila na hatua ya pili').waitFor()
  const [used] = await stored(person)
  assert.ok(used?.used && used.sign_count > (added?.sign_count ?? 0))
})

/**
 * Makes the browser answer the challenge of its page. The expression `change` changes the options before the browser answers.
 */
function answerOf(page: Page, change = ''): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const options = JSON.parse(document.querySelector('form[data-passkey]').dataset.options)
    ${change}
    const { PublicKeyCredential: P } = window
    const publicKey = options.user ? P.parseCreationOptionsFromJSON(options) : P.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials[options.user ? 'create' : 'get']({ publicKey })
    return JSON.stringify(credential)
  })()`)
}

/** Posts a form to the address of the page, with the cookies of the browser. Returns the status. */
async function post(page: Page, form: Record<string, string>): Promise<number> {
  await office.world.rows('delete from sign_in_attempts')
  const headers = { origin: office.url }
  const reply = await page.context().request.post(page.url(), { form, headers, maxRedirects: 0 })
  return reply.status()
}

test('the server refuses wrong, old and used answers, passkeys of others, unverified users and counters that did not grow', async () => {
  const { person, visitor, device } = juma
  const { page } = visitor
  const { clock } = office.world.deps

  await openSecondStep(juma)
  const first = await answerOf(page)
  await page.reload()
  assert.equal(await post(page, { passkey: first }), 401, 'the answer to an earlier challenge')
  await page.reload()
  const late = await answerOf(page)
  clock.advance(301_000)
  assert.equal(await post(page, { passkey: late }), 401, 'the challenge has expired')
  for (const wrong of ['{', '{"id":"x"}', late.replace('"type":"public-key"', '"type":"password"')]) {
    await page.reload()
    assert.equal(await post(page, { passkey: wrong }), 401, wrong.slice(0, 20))
  }

  await page.reload()
  await device.cdp.send('WebAuthn.setUserVerified', { ...device, isUserVerified: false })
  const unverified = await answerOf(page, `options.userVerification = 'discouraged'`)
  await device.cdp.send('WebAuthn.setUserVerified', { ...device, isUserVerified: true })
  assert.equal(await post(page, { passkey: unverified }), 401, 'the device did not verify the user')

  // The virtual device now has the passkey of the other user too, and signs the challenge with it.
  const [foreign] = (await asha.device.cdp.send('WebAuthn.getCredentials', asha.device)).credentials
  assert.ok(foreign)
  await device.cdp.send('WebAuthn.addCredential', { ...device, credential: foreign })
  await page.reload()
  const id = Buffer.from(foreign.credentialId, 'base64').toString('base64url')
  const borrowed = await answerOf(page, `options.allowCredentials = [{ type: 'public-key', id: '${id}' }]`)
  // The signature does not cover the user handle, so an attacker can omit it.
  const anonymous = borrowed.replace(/"userHandle":"[^"]+"/, '"userHandle":null')
  assert.notEqual(anonymous, borrowed)
  assert.equal(await post(page, { passkey: anonymous }), 401, 'the passkey of another user')
  await device.cdp.send('WebAuthn.removeCredential', { ...device, credentialId: foreign.credentialId })

  await office.world.rows('update passkeys set sign_count = 5000 where user_id = $1', [person.user_id])
  await page.reload()
  assert.equal(await post(page, { passkey: await answerOf(page) }), 401, 'a counter that did not grow')
  await office.world.rows('update passkeys set sign_count = 1 where user_id = $1', [person.user_id])

  await page.reload()
  const right = await answerOf(page)
  assert.equal(await post(page, { passkey: right }), 303)
  assert.equal(await post(page, { passkey: right }), 404, 'the sign-in is complete')
  await openSecondStep(juma)
  assert.equal(await post(page, { passkey: right }), 401, 'a used answer in another sign-in')
  await page.reload()
  assert.equal(await post(page, { code: newCode(juma.secret) }), 303, 'the code still works')
})

test('only the open challenge of a session confirms the session', async () => {
  const { page } = asha.visitor
  const token = await page.evaluate<string>(
    `JSON.parse(Object.entries(sessionStorage).find(([name]) => name.includes('.user:'))[1]).access_token`,
  )
  const api = async (method: string, path: string, body?: object) => {
    await office.world.rows('delete from sign_in_attempts')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${office.url}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: reply.status, body: (await reply.json()) as { data: Record<string, unknown> } }
  }
  const sign = async () => {
    const { data } = (await api('POST', '/v1/session/passkey', {})).body
    return JSON.parse(
      await page.evaluate<string>(
        `navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(data)}) }).then((credential) => JSON.stringify(credential))`,
      ),
    )
  }
  const { data } = (await api('GET', '/v1/session')).body
  assert.deepEqual([data.confirm_with, data.passkey], ['code', true])
  const old = await sign()
  const passkey = await sign()
  assert.equal((await api('POST', '/v1/session/confirm', { passkey: old })).status, 400)
  assert.equal(
    (await api('POST', '/v1/session/confirm', { passkey })).status,
    400,
    'the first answer ends the challenge',
  )
  const right = await sign()
  assert.equal((await api('POST', '/v1/session/confirm', { passkey: right })).status, 200)
  assert.equal((await api('POST', '/v1/session/confirm', { passkey: right })).status, 400, 'a used answer')
})

test('a user adds a passkey only after the second step, and without scripts the codes still work', async () => {
  const { person, visitor, secret, recovery_codes } = juma
  await openSecondStep(juma)
  const addition = visitor.page.url().replace('/code', '/passkey')
  assert.equal((await visitor.page.context().request.get(addition)).status(), 404)
  await visitor.leave()
  for (const code of [newCode(secret), recovery_codes[0] as string]) {
    const browser = openBrowser(office.url)
    const query = { client_id: 'dashboard', response_type: 'code', scope: 'openid', code_challenge_method: 'S256' }
    const more = { redirect_uri: `${office.url}/dashboard/callback`, code_challenge: 'x'.repeat(43), enrol: 'passkey' }
    const url = `${office.url}/identity/authorize?${new URLSearchParams({ ...query, ...more })}`
    const form = await browser.follow(await browser.get(url))
    const step = await browser.follow(await browser.post(form.url, { email: person.email, password: person.password }))
    assert.match(step.text, /<form method="post" novalidate hidden data-passkey="get"/)
    assert.match(step.headers.get('content-security-policy') ?? '', /script-src 'self'; img-src data:/)
    const add = await browser.follow(await browser.post(step.url, { code }))
    assert.match(add.text, /This browser cannot use passkeys/)
    assert.equal((await browser.post(add.url, { name: 'Simu', passkey: '{}' })).status, 401)
  }
})

test('a user confirms a session with a passkey, and the second step offers no passkey after the user removes the last one', async () => {
  const { person, visitor } = asha
  const { page } = visitor
  office.world.deps.clock.advance(11 * 60_000)
  await page.getByRole('button', { name: 'Ondoa passkey: Simu ya Asha' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Tumia passkey yako' }).waitFor()
  await look('confirm-with-passkey', visitor)
  await page.getByRole('dialog').getByRole('button', { name: 'Tumia passkey yako' }).click()
  await page.getByRole('status').getByText('Passkey imeondolewa: Simu ya Asha.').waitFor()
  assert.deepEqual(await stored(person), [])
  assert.deepEqual((await mailsOf(person)).sort(), ['identity.passkey_added', 'identity.passkey_removed'])
  assert.deepEqual(await actsOf(person), ['user.add_passkey', 'user.remove_passkey'])
  const confirmed = await office.world.rows(
    "select after->>'with' as method from audit_log where target_id = $1 and action = 'user.confirm_session'",
    [person.user_id],
  )
  assert.deepEqual(confirmed.at(-1), { method: 'passkey' })
  await openSecondStep(asha)
  assert.equal(await page.locator('form[data-passkey]').count(), 0)
  await visitor.leave()
})
