// Checks the sums of a day that decide whether an action needs two operators. If a person lowers a stored sum, one operator can
// move more than FOUR_EYES_AMOUNT. The limits of payouts have no stored sum, because each approval adds up the day's payouts.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'

/** The name of the check of the sums of a day in the result of verify. */
export const SUMS_HOLD = 'The sums of a day for FOUR_EYES_AMOUNT equal the actions of that day'

/** Returns an SQL expression for the time in Tanzania, as a timestamp without a zone. */
const localTime = (expression: string) => `(${expression} at time zone interval '3 hours')`

// If the audit entry has four_eyes_amount, `counted` is true. The sum must contain these actions, and may contain others. A sum
// is of the day on which the transaction took its lock, before the entry. So an action in the first minute of a day may count
// for the day before. If the clock stepped back, an action in the last seconds of a day may count for the next day.
const BROKEN = sql(
  'verify_four_eyes_sums',
  `with bounds as materialized (
     select min(day) as first_stored, ${localTime('$1::timestamptz')}::date as kept_since from four_eyes_sums
   ), acts as materialized (
     select l.merchant_id, l.target_id, l.action, (l.after -> 'four_eyes_amount') is not null as counted,
       ${localTime('l.at')}::date as day,
       ${localTime('l.at')}::time < '00:01' as early, ${localTime('l.at')}::time >= '23:59:55' as late
     from audit_log l cross join bounds b
     where l.action in ('withdrawal.approve', 'adjustment.create', 'collection.clear', 'withdrawal.resolve')
       and ${localTime('l.at')}::date >= least(b.first_stored, b.kept_since)
   ), parts as materialized (
     select a.*, w.environment, w.total_reserved_minor as amount, s.owner, s.kind, s.subject
     from acts a join withdrawals w on w.merchant_id = a.merchant_id and w.id::text = a.target_id
     cross join lateral (values (w.merchant_id, 'payouts', ''),
       ('00000000-0000-0000-0000-000000000000'::uuid, 'destination', w.destination_identifier)) s(owner, kind, subject)
     where a.action = 'withdrawal.approve'
     union all
     select a.*, w.environment, w.total_reserved_minor, w.merchant_id, 'corrections', ''
     from acts a join withdrawals w on w.merchant_id = a.merchant_id and w.id::text = a.target_id where a.action = 'withdrawal.resolve'
     union all
     select a.*, j.environment, j.amount_minor, j.merchant_id, 'corrections', ''
     from acts a join adjustments j on j.merchant_id = a.merchant_id and j.id::text = a.target_id where a.action = 'adjustment.create'
     union all
     select a.*, c.environment, coalesce(c.amount_received_minor, c.amount_minor), c.merchant_id, 'corrections', ''
     from acts a join collections c on c.merchant_id = a.merchant_id and c.id::text = a.target_id where a.action = 'collection.clear'
   ), expected as (
     select owner as merchant_id, environment, kind, subject, on_day as day,
       coalesce(sum(amount) filter (where counted and not early and not late and day = on_day), 0) as least_minor,
       coalesce(sum(amount) filter (where counted and day = on_day), 0) as sum_minor, sum(amount) as most_minor
     from parts cross join lateral (select day as on_day union all select day - 1 where early union all select day + 1 where late) d
     group by owner, environment, kind, subject, on_day
   )
   select count(*) over ()::int as total, case kind
       when 'destination' then 'the destination *** ' || right(subject, 4) || ' of all merchants'
       else 'merchant ' || merchant_id end || ' ' || environment || ', ' || kind || ' of ' || day || ': the stored sum is '
     || coalesce(s.total_minor, 0) || ' cents, the actions of the day add up to ' || coalesce(e.sum_minor, 0) || ' cents' as finding
   from four_eyes_sums s full join expected e using (merchant_id, environment, kind, subject, day) cross join bounds b
   where (s.total_minor is not null or day >= b.kept_since)
     and coalesce(s.total_minor, 0) not between coalesce(e.least_minor, 0) and coalesce(e.most_minor, 0)
   order by day, finding limit $2`,
)

/** The number of days before today whose sums the server always keeps. */
const KEPT_DAYS = 1

/**
 * Returns the number of wrong sums, and at most `limit` findings with merchant, day, stored sum and correct sum in cents. If
 * `now` is null, a day without a stored sum is no finding.
 */
export async function findWrongSums(
  reader: Reader,
  now: Date | null,
  limit: number,
): Promise<{ total: number; findings: string[] }> {
  const kept_since = now === null ? null : new Date(now.getTime() - KEPT_DAYS * DAY_MS)
  const rows = await reader.query<{ total: number; finding: string }>(BROKEN, [kept_since, limit])
  return { total: rows[0]?.total ?? 0, findings: rows.map(({ finding }) => finding) }
}
