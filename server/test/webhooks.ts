// Helpers for tests of webhooks: a separate database, a clock that the test sets, and merchants with receivers.

import { randomUUID } from 'node:crypto'
import { createMerchant, type Merchant } from '../src/access/merchants/index.ts'
import { PROVIDERS } from '../src/adapters/providers/registry.ts'
import { checkConfig, saveConfig } from '../src/adapters/webhooks/config.ts'
import { createDeliverer, type Deliverer } from '../src/adapters/webhooks/deliver.ts'
import { DEFAULT_ENDPOINT_ID, type Delivery, enqueueEvents } from '../src/adapters/webhooks/enqueue.ts'
import type { EventName } from '../src/adapters/webhooks/events.ts'
import { createDb, type Db, type Deps, inTransaction, sql } from '../src/kernel/db/index.ts'
import { createOutgoing, ENVIRONMENTS, type Environment } from '../src/kernel/http/index.ts'
import {
  createLog,
  createVault,
  noPoint,
  noTracer,
  readConfig,
  type SettableClock,
  seededRandom,
  settableClock,
  systemRandom,
} from '../src/kernel/lib/index.ts'
import { createMetrics } from '../src/kernel/lib/metrics-registry.ts'
import { createTestDatabase } from './database.ts'

/** One process of the platform, with a merchant and the merchant's webhook receivers. */
export type Bench = Awaited<ReturnType<typeof startBench>>

/**
 * Starts one process of the platform on a fresh database. The process sends webhooks to private addresses, with a timeout of
 * 400 ms.
 */
export async function startBench(env: Record<string, string> = {}) {
  const database = await createTestDatabase()
  const clock = settableClock(new Date())
  const first = startProcess(database.url, clock, env)
  const processes = [first]
  return {
    ...first,
    clock,
    /** Starts another process on the same database. */
    anotherProcess() {
      const process = startProcess(database.url, clock, env)
      processes.push(process)
      return process
    },
    async close() {
      for (const { deps, outgoing } of processes) {
        await outgoing.close()
        await deps.db.close()
      }
      await database.drop()
    },
  }
}

function startProcess(url: string, clock: SettableClock, env: Record<string, string>) {
  const config = readConfig(
    { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_TIMEOUT_MS: '400', LOG_LEVEL: 'silent', ...env },
    PROVIDERS,
  )
  const random = systemRandom()
  const deps: Deps = {
    config,
    clock,
    clock_ahead_ms: () => 0,
    random,
    db: createDb({ url, max_connections: 6 }),
    log: createLog('silent'),
    tracer: noTracer,
    vault: createVault(Buffer.alloc(32, 1), seededRandom(randomUUID())),
    point: noPoint,
    process_id: randomUUID(),
    metrics: createMetrics(),
  }
  const outgoing = createOutgoing({ allow_private: true })
  return { deps, outgoing, deliverer: createDeliverer(deps, outgoing) }
}

/** Makes a merchant with the webhook URL `url`. Returns the merchant and the signing secret. */
export async function merchantWith(deps: Deps, url: string): Promise<Merchant & { secret: string }> {
  const merchant = await createMerchant(deps, { name: 'Duka', approved: true })
  return { ...merchant, secret: (await configure(deps, merchant, { webhook_url: url })) ?? '' }
}

/** Changes a merchant's webhook configuration in both environments. If the server made a new secret, returns the secret. */
export async function configure(
  deps: Deps,
  merchant: Merchant,
  input: { webhook_url?: string; events?: string[]; rotate_secret?: boolean },
): Promise<string | undefined> {
  const change = await checkConfig(deps, input)
  const { secret } = await inTransaction(deps.db, (tx) => saveConfig(deps, tx, merchant.id, ENVIRONMENTS, change))
  return secret ?? undefined
}

/** Queues `count` events of a merchant, either without a lease or under a lease of this process. */
export function queue(
  deps: Deps,
  merchant: Merchant,
  options: {
    count?: number
    leased?: boolean
    event?: EventName
    environment?: Environment
    endpoint_id?: string
  } = {},
): Promise<Delivery[]> {
  const { count = 1, leased = false, event = 'collection.success', environment = 'sandbox' } = options
  const { endpoint_id = DEFAULT_ENDPOINT_ID } = options
  const events = Array.from({ length: count }, () => {
    const source_id = randomUUID()
    return {
      merchant_id: merchant.id,
      routing_code: merchant.routing_code,
      environment,
      event,
      endpoint_ids: [endpoint_id],
      source_type: 'collection' as const,
      source_id,
      source_seq: 1,
      body: { event, collection_id: source_id, amount: '1000.00', sandbox: true },
    }
  })
  return inTransaction(deps.db, (tx) => enqueueEvents(deps, tx, events, () => leased))
}

/**
 * Claims and sends the due deliveries, and waits until the worker has recorded the results. Returns the number of claimed
 * deliveries.
 */
export async function deliverDue(deliverer: Deliverer): Promise<number> {
  const claimed = await deliverer.task.runOnce()
  await deliverer.task.idle()
  return claimed
}

const END_DELIVERIES = sql(
  'test_end_deliveries',
  `update webhook_deliveries set status = 'failed', due_at = null, lease_owner = null where status = 'pending'`,
)

/** Ends the waiting deliveries of earlier tests. Otherwise, their retries could arrive at the receiver of a later test. */
export async function endDeliveries(db: Db): Promise<void> {
  await db.query(END_DELIVERIES)
}
