// Writes and reads stored invoices. Transactions lock the invoice, then its links, then the audit log of the merchant. Of
// these, a settlement locks only links, so no deadlock is possible.

import { LOOK_COLUMNS, type MerchantLook } from '../../access/merchants/index.ts'
import {
  createMetadataSearch,
  type Deps,
  inputRows,
  metadataSearchSql,
  type Reader,
  sql,
  type Tx,
} from '../../kernel/db/index.ts'
import type { InvoiceItem, InvoiceStatus } from '../../kernel/documents/index.ts'
import type { Environment, PageChoice } from '../../kernel/http/index.ts'
import {
  assertInvariant,
  dayOf,
  gather,
  LAST_ID,
  type Language,
  type Metadata,
  metadataPairs,
  ZERO_ID,
} from '../../kernel/lib/index.ts'
import type { Link } from '../payment-links/index.ts'
import { itemsToJson, type StoredItem } from './items.ts'
import type { StoredStatus } from './state.ts'

/**
 * An invoice with its payment, and with its paid link or else its newest link. Amounts are in cents, and `due_date` has the form
 * YYYY-MM-DD.
 */
export type Invoice = MerchantLook & {
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
  /** The merchant's metadata: pairs of a name and a text. Null means that the invoice has none. */
  metadata: Metadata | null
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
  /** The time at which the provider reversed the payment of the invoice. Null means that no reversal exists. */
  reversed_at: Date | null
  /**
   * The newest link of the invoice. If the payer paid an older link, `payment_link_id` is that older link. Null means that the
   * invoice has no link.
   */
  newest_link_id: string | null
  /** True while an operator reviews money that a payer sent for the invoice. */
  under_review: boolean
  /** The time at which the newest payment without an outcome began. Null means that no payment is processing. */
  processing_since: Date | null
}

const COLUMNS = `i.merchant_id, i.id, i.environment, i.number, i.status, i.customer_name, i.customer_phone, i.customer_email,
     i.language, i.due_date::text as due_date, i.currency, i.total_minor, i.items, i.note, i.metadata, l.id as payment_link_id, i.sent_at,
     i.sends_today, i.cancelled_at, i.reminders, i.created_at, i.updated_at, m.name as merchant_name, ${LOOK_COLUMNS},
     m.status as merchant_status, l.status as link_status, l.slug, l.paid_at, l.paid_collection_id,
     i.payment_link_id as newest_link_id, coalesce(o.under_review, false) as under_review, o.processing_since,
     (select max(h.at) from collection_history h
      where h.merchant_id = i.merchant_id and h.collection_id = l.paid_collection_id and h.from_status <> 'reversed'
        and h.to_status = 'reversed') as reversed_at`
// The join selects the paid link, or else the newest link. If an operator approves held money of a cancelled link, that link
// becomes the paid link.
const LINK_JOINS = `join merchants m on m.id = i.merchant_id
   left join lateral (
     select p.id, p.status, p.slug, p.paid_at, p.paid_collection_id from payment_links p
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id
     order by p.status = 'PAID' desc, p.id = i.payment_link_id desc limit 1) l on true`
// The join aggregates the payments under review or processing on all links of the invoice.
const OPEN_PAYMENTS_JOIN = `left join lateral (
     select bool_or(c.status = 'pending_clearance') as under_review,
       max(c.created_at) filter (where c.status = 'processing') as processing_since
     from payment_links p
     join collections c on c.merchant_id = p.merchant_id and c.payment_link_id = p.id
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id) o on true`

const FIND = sql(
  'invoices_find',
  `select ${COLUMNS} from invoices i ${LINK_JOINS} ${OPEN_PAYMENTS_JOIN} where i.merchant_id = $1 and i.id = $2`,
)

/** Returns the merchant's invoice with this id. Null means that no such invoice exists. */
export async function findInvoice(reader: Reader, merchant_id: string, id: string): Promise<Invoice | null> {
  const [row] = await reader.query<Invoice>(FIND, [merchant_id, id])
  return row ?? null
}

const LOCK = sql('invoices_lock', 'select 1 as locked from invoices where merchant_id = $1 and id = $2 for update')
const LOCK_LINKS = sql(
  'invoices_lock_links',
  'select 1 as locked from payment_links where merchant_id = $1 and invoice_id = $2 order by id for update',
)

/** Locks the merchant's invoice with this id and its links, and returns the invoice. Null means that no such invoice exists. */
export async function lockInvoice(tx: Tx, merchant_id: string, id: string): Promise<Invoice | null> {
  const locked = await tx.query(LOCK, [merchant_id, id])
  if (locked.length === 0) return null
  await tx.query(LOCK_LINKS, [merchant_id, id])
  // After the locks, a separate query finds the rows that the previous holders of the locks committed.
  return findInvoice(tx, merchant_id, id)
}

// After a payment of a link, the worker sets `paid`. Until then, only the link says that the invoice is paid.
const LOCK_UNPAID = sql(
  'invoices_lock_unpaid',
  `select id from invoices where merchant_id = $1 and status <> 'CANCELLED' and not paid order by id for update`,
)
const LOCK_LINKS_OF_SET = sql(
  'invoices_lock_links_of_set',
  'select 1 as locked from payment_links where merchant_id = $1 and invoice_id = any($2::uuid[]) order by id for update',
)

/** Locks the unpaid invoices of a merchant that are not cancelled, and their links, and returns these invoices. */
export async function lockUnpaidInvoices(tx: Tx, merchant_id: string): Promise<Invoice[]> {
  const locked = await tx.query<{ id: string }>(LOCK_UNPAID, [merchant_id])
  await tx.query(LOCK_LINKS_OF_SET, [merchant_id, locked.map(({ id }) => id)])
  const keys = locked.map(({ id }) => ({ merchant_id, id }))
  return (await findInvoices(tx, keys)).filter(({ paid_at }) => paid_at === null)
}

const BY_ID = sql(
  'invoices_by_id',
  `select ${COLUMNS} from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x
   join invoices i on i.merchant_id = x.merchant_id and i.id = x.id ${LINK_JOINS} ${OPEN_PAYMENTS_JOIN}`,
)

/** Finds several invoices by their ids in one query. The result has no entry for an unknown id. */
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
 * Returns the next invoice number of a merchant. The counter row stays locked until the transaction ends, so that numbers have no
 * gap. If the transaction rolls back, the next invoice gets the number.
 */
export async function nextNumber(tx: Tx, merchant_id: string, environment: Environment): Promise<number> {
  const [row] = await tx.query<{ number: number }>(NEXT_NUMBER, [merchant_id, environment])
  return (row as { number: number }).number
}

/** The fields of an invoice that the merchant writes. Amounts are in cents. */
export type InvoiceContent = Pick<
  Invoice,
  'customer_name' | 'customer_phone' | 'customer_email' | 'language' | 'due_date' | 'note' | 'total_minor' | 'metadata'
> & { items: readonly InvoiceItem[] }

const INSERT = sql(
  'invoices_insert',
  `with pair as (insert into invoice_metadata (merchant_id, pair, id) select $1, unnest($16::uuid[]), $2)
   insert into invoices (merchant_id, id, environment, number, status, customer_name, customer_phone, customer_email,
     language, due_date, currency, total_minor, items, note, sends_today, reminders, created_at, updated_at, metadata)
   values ($1, $2, $3, $4, 'DRAFT', $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, 0, $14, $14, $15)`,
)

/** Inserts a new invoice as a draft. The caller has taken its number from `nextNumber`. */
export async function insertInvoice(
  tx: Tx,
  invoice: InvoiceContent & Pick<Invoice, 'merchant_id' | 'id' | 'environment' | 'number' | 'currency' | 'created_at'>,
): Promise<void> {
  await tx.query(INSERT, [
    invoice.merchant_id,
    invoice.id,
    invoice.environment,
    invoice.number,
    invoice.customer_name,
    invoice.customer_phone,
    invoice.customer_email,
    invoice.language,
    invoice.due_date,
    invoice.currency,
    invoice.total_minor.toString(),
    itemsToJson(invoice.items),
    invoice.note,
    invoice.created_at,
    jsonOrNull(invoice.metadata),
    metadataPairs(invoice.environment, invoice.metadata),
  ])
}

function jsonOrNull(metadata: Metadata | null): string | null {
  return metadata === null ? null : JSON.stringify(metadata)
}

const CHANGE = sql(
  'invoices_change',
  `with gone as (
     delete from invoice_metadata where merchant_id = $1 and id = $2 and pair <> all($13::uuid[])
       and pair = any($14::uuid[])
   ), pair as (
     insert into invoice_metadata (merchant_id, pair, id) select $1, unnest($13::uuid[]), $2 on conflict do nothing
   )
   update invoices set customer_name = $3, customer_phone = $4, customer_email = $5, language = $6, due_date = $7,
     total_minor = $8, items = $9, note = $10, updated_at = $11, metadata = $12
   where merchant_id = $1 and id = $2 and status = 'DRAFT'`,
)

/** Writes the new content of a draft. The caller has locked the invoice. */
export async function updateInvoice(
  tx: Tx,
  { merchant_id, id, environment, metadata: before }: Pick<Invoice, 'merchant_id' | 'id' | 'environment' | 'metadata'>,
  content: InvoiceContent,
  now: Date,
): Promise<void> {
  const { customer_name, customer_phone, customer_email, language, due_date, total_minor, items, note } = content
  const amounts = [total_minor.toString(), itemsToJson(items)]
  const pairs = [
    jsonOrNull(content.metadata),
    metadataPairs(environment, content.metadata),
    metadataPairs(environment, before),
  ]
  const customer = [customer_name, customer_phone, customer_email, language]
  await tx.query(CHANGE, [merchant_id, id, ...customer, due_date, ...amounts, note, now, ...pairs])
}

/**
 * Makes the function that finds the invoice of a payment link, in batches. Null means that the link has no invoice, or that
 * another link of the invoice has replaced it.
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

/** Filters that select invoices of one merchant and environment. */
export type InvoiceFilter = PageChoice & {
  merchant_id: string
  environment: Environment
  status?: InvoiceStatus | undefined
}

// If any link of the invoice is paid, the condition is true.
const PAID = `exists (
     select 1 from payment_links p
     where p.merchant_id = i.merchant_id and p.invoice_id = i.id and p.status = 'PAID' and p.invoice_id is not null)`
// If the invoice is marked as paid, PostgreSQL does not search its links.
const unpaidWith = (status: StoredStatus) => `i.status = '${status}' and not i.paid and not ${PAID}`
const CONDITIONS: Record<InvoiceStatus, string> = {
  DRAFT: unpaidWith('DRAFT'),
  SENT: `${unpaidWith('SENT')} and i.due_date >= $3::date`,
  OVERDUE: `${unpaidWith('SENT')} and i.due_date < $3::date`,
  PAID,
  CANCELLED: unpaidWith('CANCELLED'),
}
const filterCondition = (status: InvoiceStatus | undefined) =>
  `i.merchant_id = $1 and i.environment = $2 and $3::date is not null and ${status ? CONDITIONS[status] : 'true'}`

// PostgreSQL plans this unnamed prepared statement for the given status. The inner query reads and skips the rows of earlier pages.
const invoiceListStatement = (status: InvoiceStatus | undefined) =>
  sql(
    '',
    `select ${COLUMNS} from (
       select i.id from invoices i where ${filterCondition(status)} and ($6::uuid is null or i.id < $6)
       order by i.id desc limit $4 offset $5) x
     join invoices i on i.merchant_id = $1 and i.id = x.id ${LINK_JOINS} ${OPEN_PAYMENTS_JOIN} order by i.id desc`,
  )
// The query counts in the order of the list, so PostgreSQL uses the same index and stops at the limit.
const invoiceCountStatement = (status: InvoiceStatus | undefined) =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from invoices i where ${filterCondition(status)} order by i.id desc limit $4) counted`,
  )

/** The highest number that a count returns. A count thus reads a limited number of rows. */
const COUNT_MAX = 10_000

function invoiceFilterValues(deps: Deps, { merchant_id, environment }: InvoiceFilter) {
  return [merchant_id, environment, dayOf(deps.clock.now())]
}

/** Returns the selected invoices, newest first. If `before_id` is not null, returns only invoices older than that invoice. */
export function readInvoices(
  deps: Deps,
  filter: InvoiceFilter,
  limit: number,
  offset = 0,
  before_id: string | null = null,
): Promise<Invoice[]> {
  return deps.db.query<Invoice>(invoiceListStatement(filter.status), [
    ...invoiceFilterValues(deps, filter),
    limit,
    offset,
    before_id,
  ])
}

/** Counts the selected invoices, up to 10,000. No page or offset affects the count. */
export async function countInvoices(deps: Deps, filter: InvoiceFilter): Promise<number> {
  const values = [...invoiceFilterValues(deps, filter), COUNT_MAX]
  const [row] = await deps.db.query<{ total: number }>(invoiceCountStatement(filter.status), values)
  return row?.total ?? 0
}

const INVOICE_STATUS_KEYS: readonly (InvoiceStatus | undefined)[] = [
  undefined,
  'DRAFT',
  'SENT',
  'OVERDUE',
  'PAID',
  'CANCELLED',
]

/** The searches by metadata, one for each status filter. */
const METADATA_SEARCHES = new Map(
  INVOICE_STATUS_KEYS.map((status) => [
    status,
    createMetadataSearch(
      'invoice_metadata',
      sql(
        '',
        metadataSearchSql({
          pairs: 'invoice_metadata',
          records: 'invoices',
          alias: 'i',
          conditions: filterCondition(status),
          from: '$4',
          until: '$5',
          next: 6,
        }),
      ),
    ),
  ]),
)

/**
 * Returns a page of the selected invoices that have all pairs of `metadata`, newest first, and their number up to 10,000.
 */
export async function searchInvoices(
  deps: Deps,
  filter: InvoiceFilter,
  metadata: Metadata,
  limit: number,
  offset: number,
): Promise<{ rows: Invoice[]; total: number }> {
  const search = METADATA_SEARCHES.get(filter.status)
  assertInvariant(search !== undefined, 'each status has its search')
  const values = [...invoiceFilterValues(deps, filter), ZERO_ID, LAST_ID]
  const { total, ids } = await search(deps.db, { ...filter, metadata }, values, { count_max: COUNT_MAX, limit, offset })
  const { merchant_id } = filter
  const rows =
    ids.length === 0
      ? []
      : await findInvoices(
          deps.db,
          ids.map((id) => ({ merchant_id, id })),
        )
  return { rows: rows.sort((a, b) => (a.id < b.id ? 1 : -1)), total }
}
