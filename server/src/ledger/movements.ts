// How postings change what is available: the SQL that every view of a merchant's transactions is built from.
//
// A posting touches `available` with leg 0, or not at all. Its legs on that account get consecutive versions, because a
// posting is written in one statement under the account's lock. So leg 0 stands for the posting, its id dates it, and the
// last leg tells what was available afterwards.

/** True for the leg that stands for a posting which touches `available`. The transfer is aliased t. */
export const OF_AVAILABLE = "t.leg = 0 and (t.debit_code = 'available' or t.credit_code = 'available')"

/** The version of `available` after the leg that stands for a posting. The transfer is aliased t. */
export const FIRST_VERSION = "case when t.credit_code = 'available' then t.credit_version else t.debit_version end"

/** What one leg (of the given alias) did to `available`: below zero where it took. */
export const deltaOf = (leg: string) =>
  `case when ${leg}.credit_code = 'available' then ${leg}.amount_minor else -${leg}.amount_minor end`

/**
 * What the posting of leg 0 (aliased t) did to `available` with all its legs: `net_minor`, below zero where money left,
 * `balance_minor` and `last_version` after the last of them, and `moves`, their number. For `cross join lateral`.
 */
export const EFFECT = `(
     select sum(d.delta)::bigint as net_minor, (array_agg(d.balance order by d.version desc))[1] as balance_minor,
       max(d.version) as last_version, count(*)::int as moves
     from (
       select ${deltaOf('l')} as delta,
         case when l.credit_code = 'available' then l.credit_balance_minor else l.debit_balance_minor end as balance,
         case when l.credit_code = 'available' then l.credit_version else l.debit_version end as version
       from ledger_transfers l
       where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
         and l.posting = t.posting and (l.debit_code = 'available' or l.credit_code = 'available')
     ) d
   )`

/** The legs of the posting of leg 0 (aliased t) that follow it and touch `available` too. For `cross join lateral`. */
export const MORE_LEGS = `(
     select ${deltaOf('l')} as delta from ledger_transfers l
     where l.merchant_id = t.merchant_id and l.source_id = t.source_id and l.source_type = t.source_type
       and l.posting = t.posting and l.leg > 0 and (l.debit_code = 'available' or l.credit_code = 'available') offset 0
   )`
