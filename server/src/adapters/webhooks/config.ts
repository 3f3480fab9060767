// Manages the webhook configuration of a merchant: URL, events and signing secret.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { checkDestination, type Environment, type Lookup } from '../../kernel/http/index.ts'
import { newId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { type Delivery, enqueueEvents } from './enqueue.ts'
import { DEFAULT_EVENTS, EVENTS, eventNamed } from './events.ts'
import type { ConfigInput, ConfigView } from './schema.ts'
import { secretText } from './sign.ts'

/**
 * The time for which the previous secret still signs after a rotation. Only the newest two secrets sign, so a second
 * rotation within this time ends the oldest secret at once. A merchant removes a leaked secret by rotating twice.
 */
const OVERLAP_MS = 24 * 3_600_000
const SECRET_BYTES = 32

type ConfigRow = { webhook_url: string; events: string[]; secret: string; secret_last4: string }

/** The merchant that owns the configuration. */
export type WebhookOwner = { id: string; routing_code: number; code: string }

const FIND = sql(
  'webhook_config_find',
  'select webhook_url, events, secret, secret_last4 from webhook_configs where merchant_id = $1',
)

const LOCK = sql(
  'webhook_config_lock',
  'select webhook_url, events, secret, secret_last4 from webhook_configs where merchant_id = $1 for update',
)

const INSERT = sql(
  'webhook_config_insert',
  `insert into webhook_configs (merchant_id, webhook_url, events, secret, secret_last4, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $6)
   on conflict (merchant_id) do nothing
   returning merchant_id`,
)

const UPDATE = sql(
  'webhook_config_update',
  'update webhook_configs set webhook_url = $2, events = $3, updated_at = $4 where merchant_id = $1',
)

const ROTATE = sql(
  'webhook_config_rotate',
  `update webhook_configs
   set previous_secret = secret, previous_secret_until = $4, secret = $2, secret_last4 = $3, updated_at = $5
   where merchant_id = $1`,
)

const DELETE = sql(
  'reclaim_clear_webhook',
  'delete from webhook_configs where merchant_id = $1 returning webhook_url, events, secret_last4',
)

/**
 * Deletes the configuration and returns its old fields without the secret. If the merchant has no configuration, returns
 * null.
 */
export async function deleteConfig(tx: Tx, merchant_id: string): Promise<object | null> {
  const [config] = await tx.query<object>(DELETE, [merchant_id])
  return config ?? null
}

/** Reads the configuration without the secret. Before the first save, refuses with not_found. */
export async function getConfig(reader: Reader, merchant_id: string): Promise<ConfigView> {
  const [row] = await reader.query<ConfigRow>(FIND, [merchant_id])
  return row ? presentConfig(row) : refuseUnconfigured()
}

/**
 * Locks the configuration until the transaction ends, and returns the configuration. Before the first save, returns null.
 */
export async function lockConfig(tx: Tx, merchant_id: string): Promise<ConfigView | null> {
  const [row] = await tx.query<ConfigRow>(LOCK, [merchant_id])
  return row ? presentConfig(row) : null
}

/**
 * Checks a change outside of a transaction, because the host look-up uses the network. Refuses a forbidden address, an
 * unknown event and an empty list of events with 400. Returns the canonical names of the events.
 */
export async function checkConfig(
  deps: Deps,
  input: ConfigInput,
  lookup?: Lookup,
): Promise<{ webhook_url?: string; events?: string[]; rotate_secret: boolean }> {
  const events = input.events === undefined ? undefined : canonicalEvents(input.events)
  if (input.webhook_url !== undefined) {
    const problem = await checkDestination(input.webhook_url, {
      allow_private: deps.config.webhook_allow_private === true,
      https_only: deps.config.node_env === 'production',
      lookup,
    })
    if (problem !== null) refuseField('webhook_url', problem)
  }
  return {
    ...(input.webhook_url === undefined ? {} : { webhook_url: input.webhook_url }),
    ...(events === undefined ? {} : { events }),
    rotate_secret: input.rotate_secret ?? false,
  }
}

/**
 * Saves a checked change. If this call made a secret (at the first save or by `rotate_secret`), the result contains the
 * secret. If a first save has no webhook_url, refuses with 400.
 */
export async function saveConfig(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  change: { webhook_url?: string; events?: string[]; rotate_secret: boolean },
): Promise<ConfigView> {
  const now = deps.clock.now()
  let [row] = await tx.query<ConfigRow>(LOCK, [merchant_id])
  if (!row) {
    if (change.webhook_url === undefined) refuseField('webhook_url', 'is required the first time')
    const inserted = await insertFirst(deps, tx, merchant_id, change.webhook_url, change.events ?? [...DEFAULT_EVENTS])
    if (inserted !== null) return inserted
    // If a concurrent request saved the first configuration, this request changes that configuration.
    const [concurrent] = await tx.query<ConfigRow>(LOCK, [merchant_id])
    if (!concurrent) throw new Error('the webhook configuration disappeared while the server saved a change')
    row = concurrent
  }
  const changed = { ...row, webhook_url: change.webhook_url ?? row.webhook_url, events: change.events ?? row.events }
  await tx.query(UPDATE, [merchant_id, changed.webhook_url, changed.events, now])
  if (!change.rotate_secret) return presentConfig(changed)
  const { secret, sealed, last4 } = newSecret(deps)
  await tx.query(ROTATE, [merchant_id, sealed, last4, new Date(now.getTime() + OVERLAP_MS), now])
  return { ...presentConfig({ ...changed, secret_last4: last4 }), secret }
}

/** Inserts the first configuration with its secret. If a concurrent request has inserted a configuration, returns null. */
async function insertFirst(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  webhook_url: string,
  events: string[],
): Promise<ConfigView | null> {
  const { secret, sealed, last4 } = newSecret(deps)
  const inserted = await tx.query(INSERT, [merchant_id, webhook_url, events, sealed, last4, deps.clock.now()])
  return inserted.length === 0 ? null : { ...presentConfig({ webhook_url, events, secret_last4: last4 }), secret }
}

/**
 * Queues a test delivery of collection.success with sample values and `test: true`, whatever events the merchant chose. If
 * the merchant has no configuration, refuses with not_found.
 */
export async function queueTest(deps: Deps, tx: Tx, owner: WebhookOwner, environment: Environment): Promise<Delivery> {
  const [row] = await tx.query<ConfigRow>(FIND, [owner.id])
  if (!row) refuseUnconfigured()
  const source_id = newId(deps, owner.routing_code)
  const at = deps.clock.now()
  const body = {
    event: 'collection.success',
    merchant_code: owner.code,
    collection_id: source_id,
    reference: 'TEST-ORDER-1',
    merchant_reference: 'TEST-ORDER-1',
    amount: '1000.00',
    currency: 'TZS',
    status: 'successful',
    method: 'wallet_push',
    completed_at: at,
    timestamp: at,
    test: true,
  }
  const { id: merchant_id, routing_code } = owner
  const source = { source_type: 'test', source_id, source_seq: 0 } as const
  const event = { merchant_id, routing_code, environment, event: 'collection.success', ...source, body } as const
  const [delivery] = await enqueueEvents(deps, tx, [event], () => false)
  if (!delivery) throw new Error('the server did not queue the test delivery')
  return delivery
}

function canonicalEvents(names: readonly string[]): string[] {
  if (names.length === 0) refuseField('events', 'must name at least one event')
  const chosen = new Set<string>()
  for (const name of names) {
    const event = eventNamed(name)
    if (event === null) refuseField('events', `"${name}" is not an event; name any of ${EVENTS.join(', ')}`)
    chosen.add(event)
  }
  return EVENTS.filter((event) => chosen.has(event))
}

function newSecret(deps: Deps): { secret: string; sealed: string; last4: string } {
  const secret = secretText(deps.random.bytes(SECRET_BYTES))
  return { secret, sealed: deps.vault.seal(secret), last4: secret.slice(-4) }
}

function presentConfig(row: { webhook_url: string; events: string[]; secret_last4: string }): ConfigView {
  return { webhook_url: row.webhook_url, events: row.events, secret_last4: row.secret_last4 }
}

function refuseUnconfigured(): never {
  refuse('not_found', {
    message: 'No webhook is configured yet. PATCH /v1/merchant/webhook-config with a webhook_url first.',
  })
}
