// Reads transactions: the postings that change the available balance, each with its payment or withdrawal.

import {
  BOOKING_EFFECT,
  type BookKey,
  type Fact,
  IS_BOOKING,
  type SequenceRange,
  type SourceType,
} from '../../books/ledger/index.ts'
import { type Deps, inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment } from '../../kernel/http/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { factsOfType } from './kinds.ts'

/** A stored transaction. Amounts are in cents; `net_minor` is negative if the available balance decreased. */
export type Transaction = {
  merchant_id: string
  id: string
  /** The sequence number of the booking in its book. The numbers begin at 1 and have no gap. */
  sequence: bigint
  environment: Environment
  currency: string
  posting: Fact
  source_type: SourceType
  source_id: string
  amount_minor: bigint
  net_minor: bigint
  /** The available balance after this transaction, in cents. */
  balance_minor: bigint
  merchant_reference: string | null
  collection_status: string | null
  withdrawal_status: string | null
  /** The time of the booking. No booking has an earlier time than the previous booking of its book. */
  created_at: Date
}

/**
 * SQL for the amount without charges. The transfer has the alias t, and the withdrawal has the alias w. A reservation and a release
 * each have one transfer with the sum of amount and charges.
 */
export const AMOUNT = `case when t.posting in ('withdrawal_reserved', 'withdrawal_released')
     then w.amount_minor else t.amount_minor end`

// The SQL finds the payment or withdrawal of each transaction by its primary key. If the table is large, `offset 0` keeps the
// planner from a scan of the whole table.
const COLLECTION_OF = `lateral (
     select c.status, c.reference from collections c
     where t.source_type = 'collection' and c.merchant_id = t.merchant_id and c.environment = t.environment
       and c.id = t.source_id offset 0)`

/** SQL for `left join` that finds the withdrawal of the transfer t. */
export const WITHDRAWAL_OF = `lateral (
     select w.status, w.reference, w.amount_minor from withdrawals w
     where t.source_type = 'withdrawal' and w.merchant_id = t.merchant_id and w.environment = t.environment
       and w.id = t.source_id offset 0)`

/** Returns the SQL that selects the transactions of some transfers, the last booking first. */
const transactionsOf = (transfers: string) => `
   select t.merchant_id, t.id, t.sequence, t.environment, t.currency, t.posting, t.source_type, t.source_id,
     ${AMOUNT} as amount_minor, e.net_minor, e.balance_minor, coalesce(c.reference, w.reference) as merchant_reference,
     c.status as collection_status, w.status as withdrawal_status, t.created_at
   from (${transfers}) t
   cross join lateral ${BOOKING_EFFECT} e
   left join ${COLLECTION_OF} c on true
   left join ${WITHDRAWAL_OF} w on true
   order by t.sequence desc`

const FIND = sql(
  'transactions_find',
  transactionsOf(
    `select t.* from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
     cross join lateral (
       select * from ledger_transfers where merchant_id = i.merchant_id and id = i.id offset 0
     ) t where ${IS_BOOKING}`,
  ),
)

/**
 * Makes the function that finds transactions in batches. Each look-up finds only a transaction of its merchant and environment,
 * or returns null.
 */
export function createFindTransaction(deps: Deps): (key: BookKey & { id: string }) => Promise<Transaction | null> {
  return gather<BookKey & { id: string }, Transaction | null>(
    async (keys) => {
      const distinct = new Map(keys.map(({ merchant_id, id }) => [`${merchant_id} ${id}`, { merchant_id, id }]))
      const rows = await deps.db.query<Transaction>(FIND, [JSON.stringify([...distinct.values()])])
      const found = new Map(rows.map((row) => [`${row.merchant_id} ${row.id}`, row]))
      return keys.map(({ merchant_id, environment, id }) => {
        const row = found.get(`${merchant_id} ${id}`)
        return row?.environment === environment ? row : null
      })
    },
    { max_items: 500, max_running: 2 },
  )
}

/** A selection of transactions of a book, by ledger facts and by sequence numbers. */
export type Selection = BookKey & SequenceRange & { facts: readonly Fact[] }

const SELECTED = `t.merchant_id = $1 and t.environment = $2 and t.sequence >= $3 and t.sequence < $4 and t.posting = any($5)`

// With this explicit condition, the planner can use the partial index of all bookings except settled payments.
const RARE = "t.posting <> 'collection_settled'"

// PostgreSQL plans these unnamed prepared statements for the given range and facts.
const pageText = (condition: string) =>
  transactionsOf(`select t.* from ledger_transfers t where ${condition} order by t.sequence desc limit $6 offset $7`)
const countText = (condition: string) =>
  `select count(*)::int as total from (select 1 from ledger_transfers t where ${condition} limit $6) counted`
const PAGE = sql('', pageText(SELECTED))
const PAGE_RARE = sql('', pageText(`${SELECTED} and ${RARE}`))
const COUNT = sql('', countText(SELECTED))
const COUNT_RARE = sql('', countText(`${SELECTED} and ${RARE}`))

const ALL_FACTS = factsOfType(null).length
const isRare = (selection: Selection) => !selection.facts.includes('collection_settled')
/**
 * Returns true if the selection has no filter by type. Sequence numbers alone then determine the start of a page and the number
 * of transactions.
 */
const hasAllFacts = (selection: Selection) => selection.facts.length === ALL_FACTS

function selectionValues({ merchant_id, environment, from, until, facts }: Selection): unknown[] {
  return [merchant_id, environment, from, until, facts]
}

/** Returns selected transactions, the last booking first, from `offset` on. */
export function readTransactions(
  reader: Reader,
  selection: Selection,
  limit: number,
  offset = 0,
): Promise<Transaction[]> {
  if (hasAllFacts(selection) && offset > 0) {
    return readTransactions(reader, { ...selection, until: selection.until - BigInt(offset) }, limit)
  }
  return reader.query<Transaction>(isRare(selection) ? PAGE_RARE : PAGE, [...selectionValues(selection), limit, offset])
}

/** Counts the selected transactions. If the selection has a filter by type, the count stops at 10,000. */
export async function countSelected(reader: Reader, selection: Selection): Promise<number> {
  if (hasAllFacts(selection)) return Number(selection.until - selection.from)
  const statement = isRare(selection) ? COUNT_RARE : COUNT
  const [row] = await reader.query<{ total: number }>(statement, [...selectionValues(selection), COUNT_MAX])
  return row?.total ?? 0
}
