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

/**
 * The parts of a WITH RECURSIVE clause that read the income before the rows of `requests`: withdrawals with `created_at`, and
 * `merchant_created_at`. `later_minor` is the income since the request. The week is read only if the older part of the balance
 * does not cover the amount.
 */
export const incomeOfRequests = (requests: string, currency: string) =>
  `income_search(merchant_id, environment, id, place, moment, low, high, newest, missing_minor) as (
     select w.merchant_id, w.environment, w.id, m.place, m.moment, 1::bigint, a.sequence + 1, a.sequence,
       w.amount_minor - a.balance_minor
     from ${requests} w
     join ledger_accounts a on a.merchant_id = w.merchant_id and a.environment = w.environment and a.currency = ${currency}
       and a.code = 'available'
     cross join unnest(array[w.created_at - interval '${(USUAL_DAYS + 1) * 24} hours', w.created_at - interval '24 hours',
       w.created_at + interval '1 millisecond']) with ordinality as m(moment, place)
     where w.merchant_created_at <= w.created_at - interval '${(USUAL_DAYS + 1) * 24} hours'
     union all
     select s.merchant_id, s.environment, s.id, s.place, s.moment,
       case when t.created_at < s.moment then (s.low + s.high) / 2 + 1 else s.low end,
       case when t.created_at < s.moment then s.high else (s.low + s.high) / 2 end, s.newest, s.missing_minor
     from income_search s cross join lateral (
       select created_at from ledger_transfers
       where merchant_id = s.merchant_id and environment = s.environment and sequence = (s.low + s.high) / 2 offset 0
     ) t where s.low < s.high
   ), income_ranges as materialized (
     select merchant_id, environment, id, min(newest) as newest, min(missing_minor) as missing_minor,
       min(low) filter (where place = 1) as week_from, min(low) filter (where place = 2) as day_from,
       min(low) filter (where place = 3) as request_at
     from income_search where low = high group by merchant_id, environment, id
   ), income as materialized (
     select r.merchant_id, r.id, day.received_minor, day.later_minor, week.before_minor,
       greatest(r.request_at - r.week_from, r.newest + 1 - r.request_at)::int as movements
     from income_ranges r
     cross join lateral (
       select coalesce(sum(t.amount_minor) filter (where t.sequence < r.request_at), 0)::bigint as received_minor,
         coalesce(sum(t.amount_minor) filter (where t.sequence >= r.request_at), 0)::bigint as later_minor
       from ledger_transfers t
       where t.merchant_id = r.merchant_id and t.environment = r.environment and ${IS_BOOKING} and t.sequence >= r.day_from
         and t.${RECEIVED} and r.request_at - r.week_from < ${MOVEMENTS_MAX} and r.newest + 1 - r.request_at < ${MOVEMENTS_MAX}
     ) day cross join lateral (
       select coalesce(sum(t.amount_minor), 0)::bigint as before_minor from ledger_transfers t
       where t.merchant_id = r.merchant_id and t.environment = r.environment and ${IS_BOOKING} and t.sequence >= r.week_from
         and t.sequence < r.day_from and t.${RECEIVED} and day.received_minor > 0
         and r.missing_minor + day.received_minor + day.later_minor > 0
     ) week
   )`
