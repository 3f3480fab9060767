// Finds the credits that funded a debit, first in, first out: a debit uses the oldest available credits.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { BookKey } from './book.ts'
import { BOOKING_EFFECT } from './booking-sql.ts'
import type { Fact, SourceType } from './post.ts'

/** A posting that credited `available`. `used_minor` is the part in cents that the debit used. */
export type FundingCredit = {
  id: string
  posting: Fact
  source_type: SourceType
  source_id: string
  net_minor: bigint
  used_minor: bigint
}

/**
 * The credits that funded a debit, oldest first. If `complete` is false, the credits cover only a part of the debit.
 */
export type FundingCredits = { origins: FundingCredit[]; complete: boolean }

/** The greatest number of bookings that the search reads. */
const BOOKINGS_MAX = 10_000
const BATCH_SIZE = 1_000

type Booking = Omit<FundingCredit, 'used_minor'> & { sequence: bigint }

const DEBIT = sql(
  'ledger_taken',
  `select t.environment, t.amount_minor, t.debit_balance_minor + t.amount_minor as before_minor, t.sequence
   from ledger_transfers t where t.merchant_id = $1 and t.id = $2 and t.debit_code = 'available' and t.leg = 0`,
)

const BATCH_BEFORE = sql(
  'ledger_bookings_before',
  `select t.id, t.sequence, t.posting, t.source_type, t.source_id, e.net_minor from (
     select t.* from ledger_transfers t
     where t.merchant_id = $1 and t.environment = $2 and t.sequence < $3 order by t.sequence desc limit $4
   ) t cross join lateral ${BOOKING_EFFECT} e order by t.sequence desc`,
)

/**
 * Finds the credits that a debit of `available` used. The latest credits before the debit sum up to the balance, and the debit
 * used the oldest part of this balance. The search stops after BOOKINGS_MAX bookings.
 */
export async function findFundingCredits(
  reader: Reader,
  merchant_id: string,
  transfer_id: string,
): Promise<FundingCredits> {
  const [debit] = await reader.query<{
    environment: string
    amount_minor: bigint
    before_minor: bigint
    sequence: bigint
  }>(DEBIT, [merchant_id, transfer_id])
  if (!debit) return { origins: [], complete: false }
  const { amount_minor, before_minor } = debit
  const book = { merchant_id, environment: debit.environment }
  const origins: FundingCredit[] = []
  let unexplained = before_minor
  let remaining_after = before_minor - amount_minor
  for await (const { sequence: _, ...origin } of bookingsBefore(reader, book, debit.sequence)) {
    if (origin.net_minor > 0n) {
      const present = smaller(origin.net_minor, unexplained)
      const unused = smaller(present, remaining_after)
      unexplained -= present
      remaining_after -= unused
      if (present > unused) origins.push({ ...origin, used_minor: present - unused })
    }
    if (unexplained === 0n) break
  }
  return { origins: origins.reverse(), complete: unexplained === 0n }
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** Yields the bookings of a book before the given sequence, newest first, at most BOOKINGS_MAX of them. */
async function* bookingsBefore(reader: Reader, book: BookKey, sequence: bigint): AsyncGenerator<Booking> {
  let until = sequence
  for (let read = 0; read < BOOKINGS_MAX && until > 1n; ) {
    const batch = await reader.query<Booking>(BATCH_BEFORE, [book.merchant_id, book.environment, until, BATCH_SIZE])
    yield* batch
    until = batch.at(-1)?.sequence ?? 1n
    read += batch.length
  }
}
