/**
 * Measures the real server for `npm run bench`, and reports the machine. Separate processes send the load, simulate the
 * provider and receive the webhooks.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { approveCase } from './approve.ts'
import {
  acceptCase,
  type BenchSettings,
  checkLife,
  type Life,
  latencyCase,
  lifeCase,
  readStorage,
  statusCase,
  storagePerPayment,
  watchLife,
} from './cases.ts'
import { floodCase } from './flood-case.ts'
import { listsCase } from './lists.ts'
import { pagesCase } from './pages.ts'
import { readProfile } from './profile.ts'
import { type Results, table } from './report.ts'
import { requestLogCase } from './request-log.ts'
import { reconcileCase } from './statements.ts'
import { transactionsCase } from './transactions.ts'
import {
  type BenchWorld,
  type Cleanup,
  createCleanup,
  type Database,
  fsyncMs,
  openDatabase,
  PROVIDER_SETTINGS,
  SERVER_SETTINGS,
  startWorker,
  startWorld,
} from './world.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CASES = ['baseline', 'accept', 'life', 'life_one', 'status', 'latency', 'memory', 'approve'] as const
/** The cases that take minutes. The benchmark runs such a case only if the command line names the case. */
const LONG_CASES = ['transactions', 'reconcile', 'flood', 'pages', 'requests', 'lists'] as const
type BenchCase = (typeof CASES | typeof LONG_CASES)[number]

const HELP = `Usage: npm run bench -- [options] [CASE ...]

Measures the server on this machine, on loopback, with a new embedded PostgreSQL and its durable defaults. With
DATABASE_URL, the benchmark uses that server instead, in its own databases, which it drops at the end. DATABASE_POOLER applies to it.

Cases
  baseline   one payment per transaction directly in PostgreSQL, 16 connections: accepting without batches
  accept     POST /v1/collections/wallet-push, accepted and not sent (PROCESS=api); goal: at least the baseline
  life       whole payments: HTTP in, provider, callback, ledger, signed webhook received; goal: 2,500 a second
  life_one   life with one merchant; goal: 0.9 of the rate of life
  status     GET /v1/collections/{id} against the empty route of a bare Fastify app; goal: half of its rate
  latency    answer and webhook times at half the rate of life, fixed arrivals; needs life
  memory     largest memory of the server during life; needs life; goal: below 300 MB
  approve    withdrawals: an operator approves, the provider pays, the signed webhook arrives; rounds of many merchants
             alternate with rounds of one merchant; goal: 300 a second
  transactions   only if named: creates a merchant with ten million transactions (minutes, and gigabytes in TMPDIR);
             times first page, look-up by reference and balance, in turns with a merchant with ten thousand;
             goal: at most 1.5 times as long
  reconcile  only if named: imports a provider's statement with a million lines (LINES) twice; each line is one of our
             payments or payouts; goal: at most 60 seconds
  flood      only if named: whole payments with and without a flood of forged callbacks from another process, in
             turns: at the highest rate, then at half of that rate; goal: 0.9 of the payments a second
  pages      only if named: pages of payers a second, with one server and with two; goal: 3,000 a second on two
             cores; then 10,000 waiting payers whose pages poll; goal: below 0.2 cores, no query to the provider
  requests   only if named: whole payments and status queries with the request log and without it
             (REQUEST_LOG_DAYS=0), in turns; goal: 0.97 of the rates without it
  lists      only if named: every list, the home page and the search of a merchant with a million rows in each (--rows)
             over 90 days (--days), and the operators' queue, lists and search, compared with ten thousand rows; goal: 95 %
             of the reads take at most 100 ms

Options
  --only A,B          Run only these cases and the cases that they need; the same as names without --only
  --seconds N         Measured seconds of each round (8)
  --warmup N          Unmeasured seconds before each round (2); the whole first round is a warm-up too
  --rounds N          Rounds (3); compared cases alternate, and the report compares their medians
  --connections N     Connections of the load, one request in flight on each (128)
  --merchants N       Merchants (50)
  --outstanding N     Payments of life that may be unfinished at once (2000)
  --status-ids N      Payments whose status the case status reads (10000)
  --withdrawals N     Withdrawals of one round of approve (1000)
  --transactions N    Transactions of the large merchant (10000000)
  --rows N            Rows of each list of lists (1000000)
  --days N            Days of these rows (90)
  --lines N           Lines of the statement in reconcile (LINES, or 1000000)
  --waiting N         Waiting payers in pages (10000)
  --reads N           Reads of each kind, of each merchant (500; in lists at most 20)
  --forged N          Forged callbacks a second in flood (5000)
  --results DIR       Folder for a copy of the JSON (bench/results)
  --split             Runs life with the API (server) and the worker in two processes
  --profile           Runs life with --cpu-prof: prints the path of the profile and the functions with most self time
  --json              Print only the JSON on standard output
  --help              This text
`

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '8' },
      warmup: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '128' },
      merchants: { type: 'string', default: '50' },
      outstanding: { type: 'string', default: '2000' },
      'status-ids': { type: 'string', default: '10000' },
      withdrawals: { type: 'string', default: '1000' },
      transactions: { type: 'string', default: '10000000' },
      reads: { type: 'string', default: '500' },
      lines: { type: 'string', default: process.env.LINES ?? '1000000' },
      rows: { type: 'string', default: '1000000' },
      days: { type: 'string', default: '90' },
      forged: { type: 'string', default: '5000' },
      waiting: { type: 'string', default: '10000' },
      results: { type: 'string', default: join(ROOT, 'bench/results') },
      split: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return { ...values, only: [values.only, ...positionals].filter((name) => name !== '').join(',') }
}

type Values = ReturnType<typeof readArguments>

function positive(
  values: Values,
  name:
    | 'seconds'
    | 'warmup'
    | 'rounds'
    | 'connections'
    | 'merchants'
    | 'outstanding'
    | 'status-ids'
    | 'withdrawals'
    | 'transactions'
    | 'reads'
    | 'lines'
    | 'rows'
    | 'days'
    | 'forged'
    | 'waiting',
): number {
  const value = Number(values[name])
  const whole = name === 'seconds' || name === 'warmup' || Number.isInteger(value)
  if (!(value > 0) || !whole)
    throw new Error(`--${name} must be a number above 0, and whole except for --seconds and --warmup`)
  return value
}

function chosenCases(values: Values): Set<BenchCase> {
  if (values.profile) return new Set<BenchCase>(['life'])
  const names = values.only.split(',').filter((name) => name !== '')
  const known: readonly string[] = [...CASES, ...LONG_CASES]
  for (const name of names) {
    if (!known.includes(name))
      throw new Error(`the benchmark has no case "${name}". The cases are: ${known.join(', ')}`)
  }
  return new Set(names.length === 0 ? CASES : (names as BenchCase[]))
}

/** True means that this process has received a stop signal. */
let stopping = false

function writeProgress(text: string): void {
  process.stderr.write(`${text}\n`)
}

async function environment(database: Database, settings: BenchSettings): Promise<Results['environment']> {
  const git = (...args: string[]) => {
    try {
      return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      return ''
    }
  }
  const changed = git('status', '--porcelain', '--untracked-files=no') !== ''
  return {
    time: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memory_gb: Number((totalmem() / 1e9).toFixed(1)),
      system: `${platform()} ${arch()} ${release()}`,
      fsync_ms: await fsyncMs(database.data_dir),
      load_before: Number((loadavg()[0] ?? 0).toFixed(2)),
    },
    node: process.version,
    postgresql: { version: database.version, settings: database.settings },
    commit: `${git('rev-parse', 'HEAD') || 'unknown'}${changed ? ' with changes' : ''}`,
    settings,
    server_settings: SERVER_SETTINGS,
    provider_settings: PROVIDER_SETTINGS,
  }
}

async function measureAll(
  cleanup: Cleanup,
  database: Database,
  cases: Set<BenchCase>,
  settings: BenchSettings,
  values: Values,
): Promise<Results> {
  const wants = (...names: BenchCase[]) => names.some((name) => cases.has(name))
  const results: Results = { environment: await environment(database, settings), cases: {} }
  if (wants('baseline', 'accept')) {
    writeProgress('accept, in turn with baseline ...')
    const { accept, baseline, ratio } = await acceptCase(cleanup, database, settings, wants('baseline') || !values.only)
    Object.assign(results.cases, { accept, ...(baseline ? { baseline, accept_to_baseline: ratio } : {}) })
  }
  if (wants('life', 'life_one', 'status', 'latency', 'memory')) {
    const { url } = await database.create('life')
    const node_args = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(values.results)}`] : []
    const role: Record<string, string> = values.split ? { PROCESS: 'api' } : {}
    const world = await startWorld(cleanup, database, url, settings.merchants, node_args, role)
    const others = values.split ? { worker: startWorker(cleanup, world.server).pid } : {}
    const life = watchLife(database, settings, world, others)
    cleanup.add(async () => life.stop())
    await lifeCases(cleanup, database, settings, world, life, cases, results)
    if (values.profile) results.profile = await readProfile(world.server.program, resolve(values.results))
  }
  if (wants('approve')) {
    writeProgress('approve, in turn with approve on one merchant ...')
    const { approve, approve_one, check } = await approveCase(cleanup, database, settings)
    Object.assign(results.cases, { approve, approve_one, approve_check: check })
  }
  if (wants('transactions')) {
    writeProgress(`transactions: writing ${settings.transactions} transactions ...`)
    const options = { many: settings.transactions, reads: settings.reads }
    results.cases.transactions = await transactionsCase(cleanup, database, options)
  }
  if (wants('reconcile')) {
    writeProgress(`reconcile: making payments for ${settings.lines} lines ...`)
    results.cases.reconcile = await reconcileCase(cleanup, database, settings.lines)
  }
  if (wants('flood')) {
    writeProgress('flood: payments with and without forged callbacks, in turn ...')
    results.cases.flood = await floodCase(cleanup, database, settings, positive(values, 'forged'))
  }
  if (wants('lists')) {
    const options = { many: positive(values, 'rows'), days: positive(values, 'days'), reads: settings.reads }
    writeProgress(`lists: writing ${options.many} rows of each list ...`)
    results.cases.lists = await listsCase(cleanup, database, options)
  }
  if (wants('pages')) {
    writeProgress(`pages: making ${settings.waiting} payers who wait ...`)
    results.cases.pages = await pagesCase(cleanup, database, settings, settings.waiting)
  }
  if (wants('requests')) {
    writeProgress('requests: payments and status reads with and without the request log, in turn ...')
    results.cases.requests = await requestLogCase(cleanup, database, settings)
  }
  return results
}

async function lifeCases(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
  world: BenchWorld,
  life: Life,
  cases: Set<BenchCase>,
  results: Results,
): Promise<void> {
  const before = await readStorage(world.database_url)
  let rate = 0
  if (['life', 'life_one', 'latency', 'memory'].some((name) => cases.has(name as BenchCase))) {
    writeProgress(cases.has('life_one') ? 'life, in turn with life on one merchant ...' : 'life ...')
    const measured = await lifeCase(life, settings, world, cases.has('life_one'))
    rate = measured.life.per_second
    results.cases.life = measured.life
    const { server: most_rss_mb = 0, ...others } = life.rss_mb
    results.cases.memory = { most_rss_mb, ...others }
    if (measured.life_one)
      Object.assign(results.cases, { life_one: measured.life_one, life_one_to_life: measured.ratio })
  }
  if (cases.has('latency')) {
    writeProgress('latency ...')
    results.cases.latency = await latencyCase(life, world, rate)
  }
  if (cases.has('status')) {
    // If no case has made enough payments, this loop makes the payments that the reads need.
    for (let before = -1; life.known.length < settings.status_ids; ) {
      if (life.known.length === before) throw new Error(`the server accepted no payment: ${life.first_refusal}`)
      before = life.known.length
      await life.run(world.merchants)
    }
    writeProgress('status, in turn with the empty route ...')
    const { status, empty, known_ids, ratio } = await statusCase(cleanup, database, settings, world, life)
    Object.assign(results.cases, { status: { ...status, known_ids }, empty, status_to_empty: ratio })
  }
  writeProgress('checking that the server lost no payment ...')
  const check = await checkLife(world, life)
  const after = await readStorage(world.database_url)
  results.cases.check = { ...check, ...storagePerPayment(before, after, check.accepted) }
}

async function main(): Promise<number> {
  const values = readArguments()
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const settings: BenchSettings = {
    seconds: positive(values, 'seconds'),
    warmup_seconds: positive(values, 'warmup'),
    rounds: positive(values, 'rounds'),
    connections: positive(values, 'connections'),
    merchants: positive(values, 'merchants'),
    outstanding: positive(values, 'outstanding'),
    status_ids: positive(values, 'status-ids'),
    withdrawals: positive(values, 'withdrawals'),
    transactions: positive(values, 'transactions'),
    reads: positive(values, 'reads'),
    lines: positive(values, 'lines'),
    waiting: positive(values, 'waiting'),
    baseline_connections: 16,
  }
  const cases = chosenCases(values)
  const cleanup = createCleanup()
  const opening = openDatabase(cleanup)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      writeProgress('stopping ...')
      // If the database is still starting, the clean-up waits, because only a started database can stop.
      void Promise.allSettled([opening])
        .then(() => cleanup.run())
        .then(() => process.exit(130))
    })
  }
  try {
    await mkdir(values.results, { recursive: true })
    const results = await measureAll(cleanup, await opening, cases, settings, values)
    const json = JSON.stringify(results, null, 2)
    const file = join(values.results, `${results.environment.time.replaceAll(':', '-')}.json`)
    await writeFile(file, `${json}\n`)
    if (!values.json) process.stdout.write(`${table(results)}\n`)
    process.stdout.write(`${json}\n`)
    writeProgress(`written to ${file}`)
    const { check, accept, approve_check, flood, requests } = results.cases
    const logged = requests === undefined ? [] : [requests.with_log.check, requests.without.check]
    const checks = [check, approve_check, flood?.check, ...logged].filter((one) => one !== undefined)
    const lost = checks.reduce((sum, one) => sum + one.lost, accept?.lost ?? 0)
    const broken = checks.some((one) => !one.verify_ok)
    const forged = (check?.signatures_forged ?? 0) + (flood?.check.signatures_forged ?? 0)
    return lost === 0 && !broken && forged === 0 ? 0 : 1
  } finally {
    await cleanup.run()
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  // If the benchmark is stopping, running operations fail, so their errors are no message for the developer.
  if (!stopping) process.stderr.write(`${(error as Error).message}\nSee: npm run bench -- --help\n`)
  process.exitCode = 1
}
