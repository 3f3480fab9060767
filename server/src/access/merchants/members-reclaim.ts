// Gives a merchant to the owner of an e-mail address. If a stranger signed up with the address, the stranger loses all access
// as soon as the owner resets the password.

import { deleteConfigs } from '../../adapters/webhooks/index.ts'
import { type Act, type AuditAction, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'

// Null in s.name means that the membership has no invitation, such as the membership that a sign-up makes.
const OWN = sql(
  'reclaim_own',
  'select s.merchant_id from members s where s.user_id = $1 and s.name is null order by s.merchant_id',
)
// With this lock, the transaction waits for running invitations and for requests that create a key.
const LOCK_MERCHANT = sql('reclaim_lock_merchant', 'select 1 from merchants where id = $1 for no key update')
// The order is the order of `members_lock`, so that this transaction and a change of a member do not deadlock.
const LOCK = sql(
  'reclaim_lock',
  `select s.id, s.user_id, u.email, coalesce(s.name, u.name) as name, s.role from members s join users u on u.id = s.user_id
   where s.merchant_id = $1 order by s.merchant_id, s.user_id for update of s`,
)
const REMOVE = sql('reclaim_remove', 'delete from members where merchant_id = $1 and user_id <> $2')
const PROMOTE = sql(
  'reclaim_promote',
  `update members set role = 'MERCHANT_ADMIN', updated_at = $3 where merchant_id = $1 and user_id = $2`,
)

type LockedMemberRow = { id: string; user_id: string; email: string; name: string; role: MerchantRole }

/** A revoked API key in the form for the audit log. */
export type RevokedKey = { id: string; name: string; environment: string; key_prefix: string; key_last4: string }

/** The function that revokes all active API keys of a merchant. The api-keys room implements it. */
export type RevokeAllKeys = (tx: Tx, merchant_id: string, revoked_at: Date) => Promise<RevokedKey[]>

/**
 * Runs after a password reset has proved the e-mail address of a user for the first time. In each merchant that the user joined
 * without an invitation, makes the user MERCHANT_ADMIN and removes other members, API keys and webhooks. Writes audit entries.
 */
export async function reclaimMerchants(
  deps: Deps,
  tx: Tx,
  act: Act,
  user_id: string,
  revokeAllKeys: RevokeAllKeys,
): Promise<void> {
  for (const { merchant_id } of await tx.query<{ merchant_id: string }>(OWN, [user_id])) {
    const audit = (action: AuditAction, target_id: string, change: { before?: object; after?: object }) =>
      recordAudit(deps, tx, {
        ...act,
        merchant_id,
        action,
        target_type: action.slice(0, action.indexOf('.')),
        target_id,
        reason: 'The user proved the e-mail address for the first time.',
        ...change,
      })
    await tx.query(LOCK_MERCHANT, [merchant_id])
    const members = await tx.query<LockedMemberRow>(LOCK, [merchant_id])
    const own = members.find((member) => member.user_id === user_id)
    if (!own) continue
    const now = deps.clock.now()
    if (own.role !== 'MERCHANT_ADMIN') {
      await tx.query(PROMOTE, [merchant_id, user_id, now])
      const { id, email, role } = own
      await audit('member.change_role', id, { before: { email, role }, after: { email, role: 'MERCHANT_ADMIN' } })
    }
    await tx.query(REMOVE, [merchant_id, user_id])
    for (const { id, user_id: other, email, name, role } of members) {
      if (other !== user_id) await audit('member.remove', id, { before: { email, name, role } })
    }
    for (const { id, ...key } of await revokeAllKeys(tx, merchant_id, now)) {
      await audit('api_key.revoke', id, {
        before: { ...key, status: 'active' },
        after: { ...key, status: 'revoked' },
      })
    }
    for (const { endpoint_id, ...before } of await deleteConfigs(tx, merchant_id)) {
      if (endpoint_id === 'default') await audit('webhook_config.delete', merchant_id, { before })
      else await audit('webhook_endpoint.delete', endpoint_id, { before })
    }
  }
}
