// Tests the pages of the dashboard for developers: API keys, webhooks and webhook deliveries.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LANGUAGES } from '../../src/kernel/lib/index.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { endDeliveries } from '../webhooks.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
let receiver: Receiver

before(async () => {
  office = await openOffice({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  receiver = await startReceiver()
})
beforeEach(() => endDeliveries(office.world.deps.db))
after(async () => {
  await receiver.close()
  await office.close()
})

/** Returns the address, the cookies that scripts can read, both storages, and the history state of a page. */
const keptBy = (page: Page) =>
  page.evaluate<string>(
    'JSON.stringify([location.href, document.cookie, { ...sessionStorage }, { ...localStorage }, history.state])',
  )

/** Records each moment at which the page shows a result although the newest delivery in the list shows none. */
const WATCH_TRUTHS = `
  globalThis.truths = []
  new MutationObserver(() => {
    const row = document.querySelector('table[aria-label=Deliveries] tbody tr')?.innerText ?? 'no delivery'
    if (/answered 200/.test(document.body.innerText) && !/Delivered/.test(row)) truths.push(row)
  }).observe(document.body, { childList: true, subtree: true, characterData: true })`

const answerOf = async (key: string, path = '/v1/collections') =>
  (await fetch(`${office.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).status

test('the console shows a key once, the key works, and the address, cookies and storages of the page do not contain the key', async () => {
  const merchant = await office.world.newMerchant()
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/sandbox/keys')
  await page.getByText('Bado hakuna ufunguo').waitFor()
  await visitor.looks('no keys')
  await visitor.press('Tengeneza ufunguo', 'Create a key')
  await visitor.sees('Tengeneza ufunguo wa API', 'Create an API key')
  await visitor.press('Tengeneza ufunguo', 'Create the key')
  await page.getByText('Jaza sehemu hii.').waitFor()
  await page.getByLabel('Jina').fill('Duka')
  await visitor.looks('new key')
  await visitor.press('Tengeneza ufunguo', 'Create the key')
  await visitor.sees('Nakili ufunguo wako sasa', 'Copy your key now')
  const key = await page.locator('.key').innerText()
  assert.match(key, /^service_sandbox_/)
  assert.equal(await answerOf(key), 200)
  assert.equal(await answerOf(key, '/v1/invoices'), 403, 'the key of an online shop has no access to invoices')
  await page.locator('pre').getByText(`Bearer ${key}`).waitFor()
  await visitor.looks('key')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Pakua .env' }).click(),
  ])
  assert.equal(
    readFileSync(await file.path(), 'utf8'),
    `MALIPO_BASE_URL=${office.url}\nMALIPO_ENVIRONMENT=sandbox\nMALIPO_API_KEY=${key}\n`,
  )
  assert.ok(!(await keptBy(page)).includes(key), 'the key is only in the memory of the page')
  await visitor.press('Nimeuhifadhi', 'I have stored the key')
  await visitor.sees('Funguo za API', 'API keys')
  await page.getByRole('table').getByText('Unatumika').waitFor()
  assert.ok(!(await page.content()).includes(key))
  assert.ok(!(await keptBy(page)).includes(key))
  await page.goBack()
  await visitor.sees('Tengeneza ufunguo wa API', 'Create an API key')
  assert.ok(!(await page.content()).includes(key))
  await visitor.leave()
})

test('the forms that rotate and revoke a key explain the effect, require a confirmation, and take effect immediately', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const old = await world.newKey({ merchant })
  const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox/keys')
  await page.getByText('Not used yet').waitFor()
  await page.getByRole('button', { name: /^Rotate: / }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The present key stops working immediately').waitFor()
  await visitor.looks('rotation')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.equal(await answerOf(old), 200, 'a cancelled confirmation changes nothing')
  await page.getByRole('button', { name: /^Rotate: / }).click()
  await visitor.press('', 'Yes, rotate it now')
  await visitor.sees('', 'Copy your key now')
  const fresh = await page.locator('.key').innerText()
  assert.deepEqual([await answerOf(old), await answerOf(fresh)], [401, 200])
  await visitor.press('', 'I have stored the key')
  await page.getByRole('button', { name: /^Revoke: / }).click()
  await dialog.getByText('you cannot restore the key').waitFor()
  await visitor.press('', 'Yes, revoke it now')
  await page.getByRole('status').getByText('You revoked the key').waitFor()
  assert.equal(await answerOf(fresh), 401)
  await visitor.leave()
})

for (const language of languagesOf(1))
  test(`the number of scopes of a key stays on the line of its label at each tested width (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    await office.world.newKey({ merchant })
    const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', merchant), 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/keys')
    await page.getByText(says('Bado haujatumika', 'Not used yet')).waitFor()
    for (const width of [1280, 1024, 900, 700, 360]) {
      await page.setViewportSize({ width, height: 800 })
      const [lines] = await page.evaluate<number[]>(`[...document.querySelectorAll('td summary')].map((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
      })`)
      assert.equal(lines, 1, `${width} pixels`)
    }
    await visitor.picture('keys')
    await visitor.leave()
  })

test('a member of a business without approval reads why the business may not have a live key', async () => {
  const merchant = await office.world.newMerchant({ approved: false })
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens('/live/keys')
  await page.getByText('You cannot create a live key yet; the form of a key names the reasons.').waitFor()
  await visitor.press('', 'Create a key')
  await visitor.sees('', 'Create an API key')
  // All providers of this installation simulate payments, so the page claims no real money.
  const live = page.getByRole('radio', { name: 'Live: this installation only simulates payments, no money moves' })
  assert.equal(await live.isDisabled(), true)
  assert.equal(await page.getByRole('radio', { name: 'Sandbox: simulated payments, no real money' }).isChecked(), true)
  const reasons = page.getByRole('alert').getByRole('listitem')
  assert.deepEqual(await reasons.allInnerTexts(), [
    'waits for the approval of an operator',
    'waits for the verification by an operator',
    'waits for an operator to set its fees',
  ])
  await visitor.looks('no live key')
  await visitor.leave()
})

for (const language of LANGUAGES)
  test(`without a live key, the text and the button of the list name a live key (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/live/keys')
    await page.getByText(says('Ukiwa tayari, tengeneza ufunguo halisi hapa.', 'create a live key here.')).waitFor()
    await visitor.picture('no-live-keys')
    await visitor.press('Tengeneza ufunguo halisi', 'Create a live key')
    await visitor.sees('Tengeneza ufunguo wa API', 'Create an API key')
    assert.equal(await page.getByRole('radio', { name: says('Halisi:', 'Live:') }).isChecked(), true)
    await visitor.leave()
  })

for (const language of LANGUAGES)
  test(`the forms and the first steps say whether live payments of this installation move money (${language})`, async () => {
    const merchant = await office.world.newMerchant({ approved: false })
    const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', merchant), 'dashboard', { language })
    const { page, says } = visitor
    const places = ['/live/keys/new', '/sandbox', '/sandbox', '/sandbox', '/live/links/new', '/live/withdrawals/new']
    const simulates = [
      says('Halisi: mfumo huu unaigiza malipo tu', 'Live: this installation only simulates payments'),
      says('mfumo huu unaigiza malipo tu. Weka', 'this installation only simulates payments. Keep'),
      says('Pokea malipo ya kwanza kwenye Halisi', 'Take the first live payment'),
      says('pesa halisi hazisogei. Tengeneza kiungo', 'so no money moves. Create a payment link'),
      says('Bado huwezi kupokea malipo kwenye Halisi', 'You cannot take live payments yet'),
      says('Bado huwezi kutoa pesa kwenye Halisi', 'You cannot make live withdrawals yet'),
    ]
    const moves = [
      says('Halisi: pesa zinahama', 'Live: real money moves'),
      says('kwa pesa halisi.', 'with real money.'),
      says('Pokea malipo halisi ya kwanza', 'Take the first real payment'),
      says('kitume kwa mteja kwa WhatsApp', 'send it to a customer by WhatsApp'),
      says('Bado huwezi kupokea pesa halisi', 'You cannot take real money yet'),
      says('Bado huwezi kutoa pesa halisi', 'You cannot withdraw real money yet'),
    ]
    const main = page.getByRole('main')
    const check = async (shown: string[], absent: string[]) => {
      for (const [i, place] of places.entries()) {
        await visitor.opens(place)
        await main.getByText(shown[i] as string).waitFor()
        assert.equal(await main.getByText(absent[i] as string).count(), 0, place)
      }
    }
    await check(simulates, moves)
    const simulated = says(
      'Halisi (kuigiza) – mfumo huu hauhamishi pesa',
      'Live (simulated) – this installation moves no money',
    )
    await page.getByText(simulated).waitFor()
    // The page then gets the fact of an installation with a real provider.
    await page.route('**/dashboard/**', async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback()
      const response = await route.fetch()
      const body = (await response.text()).replace('&quot;rehearses&quot;:true', '&quot;rehearses&quot;:false')
      await route.fulfill({ response, body })
    })
    await check(moves, simulates)
    await page.getByText(says('Halisi – pesa zinahama', 'Live – real money')).waitFor()
    assert.equal(await page.getByText(simulated).count(), 0)
    await visitor.leave()
  })

test('a member tests a webhook address, sees the signing secret once, and reads a description of the response', async () => {
  const merchant = await office.world.newMerchant()
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { refusals: [404] })
  const { page } = visitor
  // An address of the own machine receives events of the sandbox only.
  const tip = page.getByText('127.0.0.1:9090')
  await visitor.opens('/live/webhooks')
  await page.locator('[data-path=webhook_url]').waitFor()
  assert.equal(await tip.count(), 0)
  await visitor.opens('/sandbox/webhooks')
  await tip.waitFor()
  await page.getByText('No address yet.').waitFor()
  await visitor.looks('no webhook')
  await page.getByLabel('Address of your server').fill(receiver.url)
  await visitor.press('', 'Save')
  await page.getByRole('heading', { name: 'Copy this secret now' }).waitFor()
  const secret = await page.locator('.key').innerText()
  assert.match(secret, /^whsec_/)
  assert.ok(!(await keptBy(page)).includes(secret), 'the secret is only in the memory of the page')
  await visitor.looks('secret')
  await visitor.press('', 'I have stored the secret')
  assert.ok(!(await page.content()).includes(secret))

  await page.getByText('Change the address or the events').click()
  await page.getByLabel('Address of your server').fill(`${receiver.url}/`)
  await visitor.press('', 'Save')
  await page.getByRole('status').getByText('Saved.').waitFor()
  await page.getByLabel('Address of your server').waitFor({ state: 'hidden' })
  await page.locator(':focus').getByText('Saved.').waitFor()

  const before = receiver.received.length
  receiver.reply = { kind: 'status', status: 200 }
  await page.evaluate(WATCH_TRUTHS)
  await visitor.press('', 'Send a test event')
  await page.getByRole('status').getByText('Your server answered 200 after').waitFor()
  assert.deepEqual(await page.evaluate('truths'), [], 'the page never reports an answer above a delivery without one')
  const sent = receiver.received[before]
  assert.ok(sent)
  assert.equal(sent.headers['x-service-signature'], createHmac('sha256', secret).update(sent.body).digest('hex'))
  receiver.reply = { kind: 'status', status: 401 }
  await visitor.press('', 'Send a test event')
  await page.getByRole('status').getByText('seems to have refused the signature').waitFor()
  assert.equal(
    await page.getByRole('row', { name: /A payment succeeded Test/ }).count(),
    2,
    'the deliveries are marked as tests',
  )

  await visitor.press('', 'Rotate the secret')
  await page.getByRole('dialog').getByText('for 24 hours').waitFor()
  await visitor.press('', 'Yes, create a new secret')
  await page.getByRole('heading', { name: 'Copy this secret now' }).waitFor()
  assert.notEqual(await page.locator('.key').innerText(), secret)
  await visitor.leave()
})

test('a developer adds, changes, tests and removes another webhook endpoint, and the shown secret signs the test', async () => {
  const merchant = await office.world.newMerchant()
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { refusals: [404] })
  const { page } = visitor
  await visitor.opens('/sandbox/webhooks')
  await page.getByText('No other endpoints.').waitFor()
  await visitor.press('', 'Add an endpoint')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address of your server').fill(receiver.url)
  await dialog.getByLabel('Description (optional)').fill('Bookkeeping')
  await visitor.looks('a new webhook endpoint')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Copy this secret now' }).waitFor()
  const secret = await page.locator('.key').innerText()
  await page.getByText('There is no main endpoint. 1 other endpoint below gets events.').waitFor()
  await page.getByRole('button', { name: 'Change: Bookkeeping' }).click()
  await dialog.getByLabel('Description (optional)').fill('Books')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const before = receiver.received.length
  receiver.reply = { kind: 'status', status: 200 }
  await page.getByRole('button', { name: 'Send a test event: Books' }).click()
  const result = page.getByRole('status').filter({ hasText: 'Books' })
  await result.getByText('Your server answered 200 after').waitFor()
  const sent = receiver.received[before]
  assert.ok(sent)
  assert.equal(sent.headers['x-service-signature'], createHmac('sha256', secret).update(sent.body).digest('hex'))
  await visitor.looks('webhook endpoints')
  const delivery = await result.getByRole('link', { name: 'Open this delivery' }).getAttribute('href')
  await page.getByRole('button', { name: 'Remove: Books' }).click()
  await dialog.getByRole('button', { name: 'Yes, remove it' }).click()
  await page.getByText('No other endpoints.').waitFor()
  await page.goto(new URL(delivery as string, page.url()).href)
  await page
    .getByText('The merchant removed the endpoint of this delivery, so the server cannot send it again.')
    .waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send this again' }).count(), 0)
  await visitor.looks('a delivery of a removed endpoint')
  await visitor.picture('removed-endpoint')
  await visitor.leave()
})

test('a member who lost the response with the first secret reads what happened and how to get another secret', async () => {
  const merchant = await office.world.newMerchant()
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { refusals: [404] })
  const { page } = visitor
  await visitor.opens('/sandbox/webhooks')
  await page.getByLabel('Address of your server').fill(receiver.url)
  let lost = 0
  await page.route('**/v1/merchant/webhook-config?*', async (route) => {
    if (route.request().method() !== 'PATCH' || lost++ > 0) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  await visitor.press('', 'Save')
  await page.getByRole('alert').getByText('No answer from the server').first().waitFor()
  await visitor.press('', 'Save')
  await page.getByRole('alert').getByText('Rotate the secret again to see a new secret.').waitFor()
  visitor.complaints.splice(0, Infinity, ...visitor.complaints.filter((one) => !one.includes('ERR_')))
  await visitor.leave()
})

test('the page shows a failed delivery with its body and the response, and a member sends the delivery again', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  receiver.reply = { kind: 'status', status: 500, body: '<b>Oops</b>' }
  const saved = await world.call({
    method: 'PATCH',
    url: '/v1/merchant/webhook-config',
    key,
    payload: { webhook_url: receiver.url },
  })
  assert.equal(saved.status, 200, saved.text)
  const before = receiver.received.length
  const paid = await world.post(
    '/v1/collections/wallet-push',
    { amount: '25000.00', phone: '0754123001', reference: 'ORDER-1042' },
    { key },
  )
  assert.equal(paid.status, 202, paid.text)
  await receiver.waitFor(before + 1)
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox/webhooks?event=collection.success')
  const first = page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1)
  await first.getByText(/^500 · /).waitFor()
  // The test gives the delivery the status that the delivery would have after its last failed attempt.
  await world.rows("update webhook_deliveries set status = 'failed', due_at = null where merchant_id = $1", [
    merchant.id,
  ])
  await first.getByText('Failed (1 attempt)').waitFor()
  await first.getByRole('link').click()
  await visitor.sees('', 'A payment succeeded')
  await page.locator('pre').getByText('"merchant_reference": "ORDER-1042"').waitFor()
  await page.getByRole('table', { name: 'Attempts' }).getByText('<b>Oops</b>', { exact: true }).waitFor()
  await visitor.looks('delivery')
  receiver.reply = { kind: 'status', status: 204 }
  await visitor.press('', 'Send this again')
  await page.getByRole('status').getByText('The server sends this delivery again.').waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()
  // The receiver also gets the deliveries of other tests.
  const bodies = receiver.received.map(({ body }) => body).filter((body) => body.includes(paid.body.data.collection_id))
  assert.equal(bodies.length, 2)
  assert.equal(bodies[1], bodies[0], 'the same bytes')
  const focused = () => page.evaluate<string>('document.activeElement.textContent.slice(0, 40)')
  assert.equal(await focused(), 'Send this again', 'the button keeps the focus')
  // A failed repetition does not make the event undelivered, on any page.
  receiver.reply = { kind: 'status', status: 500 }
  await visitor.press('', 'Send this again')
  const arrived = page.getByText(/^Delivered at (.*, )?\d\d:\d\d$/)
  const repeated = page.getByText(/^Sent again at (.*, )?\d\d:\d\d: failed$/)
  await Promise.all([arrived.waitFor(), repeated.waitFor()])
  await visitor.looks('a delivery whose repetition failed')
  await visitor.picture('failed-repetition')
  await page.getByRole('link', { name: 'Open this payment' }).click()
  await visitor.press('', 'Send the webhook again')
  const result = page.getByRole('main').getByRole('status')
  await result.getByText('Your server answered the repetition of the event collection.success with HTTP 500.').waitFor()
  assert.equal(await focused(), 'Send the webhook again')
  await Promise.all([arrived.nth(1).waitFor(), repeated.nth(1).waitFor()])
  await visitor.looks('a payment whose webhook failed again')
  await visitor.picture('failed-resend')
  await visitor.opens('/sandbox/webhooks?event=collection.success')
  await Promise.all([arrived.waitFor(), repeated.waitFor()])
  await visitor.leave()
})

for (const language of languagesOf(0))
  test(`a member sends a delivery that waits for its retry now, on its page and from the list (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    receiver.reply = { kind: 'status', status: 500 }
    const payload = { webhook_url: receiver.url }
    await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', key, payload })
    const before = receiver.received.length
    await world.post('/v1/collections/wallet-push', { amount: '2500', phone: '0754123001' }, { key })
    await receiver.waitFor(before + 1)
    const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/webhooks?event=collection.success')
    const first = page
      .getByRole('table', { name: says('Ujumbe uliotumwa', 'Deliveries') })
      .getByRole('row')
      .nth(1)
    await first.getByText(/^500 · /).waitFor()
    const state = says(/^Unajaribiwa tena \(1 kati ya 5, jaribio lijalo .*\)$/, /^Retrying \(1 of 5, next .*\)$/)
    await first.getByText(state).waitFor()
    await first.getByRole('checkbox').waitFor()
    await visitor.picture('waiting-deliveries')
    const bottom = async (label: string, role: 'button' | 'combobox') => {
      const box = await page.getByRole('search').getByRole(role, { name: label, exact: true }).boundingBox()
      return Math.round((box?.y ?? 0) + (box?.height ?? 0))
    }
    const fields = await bottom(says('Tukio', 'Event'), 'combobox')
    const clear = await bottom(says('Ondoa vichujio', 'Clear filters'), 'button')
    assert.ok(Math.abs(clear - fields) < 8, `the button stands beside the fields: ${clear}, ${fields}`)
    await first.getByRole('link').click()
    await page.getByRole('button', { name: says('Tuma sasa', 'Send now'), exact: true }).waitFor()
    await page.getByText(state).waitFor()
    await visitor.looks('a delivery that waits for its retry')
    await visitor.picture('send-now')
    await visitor.press('Tuma sasa', 'Send now')
    await page
      .getByRole('status')
      .getByText(says('Seva inatuma ujumbe huu sasa.', 'The server sends this delivery now.'))
      .waitFor()
    await page
      .getByRole('table', { name: says('Mara zilizojaribiwa', 'Attempts') })
      .getByRole('row')
      .nth(2)
      .waitFor()
    receiver.reply = { kind: 'status', status: 204 }
    await visitor.opens('/sandbox/webhooks?event=collection.success')
    await first.getByRole('checkbox').check()
    await visitor.press('Tuma tena uliochagua', 'Send the selected again')
    await first.getByText(says('Umepokelewa', 'Delivered')).waitFor()
    assert.equal(receiver.received.length, before + 3, 'each request sends the delivery once')
    await visitor.leave()
  })

test('the first page reports a failed attempt, warns after the second, and sends the waiting deliveries when the endpoint works again', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const payload = { webhook_url: receiver.url }
  const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', key, payload })
  assert.equal(saved.status, 200, saved.text)
  receiver.reply = { kind: 'status', status: 500 }
  const before = receiver.received.length
  const pay = () => world.post('/v1/collections/wallet-push', { amount: '2500', phone: '0754123001' }, { key })
  await pay()
  const missed = async (attempts: number) => {
    for (;;) {
      const { items } = (await world.get('/v1/merchant/webhook-deliveries', key)).body.data
      if (items[0]?.attempts.length >= attempts) return
      await new Promise((done) => setTimeout(done, 20))
    }
  }
  await missed(1)
  const member = await office.newPerson('DEVELOPER', merchant)
  const boss = await office.newPerson('SUPER_ADMIN')
  const english = await office.comes(member, 'dashboard')
  await english.opens('/sandbox')
  const menu = english.page.getByRole('navigation', { name: 'Menu' })
  const badge = menu.getByRole('link', { name: /^Webhooks/ }).locator('.count')
  assert.equal(await badge.innerText(), '1', 'the menu counts the delivery that failed once')
  await english.opens('/live')
  await english.page.getByText('The last attempt to send an event of the sandbox failed').waitFor()
  await english.page.getByText(/^Missed deliveries: 1 is retried \(next .*\d\d:\d\d\)$/).waitFor()
  await english.page.getByText('HTTP 500', { exact: true }).waitFor()
  const title = 'Your server does not accept the events of the sandbox'
  assert.equal(await english.page.getByText(title).count(), 0, 'one failed attempt causes no warning')
  await english.looks('an endpoint that failed once')
  await english.picture('retrying')
  world.deps.clock.advance(61_000)
  await missed(2)
  await english.page.getByText(title).waitFor()
  await english.looks('a failing endpoint')
  await english.picture('failing')
  await english.press('', 'Repair it')
  await english.sees('', 'Webhooks')
  assert.match(english.page.url(), /\/sandbox\/webhooks/)
  const operator = await office.comes(boss, 'operator', { language: 'sw' })
  await operator.opens('/webhooks')
  const panel = operator.page.locator('section', { has: operator.page.locator(`a[href$="merchants/${merchant.id}"]`) })
  await panel.getByText('Majaribio').waitFor()
  await operator.looks('failing webhooks')
  await operator.picture('failing')
  await operator.leave()
  const swahili = await office.comes(member, 'dashboard', { language: 'sw' })
  await swahili.opens('/sandbox')
  const warning = swahili.page.getByText('Seva yako haipokei matukio ya mazingira ya Majaribio')
  await warning.waitFor()
  world.deps.clock.advance(1)
  await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', key, payload })
  await swahili.opens('/sandbox')
  await swahili.page
    .getByText('Mtumiaji au ufunguo wa API umebadilisha anwani hii baada ya jaribio la mwisho.')
    .waitFor()
  await swahili.page.getByRole('button', { name: 'Tuma sasa' }).waitFor()
  await swahili.page.getByText('Jibu la mwisho kabla ya badiliko', { exact: true }).waitFor()
  await swahili.page.getByText('yanasubiri anwani iliyobadilishwa').waitFor()
  assert.equal(await warning.count(), 0, 'the warning does not say that the new address fails')
  await swahili.picture('changed')
  receiver.reply = { kind: 'status', status: 200 }
  await pay()
  await receiver.waitFor(before + 3)
  await swahili.opens('/sandbox')
  await swahili.page.getByText('Seva yako inapokea tena matukio ya mazingira ya Majaribio').waitFor()
  await swahili.page.getByText(/^Ujumbe usiopokelewa: 1 unajaribiwa tena \(jaribio lijalo .*\)$/).waitFor()
  assert.equal(await warning.count(), 0)
  await swahili.looks('an endpoint that works again')
  await swahili.picture('waiting')
  await Promise.all([swahili.page.getByText('Seva inatuma ujumbe 1 sasa.').waitFor(), swahili.press('Tuma sasa', '')])
  await swahili.leave()
  await english.leave()
})
