// Tests the sign-in to the consoles: the data that the browser stores, the end of a session, and the limits of a merchant's
// browser.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { endSessions } from '../../src/access/identity/index.ts'
import { setMember } from '../../src/access/merchants/index.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { type Office, openOffice, type Person } from './office.ts'

let office: Office
let owner: Person
before(async () => {
  office = await openOffice()
  owner = await office.newPerson('MERCHANT_ADMIN')
})
after(() => office?.close())

/** Reads the access token of a tab, as an attacker would. */
const tokenOf = (page: Page) =>
  page.evaluate<string>(
    `JSON.parse(Object.entries(sessionStorage).find(([name]) => name.includes('.user:'))[1]).access_token`,
  )

test('no address, cookie, log or storage that outlives the tab contains a token', async () => {
  const visitor = await office.comes(owner, 'dashboard')
  const { page, context } = visitor
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  await visitor.opens('/')
  await visitor.sees('Mwanzo', 'Home')
  const token = await tokenOf(page)
  assert.match(token, /^eyJ/)
  const kept = JSON.stringify([await page.evaluate('({ ...localStorage })'), await context.cookies(), addresses])
  assert.ok(!kept.includes(token))
  assert.doesNotMatch(JSON.stringify(await page.evaluate('({ ...localStorage })')), /eyJ/)
  assert.ok(!office.world.deps.logged.join('\n').includes(token))
  assert.doesNotMatch(page.url(), /code=|state=/)
  const history = await page.evaluate<number>('history.length')
  assert.ok(history > 0)
  const other = await context.newPage()
  await other.goto(`${office.url}/dashboard/assets/none`)
  assert.equal(await other.evaluate('sessionStorage.length'), 0, 'another tab has no session data')
  await visitor.leave()
})

test('the console renews the session while a person works, and the sign-out ends the session in the console and at the identity provider', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/sandbox/links')
  const before_it = await tokenOf(page)
  // The server refuses the old token. The browser gets another token without a question to the person.
  office.world.deps.clock.advance(20 * 60_000)
  await page.getByRole('link', { name: 'Ankara', exact: true }).click()
  await visitor.sees('Ankara', 'Invoices')
  await page.getByText('Bado hakuna').first().waitFor()
  assert.notEqual(await tokenOf(page), before_it)
  const second_tab = await visitor.context.newPage()
  await second_tab.goto(`${office.url}/dashboard/sandbox/links`)
  await second_tab.getByRole('heading', { level: 1, name: 'Viungo vya malipo' }).waitFor()
  await second_tab.goto(`${office.url}/dashboard/live/links`)
  await second_tab.getByRole('heading', { level: 1, name: 'Viungo vya malipo' }).waitFor()
  const third_tab = await visitor.context.newPage()
  await third_tab.goto(`${office.url}/dashboard/`)
  await third_tab.waitForURL((url) => url.pathname === '/dashboard/live')
  // The console remembers the environment when it shows the page.
  const shown = () => third_tab.locator('main h1').waitFor()
  await shown()
  // A browser that used no environment opens the sandbox. If the newest payment is live, it opens the live environment.
  const { world } = office
  const live_key = await world.newKey({ merchant: world.merchant, environment: 'live' })
  for (const path of ['/dashboard/sandbox', '/dashboard/live']) {
    await third_tab.evaluate(
      "for (const one of [localStorage, sessionStorage]) one.removeItem('malipo.dashboard.environment')",
    )
    await third_tab.goto(`${office.url}/dashboard/`)
    await third_tab.waitForURL((url) => url.pathname === path)
    await shown()
    assert.equal((await world.post('/v1/collections', { amount: '500' }, { key: live_key })).status, 202)
  }
  // The newest payment belongs to another business, so it does not choose the environment of this one.
  await third_tab.route('**/v1/me/recent-merchant', (route) =>
    route.fulfill({ json: { success: true, data: { merchant_id: randomUUID(), environment: 'live' } } }),
  )
  await third_tab.evaluate(
    "for (const one of [localStorage, sessionStorage]) one.removeItem('malipo.dashboard.environment')",
  )
  await third_tab.goto(`${office.url}/dashboard/`)
  await third_tab.waitForURL((url) => /^\/dashboard\/(live|sandbox)$/.test(url.pathname))
  assert.equal(new URL(third_tab.url()).pathname, '/dashboard/sandbox')
  await third_tab.close()
  const questions: string[] = []
  page.on('framenavigated', (frame) => {
    if (/sign-out/.test(frame.url())) questions.push(frame.url())
  })
  await visitor.press('Ondoka', 'Sign out')
  await page.waitForURL(/\/identity\/sign-in\//)
  await page.locator('input[name=password]').waitFor()
  assert.equal(await page.evaluate("Object.keys(sessionStorage).filter((name) => name.includes('.user:')).length"), 0)
  assert.deepEqual(questions, [], 'one press signs out, without a question')
  // Without the session at the issuer, the console cannot sign in by itself.
  await page.goto(`${office.url}/dashboard/`)
  await page.locator('input[name=password]').waitFor()
  // The sign-out also ends the session in the other tab.
  await second_tab.getByRole('heading', { level: 1, name: 'Umeondoka' }).waitFor()
  assert.equal(await second_tab.evaluate('sessionStorage.length'), 0)
  visitor.complaints.length = 0
  await visitor.leave()
})

test('when a session ends, the console keeps the typed text and sends the text once after the next sign-in', async () => {
  const person = await office.newPerson('MERCHANT_ADMIN')
  const visitor = await office.comes(person, 'dashboard', { refusals: [400, 401] })
  const { page } = visitor
  await visitor.opens('/sandbox/links/new')
  await visitor.fill('Kiasi', 'Amount', '4321')
  await visitor.fill('Maelezo', 'Description', 'Soap for the school')
  await inTransaction(office.world.deps.db, (tx) => endSessions(office.world.deps, tx, person.user_id))
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.getByText('Your session has ended').first().waitFor()
  assert.equal(await page.getByLabel('Amount').inputValue(), '4321')
  await page.getByRole('button', { name: 'Sign in again' }).first().click()
  await page.locator('input[name=email]').fill(person.email)
  await page.locator('input[name=password]').fill(person.password)
  await page.locator('form button').first().click()
  await visitor.sees('Kiungo kipya cha malipo', 'New payment link')
  assert.equal(await page.getByLabel('Amount').inputValue(), '4321')
  assert.equal(await page.getByLabel('Description').inputValue(), 'Soap for the school')
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await visitor.sees('Kiungo cha TZS 4,321', 'Link for TZS 4,321')
  const rows = await office.world.rows('select 1 from payment_links where amount_minor = 432100')
  assert.equal(rows.length, 1)
  await visitor.leave()
})

test('the language that a user chooses on the page of the sign-in becomes the language of the console', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page } = visitor
  await page.goto(`${office.url}/dashboard/sandbox/links`)
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.locator('input[name=email]').fill(owner.email)
  await page.locator('input[name=password]').fill(owner.password)
  await page.locator('form button').first().click()
  await page.getByRole('heading', { level: 1, name: 'Payment links' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.lang'), 'en')
  assert.equal(new URL(page.url()).search, '', 'the address has no language')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Payment links' }).waitFor()
  await visitor.leave()
})

test('a user lists their sessions in both consoles, and ends the other sessions', async () => {
  const person = await office.newPerson('SUPER_ADMIN')
  await inTransaction(office.world.deps.db, (tx) =>
    setMember(office.world.deps, tx, office.world.merchant.id, person.user_id, 'VIEWER'),
  )
  const lost = await office.comes(person, 'dashboard', { refusals: [400, 401] })
  await lost.opens('/sandbox/links')
  for (const [console, language, path] of [
    ['dashboard', 'sw', '/sandbox/sessions'],
    ['operator', 'en', '/sessions'],
  ] as const) {
    const visitor = await office.comes(person, console, { language })
    await visitor.opens(path)
    await visitor.sees('Mahali ulipoingia', 'Your sessions')
    await visitor.page.getByText(visitor.says('Hapa ulipo sasa', 'This session'), { exact: true }).waitFor()
    await visitor.looks('sessions')
    await visitor.picture('sessions')
    if (console === 'operator') {
      const buttons = visitor.page.getByRole('button', { name: /^End this session/ })
      for (const left of [2, 1]) {
        await buttons.nth(left - 1).waitFor()
        await buttons.first().click()
        await buttons.nth(left - 1).waitFor({ state: 'detached' })
      }
      await visitor.page
        .getByRole('status')
        .getByText(/^The session ended: Chrome/)
        .waitFor()
    }
    await visitor.leave()
  }
  await lost.press('', 'Payments')
  await lost.page.getByText('Your session has ended').first().waitFor()
  await lost.leave()
})

test('an administrator requires a second step of all members, and a member gets access only after the setup', async () => {
  const merchant = await office.world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const member = await office.newPerson('VIEWER', merchant)
  const { deps } = office.world
  /** Sets up the second step on the pages of the identity provider. */
  const enrol = async (page: Page, { email, password }: Person) => {
    await page.locator('input[name=email]').fill(email)
    await page.locator('input[name=password]').fill(password)
    await page.locator('form button').first().click()
    const key = (await page.locator('code.key').innerText()).replaceAll(' ', '')
    const timestamp = deps.clock.now().getTime()
    await page.locator('input[name=code]').fill(new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp }))
    await page.locator('form button').first().click()
    await page.locator('.codes').waitFor()
    await page.locator('a.button').click()
  }
  const boss = await office.comes(admin, 'dashboard')
  await boss.opens('/live/members')
  assert.ok(await boss.page.getByRole('switch').isDisabled())
  await boss.opens('/live/sessions')
  await boss.press('', 'Set up the second step')
  await enrol(boss.page, admin)
  await boss.sees('', 'Your sessions')
  await boss.page.getByText('You signed in with your password and a second step').waitFor()
  await boss.opens('/live/members')
  await boss.page.getByText('Every member must sign in with a second step').click()
  await boss.page.getByRole('status').getByText('From now on, every member needs a second step.').waitFor()
  await boss.looks('security')
  await boss.leave()

  const visitor = await office.comes(member, 'dashboard', { language: 'sw', refusals: [403] })
  await visitor.opens('/live/collections')
  await visitor.sees('Weka hatua ya pili ya kuingia', '')
  await visitor.looks('second factor')
  await visitor.press('Weka hatua ya pili', '')
  await enrol(visitor.page, member)
  await visitor.sees('Malipo', '')
  await visitor.leave()
})

test("a token of the dashboard cannot read the operators' queue, and a merchant's member gets no menu of the operators' console", async () => {
  const boss = await office.newPerson('SUPER_ADMIN')
  for (const person of [owner, boss]) {
    const visitor = await office.comes(person, 'dashboard', { refusals: [403] })
    await visitor.opens('/')
    const status = await visitor.page.evaluate<number>(
      `fetch('/v1/operator/queue', { headers: { authorization: 'Bearer ' + JSON.parse(Object.entries(sessionStorage).find(([name]) => name.includes('.user:'))[1]).access_token } }).then((reply) => reply.status)`,
    )
    assert.equal(status, 403, person.role)
    await visitor.leave()
  }
  const stranger = await office.comes(owner, 'operator', { refusals: [403] })
  await stranger.opens('/')
  await stranger.looks('a person who is no operator')
  assert.equal(await stranger.page.getByRole('navigation').count(), 0)
  await stranger.leave()
})

test('the console says that an address has no page, and that the data may be old while the network is lost', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page, context } = visitor
  await visitor.opens('/sandbox/nowhere')
  await visitor.sees('Ukurasa haupo', 'No such page')
  await visitor.opens('/sandbox/collections')
  await context.setOffline(true)
  await page.getByText('Mtandao umekatika. Unachoona kinaweza kuwa cha zamani.').waitFor()
  await context.setOffline(false)
  await page.getByText('Mtandao umekatika. Unachoona kinaweza kuwa cha zamani.').waitFor({ state: 'detached' })
  visitor.complaints.splice(
    0,
    visitor.complaints.length,
    ...visitor.complaints.filter((one) => !one.includes('ERR_INTERNET_DISCONNECTED')),
  )
  await visitor.leave()
})
