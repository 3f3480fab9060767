// Defines a burst of income: the payments of the 24 hours before a request, compared with the average day of the week before.
// Later payments do not count, because they cannot have led to the request.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'

/** The number of days before the last 24 hours whose average income is usual. */
export const USUAL_DAYS = 7
/**
 * From this number of transfers in eight days, or since the request, on, the server compares no income, because a list reads
 * the transfers of many requests every few seconds.
 */
const MOVEMENTS_MAX = 5_000
/**
 * From this multiple of the usual income of a day on, the income of 24 hours is a burst. FATF Recommendation 10 (d) requires
 * that transactions fit the knowledge of the customer. The console marks a payout from the same multiple on.
 */
const BURST_TIMES = 5n

/** The SQL condition for a transfer that credits a payment to a merchant. */
export const RECEIVED = "posting in ('collection_settled', 'collection_cleared')"

/**
 * Returns the start of the 24 hours before a request, the start of the usual days before them, and the end of the income that
 * counts. Payments of the millisecond of the request count.
 */
export function incomePeriods(requested_at: Date): { usual_from: Date; day_from: Date; end: Date } {
  const daysBefore = (days: number) => new Date(requested_at.getTime() - days * DAY_MS)
  return { usual_from: daysBefore(USUAL_DAYS + 1), day_from: daysBefore(1), end: new Date(requested_at.getTime() + 1) }
}

/**
 * Returns the average income of a usual day in cents, and whether the income of the 24 hours is a burst. `age_ms` is the age of
 * the merchant at the request. Null means that the merchant was too young, or that it received too many payments.
 */
export function compareIncome({
  received_minor,
  before_minor,
  movements,
  age_ms,
}: {
  received_minor: bigint
  before_minor: bigint
  movements: number
  age_ms: number
}): { daily_before_minor: bigint | null; is_burst: boolean } {
  // A younger merchant has no usual income, and a limited read does not contain all days.
  const is_known = age_ms >= (USUAL_DAYS + 1) * DAY_MS && movements < MOVEMENTS_MAX
  return {
    daily_before_minor: is_known ? before_minor / BigInt(USUAL_DAYS) : null,
    is_burst: is_known && received_minor > 0n && received_minor * BigInt(USUAL_DAYS) >= before_minor * BURST_TIMES,
  }
}

/** The highest number of waiting withdrawals of a book that the sum of their amounts counts. */
const WAITING_MAX = 1_000
/** The highest number of transfers of a book that a query reads: the days before a request, and the time since. */
const BOOK_MAX = 2 * MOVEMENTS_MAX

/** The income before a request with the income since, as `incomeOfRequests` returns them. */
export type RequestIncome = {
  received_minor: bigint
  before_minor: bigint
  later_minor: bigint
  movements_before: number
  movements_later: number
}

/**
 * Returns the burst before a request, and the burst since the day before it, each with an older balance that does not cover the
 * withdrawals. After too many later transfers, the server knows no income, so that `is_later` is true.
 */
export function findBurst(
  income: RequestIncome,
  of: { amount_minor: bigint; waiting_minor: bigint; available_minor: bigint; age_ms: number },
): { daily_before_minor: bigint | null; is_before: boolean; is_later: boolean; later_minor: bigint | null } {
  const { received_minor, before_minor, later_minor, movements_before, movements_later } = income
  const { age_ms } = of
  const is_long = movements_later >= MOVEMENTS_MAX
  const movements = Math.max(movements_before, movements_later)
  const before = compareIncome({ received_minor, before_minor, movements, age_ms })
  const until_now = compareIncome({ received_minor: received_minor + later_minor, before_minor, movements, age_ms })
  const older_minor = of.available_minor - received_minor - later_minor
  const waiting_minor = of.waiting_minor > of.amount_minor ? of.waiting_minor : of.amount_minor
  const is_old_enough = age_ms >= (USUAL_DAYS + 1) * DAY_MS
  const is_before = before.is_burst && of.amount_minor > older_minor
  // Without later income, the sentence about the burst before the request already tells everything.
  const adds_nothing = is_before && later_minor === 0n
  return {
    daily_before_minor: before.daily_before_minor,
    is_before,
    is_later: is_old_enough && !adds_nothing && (is_long || (until_now.is_burst && waiting_minor > older_minor)),
    later_minor: is_long ? null : later_minor,
  }
}

/**
 * The parts of a WITH RECURSIVE clause that read the income before and since the rows of `requests`: withdrawals with
 * `created_at`, and `merchant_created_at`. They read each book once. They read the week only if the older balance is too low.
 */
export const incomeOfRequests = (requests: string, currency: string) =>
  `income_requests as materialized (
     select w.merchant_id, w.environment, w.id, w.amount_minor, w.created_at - interval '${(USUAL_DAYS + 1) * 24} hours' as week_from,
       w.created_at - interval '24 hours' as day_from, w.created_at + interval '1 millisecond' as request_end
     from ${requests} w where w.merchant_created_at <= w.created_at - interval '${(USUAL_DAYS + 1) * 24} hours'
   ), income_books as materialized (
     select b.*, a.balance_minor, a.sequence as newest, greatest(b.largest_minor, waiting.amount_minor) as waiting_minor
     from (
       select merchant_id, environment, min(week_from) as week_from, min(day_from) as day_from,
         max(amount_minor) as largest_minor from income_requests group by merchant_id, environment
     ) b
     join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = ${currency}
       and a.code = 'available'
     cross join lateral (
       select coalesce(sum(o.amount_minor), 0)::bigint as amount_minor from (
         select amount_minor from withdrawals
         where merchant_id = b.merchant_id and environment = b.environment
           and status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED') limit ${WAITING_MAX}) o
     ) waiting
   ), income_search(merchant_id, environment, place, moment, low, high) as (
     select b.merchant_id, b.environment, m.place, m.moment, greatest(b.newest + 1 - ${BOOK_MAX}, 1), b.newest + 1
     from income_books b
     cross join unnest(array[b.week_from, b.day_from]) with ordinality as m(moment, place)
     union all
     select s.merchant_id, s.environment, s.place, s.moment,
       case when t.created_at < s.moment then (s.low + s.high) / 2 + 1 else s.low end,
       case when t.created_at < s.moment then s.high else (s.low + s.high) / 2 end
     from income_search s cross join lateral (
       select created_at from ledger_transfers
       where merchant_id = s.merchant_id and environment = s.environment and sequence = (s.low + s.high) / 2 offset 0
     ) t where s.low < s.high
   ), income_ranges as materialized (
     select merchant_id, environment, min(low) filter (where place = 1) as week_from,
       min(low) filter (where place = 2) as day_from
     from income_search where low = high group by merchant_id, environment
   ), income_days as materialized (
     select r.merchant_id, r.environment, t.created_at, case when t.${RECEIVED} then t.amount_minor else 0 end as amount_minor
     from income_ranges r cross join lateral (
       select t.created_at, t.posting, t.amount_minor from ledger_transfers t
       where t.merchant_id = r.merchant_id and t.environment = r.environment and ${IS_BOOKING} and t.sequence >= r.day_from
     ) t
   ), income_weeks as materialized (
     select r.merchant_id, r.environment, t.created_at, case when t.${RECEIVED} then t.amount_minor else 0 end as amount_minor
     from income_ranges r
     join income_books b on b.merchant_id = r.merchant_id and b.environment = r.environment
     cross join lateral (
       select coalesce(sum(d.amount_minor), 0) as amount_minor from income_days d
       where d.merchant_id = r.merchant_id and d.environment = r.environment
     ) days cross join lateral (
       select t.created_at, t.posting, t.amount_minor from ledger_transfers t
       where t.merchant_id = r.merchant_id and t.environment = r.environment and ${IS_BOOKING} and t.sequence >= r.week_from
         and t.sequence < r.day_from and days.amount_minor > 0 and b.waiting_minor > b.balance_minor - days.amount_minor
     ) t
   ), income_sums as (
     select e.merchant_id, e.environment, e.id, e.place,
       sum(e.amount_minor) over before as amount_minor, count(e.amount_minor) over before as movements,
       sum(e.amount_minor) over whole as all_minor, count(e.amount_minor) over whole as all_movements
     from (
       select merchant_id, environment, null::uuid as id, 4 as place, created_at as at, amount_minor from income_days
       union all
       select merchant_id, environment, null::uuid, 4, created_at, amount_minor from income_weeks
       union all
       select r.merchant_id, r.environment, r.id, m.place, m.moment, null
       from income_requests r
       cross join unnest(array[r.week_from, r.day_from, r.request_end]) with ordinality as m(moment, place)
     ) e
     window before as (partition by e.merchant_id, e.environment order by e.at, e.place rows unbounded preceding),
       whole as (partition by e.merchant_id, e.environment)
   ), income as materialized (
     select s.merchant_id, s.id, b.waiting_minor,
       (max(coalesce(s.amount_minor, 0)) filter (where place = 3)
         - max(coalesce(s.amount_minor, 0)) filter (where place = 2))::bigint as received_minor,
       (max(coalesce(s.amount_minor, 0)) filter (where place = 2)
         - max(coalesce(s.amount_minor, 0)) filter (where place = 1))::bigint as before_minor,
       (max(coalesce(s.all_minor, 0)) - max(coalesce(s.amount_minor, 0)) filter (where place = 3))::bigint as later_minor,
       (max(s.movements) filter (where place = 3) - max(s.movements) filter (where place = 1))::int as movements_before,
       (max(s.all_movements) - max(s.movements) filter (where place = 3))::int as movements_later
     from income_sums s join income_books b on b.merchant_id = s.merchant_id and b.environment = s.environment
     where s.id is not null group by s.merchant_id, s.id, b.waiting_minor
   )`
