// Writes the SQL of a search. Each branch reads a limited number of rows by one index, so the time does not grow with the
// number of records.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { beginsWith, lastReferenceFirst } from '../../kernel/db/index.ts'
import { LAST_ID, ZERO_ID } from '../../kernel/lib/index.ts'

/** The highest number of the newest payments that a search by amount or name reads. */
export const NEWEST_PAYMENTS = 10_000
/**
 * The highest number of the newest withdrawals, links and invoices that a search by amount, name, phone number, reference or
 * description reads.
 */
export const NEWEST_RECORDS = 5_000
/**
 * The highest number of references with the same beginning that a search reads. The search reads the last ones in alphabetical
 * order.
 */
const REFERENCES_MAX = 500
/** The highest number of the newest payments whose references a search reads. */
export const NEWEST_REFERENCES = 500
/** The highest number of beginnings of references, such as `ORDER-`, that a search for a number tries before the number. */
const BEGINNINGS_MAX = 20
/** The highest number of payments that a search reads for one phone number, and for one group of last four digits. */
const TAILS_MAX = 1_000

// The parameters of every statement after the merchant ($1) and the environments ($2). `valuesFor` of terms.ts returns the
// values in this order.
const [FROM, UNTIL, PHONE, TAIL, AMOUNT, TEXT, NAMES, NUMBER, HITS] = [
  '$3::uuid',
  '$4::uuid',
  '$5::text',
  '$6::text',
  '$7::bigint',
  '$8::text',
  '$9::text[]',
  '$10::int',
  '$11::int',
] as const

/**
 * The merchant and the environment of a branch, as SQL. If a search reads many books, `share` divides the number of rows among
 * them.
 */
export type Book = { merchant: string; environment: string; share: (rows: number) => string }

// Only one index has the order of this comparison, so PostgreSQL never reads another index to its end.
function inOrder(columns: readonly [string, string], first: string): string {
  const row = `(${columns.join(', ')})`
  return `${row} >= (${first}, '${ZERO_ID}'::uuid) and ${row} <= (${first}, '${LAST_ID}'::uuid)
       order by ${columns[0]} desc, ${columns[1]} desc`
}

const newestRows = (table: string, { merchant, environment, share }: Book, rows: number, condition = 'true') =>
  `(select * from ${table} n where n.merchant_id = ${merchant} and ${condition}
       and ${inOrder(['n.environment', 'n.id'], `${environment}::text`)} limit ${share(rows)})`

const byId = (table: string, { merchant, environment }: Book) =>
  `select x.id from ${table} x where x.merchant_id = ${merchant} and x.id >= ${FROM} and x.id <= ${UNTIL}
     and x.environment = ${environment} order by x.id desc limit ${HITS}`

const byReference = (table: string, { merchant, environment, share }: Book) =>
  `select r.id from (
     select x.id from ${table} x where x.merchant_id = ${merchant} and x.environment = ${environment}
       and ${beginsWith('x.reference', TEXT)}
     order by ${lastReferenceFirst('x.reference')}, x.id desc limit ${share(REFERENCES_MAX)}) r order by r.id desc limit ${HITS}`

const IS_NUMBER = `${TEXT} ~ '^[0-9]+$'`

/**
 * Finds a whole reference by the number at its end: tries the most frequent beginnings of the newest references before the
 * number. A search of all merchants ($1 is null) leaves this out, because it would read references of each merchant.
 */
const byLastNumber = (table: string, book: Book) =>
  `select whole.id from (
     select r.beginning || ${TEXT} as reference from (
       select substring(lower(m.reference) from '^(.*[^0-9])[0-9]+$') as beginning
       from ${newestRows(table, book, NEWEST_REFERENCES, `${IS_NUMBER} and $1::uuid is not null`)} m) r
     where r.beginning is not null group by r.beginning order by count(*) desc, r.beginning limit ${BEGINNINGS_MAX}) tried
   cross join lateral (
     select x.id from ${table} x where x.merchant_id = ${book.merchant} and x.environment = ${book.environment}
       and x.reference is not null and lower(x.reference) ~>=~ tried.reference and lower(x.reference) ~<=~ tried.reference
     order by ${lastReferenceFirst('x.reference')}, x.id desc limit ${HITS}) whole
   order by whole.id desc limit ${HITS}`

const hasPhone = (column: string) =>
  `(${column} = ${PHONE} or (${TAIL} is not null and right(${column}, length(${TAIL})) = ${TAIL}))`
/**
 * Returns the SQL of a text in lower case and without accents, as `foldText` of terms.ts makes it. Most texts are ASCII, and for
 * those `lower` is enough.
 */
export const foldedText = (column: string) =>
  `case when octet_length(${column}) = length(${column}) then lower(${column})
     else lower(regexp_replace(normalize(${column}, NFD), '[\\u0300-\\u036f]', '', 'g')) end`
const hasName = (column: string) => `(${NAMES} is not null and ' ' || ${foldedText(column)} like all(${NAMES}))`
const hasReference = (column: string) => `starts_with(lower(${column}), lower(${TEXT}))`
const hasLastNumber = (column: string) =>
  `(${IS_NUMBER} and right(${column}, length(${TEXT})) = ${TEXT}
     and left(right(${column}, length(${TEXT}) + 1), 1) !~ '[0-9]')`
const NAMED = `(${AMOUNT} is not null or ${NAMES} is not null)`

const union = (branches: readonly string[]) => branches.map((branch) => `(${branch})`).join('\n   union ')

const paymentIds = (book: Book) => {
  const { merchant, environment, share } = book
  return union([
    byId('collections', book),
    byReference('collections', book),
    byLastNumber('collections', book),
    `select p.id from (
       select x.id, x.environment from collections x where x.merchant_id = ${merchant} and x.customer_phone is not null
         and ${inOrder(['x.customer_phone', 'x.id'], PHONE)} limit ${share(TAILS_MAX)}) p
     where p.environment = ${environment} order by p.id desc limit ${HITS}`,
    `select p.id from (
       select x.id, x.customer_phone from collections x where x.merchant_id = ${merchant}
         and x.environment = ${environment} and x.customer_phone is not null
         and ${inOrder(['right(x.customer_phone, 4)', 'x.id'], `right(${TAIL}, 4)`)} limit ${share(TAILS_MAX)}) p
     where right(p.customer_phone, length(${TAIL})) = ${TAIL} order by p.id desc limit ${HITS}`,
    `select n.id from ${newestRows('collections', book, NEWEST_REFERENCES)} n
     where ${hasReference('n.reference')} order by n.id desc limit ${HITS}`,
    `select n.id from ${newestRows('collections', book, NEWEST_PAYMENTS, NAMED)} n
     where n.amount_minor = ${AMOUNT} or ${hasName('n.customer_name')} order by n.id desc limit ${HITS}`,
  ])
}

const withdrawalIds = (book: Book) =>
  union([
    byId('withdrawals', book),
    byReference('withdrawals', book),
    byLastNumber('withdrawals', book),
    `select n.id from ${newestRows('withdrawals', book, NEWEST_RECORDS)} n
     where n.amount_minor = ${AMOUNT} or ${hasPhone('n.destination_identifier')} or n.destination_identifier = ${TEXT}
       or ${hasName('n.destination_name')} or ${hasReference('n.reference')} order by n.id desc limit ${HITS}`,
  ])

const linkIds = (book: Book) =>
  union([
    `${byId('payment_links', book).replace('order by', 'and x.collection_id is null order by')}`,
    `select x.id from payment_links x where x.merchant_id = ${book.merchant} and x.environment = ${book.environment}
       and x.slug = ${TEXT} and x.collection_id is null`,
    `select n.id from ${newestRows('payment_links', book, NEWEST_RECORDS, 'n.collection_id is null')} n
     where n.amount_minor = ${AMOUNT} or ${hasPhone('n.customer_phone')} or ${hasName('n.customer_name')}
       or ${hasReference('n.reference')} or ${hasLastNumber('n.reference')} or ${hasName('n.description')}
     order by n.id desc limit ${HITS}`,
  ])

const invoiceIds = (book: Book) =>
  union([
    byId('invoices', book),
    `select x.id from invoices x where x.merchant_id = ${book.merchant} and x.environment = ${book.environment}
       and x.number = ${NUMBER}`,
    `select n.id from ${newestRows('invoices', book, NEWEST_RECORDS)} n
     where n.total_minor = ${AMOUNT} or ${hasPhone('n.customer_phone')} or ${hasName('n.customer_name')}
     order by n.id desc limit ${HITS}`,
  ])

const transactionIds = ({ merchant, environment }: Book) =>
  `select t.id from ledger_transfers t where t.merchant_id = ${merchant} and t.id >= ${FROM} and t.id <= ${UNTIL}
     and t.environment = ${environment} and ${IS_BOOKING} order by t.id desc limit ${HITS}`

const deliveryIds = (book: Book) => byId('webhook_deliveries', book)

// Every statement uses every parameter, because PostgreSQL refuses a parameter without a type.
const TYPED = `num_nulls(${[FROM, UNTIL, PHONE, TAIL, AMOUNT, TEXT, NAMES, NUMBER, HITS].join(', ')}) >= 0`

const PAYMENT = `x.status, x.amount_minor, x.currency, x.reference, x.customer_name as name, x.customer_phone as phone`

/** For each kind, the table, the query of the found ids, and the columns of a hit. */
export const SEARCHED = {
  payment: { table: 'collections', ids: paymentIds, columns: PAYMENT },
  withdrawal: {
    table: 'withdrawals',
    ids: withdrawalIds,
    columns: `x.status, x.amount_minor, x.currency, x.reference, x.destination_name as name, x.destination_identifier as phone`,
  },
  payment_link: {
    table: 'payment_links',
    ids: linkIds,
    columns: `${PAYMENT}, x.expires_at, left(x.description, 80) as description`,
  },
  invoice: {
    table: 'invoices',
    ids: invoiceIds,
    columns: `case when x.paid or exists (
         select from payment_links l where l.merchant_id = x.merchant_id and l.invoice_id = x.id and l.status = 'PAID')
       then 'PAID' else x.status end as status, x.total_minor as amount_minor, x.currency, x.number, x.due_date::text,
     x.customer_name as name, x.customer_phone as phone`,
  },
  transaction: {
    table: 'ledger_transfers',
    ids: transactionIds,
    columns:
      'null as status, x.amount_minor, x.currency, null as reference, null as name, null as phone, x.source_type, x.source_id',
  },
  delivery: {
    table: 'webhook_deliveries',
    ids: deliveryIds,
    columns: `x.status, null::bigint as amount_minor, null as currency, x.event as reference, null as name, null as phone,
     x.source_type, x.source_id`,
  },
} as const
/** A kind of records of a merchant that a search finds. */
export type RecordKind = keyof typeof SEARCHED

/** Returns the SQL that finds records of merchant $1 in environment $2, newest first. */
export function ofMerchantText(kind: RecordKind): string {
  const { table, ids, columns } = SEARCHED[kind]
  const book = { merchant: '$1', environment: '$2', share: (rows: number) => `(select ${rows})` }
  return `select x.merchant_id, x.id, x.environment, ${columns}, x.created_at
   from (${ids(book)}) found join ${table} x on x.merchant_id = $1 and x.id = found.id
   where ${TYPED} order by x.id desc limit ${HITS}`
}

/**
 * Returns the SQL that finds records in the environments $2. If $1 is null, the query reads the newest merchants that are not archived, otherwise
 * only merchant $1.
 */
export function ofManyText(kind: RecordKind, merchants_max: number): string {
  const { table, ids, columns } = SEARCHED[kind]
  const share = (rows: number) => `(select greatest(${rows} / greatest(count(*), 1), 1) from books)`
  return `with books as materialized (
     select m.id as merchant_id, e.environment from (
       select id from merchants where id = $1 or ($1::uuid is null and archived_at is null) order by id desc limit ${merchants_max}) m
     cross join unnest($2::text[]) as e(environment)
   )
   select x.merchant_id, x.id, x.environment, ${columns}, x.created_at, m.name as merchant_name
   from books b cross join lateral (${ids({ merchant: 'b.merchant_id', environment: 'b.environment', share })}) found
   join ${table} x on x.merchant_id = b.merchant_id and x.id = found.id
   join merchants m on m.id = x.merchant_id
   where ${TYPED} order by x.id desc limit ${HITS}`
}
