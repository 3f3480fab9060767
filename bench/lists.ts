// Measures the lists and the search of both consoles for the benchmark: compares many rows (a million by default) with ten
// thousand rows.

import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/test/free-port.ts'
import { operatorToken, viewerToken } from './admin.ts'
import { fillLists } from './lists-data.ts'
import {
  type BenchMerchant,
  type Cleanup,
  createCleanup,
  type Database,
  makeMerchants,
  query,
  startServer,
} from './world.ts'

const FEW = 10_000
const TIMES_MAX = 20
const DAY_MS = 86_400_000
/** The age in milliseconds of the start of the month that the filters `from` and `to` name. */
const MONTH_AGO_MS = 60 * DAY_MS

/**
 * The result of the case: the numbers of rows and days, and the seconds in which the server summed the days. For each read, the
 * median milliseconds, and the 95th percentile for many rows. The outer `many_p95_ms` is the percentile of all reads for many
 * rows.
 */
export type ListReads = {
  few: number
  many: number
  days: number
  summing_s: number
  many_p95_ms: number
  reads: { path: string; few_ms: number; many_ms: number; many_p95_ms: number }[]
}

/** Returns the paths that the case reads, for a period. */
export const PATHS = (from: string, to: string) => [
  ...[
    '',
    '&page=1000',
    '&status=successful',
    '&status=successful&page=400',
    '&status=failed',
    '&status=reversed',
    '&status=reversed&page=3',
    '&status=created',
    '&status=pending_clearance',
    '&method=qr',
    `&from=${from}&to=${to}`,
    `&status=failed&from=${from}&to=${to}`,
    '&phone=255740000004',
    '&reference=order-77',
    '&reference=ORDER',
  ].map((query) => `/v1/collections?page_size=20${query}`),
  ...[
    '',
    '&page=1000',
    '&status=PAID',
    '&status=ACTIVE',
    '&status=EXPIRED',
    '&status=CANCELLED',
    `&from=${from}&to=${to}`,
  ].map((query) => `/v1/payment-links?page_size=20${query}`),
  ...['', '&page=1000', '&status=DRAFT', '&status=SENT', '&status=PAID', '&status=OVERDUE', '&status=CANCELLED'].map(
    (query) => `/v1/invoices?page_size=20${query}`,
  ),
  ...[
    '',
    '&page=1000',
    '&status=PENDING_ADMIN_APPROVAL',
    '&status=FAILED',
    '&method=BANK_ACCOUNT',
    `&from=${from}&to=${to}`,
  ].map((query) => `/v1/disbursements?merchant_id={id}&page_size=20${query}`),
  ...[
    '',
    '&page=1000',
    '&status=failed',
    '&status=pending',
    '&status=delivered',
    '&event=collection.failed',
    '&event=collection.reversed',
    `&from=${from}&to=${to}`,
  ].map((query) => `/v1/merchant/webhook-deliveries?page_size=20${query}`),
]

/** The ends of the search paths. The searched texts are last digits, a whole phone, references, a name, an amount. */
const SEARCHES = ['0004', '255740000004', 'order-77', 'ORDER-', 'asha', '1000', 'no such text'].map(
  (text) => `search?q=${encodeURIComponent(text)}`,
)

/** The paths of the dashboard's first page and of its search. An API key cannot read these paths. */
const HOME = [
  ...['today', '7d', '30d'].map((period) => `/v1/merchant/overview?period=${period}`),
  '/v1/merchant/attention',
  ...SEARCHES.map((path) => `/v1/${path}`),
]

/** The paths of the operators' queue, lists and search. */
const OF_OPERATORS = [
  '/v1/operator/queue',
  ...['collections', 'withdrawals'].map((list) => `/v1/operator/${list}?page_size=20`),
  ...SEARCHES.map((path) => `/v1/operator/${path}`),
]

/** Creates a merchant with few rows and a merchant with many rows, and reads the same lists of both merchants. */
export async function listsCase(
  cleanup: Cleanup,
  database: Database,
  options: { many: number; days: number; reads: number },
): Promise<ListReads> {
  const local = createCleanup()
  cleanup.add(local.run)
  const few = await makeListsMerchant(local, database, Math.min(FEW, options.many), options.days)
  const many = await makeListsMerchant(local, database, options.many, options.days)
  const times = Math.min(TIMES_MAX, options.reads)
  const now = Date.now()
  const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString())
  const reads = []
  const all_many: number[] = []
  const month = PATHS(at(now - MONTH_AGO_MS), at(now - MONTH_AGO_MS / 2 + 1_234_567))
  for (const [paths, token] of [
    [month, 'key'],
    [HOME, 'person'],
    [OF_OPERATORS, 'operator'],
  ] as const) {
    for (const path of paths) {
      const [of_few, of_many] = [
        await timeListRead(few, path, times, token),
        await timeListRead(many, path, times, token),
      ]
      all_many.push(...of_many)
      const [few_ms, many_ms] = [shareOf(of_few, 0.5), shareOf(of_many, 0.5)]
      reads.push({ path, few_ms, many_ms, many_p95_ms: shareOf(of_many, 0.95) })
    }
  }
  await local.run()
  return {
    few: Math.min(FEW, options.many),
    many: options.many,
    days: options.days,
    summing_s: many.summing_s,
    many_p95_ms: shareOf(all_many, 0.95),
    reads,
  }
}

/** Returns the duration in milliseconds that this share of the durations does not exceed. */
function shareOf(times: readonly number[], share: number): number {
  const sorted = Float64Array.from(times).sort()
  return Number((sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(1))
}

/** A merchant with rows in its own database, its server, and the tokens of an API key, a member and an operator. */
type ListsMerchant = {
  url: string
  merchant: BenchMerchant
  tokens: Record<'key' | 'person' | 'operator', string>
  summing_s: number
}

/** Reads a path `count` times, and returns each duration in milliseconds. */
async function timeListRead(
  shop: ListsMerchant,
  path: string,
  count: number,
  token: keyof ListsMerchant['tokens'],
): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const began = performance.now()
    const answer = await fetch(`${shop.url}${path.replace('{id}', shop.merchant.id)}`, {
      headers: { authorization: `Bearer ${shop.tokens[token]}` },
    })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`the server refused ${path}: ${text}`)
    times.push(performance.now() - began)
  }
  return times
}

async function makeListsMerchant(
  cleanup: Cleanup,
  database: Database,
  count: number,
  days: number,
): Promise<ListsMerchant> {
  const { url: database_url, drop } = await database.create('lists')
  cleanup.add(drop)
  const [merchant] = await makeMerchants(database, database_url, 1)
  if (!merchant) throw new Error('the database returned no merchant')
  const length = days * DAY_MS
  await fillLists(database_url, merchant, count, { begin: Date.now() - length - 60_000, length })
  const began = performance.now()
  const server = await startServer(cleanup, {
    database,
    url: database_url,
    port: await freePort(),
    env: { PROCESS: 'all' },
    node_args: [],
  })
  for (;;) {
    const [row] = await query<{ left: number }>(
      database_url,
      `select count(*)::int as left from merchants m
       cross join (select 'collections' as sums union all select 'withdrawals') t
       where not exists (
         select 1 from (
           select 'collections' as sums, merchant_id, environment, until_day from collection_days_until
           union all select 'withdrawals', merchant_id, environment, until_day from withdrawal_days_until) u
         where u.sums = t.sums and u.merchant_id = m.id and u.environment = 'live' and u.until_day > current_date - 6)`,
    )
    if (row?.left === 0) break
    await sleep(100)
  }
  const summing_s = Number(((performance.now() - began) / 1000).toFixed(1))
  await query(database_url, 'vacuum (analyze) collection_days, withdrawal_days')
  const tokens = {
    key: merchant.key,
    person: await viewerToken(server, merchant.id),
    operator: await operatorToken(server),
  }
  return { url: server.url, merchant, tokens, summing_s }
}
