// Which credits an amount was taken from, when what came first is taken first.

import { type Reader, sql } from '../../kernel/db/index.ts'
import type { BookKey } from './balance.ts'
import { EFFECT } from './movements.ts'
import type { Fact, SourceType } from './post.ts'

/** A posting that credited what is available, and how much of it was taken. Amounts in cents. */
export type Origin = {
  id: string
  posting: Fact
  source_type: SourceType
  source_id: string
  net_minor: bigint
  used_minor: bigint
}

/** Where an amount came from, oldest first. `complete`: the whole of it was found. */
export type Origins = { origins: Origin[]; complete: boolean }

/** How many bookings are looked at, at most. */
const BOOKINGS_MAX = 10_000
const BATCH = 1_000

type Booking = Omit<Origin, 'used_minor'> & { sequence: bigint }

const TAKEN = sql(
  'ledger_taken',
  `select t.environment, t.amount_minor, t.debit_balance_minor + t.amount_minor as before_minor, t.sequence
   from ledger_transfers t where t.merchant_id = $1 and t.id = $2 and t.debit_code = 'available' and t.leg = 0`,
)

const BATCH_BEFORE = sql(
  'ledger_bookings_before',
  `select t.id, t.sequence, t.posting, t.source_type, t.source_id, e.net_minor from (
     select t.* from ledger_transfers t
     where t.merchant_id = $1 and t.environment = $2 and t.sequence < $3 order by t.sequence desc limit $4
   ) t cross join lateral ${EFFECT} e order by t.sequence desc`,
)

/**
 * Which credits a debit of `available` took. What lay there before the debit are the latest credits that make up the
 * balance, and the debit took the oldest part of that. The way back follows the numbers of the book, which have no
 * gap: so two debits never claim the same money. It ends after some thousands of bookings.
 */
export async function originsOf(reader: Reader, merchant_id: string, transfer_id: string): Promise<Origins> {
  const [taken] = await reader.query<{
    environment: string
    amount_minor: bigint
    before_minor: bigint
    sequence: bigint
  }>(TAKEN, [merchant_id, transfer_id])
  if (!taken) return { origins: [], complete: false }
  const { amount_minor, before_minor } = taken
  const book = { merchant_id, environment: taken.environment }
  const origins: Origin[] = []
  let lying = before_minor
  let newer = before_minor - amount_minor
  for await (const { sequence: _, ...origin } of wayBack(reader, book, taken.sequence)) {
    if (origin.net_minor > 0n) {
      const left = least(origin.net_minor, lying)
      const kept = least(left, newer)
      lying -= left
      newer -= kept
      if (left > kept) origins.push({ ...origin, used_minor: left - kept })
    }
    if (lying === 0n) break
  }
  return { origins: origins.reverse(), complete: lying === 0n }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The bookings of a book before one of them, the last one first. */
async function* wayBack(reader: Reader, book: BookKey, sequence: bigint): AsyncGenerator<Booking> {
  let until = sequence
  for (let read = 0; read < BOOKINGS_MAX && until > 1n; ) {
    const batch = await reader.query<Booking>(BATCH_BEFORE, [book.merchant_id, book.environment, until, BATCH])
    yield* batch
    until = batch.at(-1)?.sequence ?? 1n
    read += batch.length
  }
}
