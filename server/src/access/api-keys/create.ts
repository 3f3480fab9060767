// Creates API keys within the limit of a merchant.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { type Environment, SCOPES } from '../../kernel/http/index.ts'
import { newId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { findMerchant } from '../merchants/index.ts'
import { keyHash, keyPrefix, newPlaintextKey } from './format.ts'
import type { ApiKeyRecord } from './present.ts'

/** The input for a new key. Without restrictions, a key works from any address and never expires. */
export type NewKey = {
  merchant_id: string
  environment: Environment
  scopes: readonly string[]
  name: string
  ip_whitelist_enabled?: boolean | undefined
  continue_without_ip_whitelist?: boolean | undefined
  expires_at?: Date | null | undefined
  /** The id of the user who makes the key. Null means that the admin command makes it. */
  created_by_id?: string | null | undefined
}

/** A new key with its plaintext, which the server shows only once. */
export type CreatedKey = { record: ApiKeyRecord; plaintext_key: string }

const INSERT = sql(
  'api_key_insert',
  `insert into api_keys (merchant_id, id, name, environment, key_hash, key_prefix, key_last4, scopes,
     ip_whitelist_enabled, continue_without_ip_whitelist, expires_at, revoked_at, created_at, created_by_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, null, $12, $13)`,
)

// With this lock, concurrent requests that create a key of the same merchant wait for each other, so that the limit holds. The
// removal of a member takes the lock too, so that it finds each key that an earlier transaction created.
const LOCK = sql('api_keys_limit_lock', 'select 1 from merchants where id = $1 for no key update')
const COUNT_ACTIVE = sql(
  'api_keys_count_active',
  `select count(*)::int as total from api_keys
   where merchant_id = $1 and environment = $2 and revoked_at is null and (expires_at is null or expires_at > $3)`,
)

/**
 * Locks the merchant until the transaction ends, so that no other transaction creates or revokes a key of the merchant. The removal of
 * a member takes its locks in the same order, the merchant before the keys.
 */
export async function lockNewKeys(tx: Tx, merchant_id: string): Promise<void> {
  await tx.query(LOCK, [merchant_id])
}

/** Creates a key in its own transaction, within the limit KEYS_PER_MERCHANT. See `insertKey`. */
export function createKey(deps: Deps, input: NewKey): Promise<CreatedKey> {
  return inTransaction(deps.db, (tx) => insertKey(deps, tx, input, deps.config.keys_per_merchant))
}

/**
 * Creates a key with its plaintext, which the database does not store. Refuses wrong scopes, contradicting IP flags, an expiry
 * in the past, an unknown merchant, and a live key without live access. If the merchant has `limit` or more active keys in the
 * environment, refuses with key_limit_reached. 0 as `limit` means no limit.
 */
export async function insertKey(deps: Deps, tx: Tx, input: NewKey, limit: number): Promise<CreatedKey> {
  const scopes = checkedScopes(input.scopes)
  const ip_flags = ipFlags(input)
  const now = deps.clock.now()
  const expires_at = input.expires_at ?? null
  if (expires_at !== null && expires_at <= now) refuseField('expires_at', 'must be in the future')
  const merchant = await findMerchant(tx, input.merchant_id)
  if (!merchant) refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
  const approved = merchant.status === 'ACTIVE' && merchant.verified && merchant.priced
  if (input.environment === 'live' && !approved) refuse('production_access_restricted')
  await lockNewKeys(tx, merchant.id)
  if (limit > 0) await checkKeyLimit(tx, input, limit, now)

  const plaintext_key = newPlaintextKey(deps.config, deps.random, input.environment)
  const record: ApiKeyRecord = {
    id: newId(deps, merchant.routing_code),
    merchant_id: merchant.id,
    name: input.name,
    environment: input.environment,
    key_prefix: keyPrefix(plaintext_key),
    key_last4: plaintext_key.slice(-4),
    scopes,
    ...ip_flags,
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
    input.created_by_id ?? null,
  ])
  return { record, plaintext_key }
}

/**
 * Counts the active keys of a locked merchant in the environment. Revoked and expired keys do not count, because the server
 * refuses them. If the merchant has `limit` or more active keys, refuses with key_limit_reached.
 */
async function checkKeyLimit(tx: Tx, { merchant_id, environment }: NewKey, limit: number, now: Date): Promise<void> {
  const [counted] = await tx.query<{ total: number }>(COUNT_ACTIVE, [merchant_id, environment, now])
  const active = counted?.total ?? 0
  if (active < limit) return
  refuse('key_limit_reached', {
    message: `This merchant has ${active} active ${environment} keys, and the limit is ${limit}. Revoke a key that no server uses, then create the key again.`,
    details: { environment, active, limit },
  })
}

function checkedScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) refuseField('scopes', 'must name at least one scope')
  for (const scope of scopes) {
    if (!Object.hasOwn(SCOPES, scope))
      refuseField('scopes', `has the unknown scope ${scope}; the known scopes are ${Object.keys(SCOPES).join(', ')}`)
  }
  return [...new Set(scopes)]
}

/**
 * Returns the two flags about IP addresses. Each flag is the opposite of the other, so a request needs only one of them. If a
 * request has both with the same value, refuses the field.
 */
function ipFlags(input: NewKey): { ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean } {
  const { ip_whitelist_enabled, continue_without_ip_whitelist } = input
  if (ip_whitelist_enabled !== undefined && ip_whitelist_enabled === continue_without_ip_whitelist) {
    refuseField(
      'continue_without_ip_whitelist',
      `must not be ${continue_without_ip_whitelist} like ip_whitelist_enabled: send only one of the two fields`,
    )
  }
  const restricted = ip_whitelist_enabled ?? !(continue_without_ip_whitelist ?? true)
  return { ip_whitelist_enabled: restricted, continue_without_ip_whitelist: !restricted }
}
