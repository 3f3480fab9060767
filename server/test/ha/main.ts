// Breaks a cluster of three database nodes under load, and compares the books of platform, clients, provider and receiver after each fault.
// `npm run ha` (scripts/ha.ts) runs this file as root in namespaces of its own, and describes the settings.

import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Facts, findProblems, gatherFacts, waitQuiet } from '../crash/facts.ts'
import { type Client, createClient, type Load, startLoad } from '../crash/load.ts'
import { openCashier } from '../crash/payouts.ts'
import { type Child, startChild, until } from '../crash/processes.ts'
import { createRig, openShop, type Rig, type Shop, seededRandom } from '../crash/rig.ts'
import { freePort } from '../free-port.ts'
import { logsOf, startCluster, untilHealthy } from './cluster.ts'
import { CONTROL, FAULTS, type Fault } from './faults.ts'
import { type Payouts, payoutProblems, startPayouts } from './payouts.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 1)
const SEED = Number(process.env.SEED ?? randomInt(1, 1_000_000))
const PER_SECOND = Number(process.env.PER_SECOND ?? 30)
const NAMES = [...Object.keys(FAULTS), CONTROL.name]
const CHOSEN = (process.env.FAULTS ?? 'all') === 'all' ? NAMES : (process.env.FAULTS ?? '').split(',')
const CONCURRENCY = 16
const SHOPS = 2
/** The number of payouts that an operator approves in each round. */
const PAYOUTS_PER_ROUND = 30
const ENDINGS = ['123', '456', '001', '002', '010', '012', '777']
/**
 * The goals for the time without an accepted payment, in milliseconds. A fault needs at least GOAL_ROUNDS_MIN rounds for a
 * median and a maximum.
 */
const GOAL_MS = { p50: 20_000, max: 30_000 }
const GOAL_ROUNDS_MIN = 10
const BACK_MS_MAX = 90_000
const QUIET_MS_MAX = 120_000
const SHOWN_MAX = 10
/** The accepted payments of all faults. */
const all_acks: Load['acks'] = []

/**
 * The results of the rounds of one fault. `waits_ms` has the longest time between two accepted payments of each round.
 */
type Line = {
  name: string
  rounds: number
  acks: number
  payouts: number
  lost: number
  twice: number
  other: string[]
  waits_ms: number[]
}
/** The platform under load: its processes, and the parts that continue without the database. */
type Platform = { rig: Rig; client: Client; payouts: Payouts; processes: Child[]; random: () => number }

const say = (line: string) => process.stdout.write(`${line}\n`)

async function main(): Promise<number> {
  const wrong = CHOSEN.filter((name) => !NAMES.includes(name))
  if (wrong.length > 0 || !(ROUNDS >= 1) || !(PER_SECOND >= 1)) {
    say(
      `FAULTS has unknown names (${wrong.join(', ')}), or ROUNDS or PER_SECOND is no number: the faults are ${NAMES.join(', ')}`,
    )
    return 2
  }
  say(`SEED=${SEED} ROUNDS=${ROUNDS} PER_SECOND=${PER_SECOND} FAULTS=${CHOSEN.join(',')}`)
  const begin = performance.now()
  const platform = await startPlatform()
  say(`three nodes, HAProxy, server and worker run after ${seconds(performance.now() - begin)} s`)
  const lines: Line[] = []
  const seen = new Set<string>()
  for (const name of NAMES.filter((known) => CHOSEN.includes(known))) {
    const line = await runFault(platform, name, FAULTS[name] ?? CONTROL.fault, seen)
    lines.push(line)
    say(describe(line))
    for (const problem of line.other.slice(0, SHOWN_MAX)) say(`  ${problem}`)
    if (name !== CONTROL.name && line.other.length > 0) {
      const errors = platform.processes.flatMap((child) => child.output().match(/^.*"level":"error".*$/gm) ?? [])
      for (const error of errors.slice(-SHOWN_MAX)) say(`  ${error}`)
    }
  }
  return report(platform, lines, begin)
}

async function startPlatform(): Promise<Platform> {
  const urls = await startCluster()
  const rig = await createRig({ shops: 0, delay_ms: 50, database: { url: urls.owner, drop: async () => {} } })
  const env = { DATABASE_URL: urls.server, MIGRATION_DATABASE_URL: urls.owner, LOG_LEVEL: 'info' }
  const api = startChild(rig.env({ ...env, PROCESS: 'api' }))
  await api.ready()
  const worker = startChild(rig.env({ ...env, PROCESS: 'worker', PORT: String(await freePort()) }))
  await until('the worker has started', () => worker.output().includes('worker started'))
  return {
    rig,
    client: createClient(api.url, CONCURRENCY),
    payouts: { cashier: await openCashier(rig), funded: new Map() },
    processes: [api, worker],
    random: seededRandom(SEED),
  }
}

/** Runs all rounds of a fault under load, then compares the books. `seen` has the problems of the earlier faults. */
async function runFault(platform: Platform, name: string, fault: Fault, seen: Set<string>): Promise<Line> {
  const { rig, client, payouts, processes, random } = platform
  const [api] = processes
  const rounds = fault === CONTROL.fault ? 1 : ROUNDS
  const shops: Shop[] = []
  for (let i = 1; i <= SHOPS; i++) shops.push(await openShop(rig.deps, `${name} ${i}`))
  rig.shops.push(...shops)
  const options = { name, count: fault === CONTROL.fault ? 0 : PAYOUTS_PER_ROUND * rounds, random }
  const paying = await startPayouts(payouts, rig, api?.url ?? '', options)
  const load = startLoad({ client, shops, random, concurrency: CONCURRENCY, per_second: PER_SECOND, endings: ENDINGS })
  const waits_ms: number[] = []
  for (let round = 1; round <= rounds; round++) {
    waits_ms.push(await runRound(platform, load, fault))
    say(`${name} ${round}: ${seconds(waits_ms.at(-1) ?? 0)} s without an accepted payment`)
  }
  await Promise.all([load.stop(), paying.stop()])
  const found = [...(await paymentProblems(platform, load)), ...(await payoutProblems(payouts, rig))]
  const problems = found.filter((problem) => !seen.has(problem))
  for (const problem of problems) seen.add(problem)
  const lost = problems.filter((problem) => problem.startsWith('the database lacks the acknowledged payment'))
  const twice = problems.filter((problem) => TWICE.test(problem))
  const other = problems.filter((problem) => !lost.includes(problem) && !twice.includes(problem))
  other.push(...load.problems, ...paying.problems)
  const counts = { acks: load.acks.length, payouts: options.count, lost: lost.length, twice: twice.length }
  return { name, rounds, ...counts, other: [...twice, ...other], waits_ms }
}

/** Waits until the platform has settled the payments, and describes each contradiction of the books. */
async function paymentProblems({ rig, payouts }: Platform, load: Load): Promise<string[]> {
  const { left } = await waitQuiet(rig, QUIET_MS_MAX)
  all_acks.push(...load.acks)
  const problems = findProblems(withoutMerchants(await gatherFacts(rig, all_acks), payouts.funded))
  return left.open + left.due + left.pending === 0
    ? problems
    : [...problems, `still open after the load: ${JSON.stringify(left)}`]
}

/** Returns the facts without the records of these merchants, whose money comes from no payment of the load. */
function withoutMerchants(facts: Facts, merchants: ReadonlyMap<string, unknown>): Facts {
  const isKept = ({ merchant_id }: { merchant_id: string }) => !merchants.has(merchant_id)
  return {
    ...facts,
    collections: facts.collections.filter(isKept),
    attempts: facts.attempts.filter(isKept),
    moves: facts.moves.filter(isKept),
    deliveries: facts.deliveries.filter(isKept),
    balances: facts.balances.filter(isKept),
    arrivals: facts.arrivals.filter(({ path }) => !merchants.has(path.slice(1))),
  }
}

/** Matches the problems about work that happened twice: prompts, credits, records, events and payouts. */
const TWICE =
  /prompted its payer (?!0 )\d+ times|the ledger credited|made \S+ and \S+|arrived under (?:two|\d+) ids|the provider executed/

/** Breaks and repairs the cluster once. Returns the longest time between two accepted payments from the fault until all is healthy. */
async function runRound({ processes, random }: Platform, load: Load, fault: Fault): Promise<number> {
  const payments = async (count: number) => {
    const wanted = load.acks.length + count
    await until(`${count} more payments are accepted`, () => load.acks.length >= wanted, BACK_MS_MAX)
  }
  const meter = measureWaits(load)
  try {
    await untilHealthy()
    await payments(CONCURRENCY)
    await sleep(random() * 3_000)
    meter.begin()
    const repair = await fault({ random, payments })
    await payments(CONCURRENCY * 4)
    await repair()
    await untilHealthy(fault !== CONTROL.fault)
    await payments(CONCURRENCY * 4)
    return meter.longest_ms()
  } catch (error) {
    const ended = processes.filter((child) => !child.alive()).map((child) => child.output())
    throw new Error(
      `${(error as Error).message}\n${ended.join('\n')}${logsOf()}\n${processes[0]?.output().slice(-3_000)}`,
    )
  } finally {
    meter.end()
  }
}

/** Measures the time between accepted payments, to a few milliseconds. */
function measureWaits(load: Load) {
  let seen = load.acks.length
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    if (load.acks.length > seen) last = now
    seen = load.acks.length
    longest = Math.max(longest, now - last)
  }, 5)
  return {
    begin() {
      longest = 0
    },
    longest_ms: () => Math.round(longest),
    end: () => clearInterval(timer),
  }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1)
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0

function describe({ name, rounds, acks, payouts, lost, twice, other, waits_ms }: Line): string {
  const waits = `${seconds(median(waits_ms)).padStart(6)} ${seconds(Math.max(...waits_ms)).padStart(6)}`
  const counts = [rounds, acks, payouts, lost, twice, other.length].map((count) => String(count).padStart(8)).join(' ')
  return `${name.padEnd(20)} ${counts} ${waits}`
}

/** Prints the table, and returns the exit code: 0 if every goal is met and the control lost payments. */
function report({ processes }: Platform, lines: readonly Line[], begin: number): number {
  const exits = processes.filter((child) => !child.alive()).length
  say('')
  say(
    `${'fault'.padEnd(20)} ${['rounds', 'accepted', 'payouts', 'lost', 'twice', 'problems'].map((word) => word.padStart(8)).join(' ')}  p50 s  max s`,
  )
  for (const line of lines) say(describe(line))
  say(`exits of Malipo's processes: ${exits}; SEED=${SEED}; ${seconds(performance.now() - begin)} s`)
  const failures = lines.flatMap((line) => failuresOf(line))
  if (exits > 0)
    failures.push(
      `${exits} processes of Malipo ended:\n${processes.map((child) => child.output().slice(-3_000)).join('\n')}`,
    )
  for (const failure of failures) say(`FAILED: ${failure}`)
  return failures.length === 0 ? 0 : 1
}

function failuresOf({ name, lost, twice, other, waits_ms }: Line): string[] {
  if (name === CONTROL.name) return lost > 0 ? [] : [`${name}: the control lost nothing, so the judge finds no loss`]
  const failures: string[] = []
  if (lost + twice + other.length > 0) failures.push(`${name}: ${lost} lost, ${twice} twice, ${other.length} problems`)
  if (waits_ms.length < GOAL_ROUNDS_MIN) return failures
  if (median(waits_ms) > GOAL_MS.p50) failures.push(`${name}: p50 ${seconds(median(waits_ms))} s, the goal is 20 s`)
  if (Math.max(...waits_ms) > GOAL_MS.max)
    failures.push(`${name}: max ${seconds(Math.max(...waits_ms))} s, the goal is 30 s`)
  return failures
}

process.exitCode = await main().catch((error: Error) => {
  say(`FAILED: ${error.message}`)
  return 1
})
process.exit()
