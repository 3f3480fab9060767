// Changes payment links when a transaction settles payments or clears held money. This file implements `LinkSettlement`.

import { inputRows, sql, type Tx } from '../../kernel/db/index.ts'
import type { LinkedPayment, LinkSettlement, LinkStatus, LockedLink, PaidLink } from '../collections/index.ts'

const LOCKED_LINK_COLUMNS = 'merchant_id, id, status, paid_collection_id, customer_phone, collection_id, invoice_id'

const LOCK = sql(
  'links_lock',
  `select l.* from (
     select distinct * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id
   ) i
   cross join lateral (
     select ${LOCKED_LINK_COLUMNS} from payment_links
     where merchant_id = i.merchant_id and id = i.id for update
   ) l`,
)

async function lockLinks(tx: Tx, payments: readonly LinkedPayment[]): Promise<Map<string, LockedLink>> {
  const keys = new Map<string, { merchant_id: string; id: string }>()
  for (const { merchant_id, payment_link_id: id } of payments) if (id !== null) keys.set(id, { merchant_id, id })
  if (keys.size === 0) return new Map()
  const links = await tx.query<LockedLink>(LOCK, [JSON.stringify([...keys.values()])])
  return new Map(links.map((link) => [link.id, link]))
}

const LOCK_WITH_INVOICE = sql(
  'links_lock_beside',
  `select ${LOCKED_LINK_COLUMNS} from payment_links
   where merchant_id = $1
     and (id = $2 or invoice_id = (select invoice_id from payment_links where merchant_id = $1 and id = $2))
   order by id for update`,
)

// A transaction that adds a link to an invoice, or that cancels the invoice, also locks these links.
async function lockLinksOfInvoice(
  tx: Tx,
  { merchant_id, payment_link_id: id }: LinkedPayment,
): Promise<LockedLink | undefined> {
  const links = id === null ? [] : await tx.query<LockedLink>(LOCK_WITH_INVOICE, [merchant_id, id])
  return links.find((link) => link.id === id)
}

// The transaction approves held money of the reopened link, and that payment pays the link. The query cancels the link that
// replaced the reopened link.
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

async function reopenLink(
  tx: Tx,
  { merchant_id, payment_link_id }: LinkedPayment,
  now: Date,
): Promise<{ id: string; status: LinkStatus }[]> {
  if (payment_link_id === null) return []
  // A separate query after the locks finds a link or a cancelled invoice that another process committed before the locks.
  return tx.query<{ id: string; status: LinkStatus }>(REOPEN, [merchant_id, payment_link_id, now])
}

const PAY = sql(
  'links_pay',
  `update payment_links l set status = 'PAID', paid_collection_id = i.collection_id, paid_at = $2, updated_at = $2
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid, collection_id uuid')} i
   where l.merchant_id = i.merchant_id and l.id = i.id and l.status = 'ACTIVE'`,
)

async function markPaid(tx: Tx, paid: readonly PaidLink[], now: Date): Promise<void> {
  if (paid.length > 0) await tx.query(PAY, [JSON.stringify(paid), now])
}

/** The functions that change payment links in a transaction that settles payments or clears held money. */
export const linkSettlement: LinkSettlement = {
  lock: lockLinks,
  lockWithInvoice: lockLinksOfInvoice,
  reopen: reopenLink,
  markPaid,
}
