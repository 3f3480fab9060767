// Defines a burst of income: the payments of the last 24 hours, compared with the average day of the week before.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'

/** The number of days before the last 24 hours whose average income is usual. */
export const USUAL_DAYS = 7
/**
 * From this number of transfers in eight days on, the server compares no income, because a list reads the transfers of several
 * merchants every few seconds.
 */
const MOVEMENTS_MAX = 5_000
/**
 * From this multiple of the usual income of a day on, the income of 24 hours is a burst. FATF Recommendation 10 (d) requires
 * that transactions fit the knowledge of the customer. The console marks a payout from the same multiple on.
 */
const BURST_TIMES = 5n

/** The SQL condition for a transfer that credits a payment to a merchant. */
export const RECEIVED = "posting in ('collection_settled', 'collection_cleared')"

/** Returns the start of the last 24 hours, and the start of the usual days before them. */
export function incomePeriods(now: Date): { usual_from: Date; day_from: Date } {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  return { usual_from: daysAgo(USUAL_DAYS + 1), day_from: daysAgo(1) }
}

/**
 * Returns the average income of a usual day in cents, and whether the income of the last 24 hours is a burst. Null means that
 * the merchant is too young, or that it received too many payments.
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
 * The parts of a WITH RECURSIVE clause that read the income of the rows of `books`: merchants, environments, `created_at` of the
 * merchant and the largest `amount_minor`. The week is read only if the balance without the last 24 hours does not cover it.
 */
export const incomeOfBooks = (books: string, currency: string, [from, until]: readonly [string, string]) =>
  `income_search(merchant_id, environment, place, moment, low, high, newest, missing_minor) as (
     select b.merchant_id, b.environment, m.place, m.moment, 1::bigint, a.sequence + 1, a.sequence,
       b.amount_minor - a.balance_minor
     from ${books} b
     join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = ${currency}
       and a.code = 'available'
     cross join unnest(array[${from}, ${until}]::timestamptz[]) with ordinality as m(moment, place)
     where b.created_at <= ${from}
     union all
     select s.merchant_id, s.environment, s.place, s.moment,
       case when t.created_at < s.moment then (s.low + s.high) / 2 + 1 else s.low end,
       case when t.created_at < s.moment then s.high else (s.low + s.high) / 2 end, s.newest, s.missing_minor
     from income_search s cross join lateral (
       select created_at from ledger_transfers
       where merchant_id = s.merchant_id and environment = s.environment and sequence = (s.low + s.high) / 2 offset 0
     ) t where s.low < s.high
   ), income as materialized (
     select f.merchant_id, f.environment, day.received_minor, week.before_minor, (f.newest + 1 - f.low)::int as movements
     from income_search f
     join income_search u on u.merchant_id = f.merchant_id and u.environment = f.environment and u.place = 2 and u.low = u.high
     cross join lateral (
       select coalesce(sum(t.amount_minor), 0)::bigint as received_minor from ledger_transfers t
       where t.merchant_id = f.merchant_id and t.environment = f.environment and ${IS_BOOKING} and t.sequence >= u.low
         and t.${RECEIVED} and f.newest - f.low < ${MOVEMENTS_MAX - 1}
     ) day cross join lateral (
       select coalesce(sum(t.amount_minor), 0)::bigint as before_minor from ledger_transfers t
       where t.merchant_id = f.merchant_id and t.environment = f.environment and ${IS_BOOKING} and t.sequence >= f.low
         and t.sequence < u.low and t.${RECEIVED} and day.received_minor > 0 and f.missing_minor + day.received_minor > 0
     ) week
     where f.place = 1 and f.low = f.high
   )`
