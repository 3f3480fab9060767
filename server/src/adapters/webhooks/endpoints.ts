// Reads the URL and the signing keys of an endpoint before each attempt, so that a change applies to the next attempt.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { DEFAULT_ENDPOINT_ID, type DeliveryTarget } from './enqueue.ts'
import { type WebhookSigningKey, webhookSigningKey } from './sign.ts'

/**
 * The URL and the signing keys of an endpoint. `previous` is the key before a rotation, which also signs for 24 hours. Null
 * means that no previous key signs.
 */
export type Endpoint = { webhook_url: string; key: WebhookSigningKey; previous: WebhookSigningKey | null }

/**
 * The reason why the server cannot send. `not_configured`: the merchant may configure the default endpoint before the next
 * attempt. `endpoint_deleted`: no retry can succeed. `secret_unreadable`: the server cannot decrypt the secret.
 */
export type NoEndpoint = 'not_configured' | 'endpoint_deleted' | 'secret_unreadable'

type EndpointRow = DeliveryTarget & {
  webhook_url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
}

const FIND = sql(
  'webhook_endpoints',
  `select merchant_id, environment, id as endpoint_id, webhook_url, secret, previous_secret, previous_secret_until
   from webhook_configs where merchant_id = any($1::uuid[])`,
)

const SET_MAX = 500
const KEYS_MAX = 10_000

/** Returns the key of an endpoint in the Maps of the lanes and of the look-up. */
export function targetKey({ merchant_id, environment, endpoint_id }: DeliveryTarget): string {
  return `${merchant_id} ${environment} ${endpoint_id}`
}

/**
 * Makes the function that reads an endpoint. Concurrent calls share one query. The function caches keys but no rows.
 */
export function createEndpoints(deps: Deps): (target: DeliveryTarget) => Promise<Endpoint | NoEndpoint> {
  const openKey = createKeyCache(deps)
  const endpointOf = (row: EndpointRow, now: Date): Endpoint | NoEndpoint => {
    const overlaps =
      row.previous_secret !== null && row.previous_secret_until !== null && row.previous_secret_until > now
    try {
      const key = openKey(row.secret)
      return { webhook_url: row.webhook_url, key, previous: overlaps ? previousOf(row) : null }
    } catch (error) {
      deps.log.error(
        { component: 'webhooks', err: error, merchant_id: row.merchant_id },
        'the server cannot decrypt a webhook secret: check that SECRET_KEY has not changed',
      )
      return 'secret_unreadable'
    }
  }
  /**
   * Returns the key of the previous secret. Null means that the server cannot decrypt the secret, so only the new secret signs.
   */
  const previousOf = ({ previous_secret, merchant_id }: EndpointRow): WebhookSigningKey | null => {
    try {
      return previous_secret === null ? null : openKey(previous_secret)
    } catch {
      deps.log.warn(
        { component: 'webhooks', merchant_id },
        'the server cannot decrypt the previous webhook secret, so deliveries have no signature of that secret: check that SECRET_KEY has not changed',
      )
      return null
    }
  }
  return gather<DeliveryTarget, Endpoint | NoEndpoint>(
    async (targets) => {
      const rows = await deps.db.query<EndpointRow>(FIND, [[...new Set(targets.map((target) => target.merchant_id))]])
      const now = deps.clock.now()
      const found = new Map(rows.map((row) => [targetKey(row), row]))
      return targets.map((target) => {
        const row = found.get(targetKey(target))
        if (row !== undefined) return endpointOf(row, now)
        return target.endpoint_id === DEFAULT_ENDPOINT_ID ? 'not_configured' : 'endpoint_deleted'
      })
    },
    { max_items: SET_MAX, max_running: 2 },
  )
}

/**
 * Makes the function that decrypts a key and caches the key by its encrypted text. A cached key is always valid, because a new
 * secret has another encrypted text.
 */
function createKeyCache(deps: Deps): (sealed: string) => WebhookSigningKey {
  const keys = new Map<string, WebhookSigningKey>()
  return (sealed) => {
    const found = keys.get(sealed)
    if (found) return found
    const key = webhookSigningKey(deps.vault.open(sealed))
    if (keys.size >= KEYS_MAX) keys.clear()
    keys.set(sealed, key)
    return key
  }
}
