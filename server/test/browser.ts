// Starts Chromium for tests, under the control of playwright-core.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findBrowser } from './find-browser.ts'
import { closing_at_end } from './runner/closing.ts'

/**
 * Features of Chromium that cost a quarter of the work of each window: Chromium prepares two more pages for the address line.
 */
const ADDRESS_LINE = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/**
 * The disabled features of Chromium. Chromium uses only the last list, so this list repeats the features that playwright-core
 * disables.
 */
const SWITCHED_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  ...ADDRESS_LINE,
]

/** The timeout in milliseconds for a step of a page. It only ends a test that hangs, because the machine may be busy. */
const STEP_MS_MAX = 60_000

let started: Promise<Browser> | null = null

/**
 * Returns the Chromium of this process, which all its test files share, because a start costs as much as a test. The test must call
 * `closePages` in `after`.
 */
export function launchBrowser(): Promise<Browser> {
  started ??= start()
  return started
}

/** Closes all pages of the test file. The browser itself ends after the last file of the process. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

async function start(): Promise<Browser> {
  const { path, env } = await findBrowser()
  // As root or in a container, Chromium cannot start its own sandbox. The tests open only pages on this machine.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', `--disable-features=${SWITCHED_OFF.join(',')}`]
  const browser = await chromium.launch({ executablePath: path, headless: true, args, env: { ...process.env, ...env } })
  closing_at_end.push(() => browser.close())
  return browser
}

/**
 * A page in a separate browser context. `complaints` are the script errors, and the errors and warnings of the console.
 */
export type WatchedPage = { page: Page; context: BrowserContext; complaints: string[]; close(): Promise<void> }

/** Opens a page that records the script errors, and the errors and warnings of the console. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(STEP_MS_MAX)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`)
  })
  return { page, context, complaints, close: () => context.close() }
}

/**
 * Removes the routes of a page: those of `pattern`, or all. The page still intercepts its requests, because a request that runs
 * while Chromium ends the interception may never get a response (microsoft/playwright#41802).
 */
export async function removeRoutes(page: Page, pattern?: string | RegExp): Promise<void> {
  await page.context().route(NO_REQUEST, (route) => route.fallback())
  await (pattern === undefined ? page.unrouteAll({ behavior: 'ignoreErrors' }) : page.unroute(pattern))
}

const NO_REQUEST = () => false

/** A small HTTP server on loopback. One function answers every request. */
export type Site = { url: string; close(): Promise<void> }

/** Starts a server. If the function throws an error, the server answers 500 with the error. */
export async function startSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<Site> {
  const server = createServer((request, response) => {
    Promise.resolve()
      .then(() => answer(request, response))
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
