// Simulates payers in a real browser with the real server. The app listens, and the mock provider answers. The test moves the
// clocks of the server and of each page.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { createMockProvider } from '../../src/adapters/providers/mock/adapter.ts'
import type { Answer, Provider } from '../../src/adapters/providers/port.ts'
import { type Clock, type Language, settableClock } from '../../src/kernel/lib/index.ts'
import { closePages, launchBrowser, openPage, type WatchedPage } from '../browser.ts'
import { createWorld, START, type World } from '../harness.ts'
import { invoicesOf } from '../invoices.ts'
import { measure, violations } from './page-checks.ts'

/** A page for a payment: its address, and the id of its link or, for a hosted page, of its collection. */
export type PayPage = { url: string; slug: string; id: string }

/**
 * The way in which a payer opens a page: the language, with or without scripts, and the HTTP errors that the test expects.
 */
export type Way = {
  language?: Language
  script?: boolean
  refusals?: readonly number[]
  options?: BrowserContextOptions
}

/** A payer with an open page. */
export type Payer = WatchedPage & {
  language: Language
  script: boolean
  /** Returns the text in the language of this page. */
  says(sw: string, en: string): string
  /** Waits until the page shows this heading, then checks the page. */
  sees(sw: string, en: string): Promise<void>
  /** Checks a page once per name: accessibility, width, enlarged text. */
  looks(name: string): Promise<void>
  /** Presses the button or link with this name. */
  press(sw: string, en: string): Promise<void>
  /** Types the phone number and submits the payment. */
  payBy(phone: string): Promise<void>
  /** Moves the clock of the page by this number of seconds. Without scripts, does nothing. */
  wait(seconds: number): Promise<void>
  /** Returns the payment's id from the address of the page. */
  collection(): string
  /**
   * Closes the page. Asserts that the browser logged no error except the expected HTTP errors, and stored no cookie.
   */
  leave(): Promise<void>
}

/** A shop with pages for payments. */
export type Street = {
  world: World
  browser: Browser
  url: string
  newLink(body?: object, key?: string): Promise<PayPage>
  newPage(body?: object): Promise<PayPage>
  /** Makes an invoice in this language without a phone, and its payment link. */
  newInvoice(language: Language): Promise<{ link: PayPage; number: string }>
  /** Books the mobile network's answer about a payment. */
  answers(collection_id: string, answer: Answer, number?: number): Promise<void>
  /** Returns an unused phone number with this ending. */
  phone(ending: string): string
  comes(way?: Way): Promise<Payer>
  close(): Promise<void>
}

const MONEY = { amount_minor: 2_500_000n, currency: 'TZS' } as const
/** The mobile network's answer that it took the money of a payment. */
export const PAID: Answer = { kind: 'succeeded', ...MONEY, provider_status: 'COMPLETED' }
/** The mobile network's answer that it holds the payment for review. */
export const HELD: Answer = { kind: 'held', ...MONEY, provider_status: 'HELD' }
/** The mobile network's answer that it returned the money. */
export const REVERSED: Answer = { kind: 'reversed', ...MONEY, provider_status: 'REVERSED' }

/**
 * The test moves the page's clock by at most this number of seconds in one step, because a page abandons a request after 15
 * seconds.
 */
const STEP_S = 5
const AMOUNT = '25000.00'
const SCREEN = { width: 360, height: 640 }

/** Opens the shop. The test must close the shop in `after`. */
export async function openStreet(env: Record<string, string> = {}): Promise<Street> {
  const clock = settableClock(START)
  const world: World = await createWorld({
    env: { TRIES_PER_ADDRESS: '0', ...env },
    clock,
    compose: { providers: [unscanned(clock)] },
  })
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  const browser = await launchBrowser()
  const looked_at = new Set<string>()
  let phones = 100

  const made = async (path: string, body: object, field: string, id: string, key?: string): Promise<PayPage> => {
    const reply = await world.post(path, { amount: AMOUNT, ...body }, key === undefined ? {} : { key })
    assert.ok(reply.status < 300, reply.text)
    const slug = String(reply.body.data[field]).split('/pay/')[1] as string
    return { url: `${url}/pay/${slug}`, slug, id: reply.body.data[id] }
  }

  return {
    world,
    browser,
    url,
    newLink: (body = {}, key) => made('/v1/payment-links', { description: 'Viatu', ...body }, 'public_url', 'id', key),
    newPage: (body = {}) => made('/v1/collections', body, 'payment_url', 'collection_id'),
    async newInvoice(language) {
      const { draft, act } = invoicesOf(world)
      const { id, number } = await draft({ language, customer_phone: null })
      const { public_slug: slug, id: link_id } = (await act(id, 'payment-link')).body.data
      return { link: { url: `${url}/pay/${slug}`, slug, id: link_id }, number }
    },
    async answers(collection_id, answer, number = 1) {
      const { merchant_id } = (
        await world.rows<{ merchant_id: string }>('select merchant_id from collections where id = $1', [collection_id])
      ).at(0) ?? { merchant_id: world.merchant.id }
      await world.system.driver.settle({ merchant_id, collection_id, number, answer })
    },
    phone: (ending) => `0754${phones++}${ending}`,
    comes: async (way = {}) => newPayer(await open(browser, way), way, looked_at),
    async close() {
      await closePages(browser)
      await world.close()
    },
  }
}

/** Returns the mock provider with one change: a QR payment stays open until a test pays it. */
function unscanned(clock: Clock): Provider {
  const profile = { success_default: 'always', seed: 'street', delay_ms: 0 } as const
  const mock = createMockProvider({ name: 'mock', profile, clock, secret: 'street', sink: async () => {} })
  return {
    ...mock,
    status: async (requests) => {
      const answers = await mock.status(requests)
      return answers.map((answer, i) =>
        requests[i]?.phone === null ? { kind: 'accepted', provider_status: 'PENDING' } : answer,
      )
    },
  }
}

async function open(browser: Browser, { language = 'sw', script = true, options = {} }: Way): Promise<WatchedPage> {
  const opened = await openPage(browser, {
    viewport: SCREEN,
    locale: language === 'sw' ? 'sw-TZ' : 'en-GB',
    javaScriptEnabled: script,
    ...options,
  })
  if (!script) return opened
  // A test cannot hide a window of a headless browser. So `window.cover` makes the page report that it is hidden or visible.
  await opened.context.addInitScript(`
    window.covered = false
    Object.defineProperty(Document.prototype, 'hidden', { get: () => window.covered })
    window.cover = (covered) => { window.covered = covered; document.dispatchEvent(new Event('visibilitychange')) }
  `)
  // The phone has a separate clock: the server sends durations, never times of day.
  const phone_time = new Date(START.getTime() + 86_400_000)
  await opened.context.clock.install({ time: phone_time })
  // The clock of the page runs until the test pauses it, and the test cannot pause it at a time in the past.
  await opened.context.clock.pauseAt(new Date(phone_time.getTime() + 3_600_000))
  return opened
}

function newPayer(opened: WatchedPage, way: Way, looked_at: Set<string>): Payer {
  const { page, context, complaints } = opened
  const { language = 'sw', script = true, refusals = [] } = way
  const says = (sw: string, en: string) => (language === 'sw' ? sw : en)
  const payer: Payer = {
    ...opened,
    language,
    script,
    says,
    async sees(sw, en) {
      await page.getByRole('heading', { level: 1, name: says(sw, en), exact: true }).waitFor()
      // The heading can be visible before the script of the page has run.
      await page.waitForLoadState()
      await payer.looks(says(sw, en))
    },
    async looks(name) {
      const look = `${name} ${script}`
      if (looked_at.has(look)) return
      looked_at.add(look)
      await measure(page, look)
      if (!script) return
      let looking = true
      const found = violations(page).finally(() => {
        looking = false
      })
      // axe waits for timers of the page. The test has paused the page's clock, so the test lets the clock run.
      while (looking) await page.clock.runFor(1)
      assert.deepEqual(await found, [], look)
    },
    async press(sw, en) {
      const name = says(sw, en)
      await page
        .getByRole('button', { name, exact: true })
        .or(page.getByRole('link', { name, exact: true }))
        .click()
    },
    async payBy(phone) {
      await page.locator('#phone').fill(phone)
      await payer.press('Lipa TZS 25,000', 'Pay TZS 25,000')
    },
    async wait(seconds) {
      if (!script) return
      // Responses arrive between the steps, and the page may then open another page.
      for (let left = seconds; left > 0; left -= STEP_S) {
        await page.clock.runFor(Math.min(left, STEP_S) * 1000)
        // This request runs at the same time as the poll of the page. The server answers the poll and this request together.
        await page
          .evaluate(`fetch(document.querySelector('main')?.dataset.poll ?? '/healthz').catch(() => {})`)
          .catch(() => {})
      }
    },
    collection: () => page.url().split('/c/')[1]?.split(/[/?]/)[0] ?? '',
    async leave() {
      assert.deepEqual(await context.cookies(), [])
      // The browser logs each response with an error status. The test ignores the errors that this payer expects.
      const expected = new RegExp(`responded with a status of (?:${refusals.join('|') || 'none'}) `)
      assert.deepEqual(
        complaints.filter((one) => !expected.test(one)),
        [],
      )
      await opened.close()
    },
  }
  return payer
}
