// Finds the demo merchant, and closes and archives the merchants with a demo history.

import { type Act, recordAudits } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { moveMerchant } from './decide.ts'
import { findMerchant, type Merchant } from './find.ts'
import { auditEntries, closeAccess, type ReclaimChange, type RevokeAllKeys } from './members-reclaim.ts'

/** The e-mail address of the demo merchant, by which the server finds it. */
export const DEMO_EMAIL = 'demo@malipo.example'
/** The e-mail address of each merchant with a demo history. The demo command finds these merchants by this address. */
export const HISTORY_EMAIL = 'history@malipo.example'

const FIND_DEMO = sql('demo_find', 'select id from merchants where email = $1 order by created_at limit 1')
const LOCK = sql('demo_lock_merchant', 'select 1 from merchants where id = $1 for no key update')
const ARCHIVE = sql('demo_archive', 'update merchants set archived_at = $2 where id = $1 and archived_at is null')
const REMOVE_MEMBERS = sql(
  'demo_remove_members',
  `delete from members s using users u where s.merchant_id = $1 and u.id = s.user_id
   returning s.id, u.email, coalesce(s.name, u.name) as name, s.role`,
)

/** Returns the demo merchant. Null means that this installation has none. */
export async function findDemoMerchant(reader: Reader): Promise<Merchant | null> {
  const [found] = await reader.query<{ id: string }>(FIND_DEMO, [DEMO_EMAIL])
  return found ? findMerchant(reader, found.id) : null
}

/**
 * Suspends a demo merchant, and removes its members, API keys and webhook endpoints. Its pages then take no payment. The audit
 * log contains each change. A repeated call changes nothing.
 */
export async function closeDemoMerchant(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, reason, revokeAllKeys }: { merchant_id: string; reason: string; revokeAllKeys: RevokeAllKeys },
): Promise<void> {
  await tx.query(LOCK, [merchant_id])
  const members = await tx.query<{ id: string; email: string; name: string; role: string }>(REMOVE_MEMBERS, [
    merchant_id,
  ])
  const removed = members.map(
    ({ id: target_id, ...before }): ReclaimChange => ({ merchant_id, action: 'member.remove', target_id, before }),
  )
  const changes = [...removed, ...(await closeAccess(deps, tx, merchant_id, revokeAllKeys))]
  const merchant = await findMerchant(tx, merchant_id)
  if (merchant?.status === 'ACTIVE') await moveMerchant(deps, tx, act, { merchant_id, move: 'suspend', reason })
  await recordAudits(deps, tx, auditEntries(act, changes, reason))
}

/** Archives a closed demo merchant: lists of all merchants then leave it out. */
export async function archiveDemoMerchant(deps: Deps, tx: Tx, merchant_id: string): Promise<void> {
  await tx.query(ARCHIVE, [merchant_id, deps.clock.now()])
}
