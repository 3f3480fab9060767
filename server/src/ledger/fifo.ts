// Which credits an amount was taken from, when what came first is taken first.

import { type Reader, sql } from '../db/index.ts'
import { firstIdAt, timeOf } from '../lib/index.ts'
import type { BookKey } from './balance.ts'
import { EFFECT, FIRST_VERSION, OF_AVAILABLE } from './movements.ts'
import type { Fact, SourceType } from './post.ts'
import { ORDER_MS } from './statement.ts'

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

/** Further back than so many postings nobody looks. */
const POSTINGS_MAX = 10_000
const BATCH = 1_000

type Posted = Omit<Origin, 'used_minor'> & { last_version: bigint; moves: number }

const TAKEN = sql(
  'ledger_taken',
  `select t.environment, t.amount_minor, t.debit_balance_minor + t.amount_minor as before_minor, t.debit_version
   from ledger_transfers t where t.merchant_id = $1 and t.id = $2 and t.debit_code = 'available'`,
)

const POSTED = `t.id, t.posting, t.source_type, t.source_id, e.net_minor, e.last_version, e.moves`

const BATCH_BEFORE = sql(
  'ledger_postings_before',
  `select ${POSTED} from (
     select t.* from ledger_transfers t
     where t.merchant_id = $1 and t.environment = $2 and ${OF_AVAILABLE} and t.id < $3 order by t.id desc limit $4
   ) t cross join lateral ${EFFECT} e order by t.id desc`,
)

// Dated after the debit, by another machine's clock, and written before it.
const OVERTAKEN = sql(
  'ledger_postings_overtaken',
  `select ${POSTED} from ledger_transfers t cross join lateral ${EFFECT} e
   where t.merchant_id = $1 and t.environment = $2 and ${OF_AVAILABLE} and t.id > $3 and t.id < $4
     and ${FIRST_VERSION} < $5`,
)

/**
 * Which credits a debit of `available` took. What lay there before the debit are the latest credits that make up the
 * balance, and the debit took the oldest part of that. The way back follows the versions of the account, which know no
 * gap: so two debits never claim the same money. It ends after some thousands of postings.
 */
export async function originsOf(reader: Reader, merchant_id: string, transfer_id: string): Promise<Origins> {
  const [taken] = await reader.query<{
    environment: string
    amount_minor: bigint
    before_minor: bigint
    debit_version: bigint
  }>(TAKEN, [merchant_id, transfer_id])
  if (!taken) return { origins: [], complete: false }
  const { amount_minor, before_minor } = taken
  const book = { merchant_id, environment: taken.environment }
  const origins: Origin[] = []
  let lying = before_minor
  let newer = before_minor - amount_minor
  for await (const posted of wayBack(reader, book, transfer_id, taken.debit_version)) {
    if (posted.net_minor > 0n) {
      const left = least(posted.net_minor, lying)
      const kept = least(left, newer)
      lying -= left
      newer -= kept
      const { last_version, moves, ...origin } = posted
      if (left > kept) origins.push({ ...origin, used_minor: left - kept })
    }
    if (lying === 0n) break
  }
  return { origins: origins.reverse(), complete: lying === 0n }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/** The postings of a book that were written before a version of `available`, the last one first, without a gap. */
async function* wayBack(reader: Reader, book: BookKey, from_id: string, version: bigint): AsyncGenerator<Posted> {
  const key = [book.merchant_id, book.environment]
  const until = firstIdAt(new Date(timeOf(from_id).getTime() + ORDER_MS))
  const overtaken = await reader.query<Posted>(OVERTAKEN, [...key, from_id, until, version])
  const known = new Map(overtaken.map((posted) => [posted.last_version, posted]))
  let cursor = from_id
  let read = 0
  for (let next = version - 1n; next > 0n; ) {
    const posted = known.get(next)
    if (posted) {
      known.delete(next)
      next -= BigInt(posted.moves)
      yield posted
      continue
    }
    if (read >= POSTINGS_MAX) return
    const batch = await reader.query<Posted>(BATCH_BEFORE, [...key, cursor, BATCH])
    const last = batch.at(-1)
    if (!last) return
    for (const one of batch) known.set(one.last_version, one)
    cursor = last.id
    read += batch.length
  }
}
