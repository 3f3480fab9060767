// Invoices as they are stored, and finding them.
//
// Who locks: the invoice first, then its links, then the audit chain of the merchant. Payments lock links and never an
// invoice, so nobody waits in a circle; and whoever has the links of an invoice under lock knows whether it is paid.

import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment, PageChoice } from '../../kernel/http/index.ts'
import { dayOf, gather, type Language } from '../../kernel/lib/index.ts'
import type { Link } from '../payment-links/index.ts'
import { type InvoiceItem, type StoredItem, storedItems } from './items.ts'
import type { ShownStatus, StoredStatus } from './state.ts'

/** An invoice with its newest link, and what paid it. Amounts in cents, `due_date` as YYYY-MM-DD. */
export type Invoice = {
  merchant_id: string
  id: string
  environment: Environment
  number: number
  status: StoredStatus
  customer_name: string
  customer_phone: string | null
  customer_email: string | null
  language: Language
  due_date: string
  currency: string
  total_minor: bigint
  items: StoredItem[]
  note: string | null
  payment_link_id: string | null
  sent_at: Date | null
  sends_today: number
  cancelled_at: Date | null
  reminders: number
  created_at: Date
  updated_at: Date
  merchant_name: string
  merchant_status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'
  link_status: Link['status'] | null
  slug: string | null
  paid_at: Date | null
  paid_collection_id: string | null
  /** When the payment that paid it was reversed. */
  reversed_at: Date | null
  /** The link that was made last. `payment_link_id` is another one when an older link was paid. */
  newest_link_id: string | null
  /** True: money for it has arrived, and an operator has not decided about it. */
  under_review: boolean
  /** When a payment of it began that has no outcome yet. Null: none has. */
  trying_since: Date | null
}

const COLUMNS = `i.merchant_id, i.id, i.environment, i.number, i.status, i.customer_name, i.customer_phone, i.customer_email,
     i.language, i.due_date::text as due_date, i.currency, i.total_minor, i.items, i.note, l.id as payment_link_id, i.sent_at,
     i.sends_today, i.cancelled_at, i.reminders, i.created_at, i.updated_at, m.name as merchant_name,
     m.status as merchant_status, l.status as link_status, l.slug, l.paid_at, l.paid_collection_id,
     i.payment_link_id as newest_link_id, coalesce(o.under_review, false) as under_review, o.trying_since,
     (select max(h.at) from collection_history h
      where h.merchant_id = i.merchant_id and h.collection_id = l.paid_collection_id and h.from_status <> 'reversed'
        and h.to_status = 'reversed') as reversed_at`
// The link that was paid, whichever it is, else the newest. An older one is paid when an operator clears what it took before
// it was cancelled.
const JOINED = `join merchants m on m.id = i.merchant_id
   left join lateral (
     select p.id, p.status, p.slug, p.paid_at, p.paid_collection_id from payment_links p
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id
     order by p.status = 'PAID' desc, p.id = i.payment_link_id desc limit 1) l on true`
// What payers have begun on any of its links.
const BEGUN = `left join lateral (
     select bool_or(c.status = 'pending_clearance') as under_review,
       max(c.created_at) filter (where c.status = 'processing') as trying_since
     from payment_links p
     join collections c on c.merchant_id = p.merchant_id and c.payment_link_id = p.id
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id) o on true`

const FIND = sql(
  'invoices_find',
  `select ${COLUMNS} from invoices i ${JOINED} ${BEGUN} where i.merchant_id = $1 and i.id = $2`,
)

/** The invoice with this id of a merchant, or null. */
export async function findInvoice(reader: Reader, merchant_id: string, id: string): Promise<Invoice | null> {
  const [row] = await reader.query<Invoice>(FIND, [merchant_id, id])
  return row ?? null
}

const LOCK = sql('invoices_lock', 'select 1 as locked from invoices where merchant_id = $1 and id = $2 for update')
const LOCK_LINKS = sql(
  'invoices_lock_links',
  'select 1 as locked from payment_links where merchant_id = $1 and invoice_id = $2 order by id for update',
)

/** As `findInvoice`, with the invoice and its links under lock. */
export async function lockInvoice(tx: Tx, merchant_id: string, id: string): Promise<Invoice | null> {
  const locked = await tx.query(LOCK, [merchant_id, id])
  if (locked.length === 0) return null
  await tx.query(LOCK_LINKS, [merchant_id, id])
  // A statement of its own sees what those committed who had the locks before.
  return findInvoice(tx, merchant_id, id)
}

const BY_ID = sql(
  'invoices_by_id',
  `select ${COLUMNS} from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x
   join invoices i on i.merchant_id = x.merchant_id and i.id = x.id ${JOINED} ${BEGUN}`,
)

/** Several invoices by their ids, in one statement. */
export function findInvoices(reader: Reader, keys: readonly { merchant_id: string; id: string }[]): Promise<Invoice[]> {
  return reader.query<Invoice>(BY_ID, [JSON.stringify(keys)])
}

const NEXT_NUMBER = sql(
  'invoices_next_number',
  `insert into invoice_numbers as n (merchant_id, environment, last_number) values ($1, $2, 1)
   on conflict (merchant_id, environment) do update set last_number = n.last_number + 1
   returning last_number as number`,
)

/**
 * The next number of a merchant. Its row stays locked until the transaction ends, so that numbers come one after the other
 * and one that is not used is given to the next.
 */
export async function nextNumber(tx: Tx, merchant_id: string, environment: Environment): Promise<number> {
  const [row] = await tx.query<{ number: number }>(NEXT_NUMBER, [merchant_id, environment])
  return (row as { number: number }).number
}

/** What a merchant writes. Amounts in cents. */
export type Written = Pick<
  Invoice,
  'customer_name' | 'customer_phone' | 'customer_email' | 'language' | 'due_date' | 'note' | 'total_minor'
> & { items: readonly InvoiceItem[] }

const INSERT = sql(
  'invoices_insert',
  `insert into invoices (merchant_id, id, environment, number, status, customer_name, customer_phone, customer_email,
     language, due_date, currency, total_minor, items, note, sends_today, reminders, created_at, updated_at)
   values ($1, $2, $3, $4, 'DRAFT', $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, $14, $14)`,
)

/** Writes a new invoice, a draft. */
export async function insertInvoice(
  tx: Tx,
  made: Written & Pick<Invoice, 'merchant_id' | 'id' | 'environment' | 'number' | 'currency' | 'created_at'>,
): Promise<void> {
  await tx.query(INSERT, [
    made.merchant_id,
    made.id,
    made.environment,
    made.number,
    made.customer_name,
    made.customer_phone,
    made.customer_email,
    made.language,
    made.due_date,
    made.currency,
    made.total_minor.toString(),
    storedItems(made.items),
    made.note,
    made.created_at,
  ])
}

const CHANGE = sql(
  'invoices_change',
  `update invoices set customer_name = $3, customer_phone = $4, customer_email = $5, language = $6, due_date = $7,
     total_minor = $8, items = $9, note = $10, updated_at = $11
   where merchant_id = $1 and id = $2 and status = 'DRAFT'`,
)

/** Writes a locked draft anew. */
export async function updateInvoice(
  tx: Tx,
  { merchant_id, id }: Pick<Invoice, 'merchant_id' | 'id'>,
  written: Written,
  now: Date,
): Promise<void> {
  const { customer_name, customer_phone, customer_email, language, due_date, total_minor, items, note } = written
  const amounts = [total_minor.toString(), storedItems(items)]
  const customer = [customer_name, customer_phone, customer_email, language]
  await tx.query(CHANGE, [merchant_id, id, ...customer, due_date, ...amounts, note, now])
}

/**
 * Makes the gatherer that finds the invoice of a page: one statement for all that wait. Null: the page belongs to none, or
 * to one that has another page by now. The newest page, and the one that was paid, are pages of it.
 */
export function createFindInvoiceByLink(deps: Deps): (link: Link) => Promise<Invoice | null> {
  const find = gather<{ merchant_id: string; id: string }, Invoice | null>(
    async (keys) => {
      const distinct = new Map(keys.map((key) => [key.id, key]))
      const rows = await findInvoices(deps.db, [...distinct.values()])
      const found = new Map(rows.map((row) => [row.id, row]))
      return keys.map(({ id }) => found.get(id) ?? null)
    },
    { max_items: 500, max_running: 2 },
  )
  return async ({ merchant_id, id: link_id, invoice_id }) => {
    const invoice = invoice_id === null ? null : await find({ merchant_id, id: invoice_id })
    return invoice?.payment_link_id === link_id || invoice?.newest_link_id === link_id ? invoice : null
  }
}

/** Whose invoices, and which of them. */
export type Filter = PageChoice & { merchant_id: string; environment: Environment; status?: ShownStatus | undefined }

// True when one of its links is paid, whichever it is. What is marked as paid needs no look.
const PAID = `exists (
     select 1 from payment_links p
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id and p.status = 'PAID' and p.invoice_id is not null)`
const stored = (status: StoredStatus) => `i.status = '${status}' and not i.paid and not ${PAID}`
const CONDITIONS: Record<ShownStatus, string> = {
  DRAFT: stored('DRAFT'),
  SENT: `${stored('SENT')} and i.due_date >= $3::date`,
  OVERDUE: `${stored('SENT')} and i.due_date < $3::date`,
  PAID,
  CANCELLED: stored('CANCELLED'),
}
const whose = (status: ShownStatus | undefined) =>
  `i.merchant_id = $1 and i.environment = $2 and $3::date is not null and ${status ? CONDITIONS[status] : 'true'}`

// Without names they are planned for the status at hand. What stands on the pages before is found, and not shown.
const list = (status: ShownStatus | undefined) =>
  sql(
    '',
    `select ${COLUMNS} from (
       select i.id from invoices i where ${whose(status)} and ($6::uuid is null or i.id < $6)
       order by i.id desc limit $4 offset $5) x
     join invoices i on i.merchant_id = $1 and i.id = x.id ${JOINED} ${BEGUN} order by i.id desc`,
  )
// In the order of the list, so that counting stops early.
const count = (status: ShownStatus | undefined) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from invoices i where ${whose(status)} order by i.id desc limit $4) counted`,
  )

/** Counting stops here, so that a list of millions costs no more than one of thousands. */
const COUNT_MAX = 10_000

function matching(deps: Deps, { merchant_id, environment }: Filter) {
  return [merchant_id, environment, dayOf(deps.clock.now())]
}

/** Some of them, newest first. `until_id`: only those with ids before it. */
export function readInvoices(
  deps: Deps,
  filter: Filter,
  limit: number,
  offset = 0,
  until_id: string | null = null,
): Promise<Invoice[]> {
  return deps.db.query<Invoice>(list(filter.status), [...matching(deps, filter), limit, offset, until_id])
}

/** How many there are, counted up to 10,000. */
export async function countInvoices(deps: Deps, filter: Filter): Promise<number> {
  const [row] = await deps.db.query<{ total: number }>(count(filter.status), [...matching(deps, filter), COUNT_MAX])
  return row?.total ?? 0
}
