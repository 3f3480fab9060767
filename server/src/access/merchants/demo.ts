// Finds the demo merchant, and archives the merchants with a demo history.

import type { Act } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { moveMerchant } from './decide.ts'
import { findMerchant, type Merchant } from './find.ts'

/** The e-mail address of the demo merchant, by which the server finds it. */
export const DEMO_EMAIL = 'demo@malipo.example'
/** The e-mail address of each merchant with a demo history. The demo command finds these merchants by this address. */
export const HISTORY_EMAIL = 'history@malipo.example'

const FIND_DEMO = sql('demo_find', 'select id from merchants where email = $1 order by created_at limit 1')
const REMOVE_MEMBERS = sql('demo_remove_members', 'delete from members where merchant_id = $1')

/** Returns the demo merchant. Null means that this installation has none. */
export async function findDemoMerchant(reader: Reader): Promise<Merchant | null> {
  const [found] = await reader.query<{ id: string }>(FIND_DEMO, [DEMO_EMAIL])
  return found ? findMerchant(reader, found.id) : null
}

/**
 * Suspends a demo merchant and removes its members, so that no user can open the merchant in the dashboard. The audit log
 * contains the suspension.
 */
export async function archiveDemoMerchant(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, reason }: { merchant_id: string; reason: string },
): Promise<void> {
  await moveMerchant(deps, tx, act, { merchant_id, move: 'suspend', reason })
  await tx.query(REMOVE_MEMBERS, [merchant_id])
}
