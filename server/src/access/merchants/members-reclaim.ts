// Taking a merchant back. Whoever signs up with an address that is not theirs makes a merchant which belongs to the owner
// of the address as soon as that one proves it: nothing that gives a stranger a way in may be left in it.

import { type Act, type AuditAction, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'

// s.name is null where nobody invited: this person signed up with the merchant.
const OWN = sql(
  'reclaim_own',
  'select s.merchant_id from members s where s.user_id = $1 and s.name is null order by s.merchant_id',
)
// All members in the order in which every change of members locks them.
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
const REVOKE = sql(
  'reclaim_revoke',
  `update api_keys set revoked_at = $2 where merchant_id = $1 and revoked_at is null
   returning id, name, environment, key_prefix, key_last4`,
)
const CLEAR_WEBHOOK = sql(
  'reclaim_clear_webhook',
  'delete from webhook_configs where merchant_id = $1 returning webhook_url, events, secret_last4',
)

type Member = { id: string; user_id: string; email: string; name: string; role: MerchantRole }
type Key = { id: string; name: string; environment: string; key_prefix: string; key_last4: string }

/**
 * For somebody who has just proven their address for the first time by a link of their own: in every merchant that was
 * made by signing up with it they become the only member, a MERCHANT_ADMIN; all API keys are revoked and the webhook
 * configuration is deleted. Merchants that they were invited to stay as they are. Each change has its audit entry.
 */
export async function reclaimMerchants(deps: Deps, tx: Tx, act: Act, user_id: string): Promise<void> {
  for (const { merchant_id } of await tx.query<{ merchant_id: string }>(OWN, [user_id])) {
    const note = (action: AuditAction, target_id: string, change: { before?: object; after?: object }) =>
      recordAudit(deps, tx, {
        ...act,
        merchant_id,
        action,
        target_type: action.slice(0, action.indexOf('.')),
        target_id,
        reason: 'The address was proven for the first time.',
        ...change,
      })
    const members = await tx.query<Member>(LOCK, [merchant_id])
    const own = members.find((member) => member.user_id === user_id)
    if (!own) continue
    const now = deps.clock.now()
    if (own.role !== 'MERCHANT_ADMIN') {
      await tx.query(PROMOTE, [merchant_id, user_id, now])
      const { id, email, role } = own
      await note('member.change_role', id, { before: { email, role }, after: { email, role: 'MERCHANT_ADMIN' } })
    }
    await tx.query(REMOVE, [merchant_id, user_id])
    for (const { id, user_id: other, email, name, role } of members) {
      if (other !== user_id) await note('member.remove', id, { before: { email, name, role } })
    }
    for (const { id, ...key } of await tx.query<Key>(REVOKE, [merchant_id, now])) {
      await note('api_key.revoke', id, {
        before: { ...key, status: 'active' },
        after: { ...key, status: 'revoked' },
      })
    }
    for (const config of await tx.query<object>(CLEAR_WEBHOOK, [merchant_id])) {
      await note('webhook_config.delete', merchant_id, { before: config })
    }
  }
}
