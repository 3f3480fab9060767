// Manages the default webhook endpoint of each environment of a merchant: URL, events and signing secret. endpoint-config.ts
// manages the other endpoints.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { checkDestination, type Environment, type Lookup } from '../../kernel/http/index.ts'
import { assertInvariant, newId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { DEFAULT_ENDPOINT_ID, type Delivery, enqueueEvents } from './enqueue.ts'
import { DEFAULT_EVENTS, EVENTS, eventNamed } from './events.ts'
import { type ConfigInput, type ConfigView, endpointName } from './schema.ts'
import { secretText } from './sign.ts'

/**
 * The time in milliseconds for which the previous secret still signs after a rotation. Only the newest two secrets sign. So to
 * disable a leaked secret immediately, a merchant rotates twice.
 */
const OVERLAP_MS = 24 * 3_600_000
const SECRET_BYTES = 32

/** A change with a checked URL and the canonical names of the events. */
export type ConfigChange = { webhook_url?: string; events?: string[]; rotate_secret: boolean }

type ConfigRow = {
  environment: Environment
  webhook_url: string
  events: string[]
  secret: string
  secret_last4: string
}

/** The merchant of a webhook configuration. */
export type WebhookOwner = { id: string; routing_code: number; code: string }

/** The stored configuration of one environment, without the secret. */
export type StoredConfig = ConfigView & { environment: Environment }

const FIND = sql(
  'webhook_config_find',
  `select environment, webhook_url, events, secret, secret_last4 from webhook_configs
   where merchant_id = $1 and environment = any($2::text[]) and id = $3 order by environment`,
)

// Before the first save, there is no row to lock. So changes of a merchant's endpoints take an advisory lock, with a number
// that no other code uses.
const LOCK = sql('webhook_config_lock', 'select pg_advisory_xact_lock(hashtextextended($1, 7165243380915630))')

const INSERT = sql(
  'webhook_config_insert',
  `insert into webhook_configs (merchant_id, environment, webhook_url, events, secret, secret_last4, created_at, updated_at)
   select $1, x.environment, $3, $4, x.sealed, x.last4, $5, $5
   from json_to_recordset($2::json) as x(environment text, sealed text, last4 text)`,
)

const UPDATE = sql(
  'webhook_config_update',
  `update webhook_configs set webhook_url = coalesce($3, webhook_url), events = coalesce($4, events), updated_at = $5
   where merchant_id = $1 and environment = any($2::text[]) and id = $6`,
)

const ROTATE = sql(
  'webhook_config_rotate',
  `update webhook_configs
   set previous_secret = secret, previous_secret_until = $5, secret = $3, secret_last4 = $4, updated_at = $6
   where merchant_id = $1 and environment = any($2::text[]) and id = $7`,
)

const DELETE = sql(
  'reclaim_clear_webhook',
  `delete from webhook_configs where merchant_id = $1
   returning id as endpoint_id, environment, webhook_url, events, secret_last4`,
)

/**
 * Waits for concurrent changes, then deletes the endpoints of both environments and returns them without the secrets. For a
 * default endpoint, `endpoint_id` is `default`.
 */
export async function deleteConfigs(tx: Tx, merchant_id: string): Promise<(StoredConfig & { endpoint_id: string })[]> {
  await lockEndpoints(tx, merchant_id)
  const rows = await tx.query<StoredConfig & { endpoint_id: string }>(DELETE, [merchant_id])
  return rows.map((row) => ({ ...row, endpoint_id: endpointName(row.endpoint_id) }))
}

/** Locks the endpoints of a merchant until the transaction ends, so that concurrent changes wait. */
export async function lockEndpoints(tx: Tx, merchant_id: string): Promise<void> {
  await tx.query(LOCK, [merchant_id])
}

/**
 * Reads the configuration of the first environment that has one, in alphabetical order (live first). If no environment has one,
 * refuses with not_found.
 */
export async function getConfig(
  reader: Reader,
  merchant_id: string,
  environments: readonly Environment[],
): Promise<ConfigView> {
  const [row] = await reader.query<ConfigRow>(FIND, [merchant_id, environments, DEFAULT_ENDPOINT_ID])
  return row ? presentConfig(row) : refuseUnconfigured()
}

/**
 * Checks a change. If the address is forbidden, or the events are unknown or empty, refuses with 400. The function must not run
 * in a transaction, because the host look-up uses the network.
 */
export async function checkConfig(deps: Deps, input: ConfigInput, lookup?: Lookup): Promise<ConfigChange> {
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

/** A saved change with the new secret. */
export type SavedConfig = {
  /** The configuration in the answer: the first of the saved environments, live before sandbox. */
  shown: ConfigView
  /** The new secret in plain text. Null means that the change made no secret. */
  secret: string | null
  /**
   * The configuration of each environment before and after the change. Null as `before` means that the environment had none.
   */
  changes: { before: StoredConfig | null; after: StoredConfig }[]
}

/**
 * Saves a checked change in each of `environments`. If an environment has no configuration, only a change with a webhook_url
 * creates one. If no environment has a configuration and webhook_url is missing, refuses with 400.
 */
export async function saveConfig(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environments: readonly Environment[],
  change: ConfigChange,
): Promise<SavedConfig> {
  await lockEndpoints(tx, merchant_id)
  const stored = [merchant_id, environments, DEFAULT_ENDPOINT_ID]
  const before = await tx.query<ConfigRow>(FIND, stored)
  const missing = environments.filter((environment) => before.every((row) => row.environment !== environment))
  const { webhook_url, rotate_secret } = change
  if (before.length === 0 && webhook_url === undefined) refuseField('webhook_url', 'is required the first time')
  // If a change of both environments finds only the live configuration, the new sandbox configuration gets the live secret. Any
  // other new configuration gets a new secret, because a sandbox key may have made the sandbox secret.
  const [template] = before.filter(({ environment }) => environment === 'live')
  const needs_secret = rotate_secret || (webhook_url !== undefined && missing.length > 0 && template === undefined)
  const made = needs_secret ? newSecret(deps) : null
  const now = deps.clock.now()
  const saved = before.map(({ environment }) => environment)
  const values = [webhook_url ?? null, change.events ?? null, now, DEFAULT_ENDPOINT_ID]
  await tx.query(UPDATE, [merchant_id, saved, ...values])
  if (rotate_secret && made !== null) await storeSecret(tx, merchant_id, saved, DEFAULT_ENDPOINT_ID, made, now)
  if (webhook_url !== undefined && missing.length > 0) {
    const { sealed, last4 } = made ?? { sealed: template?.secret, last4: template?.secret_last4 }
    const events = change.events ?? before[0]?.events ?? [...DEFAULT_EVENTS]
    const rows = missing.map((environment) => ({ environment, sealed, last4 }))
    await tx.query(INSERT, [merchant_id, JSON.stringify(rows), webhook_url, events, now])
  }
  const rows = await tx.query<ConfigRow>(FIND, stored)
  const changes = rows.map((row) => {
    const old = before.find(({ environment }) => environment === row.environment)
    return { before: old === undefined ? null : presentStored(old), after: presentStored(row) }
  })
  const [shown] = rows
  assertInvariant(shown !== undefined, 'a saved webhook configuration exists')
  return { shown: presentConfig(shown), secret: made?.secret ?? null, changes }
}

/**
 * Replaces the secret of an endpoint in each of `environments`. The previous secret also signs for 24 hours after `now`.
 */
export async function storeSecret(
  tx: Tx,
  merchant_id: string,
  environments: readonly Environment[],
  endpoint_id: string,
  made: NewSecret,
  now: Date,
): Promise<void> {
  const overlap_end = new Date(now.getTime() + OVERLAP_MS)
  await tx.query(ROTATE, [merchant_id, environments, made.sealed, made.last4, overlap_end, now, endpoint_id])
}

/**
 * Queues a test delivery of collection.success with sample values and `test: true`, even if the endpoint does not receive this
 * event. If the endpoint does not exist, refuses with not_found.
 */
export async function queueTest(
  deps: Deps,
  tx: Tx,
  owner: WebhookOwner,
  environment: Environment,
  endpoint_id: string = DEFAULT_ENDPOINT_ID,
): Promise<Delivery> {
  const [row] = await tx.query<ConfigRow>(FIND, [owner.id, [environment], endpoint_id])
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
    metadata: {},
    test: true,
  }
  const { id: merchant_id, routing_code } = owner
  const source = { source_type: 'test', source_id, source_seq: 0 } as const
  const name = 'collection.success' as const
  const event = { merchant_id, routing_code, environment, event: name, endpoint_ids: [endpoint_id], ...source, body }
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

/** A new signing secret: its plain text, its encrypted text, and its last four characters. */
export type NewSecret = { secret: string; sealed: string; last4: string }

/** Makes a random signing secret of 32 bytes. */
export function newSecret(deps: Deps): NewSecret {
  const secret = secretText(deps.random.bytes(SECRET_BYTES))
  return { secret, sealed: deps.vault.seal(secret), last4: secret.slice(-4) }
}

function presentConfig(row: { webhook_url: string; events: string[]; secret_last4: string }): ConfigView {
  return { webhook_url: row.webhook_url, events: row.events, secret_last4: row.secret_last4 }
}

function presentStored(row: ConfigRow): StoredConfig {
  return { environment: row.environment, ...presentConfig(row) }
}

function refuseUnconfigured(): never {
  refuse('not_found', {
    message: 'This environment has no webhook address yet. PATCH /v1/merchant/webhook-config with a webhook_url first.',
  })
}
