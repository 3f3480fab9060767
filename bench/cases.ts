// Measures these cases of the benchmark: accepting payments, whole payments, reads of statuses, and latencies.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/test/free-port.ts'
import { adminVerify } from './admin.ts'
import type { BaselineApi } from './baseline.ts'
import type { EmptyApi } from './empty.ts'
import type { LoadApi, LoadResult, LoadSettings, Progress } from './load.ts'
import { residentMb } from './proc.ts'
import type { Taken } from './receiver.ts'
import { startRemote } from './rpc.ts'
import {
  type BenchMerchant,
  type BenchWorld,
  type Cleanup,
  type Cpu,
  createCleanup,
  type Database,
  makeMerchants,
  query,
  readCpu,
  startServer,
} from './world.ts'

/** The settings of a run, from the command line. */
export type BenchSettings = {
  seconds: number
  warmup_seconds: number
  rounds: number
  connections: number
  merchants: number
  outstanding: number
  status_ids: number
  withdrawals: number
  transactions: number
  reads: number
  /** The number of lines in the statement of the case reconcile. */
  lines: number
  /** The number of waiting payers in the case pages. */
  waiting: number
  baseline_connections: number
}

/** The CPU time of each process during the measured seconds: in total, for each item, and as a number of cores. */
export type CpuUse = Record<string, { seconds: number; us_per_item: number; cores: number }>

/** The rate of a case: the median of the rounds, every round, and the CPU time of all rounds. */
export type Rate = {
  per_second: number
  rounds: number[]
  refused: number
  first_refusal: string | null
  cpu: CpuUse
  /** The cores that processes outside the benchmark used. If no other program uses the machine, the value is near 0. */
  others_cores: number
}

/** The percentiles of a duration in milliseconds, and the number of samples. */
export type Percentiles = { p50: number; p90: number; p99: number; max: number; samples: number }

const DRAIN_QUIET_MS = 30_000
const DRAIN_MAX_MS = 180_000
/** The longest wait in milliseconds for the first finished item of a measurement. */
const FIRST_ITEM_MAX_MS = 30_000
const MEMORY_EVERY_MS = 200

/**
 * The measurement of one round: the finished items, the measured seconds, the refusals, and the CPU counters before and after.
 */
export type RoundMeasurement = { items: number; seconds: number; refused: number; before: Cpu; after: Cpu }

const PUSH = {
  kind: 'push',
  paths: [],
  rate: null,
  outstanding_max: null,
  keep: false,
} as const satisfies Partial<LoadSettings>

/** Returns a random name for a run of the load, so that no two runs share an Idempotency-Key. */
export function runName(): string {
  return randomBytes(5).toString('hex')
}

/**
 * Measures a load that already runs: waits for the warm-up, then counts the finished items during the measured seconds. If no
 * item finishes in this time, the measurement continues until the first item finishes, or until FIRST_ITEM_MAX_MS have passed.
 */
export async function measure(
  settings: BenchSettings,
  readCounts: () => Promise<Progress>,
  readCpuNow: () => Cpu,
): Promise<RoundMeasurement> {
  await sleep(settings.warmup_seconds * 1000)
  const before = readCpuNow()
  const first = await readCounts()
  await sleep(settings.seconds * 1000)
  let last = await readCounts()
  const give_up = performance.now() + FIRST_ITEM_MAX_MS
  while (last.answered === first.answered && performance.now() < give_up) {
    await sleep(20)
    last = await readCounts()
  }
  const after = readCpuNow()
  return {
    items: last.answered - first.answered,
    seconds: (last.at - first.at) / 1000,
    refused: last.refused,
    before,
    after,
  }
}

/** Adds up the rounds of a case. The rate is the median of the rounds. */
export function rateOf(windows: RoundMeasurement[], first_refusal: string | null): Rate {
  const rounds = windows.map(({ items, seconds }) => round(items / seconds, 1))
  const items = windows.reduce((sum, window) => sum + window.items, 0)
  const seconds = windows.reduce((sum, window) => sum + window.seconds, 0)
  const cpu: CpuUse = {}
  for (const name of Object.keys(windows[0]?.after ?? {})) {
    const used = windows.reduce((sum, { before, after }) => sum + (after[name] ?? 0) - (before[name] ?? 0), 0)
    cpu[name] = {
      seconds: round(used, 2),
      us_per_item: round((used / items) * 1e6, 1),
      cores: round(used / seconds, 2),
    }
  }
  const refused = windows.reduce((sum, window) => sum + window.refused, 0)
  // The CPU time of the whole machine minus the CPU time of the processes above.
  const machine = cpu.machine?.cores ?? 0
  delete cpu.machine
  const ours = Object.values(cpu).reduce((sum, { cores }) => sum + cores, 0)
  return {
    per_second: median(rounds),
    rounds,
    refused,
    first_refusal,
    cpu,
    others_cores: round(Math.max(0, machine - ours), 2),
  }
}

/**
 * Measures how many payments the server accepts. If `with_baseline` is true, rounds of the server alternate with rounds of the
 * baseline on the same database.
 */
export async function acceptCase(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
  with_baseline: boolean,
) {
  const { url, drop } = await database.create('accept')
  const merchants = await makeMerchants(database, url, settings.merchants)
  const local = createCleanup()
  cleanup.add(local.run)
  const load = startRemote<LoadApi>('load.ts')
  local.add(() => load.stop())
  const baseline = startRemote<BaselineApi>('baseline.ts')
  local.add(() => baseline.stop())
  const server = await startServer(local, {
    database,
    url,
    port: await freePort(),
    env: { PROCESS: 'api' },
    node_args: [],
  })

  const accepts: RoundMeasurement[] = []
  const baselines: RoundMeasurement[] = []
  let first_refusal: string | null = null
  let answered = 0
  // The first round is a warm-up.
  for (let n = 0; n <= settings.rounds; n++) {
    if (with_baseline) {
      await baseline.call('start', { url, connections: settings.baseline_connections, merchants, run: runName() })
      const window = await measure(
        settings,
        () => baseline.call('progress'),
        () => readCpu(database, { load: baseline.pid }),
      )
      answered += await baseline.call('stop')
      if (n > 0) baselines.push(window)
    }
    await load.call('start', {
      ...PUSH,
      port: server.port,
      connections: settings.connections,
      keys: merchants.map(({ key }) => key),
      run: runName(),
    })
    const pids = { server: server.program.pid, load: load.pid }
    const window = await measure(
      settings,
      () => load.call('progress'),
      () => readCpu(database, pids),
    )
    const result = await load.call('stop')
    first_refusal ??= result.first_refusal
    answered += result.answered
    if (n > 0) accepts.push(window)
  }
  const [row] = await query<{ count: string }>(url, 'select count(*) from collections')
  await local.run()
  await drop()
  const accept = { ...rateOf(accepts, first_refusal), lost: answered - Number(row?.count ?? 0) }
  const base = with_baseline ? rateOf(baselines, null) : null
  return { accept, baseline: base, ratio: base ? round(accept.per_second / base.per_second, 3) : null }
}

/** A running world in which payments run from request to webhook, with the results so far. */
export type Life = {
  /** Runs the warm-up, the measured seconds and the wait for the last webhooks once. */
  run(keys: BenchMerchant[], options?: { rate: number }): Promise<LifeRun>
  /** The largest memory of the server, and of each process in `others`, in MB. */
  rss_mb: Record<string, number>
  /** The accepted payments whose webhook did not arrive. */
  missing: Set<string>
  accepted: number
  repeats: number
  verified: number
  forged: number
  unreadable: number
  refused: number
  first_refusal: string | null
  /** The payments whose status the read cases read. */
  known: { id: string; key: string }[]
  stop(): void
}

/** The result of a run of whole payments. The latencies are of the payments that were due in the measured seconds. */
export type LifeRun = { window: RoundMeasurement; answer: Percentiles; webhook: Percentiles }

/**
 * Prepares runs of payments in a world, and samples the memory of its server. `others` are further processes to measure.
 */
export function watchLife(
  database: Database,
  settings: BenchSettings,
  world: BenchWorld,
  others: Record<string, number> = {},
): Life {
  const { server, provider, receiver, load } = world
  const pids = { server: server.program.pid, provider: provider.pid, load: load.pid, receiver: receiver.pid, ...others }
  const sampler = setInterval(() => {
    for (const [name, pid] of Object.entries({ server: server.program.pid, ...others }))
      life.rss_mb[name] = Math.max(life.rss_mb[name] ?? 0, round(residentMb(pid), 1))
  }, MEMORY_EVERY_MS)
  let measured_from = 0
  let measured_to = 0
  const progress = async (): Promise<Progress> => {
    const { at, distinct } = await receiver.call('count')
    if (measured_from === 0) measured_from = at
    measured_to = at
    return { at, answered: distinct, refused: 0 }
  }
  const life: Life = {
    rss_mb: {},
    missing: new Set(),
    accepted: 0,
    repeats: 0,
    verified: 0,
    forged: 0,
    unreadable: 0,
    refused: 0,
    first_refusal: null,
    known: [],
    stop: () => clearInterval(sampler),
    async run(merchants, options) {
      measured_from = 0
      const finished_before = (await receiver.call('count')).distinct
      await load.call('start', {
        ...PUSH,
        port: server.port,
        keep: true,
        keys: merchants.map(({ key }) => key),
        run: runName(),
        connections: options ? settings.connections * 2 : settings.connections,
        rate: options?.rate ?? null,
        outstanding_max: options ? null : settings.outstanding,
      })
      const window = await measure(settings, progress, () => readCpu(database, pids))
      const [from, to] = [measured_from, measured_to]
      const sent = await load.call('stop')
      await drain(receiver, finished_before + sent.answered)
      const taken = await receiver.call('take')
      keepAccounts(life, sent, taken)
      keepKnown(life, sent, merchants, settings.status_ids)
      const told_at = new Map(taken.ids.map((id, i) => [id, taken.at[i] as number]))
      const answer: number[] = []
      const webhook: number[] = []
      for (const [i, id] of sent.ids.entries()) {
        const due = sent.due[i] as number
        if (due < from || due > to) continue
        answer.push((sent.done[i] as number) - due)
        const at = told_at.get(id)
        if (at !== undefined) webhook.push(at - due)
      }
      return { window, answer: percentiles(answer), webhook: percentiles(webhook) }
    },
  }
  return life
}

function keepAccounts(life: Life, sent: LoadResult, taken: Taken): void {
  for (const id of sent.ids) life.missing.add(id)
  for (const id of taken.ids) life.missing.delete(id)
  life.accepted += sent.answered
  life.refused += sent.refused
  life.first_refusal ??= sent.first_refusal
  life.repeats += taken.repeats
  life.verified += taken.verified
  life.forged += taken.forged
  life.unreadable += taken.unreadable
}

/**
 * Keeps the first payments for the read cases. Because one merchant is not typical, a round of one merchant adds payments only
 * if none are known yet.
 */
function keepKnown(life: Life, sent: LoadResult, merchants: BenchMerchant[], most: number): void {
  if (merchants.length === 1 && life.known.length > 0) return
  for (let i = 0; i < sent.ids.length && life.known.length < most; i++) {
    const { key } = merchants[sent.keys[i] as number] as BenchMerchant
    life.known.push({ id: sent.ids[i] as string, key })
  }
}

/**
 * Waits until `expected` deliveries have arrived. Gives up after 30 seconds without a delivery, or after three minutes.
 */
export async function drain(receiver: BenchWorld['receiver'], expected: number): Promise<void> {
  const give_up = performance.now() + DRAIN_MAX_MS
  let last = -1
  let quiet_since = performance.now()
  while (performance.now() < give_up) {
    const { distinct } = await receiver.call('count')
    if (distinct >= expected) return
    if (distinct !== last) quiet_since = performance.now()
    else if (performance.now() - quiet_since > DRAIN_QUIET_MS) return
    last = distinct
    await sleep(20)
  }
}

/**
 * Measures payments from request to webhook. If `with_one` is true, rounds of many merchants alternate with rounds of one
 * merchant.
 */
export async function lifeCase(life: Life, settings: BenchSettings, world: BenchWorld, with_one: boolean) {
  const many: RoundMeasurement[] = []
  const one: RoundMeasurement[] = []
  for (let n = 0; n <= settings.rounds; n++) {
    const run = await life.run(world.merchants)
    if (n > 0) many.push(run.window)
    if (!with_one) continue
    const run_one = await life.run(world.merchants.slice(0, 1))
    if (n > 0) one.push(run_one.window)
  }
  const life_rate = rateOf(many, life.first_refusal)
  const one_rate = with_one ? rateOf(one, null) : null
  return {
    life: life_rate,
    life_one: one_rate,
    ratio: one_rate ? round(one_rate.per_second / life_rate.per_second, 3) : null,
  }
}

/**
 * Reads the status of existing payments in one round. Returns the measurement and the first refusal. Null as the refusal means
 * that the server refused no read.
 */
export async function readStatuses(
  database: Database,
  settings: BenchSettings,
  { load, server }: BenchWorld,
  known: Life['known'],
): Promise<[RoundMeasurement, string | null]> {
  const keys = [...new Set(known.map(({ key }) => key))]
  const places = new Map(keys.map((key, i) => [key, i]))
  const paths = known.map(({ id, key }) => ({ path: `/v1/collections/${id}`, key: places.get(key) as number }))
  const { connections } = settings
  await load.call('start', { ...PUSH, kind: 'get', connections, keys, port: server.port, paths, run: runName() })
  const pids = { server: server.program.pid, load: load.pid }
  const window = await measure(
    settings,
    () => load.call('progress'),
    () => readCpu(database, pids),
  )
  const { first_refusal } = await load.call('stop')
  return [window, first_refusal]
}

/** Measures reads of the status of existing payments. These rounds alternate with rounds of the empty route. */
export async function statusCase(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
  world: BenchWorld,
  life: Life,
) {
  const { known } = life
  const keys = [...new Set(known.map(({ key }) => key))]
  const places = new Map(keys.map((key, i) => [key, i]))
  const paths = known.map(({ id, key }) => ({ path: `/v1/collections/${id}`, key: places.get(key) as number }))
  const empty = startRemote<EmptyApi>('empty.ts')
  cleanup.add(() => empty.stop())
  const empty_port = await empty.call('listen')
  const { load, server } = world
  const get = { ...PUSH, kind: 'get', connections: settings.connections, keys } as const
  const one = async (
    port: number,
    targets: LoadSettings['paths'],
    pid: number,
  ): Promise<[RoundMeasurement, string | null]> => {
    await load.call('start', { ...get, port, paths: targets, run: runName() })
    const pids = { server: pid, load: load.pid }
    const window = await measure(
      settings,
      () => load.call('progress'),
      () => readCpu(database, pids),
    )
    const { first_refusal } = await load.call('stop')
    return [window, first_refusal]
  }
  const statuses: RoundMeasurement[] = []
  const empties: RoundMeasurement[] = []
  let refusal: string | null = null
  for (let n = 0; n <= settings.rounds; n++) {
    const [status_window, status_refusal] = await one(server.port, paths, server.program.pid)
    const [empty_window, empty_refusal] = await one(empty_port, [{ path: '/empty', key: 0 }], empty.pid)
    refusal ??= status_refusal ?? empty_refusal
    if (n === 0) continue
    statuses.push(status_window)
    empties.push(empty_window)
  }
  await empty.stop()
  const status = rateOf(statuses, refusal)
  const empty_rate = rateOf(empties, null)
  return {
    status,
    empty: empty_rate,
    known_ids: paths.length,
    ratio: round(status.per_second / empty_rate.per_second, 3),
  }
}

/** Measures the latencies of responses and webhooks at half the measured rate. Requests arrive at fixed times. */
export async function latencyCase(life: Life, world: BenchWorld, life_rate: number) {
  const arrivals_per_second = Math.max(1, Math.round(life_rate / 2))
  const { answer, webhook } = await life.run(world.merchants, { rate: arrivals_per_second })
  return { arrivals_per_second, answer_ms: answer, webhook_ms: webhook }
}

/** The sizes of the tables and of the WAL in bytes, and the number of connections. */
export type Storage = {
  /** The size of each table with its indexes. */
  tables: Record<string, number>
  /** The size of the WAL that PostgreSQL has written so far. */
  wal: number
  /** The number of open connections to this database, without the connection of the count. */
  connections: number
}

/** Reads the sizes and the number of connections of the database at `url`. */
export async function readStorage(url: string): Promise<Storage> {
  const [row] = await query<Storage>(
    url,
    `select (select json_object_agg(relname, pg_total_relation_size(oid)) from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace) as tables,
       (pg_current_wal_lsn() - '0/0')::float8 as wal,
       (select count(*)::int from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()) as connections`,
  )
  return row ?? { tables: {}, wal: 0, connections: 0 }
}

/**
 * Returns the mean size of a payment in bytes: in all tables, in the WAL, and in each table. A table that grew by at most a
 * byte for each payment is missing. `connections` is the number of connections in `after`.
 */
export function storagePerPayment(before: Storage, after: Storage, payments: number) {
  const each = (bytes: number) => Math.round(bytes / payments)
  const grown = Object.entries(after.tables).map(([name, bytes]) => [name, bytes - (before.tables[name] ?? 0)] as const)
  const shown = grown.filter(([, bytes]) => bytes > payments).sort(([, a], [, b]) => b - a)
  return {
    stored_bytes: each(grown.reduce((sum, [, bytes]) => sum + bytes, 0)),
    wal_bytes: each(after.wal - before.wal),
    table_bytes: Object.fromEntries(shown.map(([name, bytes]) => [name, each(bytes)])),
    connections: after.connections,
  }
}

/** Returns the counts of the database after the last webhooks, and the result of `admin verify`. */
export async function checkLife(world: BenchWorld, life: Life) {
  const { database_url, server } = world
  const read = async () => {
    const [row] = await query<{ collections: number; open: number; pending: number }>(
      database_url,
      `select count(*)::int as collections, (count(*) filter (where status <> 'successful'))::int as open,
         (select count(*) from webhook_deliveries where status <> 'delivered')::int as pending from collections`,
    )
    return row ?? { collections: 0, open: 0, pending: 0 }
  }
  let counts = await read()
  // The server may still write its last results, so this loop waits for up to 20 seconds.
  for (let i = 0; i < 100 && (counts.open > 0 || counts.pending > 0); i++) {
    await sleep(200)
    counts = await read()
  }
  const verified = await adminVerify(server)
  return {
    accepted: life.accepted,
    lost: life.missing.size,
    refused: life.refused,
    first_refusal: life.first_refusal,
    not_successful: counts.open,
    deliveries_open: counts.pending,
    in_database: counts.collections,
    delivered_twice: life.repeats,
    signatures_verified: life.verified,
    signatures_forged: life.forged,
    unreadable: life.unreadable,
    verify_ok: verified.ok,
    verify_broken: verified.broken,
  }
}

/** Returns the percentiles of durations in milliseconds. Without durations, every percentile is zero. */
export function percentiles(values: number[]): Percentiles {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0, 2)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1), samples: sorted.length }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[middle] ?? 0]
  return round((low + high) / 2, 1)
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
