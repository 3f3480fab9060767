// Where an attempt goes and what signs it, read at sending time: a changed URL or secret counts from the next attempt on.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { type SigningKey, signingKey } from './sign.ts'

/** Where a merchant's events go now. `previous` signs too while a rotation overlaps. */
export type Endpoint = { webhook_url: string; key: SigningKey; previous: SigningKey | null }

/** Why a merchant has no usable endpoint. */
export type NoEndpoint = 'not_configured' | 'secret_unreadable'

type Row = {
  merchant_id: string
  webhook_url: string
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null
}

const FIND = sql(
  'webhook_endpoints',
  `select merchant_id, webhook_url, secret, previous_secret, previous_secret_until from webhook_configs
   where merchant_id = any($1::uuid[])`,
)

const SET_MAX = 500
const KEYS_MAX = 10_000

/** Makes the look-up of a merchant's endpoint: one statement for all that ask while another runs, and no cache of rows. */
export function createEndpoints(deps: Deps): (merchant_id: string) => Promise<Endpoint | NoEndpoint> {
  const open = keyring(deps)
  const endpointOf = (row: Row, now: Date): Endpoint | NoEndpoint => {
    const overlaps =
      row.previous_secret !== null && row.previous_secret_until !== null && row.previous_secret_until > now
    try {
      const key = open(row.secret)
      return { webhook_url: row.webhook_url, key, previous: overlaps ? previousOf(row) : null }
    } catch (error) {
      deps.log.error(
        { err: error, merchant_id: row.merchant_id },
        'webhook secret cannot be decrypted: is SECRET_KEY the same?',
      )
      return 'secret_unreadable'
    }
  }
  /** Who rotates because the secret cannot be read any more must not go on failing for the sake of the old one. */
  const previousOf = ({ previous_secret, merchant_id }: Row): SigningKey | null => {
    try {
      return previous_secret === null ? null : open(previous_secret)
    } catch {
      deps.log.warn({ merchant_id }, 'the previous webhook secret cannot be decrypted and does not sign any more')
      return null
    }
  }
  return gather<string, Endpoint | NoEndpoint>(
    async (merchant_ids) => {
      const rows = await deps.db.query<Row>(FIND, [[...new Set(merchant_ids)]])
      const now = deps.clock.now()
      const endpoints = new Map(rows.map((row) => [row.merchant_id, endpointOf(row, now)]))
      return merchant_ids.map((merchant_id) => endpoints.get(merchant_id) ?? 'not_configured')
    },
    { max_items: SET_MAX, max_running: 2 },
  )
}

/** Remembers the keys behind a ciphertext. Safe for ever: another secret is another ciphertext. */
function keyring(deps: Deps): (sealed: string) => SigningKey {
  const known = new Map<string, SigningKey>()
  return (sealed) => {
    const found = known.get(sealed)
    if (found) return found
    const key = signingKey(deps.vault.open(sealed))
    if (known.size >= KEYS_MAX) known.clear()
    known.set(sealed, key)
    return key
  }
}
