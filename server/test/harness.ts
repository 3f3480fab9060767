// Builds the real app and the real worker over a fresh database for tests, with a clock that the test sets.

import { randomUUID } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { createKey } from '../src/access/api-keys/index.ts'
import { issueAccessToken, issuerKey } from '../src/access/identity/index.ts'
import { createMerchant, createUser, type Merchant, setMember } from '../src/access/merchants/index.ts'
import { PROVIDERS } from '../src/adapters/providers/registry.ts'
import { createDb, type DbOptions, type Deps, inTransaction, openVault } from '../src/kernel/db/index.ts'
import { type Environment, isOperatorRole, type Role, SCOPES } from '../src/kernel/http/index.ts'
import {
  createLog,
  createVault,
  noPoint,
  noTracer,
  type Point,
  readConfig,
  type SettableClock,
  settableClock,
  systemRandom,
} from '../src/kernel/lib/index.ts'
import { createMetrics } from '../src/kernel/lib/metrics-registry.ts'
import { type ComposeOptions, compose, type System } from '../src/system.ts'
import { createTestDatabase } from './database.ts'

/** The default start time of a test. */
export const START = new Date('2026-01-05T09:00:00.000Z')

/** The secret key of a test that passes no keys. */
const SECRET_KEY = Buffer.alloc(32, 7)

/** The dependencies of a test: a clock that moves only when the test moves the clock, and the logged lines. */
export type TestDeps = Deps & { clock: SettableClock; logged: string[]; close(): Promise<void> }

/** Builds the dependencies over a database. `env` overrides configuration by variable name. */
export function testDeps(
  url: string,
  options: { env?: Record<string, string>; clock?: SettableClock; point?: Point; before?: DbOptions['before'] } = {},
): TestDeps {
  const random = systemRandom()
  const logged: string[] = []
  const config = readConfig(
    {
      NODE_ENV: 'test',
      DATABASE_URL: url,
      MOCK_DELAY_MS: '0',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      KEYS_PER_MERCHANT: '0',
      RATE_LIMIT_PER_KEY: '0',
      RATE_LIMIT_PER_MERCHANT_LIVE: '0',
      RATE_LIMIT_PER_MERCHANT_SANDBOX: '0',
      RATE_LIMIT_PER_ADDRESS: '0',
      RATE_LIMIT_CALLBACKS: '0',
      CONNECTIONS_PER_ADDRESS: '0',
      PROMPTS_PER_PHONE_HOUR: '0',
      PROMPTS_PER_PHONE_DAY: '0',
      MESSAGES_PER_RECIPIENT_DAY: '0',
      AUDIT_ANCHOR_FILE: 'off',
      VERIFY_EVERY_H: '0',
      LOG_LEVEL: 'debug',
      ...options.env,
    },
    PROVIDERS,
  )
  const metrics = createMetrics()
  const db = createDb({ url, max_connections: 6, metrics, ...(options.before ? { before: options.before } : {}) })
  return {
    config,
    random,
    clock: options.clock ?? settableClock(START),
    log: createLog(config.log_level, { write: (line) => void logged.push(line) }),
    logged,
    tracer: noTracer,
    metrics,
    db,
    vault: createVault(SECRET_KEY, random),
    point: options.point ?? noPoint,
    process_id: randomUUID(),
    clock_ahead_ms: () => 0,
    close: () => db.close(),
  }
}

/** A response of the app, with its parsed body. */
export type Reply = {
  status: number
  headers: Record<string, string | number | string[] | undefined>
  text: string
  /** The body as bytes, because an exported file may contain bytes that are not valid text. */
  bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any
}

/** Returns the status and the error code of a response. 'ok' means that the response is no error. */
export const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']

/** A complete server under test, with its app, its worker and its database. */
export type World = {
  deps: TestDeps
  system: System
  url: string
  /** A merchant, with one key per environment that has all scopes. */
  merchant: Merchant
  sandbox_key: string
  live_key: string
  newKey(options?: { merchant?: Merchant; environment?: Environment; scopes?: readonly string[] }): Promise<string>
  newMerchant(options?: { approved?: boolean }): Promise<Merchant>
  /**
   * Creates a person with these roles and returns a session token. At most one of the roles may be a role of operators.
   */
  newSession(
    roles: Role | { role: Role; merchant?: Merchant }[],
  ): Promise<{ token: string; user_id: string; email: string }>
  call(options: InjectOptions & { key?: string | null; idempotency_key?: string | null }): Promise<Reply>
  /** Sends a POST, by default with a fresh Idempotency-Key. */
  post(
    path: string,
    body: object,
    options?: { key?: string | null; idempotency_key?: string | null; headers?: Record<string, string> },
  ): Promise<Reply>
  get(path: string, key?: string): Promise<Reply>
  /** Runs all work that is due now, including callbacks, without moving the clock. */
  work(): Promise<void>
  /** Moves the clock by `ms` milliseconds, in steps, and runs the due work at each step. */
  pass(ms: number): Promise<void>
  /** Returns the rows of a query, for assertions about the database. */
  rows<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

const STEP_MS = 1_000
const ROUNDS_MAX = 200

/** Builds a world over a new database, or over the database at `url`. The test must close the world in `after`. */
export async function createWorld(
  options: {
    env?: Record<string, string>
    /** The clock of the world, for another part of the test that needs the same time. */
    clock?: SettableClock
    point?: Point
    before?: DbOptions['before']
    url?: string
    /** The keys of SECRET_KEY, of which the first encrypts. */
    secret_keys?: readonly Buffer[]
    compose?: ComposeOptions
  } = {},
): Promise<World> {
  const database = options.url === undefined ? await createTestDatabase() : null
  const url = options.url ?? (database as { url: string }).url
  const deps = testDeps(url, options)
  deps.vault = await openVault(deps, options.secret_keys ?? [SECRET_KEY])
  const system = await compose(deps, options.compose)
  await system.app.ready()
  const merchant = await createMerchant(deps, { name: 'Duka la Asha', approved: true })
  const all = Object.keys(SCOPES)
  const newKey: World['newKey'] = async ({ merchant: owner = merchant, environment = 'sandbox', scopes = all } = {}) =>
    (await createKey(deps, { merchant_id: owner.id, environment, scopes, name: 'Test' })).plaintext_key
  const sandbox_key = await newKey()
  const live_key = await newKey({ environment: 'live' })

  const newSession: World['newSession'] = async (roles) => {
    const memberships = typeof roles === 'string' ? [{ role: roles }] : roles
    const operator_role = memberships.map(({ role }) => role).find(isOperatorRole) ?? null
    // A long name without a hyphen, so that a page which cannot break it becomes too wide in every run.
    const email = `${randomUUID().replaceAll('-', '')}@example.com`
    const user = await inTransaction(deps.db, async (tx) => {
      const base = { email, email_verified: true, name: 'Asha', language: 'sw', identity: 'embedded' } as const
      const made = await createUser(deps, tx, { ...base, operator_role })
      for (const { role, merchant: of = merchant } of memberships as { role: Role; merchant?: Merchant }[]) {
        if (!isOperatorRole(role)) await setMember(deps, tx, of.id, made.id, role)
      }
      return made
    })
    const key = await issuerKey(deps, 'http://127.0.0.1/identity')
    return { token: await issueAccessToken(deps, key, user.id, ['pwd', 'otp']), user_id: user.id, email }
  }

  const call: World['call'] = async ({ key = sandbox_key, idempotency_key, headers, ...inject }) => {
    const reply = await system.app.inject({
      ...inject,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(idempotency_key == null ? {} : { 'idempotency-key': idempotency_key }),
        ...headers,
      },
    })
    const is_json = String(reply.headers['content-type'] ?? '').includes('json')
    return {
      status: reply.statusCode,
      headers: reply.headers,
      text: reply.body,
      bytes: reply.rawPayload,
      body: is_json ? JSON.parse(reply.body) : null,
    }
  }
  const workUntil = async (quiet_rounds: number): Promise<void> => {
    let quiet = 0
    for (let round = 0; round < ROUNDS_MAX && quiet < quiet_rounds; round++) {
      // The callback of a mock provider waits for the clock, and the clock does not move. This line lets the callback's timer
      // run.
      deps.clock.advance(0)
      await system.idle()
      let taken = 0
      for (const task of system.tasks) {
        taken += await task.runOnce()
        await task.idle()
      }
      await system.idle()
      quiet = taken === 0 ? quiet + 1 : 0
    }
  }
  const work: World['work'] = () => workUntil(2)
  return {
    deps,
    system,
    url,
    merchant,
    sandbox_key,
    live_key,
    newKey,
    newSession,
    newMerchant: ({ approved = true } = {}) => createMerchant(deps, { name: 'Duka la Juma', approved }),
    call,
    post: (path, body, { idempotency_key = randomUUID(), ...rest } = {}) =>
      call({ method: 'POST', url: path, payload: body, idempotency_key, ...rest }),
    get: (path, key) => call({ method: 'GET', url: path, ...(key === undefined ? {} : { key }) }),
    work,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        deps.clock.advance(Math.min(STEP_MS, left))
        // The next step repeats each task, so only the last step needs the second quiet round.
        await workUntil(left > STEP_MS ? 1 : 2)
      }
    },
    rows: (text, values) => deps.db.query({ name: '', text }, values),
    async close() {
      for (const task of system.tasks) await task.idle()
      await system.app.close()
      await system.close()
      await deps.close()
      await database?.drop()
    },
  }
}
