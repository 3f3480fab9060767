// Rotating a key: one transaction ends the old one and makes its replacement, so that there is never neither.

import type { Deps, Tx } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { insertKey, type MadeKey } from './create.ts'
import type { ApiKeyRecord } from './present.ts'
import { lockKey, revokeLocked } from './revoke.ts'

/**
 * Revokes a key and makes one with the same name, environment, scopes, IP choice and end. Of two rotations at once the
 * second waits for the first and is refused. Refuses an unknown key (not_found), one that is revoked or has expired
 * (invalid_state), and a live key of a merchant that may hold none any more (production_access_restricted).
 */
export async function rotateKey(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  key_id: string,
): Promise<MadeKey & { old: ApiKeyRecord }> {
  const old = await lockKey(tx, merchant_id, key_id)
  if (old.revoked_at !== null) {
    refuse('invalid_state', { message: 'This key is revoked, so there is nothing to rotate. Create a new key.' })
  }
  if (old.expires_at !== null && old.expires_at <= deps.clock.now()) {
    refuse('invalid_state', { message: 'This key has expired, so there is nothing to rotate. Create a new key.' })
  }
  const made = await insertKey(deps, tx, old)
  await revokeLocked(deps, tx, old)
  return { ...made, old }
}
