// The page that a payment is paid on, as far as money is concerned: it is locked with the payment, and paid once.
//
// Who locks collections and links locks the collections first, then the links, each by merchant and id.

import { inputRows, sql, type Tx } from '../../kernel/db/index.ts'
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

const LOCK_BESIDE = sql(
  'links_lock_beside',
  `select 1 as locked from payment_links
   where merchant_id = $1
     and (id = $2 or invoice_id = (select invoice_id from payment_links where merchant_id = $1 and id = $2))
   order by id for update`,
)

/**
 * Locks the page of a payment with the other pages of the same invoice, after the collection. Whoever gives an invoice another
 * page, or cancels it, has to lock them too.
 */
export async function lockLinksBeside(tx: Tx, { merchant_id, payment_link_id: id }: Changing): Promise<void> {
  if (id !== null) await tx.query(LOCK_BESIDE, [merchant_id, id])
}

// The page is open again for the payment that pays it in this transaction, and the page that replaced it is not any more.
const REOPEN = sql(
  'links_reopen',
  `update payment_links l set status = case when l.id = p.id then 'ACTIVE' else 'CANCELLED' end, updated_at = $3
   from (
     select c.merchant_id, c.id, c.invoice_id from payment_links c
     join invoices i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
     where c.merchant_id = $1 and c.id = $2 and c.status = 'CANCELLED' and i.status <> 'CANCELLED'
       and i.total_minor = c.amount_minor and i.currency = c.currency
       and not exists (
         select from payment_links o
         where o.merchant_id = c.merchant_id and o.invoice_id = c.invoice_id and o.status = 'PAID')
   ) p
   where l.merchant_id = p.merchant_id and l.invoice_id = p.invoice_id and (l.id = p.id or l.status = 'ACTIVE')
   returning l.id, l.status`,
)

/**
 * Before a payment is cleared whose page was cancelled: when the page belongs to an invoice that still asks for the same
 * amount, the payment pays it, and no other page of that invoice does. The pages are under lock (`lockLinksBeside`). Answers
 * the pages that are cancelled by it.
 */
export async function reopenLink(tx: Tx, row: Changing, now: Date): Promise<string[]> {
  if (row.payment_link_id === null) return []
  // A statement of its own after the locks: it sees the page that was made, or the invoice that was cancelled, before them.
  const values = [row.merchant_id, row.payment_link_id, now]
  const changed = await tx.query<{ id: string; status: LinkStatus }>(REOPEN, values)
  return changed.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id)
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
