// Stores pages with their slugs. Merchants read pages by id, and payers read pages by slug.

import { LOOK_COLUMNS, type MerchantLook, merchantByRoutingCode } from '../../access/merchants/index.ts'
import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import { gather, metadataPairs, type Random } from '../../kernel/lib/index.ts'
import type { LinkStatus, PaymentPage } from '../collections/index.ts'

const SECRET_BYTES = 16
const SLUG = /^[A-Za-z0-9_-]{28}$/

/**
 * Returns a new slug, the public name of a page in 28 URL-safe characters: the routing code in 32 bits, then 136 random bits.
 */
export function newSlug(random: Random, routing_code: number): string {
  const bytes = Buffer.alloc(5 + SECRET_BYTES)
  bytes.writeUInt32BE(routing_code, 0)
  bytes.set(random.bytes(1 + SECRET_BYTES), 4)
  return bytes.toString('base64url')
}

/** Returns the routing code in a slug, which identifies the merchant without a search. Null means that the slug is invalid. */
function routingCodeOfSlug(slug: string): number | null {
  return SLUG.test(slug) ? Buffer.from(slug, 'base64url').readUInt32BE(0) : null
}

/** A payment link, or the page of one collection. The amount is in cents. */
export type Link = PaymentPage &
  MerchantLook & {
    slug: string
    status: LinkStatus
    redirect_url: string | null
    cancel_url: string | null
    expires_at: Date | null
    invoice_id: string | null
    paid_collection_id: string | null
    paid_at: Date | null
    created_at: Date
    updated_at: Date
    merchant_name: string
    merchant_status: 'PENDING' | 'ACTIVE' | 'SUSPENDED'
    merchant_archived: boolean
  }

/** The columns of a link. The tables have the aliases l (payment_links) and m (merchants). */
export const LINK_COLUMNS = `l.merchant_id, l.id, l.environment, l.origin_environment, l.slug, l.status, l.amount_minor, l.currency,
     l.customer_name, l.customer_phone, l.customer_email, l.reference, l.description, l.redirect_url, l.cancel_url,
     l.expires_at, l.metadata, l.collection_id, l.invoice_id, l.paid_collection_id, l.paid_at, l.created_at, l.updated_at,
     m.name as merchant_name, ${LOOK_COLUMNS}, m.status as merchant_status,
     m.archived_at is not null as merchant_archived, m.routing_code::float8 as routing_code`

const INSERT = sql(
  'payment_links_insert',
  `with pair as (insert into payment_link_metadata (merchant_id, pair, id) select $1, unnest($20::uuid[]), $2)
   insert into payment_links (merchant_id, id, environment, origin_environment, slug, status, amount_minor, currency,
     customer_name, customer_phone, customer_email, reference, description, redirect_url, cancel_url, expires_at,
     collection_id, invoice_id, created_at, updated_at, metadata)
   values ($1, $2, $3, $4, $5, 'ACTIVE', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18, $19)`,
)

/** Inserts a new page. If the page is a payment link, also inserts the search rows of its metadata. */
export async function insertLink(tx: Tx, link: Link): Promise<void> {
  await tx.query(INSERT, [
    link.merchant_id,
    link.id,
    link.environment,
    link.origin_environment,
    link.slug,
    link.amount_minor.toString(),
    link.currency,
    link.customer_name,
    link.customer_phone,
    link.customer_email,
    link.reference,
    link.description,
    link.redirect_url,
    link.cancel_url,
    link.expires_at,
    link.collection_id,
    link.invoice_id,
    link.created_at,
    link.metadata === null ? null : JSON.stringify(link.metadata),
    // The list of links has no hosted pages, which merchants find by their collections.
    link.collection_id === null ? metadataPairs(link.environment, link.metadata) : [],
  ])
}

const FIND = sql(
  'payment_links_find',
  `select ${LINK_COLUMNS} from payment_links l join merchants m on m.id = l.merchant_id where l.merchant_id = $1 and l.id = $2`,
)

/** Returns the page of this merchant with this id. Null means that no such page exists. */
export async function findLink(reader: Reader, merchant_id: string, id: string): Promise<Link | null> {
  const [row] = await reader.query<Link>(FIND, [merchant_id, id])
  return row ?? null
}

const LOCK = sql(
  'payment_links_lock',
  `select ${LINK_COLUMNS} from payment_links l join merchants m on m.id = l.merchant_id
   where l.merchant_id = $1 and l.id = $2 for update of l`,
)

/**
 * Finds and locks a page. The caller has already locked the collection of a hosted page. Null means that no such page exists.
 */
export async function lockLink(tx: Tx, merchant_id: string, id: string): Promise<Link | null> {
  const [row] = await tx.query<Link>(LOCK, [merchant_id, id])
  return row ?? null
}

const BY_SLUG = sql(
  'payment_links_by_slug',
  `select ${LINK_COLUMNS} from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, slug text')} i
   join payment_links l on l.merchant_id = i.merchant_id and l.slug = i.slug
   join merchants m on m.id = l.merchant_id`,
)

/** Returns the function that finds pages by slug, in batches. Null means that no page has the slug. */
export function createFindBySlug(deps: Deps): (slug: string) => Promise<Link | null> {
  const merchantOf = merchantByRoutingCode(deps)
  const find = gather<{ merchant_id: string; slug: string }, Link | null>(
    async (keys) => {
      const distinct = [...new Map(keys.map((key) => [key.slug, key])).values()]
      const rows = await deps.db.query<Link>(BY_SLUG, [JSON.stringify(distinct)])
      const found = new Map(rows.map((row) => [row.slug, row]))
      return keys.map(({ slug }) => found.get(slug) ?? null)
    },
    { max_items: 500, max_running: 2 },
  )
  return async (slug) => {
    const code = routingCodeOfSlug(slug)
    const merchant_id = code === null ? null : await merchantOf(code)
    return merchant_id === null ? null : find({ merchant_id, slug })
  }
}

const CANCEL = sql(
  'payment_links_cancel',
  `update payment_links set status = 'CANCELLED', updated_at = $3
   where merchant_id = $1 and id = any($2::uuid[]) and status = 'ACTIVE' returning id`,
)

/** Cancels the ACTIVE pages of the given ones. Returns their ids. The caller has locked the pages. */
export async function cancelActive(
  tx: Tx,
  merchant_id: string,
  ids: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const cancelled = await tx.query<{ id: string }>(CANCEL, [merchant_id, ids, now])
  return new Set(cancelled.map(({ id }) => id))
}

// The room invoices runs both statements after it has locked and marked the invoices, so their names begin with `invoices`.
const LOCK_LINKS = sql(
  'invoices_paid_lock_links',
  `select 1 as locked from (
     select * from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} x order by merchant_id, id) i
   cross join lateral (select 1 from payment_links where merchant_id = i.merchant_id and id = i.id for update) l`,
)
const NOTE = sql(
  'invoices_paid_note',
  `update payment_links l set noted = true from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   where l.merchant_id = i.merchant_id and l.id = i.id`,
)

/**
 * Marks paid links after the worker has marked their invoices as paid. The caller passes the links in the order of their keys.
 */
export async function noteInvoicesMarked(tx: Tx, links: readonly { merchant_id: string; id: string }[]): Promise<void> {
  await tx.query(LOCK_LINKS, [JSON.stringify(links)])
  await tx.query(NOTE, [JSON.stringify(links)])
}

/**
 * Finds a payment link of the merchant that is visible in the environment of the request. Refuses an unknown link with
 * not_found.
 */
export type FindOwnLink = (caller: Caller, id: string) => Promise<Link>
