/**
 * Measures the public pages on a phone, for `npm run lighthouse`. The pages of payers run on a cheap phone with a slow network,
 * and the other pages on the phone of Lighthouse. The real server serves the pages over HTTP on loopback, which browsers trust.
 */
import { createHash } from 'node:crypto'
import { arch, cpus, loadavg, platform } from 'node:os'
import { parseArgs } from 'node:util'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import { findBrowser } from '../server/test/find-browser.ts'
import { freePort } from '../server/test/free-port.ts'
import { createCleanup, makeMerchants, openDatabase, startServer } from './world.ts'

const USAGE = `Usage: npm run lighthouse -- [--runs N] [PAGE ...]

Measures the public pages, or those that are named, in Chromium: the pages of payers (choose, waiting, success, receipt,
invoice), the first page, the documentation (docs, guide, call), the pages of the sign-in (sign-in, operator, sign-up, forgot)
and the page of an unknown address (missing). The pages of payers have the network and processor of a cheap phone: 400 ms round
trips, 400 kbit/s, four times slower. The others have those of the phone of Lighthouse: 150 ms, 1.6 Mbit/s, four times slower.
Prints the median of N runs (3), and ends with exit code 1 if a page misses its goal.

Environment
  CHROMIUM_PATH   The browser, instead of the one that comes with the packages
`

/** The settings of a cheap phone on a slow network. */
const CHEAP_PHONE = {
  rttMs: 400,
  throughputKbps: 400,
  cpuSlowdownMultiplier: 4,
  requestLatencyMs: 0,
  downloadThroughputKbps: 0,
  uploadThroughputKbps: 0,
}

/** The settings of the phone that Lighthouse simulates by default. */
const USUAL_PHONE = { ...CHEAP_PHONE, rttMs: 150, throughputKbps: 1_638.4 }

const VISITS_MAX = 5

/** The goals for each page: the largest (`at_most`) or the smallest (`at_least`) accepted value. */
const GOALS = [
  { name: 'LCP', unit: 'ms', at_most: 2_500 },
  { name: 'TBT', unit: 'ms', at_most: 50 },
  { name: 'CLS', unit: '', at_most: 0.02 },
  { name: 'accessibility', unit: '', at_least: 100 },
  { name: 'best practices', unit: '', at_least: 100 },
  { name: 'performance', unit: '', at_least: 95 },
] as const

type Measured = Record<(typeof GOALS)[number]['name'], number>

/**
 * The pages of payers, each with the phone ending for which the mock provider leads to the page. Null means that the page needs
 * no payment.
 */
const PAYER_PAGES = { choose: null, waiting: '007', success: '001', receipt: '001', invoice: null } as const
type PayerPageName = keyof typeof PAYER_PAGES

/** The paths of the other public pages. */
const PUBLIC_PAGES = {
  front: '/',
  docs: '/docs',
  guide: '/docs/quickstart',
  call: '/docs/api/createWalletPush',
  'sign-in': authorizePath('dashboard'),
  operator: authorizePath('operator'),
  'sign-up': '/identity/sign-up',
  forgot: '/identity/forgot',
  missing: '/no-such-page',
} as const
type PublicPageName = keyof typeof PUBLIC_PAGES
type PageName = PayerPageName | PublicPageName

const isPayerPage = (name: PageName): name is PayerPageName => Object.hasOwn(PAYER_PAGES, name)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, help: { type: 'boolean', short: 'h', default: false } },
})
const runs = Number(values.runs)
const all_pages = [...Object.keys(PAYER_PAGES), ...Object.keys(PUBLIC_PAGES)]
const chosen = positionals.length > 0 ? positionals : all_pages
const unknown = chosen.filter((name) => !all_pages.includes(name))
if (values.help || !Number.isInteger(runs) || runs < 1 || unknown.length > 0) {
  process[values.help ? 'stdout' : 'stderr'].write(USAGE)
  process.exit(values.help ? 0 : 2)
}
process.exitCode = await main(chosen as PageName[])

async function main(names: PageName[]): Promise<number> {
  const cleanup = createCleanup()
  let missed = 0
  try {
    const database = await openDatabase(cleanup)
    const { url } = await database.create('lighthouse')
    const [merchant] = await makeMerchants(database, url, 1)
    const port = await freePort()
    // The lifetime of a prompt is an hour, so that the prompt is still open after the measurement.
    const env = { PROCESS: 'all', PUSH_LIFETIME_S: '3600', PROMPTS_PER_PHONE: '0', MOCK_SUCCESS_RATE: '1' }
    const server = await startServer(cleanup, { database, url, port, env, node_args: [] })
    process.stdout.write(`${cpus().length} cores, ${platform()} ${arch()}, load ${loadavg()[0]?.toFixed(1)}\n\n`)
    const columns = ['page'.padEnd(10), ...GOALS.map(({ name }) => name.padStart(16))]
    process.stdout.write(
      `${columns.join('')}\n${'goal'.padEnd(10)}${GOALS.map((goal) => goalOf(goal).padStart(16)).join('')}\n`,
    )
    for (const name of names) {
      const measured: Measured[] = []
      for (let i = 0; i < runs; i += 1)
        measured.push(await measure(await pageOf(server.url, merchant?.key ?? '', name), name))
      missed += report(name, measured)
    }
  } finally {
    await cleanup.run()
  }
  if (missed > 0) process.stdout.write(`\n${missed} ${missed === 1 ? 'goal is' : 'goals are'} missed.\n`)
  return missed === 0 ? 0 : 1
}

/** Returns the path to which a console sends the browser for the sign-in. The measurement includes the redirect to the form. */
function authorizePath(client_id: 'dashboard' | 'operator'): string {
  const query = new URLSearchParams({
    client_id,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: `{url}/${client_id}/callback`,
    state: 'lighthouse',
    code_challenge: createHash('sha256').update('lighthouse').digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `/identity/authorize?${query}`
}

/** Sends a call of the API and returns its answer. */
async function post(url: string, key: string, body: object): Promise<Record<string, string>> {
  const made = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify(body),
  })
  const { data, error } = (await made.json()) as { data?: Record<string, string>; error?: { message: string } }
  if (data === undefined) throw new Error(`the server refused ${url}: ${error?.message}`)
  return data
}

/** Makes the records that the page needs, and returns the address of the page. */
async function pageOf(url: string, key: string, name: PageName): Promise<string> {
  if (!isPayerPage(name)) return `${url}${PUBLIC_PAGES[name].replace('%7Burl%7D', encodeURIComponent(url))}`
  if (name === 'invoice') {
    const invoice = await post(`${url}/v1/invoices`, key, {
      customer_name: 'Juma Ali',
      due_date: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10),
      items: [{ description: 'Unga wa mahindi, kilo 25', quantity: '2', unit_price: '32000.00' }],
    })
    const link = await post(`${url}/v1/invoices/${invoice.id}/payment-link`, key, {})
    return `${url}/pay/${link.public_slug}/invoice`
  }
  const { public_slug } = await post(`${url}/v1/payment-links`, key, {
    amount: '25000.00',
    description: 'Viatu vya ngozi, jozi mbili',
    reference: 'ORDER-2026-0123',
  })
  const address = `${url}/pay/${public_slug}`
  const ending = PAYER_PAGES[name]
  if (ending === null) return address
  const form = { idempotency_key: crypto.randomUUID(), method: 'WALLET_PUSH', phone: `0754123${ending}` }
  const sent = await fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  const path = sent.headers.get('location')?.split('?')[0]
  if (sent.status !== 303 || !path?.includes('/c/'))
    throw new Error(`the payment did not begin: ${sent.status} ${path}`)
  return `${url}${path}${name === 'receipt' ? '/receipt' : ''}`
}

/**
 * Measures a page. If Lighthouse fails, repeats the visit, because a browser sometimes loses the start of its trace.
 */
async function measure(address: string, name: PageName): Promise<Measured> {
  for (let left = VISITS_MAX - 1; ; left -= 1) {
    try {
      return await visit(address, isPayerPage(name) ? CHEAP_PHONE : USUAL_PHONE)
    } catch (error) {
      if (left === 0) throw error
      process.stderr.write(`${(error as Error).message} The benchmark visits the page again.\n`)
    }
  }
}

/** Visits a page once, with a new browser and an empty cache. */
async function visit(address: string, throttling: typeof CHEAP_PHONE): Promise<Measured> {
  const { path, env } = await findBrowser()
  const chrome = await launch({
    chromePath: path,
    envVars: { ...process.env, ...env },
    // As root or in a container, Chromium cannot use its own sandbox. Here it opens only pages of this repository.
    chromeFlags: ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage'],
  })
  try {
    const result = await lighthouse(address, {
      port: chrome.port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: ['performance', 'accessibility', 'best-practices'],
      formFactor: 'mobile',
      throttlingMethod: 'simulate',
      throttling,
      // The page of an unknown address has the status 404, which Chromium logs as an error.
      ignoreStatusCode: true,
      ...(address.endsWith(PUBLIC_PAGES.missing) ? { skipAudits: ['errors-in-console'] } : {}),
    })
    if (result === undefined) throw new Error('Lighthouse returned no result for this page')
    const { audits, categories, runtimeError } = result.lhr
    if (runtimeError) throw new Error(`Lighthouse could not measure this page: ${runtimeError.message}`)
    const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN
    const score = (id: string) => Math.round((categories[id]?.score ?? Number.NaN) * 100)
    printFaults(categories, audits)
    return {
      LCP: figure('largest-contentful-paint'),
      TBT: figure('total-blocking-time'),
      CLS: figure('cumulative-layout-shift'),
      accessibility: score('accessibility'),
      'best practices': score('best-practices'),
      performance: score('performance'),
    }
  } finally {
    chrome.kill()
  }
}

type Rated = Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>

/** Prints the failed audits of each category whose goal is the full score. */
function printFaults(categories: Rated, audits: Record<string, { score: number | null; title: string }>): void {
  for (const id of ['accessibility', 'best-practices']) {
    for (const { id: audit, weight } of categories[id]?.auditRefs ?? []) {
      const { score, title } = audits[audit] ?? { score: null, title: '' }
      if (weight > 0 && score !== null && score < 1) process.stdout.write(`  ${id}: ${title} (${audit})\n`)
    }
  }
}

function goalOf(goal: (typeof GOALS)[number]): string {
  return 'at_most' in goal ? `<= ${goal.at_most} ${goal.unit}`.trim() : `>= ${goal.at_least}`
}

/**
 * Prints the medians of a page, and returns the number of missed goals. A missing measurement counts as a missed goal.
 */
function report(name: PageName, measured: readonly Measured[]): number {
  const median = (of: keyof Measured) =>
    measured.map((one) => one[of]).sort((a, b) => a - b)[measured.length >> 1] as number
  let missed = 0
  const cells = GOALS.map((goal) => {
    const value = median(goal.name)
    const met = 'at_most' in goal ? value <= goal.at_most : value >= goal.at_least
    if (!met) missed += 1
    const shown = goal.name === 'CLS' ? value.toFixed(3) : Math.round(value).toString()
    return `${shown}${met ? '' : ' MISSED'}`.padStart(16)
  })
  process.stdout.write(`${name.padEnd(10)}${cells.join('')}\n`)
  return missed
}
