// Defines the stored fields of a key, and converts them to the form of the API.

import type { Environment } from '../../kernel/http/index.ts'

/**
 * The stored fields of a key. `last_used_at` differs from the last use by about a minute at most. Null means that the server
 * has recorded no use.
 */
export type ApiKeyRecord = {
  id: string
  merchant_id: string
  name: string
  environment: Environment
  key_prefix: string
  key_last4: string
  scopes: string[]
  ip_whitelist_enabled: boolean
  continue_without_ip_whitelist: boolean
  expires_at: Date | null
  revoked_at: Date | null
  created_at: Date
  last_used_at: Date | null
}

/** The columns of an ApiKeyRecord. In the statement, k is the alias of api_keys. */
export const KEY_COLUMNS = `k.id, k.merchant_id, k.name, k.environment, k.key_prefix, k.key_last4, k.scopes,
     k.ip_whitelist_enabled, k.continue_without_ip_whitelist, k.expires_at, k.revoked_at, k.created_at,
     (select u.last_used_at from api_key_usage u where u.merchant_id = k.merchant_id and u.key_id = k.id) as last_used_at`

/** Converts a key to the form of the API, without plaintext and hash. */
export function presentKey(record: ApiKeyRecord) {
  const { expires_at, revoked_at, created_at, last_used_at, ...rest } = record
  return {
    ...rest,
    status: revoked_at === null ? ('active' as const) : ('revoked' as const),
    last_used_at: last_used_at?.toISOString() ?? null,
    expires_at: expires_at?.toISOString() ?? null,
    revoked_at: revoked_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}
