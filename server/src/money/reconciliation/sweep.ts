// Sweeps our books: finds the booked movements of a period that no statement has.

import { type Deps, inTransaction, sql } from '../../kernel/db/index.ts'
import { firstIdAt, ZERO_ID } from '../../kernel/lib/index.ts'
import type { CaseCounts, CaseOrigin } from './cases.ts'
import { subjectOfReference } from './facts.ts'
import type { LineKind } from './line.ts'
import { compareAgain } from './match.ts'

/** The maximum number of ledger transfers in a page. */
const PAGE_ROWS = 5_000

/**
 * The postings of payments and payouts that move money at the provider, each with the kind of its line in a statement.
 */
const LINE_KIND_OF_POSTING: Record<string, 'payment' | 'payout' | 'reversal'> = {
  collection_settled: 'payment',
  collection_held: 'payment',
  collection_reversed: 'reversal',
  collection_held_reversed: 'reversal',
  collection_declined: 'reversal',
  withdrawal_paid: 'payout',
  withdrawal_paid_late: 'payout',
  withdrawal_reversed: 'reversal',
}
const quotedList = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
const LINE_KIND = `case ${Object.entries(LINE_KIND_OF_POSTING)
  .map(([posting, kind]) => `when p.posting = '${posting}' then '${kind}'`)
  .join(' ')} end`

// A transfer id begins with the time of booking, so a period is a range of ids. The query returns missing movements and the
// last row of a full page. The collection of a duplicate payment has no attempts; the movement has the reference of another
// collection's attempt.
const PAGE = sql(
  'reconciliation_sweep',
  `with page as materialized (
     select m.id as merchant_id, t.id, t.source_type, t.source_id, t.posting
     from merchants m cross join lateral (
       select t.id, t.source_type, t.source_id, t.posting from ledger_transfers t
       where t.merchant_id = m.id and t.id > case when m.id = $1 then $2::uuid else $3::uuid end and t.id < $4
         and t.leg = 0 and t.posting in (${quotedList(Object.keys(LINE_KIND_OF_POSTING))})
       order by t.id limit $6
     ) t
     where m.id >= $1 order by m.id, t.id limit $6
   ), numbered as (
     select p.*, row_number() over (order by merchant_id, id) = $6 as last, ${LINE_KIND} as kind from page p
   )
   select * from (
     select n.merchant_id, n.id, n.last, n.kind, coalesce(a.reference, x.reference, o.reference) as reference,
       coalesce(a.reference, x.reference, o.reference) is not null and not exists (
         select from statement_lines l
         where l.provider = $5 and l.subject = coalesce(a.reference, x.reference, o.reference) and l.kind = n.kind) as missing
     from numbered n
     left join lateral (
       select attempts, coalesce(settled_attempt, 1) as settled from collections
       where n.source_type = 'collection' and merchant_id = n.merchant_id and id = n.source_id offset 0
     ) c on true
     left join lateral (
       select a.provider_reference as reference from collection_attempts a
       where a.merchant_id = n.merchant_id and a.collection_id = n.source_id and a.number = c.settled and a.provider = $5
       offset 0
     ) a on true
     left join lateral (
       select a.provider_reference as reference from collection_attempts a
       where c.attempts = 0 and a.merchant_id = n.merchant_id and a.extra_collection_id = n.source_id and a.provider = $5
       offset 0
     ) x on true
     left join lateral (
       select o.provider_reference as reference from payouts o
       where n.source_type = 'withdrawal' and o.merchant_id = n.merchant_id and o.withdrawal_id = n.source_id
         and o.provider = $5 offset 0
     ) o on true
     offset 0
   ) found where missing or last order by merchant_id, id`,
)

type BookedMovementRow = {
  merchant_id: string
  id: string
  last: boolean
  kind: LineKind
  reference: string
  missing: boolean
}

/** Returns, in pages, the movements that our books have at a provider in a period and that no statement has. */
async function* missingPages(
  deps: Deps,
  provider: string,
  period: { from: Date; to: Date },
): AsyncGenerator<Pick<BookedMovementRow, 'reference' | 'kind'>[]> {
  const [from, to] = [firstIdAt(period.from), firstIdAt(period.to)]
  let cursor: { merchant_id: string; id: string } | null = { merchant_id: ZERO_ID, id: from }
  while (cursor !== null) {
    const { merchant_id, id }: { merchant_id: string; id: string } = cursor
    const values = [merchant_id, id, from, to, provider, PAGE_ROWS]
    const rows: BookedMovementRow[] = await deps.db.query<BookedMovementRow>(PAGE, values)
    yield rows.filter(({ missing }) => missing)
    cursor = rows.find(({ last }) => last) ?? null
  }
}

/** Returns the number of movements that our books have at a provider in a period and that no statement has. */
export async function countMissing(deps: Deps, provider: string, period: { from: Date; to: Date }): Promise<number> {
  let count = 0
  for await (const rows of missingPages(deps, provider, period)) count += rows.length
  return count
}

/**
 * Compares each movement that our books have in the period and that no statement has, and opens a case for its difference.
 */
export async function sweepBooks(
  deps: Deps,
  origin: CaseOrigin,
  period: { from: Date; to: Date },
  renewLease: () => Promise<void>,
): Promise<CaseCounts> {
  const total = { opened: 0, explained: 0 }
  for await (const rows of missingPages(deps, origin.provider, period)) {
    await renewLease()
    const missing = new Map<string, { reference: string; kinds: LineKind[] }>()
    for (const { reference, kind } of rows) {
      const { subject } = subjectOfReference(reference)
      missing.set(subject, { reference, kinds: [...(missing.get(subject)?.kinds ?? []), kind] })
    }
    if (missing.size === 0) continue
    const subjects = [...missing].map(([subject, { reference }]) => ({ subject, reference }))
    const sweep = { ...origin, missingKinds: (subject: string) => missing.get(subject)?.kinds ?? [] }
    const counts = await inTransaction(deps.db, (tx) => compareAgain(deps, tx, sweep, subjects))
    total.opened += counts.opened
    total.explained += counts.explained
  }
  return total
}
