// `npm run contact-sheets -- FOLDER [NAME]` puts pictures of the screens on sheets in a folder outside the repository. The
// pictures show both languages, light and dark, several window sizes, and screens with data, empty, loading and after an error.
// NAME limits the screens to dashboard, operator, payer or public.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page, Route } from 'playwright-core'
import { removeRoutes } from '../server/test/browser.ts'
import { chooseHistory, type DemoProduct, launchPictureBrowser, startDemoProduct } from './demo-product.ts'
import { isFrameCall } from './frame-calls.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const USAGE = `Usage: npm run contact-sheets -- FOLDER [dashboard|operator|payer|public]

Writes the sheets, and the pictures on them, into FOLDER, which is outside the repository.
`
const AUDIENCES = ['dashboard', 'operator', 'payer', 'public'] as const
type Audience = (typeof AUDIENCES)[number]

/** A window. At 200 % zoom, a desktop window of 1280 pixels is 640 CSS pixels wide. */
const WINDOWS = [
  { name: '360', width: 360, height: 740, schemes: ['light', 'dark'], on_a_sheet: 10, columns: 5 },
  { name: '1280', width: 1280, height: 800, schemes: ['light', 'dark'], on_a_sheet: 9, columns: 3 },
  { name: 'zoom', width: 640, height: 400, schemes: ['light'], on_a_sheet: 12, columns: 4 },
] as const
const LANGUAGES = ['en', 'sw'] as const
/** The pause in milliseconds in which a page shows its data, before the pictures of the page. */
const SETTLE_MS = 450

type Picture = { sheet: string; title: string; file: string; window: (typeof WINDOWS)[number] }
type Taker = {
  product: DemoProduct
  browser: Browser
  folder: string
  pictures: Picture[]
}

const [target, only] = process.argv.slice(2)
if (target === undefined || target.startsWith('-') || (only !== undefined && !AUDIENCES.includes(only as Audience))) {
  const asks_help = target === '--help' || target === '-h'
  process[asks_help ? 'stdout' : 'stderr'].write(USAGE)
  process.exit(asks_help ? 0 : 2)
}
const folder = resolve(target)
if (!relative(ROOT, folder).startsWith('..')) {
  process.stderr.write(`${folder} is inside the repository: name another folder\n`)
  process.exit(2)
}
mkdirSync(join(folder, 'pictures'), { recursive: true })
async function openPage({ browser }: Taker, language: string): Promise<Page> {
  const locale = language === 'sw' ? 'sw-TZ' : 'en-GB'
  const context = await browser.newContext({ locale, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  return page
}

/** Takes a picture of the open page in each window size, and in each colour scheme of that size. */
async function take(taker: Taker, page: Page, audience: Audience, state: string, language: string, title: string) {
  for (const window of WINDOWS) {
    await page.setViewportSize({ width: window.width, height: window.height })
    for (const scheme of window.schemes) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await page.waitForTimeout(120)
      const sheet = [audience, state, window.name, scheme, language].join('-')
      const file = `pictures/${sheet}-${title.replace(/\W+/g, '_')}.png`
      await page.screenshot({ path: join(taker.folder, file), animations: 'disabled' })
      taker.pictures.push({ sheet, title, file, window })
    }
  }
}

/** Opens a page of a console and takes pictures of it with its data. */
async function takePage(taker: Taker, page: Page, audience: Audience, language: string, path: string, state = 'data') {
  await page.goto(`${taker.product.url}/${audience}/${path}`)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.waitForTimeout(SETTLE_MS)
  await take(taker, page, audience, state, language, path === '' ? 'home' : path)
}

const ERROR_BODY = JSON.stringify({
  success: false,
  error: {
    code: 'internal_error',
    message: 'The server had an unexpected error. If you report the error, quote the X-Request-Id.',
    details: null,
  },
})

/** Takes pictures of a page while its calls wait, and after its calls have failed. */
async function takeStates(taker: Taker, page: Page, audience: Audience, language: string, path: string) {
  for (const state of ['loading', 'error'] as const) {
    const answer = (route: Route) => {
      const request = route.request()
      if (request.method() !== 'GET' || isFrameCall(request.url())) return route.fallback()
      if (state === 'loading') return new Promise<void>(() => {})
      return route.fulfill({ status: 500, contentType: 'application/json', body: ERROR_BODY })
    }
    await page.route('**/v1/**', answer)
    await page.goto(`${taker.product.url}/${audience}/${path}`)
    await page.locator('main h1, main.alone, .mantine-Skeleton-root').first().waitFor()
    if (state === 'error')
      await page
        .locator('[role=alert]')
        .first()
        .waitFor({ timeout: 12_000 })
        .catch(() => {})
    await page.waitForTimeout(SETTLE_MS)
    await take(taker, page, audience, state, language, path === '' ? 'home' : path)
    await removeRoutes(page)
  }
}

/** Returns the path of the record that the first row of the open list leads to. Null means that the list has no row. */
async function firstRecord(taker: Taker, page: Page, audience: Audience, list: string): Promise<string | null> {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(`${taker.product.url}/${audience}/${list}`)
  const link = page.locator('a[data-row-link]').first()
  await link.waitFor({ timeout: 5_000 }).catch(() => {})
  if ((await link.count()) === 0) return null
  const href = (await link.getAttribute('href')) ?? ''
  return href.replace(`/${audience}/`, '')
}

const OF_MERCHANT = [
  ...['collections', 'links', 'links/new', 'invoices', 'invoices/new', 'withdrawals', 'withdrawals/new'],
  ...['transactions', 'statements', 'keys', 'keys/new', 'webhooks', 'requests', 'members', 'profile', 'addresses'],
  ...['messages', 'notifications', 'recipients', 'sessions', 'activity'],
]
const MERCHANT_LISTS = [
  'collections',
  'links',
  'invoices',
  'withdrawals',
  'transactions',
  'keys',
  'webhooks',
  'requests',
]

async function takeDashboard(taker: Taker, language: string): Promise<void> {
  const page = await openPage(taker, language)
  await page.setViewportSize({ width: 1280, height: 800 })
  await taker.product.signIn(page, 'dashboard')
  await chooseHistory(page)
  await takePage(taker, page, 'dashboard', language, 'sandbox?period=30d')
  for (const path of OF_MERCHANT) await takePage(taker, page, 'dashboard', language, `sandbox/${path}`)
  for (const list of ['collections', 'links', 'invoices', 'withdrawals', 'transactions', 'webhooks', 'requests']) {
    const record = await firstRecord(taker, page, 'dashboard', `sandbox/${list}`)
    if (record !== null) await takePage(taker, page, 'dashboard', language, record)
  }
  for (const path of ['', ...MERCHANT_LISTS])
    await takePage(taker, page, 'dashboard', language, `live/${path}`, 'empty')
  for (const path of ['', ...MERCHANT_LISTS]) await takeStates(taker, page, 'dashboard', language, `sandbox/${path}`)
  await page.context().close()
}

const OF_OPERATORS = [
  ...['?environment=sandbox', 'withdrawals?environment=sandbox', 'payments?environment=sandbox'],
  ...['collections?environment=sandbox', 'decisions', 'pauses', 'reconciliation', 'merchants', 'addresses', 'webhooks'],
  ...['providers', 'waiting', 'networks', 'messages', 'reasons', 'system', 'operators', 'audit', 'sessions'],
]
const OPERATOR_LISTS = ['withdrawals', 'payments', 'collections', 'reconciliation', 'merchants', 'providers', 'waiting']
const OPERATOR_READS = [
  ...OPERATOR_LISTS,
  'webhooks',
  'messages',
  'system',
  'audit',
  'addresses',
  'decisions',
  'pauses',
]

async function takeOperator(taker: Taker, language: string): Promise<void> {
  const page = await openPage(taker, language)
  await page.setViewportSize({ width: 1280, height: 800 })
  await taker.product.signIn(page, 'operator')
  for (const path of OF_OPERATORS) await takePage(taker, page, 'operator', language, path)
  for (const list of ['withdrawals?environment=sandbox', 'payments?environment=sandbox', 'merchants']) {
    const record = await firstRecord(taker, page, 'operator', list)
    if (record === null) continue
    await takePage(taker, page, 'operator', language, record)
    if (list === 'merchants') await takePage(taker, page, 'operator', language, `${record}/prices`)
  }
  const waits = await firstRecord(
    taker,
    page,
    'operator',
    'withdrawals?environment=sandbox&status=PENDING_ADMIN_APPROVAL',
  )
  if (waits !== null)
    for (const act of ['approve', 'reject']) await takePage(taker, page, 'operator', language, `${waits}?act=${act}`)
  for (const path of ['', 'withdrawals?environment=live', 'payments?environment=live', 'collections?environment=live'])
    await takePage(taker, page, 'operator', language, path, 'empty')
  for (const path of OPERATOR_READS) await takeStates(taker, page, 'operator', language, path)
  await page.context().close()
}

/** The outcomes of sandbox payments, each with a phone that causes the outcome. */
const OUTCOMES = { waiting: '0754123007', successful: '0754123001', failed: '0754123002' } as const

async function takePayer(taker: Taker, language: string): Promise<void> {
  const admin = await openPage(taker, 'en')
  await admin.setViewportSize({ width: 1280, height: 800 })
  await taker.product.signIn(admin, 'dashboard')
  await chooseHistory(admin)
  const pages: [string, string][] = []
  for (const list of ['links', 'invoices']) {
    const record = await firstRecord(taker, admin, 'dashboard', `sandbox/${list}`)
    if (record === null) continue
    await admin.goto(`${taker.product.url}/dashboard/${record}`)
    await admin.locator('main h1').first().waitFor()
    await admin.waitForTimeout(SETTLE_MS)
    const address = /\/(?:pay|p)\/[\w-]+/.exec(await admin.locator('main').innerText())?.[0]
    if (address !== undefined) pages.push([list, address])
  }
  await admin.context().close()
  const page = await openPage(taker, language)
  const open = (path: string) => page.goto(`${taker.product.url}${path}?lang=${language}`)
  for (const [name, path] of pages) {
    await open(path)
    await take(taker, page, 'payer', 'data', language, `${name} choose`)
    await open(`${path}/${name === 'invoices' ? 'invoice' : 'help'}`)
    await take(taker, page, 'payer', 'data', language, name === 'invoices' ? 'invoice' : 'help')
  }
  const startPayment = async (phone: string) => {
    await page.setViewportSize({ width: 360, height: 740 })
    // The first page creates a new sandbox page for each visitor.
    await page.goto(`${taker.product.url}/?lang=${language}`)
    await page.locator('.front-try button').click()
    await page.waitForURL(/\/pay\//)
    await open(new URL(page.url()).pathname)
    await page.locator('input[type=tel]').first().fill(phone)
    await page.locator('form button[type=submit], form button:not([type])').first().click()
  }
  for (const [outcome, phone] of Object.entries(OUTCOMES)) {
    await startPayment(phone)
    await page.waitForTimeout(outcome === 'waiting' ? 1_200 : 9_000)
    await take(taker, page, 'payer', 'data', language, outcome)
    if (outcome !== 'successful') continue
    await page.goto(`${page.url().split('?')[0]}/receipt?lang=${language}`)
    await take(taker, page, 'payer', 'data', language, 'receipt')
  }
  await startPayment('0754 12a')
  await page.waitForTimeout(SETTLE_MS)
  await take(taker, page, 'payer', 'error', language, 'refused phone')
  await page.goto(`${taker.product.url}/pay/no-such-page?lang=${language}`)
  await take(taker, page, 'payer', 'error', language, 'not found')
  await page.context().close()
}

const PUBLIC_PAGES = [
  ...['', 'docs', 'docs/quickstart', 'docs/kuanza', 'docs/payments', 'docs/api/createWalletPush'],
  ...['docs/search?q=refund', 'docs/no-such-page', 'identity/sign-up', 'identity/forgot', 'no-such-page'],
]

async function takePublic(taker: Taker, language: string): Promise<void> {
  const page = await openPage(taker, language)
  for (const path of PUBLIC_PAGES) {
    await page.goto(`${taker.product.url}/${path}${path.includes('?') ? '&' : '?'}lang=${language}`)
    await take(taker, page, 'public', 'data', language, path === '' ? 'front' : path)
  }
  for (const name of ['dashboard', 'operator']) {
    await page.goto(`${taker.product.url}/${name}`)
    await page.locator('input[name=email]').waitFor()
    await take(taker, page, 'public', 'data', language, `sign in ${name}`)
  }
  await page.locator('input[name=email]').fill('no-one@example.com')
  await page.locator('input[name=password]').fill('not the password')
  await page.locator('form button').first().click()
  await page
    .locator('.problems, [role=alert]')
    .first()
    .waitFor()
    .catch(() => {})
  await take(taker, page, 'public', 'error', language, 'sign in refused')
  await page.context().close()
}

/** Puts the pictures on sheets, and returns the number of sheets. */
async function writeSheets({ browser, folder, pictures }: Taker): Promise<number> {
  const page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage()
  let sheets = 0
  for (const [name, all] of Map.groupBy(pictures, ({ sheet }) => sheet)) {
    const window = all[0]?.window ?? WINDOWS[0]
    for (let at = 0; at < all.length; at += window.on_a_sheet) {
      const figures = all
        .slice(at, at + window.on_a_sheet)
        .map(({ title, file }) => `<figure><img src="${file}"><figcaption>${title}</figcaption></figure>`)
        .join('')
      const style = `body{margin:8px;background:#888;font:14px sans-serif}main{display:grid;gap:8px;grid-template-columns:repeat(${window.columns},1fr)}
        figure{margin:0;background:#fff}img{display:block;width:100%}figcaption{padding:2px 6px}`
      const file = join(folder, `${name}-${at / window.on_a_sheet + 1}`)
      writeFileSync(
        join(folder, 'sheet.html'),
        `<!doctype html><meta charset="utf-8"><style>${style}</style><main>${figures}</main>`,
      )
      await page.goto(`file://${join(folder, 'sheet.html')}`)
      await page.screenshot({ path: `${file}.png`, fullPage: true })
      sheets++
    }
  }
  return sheets
}

const product = await startDemoProduct()
try {
  const browser = await launchPictureBrowser()
  const taker: Taker = { product, browser, folder, pictures: [] }
  for (const language of LANGUAGES) {
    if (only === undefined || only === 'dashboard') await takeDashboard(taker, language)
    if (only === undefined || only === 'operator') await takeOperator(taker, language)
    if (only === undefined || only === 'payer') await takePayer(taker, language)
    if (only === undefined || only === 'public') await takePublic(taker, language)
  }
  const sheets = await writeSheets(taker)
  await browser.close()
  process.stdout.write(`${taker.pictures.length} pictures on ${sheets} sheets in ${folder}\n`)
} finally {
  await product.close()
}
