// Runs the consoles in a real browser for tests. The app listens, the worker runs, and the clock runs. All people sign in with
// a password at the built-in identity provider.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { DEMO_DOMAIN, newPassword, setPassword } from '../../src/access/identity/index.ts'
import { createUser, type Merchant, setMember } from '../../src/access/merchants/index.ts'
import type { Provider } from '../../src/adapters/providers/port.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { isOperatorRole, type Role } from '../../src/kernel/http/index.ts'
import { type Language, type SettableClock, systemClock } from '../../src/kernel/lib/index.ts'
import { createWorker } from '../../src/kernel/work/index.ts'
import { closePages, launchBrowser, openPage, type WatchedPage } from '../browser.ts'
import { createWorld, type World } from '../harness.ts'
import { violations } from '../pay-page/page-checks.ts'

/** A person who can sign in. */
export type Person = { email: string; password: string; user_id: string; role: Role }

/** A person who has one console open. */
export type Visitor = WatchedPage & {
  language: Language
  /** Returns the text in the language of this page. */
  says<Text extends string | RegExp>(sw: Text, en: Text): Text
  /** Opens a path of the console. If the console requires a sign-in, signs in. */
  opens(path: string): Promise<void>
  /** Signs in on the page to which the console sent the browser. */
  signsIn(): Promise<void>
  /** Waits until the page has this title, then checks the accessibility and the width of the page. */
  sees(sw: string, en: string): Promise<void>
  /** Checks the accessibility and the width of the current page. */
  looks(name: string): Promise<void>
  /** Presses the button or link with this name. */
  press(sw: string, en: string): Promise<void>
  /** Fills in the field with this label. */
  fill(sw: string, en: string, text: string): Promise<void>
  /** Makes the page hidden, as behind another tab. A hidden page repeats no read, so only a button can. */
  hides(): Promise<void>
  /** If SCREENSHOTS names a folder, saves a picture of the page in both sizes. */
  picture(name: string): Promise<void>
  /** Closes the page, and asserts that the browser logged no error except the expected HTTP errors. */
  leave(): Promise<void>
}

/** A running installation whose people use the consoles in a browser. */
export type Office = {
  world: World
  browser: Browser
  url: string
  /** Creates a person with this role in the world's merchant, or in `merchant`. */
  newPerson(role: Role, merchant?: Merchant): Promise<Person>
  /** Opens a browser for a person. `preloads` turns the data saver of the browser off, so the console preloads its pages. */
  comes(
    person: Person,
    console: 'dashboard' | 'operator',
    how?: { language?: Language; refusals?: readonly number[]; preloads?: boolean; options?: BrowserContextOptions },
  ): Promise<Visitor>
  close(): Promise<void>
}

/**
 * Makes a clock that follows the machine's clock and that a test can move forward. Sign-in libraries compare this time with the
 * browser's clock.
 */
export function runningClock(): SettableClock {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    after: systemClock.after,
    advance(ms) {
      ahead += ms
    },
    step(ms) {
      ahead += ms
    },
  }
}

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 800 }
/** True if no font is on its way. A text changes its width when its font arrives. */
export const FONTS_LOADED = "document.fonts.status === 'loaded'"
/** The number of pixels by which a page is too wide. */
const OVER = 'document.documentElement.scrollWidth - innerWidth'
/** The rows of lists that are cut. A list hides what is too wide in its rows, so the page does not become wider. */
const CUT =
  "[...document.querySelectorAll('.rows > li')].filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.innerText)"
/**
 * Turns the data saver of the browser on. Otherwise, each window preloads and runs every page of its console, although most
 * tests open two or three.
 */
const SAVES_DATA = `Object.defineProperty(navigator, 'connection', { value: Object.assign(new EventTarget(), { saveData: true }) })`

/**
 * Opens the office. The test must close the office in `after`. `providers` replace the providers of the settings. If `env` has a
 * BASE_URL, the app listens on its port.
 */
export async function openOffice(env: Record<string, string> = {}, providers?: Provider[]): Promise<Office> {
  const compose = providers === undefined ? {} : { compose: { providers } }
  // The browsers of a test share one address and send requests faster than people, so the office has no rate limit per address.
  const settings = { LOG_LEVEL: 'error', RATE_LIMIT_PER_ADDRESS: '0', ...env }
  const world = await createWorld({ env: settings, clock: runningClock(), ...compose })
  await world.system.app.listen({ host: '127.0.0.1', port: env.BASE_URL ? Number(new URL(env.BASE_URL).port) : 0 })
  const url = env.BASE_URL ?? `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  const worker = createWorker(world.deps, world.system.tasks)
  worker.start()
  const browser = await launchBrowser()
  return {
    world,
    browser,
    url,
    async newPerson(role, merchant = world.merchant) {
      const { deps } = world
      const password = newPassword(deps.random)
      const operator_role = isOperatorRole(role) ? role : null
      // A demo operator can sign in without a second factor.
      const domain = operator_role === null ? '@example.com' : DEMO_DOMAIN
      const email = `${role.toLowerCase().replace('_', '-')}-${randomUUID().slice(0, 8)}${domain}`
      const user_id = await inTransaction(deps.db, async (tx) => {
        const base = { email, email_verified: true, name: 'Asha', language: 'sw', identity: 'embedded' } as const
        const { id } = await createUser(deps, tx, { ...base, operator_role })
        if (!isOperatorRole(role)) await setMember(deps, tx, merchant.id, id, role)
        await setPassword(deps, tx, id, password)
        return id
      })
      return { email, password, user_id, role }
    },
    comes: (person, console, how = {}) => visit(browser, url, person, console, how),
    async close() {
      await closePages(browser)
      await worker.stop()
      await world.close()
    },
  }
}

async function visit(
  browser: Browser,
  url: string,
  person: Person,
  console: 'dashboard' | 'operator',
  { language = 'en', refusals = [], preloads = false, options = {} }: NonNullable<Parameters<Office['comes']>[2]>,
): Promise<Visitor> {
  const opened = await openPage(browser, {
    viewport: DESK,
    locale: language === 'sw' ? 'sw-TZ' : 'en-GB',
    ...options,
  })
  const { page, context, complaints } = opened
  if (!preloads) await context.addInitScript(SAVES_DATA)
  const says = <Text extends string | RegExp>(sw: Text, en: Text): Text => (language === 'sw' ? sw : en)
  const signInIfAsked = async () => {
    const email = page.locator('input[name=email]')
    // The page that confirms the end of the session redirects to the sign-in.
    const arrived = page.locator('h1:not(:empty)').filter({ hasNotText: /^(Tunakuingiza|Signing you in)/ })
    await email.or(arrived).first().waitFor()
    if ((await email.count()) === 0) return
    await email.fill(person.email)
    await page.locator('input[name=password]').fill(person.password)
    await page.locator('form button[type=submit], form button:not([type])').first().click()
    await page.waitForURL(
      (address) => address.pathname.startsWith(`/${console}`) && !address.pathname.endsWith('callback'),
    )
  }
  const visitor: Visitor = {
    ...opened,
    language,
    says,
    signsIn: signInIfAsked,
    async opens(path) {
      await page.goto(`${url}/${console}${path}`)

      await signInIfAsked()
      await page.locator('main h1').first().waitFor()
      await page.waitForFunction(FONTS_LOADED)
    },
    async sees(sw, en) {
      await page.getByRole('heading', { level: 1, name: says(sw, en), exact: true }).waitFor()
    },
    async looks(name) {
      await page.locator('[aria-busy=true], .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
      assert.deepEqual(await violations(page), [], `${name}: ${page.url()}`)
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size)
        // The page needs two frames, or more on a busy machine, to change a table into rows for phones.
        await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
        // If the page does not fit in time, the assertions below say what is too wide.
        await page.waitForFunction(`${OVER} <= 0 && ${CUT}.length === 0`).catch(() => {})
        const over = await page.evaluate<number>(OVER)
        assert.ok(over <= 0, `${name} is ${over} pixels too wide for ${size.width}`)
        const cut = await page.evaluate<string[]>(CUT)
        assert.deepEqual(cut, [], `${name}: rows are cut at ${size.width}`)
      }
    },
    async press(sw, en) {
      const name = says(sw, en)
      await page
        .getByRole('button', { name, exact: true })
        .or(page.getByRole('link', { name, exact: true }))
        .first()
        .click()
    },
    async fill(sw, en, text) {
      await page.getByLabel(says(sw, en), { exact: false }).first().fill(text)
    },
    async hides() {
      await page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })
        document.dispatchEvent(new Event('visibilitychange'))`)
    },
    async picture(name) {
      const folder = process.env.SCREENSHOTS
      if (!folder) return
      const before = page.viewportSize() ?? DESK
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size)
        await page.screenshot({ path: `${folder}/${console}-${name}-${language}-${size.width}.png`, fullPage: true })
      }
      await page.setViewportSize(before)
    },
    async leave() {
      // The browser logs each response with a status of 400 or more.
      const own = complaints.filter((text) => !refusals.some((status) => text.includes(`status of ${status}`)))
      assert.deepEqual(own, [])
      await opened.close()
    },
  }
  return visitor
}
