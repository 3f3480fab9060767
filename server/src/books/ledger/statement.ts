// Finds the bookings of a period, and the available balance after a booking.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { assertInvariant, CURRENCY } from '../../kernel/lib/index.ts'
import type { BookKey } from './book.ts'
import { BOOKING_EFFECT } from './booking-sql.ts'

/**
 * After this time in milliseconds, no new booking gets an earlier date. A process reads the clock before it waits for the book
 * lock. Statements and idle transactions end within 10 seconds, so no such wait is longer.
 */
export const BOOKING_DELAY_MS = 5 * 60_000

/** A range of bookings of one book, by sequence. `from` is inclusive, and `until` is exclusive. */
export type SequenceRange = { from: bigint; until: bigint }

// Dates never decrease along the sequences of a book, so a binary search finds the first booking at or after a moment. In ten
// million bookings, the search reads 24 rows. Null as a moment means an end of the book.
const RANGE = sql(
  'ledger_sequence_range',
  `with recursive search(place, moment, low, high) as (
     select m.place, m.moment, case when m.moment is null and m.place = 2 then a.sequence + 1 else 1 end,
       case when m.moment is null and m.place = 1 then 1 else a.sequence + 1 end
     from ledger_accounts a cross join unnest($4::timestamptz[]) with ordinality as m(moment, place)
     where a.merchant_id = $1 and a.environment = $2 and a.currency = $3 and a.code = 'available'
     union all
     select s.place, s.moment, case when t.created_at < s.moment then (s.low + s.high) / 2 + 1 else s.low end,
       case when t.created_at < s.moment then s.high else (s.low + s.high) / 2 end
     from search s cross join lateral (
       select created_at from ledger_transfers
       where merchant_id = $1 and environment = $2 and sequence = (s.low + s.high) / 2 offset 0
     ) t where s.low < s.high
   )
   select low as sequence from search where low = high order by place`,
)

/**
 * Finds the bookings of a book with a date at or after `from` and before `to`. Null means no limit. The number of rows that the
 * search reads grows with the logarithm of the number of bookings.
 */
export async function bookingsBetween(
  reader: Reader,
  { merchant_id, environment }: BookKey,
  from: Date | null,
  to: Date | null,
): Promise<SequenceRange> {
  const found = await reader.query<{ sequence: bigint }>(RANGE, [merchant_id, environment, CURRENCY, [from, to]])
  const [first, end] = found
  assertInvariant(first !== undefined && end !== undefined, `the bookings of ${merchant_id} have a gap`)
  return { from: first.sequence, until: first.sequence > end.sequence ? first.sequence : end.sequence }
}

const BALANCE_AFTER = sql(
  'ledger_balance_after',
  `select e.balance_minor from ledger_transfers t cross join lateral ${BOOKING_EFFECT} e
   where t.merchant_id = $1 and t.environment = $2 and t.sequence = $3`,
)

/**
 * Returns the available balance in cents after a booking. For sequence 0, returns zero. If the booking is missing, throws.
 */
export async function balanceAfter(reader: Reader, book: BookKey, sequence: bigint): Promise<bigint> {
  if (sequence === 0n) return 0n
  const { merchant_id, environment } = book
  const [row] = await reader.query<{ balance_minor: bigint }>(BALANCE_AFTER, [merchant_id, environment, sequence])
  assertInvariant(row !== undefined, `booking ${sequence} of ${merchant_id} is missing`)
  return row.balance_minor
}
