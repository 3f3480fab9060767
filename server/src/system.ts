// Composes the system: builds every room over the given dependencies and connects the rooms. `compose` starts no task
// and does not listen.

import { resolve } from 'node:path'
import {
  apiKeyRoutes,
  createAuthenticate,
  createReadCallerAgain,
  createUsage,
  isWellFormedKey,
  revokeAllKeys,
  revokeKeysOf,
} from './access/api-keys/index.ts'
import { fourEyesMinor, fourEyesTask } from './access/four-eyes/index.ts'
import {
  createReadSessionAgain,
  createSessions,
  identityRoutes,
  identityTask,
  mayMailInvitation,
  passkeyRoutes,
  sessionRoutes,
} from './access/identity/index.ts'
import {
  createLockMerchantOfCaller,
  ipAddressRoutes,
  lowBalanceTask,
  merchantRoutes,
  noticesRoutes,
  notifyAdmins,
  profileRoutes,
  recordFirstUse,
} from './access/merchants/index.ts'
import {
  type Attach,
  createGateways,
  createMessageTask,
  messageGauges,
  messageRetention,
  messageRoutes,
  recipientLimitTask,
} from './adapters/messages/index.ts'
import { type LiveMoney, liveMoney, liveWarnings, waitingUnconfigured } from './adapters/providers/announce.ts'
import { type Breaker, createBreaker } from './adapters/providers/breaker.ts'
import { type ConfiguredProviders, createProviders, SANDBOX } from './adapters/providers/configured.ts'
import type { ProviderExtras, ProviderLists } from './adapters/providers/extras.ts'
import { measureCircuits, measureProviders } from './adapters/providers/measure.ts'
import { MAGIC_NUMBERS } from './adapters/providers/mock/index.ts'
import type { CallbackSink, Provider } from './adapters/providers/port.ts'
import { isSimulated } from './adapters/providers/registry.ts'
import { createRouting, type Routing } from './adapters/providers/routing.ts'
import { shareCallsTask } from './adapters/providers/shared-calls.ts'
import {
  createDeliverer,
  DESCRIBED_EVENTS,
  deliveryRetention,
  eventRetention,
  webhookGauges,
  webhookRoutes,
} from './adapters/webhooks/index.ts'
import { backupCheckTask } from './apps/admin/backup-check-task.ts'
import { createReadSystem } from './apps/admin/doctor-server.ts'
import { verifyTask } from './apps/admin/verify-task.ts'
import { docsSiteRoutes } from './apps/docs/index.ts'
import { backupCheckGauges, operatorRoutes, readEvidence, verifyGauges } from './apps/operators/index.ts'
import { notFoundPage, payPageRoutes } from './apps/pay-page/index.ts'
import {
  browserNotFound,
  frontPageRoutes,
  noticesTask,
  type PortalOptions,
  portalRoutes,
  siteRoutes,
  unsubscribeRoutes,
} from './apps/portal/index.ts'
import {
  createRecorder,
  createRequestLog,
  findRequestsOf,
  type Recorder,
  requestLogRoutes,
  requestSweep,
} from './apps/request-log/index.ts'
import { searchRoutes } from './apps/search/index.ts'
import { addressRetention, anchorTask, auditGauges, auditRoutes } from './books/audit/index.ts'
import { backupKeyOf, walTask } from './kernel/backup/index.ts'
import { createReadiness, type Deps, exposeDatabaseGauges, readCanary } from './kernel/db/index.ts'
import {
  type App,
  type Authenticate,
  apiDocumentRoutes,
  createApp,
  createOutgoing,
  healthRoutes,
  type Lookup,
  type Outgoing,
  payUrlOf,
  type Routes,
} from './kernel/http/index.ts'
import { answerRetention, type Task } from './kernel/work/index.ts'
import {
  type CallbackReceiver,
  callbackRoutes,
  callbacksTask,
  createCallbackReceiver,
} from './money/callbacks/index.ts'
import {
  collectionRoutes,
  createDriver,
  type Driver,
  daysTask,
  paymentGauges,
  paymentRetention,
  promptLimitsTask,
} from './money/collections/index.ts'
import {
  createInvoiceFiles,
  invoiceGauges,
  invoiceRetention,
  invoiceRoutes,
  overdueTask,
  paidTask,
  remindTask,
} from './money/invoices/index.ts'
import { createCollect, linkRetention, linkSettlement, paymentLinkRoutes } from './money/payment-links/index.ts'
import { reconciliationGauges, reconciliationRoutes, reconciliationTask } from './money/reconciliation/index.ts'
import { transactionRoutes } from './money/transactions/index.ts'
import {
  createApprovalService,
  createPayoutDriver,
  type PayoutDriver,
  payoutGauges,
  recipientRoutes,
  withdrawalDaysTask,
  withdrawalRoutes,
} from './money/withdrawals/index.ts'

/** The whole system over the given dependencies. `main.ts` and the tests run the same system. */
export type System = {
  app: App
  /** The providers of live payments and payouts. */
  live: LiveMoney
  /** All background tasks of the rooms, which the worker runs. */
  tasks: Task[]
  /**
   * The subset of `tasks` that a process with PROCESS=api also runs. These tasks write data that only this process
   * holds in memory.
   */
  own_tasks: Task[]
  driver: Driver
  payouts: PayoutDriver
  receive: CallbackReceiver
  /** Opens the connections to providers that take long to open, before the first payment needs them. Never throws. */
  warm(): Promise<void>
  /** Logs configuration problems that an operator should solve before money moves. */
  warn(): Promise<void>
  /** Resolves when the server has processed every callback that mock providers in this process have sent so far. */
  idle(): Promise<void>
  /**
   * Waits for the callbacks of mock providers, then closes the request log and the connections to receivers, gateways and
   * providers.
   */
  close(): Promise<void>
}

/** The parts that a caller can replace. `main.ts` passes only `draining`, `folders` and `recorder`. */
export type ComposeOptions = {
  /** The providers that `compose` adds or replaces, by name. */
  providers?: (Provider & ProviderExtras & ProviderLists)[]
  /** The client that sends webhooks and audit anchors. The system closes the client. */
  outgoing?: Outgoing
  /** Resolves the host names of webhooks and audit anchors. By default, `compose` uses the resolver of production. */
  lookup?: Lookup
  /** Returns true while the process stops. By default, the function always returns false. */
  draining?: () => boolean
  /**
   * The folders of the embedded database. /readyz checks their free space in addition to that of DATA_DIR. The first folder is
   * the one whose WAL the server archives.
   */
  folders?: readonly string[]
  /**
   * Returns the attachments of an e-mail. By default, an e-mail about an invoice has the PDF of the invoice and the merchant's
   * logo, and any other e-mail has no attachment.
   */
  attach?: Attach
  /**
   * Writes the request log. The system closes the recorder. By default, `compose` makes a recorder in this thread, over
   * `deps.db`.
   */
  recorder?: Recorder
  /** Finds the requests that created or named a record, for its timeline. */
  requestsOf?: PortalOptions['requestsOf']
}

/**
 * Builds every room and connects the rooms. If the settings of a provider or of PROVIDER_ROUTES are invalid, throws a
 * ConfigError.
 */
export async function compose(deps: Deps, options: ComposeOptions = {}): Promise<System> {
  const adapters = composeAdapters(deps, options)
  exposeMetrics(deps, adapters)
  const money = composeMoney(deps, adapters)
  adapters.callbacks.connect(money.receive)
  const usage = createUsage(deps)
  const recorder = options.recorder ?? createRecorder(deps)
  const requests = createRequestLog(deps, recorder)
  const authenticate = createAuthenticate(deps, { used: usage.note, session: createSessions(deps) })
  const [payerNotFound, ofBrowser] = [notFoundPage(deps), browserNotFound(deps)]
  const app = await createApp(deps, {
    authenticate,
    isKey: isWellFormedKey,
    onFirstUse: (merchant_id, user_id) => recordFirstUse(deps, merchant_id, user_id),
    notFoundPage: (request, reply, status) =>
      payerNotFound(request, reply, status) ?? ofBrowser(request, reply, status),
    ...(requests.capture ? { onAnswer: requests.capture } : {}),
    ...(options.draining ? { draining: options.draining } : {}),
    routes: composeRoutes(deps, { ...options, authenticate }, adapters, money),
    events: DESCRIBED_EVENTS,
  })
  const own_tasks = [usage.task, requests.task, shareCallsTask(deps, adapters.breaker)]
  return {
    app,
    live: liveMoney(deps.config, adapters.routing),
    warn: () => logWarnings(deps, adapters),
    driver: money.driver,
    payouts: money.payouts,
    receive: money.receive,
    tasks: [
      ...composeTasks(deps, { app, adapters, money, own_tasks, attach: options.attach }),
      ...archiveTasks(deps, options.folders),
    ],
    own_tasks,
    warm: adapters.warm,
    idle: adapters.callbacks.idle,
    async close() {
      await adapters.callbacks.idle()
      await recorder.close()
      await adapters.close()
    },
  }
}

/**
 * Passes callbacks of mock providers in this process to the callback receiver, which `compose` builds after the
 * providers.
 */
type LocalCallbacks = {
  sink: CallbackSink
  connect(receive: CallbackReceiver): void
  /** Resolves when the receiver has processed every callback so far. */
  idle(): Promise<void>
}

function createLocalCallbacks(): LocalCallbacks {
  const open = new Set<Promise<unknown>>()
  let receiver: CallbackReceiver | null = null
  return {
    async sink(name, headers, body) {
      if (receiver === null) throw new Error('a mock provider sent a callback before connect() set the receiver')
      const call = receiver(name, headers, body)
      open.add(call)
      await call.finally(() => open.delete(call))
    },
    connect(receive) {
      receiver = receive
    },
    async idle() {
      await Promise.allSettled([...open])
    },
  }
}

/** Adds the metrics that the server reads before each scrape. */
function exposeMetrics(deps: Deps, { breaker }: AdaptersWing): void {
  measureCircuits(deps, breaker)
  exposeDatabaseGauges(deps, [
    ...paymentGauges(deps),
    ...payoutGauges(deps),
    webhookGauges(deps),
    messageGauges(deps),
    invoiceGauges(deps),
    reconciliationGauges(deps),
    auditGauges(deps),
    verifyGauges(deps),
    backupCheckGauges(deps),
  ])
}

/** The adapters wing: the providers, the webhook deliverer and the gateways of messages. */
type AdaptersWing = {
  providers: ConfiguredProviders['all']
  routing: Routing
  breaker: Breaker
  outgoing: Outgoing
  deliverer: ReturnType<typeof createDeliverer>
  gateways: ReturnType<typeof createGateways>
  callbacks: LocalCallbacks
  warm(): Promise<void>
  close(): Promise<void>
}

function composeAdapters(deps: Deps, options: ComposeOptions): AdaptersWing {
  const { config } = deps
  const allow_private = config.webhook_allow_private ?? false
  const outgoing = options.outgoing ?? createOutgoing({ allow_private, lookup: options.lookup })
  const deliverer = createDeliverer(deps, outgoing)
  const callbacks = createLocalCallbacks()
  const configured = createProviders(deps, callbacks.sink, options.providers)
  const providers = measureProviders(deps, configured.all)
  const routing = createRouting({
    providers,
    default_name: config.provider,
    routes: config.provider_routes,
    sandbox: providers.get(SANDBOX) as Provider,
  })
  logRouting(deps, routing)
  const breaker = createBreaker(
    deps.clock,
    ({ provider, method: payment_method, state, calls, faults, median_ms, retry_at }) => {
      const level = state === 'open' ? 'warn' : 'info'
      deps.log[level](
        { component: 'providers', provider, payment_method, state, calls, faults, median_ms, retry_at },
        `circuit ${state.replace('_', ' ')}`,
      )
    },
  )
  const gateways = createGateways(deps)
  return {
    providers,
    routing,
    breaker,
    outgoing,
    deliverer,
    gateways,
    callbacks,
    warm: configured.warm,
    async close() {
      await outgoing.close()
      await Promise.all([gateways.email?.close(), gateways.sms?.close()])
      await configured.close()
    },
  }
}

function logRouting({ config, log }: Deps, routing: Routing): void {
  if (routing.unreachable_routes.length > 0) {
    const unreachable = routing.unreachable_routes.map(({ route, could }) => `${route} (${could.join(', ')})`)
    log.warn(
      { component: 'process', unreachable },
      'PROVIDER_ROUTES names providers that cannot serve their routes, although other providers can: correct PROVIDER_ROUTES',
    )
  }
  if (config.node_env === 'production' && isSimulated(config.provider))
    log.warn(
      { component: 'process' },
      'live payments use the mock provider, so no money moves: set PROVIDER to a real provider to take money',
    )
}

async function logWarnings(deps: Deps, { routing, providers }: AdaptersWing): Promise<void> {
  for (const warning of liveWarnings(deps.config, routing)) deps.log.warn({ component: 'process' }, warning)
  for (const { provider, kind, waiting } of await waitingUnconfigured(deps.db, [...providers.keys()])) {
    deps.log.warn(
      { component: 'process', provider, kind, waiting },
      'payments or payouts wait for a provider that is not configured: configure that provider',
    )
  }
}

/** The money wing: the parts that collect payments, approve and send payouts, and receive callbacks. */
type MoneyWing = {
  driver: Driver
  payouts: PayoutDriver
  receive: CallbackReceiver
  collect: ReturnType<typeof createCollect>
  approvalService: ReturnType<typeof createApprovalService>
}

/**
 * Returns true if this process sends the payments and payouts of its own requests. With PROCESS=api, a worker process sends
 * them.
 */
const sendsNow = ({ config }: Deps) => config.process === 'all'

function composeMoney(deps: Deps, { providers, routing, breaker, deliverer }: AdaptersWing): MoneyWing {
  const sends = sendsNow(deps)
  const driver = createDriver(deps, { providers, webhooks: deliverer, breaker, links: linkSettlement })
  const payouts = createPayoutDriver(deps, providers, deliverer, breaker)
  return {
    driver,
    payouts,
    receive: createCallbackReceiver(deps, providers, driver, payouts),
    collect: createCollect(deps, { driver, providerFor: routing.providerFor, sends }),
    approvalService: createApprovalService(deps, {
      driver: payouts,
      find: routing.find,
      webhooks: deliverer,
      canDispatch: sends,
      readEvidence: (tx, keys) => readEvidence(deps, tx, keys),
    }),
  }
}

/** The providers whose statements the server reconciles: all but the sandbox. */
const statementProviders = (providers: AdaptersWing['providers']) =>
  new Map([...providers].filter(([name]) => name !== SANDBOX))

function composeRoutes(
  deps: Deps,
  options: ComposeOptions & { authenticate: Authenticate },
  adapters: AdaptersWing,
  money: MoneyWing,
): Routes[] {
  const { config, db, vault } = deps
  const { providers, routing, breaker } = adapters
  const { driver, payouts, receive, collect, approvalService } = money
  const { find, providerFor, live } = routing
  const lockMerchant = createLockMerchantOfCaller(createReadCallerAgain(deps, createReadSessionAgain(deps)))
  const readiness = createReadiness(deps, {
    folders: [resolve(config.data_dir), ...(options.folders ?? [])],
    keyFits: (reader) => readCanary({ db: reader, vault }),
  })
  return [
    healthRoutes({
      check: readiness,
      draining: options.draining ?? (() => false),
      components: () => circuitStates(breaker),
    }),
    collectionRoutes(deps, { driver, providerFor, sends: sendsNow(deps) }),
    paymentLinkRoutes(deps, { collect, live }),
    invoiceRoutes(deps, { live }),
    withdrawalRoutes(deps, { approvalService, find }),
    recipientRoutes(deps, { find, providers, breaker, lockMerchant }),
    apiKeyRoutes(deps, { lockMerchant }),
    ipAddressRoutes(deps, { lockMerchant }),
    webhookRoutes(deps, {
      notifyAdmins,
      lockMerchant,
      ...(options.lookup ? { lookup: options.lookup } : {}),
      events: { authenticate: options.authenticate, draining: options.draining ?? (() => false) },
    }),
    requestLogRoutes(deps),
    transactionRoutes(deps),
    reconciliationRoutes(deps, {
      providers: statementProviders(providers),
      live: live.map(({ name }) => name),
      driver,
      payouts,
    }),
    profileRoutes(deps, { lockMerchant }),
    noticesRoutes(deps),
    merchantRoutes(deps, { mayMailInvitation, revokeKeysOf, lockMerchant }),
    auditRoutes(deps),
    messageRoutes(deps),
    operatorRoutes(deps, {
      approvalService,
      rules: {
        four_eyes_minor: fourEyesMinor(config),
        four_eyes_off: config.four_eyes_amount === 'off',
        step_up_s: config.step_up_s,
      },
      readSystem: createReadSystem(deps, options.folders ?? []),
      providers,
      routing,
      breaker,
    }),
    identityRoutes(deps, { revokeAllKeys }),
    sessionRoutes(deps),
    passkeyRoutes(deps),
    callbackRoutes(receive, providers),
    payPageRoutes(deps, { collect, ask: driver.ask, find, live, outcomes: MAGIC_NUMBERS }),
    portalRoutes(deps, {
      breaker,
      requestsOf: options.requestsOf ?? ((merchant_id, id) => findRequestsOf(db, merchant_id, id)),
    }),
    frontPageRoutes(deps, { live }),
    unsubscribeRoutes(deps),
    searchRoutes(deps, { providers: [...statementProviders(providers).keys()] }),
    siteRoutes(deps, { rehearses: live.every(({ capabilities }) => capabilities.rehearses === true) }),
    apiDocumentRoutes,
    docsSiteRoutes(deps),
  ]
}

/** Returns the state of each circuit of this process to a provider, for the health by component. */
function circuitStates(breaker: Breaker): Record<string, string> {
  const states = breaker.health().map(({ provider, method, state, since }) => {
    const text = state === 'closed' ? 'ok' : `circuit ${state.replace('_', ' ')} since ${since.toISOString()}`
    return [`${provider} ${method}`, text] as const
  })
  return Object.fromEntries(states)
}

/**
 * If BACKUP_DIR is set and the database is the embedded one, returns the tasks that archive its WAL and check its newest
 * backup.
 */
function archiveTasks(deps: Deps, [server]: readonly string[] = []): Task[] {
  const { backup_dir, backup_key } = deps.config
  if (backup_dir === '' || server === undefined) return []
  const { random } = deps
  const archive = { server, place: resolve(backup_dir), key: backupKeyOf(backup_key), random }
  return [walTask(deps, archive), backupCheckTask(deps)]
}

/** The parts of the system that have tasks, and the parts that tasks need. */
type TaskParts = { app: App; adapters: AdaptersWing; money: MoneyWing; own_tasks: Task[]; attach: Attach | undefined }

function composeTasks(deps: Deps, { app, adapters, money, own_tasks, attach }: TaskParts): Task[] {
  const payUrl = () => payUrlOf(deps.config, app)
  const invoiceFiles = createInvoiceFiles(deps, {
    payUrl,
    rehearses: adapters.routing.live.every(({ capabilities }) => capabilities.rehearses),
  })
  return [
    money.driver.task,
    promptLimitsTask(deps),
    daysTask(deps),
    withdrawalDaysTask(deps),
    paidTask(deps),
    remindTask(deps, payUrl),
    money.payouts.task,
    adapters.deliverer.task,
    ...own_tasks,
    requestSweep(deps),
    createMessageTask(deps, adapters.gateways, attach ?? invoiceFiles),
    messageRetention(deps),
    addressRetention(deps),
    answerRetention(deps),
    ...paymentRetention(deps),
    linkRetention(deps),
    invoiceRetention(deps),
    eventRetention(deps),
    deliveryRetention(deps),
    overdueTask(deps),
    noticesTask(deps),
    lowBalanceTask(deps),
    recipientLimitTask(deps),
    identityTask(deps),
    fourEyesTask(deps),
    reconciliationTask(deps, statementProviders(adapters.providers)),
    callbacksTask(deps),
    anchorTask(deps, adapters.outgoing),
    verifyTask(deps),
  ]
}
