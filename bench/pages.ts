// Measures the pages of payers for the benchmark: the highest rate of page requests, and the cost of thousands of phones that
// wait.

import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/test/free-port.ts'
import { type BenchSettings, measure, type Rate, type RoundMeasurement, rateOf, runName } from './cases.ts'
import type { LoadApi, LoadSettings } from './load.ts'
import { type Remote, startRemote } from './rpc.ts'
import {
  type BenchMerchant,
  type Cleanup,
  createCleanup,
  type Database,
  makeMerchants,
  query,
  readCpu,
  type Server,
  startServer,
} from './world.ts'

/** The result of the case, with one server process and with two. */
export type Pages = {
  waiting: number
  /** Page requests per second for a link whose payer has not chosen a method yet. The server compresses pages with brotli. */
  choose: Rate
  /** Page requests per second for a prompt in progress. */
  waiting_page: Rate
  /** The rate `choose` with two server processes on one database. */
  choose_two: Rate
  /** The rate `waiting_page` with two server processes on one database. */
  waiting_page_two: Rate
  /** The requests per second that poll a status, with every waiting payer at the interval of the page's script. */
  poll: Rate
  polls_offered: number
  /** The number of requests to the provider while payers loaded and polled pages. */
  provider_questions: number
}

/** The pause in seconds between two polls of a phone that has waited for some time. */
const POLL_EVERY_S = 10
/** The number of concurrent requests that prepare the case. The measurement does not include them. */
const PREPARING = 64
/** The greatest number of prompts. If more payers wait, several payers poll the same prompt. */
const PROMPTS_MAX = 2_000

type Target = { choose: string; waiting: string; state: string }

/**
 * Creates the prompts of `count` waiting payers. Measures the pages with one server and with two servers, and also the polls.
 */
export async function pagesCase(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
  count: number,
): Promise<Pages> {
  const { url, drop } = await database.create('pages')
  const local = createCleanup()
  cleanup.add(local.run)
  const merchants = await makeMerchants(database, url, settings.merchants)
  // This world has no worker, so only the pages cause requests to the provider.
  const env = {
    PROCESS: 'api',
    PUSH_LIFETIME_S: '3600',
    RATE_LIMIT_PAYERS: '0',
    PROMPTS_PER_PHONE: '0',
    TRIES_PER_ADDRESS: '0',
  }
  const start = async () => startServer(local, { database, url, port: await freePort(), env, node_args: [] })
  const servers = [await start(), await start()] as [Server, Server]
  const loads = [startRemote<LoadApi>('load.ts'), startRemote<LoadApi>('load.ts')] as const
  for (const load of loads) local.add(() => load.stop())
  const targets = await prepare(servers[0], merchants, Math.min(count, PROMPTS_MAX))
  const asked_before = await questions(url)

  let refusal: string | null = null
  const run = async (used: readonly Server[], options: Partial<LoadSettings>): Promise<RoundMeasurement> => {
    const lanes = used.map((server, i) => ({ server, load: loads[i] as Remote<LoadApi> }))
    const share = Math.ceil(settings.connections / lanes.length)
    for (const { server, load } of lanes) {
      const base = { port: server.port, connections: share, kind: 'get' as const, keys: [''], run: runName() }
      const head = 'Accept-Encoding: gzip, br\r\n'
      await load.call('start', { ...base, paths: [], rate: null, outstanding_max: null, keep: false, head, ...options })
    }
    const pids: Record<string, number> = {}
    for (const [i, { server, load }] of lanes.entries())
      Object.assign(pids, { [`server${i || ''}`]: server.program.pid, [`load${i || ''}`]: load.pid })
    const window = await measure(
      settings,
      async () => {
        const all = await Promise.all(lanes.map(({ load }) => load.call('progress')))
        const sum = (pick: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + pick(one), 0)
        return { at: all[0]?.at ?? 0, answered: sum((one) => one.answered), refused: sum((one) => one.refused) }
      },
      () => readCpu(database, pids),
    )
    for (const { load } of lanes) refusal ??= (await load.call('stop')).first_refusal
    return window
  }
  const paths = (pick: (target: Target) => string) => targets.map((target) => ({ path: pick(target), key: 0 }))
  const windows: Record<'choose' | 'waiting_page' | 'choose_two' | 'waiting_page_two' | 'poll', RoundMeasurement[]> = {
    choose: [],
    waiting_page: [],
    choose_two: [],
    waiting_page_two: [],
    poll: [],
  }
  const one = servers.slice(0, 1)
  // The first round is a warm-up.
  for (let n = 0; n <= settings.rounds; n++) {
    const found = {
      choose: await run(one, { paths: paths(({ choose }) => choose) }),
      waiting_page: await run(one, { paths: paths(({ waiting }) => waiting) }),
      choose_two: await run(servers, { paths: paths(({ choose }) => choose) }),
      waiting_page_two: await run(servers, { paths: paths(({ waiting }) => waiting) }),
      poll: await run(one, { paths: paths(({ state }) => state), rate: count / POLL_EVERY_S }),
    }
    if (n === 0) continue
    for (const name of Object.keys(windows) as (keyof typeof windows)[]) windows[name].push(found[name])
  }
  const provider_questions = (await questions(url)) - asked_before
  await local.run()
  await drop()
  return {
    waiting: count,
    choose: rateOf(windows.choose, refusal),
    waiting_page: rateOf(windows.waiting_page, refusal),
    choose_two: rateOf(windows.choose_two, refusal),
    waiting_page_two: rateOf(windows.waiting_page_two, refusal),
    poll: rateOf(windows.poll, refusal),
    polls_offered: count / POLL_EVERY_S,
    provider_questions,
  }
}

/** Creates links without a payment and links with a prompt in progress, through the API. */
async function prepare(server: Server, merchants: readonly BenchMerchant[], count: number): Promise<Target[]> {
  const targets: Target[] = []
  let next = 0
  const lane = async () => {
    for (let n = next++; n < count; n = next++) {
      const { key } = merchants[n % merchants.length] as BenchMerchant
      const body = { amount: `${1000 + (n % 9000)}.00`, description: 'Viatu vya ngozi', reference: `ORDER-${n}` }
      const [open, taken] = await Promise.all([1, 2].map(() => post(server, '/v1/payment-links', body, key)))
      const phone = `0754${String(n % 1000).padStart(3, '0')}007`
      const choice = { method: 'WALLET_PUSH', customer_phone: phone }
      const paid = await post(server, `/public/payment-links/${taken?.public_slug}/collect`, choice, null)
      const waiting = `/pay/${taken?.public_slug}/c/${paid.collection_id}`
      targets.push({ choose: `/pay/${open?.public_slug}`, waiting, state: `${waiting}/state` })
    }
  }
  await Promise.all(Array.from({ length: PREPARING }, lane))
  await sleep(500)
  return targets
}

async function post(server: Server, path: string, body: object, key: string | null): Promise<Record<string, string>> {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': `${runName()}${runName()}`,
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status >= 300) throw new Error(`the server refused ${path}: ${text}`)
  return (JSON.parse(text) as { data: Record<string, string> }).data
}

/** Returns the number of requests to the provider, from the columns of the attempts. */
async function questions(url: string): Promise<number> {
  const [row] = await query<{ asked: number }>(
    url,
    "select coalesce(sum(asks + (sent_at is not null)::int + (state <> 'to_send')::int), 0)::int as asked from collection_attempts",
  )
  return row?.asked ?? 0
}
