// Marks invoices as paid, so that lists of unpaid invoices skip them without a search of their links. A settlement locks only
// links, so a worker writes the mark some seconds later. If an invoice has no mark yet, the lists search its links.

import { type Deps, inLockOrder, inputRows, inTransaction, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { noteInvoicesMarked } from '../payment-links/index.ts'

const EVERY_MS = 10_000
const BATCH = 500

const FIND = sql(
  'invoices_paid_find',
  `select merchant_id, id, invoice_id from payment_links
   where status = 'PAID' and invoice_id is not null and not noted limit ${BATCH}`,
)
const FIND_ONLY = sql(
  'invoices_paid_find_only',
  `select merchant_id, id, invoice_id from payment_links
   where merchant_id = $1 and status = 'PAID' and invoice_id is not null and not noted limit ${BATCH}`,
)
// The query locks invoices before their links, both in the order of merchant and id.
const LOCK = sql(
  'invoices_paid_lock',
  `select 1 as locked from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id) i
   cross join lateral (select 1 from invoices where merchant_id = i.merchant_id and id = i.id for update) v`,
)
const MARK = sql(
  'invoices_paid_mark',
  `update invoices v set paid = true from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   where v.merchant_id = i.merchant_id and v.id = i.id`,
)

/** A paid link whose invoice has no mark yet. */
type PaidLinkRow = { merchant_id: string; id: string; invoice_id: string }

/** Returns the worker's task that marks the invoices of paid links as paid. */
export function paidTask(deps: Deps): Task {
  return {
    name: 'invoices_paid',
    every_ms: EVERY_MS,
    async runOnce() {
      const only = deps.only_merchant
      const find = () =>
        only === undefined ? deps.db.query<PaidLinkRow>(FIND) : deps.db.query<PaidLinkRow>(FIND_ONLY, [only])
      const links = inLockOrder(await find(), ({ id }) => id)
      if (links.length === 0) return 0
      const invoices = inLockOrder(
        links.map(({ merchant_id, invoice_id: id }) => ({ merchant_id, id })),
        ({ id }) => id,
      )
      await inTransaction(deps.db, async (tx) => {
        await tx.query(LOCK, [JSON.stringify(invoices)])
        await tx.query(MARK, [JSON.stringify(invoices)])
        await noteInvoicesMarked(tx, links)
      })
      return links.length
    },
    async idle() {},
  }
}
