// Rotates a key: one transaction revokes the old key and creates the new key.

import type { Deps, Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { type CreatedKey, insertKey } from './create.ts'
import type { ApiKeyRecord } from './present.ts'
import { lockKey, revokeLocked } from './revoke.ts'

/**
 * Revokes a key and creates a key with the same name, environment, scopes, IP flags and expiry. Refuses an unknown key (not_found)
 * and a revoked or expired key (invalid_state). If the merchant has lost live access, refuses a live key. `rotated_by_id` is the
 * user who makes the new key.
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
    refuse('invalid_state', { message: 'This key is revoked, so there is nothing to rotate. Create a new key.' })
  }
  if (old.expires_at !== null && old.expires_at <= deps.clock.now()) {
    refuse('invalid_state', { message: 'This key has expired, so there is nothing to rotate. Create a new key.' })
  }
  // A rotation never changes the number of active keys, so that it needs no limit.
  const created = await insertKey(deps, tx, { ...old, created_by_id: rotated_by_id }, 0)
  await revokeLocked(deps, tx, old)
  return { ...created, old }
}
