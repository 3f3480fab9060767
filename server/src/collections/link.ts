// The page that a payment is paid on, as far as money is concerned: it is locked with the payment, and paid once.
//
// Who locks collections and links locks the collections first, then the links, each by merchant and id.

import { inputRows, sql, type Tx } from '../db/index.ts'
import type { Changing } from './change.ts'

/** Where a page stands, as it is stored: EXPIRED is only read. */
export type LinkStatus = 'ACTIVE' | 'PAID' | 'CANCELLED'

/** A page under lock. */
export type LockedLink = {
  merchant_id: string
  id: string
  status: LinkStatus
  paid_collection_id: string | null
}

const LOCK = sql(
  'links_lock',
  `select l.* from (
     select distinct * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) i
   cross join lateral (
     select merchant_id, id, status, paid_collection_id from payment_links
     where merchant_id = i.merchant_id and id = i.id for update
   ) l`,
)

/** Locks the pages of these collections, after the collections. Answers them by id; no page among them: no statement. */
export async function lockLinks(tx: Tx, rows: readonly Changing[]): Promise<Map<string, LockedLink>> {
  const keys = new Map<string, { merchant_id: string; id: string }>()
  for (const { merchant_id, payment_link_id: id } of rows) if (id !== null) keys.set(id, { merchant_id, id })
  if (keys.size === 0) return new Map()
  const links = await tx.query<LockedLink>(LOCK, [JSON.stringify([...keys.values()])])
  return new Map(links.map((link) => [link.id, link]))
}

/** True when the page takes no more money: another payment paid it, or its merchant cancelled it. */
export function isSuperseded(link: LockedLink | undefined, collection_id: string): boolean {
  if (link === undefined) return false
  return link.status === 'CANCELLED' || (link.status === 'PAID' && link.paid_collection_id !== collection_id)
}

const PAY = sql(
  'links_pay',
  `update payment_links l set status = 'PAID', paid_collection_id = i.collection_id, paid_at = $2, updated_at = $2
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid, collection_id uuid')} i
   where l.merchant_id = i.merchant_id and l.id = i.id and l.status = 'ACTIVE'`,
)

/** A page that a payment has just paid. */
export type PaidLink = { merchant_id: string; id: string; collection_id: string }

/** Marks pages as paid, each by the first payment that did so. None of them: no statement. */
export async function payLinks(tx: Tx, paid: readonly PaidLink[], now: Date): Promise<void> {
  if (paid.length > 0) await tx.query(PAY, [JSON.stringify(paid), now])
}
