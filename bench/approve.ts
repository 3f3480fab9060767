// Measures payouts for the benchmark, from the first approval request of an operator to the last webhook about a payout.

import { setTimeout as sleep } from 'node:timers/promises'
import { adminVerify, operatorToken } from './admin.ts'
import { type BenchSettings, drain, type Rate, type RoundMeasurement, rateOf, runName } from './cases.ts'
import {
  type BenchMerchant,
  type BenchWorld,
  type Cleanup,
  createCleanup,
  type Database,
  query,
  readCpu,
  startWorld,
} from './world.ts'

/** The number of concurrent approval requests, for many merchants and for one merchant. */
const CONNECTIONS = 32
/** The number of concurrent requests that prepare a round. The measurement does not include these requests. */
const PREPARING = 16
const QUIET_POLLS_MAX = 100

/** The result: the approval rates for many merchants and for one merchant, and the number of payouts by outcome. */
export type Approvals = {
  approve: Rate
  approve_one: Rate
  check: {
    approved: number
    lost: number
    not_successful: number
    /** The number of payouts that the provider accepted. */
    taken: number
    /** The number of requests that the provider got in addition to one for each accepted payout. */
    sent_again: number
    verify_ok: boolean
    verify_broken: string[]
  }
}

/**
 * Measures approvals of waiting withdrawals through the API. Rounds of many merchants alternate with rounds of one merchant.
 */
export async function approveCase(cleanup: Cleanup, database: Database, settings: BenchSettings): Promise<Approvals> {
  const { url, drop } = await database.create('approve')
  const local = createCleanup()
  cleanup.add(local.run)
  const world = await startWorld(local, database, url, settings.merchants)
  const token = await operatorToken(world.server)
  await fund(world)
  const missing = new Set<string>()
  let approved = 0
  let first_refusal: string | null = null
  const round = async (merchants: readonly BenchMerchant[]): Promise<RoundMeasurement> => {
    const ids = await submit(world, merchants, settings.withdrawals)
    const { window, reported_ids, refusal } = await approveRound(database, world, token, ids)
    for (const id of ids) if (!reported_ids.has(id)) missing.add(id)
    approved += ids.length
    first_refusal ??= refusal
    return window
  }
  const many: RoundMeasurement[] = []
  const one: RoundMeasurement[] = []
  // The first round is a warm-up.
  for (let n = 0; n <= settings.rounds; n++) {
    const of_many = await round(world.merchants)
    const of_one = await round(world.merchants.slice(0, 1))
    if (n === 0) continue
    many.push(of_many)
    one.push(of_one)
  }
  const not_successful = await unfinished(url)
  const { ok: verify_ok, broken: verify_broken } = await adminVerify(world.server)
  const check = { approved, lost: missing.size, not_successful, ...(await sentTo(world)), verify_ok, verify_broken }
  await local.run()
  await drop()
  return { approve: rateOf(many, first_refusal), approve_one: rateOf(one, first_refusal), check }
}

/**
 * Measures one round. An item is a payout whose webhook has arrived. The round ends with the last webhook, or when `drain`
 * gives up.
 */
async function approveRound(database: Database, world: BenchWorld, token: string, ids: readonly string[]) {
  const { server, provider, receiver, load } = world
  const pids = { server: server.program.pid, provider: provider.pid, load: load.pid, receiver: receiver.pid }
  const known_before = (await receiver.call('count')).distinct
  const before = readCpu(database, pids)
  await load.call('start', {
    port: server.port,
    connections: CONNECTIONS,
    kind: 'post',
    keys: [token],
    paths: ids.map((id) => ({ path: `/v1/operator/withdrawals/${id}/approve`, key: 0 })),
    run: runName(),
    rate: null,
    outstanding_max: null,
    keep: true,
  })
  for (let done = 0; done < ids.length; await sleep(5)) {
    const { answered, refused } = await load.call('progress')
    done = answered + refused
  }
  const { answered, refused, first_refusal, due } = await load.call('stop')
  await drain(receiver, known_before + answered)
  const after = readCpu(database, pids)
  const taken = await receiver.call('take')
  const seconds = (Math.max(...taken.at) - Math.min(...due)) / 1000
  const window: RoundMeasurement = { items: taken.ids.length, seconds, refused, before, after }
  return { window, reported_ids: new Set(taken.ids), refusal: first_refusal }
}

/** Funds each merchant with one large payment through the API. */
async function fund({ server, receiver, merchants }: BenchWorld): Promise<void> {
  const body = { amount: '1000000000.00', phone: '0754123400', reference: 'FUNDS' }
  await inParallel(merchants, ({ key }) => post(server.url, '/v1/collections/wallet-push', key, body))
  await drain(receiver, merchants.length)
  await receiver.call('take')
}

/** Submits withdrawals that wait for approval, for the merchants in turn. Returns their ids. */
async function submit({ server }: BenchWorld, merchants: readonly BenchMerchant[], count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, n) => n)
  return inParallel(numbers, async (n) => {
    const { key } = merchants[n % merchants.length] as BenchMerchant
    const answer = await post(server.url, '/v1/disbursements/mobile-money', key, {
      amount: `${1000 + n}.00`,
      destination_code: 'MPESA',
      // The mock provider has no special outcome for these phone endings.
      destination_identifier: `0754${String(n % 1000).padStart(3, '0')}${400 + (n % 500)}`,
      destination_name: 'Asha Juma',
      reference: `PAYOUT-${n}`,
    })
    return answer.id
  })
}

async function post(base: string, path: string, key: string, body: object): Promise<{ id: string }> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': `${runName()}${runName()}`,
  }
  const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status !== 202) throw new Error(`the server refused ${path}: ${text}`)
  return (JSON.parse(text) as { data: { id: string } }).data
}

async function inParallel<Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  const waiting = [...items.entries()]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) made[next[0]] = await make(next[1])
  }
  await Promise.all(Array.from({ length: PREPARING }, lane))
  return made
}

/** Reads from the mock provider how many payouts it accepted, and how many further requests it got. */
async function sentTo({ provider_url }: BenchWorld): Promise<{ taken: number; sent_again: number }> {
  const answer = await fetch(`${provider_url}/book`)
  const { payouts } = (await answer.json()) as { payouts: { taken: number; requests: number } }
  return { taken: payouts.taken, sent_again: payouts.requests - payouts.taken }
}

/**
 * Returns the number of withdrawals without success and of undelivered webhooks. If some remain, waits up to ten seconds for
 * them.
 */
async function unfinished(url: string): Promise<number> {
  for (let poll = 0; ; poll++) {
    const [row] = await query<{ open: number }>(
      url,
      `select ((select count(*) from withdrawals where status <> 'SUCCESS')
         + (select count(*) from webhook_deliveries where status <> 'delivered'))::int as open`,
    )
    if (row?.open === 0 || poll === QUIET_POLLS_MAX) return row?.open ?? 0
    await sleep(100)
  }
}
