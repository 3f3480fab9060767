// How postings change what is available: the SQL that every view of a merchant's transactions is built from.
//
// A booking is a posting that touches `available`, which it does with leg 0. Leg 0 stands for it and carries its `sequence`.
// Its legs on that account get consecutive versions, because a posting is written in one statement under the account's lock.

/** True for the leg that stands for a booking. The transfer is aliased t. */
export const IS_BOOKING = 't.sequence is not null'

/** What one leg (of the given alias) did to `available`: below zero where it took. */
export const deltaOf = (leg: string) =>
  `case when ${leg}.credit_code = 'available' then ${leg}.amount_minor else -${leg}.amount_minor end`

/**
 * What the booking of leg 0 (aliased t) did to `available` with all its legs: `net_minor`, below zero where money left, and
 * `balance_minor` after the last of them. For `cross join lateral`.
 */
export const EFFECT = `(
     select sum(d.delta)::bigint as net_minor, (array_agg(d.balance order by d.version desc))[1] as balance_minor
     from (
       select ${deltaOf('l')} as delta,
         case when l.credit_code = 'available' then l.credit_balance_minor else l.debit_balance_minor end as balance,
         case when l.credit_code = 'available' then l.credit_version else l.debit_version end as version
       from ledger_transfers l
       where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
         and l.posting = t.posting and (l.debit_code = 'available' or l.credit_code = 'available')
     ) d
   )`

/** The legs of the booking of leg 0 (aliased t) that follow it and touch `available` too. For `cross join lateral`. */
export const MORE_LEGS = `(
     select ${deltaOf('l')} as delta from ledger_transfers l
     where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
       and l.posting = t.posting and l.leg > 0 and (l.debit_code = 'available' or l.credit_code = 'available') offset 0
   )`
