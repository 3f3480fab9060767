// The other direction: what our books say moved in the period, and no statement has.

import { type Deps, inTransaction, sql } from '../../kernel/db/index.ts'
import { firstIdAt, ZERO_ID } from '../../kernel/lib/index.ts'
import type { Changed, Judge } from './cases.ts'
import { subjectOfReference } from './facts.ts'
import type { LineKind } from './line.ts'
import { judgeAgain } from './match.ts'

/** Movements of the ledger that one statement looks at. */
const PAGE_ROWS = 5_000

/** Facts that move money at the provider, with the line that a statement has of each. */
const STATED_AS: Record<string, 'payment' | 'payout' | 'reversal'> = {
  collection_settled: 'payment',
  collection_held: 'payment',
  collection_reversed: 'reversal',
  collection_held_reversed: 'reversal',
  collection_declined: 'reversal',
  withdrawal_paid: 'payout',
  withdrawal_paid_late: 'payout',
  withdrawal_reversed: 'reversal',
}
const words = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
const LINE_KIND = `case ${Object.entries(STATED_AS)
  .map(([fact, kind]) => `when p.posting = '${fact}' then '${kind}'`)
  .join(' ')} end`

// The ids of movements begin with the time at which they were booked: a period is a range of each book's primary key. Only what
// no statement has comes back, and the last row of a full page. What a payment booked was taken by its settled attempt; a
// collection without attempts holds what an attempt of another one took beside it.
const PAGE = sql(
  'reconciliation_sweep',
  `with page as materialized (
     select m.id as merchant_id, t.id, t.source_type, t.source_id, t.posting
     from merchants m cross join lateral (
       select t.id, t.source_type, t.source_id, t.posting from ledger_transfers t
       where t.merchant_id = m.id and t.id > case when m.id = $1 then $2::uuid else $3::uuid end and t.id < $4
         and t.leg = 0 and t.posting in (${words(Object.keys(STATED_AS))})
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

type Row = { merchant_id: string; id: string; last: boolean; kind: LineKind; reference: string; missing: boolean }

/** What the books booked with a provider in a period and no statement has, by pages. */
async function* missingPages(
  deps: Deps,
  provider: string,
  period: { from: Date; to: Date },
): AsyncGenerator<Pick<Row, 'reference' | 'kind'>[]> {
  const [from, to] = [firstIdAt(period.from), firstIdAt(period.to)]
  let cursor: { merchant_id: string; id: string } | null = { merchant_id: ZERO_ID, id: from }
  while (cursor !== null) {
    const { merchant_id, id }: { merchant_id: string; id: string } = cursor
    const rows: Row[] = await deps.db.query<Row>(PAGE, [merchant_id, id, from, to, provider, PAGE_ROWS])
    yield rows.filter(({ missing }) => missing)
    cursor = rows.find(({ last }) => last) ?? null
  }
}

/** How many movements the books booked with a provider in a period and no statement has. */
export async function countMissing(deps: Deps, provider: string, period: { from: Date; to: Date }): Promise<number> {
  let count = 0
  for await (const rows of missingPages(deps, provider, period)) count += rows.length
  return count
}

/** Opens a case for everything that the books booked with the provider in the period and that no statement has. */
export async function sweepBooks(
  deps: Deps,
  by: Judge,
  period: { from: Date; to: Date },
  alive: () => Promise<void>,
): Promise<Changed> {
  const total = { opened: 0, explained: 0 }
  for await (const rows of missingPages(deps, by.provider, period)) {
    await alive()
    const missing = new Map<string, { reference: string; kinds: LineKind[] }>()
    for (const { reference, kind } of rows) {
      const { subject } = subjectOfReference(reference)
      missing.set(subject, { reference, kinds: [...(missing.get(subject)?.kinds ?? []), kind] })
    }
    if (missing.size === 0) continue
    const subjects = [...missing].map(([subject, { reference }]) => ({ subject, reference }))
    const sweeping = { ...by, may_be_missing: (subject: string) => missing.get(subject)?.kinds ?? [] }
    const changed = await inTransaction(deps.db, (tx) => judgeAgain(deps, tx, sweeping, subjects))
    total.opened += changed.opened
    total.explained += changed.explained
  }
  return total
}
