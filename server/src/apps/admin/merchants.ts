// Defines the commands for merchants and keys. The commands write the same audit entries as the API, with the command as the
// actor.

import {
  insertKey,
  lockKey,
  type NewKey,
  presentKey,
  revokeLocked,
  revokeOlderKeys,
} from '../../access/api-keys/index.ts'
import { addMerchant, type NewMerchant } from '../../access/merchants/index.ts'
import { recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction } from '../../kernel/db/index.ts'
import { COMMAND_ACT } from './act.ts'

/** Creates a merchant. If `approved` is true, the merchant is active, verified and has the default price list. */
export function makeMerchant(deps: Deps, input: NewMerchant) {
  return inTransaction(deps.db, async (tx) => {
    const { id, merchant_code } = await addMerchant(deps, tx, COMMAND_ACT, input)
    return { merchant_id: id, merchant_code }
  })
}

/**
 * Creates a key and returns the plaintext, which the server does not store. Refuses the same input as `insertKey`. `limit` is
 * the highest number of active keys of the merchant in the environment. 0 means no limit.
 */
export function makeKey(deps: Deps, input: NewKey, limit: number) {
  return inTransaction(deps.db, async (tx) => {
    const { record, plaintext_key } = await insertKey(deps, tx, input, limit)
    const after = presentKey(record)
    const target = { target_type: 'api_key', target_id: record.id }
    await recordAudit(deps, tx, {
      ...COMMAND_ACT,
      ...target,
      merchant_id: record.merchant_id,
      action: 'api_key.create',
      after,
    })
    return { ...after, plaintext_key }
  })
}

/**
 * Creates a key and revokes older keys of the command with the same name. The newest `keep` keys stay active, so that a
 * terminal with an earlier key continues to work.
 */
export function replaceKey(deps: Deps, input: NewKey, keep: number) {
  return inTransaction(deps.db, async (tx) => {
    const { record, plaintext_key } = await insertKey(deps, tx, input, 0)
    const { merchant_id } = record
    const of_key = (id: string) => ({ ...COMMAND_ACT, merchant_id, target_type: 'api_key', target_id: id }) as const
    await recordAudit(deps, tx, { ...of_key(record.id), action: 'api_key.create', after: presentKey(record) })
    for (const revoked of await revokeOlderKeys(tx, record, { keep, now: deps.clock.now() }))
      await recordAudit(deps, tx, { ...of_key(revoked.id), action: 'api_key.revoke', after: revoked })
    return plaintext_key
  })
}

/** Revokes a key. If the key is already revoked, changes nothing. If the key does not exist, refuses with not_found. */
export function stopKey(deps: Deps, merchant_id: string, key_id: string) {
  return inTransaction(deps.db, async (tx) => {
    const before = await lockKey(tx, merchant_id, key_id)
    const after = presentKey(await revokeLocked(deps, tx, before))
    if (before.revoked_at === null) {
      const target = { target_type: 'api_key', target_id: before.id }
      const change = { before: presentKey(before), after }
      await recordAudit(deps, tx, { ...COMMAND_ACT, ...target, ...change, merchant_id, action: 'api_key.revoke' })
    }
    return after
  })
}
