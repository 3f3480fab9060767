// Tests the test payments of a mock provider on the page: a payer chooses the outcome of a QR code or a prompt. Also tests the
// end of a code that no payer scans.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { createWorker } from '../../src/kernel/work/index.ts'
import { closePages, launchBrowser, openPage } from '../browser.ts'
import { createWorld, type World } from '../harness.ts'
import { runningClock } from '../portal/office.ts'
import { until } from '../programs.ts'
import { violations } from './page-checks.ts'
import { nameOf, WAYS } from './ways.ts'

let world: World
let browser: Browser
let worker: ReturnType<typeof createWorker>
let url: string
before(async () => {
  world = await createWorld({
    env: { LOG_LEVEL: 'error', TRIES_PER_ADDRESS: '0', MOCK_SUCCESS_RATE: '1' },
    clock: runningClock(),
  })
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  worker = createWorker(world.deps, world.system.tasks)
  worker.start()
  browser = await launchBrowser()
})
after(async () => {
  if (browser) await closePages(browser)
  await worker?.stop()
  await world?.close()
})

describe('the QR code on the page of a mock provider', { concurrency: true }, () => {
  for (const way of WAYS) {
    test(`a payer sees the QR code, and decides the outcome of the test payment by a button (${nameOf(way)})`, async () => {
      const key = way.script ? world.sandbox_key : world.live_key
      const made = await world.post('/v1/payment-links', { amount: '2500.00', description: 'Viatu' }, { key })
      assert.equal(made.status, 201, made.text)
      const slug = String(made.body.data.public_url).split('/pay/')[1]
      const { page, complaints, close } = await openPage(browser, {
        viewport: { width: 360, height: 740 },
        locale: way.language === 'sw' ? 'sw-TZ' : 'en-GB',
        javaScriptEnabled: way.script,
      })
      const says = (sw: string, en: string) => (way.language === 'sw' ? sw : en)
      await page.goto(`${url}/pay/${slug}?lang=${way.language}`)
      await page.getByRole('button', { name: says('Onyesha QR', 'Show the QR') }).click()
      await page.getByRole('heading', { name: says('Skani QR kulipa', 'Scan the QR to pay') }).waitFor()
      await page.locator('.code svg').waitFor()
      await page.getByText(says('usipochagua', 'Without your choice'), { exact: false }).waitFor()
      const folder = process.env.SCREENSHOTS
      if (folder) {
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 740 })
          await page.screenshot({ path: `${folder}/pay-qr-${way.language}-${width}.png`, fullPage: true })
        }
      }
      if (way.script) assert.deepEqual(await violations(page), [])
      const fails = way.language === 'sw'
      const button = fails ? ['Igiza: imeshindikana', 'Simulate: failed'] : ['Igiza: imelipwa', 'Simulate: paid']
      await page.getByRole('button', { name: says(button[0] ?? '', button[1] ?? '') }).click()
      const heading = fails
        ? says('Malipo hayakufanikiwa', 'Payment did not succeed')
        : says('Malipo yamefanikiwa', 'Payment successful')
      await page.getByRole('heading', { name: heading }).waitFor()
      assert.deepEqual(complaints, [])
      await close()
    })
  }
})

const newLink = async (key: string) => {
  const made = await world.post('/v1/payment-links', { amount: '2500.00', description: 'Viatu' }, { key })
  return String(made.body.data.public_url).split('/pay/')[1] as string
}
const simulate = (slug: string, collection_id: string, outcome: string) =>
  world.call({
    method: 'POST',
    url: `/pay/${slug}/c/${collection_id}/simulate`,
    key: null,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ outcome }).toString(),
  })
const pageOf = async (slug: string, collection_id: string) =>
  (await world.call({ method: 'GET', url: `/pay/${slug}/c/${collection_id}?lang=en`, key: null })).text
const statusOf = async (slug: string, collection_id: string) => {
  const url = `/public/payment-links/${slug}/collections/${collection_id}/status`
  return (await world.call({ method: 'GET', url, key: null })).body.data.status as string
}

test('a payer of a test chooses the outcome of a prompt that never ends, and a second choice changes nothing', async () => {
  const slug = await newLink(world.sandbox_key)
  const path = `/public/payment-links/${slug}/collect`
  const sent = await world.post(path, { method: 'WALLET_PUSH', customer_phone: '0754000007' }, { key: null })
  assert.equal(sent.status, 202, sent.text)
  const { collection_id } = sent.body.data
  assert.equal((await simulate(slug, collection_id, 'reversed')).status, 303)
  assert.equal(await statusOf(slug, collection_id), 'processing', 'the page has no button for this outcome')
  const answers = await Promise.all([1, 2, 3].map(() => simulate(slug, collection_id, 'successful')))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [303, 303, 303],
  )
  assert.equal(await statusOf(slug, collection_id), 'successful')
  assert.equal((await simulate(slug, collection_id, 'failed')).status, 303)
  assert.equal(await statusOf(slug, collection_id), 'successful')
  const events = await world.rows<{ n: number }>(
    'select count(*)::int as n from ledger_transfers where merchant_id = $1 and source_id = $2',
    [world.merchant.id, collection_id],
  )
  assert.ok((events[0]?.n ?? 0) <= 2, 'the payment is booked once')
  const foreign = await simulate(await newLink(world.sandbox_key), collection_id, 'successful')
  assert.equal(foreign.status, 404)
  // The simulator chooses the result of 002. The payer chooses that of 007.
  const slug_of_failures = await newLink(world.sandbox_key)
  for (const [phone, is_chosen_by_simulator] of [
    ['0754000007', false],
    ['0754000002', true],
  ] as const) {
    const body = { method: 'WALLET_PUSH', customer_phone: phone }
    const { data } = (await world.post(`/public/payment-links/${slug_of_failures}/collect`, body, { key: null })).body
    if (!is_chosen_by_simulator) await simulate(slug_of_failures, data.collection_id, 'failed')
    await until(async () => (await statusOf(slug_of_failures, data.collection_id)) === 'failed')
    const page = await pageOf(slug_of_failures, data.collection_id)
    assert.equal(page.includes('the simulator chose this result'), is_chosen_by_simulator, phone)
    assert.match(page, /<p class="test">Test: no real money moves</)
  }
})

test('a simulated QR code that no payer scans expires after five minutes, so a payment by phone of the same link is no duplicate', async () => {
  const made = await world.post(
    '/v1/payment-links',
    { amount: '2500.00', description: 'Viatu' },
    { key: world.live_key },
  )
  const slug = String(made.body.data.public_url).split('/pay/')[1]
  const path = `/public/payment-links/${slug}/collect`
  const shown = await world.post(path, { method: 'TANQR' }, { key: null })
  assert.equal(shown.status, 202, shown.text)
  const { status, collection_id, payment_token, qr_payload } = shown.body.data
  assert.equal(status, 'processing')
  assert.ok(payment_token && qr_payload)
  const ask = async () =>
    (
      await world.call({
        method: 'GET',
        url: `/public/payment-links/${slug}/collections/${collection_id}/status`,
        key: null,
      })
    ).body.data.status
  const by_phone = await world.post(path, { method: 'WALLET_PUSH', customer_phone: '0754123001' }, { key: null })
  assert.equal(by_phone.status, 202, by_phone.text)
  world.deps.clock.advance(290_000)
  assert.equal(await ask(), 'processing', 'the code waits for a choice')
  world.deps.clock.advance(15_000)
  for (let status = await ask(); status !== 'failed'; status = await ask()) {
    assert.equal(status, 'processing')
    await new Promise((done) => setTimeout(done, 250))
  }
  const page = await pageOf(slug as string, collection_id)
  assert.ok(page.includes('The time to pay by this QR has run out.'), page)
  assert.ok(!page.includes('the simulator chose this result'), page)
  const other_slug = await newLink(world.live_key)
  const body = { method: 'TANQR', customer_phone: '0754000007' }
  const { data } = (await world.post(`/public/payment-links/${other_slug}/collect`, body, { key: null })).body
  const rehearsal = await pageOf(other_slug, data.collection_id)
  assert.match(rehearsal, /the simulator uses the result of the phone <span class="whole">0754 \*\*\* 007</)
  assert.ok(!rehearsal.includes('expires after five minutes'))
  assert.match(rehearsal, /<p class="test">This installation only simulates payments: no real money</)
  const records = await world.rows(
    'select status, failure_reason_code from collections where merchant_id = $1 and payment_link_id = $2 order by id',
    [world.merchant.id, made.body.data.id],
  )
  assert.deepEqual(records, [
    { status: 'failed', failure_reason_code: 'expired' },
    { status: 'successful', failure_reason_code: null },
  ])
})
