// Start: reads the configuration, builds the seams by hand, picks the adapters, registers routes and work.

import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKeyRoutes, createAuthenticate, createUsage, isWellFormedKey } from './access/api-keys/index.ts'
import { createSessions, identityRoutes, identityTask } from './access/identity/index.ts'
import { ipAddressRoutes, merchantRoutes } from './access/merchants/index.ts'
import { type Attach, createGateways, createMessageTask, messageRoutes } from './adapters/messages/index.ts'
import {
  type LiveMoney,
  liveLines,
  liveMoney,
  liveWarnings,
  waitingUnconfigured,
} from './adapters/providers/announce.ts'
import { createBreaker } from './adapters/providers/breaker.ts'
import { createProviders, SANDBOX } from './adapters/providers/configured.ts'
import type { ProviderExtras, ProviderLists } from './adapters/providers/extras.ts'
import { MAGIC_NUMBERS, PAYOUT_MAGIC_NUMBERS } from './adapters/providers/mock/index.ts'
import type { Provider } from './adapters/providers/port.ts'
import { createRouting } from './adapters/providers/routing.ts'
import { createDeliverer, webhookRoutes } from './adapters/webhooks/index.ts'
import { type DemoUser, demoUsers, ensureDemoMerchant } from './apps/admin/demo.ts'
import { requireSafeProduction } from './apps/admin/production.ts'
import { operatorRoutes } from './apps/operators/index.ts'
import { astrayPages, payPageRoutes } from './apps/pay-page/index.ts'
import { type PortalOptions, portalRoutes, siteRoutes } from './apps/portal/index.ts'
import {
  createRecorder,
  createRequestLog,
  createThreadedRecorder,
  findRequestsOf,
  type Recorder,
  requestLogRoutes,
  requestSweep,
} from './apps/request-log/index.ts'
import { auditRoutes } from './books/audit/index.ts'
import { startEmbedded } from './kernel/db/embedded.ts'
import {
  createDb,
  createReadiness,
  type Deps,
  FIND_THE_KEY,
  holdsSealed,
  isSuperuser,
  isUnavailable,
  type Reader,
  readCanary,
  requireRightKey,
} from './kernel/db/index.ts'
import { migrate } from './kernel/db/migrate.ts'
import {
  type App,
  createApp,
  createOutgoing,
  docsRoutes,
  healthRoutes,
  type Lookup,
  type Outgoing,
  payUrlOf,
} from './kernel/http/index.ts'
import {
  type Config,
  ConfigError,
  createLog,
  createVault,
  type Log,
  noPoint,
  readConfig,
  systemClock,
  systemRandom,
  type Vault,
} from './kernel/lib/index.ts'
import { createWorker, type Task } from './kernel/work/index.ts'
import {
  type CallbackReceiver,
  callbackRoutes,
  callbacksTask,
  createCallbackReceiver,
} from './money/callbacks/index.ts'
import { collectionRoutes, createDriver, type Driver, daysTask, triesTask } from './money/collections/index.ts'
import { createInvoiceFiles, invoiceRoutes, paidTask, remindTask } from './money/invoices/index.ts'
import { createCollect, paymentLinkRoutes } from './money/payment-links/index.ts'
import { reconciliationRoutes, reconciliationTask } from './money/reconciliation/index.ts'
import { transactionRoutes } from './money/transactions/index.ts'
import { createDesk, createPayoutDriver, type PayoutDriver, withdrawalRoutes } from './money/withdrawals/index.ts'

/** The whole system over given seams: what `npm start` runs, and what tests run. */
export type System = {
  app: App
  /** Where live money goes. */
  live: LiveMoney
  tasks: Task[]
  /** Those of `tasks` that every process does for itself, also one that leaves the work to others. */
  own_tasks: Task[]
  driver: Driver
  payouts: PayoutDriver
  receive: CallbackReceiver
  /** Opens what takes a while to open, before the first payment needs it. Never throws. */
  warm(): Promise<void>
  /** Logs what an operator should mend before money moves. */
  warn(): Promise<void>
  /** Resolves when the callbacks of the mock providers in this process, so far, are taken. */
  idle(): Promise<void>
  /** Stops what is under way outside: connections to receivers and providers. */
  close(): Promise<void>
}

/** What may be replaced in tests; `main` passes only what belongs to a process. */
export type ComposeOptions = {
  /** Adapters to add or replace, by name. */
  providers?: (Provider & ProviderExtras & ProviderLists)[]
  /** The way out for webhooks; closed with the system. */
  outgoing?: Outgoing
  /** Looks up the names of webhook addresses. */
  lookup?: Lookup
  draining?: () => boolean
  /** Folders whose free space /readyz checks, beside DATA_DIR. */
  folders?: readonly string[]
  /** The files that go with e-mails; left out: the invoices that they are about. */
  attach?: Attach
  /** Who writes the log of requests, closed with the system. Left out: this thread, over `deps.db`. */
  recorder?: Recorder
  /** Finds the requests that made or named a record, for its timeline. */
  requestsOf?: PortalOptions['requestsOf']
}

/** Wires every capability together. Nothing runs or listens yet. */
export async function compose(deps: Deps, options: ComposeOptions = {}): Promise<System> {
  const { config } = deps
  const usage = createUsage(deps)
  const { lookup } = options
  const outgoing = options.outgoing ?? createOutgoing({ allow_private: config.webhook_allow_private ?? false, lookup })
  const deliverer = createDeliverer(deps, outgoing)

  // The mock providers call back before the receiver can exist, so they reach it through this function.
  const calling = new Set<Promise<unknown>>()
  const sink = async (name: string, headers: Record<string, string>, body: Buffer) => {
    const call = receive(name, headers, body)
    calling.add(call)
    await call.finally(() => calling.delete(call))
  }
  const configured = createProviders(deps, sink, options.providers)
  const providers = configured.all
  const routing = createRouting({
    providers,
    default_name: config.provider,
    routes: config.provider_routes,
    sandbox: providers.get(SANDBOX) as Provider,
  })
  if (routing.stranded.length > 0) {
    const unreachable = routing.stranded.map(({ route, could }) => `${route} (${could.join(', ')})`)
    deps.log.warn({ unreachable }, 'PROVIDER_ROUTES leads to providers that cannot do this, although others could')
  }
  if (config.node_env === 'production' && config.provider === 'mock')
    deps.log.warn('live payments go over the mock provider: no money moves')

  const breaker = createBreaker(deps.clock, ({ state, ...circuit }) => {
    const level = state === 'open' ? 'warn' : 'info'
    deps.log[level]({ ...circuit }, `circuit ${state.replace('_', ' ')}`)
  })
  const driver = createDriver(deps, providers, deliverer, breaker)
  const payouts = createPayoutDriver(deps, providers, deliverer, breaker)
  const receive = createCallbackReceiver(deps, providers, driver, payouts)
  const sends = config.process === 'all'
  const stated = {
    providers: new Map([...providers].filter(([name]) => name !== SANDBOX)),
    live: routing.live.map(({ name }) => name),
  }
  const collect = createCollect(deps, { driver, providerFor: routing.providerFor, sends })
  const gateways = createGateways(deps)
  const desk = createDesk(deps, { driver: payouts, find: routing.find, webhooks: deliverer, sends })
  const recorder = options.recorder ?? createRecorder(deps)
  const requests = createRequestLog(deps, recorder)
  const app = await createApp(deps, {
    authenticate: createAuthenticate(deps, { used: usage.note, session: createSessions(deps) }),
    isKey: isWellFormedKey,
    astray: astrayPages(deps),
    ...(requests.answering ? { answering: requests.answering } : {}),
    routes: [
      healthRoutes(
        createReadiness(deps, {
          folders: [resolve(config.data_dir), ...(options.folders ?? [])],
          keyFits: (db) => readCanary({ db, vault: deps.vault }),
        }),
        options.draining ?? (() => false),
      ),
      collectionRoutes(deps, { driver, providerFor: routing.providerFor, sends }),
      paymentLinkRoutes(deps, { collect, live: routing.live }),
      invoiceRoutes(deps, { live: routing.live }),
      withdrawalRoutes(deps, { desk, find: routing.find }),
      apiKeyRoutes(deps),
      ipAddressRoutes(deps),
      webhookRoutes(deps, lookup ? { lookup } : {}),
      requestLogRoutes(deps),
      transactionRoutes(deps),
      reconciliationRoutes(deps, { ...stated, driver, payouts }),
      merchantRoutes(deps),
      auditRoutes(deps),
      messageRoutes(deps),
      operatorRoutes(deps, {
        desk,
        rules: { four_eyes_minor: config.four_eyes_amount, step_up_s: config.step_up_s },
        providers,
        routing,
        breaker,
      }),
      identityRoutes(deps),
      callbackRoutes(receive, providers),
      payPageRoutes(deps, { collect, find: routing.find, live: routing.live, outcomes: MAGIC_NUMBERS }),
      portalRoutes(deps, {
        breaker,
        requestsOf: options.requestsOf ?? ((merchant_id, id) => findRequestsOf(deps.db, merchant_id, id)),
      }),
      siteRoutes(deps, { rehearses: routing.live.every(({ capabilities }) => capabilities.rehearses === true) }),
      docsRoutes(deps, { magic_numbers: MAGIC_NUMBERS, payout_magic_numbers: PAYOUT_MAGIC_NUMBERS }),
    ],
  })
  const invoice_files = createInvoiceFiles(deps, {
    payUrl: () => payUrlOf(config, app),
    rehearses: routing.live.every(({ capabilities }) => capabilities.rehearses),
  })
  return {
    app,
    live: liveMoney(config, routing),
    async warn() {
      for (const warning of liveWarnings(config, routing)) deps.log.warn(warning)
      for (const unserved of await waitingUnconfigured(deps.db, [...providers.keys()])) {
        deps.log.warn(unserved, 'payments or payouts wait for a provider that is not configured')
      }
    },
    driver,
    payouts,
    receive,
    tasks: [
      driver.task,
      triesTask(deps),
      daysTask(deps),
      paidTask(deps),
      remindTask(deps, () => payUrlOf(config, app)),
      payouts.task,
      deliverer.task,
      usage.task,
      requests.task,
      requestSweep(deps),
      createMessageTask(deps, gateways, options.attach ?? invoice_files),
      identityTask(deps),
      reconciliationTask(deps, stated.providers),
      callbacksTask(deps),
    ],
    own_tasks: [usage.task, requests.task],
    warm: configured.warm,
    async idle() {
      await Promise.allSettled([...calling])
    },
    async close() {
      await Promise.allSettled([...calling])
      await recorder.close()
      await outgoing.close()
      await Promise.all([gateways.email?.close(), gateways.sms?.close()])
      await configured.close()
    },
  }
}

/**
 * SECRET_KEY, or else the key in DATA_DIR, which is made for a database that holds nothing encrypted. Throws ConfigError
 * when the file is missing although the database needs it.
 */
async function secretKey(config: Config, db: Reader): Promise<Uint8Array> {
  if (config.secret_key !== '') return Buffer.from(config.secret_key, 'base64')
  const file = join(resolve(config.data_dir), 'secret.key')
  // The database is asked first: a process that starts beside this one makes the file before it encrypts anything.
  const is_used = await holdsSealed(db)
  if (!existsSync(file)) {
    if (is_used) {
      throw new ConfigError(
        `SECRET_KEY is not set and ${file} is missing, but this database is in use.\n${FIND_THE_KEY}`,
      )
    }
    await makeSecretKey(file)
  }
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== SECRET_KEY_BYTES)
    throw new ConfigError(
      `${file} does not hold a key. Restore it, or remove it when nothing was encrypted with it yet`,
    )
  return key
}

const SECRET_KEY_BYTES = 32

/** The file has its name only once it is whole and on disk; of several processes that make one, the first wins. */
async function makeSecretKey(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const unfinished = `${file}.${randomUUID()}`
  try {
    await writeFile(unfinished, randomBytes(SECRET_KEY_BYTES).toString('base64'), {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    await link(unfinished, file).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(unfinished, { force: true })
  }
}

/**
 * Builds the seams of a real process over the migrated database at `url`. Throws ConfigError when the secret key is not the
 * one with which the database was made. `vault`: a vault that is used unchecked, instead of one with the secret key.
 */
export async function realDeps(config: Config, log: Log, url: string, vault?: Vault): Promise<Deps> {
  const random = systemRandom()
  const db = createDb({
    url,
    max_connections: config.database_connections,
    on_error: (error) => log.warn({ err: error }, 'database connection lost'),
    watch: {
      on_silent: () => log.error('the database does not answer; what waits for it is refused'),
      on_answer: () => log.warn('the database answers again'),
    },
  })
  const base = { config, log, random, clock: systemClock, db, point: noPoint, process_id: randomUUID() }
  if (vault !== undefined) return { ...base, vault }
  try {
    const deps = { ...base, vault: createVault(await secretKey(config, db), random) }
    await requireRightKey(deps)
    return deps
  } catch (error) {
    await db.close()
    throw error
  }
}

/** The database that was opened, and the folders of this machine that it writes to. */
type Opened = { url: string; folders: string[] }

/** Opens the configured database, the given one or the embedded one of DATA_DIR, and migrates it. */
async function openDatabase(config: Config, log: Log, held: Held): Promise<Opened> {
  let url = config.database_url
  const folders: string[] = []
  if (url === '') {
    const embedded = await startEmbedded({ dataDir: resolve(config.data_dir), log, outside: config.embedded_dir })
    held.push(() => embedded.stop())
    url = embedded.url
    folders.push(embedded.place)
  }
  const applied = await migrate(url, log)
  if (applied.length > 0) log.info({ applied }, 'database migrated')
  return { url, folders }
}

/**
 * The configuration of this process: environment variables, then a file .env for those that are not set. The embedded
 * default may deliver webhooks to this machine. `options` as `readConfig`.
 */
export function configFromEnvironment(options: Parameters<typeof readConfig>[1] = {}): Config {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env, options)
  return { ...config, webhook_allow_private: config.webhook_allow_private ?? config.database_url === '' }
}

/** What a started process holds, in the order it was taken: given back in the opposite order. */
type Held = (() => Promise<unknown>)[]

async function run(): Promise<void> {
  const config = configFromEnvironment()
  const log = createLog(config.log_level)
  const held: Held = []
  let draining = false
  const giveBack = async (delay_s = 0) => {
    draining = true
    // Load balancers turn away after they have seen /readyz fail; until then everything is served as before.
    if (delay_s > 0) await sleep(delay_s * 1_000)
    for (const release of held.splice(0).reverse()) await release()
  }
  const started = start(config, log, held, () => draining)
  // A signal may come while the process is still starting: what is half open is finished first, then closed.
  const delay_s = config.process === 'worker' ? 0 : (config.stop_delay_s ?? (config.node_env === 'production' ? 5 : 0))
  onStop(log, delay_s, (wait_s) =>
    started.then(
      () => giveBack(wait_s),
      () => {},
    ),
  )
  try {
    await started
  } catch (error) {
    await giveBack()
    throw error
  }
}

async function start(config: Config, log: Log, held: Held, draining: () => boolean): Promise<void> {
  const { url: database, folders } = await openDatabase(config, log, held)
  const deps = await realDeps(config, log, database)
  held.push(() => deps.db.close())
  if (config.node_env === 'production') await requireSafeProduction(deps)
  if (await isSuperuser(deps.db)) {
    log.warn(
      'DATABASE_URL is a superuser: the append-only tables are not protected from it. Use a role that owns its database',
    )
  }
  const recorder = createThreadedRecorder({ url: database, log_level: config.log_level })
  const system = await compose(deps, { draining, folders, recorder })
  held.push(() => system.close())
  log.info(system.live, 'live money')
  await system.warn()
  const worker = createWorker(deps, config.process === 'api' ? system.own_tasks : system.tasks)
  worker.start()
  void system.warm()
  // A process that leaves the work to others also has calls and deliveries of its own under way. What ends first may begin another.
  held.push(async () => {
    for (const task of system.tasks) await task.idle()
  })
  held.push(() => worker.stop())
  if (config.process === 'worker') {
    // No timer of the worker keeps a process alive, and neither does a database that is away: this one does.
    const alive = setInterval(() => {}, ALIVE_EVERY_MS)
    held.push(async () => clearInterval(alive))
    deps.db.arm()
    log.info('worker started')
    return
  }
  held.push(() => closeApp(system.app))
  const host = config.host || (config.node_env === 'production' ? '0.0.0.0' : '127.0.0.1')
  await system.app.listen({ host, port: config.port })
  const address = system.app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const base_url = config.base_url || `http://127.0.0.1:${port}`
  log.info({ base_url, process: config.process }, 'listening')
  if (config.node_env !== 'production') {
    const people = await demoUsers(deps, await ensureDemoMerchant(deps))
    process.stderr.write(welcome(config, base_url, system.live, people))
  }
  deps.db.arm()
}

const ALIVE_EVERY_MS = 3_600_000

/** Longer than any request of ours takes; what is still open then sends nothing, or too slowly. */
const CONNECTIONS_MS_MAX = 10_000
const IDLE_EVERY_MS = 50

/**
 * Takes no more requests and waits for those under way. A connection that is kept alive, or was opened and never used,
 * would hold the process for as long as its client likes: closing the server ends only those that are idle right then.
 */
async function closeApp(app: App): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_EVERY_MS)
  const rest = setTimeout(() => app.server.closeAllConnections(), CONNECTIONS_MS_MAX)
  try {
    await app.close()
  } finally {
    clearInterval(idle)
    clearTimeout(rest)
  }
}

/** What is under way may take this long to finish after the listener has closed. */
const STOP_MS_MAX = 25_000

/** Stops once, however many signals come: a terminal and npm both pass the same one on. */
function onStop(log: Log, delay_s: number, stop: (delay_s: number) => Promise<void>): void {
  let stopping = false
  const begin = (why: string, exit_code: number) => {
    if (stopping) return
    stopping = true
    log.info({ why }, 'stopping')
    // After a bug nothing more is served.
    const wait_s = exit_code === 0 ? delay_s : 0
    setTimeout(() => process.exit(1), wait_s * 1_000 + STOP_MS_MAX).unref()
    stop(wait_s).then(
      () => process.exit(exit_code),
      (error) => {
        log.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => begin(signal, 0))
  // A bug must not leave a half-working process: what it was doing is in the database and goes on elsewhere.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.error({ err: error }, event)
      begin(event, 1)
    })
  }
}

function welcome(config: Config, base_url: string, live: LiveMoney, people: readonly DemoUser[]): string {
  const signIn = (role: DemoUser['role']) => {
    const person = people.find((one) => one.role === role)
    return person === undefined
      ? `sign in at ${config.oidc_issuer}`
      : `sign in as ${person.email}\n                 password ${person.password}`
  }
  return `
${config.brand_name} is ready.

  Dashboard      ${base_url}/dashboard
                 ${signIn('MERCHANT_ADMIN')}
  Operators      ${base_url}/operator
                 ${signIn('SUPER_ADMIN')}
  API            ${base_url}/v1
  Documentation  ${base_url}/docs
  OpenAPI        ${base_url}/openapi.json
  Data           ${config.database_url === '' ? resolve(config.data_dir) : 'your PostgreSQL (DATABASE_URL)'}
  Live money     ${liveLines(live).join('\n                 ')}

  First payment: make a key in the dashboard, or get keys of the demo merchant in another terminal
    npm run -s admin -- demo
  then follow "First payment" in README.md, or send

    curl -s ${base_url}/v1/collections/wallet-push \\
      -H "Authorization: Bearer $SANDBOX_KEY" -H "Idempotency-Key: $(date +%s%N)" \\
      -H "Content-Type: application/json" -d '{"amount": "25000.00", "phone": "0754123001"}'

`
}

/** What to tell an operator whose database is away. */
export function unreachable(error: unknown): string {
  // Production refuses the embedded one.
  const production = process.env.NODE_ENV === 'production'
  // A name with several addresses fails with one error for each, and no message of its own.
  const why = (error as Error).message || (error as { code?: string }).code
  return `The database cannot be reached: ${why}
Check DATABASE_URL and that the server runs${production ? '' : ', or leave DATABASE_URL empty for the embedded one'}.
`
}

const USAGE = `Usage: npm start

Runs what PROCESS says: API and worker (all, the default), api or worker; without DATABASE_URL also the embedded database.
Everything is set by environment variables or a file .env: see .env.example. Stop it with Ctrl-C.
`

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    const wanted = argument === '--help' || argument === '-h'
    process[wanted ? 'stdout' : 'stderr'].write(wanted ? USAGE : `unknown argument ${argument}\n${USAGE}`)
    process.exit(wanted ? 0 : 2)
  }
  try {
    await run()
  } catch (error) {
    // A configuration error is for the operator: the variables' names and what is wrong, no stack.
    if (error instanceof ConfigError) process.stderr.write(`Configuration refused:\n${error.message}\n`)
    else if ((error as { code?: string }).code === 'EADDRINUSE') {
      process.stderr.write(`${(error as Error).message}\nAnother program uses this port. Set PORT to a free one.\n`)
    } else if (isUnavailable(error)) process.stderr.write(unreachable(error))
    else createLog('error').error({ err: error }, 'could not start')
    process.exit(1)
  }
}
