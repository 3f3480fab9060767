// A new key for a merchant.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { type Environment, SCOPES } from '../../kernel/http/index.ts'
import { newId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { findMerchant } from '../merchants/index.ts'
import { keyHash, keyPrefix, newPlaintextKey } from './format.ts'
import type { ApiKeyRecord } from './present.ts'

/** What a new key is to be. Left out: from any address, and without an end. */
export type NewKey = {
  merchant_id: string
  environment: Environment
  scopes: readonly string[]
  name: string
  ip_whitelist_enabled?: boolean | undefined
  continue_without_ip_whitelist?: boolean | undefined
  expires_at?: Date | null | undefined
}

/** A key that was just made: its record, and its plaintext for the only time. */
export type MadeKey = { record: ApiKeyRecord; plaintext_key: string }

const INSERT = sql(
  'api_key_insert',
  `insert into api_keys (merchant_id, id, name, environment, key_hash, key_prefix, key_last4, scopes,
     ip_whitelist_enabled, continue_without_ip_whitelist, expires_at, revoked_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, null, $12)`,
)

/** Makes a key in a transaction of its own; see `insertKey`. */
export function createKey(deps: Deps, input: NewKey): Promise<MadeKey> {
  return inTransaction(deps.db, (tx) => insertKey(deps, tx, input))
}

/**
 * Makes a key and gives its plaintext, the only time that it exists outside the caller's hands. Refuses an unknown or
 * missing scope, an IP choice that contradicts itself, an end that has passed, an unknown merchant, and a live key for a
 * merchant that is not approved, verified and priced (production_access_restricted).
 */
export async function insertKey(deps: Deps, tx: Tx, input: NewKey): Promise<MadeKey> {
  const scopes = checkedScopes(input.scopes)
  const ip_choice = ipChoice(input)
  const now = deps.clock.now()
  const expires_at = input.expires_at ?? null
  if (expires_at !== null && expires_at <= now) refuseField('expires_at', 'must be in the future')
  const merchant = await findMerchant(tx, input.merchant_id)
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
    scopes,
    ...ip_choice,
    expires_at,
    revoked_at: null,
    created_at: now,
    last_used_at: null,
  }
  await tx.query(INSERT, [
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

function checkedScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) refuseField('scopes', 'must name at least one scope')
  for (const scope of scopes) {
    if (!Object.hasOwn(SCOPES, scope))
      refuseField('scopes', `unknown scope ${scope}; known are ${Object.keys(SCOPES).join(', ')}`)
  }
  return [...new Set(scopes)]
}

/** From which addresses: each of the two flags is the opposite of the other, so one is enough. */
function ipChoice(input: NewKey): { ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean } {
  const { ip_whitelist_enabled, continue_without_ip_whitelist } = input
  if (ip_whitelist_enabled !== undefined && ip_whitelist_enabled === continue_without_ip_whitelist) {
    refuseField(
      'continue_without_ip_whitelist',
      `must not be ${continue_without_ip_whitelist} when ip_whitelist_enabled is: choose one of the two`,
    )
  }
  const restricted = ip_whitelist_enabled ?? !(continue_without_ip_whitelist ?? true)
  return { ip_whitelist_enabled: restricted, continue_without_ip_whitelist: !restricted }
}
