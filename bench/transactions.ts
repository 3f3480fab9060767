// Measures reads of transactions for the benchmark: compares a merchant with many rows (ten million by default) and a merchant
// with ten thousand.

import { Agent, request } from 'node:http'
import { idToBase32 } from '../server/src/kernel/lib/index.ts'
import { freePort } from '../server/test/free-port.ts'
import { type Percentiles, percentiles } from './cases.ts'
import { fillTransactions, sampleOf } from './transactions-data.ts'
import { type BenchMerchant, type Cleanup, createCleanup, type Database, makeMerchants, startServer } from './world.ts'

/** The reads that the case compares: a page of the list, one transaction by its reference, and the balance. */
export const READS = ['page', 'reference', 'balance'] as const
/** One of READS. The case measures each read with few and with many transactions. */
export type ReadKind = (typeof READS)[number]

/** The latencies of a read: with few transactions, with many transactions, and the ratio of the medians. */
export type Compared = { few: Percentiles; many: Percentiles; ratio: number }

/** The result of the case. Times are in milliseconds. */
export type TransactionReads = {
  few: number
  many: number
  /** The seconds in which the case created the many transactions. */
  making_s: number
  /** The first read of the list, before the database has counted the total. */
  first: { few_ms: number; many_ms: number }
  /** The statement of the last whole month. */
  month: { few_ms: number; many_ms: number; count: number }
  reads: Record<ReadKind, Compared>
}

/** The number of transactions that a busy shop has in a month. */
const FEW = 10_000
const WARM_UP = 20
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

/** A merchant with transactions, and the address of its server. */
type TransactionsMerchant = { url: string; merchant: BenchMerchant; paths: Record<ReadKind, string[]>; month: string }

/**
 * Creates both merchants. Then reads the first page, one transaction by reference, and the balance, of both merchants in turn.
 */
export async function transactionsCase(
  cleanup: Cleanup,
  database: Database,
  options: { many: number; reads: number },
): Promise<TransactionReads> {
  const local = createCleanup()
  cleanup.add(local.run)
  const few = await makeTransactionsMerchant(local, database, Math.min(FEW, options.many))
  const began = performance.now()
  const many = await makeTransactionsMerchant(local, database, options.many)
  const making_s = Math.round((performance.now() - began) / 1000)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  local.add(async () => agent.destroy())

  const once = async (shop: TransactionsMerchant, path: string) => (await timeRead(agent, shop, path)).ms
  const first = {
    few_ms: await once(few, few.paths.page[0] as string),
    many_ms: await once(many, many.paths.page[0] as string),
  }
  const reads = {} as Record<ReadKind, Compared>
  for (const read of READS) reads[read] = await compare(agent, few, many, read, options.reads)
  const month_few = await timeRead(agent, few, few.month)
  const month_many = await timeRead(agent, many, many.month)
  const { lines } = (JSON.parse(month_many.text) as { data: { lines: { count: number }[] } }).data
  await local.run()
  return {
    few: Math.min(FEW, options.many),
    many: options.many,
    making_s,
    first: { few_ms: round(first.few_ms), many_ms: round(first.many_ms) },
    month: { few_ms: round(month_few.ms), many_ms: round(month_many.ms), count: lines[0]?.count ?? 0 },
    reads,
  }
}

/** Alternates the same read of both merchants, so that other load on the machine affects both merchants equally. */
async function compare(
  agent: Agent,
  few: TransactionsMerchant,
  many: TransactionsMerchant,
  read: ReadKind,
  count: number,
): Promise<Compared> {
  const times = { few: [] as number[], many: [] as number[] }
  for (let n = -WARM_UP; n < count; n++) {
    for (const [name, shop] of [
      ['few', few],
      ['many', many],
    ] as const) {
      const paths = shop.paths[read]
      const { ms } = await timeRead(agent, shop, paths[(n + WARM_UP) % paths.length] as string)
      if (n >= 0) times[name].push(ms)
    }
  }
  const [of_few, of_many] = [percentiles(times.few), percentiles(times.many)]
  return { few: of_few, many: of_many, ratio: round(of_many.p50 / of_few.p50) }
}

/** Sends one GET request on a keep-alive connection, and returns its duration in milliseconds. */
function timeRead(agent: Agent, shop: TransactionsMerchant, path: string): Promise<{ ms: number; text: string }> {
  const headers = { authorization: `Bearer ${shop.merchant.key}` }
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const get = request(`${shop.url}${path}`, { agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`the server refused ${path}: ${text}`))
        else resolve({ ms: performance.now() - began, text })
      })
    })
    get.on('error', reject)
    get.end()
  })
}

async function makeTransactionsMerchant(
  cleanup: Cleanup,
  database: Database,
  count: number,
): Promise<TransactionsMerchant> {
  const { url: database_url, drop } = await database.create('transactions')
  cleanup.add(drop)
  const [merchant] = await makeMerchants(database, database_url, 1)
  if (!merchant) throw new Error('the database returned no merchant')
  const begin = Date.now() - YEAR_MS - HOUR_MS
  await fillTransactions(database_url, merchant, count, { begin, length: YEAR_MS })
  const sample = await sampleOf(database_url, merchant)
  const server = await startServer(cleanup, {
    database,
    url: database_url,
    port: await freePort(),
    env: { PROCESS: 'api' },
    node_args: [],
  })
  const list = `/v1/merchants/${merchant.id}`
  const last_month = new Date(Date.now() - 32 * 24 * HOUR_MS).toISOString().slice(0, 7)
  return {
    url: server.url,
    merchant,
    month: `${list}/statements/${last_month}`,
    paths: {
      page: [`${list}/transactions?page=1&page_size=20`],
      reference: sample.map((id) => `/v1/transactions/TXN-${idToBase32(id)}`),
      balance: ['/v1/balance'],
    },
  }
}

function round(value: number): number {
  return Number(value.toFixed(2))
}
