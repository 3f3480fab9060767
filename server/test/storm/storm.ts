// Runs a storm from the first payment to the last comparison. Merchants, payers and operators work while the provider has
// faults and processes die. Then the test compares the books, and operators correct the books by the provider's statement.

import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../crash/rig.ts'
import { type Books, readBooks, statementOf } from './books.ts'
import { makeRequests, startClients, startPayers } from './clients.ts'
import { type Difference, findDifferences } from './compare-books.ts'
import { type StormCase, type StormOperators, startStormOperators } from './operators.ts'
import type { StormRig } from './rig.ts'
import { type OpenRecords, waitForRest } from './wait-for-rest.ts'

/** The numbers that determine a storm. Equal numbers give equal requests and faults. */
export type StormSize = {
  seed: number
  payments: number
  payouts: number
  kills: number
  /** The highest number of requests per second. */
  per_second: number
  rest_ms: number
}

/** The books and figures that a storm leaves for the test. */
export type Aftermath = {
  /** The books after all work has ended, before the operators' corrections. */
  before: Books
  /** The books after the operators' corrections. */
  after: Books
  differences: Difference[]
  cases: StormCase[]
  /** The number of cases that the provider's answer closed. */
  explained: number
  /** The number of cases that the provider's answer did not close. */
  corrected: number
  /** The number of lines of the uploaded statement. */
  lines: number
  /** The number of statement lines that matched the books at the upload. */
  agreed: number
  problems: string[]
  left: OpenRecords
  lost: number
  kills: Record<string, number>
  /** The errors that processes logged. */
  errors: string[]
  /** The number of times that a process had no free database connection. */
  busy: number
  ms: { storm: number; rest: number; corrections: number }
}

const SHOPS_MONEY = 1_000_000_000
const LOOK_MS = 50
const OPERATORS = 6
/** The share of kills after the last request, while the platform queries open records. */
const LATE_KILLS = 0.2
/** The share of kills that hit a process during its start. */
const EARLY_SHARE = 0.25
const PAUSE_BETWEEN_LATE_MS = 1_500

/** Runs the storm over a rig. Every ten seconds, passes a line about the progress to `say`. */
export async function rage(rig: StormRig, size: StormSize, say: (line: string) => void): Promise<Aftermath> {
  const began = new Date()
  const operators = startStormOperators(rig, seededRandom(size.seed + 1), OPERATORS)
  await Promise.all(rig.seats.map((seat) => seat.ready()))
  await operators.open(SHOPS_MONEY)
  const funded = new Map(rig.shops.map(({ merchant }) => [merchant.id, BigInt(SHOPS_MONEY) * 100n]))
  const refusals = seededRandom(size.seed)
  rig.hooks.answer = () => {
    const chance = refusals()
    return chance < 0.08 ? 500 : chance < 0.1 ? 'cut' : 200
  }

  const requests = makeRequests(rig.shops, seededRandom(size.seed + 2), size)
  const payers = startPayers(rig, size.seed)
  const per_second = size.per_second
  const payouts_per_second = Math.max(1, (per_second * size.payouts) / Math.max(1, size.payments))
  const storm = Date.now()
  const { clients, finished } = startClients(rig, seededRandom(size.seed + 3), [
    {
      requests: requests.payments,
      at_once: 64,
      per_second,
      onResult: ({ request, id }) => {
        if (request.method === 'qr' && id !== null) payers.show(id)
      },
    },
    {
      requests: requests.payouts,
      at_once: 12,
      per_second: payouts_per_second,
      onResult: ({ id }) => {
        if (id !== null) operators.hand(id)
      },
    },
  ])
  const all = size.payments + size.payouts
  const killing = killAll(rig, size, () => clients.done() / all, finished)
  const progress_timer = setInterval(() => say(`${clients.done()} of ${all} answered, ${killsOf(rig)} killed`), 10_000)
  await finished.finally(() => clearInterval(progress_timer))
  await operators.stop()
  await payers.stop()
  await killing
  await Promise.all(rig.seats.map((seat) => seat.ready()))
  const storm_ms = Date.now() - storm

  rig.hooks.answer = () => 200
  let last_report_ms = 0
  const { ms: rest_ms, left } = await waitForRest(rig, operators, size.rest_ms, (now) => {
    if (Date.now() - last_report_ms < 10_000) return
    last_report_ms = Date.now()
    say(`coming to rest: ${JSON.stringify(now)}`)
  })
  const known = { results: clients.results, funded, fates: payers.fates }
  const before = await readBooks(rig, known)
  const differences = findDifferences(before)

  const begin = Date.now()
  // The storm has no faults after this line. The outcomes now depend only on the provider's earlier decisions.
  rig.simulator.setFaults({ rates: {} })
  const rows = statementOf(rig.simulator)
  const agreed = await operators.state(rows, began)
  const cases = await operators.cases()
  const { explained, corrected } = await workOff(operators, cases)
  await waitForRest(rig, operators, size.rest_ms, () => {})
  const after = await readBooks(rig, known)
  await clients.close()
  const logged = rig.seats.map((seat) => seat.errors())
  return {
    before,
    after,
    differences,
    cases,
    explained,
    corrected,
    lines: rows.length,
    agreed,
    problems: clients.problems,
    left,
    lost: clients.lost(),
    kills: Object.fromEntries(rig.seats.map((seat) => [seat.name, seat.kills()])),
    errors: logged.flatMap(({ unexpected }) => unexpected),
    busy: logged.reduce((sum, { busy }) => sum + busy, 0),
    ms: { storm: storm_ms, rest: rest_ms, corrections: Date.now() - begin },
  }
}

const killsOf = (rig: StormRig) => rig.seats.reduce((sum, seat) => sum + seat.kills(), 0)

/**
 * Kills processes. Most kills happen during the requests, at moments that the seed draws. The others happen while the platform
 * ends its open work.
 */
async function killAll(
  rig: StormRig,
  { seed, kills }: StormSize,
  progress: () => number,
  finished: Promise<void>,
): Promise<void> {
  const random = seededRandom(seed + 4)
  const late = Math.floor(kills * LATE_KILLS)
  const moments = Array.from({ length: kills - late }, () => random()).sort((a, b) => a - b)
  // Each place loses a process before any place loses a second process.
  let turns: StormRig['seats'] = []
  const draw = () => {
    if (turns.length === 0) turns = rig.seats.toSorted(() => random() - 0.5)
    return turns.pop() as StormRig['seats'][number]
  }
  let running = true
  const stop = () => {
    running = false
  }
  finished.then(stop, stop)
  const kill = async () => {
    const seat = draw()
    // Most killed processes have served requests for a moment. Some processes die during their start.
    if (random() >= EARLY_SHARE) await seat.ready()
    await sleep(random() * 300)
    await seat.kill()
  }
  for (const moment of moments) {
    while (running && progress() < moment) await sleep(LOOK_MS)
    await kill()
  }
  await finished
  for (let i = 0; i < late; i++) {
    await sleep(PAUSE_BETWEEN_LATE_MS * random())
    await kill()
  }
}

/**
 * Lets operators close the cases. The operators query the provider, and adjust the books that the provider's answer does not
 * correct.
 */
async function workOff(
  operators: StormOperators,
  cases: readonly StormCase[],
): Promise<{ explained: number; corrected: number }> {
  let explained = 0
  const waiting = [...cases]
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop())
      if ((await operators.ask(one)) === 'resolved') explained += 1
  }
  await Promise.all(Array.from({ length: OPERATORS }, work))
  const open = await operators.cases()
  for (const one of open) await operators.correct(one)
  return { explained, corrected: open.length }
}
