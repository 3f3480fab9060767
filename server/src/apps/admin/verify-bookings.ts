// Defines the invariants of bookings: the numbers, dates and running balances of the bookings in each book.

import type { Invariant } from './verify-people.ts'

// The query returns one row for each posting that changes `available`, with the sum of its changes and the balance after the
// last change.
const BOOKINGS_OF_LEGS = `select merchant_id, environment, source_id, posting, max(sequence) as sequence, max(booked_at) as booked_at,
        min(version) as version, sum(delta) as net, (array_agg(balance order by version desc))[1] as balance
      from (
        select merchant_id, environment, source_type, source_id, posting, sequence,
          case when leg = 0 then created_at end as booked_at,
          case when credit_code = 'available' then credit_version else debit_version end as version,
          case when credit_code = 'available' then credit_balance_minor else debit_balance_minor end as balance,
          case when credit_code = 'available' then amount_minor else -amount_minor end as delta
        from ledger_transfers where debit_code = 'available' or credit_code = 'available') legs
      group by merchant_id, environment, source_type, source_id, posting`

const BOOKING_NAME = "merchant_id || ' ' || environment || ' ' || source_id || ' ' || posting"

/** The checks of `verify` about bookings. */
export const BOOKINGS: Invariant[] = [
  {
    name: 'Every book numbers its bookings from 1 without a gap, in the order in which they were written',
    broken: `select ${BOOKING_NAME} || ' is number ' || coalesce(sequence::text, 'none') || ', expected number ' || place as finding
      from (
        select *, row_number() over (partition by merchant_id, environment order by version) as place
        from (${BOOKINGS_OF_LEGS}) bookings) placed
      where sequence is distinct from place
      union all select merchant_id || ' ' || id || ' has number ' || sequence || ' and is no booking' from ledger_transfers
      where sequence is not null and (leg <> 0 or 'available' not in (debit_code, credit_code))`,
  },
  {
    name: 'The booking count and the booking date of every book equal those of its last booking',
    broken: `select a.merchant_id || ' ' || a.environment || ' ' || a.code || ' counts ' || a.sequence || ', has '
        || coalesce(t.bookings, 0) as finding
      from ledger_accounts a left join (
        select merchant_id, environment, currency, 'available' as code, count(*) as bookings, max(sequence) as last,
          max(created_at) as booked_at
        from ledger_transfers where sequence is not null
        group by merchant_id, environment, currency) t using (merchant_id, environment, currency, code)
      where a.sequence <> coalesce(t.bookings, 0) or a.sequence <> coalesce(t.last, 0)
        or a.booked_at is distinct from t.booked_at`,
  },
  {
    name: 'The balance after every booking equals the balance before it plus its change',
    broken: `select ${BOOKING_NAME} || ' leaves ' || balance || ', not ' || expected as finding
      from (
        select *, coalesce(lag(balance) over (partition by merchant_id, environment order by sequence), 0) + net as expected
        from (${BOOKINGS_OF_LEGS}) bookings) chained
      where balance <> expected`,
  },
  {
    name: 'No booking is dated before the previous booking',
    broken: `select merchant_id || ' ' || id || ' is dated ' || created_at || ', number ' || sequence - 1 || ' ' || before as finding
      from (
        select *, lag(created_at) over (partition by merchant_id, environment order by sequence) as before
        from ledger_transfers where sequence is not null) dated
      where created_at < before`,
  },
]
