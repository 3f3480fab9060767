// Builds the statement of a day or a month: opening balance, lines and closing balance. The lines add up to the difference of the
// balances.

import {
  availableDelta,
  BOOKING_DELAY_MS,
  type BookKey,
  balanceAfter,
  bookingsBetween,
  type Fact,
  LATER_LEGS,
  type SequenceRange,
} from '../../books/ledger/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { assertInvariant, type CsvCell, CURRENCY, csvLine, formatAmount, plainCell } from '../../kernel/lib/index.ts'
import { KINDS, type TransactionKind, transactionKind } from './kinds.ts'
import type { StatementPeriod } from './period.ts'
import { impliedFee } from './present.ts'
import type { StatementView } from './schema.ts'
import { AMOUNT, WITHDRAWAL_OF } from './store.ts'

/**
 * The maximum number of transactions that one query sums. A query of this size fits the memory and ends long before the timeout.
 */
const BATCH = 20_000

// PostgreSQL plans this unnamed prepared statement for the given range. Most postings have one leg, so a separate read of the
// other legs costs less than a read of each whole posting.
const SUMS = sql(
  '',
  `with part as materialized (
     select t.merchant_id, t.environment, t.sequence, t.posting, t.source_type, t.source_id, t.amount_minor, ${availableDelta('t')} as delta
     from ledger_transfers t
     where t.merchant_id = $1 and t.environment = $2 and t.sequence >= $3 and t.sequence < $4
     order by t.sequence desc limit $5
   )
   select posting, sum(items)::int as items, sum(amount)::bigint as amount_minor, sum(delta)::bigint as net_minor,
     (select min(sequence) from part) as first
   from (
     select t.posting, 1 as items, ${AMOUNT} as amount, t.delta from part t left join ${WITHDRAWAL_OF} w on true
     union all
     select t.posting, 0, 0, l.delta from part t cross join lateral ${LATER_LEGS} l
   ) x
   group by posting`,
)

type KindSum = { items: number; amount_minor: bigint; net_minor: bigint }

/**
 * Returns the statement of the bookings in the period. Their sequence numbers have no gap. If no further booking can get a time
 * in the period, the statement is final. Before that, another booking may still change the closing balance.
 */
export async function readStatement(
  deps: Deps,
  book: BookKey & { environment: Environment },
  period: StatementPeriod,
  batch = BATCH,
): Promise<StatementView> {
  const final = deps.clock.now().getTime() >= period.to.getTime() + BOOKING_DELAY_MS
  const bookings = await bookingsBetween(deps.db, book, period.from, period.to)
  const sums = await sumBookings(deps.db, book, bookings, batch)
  const net_change = [...sums.values()].reduce((sum, { net_minor }) => sum + net_minor, 0n)
  const opening = await balanceAfter(deps.db, book, bookings.from - 1n)
  const closing = await balanceAfter(deps.db, book, bookings.until - 1n)
  assertInvariant(
    opening + net_change === closing,
    `${period.name} of ${book.merchant_id} closes with ${opening + net_change}, not ${closing}`,
  )
  return {
    merchant_id: book.merchant_id,
    environment: book.environment,
    period: period.name,
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    final,
    currency: CURRENCY,
    opening_balance: formatAmount(opening),
    closing_balance: formatAmount(closing),
    lines: KINDS.map((kind) => statementLine(kind, sums.get(kindName(kind)) ?? ZERO_SUM)),
  }
}

const ZERO_SUM: KindSum = { items: 0, amount_minor: 0n, net_minor: 0n }

/** Sums bookings by `kindName`. Each query reads one batch; the first batch has the last bookings. */
async function sumBookings(
  reader: Reader,
  book: BookKey,
  { from, until: end }: SequenceRange,
  batch: number,
): Promise<Map<string, KindSum>> {
  const sums = new Map<string, KindSum>()
  for (let until = end; ; ) {
    const rows = await reader.query<KindSum & { posting: Fact; first: bigint }>(SUMS, [
      book.merchant_id,
      book.environment,
      from,
      until,
      batch,
    ])
    let read = 0
    for (const { posting, first, ...part } of rows) {
      const name = kindName(transactionKind(posting))
      const sum = sums.get(name) ?? ZERO_SUM
      sums.set(name, {
        items: sum.items + part.items,
        amount_minor: sum.amount_minor + part.amount_minor,
        net_minor: sum.net_minor + part.net_minor,
      })
      read += part.items
      until = first
    }
    if (read < batch) return sums
  }
}

function kindName({ type, direction }: TransactionKind): string {
  return `${type} ${direction}`
}

function statementLine({ type, direction }: TransactionKind, sum: KindSum) {
  return {
    type,
    direction,
    count: sum.items,
    amount: formatAmount(sum.amount_minor),
    fee: formatAmount(impliedFee(sum)),
    net: formatAmount(sum.net_minor),
  }
}

const COLUMNS = [
  'period',
  'environment',
  'currency',
  'final',
  'line',
  'direction',
  'count',
  'amount',
  'fee',
  'net',
  'balance',
]

/** Returns a statement as CSV: the opening balance, a line for each kind, and the closing balance. */
export function statementCsv(statement: StatementView): string {
  const { period, environment, currency, final, opening_balance, closing_balance, lines } = statement
  const first_cells: CsvCell[] = [period, environment, currency, plainCell(final)]
  const empty_cells = ['', '', '', '', '']
  return [
    COLUMNS,
    [...first_cells, 'OPENING_BALANCE', ...empty_cells, plainCell(opening_balance)],
    ...lines.map(({ type, direction, count, amount, fee, net }) => [
      ...first_cells,
      type,
      direction,
      plainCell(count),
      plainCell(amount),
      plainCell(fee),
      plainCell(net),
      '',
    ]),
    [...first_cells, 'CLOSING_BALANCE', ...empty_cells, plainCell(closing_balance)],
  ]
    .map(csvLine)
    .join('')
}
