// Revoking a key: it stops working on the very next request, on every process.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import { type ApiKeyRecord, KEY_COLUMNS } from './present.ts'

const LOCK = sql(
  'api_key_lock',
  `select ${KEY_COLUMNS} from api_keys k where k.merchant_id = $1 and k.id = $2 for update of k`,
)

const REVOKE = sql('api_key_revoke', `update api_keys set revoked_at = $3 where merchant_id = $1 and id = $2`)

/** A merchant's key, locked until the transaction ends. Refuses an unknown one, and another merchant's, with not_found. */
export async function lockKey(tx: Tx, merchant_id: string, key_id: string): Promise<ApiKeyRecord> {
  const id = key_id.toLowerCase()
  const [record] = isId(id) ? await tx.query<ApiKeyRecord>(LOCK, [merchant_id, id]) : []
  return record ?? refuse('not_found', { message: 'There is no such API key.' })
}

/** Revokes a locked key; one that is revoked already stays as it is. */
export async function revokeLocked(deps: Deps, tx: Tx, record: ApiKeyRecord): Promise<ApiKeyRecord> {
  if (record.revoked_at !== null) return record
  const revoked_at = deps.clock.now()
  await tx.query(REVOKE, [record.merchant_id, record.id, revoked_at])
  return { ...record, revoked_at }
}

/** Revokes a key in a transaction of its own; doing it twice changes nothing. Refuses an unknown key with not_found. */
export function revokeKey(deps: Deps, merchant_id: string, key_id: string): Promise<ApiKeyRecord> {
  return inTransaction(deps.db, async (tx) => revokeLocked(deps, tx, await lockKey(tx, merchant_id, key_id)))
}
