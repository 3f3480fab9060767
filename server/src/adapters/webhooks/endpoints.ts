// Reads the URL and the signing keys when the server sends a delivery, so that a change applies to the next attempt.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { subscriptionKey } from './enqueue.ts'
import { type WebhookSigningKey, webhookSigningKey } from './sign.ts'

/** The URL and the signing keys of a merchant in an environment. For 24 hours after a rotation, `previous` signs too. */
export type Endpoint = { webhook_url: string; key: WebhookSigningKey; previous: WebhookSigningKey | null }

/** The reason why the server cannot send to a merchant's endpoint. */
export type NoEndpoint = 'not_configured' | 'secret_unreadable'

/** The merchant and environment of an endpoint. */
type EndpointOwner = { merchant_id: string; environment: string }

type EndpointRow = EndpointOwner & {
  webhook_url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
}

const FIND = sql(
  'webhook_endpoints',
  `select merchant_id, environment, webhook_url, secret, previous_secret, previous_secret_until from webhook_configs
   where merchant_id = any($1::uuid[])`,
)

const SET_MAX = 500
const KEYS_MAX = 10_000

/** Makes the look-up of an endpoint. Concurrent calls share one query, and the look-up caches no row. */
export function createEndpoints(deps: Deps): (owner: EndpointOwner) => Promise<Endpoint | NoEndpoint> {
  const openKey = createKeyCache(deps)
  const endpointOf = (row: EndpointRow, now: Date): Endpoint | NoEndpoint => {
    const overlaps =
      row.previous_secret !== null && row.previous_secret_until !== null && row.previous_secret_until > now
    try {
      const key = openKey(row.secret)
      return { webhook_url: row.webhook_url, key, previous: overlaps ? previousOf(row) : null }
    } catch (error) {
      deps.log.error(
        { err: error, merchant_id: row.merchant_id },
        'the server cannot decrypt a webhook secret: check that SECRET_KEY has not changed',
      )
      return 'secret_unreadable'
    }
  }
  /**
   * Returns the previous key. If the server cannot decrypt the previous secret, returns null, so that only the new secret
   * signs.
   */
  const previousOf = ({ previous_secret, merchant_id }: EndpointRow): WebhookSigningKey | null => {
    try {
      return previous_secret === null ? null : openKey(previous_secret)
    } catch {
      deps.log.warn(
        { merchant_id },
        'the server cannot decrypt the previous webhook secret, so deliveries have no signature of that secret',
      )
      return null
    }
  }
  return gather<EndpointOwner, Endpoint | NoEndpoint>(
    async (owners) => {
      const rows = await deps.db.query<EndpointRow>(FIND, [[...new Set(owners.map((owner) => owner.merchant_id))]])
      const now = deps.clock.now()
      const endpoints = new Map(rows.map((row) => [subscriptionKey(row), endpointOf(row, now)]))
      return owners.map((owner) => endpoints.get(subscriptionKey(owner)) ?? 'not_configured')
    },
    { max_items: SET_MAX, max_running: 2 },
  )
}

/** Caches the decrypted keys by ciphertext. An entry never gets stale, because a new secret has a new ciphertext. */
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
