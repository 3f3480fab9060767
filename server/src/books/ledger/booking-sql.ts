// Defines SQL for bookings, the postings that change `available`. Leg 0 has the `sequence` of the booking. All legs on
// `available` have consecutive versions, because one statement writes them under the account lock.

/** The SQL condition for leg 0 of a booking. In the statement, t is the alias of the transfer. */
export const IS_BOOKING = 't.sequence is not null'

/** Returns SQL for the change of `available` in cents by the leg with the given alias. A debit is negative. */
export const availableDelta = (leg: string) =>
  `case when ${leg}.credit_code = 'available' then ${leg}.amount_minor else -${leg}.amount_minor end`

/**
 * SQL for the effect of all legs of a booking, in cents, for `cross join lateral`. Leg 0 has the alias t. `net_minor` is
 * negative for a debit; `balance_minor` is the balance after the last leg.
 */
export const BOOKING_EFFECT = `(
     select sum(d.delta)::bigint as net_minor, (array_agg(d.balance order by d.version desc))[1] as balance_minor
     from (
       select ${availableDelta('l')} as delta,
         case when l.credit_code = 'available' then l.credit_balance_minor else l.debit_balance_minor end as balance,
         case when l.credit_code = 'available' then l.credit_version else l.debit_version end as version
       from ledger_transfers l
       where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
         and l.posting = t.posting and (l.debit_code = 'available' or l.credit_code = 'available')
     ) d
   )`

/**
 * SQL for the legs of a booking after leg 0 that change `available`, for `cross join lateral`. Leg 0 has the alias t.
 */
export const LATER_LEGS = `(
     select ${availableDelta('l')} as delta from ledger_transfers l
     where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
       and l.posting = t.posting and l.leg > 0 and (l.debit_code = 'available' or l.credit_code = 'available') offset 0
   )`
