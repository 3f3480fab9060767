// Rotates API keys: one transaction revokes the old key and creates the new key.

import type { Deps, Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { type CreatedKey, insertKey } from './create.ts'
import type { ApiKeyRecord } from './present.ts'
import { lockKey, revokeLocked } from './revoke.ts'

/**
 * Revokes a key and creates a key with the same name, environment, scopes, IP flags and expiry. `rotated_by_id` is the id of
 * the rotating user. Errors: not_found for an unknown key, invalid_state for a revoked or expired key, and a refusal of a live
 * key without live access.
 */
export async function rotateKey(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  key_id: string,
  rotated_by_id: string | null,
): Promise<CreatedKey & { old: ApiKeyRecord }> {
  const old = await lockKey(tx, merchant_id, key_id)
  if (old.revoked_at !== null) {
    refuse('invalid_state', { message: 'This key is revoked, so the server cannot rotate the key. Create a new key.' })
  }
  if (old.expires_at !== null && old.expires_at <= deps.clock.now()) {
    refuse('invalid_state', { message: 'This key has expired, so the server cannot rotate the key. Create a new key.' })
  }
  // A rotation does not change the number of active keys, so it needs no limit.
  const created = await insertKey(deps, tx, { ...old, created_by_id: rotated_by_id }, 0)
  await revokeLocked(deps, tx, old)
  return { ...created, old }
}
