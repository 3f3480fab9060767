// Makes the environment of servers under test: a database, merchants with live keys, a provider and a webhook receiver. These
// parts run in the test process and continue when servers die.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKey } from '../../src/access/api-keys/index.ts'
import { createMerchant, type Merchant } from '../../src/access/merchants/index.ts'
import { type MockServer, startMockServer } from '../../src/adapters/providers/mock/server-app.ts'
import { createDb, type Db } from '../../src/kernel/db/index.ts'
import { SCOPES } from '../../src/kernel/http/index.ts'
import { settableClock } from '../../src/kernel/lib/index.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { freePort } from '../free-port.ts'
import { type TestDeps, testDeps } from '../harness.ts'
import { serverEnv } from './processes.ts'

const MOCK_SECRET = 'crash-test-secret'

/** A merchant that accepts payments, with a live key. */
export type Shop = { merchant: Merchant; key: string; key_id: string }

/** A webhook request as it arrived, and its response: a status, 'cut' for a closed connection, 'hang' for no response. */
export type Arrival = { path: string; id: string; body: string; at: number; answer: number | 'cut' | 'hang' }

/** The receiver of all shops' webhooks. Each shop has a separate path. */
export type Hooks = {
  url: string
  arrivals: Arrival[]
  /** Chooses the response to a request to `path`. */
  answer: (path: string) => Arrival['answer']
  close(): Promise<void>
}

/** The parts that surround the servers under test. */
export type Rig = {
  url: string
  db: Db
  deps: TestDeps
  port: number
  provider: MockServer
  hooks: Hooks
  shops: Shop[]
  /** Returns the settings of a server. By default, the server listens on `port`; `more` adds or replaces settings. */
  env(more?: Record<string, string>): Record<string, string>
  /** Configures the webhooks of all shops at a running server, with the addresses of the receiver. */
  configureWebhooks(server_url: string): Promise<void>
  close(): Promise<void>
}

/** Returns a generator of random numbers from 0 up to, but without, 1. The same seed gives the same numbers. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Builds a rig over the given migrated database, or over a new database. The test must close the rig in `after`. */
export async function createRig(options: { shops: number; delay_ms: number; database?: TestDatabase }): Promise<Rig> {
  const database = options.database ?? (await createTestDatabase())
  const port = await freePort()
  const provider = await startMockServer({
    port: 0,
    host: '127.0.0.1',
    profile: { success_default: 'always', seed: 'crash', delay_ms: options.delay_ms },
    secret: MOCK_SECRET,
    callback_url: `http://127.0.0.1:${port}/callbacks/mock`,
  })
  const hooks = await startHooks()
  const deps = testDeps(database.url, { clock: settableClock(new Date()) })
  const shops: Shop[] = []
  for (let i = 0; i < options.shops; i++) shops.push(await openShop(deps, `Duka ${i + 1}`))
  const db = createDb({ url: database.url, max_connections: 2, application_name: 'crash-test', reporting: true })
  return {
    url: database.url,
    db,
    deps,
    port,
    provider,
    hooks,
    shops,
    env: (more) =>
      serverEnv(database.url, {
        PROCESS: 'all',
        PORT: String(port),
        MOCK_URL: provider.url,
        MOCK_SECRET,
        ...more,
      }),
    async configureWebhooks(server_url) {
      for (const { key, merchant } of shops) {
        const answer = await fetch(`${server_url}/v1/merchant/webhook-config`, {
          method: 'PATCH',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ webhook_url: `${hooks.url}/${merchant.id}` }),
        })
        if (answer.status !== 200) throw new Error(`the server did not configure the webhooks: ${await answer.text()}`)
      }
    },
    async close() {
      await Promise.all([provider.close(), hooks.close(), db.close(), deps.close()])
      await database.drop()
    },
  }
}

/** Creates a merchant with a live key that has all scopes. */
export async function openShop(deps: TestDeps, name: string): Promise<Shop> {
  const merchant = await createMerchant(deps, { name, approved: true })
  const made = await createKey(deps, {
    merchant_id: merchant.id,
    environment: 'live',
    scopes: Object.keys(SCOPES),
    name: 'Crash test',
  })
  return { merchant, key: made.plaintext_key, key_id: made.record.id }
}

/** Starts a receiver of webhooks on a free port. By default the receiver accepts every webhook. */
export async function startHooks(): Promise<Hooks> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const answer = hooks.answer(path)
      const id = String(request.headers['webhook-id'])
      hooks.arrivals.push({ path, id, body: Buffer.concat(chunks).toString('utf8'), at: Date.now(), answer })
      if (answer === 'cut') response.destroy()
      else if (answer !== 'hang') response.writeHead(answer).end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hooks: Hooks = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: [],
    answer: () => 200,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return hooks
}
