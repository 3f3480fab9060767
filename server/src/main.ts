// Starts the server process, listens for signals, and stops the process.

import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { announceFourEyes } from './access/four-eyes/index.ts'
import { type LiveMoney, liveLines } from './adapters/providers/announce.ts'
import { type DemoUser, demoUsers, ensureDemoMerchant } from './apps/admin/demo.ts'
import { exposeMachineGauges } from './apps/admin/machine-gauges.ts'
import { requireSafeProduction } from './apps/admin/production.ts'
import { createThreadedRecorder } from './apps/request-log/index.ts'
import {
  type Deps,
  describeRefusal,
  isSuperuser,
  isUnavailable,
  ownedTable,
  requireSession,
} from './kernel/db/index.ts'
import {
  type App,
  announcePort,
  type OpenPort,
  openPort,
  type RequestsInProgress,
  serveMetrics,
  trackRequests,
} from './kernel/http/index.ts'
import { adminCommand, type Config, ConfigError, createLog, type Log } from './kernel/lib/index.ts'
import { createWorker, type Task, type Worker } from './kernel/work/index.ts'
import {
  configFromEnvironment,
  databaseUnreachable,
  givenSettings,
  migrateDatabase,
  openDatabase,
  type Releases,
  realDeps,
  reloadSettings,
  reloadsOnHangup,
  unknownNameLines,
} from './process.ts'
import { compose, type System } from './system.ts'

async function run(): Promise<void> {
  const config = configFromEnvironment()
  const log = createLog(config.log_level)
  for (const problem of unknownNameLines(givenSettings())) {
    log.warn(
      { component: 'process', problem },
      'a name looks like a setting, but is no setting of the server: correct or remove the name',
    )
  }
  const releases: Releases = []
  const work: OpenWork = { requests: null, tasks: [] }
  let draining = false
  const stop = async (delay_s = 0) => {
    draining = true
    // After a failed /readyz, a load balancer stops sending requests. Until then the server answers requests as before.
    await sleepTicks(delay_s * 1_000)
    for (const release of releases.splice(0).reverse()) await release()
  }
  const started = startServer(config, log, { releases, draining: () => draining, work })
  const reloads = reloadsOnHangup(config)
  if (reloads) process.on('SIGHUP', () => reloadSettings(config, log))
  // If a signal comes during the start, the process finishes the start and then stops.
  const delay_s = config.process === 'worker' ? 0 : (config.stop_delay_s ?? (config.node_env === 'production' ? 5 : 0))
  onStop(log, delay_s, {
    work,
    signals: reloads ? STOP_SIGNALS : [...STOP_SIGNALS, 'SIGHUP'],
    stop: (wait_s) =>
      started.then(
        () => stop(wait_s),
        () => {},
      ),
  })
  try {
    await started
  } catch (error) {
    await stop()
    throw error
  }
}

const TICK_MS = 50

/**
 * Sleeps in short steps. If the process gets no CPU time, the steps take longer, and the process can answer the requests that
 * arrived in that time.
 */
async function sleepTicks(duration_ms: number): Promise<void> {
  for (let passed_ms = 0; passed_ms < duration_ms; passed_ms += TICK_MS) await sleep(TICK_MS)
}

/** The work that the process finishes before it stops. */
type OpenWork = {
  /** Null means that the process serves no requests. */
  requests: RequestsInProgress | null
  /** The tasks that may hold leases. */
  tasks: readonly Task[]
}

type Life = { releases: Releases; draining: () => boolean; work: OpenWork }

async function startServer(config: Config, log: Log, { releases, draining, work }: Life): Promise<void> {
  const database = await openDatabase(config, log, releases)
  const applied = await migrateDatabase(database, log)
  if (applied.length > 0) log.debug({ component: 'process', applied }, 'the process migrated the database')
  const deps = await realDeps(config, log, database.url)
  releases.push(() => deps.db.close())
  releases.push(() => deps.tracer.close())
  await requireSession(deps.db, config.database_pooler === 'transaction')
  if (config.node_env === 'production') await requireSafeProduction(deps)
  if (await isSuperuser(deps.db)) {
    log.warn(
      { component: 'process' },
      'DATABASE_URL names a superuser, from which the database cannot protect the append-only tables: use a role that owns its database',
    )
  } else await warnOfSingleRole(deps)
  await announceFourEyes(deps)
  const recorder = createThreadedRecorder(database.url, () => config.log_level)
  const system = await compose(deps, { draining, folders: database.folders, recorder })
  releases.push(() => system.close())
  const { provider, routes, callbacks, payouts } = system.live
  log.info(
    { component: 'process', provider, routes, callbacks, payouts },
    'the process has these providers of live money',
  )
  await system.warn()
  const worker = startWork(deps, system)
  work.tasks = system.tasks
  // A process with PROCESS=api also has provider calls and deliveries in progress. When a task ends, a later task of the list
  // may begin work.
  releases.push(async () => {
    for (const task of system.tasks) await task.idle()
    await giveBackLeases(system.tasks).catch((error) =>
      log.warn(
        { component: 'process', err: error },
        'the process could not end its leases; each lease ends at its own time',
      ),
    )
  })
  await startMetrics(deps, database.folders, releases)
  if (config.process === 'worker') {
    // While the database is unreachable, the timers of the worker do not keep the process running. This timer does.
    const alive = setInterval(() => {}, ALIVE_EVERY_MS)
    releases.push(async () => clearInterval(alive))
    releases.push(() => worker.stop())
    deps.db.arm()
    log.info({ component: 'process' }, 'the worker started')
    return
  }
  const requests = trackRequests(system.app.server)
  work.requests = requests
  let opened: OpenPort | null = null
  // While the last requests end, the worker claims no further rows.
  releases.push(() => Promise.all([closeApp(system.app, opened, requests), worker.stop()]))
  const is_demo = config.node_env !== 'production'
  // If the start fails, it must fail before the process accepts requests.
  const users = is_demo ? await demoUsers(deps, await ensureDemoMerchant(deps)) : []
  opened = await listen(config, system.app)
  releases.push(await announcePort(resolve(config.data_dir), opened.port))
  const base_url = config.base_url || `http://127.0.0.1:${opened.port}`
  log.info({ component: 'process', base_url, process: config.process }, 'the server listens for requests')
  if (is_demo) process.stderr.write(welcome(config, base_url, system.live, users))
  deps.db.arm()
}

/**
 * If the role of the server owns the tables, logs a warning in production, and otherwise a line of information. Such a role
 * could grant itself the right to change history.
 */
async function warnOfSingleRole({ db, config, log }: Deps): Promise<void> {
  const { role, table } = await ownedTable(db)
  if (table === null) return
  log[config.node_env === 'production' ? 'warn' : 'info'](
    { component: 'process' },
    `one database role, ${role}, owns the tables and serves requests: set MIGRATION_DATABASE_URL for a second role, see docs/operate/production.md`,
  )
}

const ALIVE_EVERY_MS = 3_600_000

function startWork(deps: Deps, system: System): Worker {
  const worker = createWorker(deps, deps.config.process === 'api' ? system.own_tasks : system.tasks)
  worker.start()
  void system.warm()
  return worker
}

/** If METRICS_PORT is set, serves /metrics. If the process cannot serve /metrics, the process continues without /metrics. */
async function startMetrics(deps: Deps, folders: readonly string[], releases: Releases): Promise<void> {
  const { metrics_host: host, metrics_port: port } = deps.config
  if (port === null) return
  deps.metrics.addProcessMetrics()
  exposeMachineGauges(deps, [resolve(deps.config.data_dir), ...folders])
  const server = await serveMetrics(deps, { host, port })
  if (server === null) return
  releases.push(() => server.close())
  deps.log.info(
    { component: 'process', metrics_url: `http://${host}:${server.port}/metrics` },
    'the process serves /metrics',
  )
}

/**
 * Ends the leases that this process still holds, so that another process can claim the rows immediately. Returns the number of
 * ended leases by task.
 */
async function giveBackLeases(tasks: readonly Task[]): Promise<Record<string, number>> {
  const counts = await Promise.all(tasks.map(async (task) => [task.name, (await task.giveBack?.()) ?? 0] as const))
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/**
 * Opens the port of the server. Without HOST, the server listens on all addresses in production, and otherwise only on this
 * machine.
 */
function listen(config: Config, app: App): Promise<OpenPort> {
  const host = config.host || (config.node_env === 'production' ? '0.0.0.0' : '127.0.0.1')
  return openPort(app, { host, port: config.port })
}

/**
 * This time after the server has stopped listening, the server closes every connection without a request in progress.
 */
const SILENT_MS_MAX = 10_000
/** The longest time that open requests may take to finish after the server has stopped listening. */
const REQUESTS_MS_MAX = 25_000
const IDLE_EVERY_MS = 50

/**
 * Stops accepting requests and waits for the open requests. `app.close` ends only connections that are idle at that time. A
 * client can keep a connection open without a request, so the function closes idle connections repeatedly.
 */
async function closeApp(app: App, opened: OpenPort | null, requests: RequestsInProgress): Promise<void> {
  // Node runs due timers before it reads from sockets, and `setImmediate` after that. If a request has arrived, its connection
  // is thus not idle when `closeIdle` runs.
  const closeIdle = () => app.server.closeIdleConnections()
  const idle = setInterval(() => setImmediate(closeIdle), IDLE_EVERY_MS)
  await new Promise((resolve) => setImmediate(resolve))
  const silent = setTimeout(() => requests.closeOthers(), SILENT_MS_MAX)
  const rest = setTimeout(() => app.server.closeAllConnections(), REQUESTS_MS_MAX)
  try {
    await Promise.all([app.close(), opened?.close()])
  } finally {
    clearInterval(idle)
    clearTimeout(silent)
    clearTimeout(rest)
  }
}

/** If the process has not stopped this time after the stop delay, it ends with unfinished work. */
const STOP_MS_MAX = 30_000
/**
 * A terminal and npm both pass on the same signal. After this time, a signal is a second signal of a person or a supervisor.
 */
const SAME_SIGNAL_MS = 1_000
/** The longest time that the process takes to end its leases before it exits with unfinished work. */
const GIVE_BACK_MS_MAX = 2_000

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

type StopOptions = {
  work: OpenWork
  /** The signals that stop the process. */
  signals: readonly NodeJS.Signals[]
  stop: (delay_s: number) => Promise<void>
}

/** Stops the process at the first signal. At a second signal, or after STOP_MS_MAX, ends the process with unfinished work. */
function onStop(log: Log, delay_s: number, { work, signals, stop }: StopOptions): void {
  let stopping_since: number | null = null
  let ending = false
  const end = async (why: string) => {
    if (ending) return
    ending = true
    const open_requests = work.requests?.count() ?? 0
    const late = sleep(GIVE_BACK_MS_MAX).then(() => null)
    const repeatable = work.tasks.filter(({ repeats_safely }) => repeats_safely)
    const leases = await Promise.race([giveBackLeases(repeatable), late]).catch(() => null)
    log.warn(
      {
        component: 'process',
        reason: why,
        open_requests,
        leases: leases ?? 'unknown, because the database did not answer',
      },
      'the process ends with unfinished work: the open requests get no answer, and a worker of another or a later process continues the work in the database',
    )
    process.exit(1)
  }
  const begin = (why: string, exit_code: number) => {
    if (stopping_since !== null) return
    stopping_since = performance.now()
    log.info({ component: 'process', reason: why }, 'the process stops')
    // After an unexpected error, the server stops without a delay.
    const wait_s = exit_code === 0 ? delay_s : 0
    setTimeout(() => end(`work lasts longer than ${STOP_MS_MAX / 1_000} seconds`), wait_s * 1_000 + STOP_MS_MAX).unref()
    stop(wait_s).then(
      () => process.exit(exit_code),
      (error) => {
        log.error({ component: 'process', err: error }, 'the process could not stop cleanly')
        process.exit(1)
      },
    )
  }
  for (const signal of signals) {
    process.on(signal, () => {
      if (stopping_since === null) begin(signal, 0)
      else if (performance.now() - stopping_since > SAME_SIGNAL_MS) void end(`second signal: ${signal}`)
    })
  }
  // After an unexpected error, the process stops. Its work is in the database, and another process continues that work.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error({ component: 'process', err: error }, event)
      begin(event, 1)
    })
  }
}

function welcome(config: Config, base_url: string, live: LiveMoney, users: readonly DemoUser[]): string {
  const signIn = (role: DemoUser['role']) => {
    const user = users.find((one) => one.role === role)
    return user === undefined
      ? `sign in at ${config.oidc_issuer}`
      : `sign in as ${user.email}\n                 password ${user.password}`
  }
  return `
${config.brand_name} is ready.

  Dashboard      ${base_url}/dashboard
                 ${signIn('MERCHANT_ADMIN')}
  Operators      ${config.operator_url || base_url}/operator
                 ${signIn('SUPER_ADMIN')}
  API            ${base_url}/v1
  Documentation  ${base_url}/docs
  OpenAPI        ${base_url}/openapi.json
  Data           ${config.database_url === '' ? resolve(config.data_dir) : 'your PostgreSQL (DATABASE_URL)'}
  Live money     ${liveLines(live).join('\n                 ')}

  First payment: make a key in the dashboard, or get keys of the demo merchant in another terminal
    ${adminCommand('demo')}
  then follow "First payment" in README.md, or send

    curl -s ${base_url}/v1/collections/wallet-push \\
      -H "Authorization: Bearer $SANDBOX_KEY" -H "Idempotency-Key: $(date +%s%N)" \\
      -H "Content-Type: application/json" -d '{"amount": "25000.00", "phone": "0754123001"}'

`
}

const USAGE = `Usage: npm start

PROCESS selects what the process runs: API and worker (all, the default), api or worker.
Without DATABASE_URL the process also runs the embedded database.
Environment variables, or a file malipo.env or .env, configure the process: see .env.example. Ctrl-C stops the process.
`

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    const is_help = argument === '--help' || argument === '-h'
    process[is_help ? 'stdout' : 'stderr'].write(is_help ? USAGE : `the argument ${argument} is unknown\n${USAGE}`)
    process.exit(is_help ? 0 : 2)
  }
  try {
    await run()
  } catch (error) {
    // For a configuration error, the process prints the names of the variables and their problems, without a stack.
    if (error instanceof ConfigError)
      process.stderr.write(`The process refuses this configuration:\n${error.message}\n`)
    else if ((error as { code?: string }).code === 'EADDRINUSE') {
      process.stderr.write(`${(error as Error).message}\nAnother program uses this port. Set PORT to a free port.\n`)
    } else if (describeRefusal(error) !== null)
      process.stderr.write(`The database refuses the process. ${describeRefusal(error)}\n`)
    else if (isUnavailable(error)) process.stderr.write(databaseUnreachable(error))
    else createLog('error').error({ err: error }, 'the process could not start')
    process.exit(1)
  }
}
