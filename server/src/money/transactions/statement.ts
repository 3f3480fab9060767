// The statement of a day or a month: what was there, what came and went, what was left. It adds up always.

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
import { KINDS, type Kind, kindOf } from './kinds.ts'
import type { Period } from './period.ts'
import { feeOf } from './present.ts'
import type { StatementView } from './schema.ts'
import { AMOUNT, WITHDRAWAL_OF } from './store.ts'

/** Transactions that one statement of the database sums up: they fit its memory, and take far less than its time. */
const BATCH = 20_000

// Without a name it is planned for the range at hand. Most postings are one leg: asking for the others apart is cheaper
// than looking at each posting as a whole.
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

type Sum = { items: number; amount_minor: bigint; net_minor: bigint }

/**
 * The statement of a period: the bookings that are dated in it, which follow each other in the book without a gap. Final once
 * nothing can be added to the period; before, it closes with what is there so far.
 */
export async function statementOf(
  deps: Deps,
  book: BookKey & { environment: Environment },
  period: Period,
  batch = BATCH,
): Promise<StatementView> {
  const final = deps.clock.now().getTime() >= period.to.getTime() + BOOKING_DELAY_MS
  const bookings = await bookingsBetween(deps.db, book, period.from, period.to)
  const sums = await sumsOf(deps.db, book, bookings, batch)
  const moved = [...sums.values()].reduce((sum, { net_minor }) => sum + net_minor, 0n)
  const opening = await balanceAfter(deps.db, book, bookings.from - 1n)
  const closing = await balanceAfter(deps.db, book, bookings.until - 1n)
  assertInvariant(
    opening + moved === closing,
    `${period.name} of ${book.merchant_id} closes with ${opening + moved}, not ${closing}`,
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
    lines: KINDS.map((kind) => lineOf(kind, sums.get(nameOf(kind)) ?? NOTHING)),
  }
}

const NOTHING: Sum = { items: 0, amount_minor: 0n, net_minor: 0n }

/** The sums of some bookings, the last ones first, by the name of their kind. */
async function sumsOf(
  reader: Reader,
  book: BookKey,
  { from, until: end }: SequenceRange,
  batch: number,
): Promise<Map<string, Sum>> {
  const sums = new Map<string, Sum>()
  for (let until = end; ; ) {
    const rows = await reader.query<Sum & { posting: Fact; first: bigint }>(SUMS, [
      book.merchant_id,
      book.environment,
      from,
      until,
      batch,
    ])
    let read = 0
    for (const { posting, first, ...part } of rows) {
      const name = nameOf(kindOf(posting))
      const sum = sums.get(name) ?? NOTHING
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

function nameOf({ type, direction }: Kind): string {
  return `${type} ${direction}`
}

function lineOf({ type, direction }: Kind, sum: Sum) {
  return {
    type,
    direction,
    count: sum.items,
    amount: formatAmount(sum.amount_minor),
    fee: formatAmount(feeOf(sum)),
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

/** A statement as CSV: the opening balance, a line for each kind, the closing balance. */
export function statementCsv(statement: StatementView): string {
  const { period, environment, currency, final, opening_balance, closing_balance, lines } = statement
  const of: CsvCell[] = [period, environment, currency, plainCell(final)]
  const nothing = ['', '', '', '', '']
  return [
    COLUMNS,
    [...of, 'OPENING_BALANCE', ...nothing, plainCell(opening_balance)],
    ...lines.map(({ type, direction, count, amount, fee, net }) => [
      ...of,
      type,
      direction,
      plainCell(count),
      plainCell(amount),
      plainCell(fee),
      plainCell(net),
      '',
    ]),
    [...of, 'CLOSING_BALANCE', ...nothing, plainCell(closing_balance)],
  ]
    .map(csvLine)
    .join('')
}
