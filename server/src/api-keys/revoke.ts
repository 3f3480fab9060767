// Revoking a key: it stops working on the very next request, on every process.

import { type Deps, oneStatement, sql } from '../db/index.ts'
import { refuse } from '../lib/index.ts'
import type { ApiKeyRecord } from './create.ts'

const REVOKE = sql(
  'api_key_revoke',
  `update api_keys set revoked_at = coalesce(revoked_at, $3)
   where merchant_id = $1 and id = $2
   returning id, merchant_id, name, environment, key_prefix, key_last4, scopes, ip_whitelist_enabled,
     continue_without_ip_whitelist, expires_at, revoked_at, created_at`,
)

/** Revokes a key; doing it twice changes nothing. Refuses an unknown key with not_found. */
export async function revokeKey(deps: Deps, merchant_id: string, key_id: string): Promise<ApiKeyRecord> {
  const [record] = await oneStatement(deps.db).query<ApiKeyRecord>(REVOKE, [merchant_id, key_id, deps.clock.now()])
  return record ?? refuse('not_found', { message: 'There is no such API key.' })
}
