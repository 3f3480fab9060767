// Gives a merchant to the owner of an e-mail address. If a stranger signed up with the address, the stranger loses all access
// as soon as the owner resets the password.

import { deleteConfigs } from '../../adapters/webhooks/index.ts'
import { type Act, type AuditAction, recordAudits } from '../../books/audit/index.ts'
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

/** A change of a merchant for the audit log. */
export type ReclaimChange = {
  merchant_id: string
  action: AuditAction
  target_id: string
  before?: object
  after?: object
}

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
  const changes: ReclaimChange[] = []
  for (const { merchant_id } of await tx.query<{ merchant_id: string }>(OWN, [user_id])) {
    changes.push(...(await reclaimMerchant(deps, tx, merchant_id, user_id, revokeAllKeys)))
  }
  // The audit chains are the last locks. A change of a key or an endpoint holds its row while it waits for the chain.
  await recordAudits(deps, tx, auditEntries(act, changes, 'The user proved the e-mail address for the first time.'))
}

/** Returns the audit entries of the changes of one actor with one reason. */
export function auditEntries(act: Act, changes: readonly ReclaimChange[], reason: string) {
  return changes.map((change) => ({
    ...act,
    ...change,
    target_type: change.action.slice(0, change.action.indexOf('.')),
    reason,
  }))
}

async function reclaimMerchant(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  user_id: string,
  revokeAllKeys: RevokeAllKeys,
): Promise<ReclaimChange[]> {
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const members = await tx.query<LockedMemberRow>(LOCK, [merchant_id])
  const own = members.find((member) => member.user_id === user_id)
  if (!own) return []
  const changes: ReclaimChange[] = []
  const now = deps.clock.now()
  if (own.role !== 'MERCHANT_ADMIN') {
    await tx.query(PROMOTE, [merchant_id, user_id, now])
    const { id: target_id, email, role } = own
    const after = { email, role: 'MERCHANT_ADMIN' }
    changes.push({ merchant_id, action: 'member.change_role', target_id, before: { email, role }, after })
  }
  await tx.query(REMOVE, [merchant_id, user_id])
  for (const { id: target_id, user_id: other, email, name, role } of members) {
    if (other !== user_id)
      changes.push({ merchant_id, action: 'member.remove', target_id, before: { email, name, role } })
  }
  changes.push(...(await closeAccess(deps, tx, merchant_id, revokeAllKeys)))
  return changes
}

/**
 * Revokes the API keys and deletes the webhook endpoints of a merchant. Returns the changes, which the caller writes into the
 * audit log.
 */
export async function closeAccess(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  revokeAllKeys: RevokeAllKeys,
): Promise<ReclaimChange[]> {
  const changes: ReclaimChange[] = []
  for (const { id: target_id, ...key } of await revokeAllKeys(tx, merchant_id, deps.clock.now())) {
    const [before, after] = [
      { ...key, status: 'active' },
      { ...key, status: 'revoked' },
    ]
    changes.push({ merchant_id, action: 'api_key.revoke', target_id, before, after })
  }
  for (const { endpoint_id, ...before } of await deleteConfigs(tx, merchant_id)) {
    if (endpoint_id === 'default')
      changes.push({ merchant_id, action: 'webhook_config.delete', target_id: merchant_id, before })
    else changes.push({ merchant_id, action: 'webhook_endpoint.delete', target_id: endpoint_id, before })
  }
  return changes
}
