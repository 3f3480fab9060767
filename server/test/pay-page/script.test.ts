// Tests the script of the pay page while a payer waits, in a real browser whose clock the test moves.

import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Screen } from '../../src/apps/pay-page/index.ts'
import { pollAnswer } from '../../src/apps/pay-page/index.ts'
import { closePages, launchBrowser, openPage, type WatchedPage } from '../browser.ts'
import { until } from '../programs.ts'
import { sampleLogo } from '../sample-logo.ts'
import { type ScreenSite, startScreens } from './screen-server.ts'

let browser: Browser
let site: ScreenSite
let opened: WatchedPage
let page: Page
/** The methods and paths of the received requests in order, without the requests for screens and for the script. */
let received: string[]
/** The response to each poll. */
let poll: (request: IncomingMessage, response: ServerResponse) => void
/** Changes the data of a screen. */
let change: (view: Screen) => Screen
/** The response to each form. */
let form: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

const PENDING = (_: IncomingMessage, response: ServerResponse) => json(response, pollAnswer({ state: 'waiting_push' }))
const json = (response: ServerResponse, body: string, headers: Record<string, string> = {}) =>
  void response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
    .end(body)

before(async () => {
  browser = await launchBrowser()
})
after(() => browser && closePages(browser))
beforeEach(async () => {
  await startSite()
  poll = PENDING
  change = (view) => view
  form = () => {}
  opened = await openPage(browser, { viewport: { width: 360, height: 640 } })
  page = opened.page
  // A test cannot hide a window of a headless browser, so the page reports that it is hidden.
  await page.addInitScript(`
    window.covered = false
    Object.defineProperty(Document.prototype, 'hidden', { get: () => window.covered })
    window.cover = (covered) => { window.covered = covered; document.dispatchEvent(new Event('visibilitychange')) }
  `)
  await page.clock.install({ time: new Date('2026-11-30T15:00:00Z') })
  await page.clock.pauseAt(new Date('2026-11-30T15:10:00Z'))
})
afterEach(async () => {
  await opened?.close()
  await site?.close()
})

/**
 * Starts a server and a list for each test. If a connection breaks, the browser repeats the request, and the repeated request
 * may arrive during the next test.
 */
async function startSite(): Promise<void> {
  const requested: string[] = []
  const started = await startScreens((view: Screen) =>
    view.screen === 'success' ? { ...view, redirect: { url: `${started.url}/merchant`, auto: true } } : change(view),
  )
  started.other = (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    requested.push(`${request.method} ${path}`)
    if (path.endsWith('/poll')) return poll(request, response)
    if (request.method === 'POST') return void form(request, response)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>Next</title><link rel="icon" href="data:,">')
  }
  received = requested
  site = started
}

const polls = () => received.filter((one) => one.endsWith('/poll')).length

/** Moves the clock of the page step by step, and lets the server answer all requests of each step. */
async function pass(seconds: number, step = 1): Promise<void> {
  for (let i = 0; i < seconds; i += step) {
    await page.clock.runFor(step * 1000)
    // A response arrives between two seconds of the page's clock.
    await page.evaluate(() => fetch('/settled'))
  }
}

const open = (name: string) => page.goto(site.address(name, 'en'))

const live = () => page.locator('#live').textContent()

test("the page counts down from the duration that the server sent, whatever the phone's clock shows", async () => {
  await open('waiting-push')
  const clock = page.locator('#clock')
  assert.match((await clock.textContent()) ?? '', /^1:5[67]$/)
  await pass(10)
  assert.match((await clock.textContent()) ?? '', /^1:4[67]$/)
  // The phone corrects its clock by a day while the payer waits.
  await page.clock.setSystemTime(new Date('2026-12-01T15:10:10Z'))
  await pass(10)
  assert.match((await clock.textContent()) ?? '', /^1:3[67]$/)
  assert.equal(await page.locator('#countdown').getAttribute('aria-hidden'), 'true')
})

test('the page announces the time left at one minute, at half a minute and at the end', async () => {
  await open('waiting-push')
  await pass(50)
  assert.equal(await live(), '')
  await pass(10)
  assert.equal(await live(), 'One minute is left.')
  await pass(30)
  assert.equal(await live(), '30 seconds are left.')
  await pass(30)
  assert.equal(await live(), 'The time to confirm is over. We are checking for the answer.')
  assert.equal(await page.locator('#clock').textContent(), '0:00')
})

test('the page polls after 3 seconds, then less often, then every 15 seconds, and stops polling after ten more minutes', async () => {
  await open('waiting-push')
  await pass(2)
  assert.equal(polls(), 0)
  await pass(3)
  assert.equal(polls(), 1)
  await pass(115)
  const while_out = polls()
  assert.ok(while_out >= 12 && while_out <= 18, `${while_out} questions in two minutes`)
  await pass(60)
  const in_minute = polls() - while_out
  assert.ok(in_minute >= 3 && in_minute <= 5, `${in_minute} questions in the minute after`)
  await pass(560, 10)
  await page.locator('#stopped').waitFor()
  const all = polls()
  await pass(40)
  assert.equal(polls(), all)
  assert.ok(all <= 60)
})

test('a hidden page does not poll, and polls immediately when the page is visible again', async () => {
  await open('waiting-push')
  await pass(6)
  await page.evaluate('cover(true)')
  const before_cover = polls()
  await pass(40)
  assert.equal(polls(), before_cover)
  await page.evaluate('cover(false)')
  await page.evaluate(() => fetch('/settled'))
  assert.equal(polls(), before_cover + 1)
})

test('without a network the page shows that the payment continues, and the page polls when the network is back', async () => {
  await open('waiting-push')
  await opened.context.setOffline(true)
  await page.locator('#offline').waitFor()
  assert.match((await live()) ?? '', /Your payment continues/)
  const before_gone = polls()
  await page.clock.runFor(60_000)
  assert.equal(polls(), before_gone)
  await opened.context.setOffline(false)
  await page.locator('#offline').waitFor({ state: 'hidden' })
  await page.evaluate(() => fetch('/settled'))
  assert.equal(polls(), before_gone + 1)
})

test('when the status of the payment changes, the page of the new status replaces the waiting page', async () => {
  await page.goto(site.address('choose', 'en'))
  await open('waiting-push')
  poll = (_, response) => json(response, pollAnswer({ state: 'success' }))
  await page.clock.runFor(5000)
  await page.waitForURL(/\/pay\/[^/]+\/c\/[^/]+\?lang=en$/)
  await page.goBack()
  assert.equal(page.url(), site.address('choose', 'en'))
})

test('the page keeps polling after a 429, a broken response or no response, and waits as long as Retry-After says', async () => {
  await open('waiting-push')
  poll = (_, response) => void response.writeHead(429, { 'retry-after': '30' }).end()
  await pass(5)
  assert.equal(polls(), 1)
  await pass(25)
  assert.equal(polls(), 1)
  poll = (_, response) => json(response, '<html>')
  await pass(4)
  assert.equal(polls(), 2)
  poll = (_, response) => void response.destroy()
  await pass(20)
  assert.ok(polls() >= 3)
  assert.equal(page.url(), site.address('waiting-push', 'en'))
})

test('the page abandons a poll after 15 seconds without a response, and polls again', async () => {
  await open('waiting-push')
  poll = () => {}
  await pass(13)
  assert.equal(polls(), 1)
  await pass(14)
  assert.equal(polls(), 2)
})

test('the server can slow down the polls and correct the time left', async () => {
  await open('waiting-push')
  poll = (_, response) => json(response, pollAnswer({ state: 'waiting_push', next_s: 20, left_s: 90 }))
  await pass(5)
  assert.match((await page.locator('#clock').textContent()) ?? '', /^1:(?:30|2\d)$/)
  await pass(15)
  assert.equal(polls(), 1)
  await pass(8)
  assert.equal(polls(), 2)
})

test('without a network the page asks for a second tap only if the first tap sent nothing', async () => {
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  const pay = () =>
    page.getByRole('button', { name: 'Pay TZS 25,000' }).evaluate((button: { click(): void }) => button.click())
  const posts = () => received.filter((one) => one.startsWith('POST')).length
  const notice = page.locator('#offline')
  await opened.context.setOffline(true)
  await pay()
  await notice.getByText('we sent no request. When the connection is back, try again.').waitFor()
  await opened.context.setOffline(false)
  await notice.waitFor({ state: 'hidden' })
  await pay()
  await page.evaluate(() => fetch('/settled'))
  assert.equal(posts(), 1)
  assert.equal(await live(), 'We are sending your request.')
  await opened.context.setOffline(true)
  await notice.getByText('When the connection is back, press the same button again: you pay only once.').waitFor()
  await page.clock.runFor(30_000)
  await pay()
  assert.match((await live()) ?? '', /Your request may have reached us/)
  assert.equal(await notice.getByText('we sent no request').count(), 0)
  await opened.context.setOffline(false)
  assert.equal(posts(), 1)
})

test('a payer whose connection breaks after the tap keeps the page and the number, and the second tap repeats the same request', async () => {
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  const bodies: string[] = []
  let broken = true
  form = async (request, response) => {
    bodies.push(await textOf(request))
    if (broken) return void response.destroy()
    json(response, JSON.stringify({ go: `${site.url}/merchant` }))
  }
  const pay = page.getByRole('button', { name: 'Pay TZS 25,000' })
  await pay.click()
  await page.locator('#offline', { hasText: 'The connection broke. Your request may have reached us.' }).waitFor()
  assert.match((await live()) ?? '', /press the same button again: you pay only once/)
  assert.equal(page.url(), site.address('choose', 'en'))
  assert.equal(await page.inputValue('#phone'), '0754 123 456')
  broken = false
  await page.clock.runFor(10)
  await pay.click()
  await page.waitForURL(`${site.url}/merchant`)
  assert.match(bodies[0] ?? '', /idempotency_key=[^&]+&.*phone=0754\+123\+456/)
  // The browser itself may repeat a request whose connection breaks.
  assert.ok(bodies.length >= 2)
  assert.deepEqual(new Set(bodies).size, 1)
  broken = true
  await page.goto(site.address('waiting-push', 'en', { as_test: true }))
  await page.getByRole('button', { name: 'Simulate: paid' }).click()
  await page.locator('#offline', { hasText: 'The connection broke. Your request may have reached us.' }).waitFor()
})

test('when the server shows the form again, the browser shows that page after one request, and its script works', async () => {
  await open('choose')
  const whole = await page.content()
  await page.fill('#phone', '0754 123 456')
  form = (_, response) =>
    void response
      .writeHead(422, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        `<!doctype html>${whole.replace(/<title>[^<]*/, '<title>Check the number').replace('id="phone"', 'id="phone" autofocus')}`,
      )
  const pay = page.getByRole('button', { name: 'Pay TZS 25,000' })
  const posts = () => received.filter((one) => one.startsWith('POST')).length
  for (const number of [1, 2]) {
    await pay.click()
    await until(async () => (await page.title()) === 'Check the number' && (await page.inputValue('#phone')) === '')
    await page.locator('#phone:focus').waitFor()
    assert.equal(posts(), number)
    // The script of the new page writes the number in the usual form.
    await until(async () => {
      await page.fill('#phone', '00255.754.123456')
      await page.locator('#phone').blur()
      return (await page.inputValue('#phone')) === '0754 123 456'
    })
  }
  // The next tap waits for its own 20 seconds, not for those of the replaced pages.
  form = () => {}
  await page.clock.runFor(19_000)
  await pay.click()
  await page.clock.runFor(2000)
  assert.equal(await pay.isDisabled(), true)
})

test('the error page of a proxy does not replace the form, and the second tap repeats the same request', async () => {
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  const bodies: string[] = []
  form = async (request, response) => {
    bodies.push(await textOf(request))
    if (bodies.length === 2) return json(response, JSON.stringify({ go: `${site.url}/merchant` }))
    response.writeHead(502, { 'content-type': 'text/html' }).end('<html><title>502 Bad Gateway</title></html>')
  }
  const pay = page.getByRole('button', { name: 'Pay TZS 25,000' })
  await pay.click()
  await page.locator('#offline', { hasText: 'Your request may have reached us.' }).waitFor()
  assert.equal(await page.inputValue('#phone'), '0754 123 456')
  await page.clock.runFor(10)
  await pay.click()
  await page.waitForURL(`${site.url}/merchant`)
  assert.equal(bodies[1], bodies[0])
  // The browser logs each response with a status of 400 or more.
  opened.complaints.splice(0, Infinity, ...opened.complaints.filter((one) => !one.includes('status of 502')))
})

test('after an answer of a program between payer and server, the browser sends the same form itself and shows the next answer', async () => {
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  const bodies: string[] = []
  form = async (request, response) => {
    bodies.push(await textOf(request))
    if (bodies.length === 1) return json(response, '{"error":"blocked"}')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<!doctype html><title>Next</title>')
  }
  await page.getByRole('button', { name: 'Pay TZS 25,000' }).click()
  await until(async () => (await page.title()) === 'Next')
  assert.equal(bodies.length, 2)
  assert.equal(bodies[1], bodies[0])
})

test('a busy answer keeps the form and says how long to wait, and the browser sends the form once for each tap', async () => {
  const bodies: string[] = []
  form = async (request, response) => {
    bodies.push(await textOf(request))
    if (bodies.length === 1)
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' }).end('{}')
    else if (bodies.length === 2) response.writeHead(503, { 'content-type': 'application/json' }).end('{}')
    else if (bodies.length === 3) response.writeHead(503, { 'content-type': 'text/html' }).end('<title>503</title>')
    else json(response, JSON.stringify({ go: `${site.url}/merchant` }))
  }
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  for (const [count, wait] of [7, 30, 30].entries()) {
    await page.evaluate("document.querySelector('#offline').textContent = ''")
    await page.getByRole('button', { name: 'Pay TZS 25,000' }).click()
    await page.locator('#offline', { hasText: `Wait ${wait} seconds, then press the same button again` }).waitFor()
    assert.equal(bodies.length, count + 1)
    assert.match((await live()) ?? '', /The server is busy/)
    assert.equal(await page.inputValue('#phone'), '0754 123 456')
    await page.clock.runFor(10)
  }
  await opened.context.setOffline(true)
  await page.getByRole('button', { name: 'Pay TZS 25,000' }).click()
  await page.locator('#offline', { hasText: 'You are offline, and we sent no request.' }).waitFor()
  await opened.context.setOffline(false)
  await page.getByRole('button', { name: 'Pay TZS 25,000' }).click()
  await page.waitForURL(`${site.url}/merchant`)
  assert.deepEqual([bodies.length, new Set(bodies).size], [4, 1])
  // The browser logs each response with a status of 400 or more.
  opened.complaints.splice(0, Infinity, ...opened.complaints.filter((one) => !/status of (?:429|503)/.test(one)))
})

test('a payer who comes back to a link with an open payment finds the payment that this browser started', async () => {
  const own = page.getByRole('link', { name: 'Open your payment' })
  await open('in-progress')
  await page.getByRole('link', { name: 'Check again' }).waitFor()
  assert.equal(await own.count(), 0, 'a browser that started no payment has no link to one')
  const go = '/screen/en/in-progress/c/1?lang=en'
  form = (_, response) => json(response, JSON.stringify({ go }))
  await open('choose')
  await page.fill('#phone', '0754 123 456')
  await page.getByRole('button', { name: 'Pay TZS 25,000' }).click()
  await page.waitForURL(`${site.url}${go}`)
  await open('in-progress')
  assert.equal(await own.getAttribute('href'), go)
  await open('in-progress-slow')
  assert.equal(await own.count(), 0, 'the page of another link has no link to this payment')
})

test('without a network, the notice stands directly below the tapped button or link, in sight', async () => {
  // No answer of a poll opens another page.
  poll = (_, response) => json(response, '{}')
  const notice = page.locator('#offline:visible')
  for (const [name, role, text] of [
    ['choose', 'button', 'Show the QR'],
    ['choose', 'button', 'Pay TZS 25,000'],
    ['choose', 'link', 'Help with paying by phone'],
    ['failed-wrong_pin', 'button', 'Try again with 0754 *** 456'],
    ['receipt', 'link', 'Download PDF'],
    ['waiting-push', 'link', 'I have paid, check status'],
  ] as const) {
    await open(name)
    await opened.context.setOffline(true)
    const tapped = page.getByRole(role, { name: text })
    await tapped.click()
    await notice.waitFor()
    const [above, below] = [await tapped.boundingBox(), await notice.boundingBox()]
    assert.ok(above !== null && below !== null)
    const space = below.y - above.y - above.height
    assert.ok(space >= 0 && space <= 24, `${text}: ${space} pixels`)
    assert.ok(above.y >= 0 && below.y + below.height <= 641, `${text}: ${above.y} to ${below.y + below.height}`)
    assert.equal(await live(), await notice.textContent())
    await opened.context.setOffline(false)
  }
  await open('receipt')
  await opened.context.setOffline(true)
  await page.getByRole('link', { name: 'Kiswahili' }).click()
  await notice.waitFor()
  assert.equal(await page.locator('main > :first-child').getAttribute('id'), 'offline')
  await opened.context.setOffline(false)
})

test('a payer without a network who taps the link to the shop keeps the page', async () => {
  await open('choose')
  await opened.context.setOffline(true)
  await page.getByRole('link', { name: /^Cancel and go back/ }).click()
  await page.locator('#offline:visible').waitFor()
  assert.equal(page.url(), site.address('choose', 'en'))
  await opened.context.setOffline(false)
})

test('in dark mode the main button has the colour of the merchant, with white text', async () => {
  await page.emulateMedia({ colorScheme: 'dark' })
  change = (view) => ('look' in view ? { ...view, look: { ...view.look, accent_color: '#7b1fa2' } } : view)
  await open('choose')
  const styleOf = (name: string) => page.evaluate(`getComputedStyle(document.querySelector('button.first')).${name}`)
  assert.equal(await styleOf('backgroundColor'), 'rgb(123, 31, 162)')
  assert.equal(await styleOf('color'), 'rgb(255, 255, 255)')
})

test('a receipt and an invoice show a logo 48 pixels high, and nothing moves when the logo arrives', async () => {
  change = (view) => ('look' in view ? { ...view, look: { ...view.look, logo_hash: '0'.repeat(16) } } : view)
  const png = { contentType: 'image/png', body: sampleLogo('rgb', 600, 200) }
  let arrive = () => {}
  await page.route('**/logo/*.png', async (route) => {
    await new Promise<void>((done) => {
      arrive = done
    })
    await route.fulfill(png)
  })
  const logo = page.locator('.paper .logo')
  const places = () => Promise.all(['h1', '.amount'].map((one) => page.locator(one).boundingBox()))
  for (const name of ['receipt', 'invoice']) {
    const asked = page.waitForRequest('**/logo/*.png')
    await open(name)
    await asked
    const before = await places()
    await until(async () => {
      arrive()
      return (await logo.evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth)) === 600
    })
    assert.deepEqual(await places(), before, name)
    const { width, height } = (await logo.boundingBox()) ?? {}
    assert.deepEqual([width, height], [144, 48], name)
  }
  const pay = await page.getByRole('link', { name: /^Pay TZS/ }).boundingBox()
  assert.ok(pay !== null && pay.y + pay.height <= 640, 'the button of the invoice is on the first screen')
})

test('while a payment of the link has no answer, the page without a network says not to pay again', async () => {
  await open('choose-wrong')
  await opened.context.setOffline(true)
  await page.locator('#offline', { hasText: 'Do not pay again: when the connection is back' }).waitFor()
  await opened.context.setOffline(false)
  await page.locator('#offline').waitFor({ state: 'hidden' })
})

test('two taps send a form once, and the button works again after the payer comes back', async () => {
  await open('choose')
  await page.fill('#phone', '255754123456')
  await page.locator('#phone').blur()
  assert.equal(await page.inputValue('#phone'), '0754 123 456')
  // The server does not answer, so the page stays open, as it does while a slow network sends the form.
  const pay = page.getByRole('button', { name: 'Pay TZS 25,000' })
  const posts = () => received.filter((one) => one.startsWith('POST')).length
  for (const _ of ['tap', 'tap again']) {
    await pay.evaluate((button: { click(): void }) => button.click())
    await page.evaluate(() => fetch('/settled'))
  }
  await page.clock.runFor(10)
  assert.equal(await pay.isDisabled(), true)
  assert.equal(posts(), 1)
  await page.goto(site.address('help', 'en'))
  await page.goBack()
  assert.equal(await pay.isEnabled(), true)
})

test('five seconds after success the page sends the payer back to the shop once, unless the payer chooses to stay', async () => {
  await open('success')
  await page.locator('#stay').click()
  await page.clock.runFor(20_000)
  assert.equal(page.url(), site.address('success', 'en'))
  assert.equal(await page.locator('#leaving').isVisible(), false)

  await page.goto(site.address('success-here', 'en'))
  await page.clock.runFor(4000)
  assert.equal(page.url(), site.address('success-here', 'en'))
  await page.clock.runFor(2000)
  await page.waitForURL(`${site.url}/merchant`)
  await page.goBack()
  await page.clock.runFor(20_000)
  assert.equal(page.url(), site.address('success-here', 'en'))
})

test('a copy button shows and announces that the page has copied the text', async () => {
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open('receipt')
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await live(), 'Copied')
})

test('two minutes of waiting cost the payer at most 30 KB, including all polls', async () => {
  let bytes = 0
  page.on('requestfinished', (request) => {
    if (request.url().endsWith('/settled')) return
    void request.sizes().then(({ requestHeadersSize, responseHeadersSize, responseBodySize }) => {
      bytes += requestHeadersSize + responseHeadersSize + responseBodySize
    })
  })
  await open('waiting-push')
  await pass(120)
  assert.ok(bytes > 0 && bytes <= 30 * 1024, `${bytes} bytes`)
})

test('an open form polls, and after the payer sends it the page opens another attempt only when the server has answered', async () => {
  poll = (_, response) => json(response, pollAnswer({ state: 'choose' }))
  await open('choose-wrong')
  await pass(5)
  assert.ok(polls() > 0)
  assert.equal((await page.locator('form').count()) > 0, true)
  await page.getByRole('button', { name: /^Pay TZS/ }).click()
  poll = (_, response) => json(response, pollAnswer({ state: 'in_progress' }))
  await pass(15)
  assert.equal(received.filter((one) => one.startsWith('POST ')).length, 1)
  assert.notEqual(await page.title(), 'Next', 'the page waits for the response of the form and does not navigate')
  // The payment did not start, so the page polls again. The page may open another page within a second, so the test waits.
  const hasNavigated = () => received.some((one) => /^GET \/pay\/[^/]+$/.test(one))
  for (let i = 0; i < 30 && !hasNavigated(); i += 1) await pass(1).catch(() => {})
  assert.ok(hasNavigated(), 'the page navigates by itself')
})
