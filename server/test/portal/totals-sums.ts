// Computes the expected content of the pages: counts and sums over the tables and the ledger, by SQL that the platform does not
// use.

import type { World } from '../harness.ts'

/** A number of records, and the sum of their amounts in cents. */
export type Sum = { count: number; minor: bigint }
/** The sums of one list by status. The key '' has the sum of the whole list. */
export type Sums = Record<string, Sum>

type BookKey = { merchant_id: string; environment: string }

/** For each list, the SQL that returns the status and the amount in cents of its rows. */
const LISTS = {
  collections: `select status, amount_minor as minor from collections where merchant_id = $1 and environment = $2`,
  links: `select case when status = 'ACTIVE' and expires_at <= $3 then 'EXPIRED' else status end as status, amount_minor as minor
    from payment_links where merchant_id = $1 and environment = $2 and collection_id is null and $3::timestamptz is not null`,
  invoices: `select case
      when exists (select 1 from payment_links l where l.merchant_id = i.merchant_id and l.invoice_id = i.id and l.status = 'PAID') then 'PAID'
      when status = 'SENT' and due_date < ($3 at time zone 'Africa/Dar_es_Salaam')::date then 'OVERDUE' else status end as status,
      total_minor as minor
    from invoices i where merchant_id = $1 and environment = $2 and $3::timestamptz is not null`,
  // A transaction is the change of the available balance by one posting, summed over all transfers of the posting.
  transactions: `select case
      when posting in ('collection_settled', 'collection_cleared') then 'COLLECTION'
      when posting = 'collection_reversed' then 'COLLECTION_REVERSAL'
      when posting in ('withdrawal_reserved', 'withdrawal_paid_late') then 'WITHDRAWAL'
      when posting in ('withdrawal_released', 'withdrawal_reversed') then 'WITHDRAWAL_REVERSAL'
      when posting like 'adjustment%' then 'ADJUSTMENT' else posting end as status,
      sum(case when credit_code = 'available' then amount_minor else -amount_minor end) as minor
    from ledger_transfers where merchant_id = $1 and environment = $2 and 'available' in (debit_code, credit_code)
    group by source_type, source_id, posting`,
  withdrawals: `select status, amount_minor as minor from withdrawals where merchant_id = $1 and environment = $2`,
} as const
/** A list of the dashboard that `sumsOfList` can sum. */
export type ListName = keyof typeof LISTS
/** All lists of the dashboard, in the order of LISTS. */
export const LIST_NAMES = Object.keys(LISTS) as ListName[]

/** Sums a list of the dashboard by status. The result omits statuses without records. */
export async function sumsOfList(world: World, list: ListName, book: BookKey): Promise<Sums> {
  const text = LISTS[list]
  const values = [book.merchant_id, book.environment, ...(text.includes('$3') ? [world.deps.clock.now()] : [])]
  return summed(
    await world.rows(
      `select coalesce(status, '') as status, count(*)::int as count, sum(minor)::bigint as minor from (${text}) rows
       group by grouping sets ((status), ())`,
      values,
    ),
  )
}

/**
 * Sums the records of all merchants in an environment by status, as the console of operators lists them: withdrawals or held
 * payments.
 */
export async function sumsOfOperators(world: World, what: 'withdrawals' | 'held', environment: string): Promise<Sums> {
  const rows =
    what === 'withdrawals'
      ? 'select status, amount_minor as minor from withdrawals where environment = $1'
      : // The test computes the held money from the ledger, independently of the column that the platform writes.
        `select c.status, t.amount_minor as minor from ledger_transfers t
         join collections c on c.merchant_id = t.merchant_id and c.id = t.source_id
         where t.environment = $1 and t.posting = 'collection_held' and t.leg = 0`
  return summed(
    await world.rows(
      `select coalesce(status, '') as status, count(*)::int as count, sum(minor)::bigint as minor from (${rows}) rows
       group by grouping sets ((status), ())`,
      [environment],
    ),
  )
}

function summed(rows: readonly ({ status: string } & Sum)[]): Sums {
  return Object.fromEntries(rows.map(({ status, count, minor }) => [status, { count, minor }]))
}

/**
 * Sums the transfers of a book: the balances, the money in and out, and the fees. Also sums the reversals, the payments in
 * review and the payouts with contradicting reports.
 */
export async function ledgerOf(world: World, book: BookKey): Promise<Record<string, Sum>> {
  const rows = await world.rows<{ name: string; count: number; minor: bigint }>(
    `with t as (select * from ledger_transfers where merchant_id = $1 and environment = $2),
     net as (
       select a.code, sum(case when credit_code = a.code then amount_minor when debit_code = a.code then -amount_minor else 0 end) as minor
       from t cross join (values ('available'), ('reserved'), ('held')) a(code) group by a.code),
     came as (
       select * from t where posting in ('collection_settled', 'collection_cleared')
         and not exists (select 1 from t b where b.source_id = t.source_id and b.posting = 'collection_reversed')),
     left_us as (
       select * from t where posting in ('withdrawal_paid', 'withdrawal_paid_late') and leg = 0
         and not exists (select 1 from t b where b.source_id = t.source_id and b.posting = 'withdrawal_reversed'))
     select code as name, 0 as count, minor::bigint from net
     union all select 'received', count(*)::int, coalesce(sum(amount_minor), 0)::bigint from came where leg = 0
     union all select 'fees', 0, coalesce(sum(amount_minor), 0)::bigint from came where leg = 1
     union all select 'reversed', count(*)::int, coalesce(sum(amount_minor), 0)::bigint from t
       where posting = 'collection_reversed' and leg = 0
     union all select 'in review', count(*)::int, coalesce(sum(amount_minor), 0)::bigint from t
       where posting = 'collection_held' and leg = 0 and not exists (
         select 1 from t b where b.source_id = t.source_id and b.posting in (
           'collection_cleared', 'collection_declined', 'collection_held_reversed'))
     union all select 'contradicted', count(*)::int, coalesce(sum(w.amount_minor), 0)::bigint from left_us
       join withdrawals w on w.id = left_us.source_id and w.merchant_id = $1 and w.status = 'NEEDS_ADMIN_ATTENTION'
     union all select 'paid out', count(*)::int, coalesce(sum(amount_minor), 0)::bigint from left_us`,
    [book.merchant_id, book.environment],
  )
  return Object.fromEntries(rows.map(({ name, ...sum }) => [name, sum]))
}

/** Parses an amount as a page or a file writes the amount ("TZS 1,234.50", "-12.00"). Returns cents. */
export function centsOf(text: string): bigint {
  const [, sign, whole = '', cents = ''] = /([-−]?)[^\d-−]*([\d,]+)(?:\.(\d+))?/.exec(text) ?? []
  const minor = BigInt(whole.replaceAll(',', '')) * 100n + BigInt(cents.padEnd(2, '0') || '0')
  return sign ? -minor : minor
}
