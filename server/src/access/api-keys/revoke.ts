// Revokes API keys. Every process refuses a revoked key from the next request on.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { isId, refuse, refuseField } from '../../kernel/lib/index.ts'
import type { RevokedKey, RevokeKeysOf } from '../merchants/index.ts'
import { lockNewKeys } from './create.ts'
import { type ApiKeyRecord, KEY_COLUMNS } from './present.ts'

const LOCK = sql(
  'api_key_lock',
  `select ${KEY_COLUMNS} from api_keys k where k.merchant_id = $1 and k.id = $2 for update of k`,
)

const REVOKE = sql('api_key_revoke', `update api_keys set revoked_at = $3 where merchant_id = $1 and id = $2`)

const REVOKE_ALL = sql(
  'reclaim_revoke',
  `update api_keys set revoked_at = $2 where merchant_id = $1 and revoked_at is null
   returning id, name, environment, key_prefix, key_last4`,
)

const OF_MAKER = sql(
  'api_keys_of_maker',
  `select id, name, environment, key_prefix, key_last4 from api_keys
   where merchant_id = $1 and created_by_id = $2 and revoked_at is null order by id for update`,
)
const REVOKE_SOME = sql(
  'api_keys_revoke_some',
  'update api_keys set revoked_at = $3 where merchant_id = $1 and id = any($2::uuid[])',
)

/**
 * Revokes the active keys that a user made for a merchant, except the keys in `keep`. If `keep` contains another id, refuses.
 */
export const revokeKeysOf: RevokeKeysOf = async (deps, tx, { merchant_id, user_id, keep }) => {
  const keys = await tx.query<RevokedKey>(OF_MAKER, [merchant_id, user_id])
  const kept = new Set(keep.map((id) => id.toLowerCase()))
  const unknown = [...kept].find((id) => !keys.some((key) => key.id === id))
  if (unknown !== undefined) {
    refuseField('keep_keys', `must name active API keys that the member made; "${unknown}" is no such key`)
  }
  const revoked = keys.filter(({ id }) => !kept.has(id))
  const ids = revoked.map(({ id }) => id)
  if (ids.length > 0) await tx.query(REVOKE_SOME, [merchant_id, ids, deps.clock.now()])
  return revoked
}

// The new key comes first, because earlier keys may have later times if a clock was ahead.
const REVOKE_OLDER = sql(
  'api_keys_revoke_older',
  `update api_keys set revoked_at = $5 where merchant_id = $1 and id in (
     select id from api_keys
     where merchant_id = $1 and environment = $2 and name = $3 and created_by_id is null and revoked_at is null
     order by id = $6 desc, created_at desc, id desc offset $4)
   returning id, name, environment, key_prefix, key_last4`,
)

/**
 * Revokes the active keys of the admin command with the name of a new key, except the newest `keep` keys. `keep` includes the
 * new key. Returns the revoked keys.
 */
export function revokeOlderKeys(
  tx: Tx,
  { merchant_id, id, environment, name }: Pick<ApiKeyRecord, 'merchant_id' | 'id' | 'environment' | 'name'>,
  { keep, now }: { keep: number; now: Date },
): Promise<RevokedKey[]> {
  return tx.query<RevokedKey>(REVOKE_OLDER, [merchant_id, environment, name, keep, now, id])
}

/**
 * Locks the merchant, then a key, until the transaction ends. A request of this key that waits for the merchant then reads the
 * revocation. If the merchant has no such key, refuses with not_found.
 */
export async function lockKey(tx: Tx, merchant_id: string, key_id: string): Promise<ApiKeyRecord> {
  await lockNewKeys(tx, merchant_id)
  const id = key_id.toLowerCase()
  const [record] = isId(id) ? await tx.query<ApiKeyRecord>(LOCK, [merchant_id, id]) : []
  return record ?? refuse('not_found', { message: 'There is no such API key. Check the id.' })
}

/** Revokes a locked key. If the key is already revoked, changes nothing. */
export async function revokeLocked(deps: Deps, tx: Tx, record: ApiKeyRecord): Promise<ApiKeyRecord> {
  if (record.revoked_at !== null) return record
  const revoked_at = deps.clock.now()
  await tx.query(REVOKE, [record.merchant_id, record.id, revoked_at])
  return { ...record, revoked_at }
}

/**
 * Revokes a key in its own transaction. A repeated call changes nothing. If the key is unknown, refuses with not_found.
 */
export function revokeKey(deps: Deps, merchant_id: string, key_id: string): Promise<ApiKeyRecord> {
  return inTransaction(deps.db, async (tx) => revokeLocked(deps, tx, await lockKey(tx, merchant_id, key_id)))
}

/** Revokes all active keys of a merchant in both environments. Returns the revoked keys. */
export function revokeAllKeys(tx: Tx, merchant_id: string, revoked_at: Date): Promise<RevokedKey[]> {
  return tx.query<RevokedKey>(REVOKE_ALL, [merchant_id, revoked_at])
}
