// A new key for a merchant.

import { type Deps, oneStatement, sql } from '../db/index.ts'
import { type Environment, SCOPES } from '../http/index.ts'
import { newId, refuse, refuseField } from '../lib/index.ts'
import { findMerchant } from '../merchants/index.ts'
import { keyHash, keyPrefix, newPlaintextKey } from './format.ts'

/** A key as it is stored. */
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
}

const INSERT = sql(
  'api_key_insert',
  `insert into api_keys (merchant_id, id, name, environment, key_hash, key_prefix, key_last4, scopes,
     ip_whitelist_enabled, continue_without_ip_whitelist, expires_at, revoked_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, null, $12)`,
)

/**
 * Makes a key and gives its plaintext, the only time that it exists outside the caller's hands. Refuses an unknown or
 * missing scope, an unknown merchant, and a live key for a merchant that is not approved, verified and priced
 * (production_access_restricted).
 */
export async function createKey(
  deps: Deps,
  input: { merchant_id: string; environment: Environment; scopes: readonly string[]; name: string; expires_at?: Date },
): Promise<{ record: ApiKeyRecord; plaintext_key: string }> {
  if (input.scopes.length === 0) refuseField('scopes', 'must name at least one scope')
  for (const scope of input.scopes) {
    if (!Object.hasOwn(SCOPES, scope))
      refuseField('scopes', `unknown scope ${scope}; known are ${Object.keys(SCOPES).join(', ')}`)
  }
  const merchant = await findMerchant(deps.db, input.merchant_id)
  if (!merchant) refuse('not_found', { message: 'There is no merchant with this id.' })
  const approved = merchant.status === 'ACTIVE' && merchant.verified && merchant.priced
  if (input.environment === 'live' && !approved) refuse('production_access_restricted')

  const plaintext_key = newPlaintextKey(deps.config, deps.random, input.environment)
  const record: ApiKeyRecord = {
    id: newId(deps, merchant.routing_code),
    merchant_id: merchant.id,
    name: input.name,
    environment: input.environment,
    key_prefix: keyPrefix(plaintext_key),
    key_last4: plaintext_key.slice(-4),
    scopes: [...new Set(input.scopes)],
    ip_whitelist_enabled: false,
    continue_without_ip_whitelist: true,
    expires_at: input.expires_at ?? null,
    revoked_at: null,
    created_at: deps.clock.now(),
  }
  await oneStatement(deps.db).query(INSERT, [
    record.merchant_id,
    record.id,
    record.name,
    record.environment,
    keyHash(plaintext_key),
    record.key_prefix,
    record.key_last4,
    record.scopes,
    record.ip_whitelist_enabled,
    record.continue_without_ip_whitelist,
    record.expires_at,
    record.created_at,
  ])
  return { record, plaintext_key }
}

/** A key as the API shows it. `last_used_at`: to the minute, null when it never was. */
export function presentKey(record: ApiKeyRecord, last_used_at: Date | null) {
  return {
    id: record.id,
    merchant_id: record.merchant_id,
    name: record.name,
    environment: record.environment,
    key_prefix: record.key_prefix,
    key_last4: record.key_last4,
    scopes: record.scopes,
    ip_whitelist_enabled: record.ip_whitelist_enabled,
    continue_without_ip_whitelist: record.continue_without_ip_whitelist,
    status: record.revoked_at === null ? 'active' : 'revoked',
    last_used_at: last_used_at?.toISOString() ?? null,
    expires_at: record.expires_at?.toISOString() ?? null,
    revoked_at: record.revoked_at?.toISOString() ?? null,
    created_at: record.created_at.toISOString(),
  }
}
