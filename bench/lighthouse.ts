/**
 * Measures the payment pages on a cheap phone with a slow network, for `npm run lighthouse`. Lighthouse loads the pages from
 * the real server, and simulates network and processor. The server uses HTTP on loopback, which browsers trust.
 */
import { arch, cpus, loadavg, platform } from 'node:os'
import { parseArgs } from 'node:util'
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'
import { findBrowser } from '../server/test/find-browser.ts'
import { createCleanup, freePort, makeMerchants, openDatabase, startServer } from './world.ts'

const USAGE = `Usage: npm run lighthouse -- [--runs N] [PAGE ...]

Measures the pages of payers (choose, waiting, success, receipt; or those that are named) in Chromium. Simulates the
network and processor of a cheap phone: 400 ms round trips, 400 kbit/s, four times slower. Prints the median of N runs (3),
and ends with exit code 1 if a page misses its goal.

Environment
  CHROMIUM_PATH   The browser, instead of the machine's own or the one that comes with the packages
`

/** The settings of a cheap phone on a slow network. */
const THROTTLING = {
  rttMs: 400,
  throughputKbps: 400,
  cpuSlowdownMultiplier: 4,
  requestLatencyMs: 0,
  downloadThroughputKbps: 0,
  uploadThroughputKbps: 0,
}

const VISITS_MAX = 5

/** The goals for each page: the largest (`at_most`) or the smallest (`at_least`) accepted value. */
const GOALS = [
  { name: 'LCP', unit: 'ms', at_most: 2_500 },
  { name: 'TBT', unit: 'ms', at_most: 50 },
  { name: 'CLS', unit: '', at_most: 0.02 },
  { name: 'accessibility', unit: '', at_least: 100 },
  { name: 'best practices', unit: '', at_least: 100 },
] as const

type Measured = Record<(typeof GOALS)[number]['name'] | 'performance' | 'FCP', number>

/** The pages, each with the phone ending for which the mock provider leads to the page. `choose` needs no payment. */
const PAGES = { choose: null, waiting: '007', success: '001', receipt: '001' } as const
type PageName = keyof typeof PAGES

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, help: { type: 'boolean', short: 'h', default: false } },
})
const runs = Number(values.runs)
const chosen = positionals.length > 0 ? positionals : Object.keys(PAGES)
const unknown = chosen.filter((name) => !Object.hasOwn(PAGES, name))
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
    const columns = ['page'.padEnd(10), ...GOALS.map(({ name }) => name.padStart(16)), 'performance'.padStart(13)]
    process.stdout.write(
      `${columns.join('')}\n${'goal'.padEnd(10)}${GOALS.map((goal) => goalOf(goal).padStart(16)).join('')}\n`,
    )
    for (const name of names) {
      const measured: Measured[] = []
      for (let i = 0; i < runs; i += 1)
        measured.push(await measure(await pageOf(server.url, merchant?.key ?? '', name)))
      missed += report(name, measured)
    }
  } finally {
    await cleanup.run()
  }
  if (missed > 0) process.stdout.write(`\n${missed} ${missed === 1 ? 'goal is' : 'goals are'} missed.\n`)
  return missed === 0 ? 0 : 1
}

/** Creates a link and makes the payment that leads to the page. Returns the address of the page. */
async function pageOf(url: string, key: string, name: PageName): Promise<string> {
  const made = await fetch(`${url}/v1/payment-links`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({
      amount: '25000.00',
      description: 'Viatu vya ngozi, jozi mbili',
      reference: 'ORDER-2026-0123',
    }),
  })
  const { data } = (await made.json()) as { data: { public_slug: string } }
  const address = `${url}/pay/${data.public_slug}`
  const ending = PAGES[name]
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
async function measure(address: string): Promise<Measured> {
  for (let left = VISITS_MAX - 1; ; left -= 1) {
    try {
      return await visit(address)
    } catch (error) {
      if (left === 0) throw error
      process.stderr.write(`${(error as Error).message} Once more.\n`)
    }
  }
}

/** Visits a page once, with a new browser and an empty cache. */
async function visit(address: string): Promise<Measured> {
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
      throttling: THROTTLING,
    })
    if (result === undefined) throw new Error('Lighthouse returned no result for this page')
    const { audits, categories, runtimeError } = result.lhr
    if (runtimeError) throw new Error(`Lighthouse could not measure this page: ${runtimeError.message}`)
    const figure = (id: string) => audits[id]?.numericValue ?? Number.NaN
    const score = (id: string) => Math.round((categories[id]?.score ?? Number.NaN) * 100)
    printFaults(categories, audits)
    return {
      FCP: figure('first-contentful-paint'),
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
  process.stdout.write(`${name.padEnd(10)}${cells.join('')}${String(median('performance')).padStart(13)}\n`)
  return missed
}
