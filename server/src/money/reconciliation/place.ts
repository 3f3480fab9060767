// Places lines without one of our references. Finds our attempt or payout with the provider's id, made in or some days before
// the period. If no attempt or payout has the id, the line is unknown to our books.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { firstIdAt, ZERO_ID } from '../../kernel/lib/index.ts'
import { applyDifferences, type CaseCounts, type CaseOrigin, type ComparedSubject } from './cases.ts'
import { compareSubject, countAgreeing, duplicateOf, type StoredLine } from './compare.ts'
import { type LineSubject, readFacts, subjectOfReference } from './facts.ts'
import type { Period } from './match.ts'

/** The maximum number of attempts or payouts that one query reads. */
const PAGE_ROWS = 2_000
const BATCH_ROWS = 1_000
const DAY_MS = 86_400_000
/**
 * The time before the period in which the server also searches payments and payouts, because an old payment may move in the period.
 */
const OLDER_MS = { payment: 4 * DAY_MS, payout: 15 * DAY_MS }

// The query reads the primary keys merchant by merchant. An id begins with its time, so the period is a range of ids. The last
// row of a full page is always in the result, and the next page begins after that row.
const pageStatement = (name: string, rows: string) =>
  sql(
    name,
    `with page as materialized (
       select m.id as merchant_id, r.id, r.number, r.provider_reference, r.provider_id
       from merchants m cross join lateral (${rows}) r
       where m.id >= $1 order by m.id, r.id, r.number limit $6
     ), numbered as (
       select p.*, row_number() over (order by merchant_id, id, number) = $6 as last from page p
     )
     select n.merchant_id, n.id, n.number, n.provider_reference, n.last, l.subject, l.kind, l.statement_id, l.line_number,
       l.reference, l.provider_id, l.amount_minor, l.currency, l.at
     from numbered n left join statement_lines l
       on l.provider = $5 and l.subject = 'id:' || n.provider_id and not l.placed
     where l.subject is not null or n.last order by n.merchant_id, n.id, n.number`,
  )
const PAYMENTS = pageStatement(
  'reconciliation_place_payments',
  `select a.collection_id as id, a.number, a.provider_reference, a.provider_id from collection_attempts a
   where a.merchant_id = m.id and a.collection_id < $4 and a.provider = $5 and a.provider_id is not null
     and (a.collection_id, a.number) > (case when m.id = $1 then $2::uuid else $3::uuid end,
       case when m.id = $1 then $7::smallint else 0 end)
   order by a.collection_id, a.number limit $6`,
)
const PAYOUTS = pageStatement(
  'reconciliation_place_payouts',
  `select p.withdrawal_id as id, 1::smallint as number, p.provider_reference, p.provider_id from payouts p
   where p.merchant_id = m.id and p.withdrawal_id < $4 and p.provider = $5 and p.provider_id is not null
     and (p.withdrawal_id, 1) > (case when m.id = $1 then $2::uuid else $3::uuid end,
       case when m.id = $1 then $7::smallint else 0 end)
   order by p.withdrawal_id limit $6`,
)

/** An attempt or payout, with a line of the same provider id. Null in `subject` means that no line has this id. */
type CandidateRow = { merchant_id: string; id: string; number: number; provider_reference: string; last: boolean } & (
  | ({ subject: string } & StoredLine)
  | { subject: null }
)
/** A line with its present subject, and our attempt or payout as its next subject. */
type PlacedLine = { subject: string; line: StoredLine; ours: LineSubject }

/**
 * Finds our attempt or payout for each line with its provider id, and compares both again. `matched` counts the lines that
 * agree with our books.
 */
export async function placeLines(
  deps: Deps,
  origin: CaseOrigin,
  period: Period,
  renewLease: () => Promise<void>,
): Promise<CaseCounts & { matched: number }> {
  const total = { opened: 0, explained: 0, matched: 0 }
  for (const [flow, statement] of [
    ['payment', PAYMENTS],
    ['payout', PAYOUTS],
  ] as const) {
    const from = firstIdAt(new Date(period.from.getTime() - OLDER_MS[flow]))
    const to = firstIdAt(period.to)
    let cursor: Pick<CandidateRow, 'merchant_id' | 'id' | 'number'> | null = {
      merchant_id: ZERO_ID,
      id: from,
      number: 0,
    }
    while (cursor !== null) {
      const { merchant_id, id, number }: Pick<CandidateRow, 'merchant_id' | 'id' | 'number'> = cursor
      const values = [merchant_id, id, from, to, origin.provider, PAGE_ROWS, number]
      const rows: CandidateRow[] = await deps.db.query<CandidateRow>(statement, values)
      const placed = new Map<string, PlacedLine>()
      for (const row of rows) {
        if (row.subject === null) continue
        const ours = subjectOfReference(row.provider_reference)
        placed.set(`${row.subject} ${row.kind}`, { subject: row.subject, line: row, ours })
      }
      if (placed.size > 0) {
        const counts = await placeBatch(deps, origin, period, [...placed.values()])
        total.opened += counts.opened
        total.explained += counts.explained
        total.matched += counts.matched
      }
      cursor = rows.find(({ last }) => last) ?? null
      await renewLease()
    }
  }
  return total
}

// The query assigns a line to our attempt or payout. If that attempt or payout already has a line of the kind, the line keeps its
// subject.
const MOVE_LINES = sql(
  'statement_lines_place',
  `update statement_lines l set placed = true, subject = case when exists (
       select from statement_lines o where o.provider = l.provider and o.subject = i.ours and o.kind = l.kind)
     then l.subject else i.ours end
   from (select * from json_to_recordset($1::json) as i(subject text, kind text, ours text)
     where coalesce(i.subject, i.subject) = i.subject) i
   where l.provider = $2 and l.subject = i.subject and l.kind = i.kind and not l.placed`,
)

/** Returns true if a line and the stored line are two movements. The rule is the same as in `STORE` of match.ts. */
function isSecondMovement(line: StoredLine, stored: StoredLine | undefined, period: Period): boolean {
  if (stored === undefined) return false
  const same_row = stored.statement_id === line.statement_id && stored.line_number === line.line_number
  if (same_row || stored.provider_id === line.provider_id) return false
  if (stored.provider_id !== null || stored.statement_id === line.statement_id) return true
  const agrees = stored.at.getTime() === line.at.getTime() && stored.amount_minor === line.amount_minor
  return !agrees && !(stored.at >= period.from && stored.at < period.to)
}

function placeBatch(
  deps: Deps,
  origin: CaseOrigin,
  period: Period,
  placed: readonly PlacedLine[],
): Promise<CaseCounts & { matched: number }> {
  return inTransaction(deps.db, async (tx) => {
    const moves = placed.map(({ subject, line, ours }) => ({ subject, kind: line.kind, ours: ours.subject }))
    await tx.query(MOVE_LINES, [JSON.stringify(moves), origin.provider])
    const facts = await readFacts(
      tx,
      origin.provider,
      placed.map(({ ours }) => ours),
    )
    let matched = 0
    const compared = placed.map(({ line, ours }, n): ComparedSubject => {
      const subject_facts = facts[n] as (typeof facts)[number]
      const differences = compareSubject(subject_facts)
      const stored = subject_facts.lines.find(({ kind }) => kind === line.kind)
      const is_second = isSecondMovement(line, stored, period)
      if (is_second) differences.push(duplicateOf(line, subject_facts.ours))
      if (!is_second) matched += countAgreeing(subject_facts, stored === undefined ? [] : [stored])
      return { ...ours, differences, open: subject_facts.open, ours_status: subject_facts.ours?.status ?? null }
    })
    // If the line had a case before the placement, this call closes that case.
    const former = placed.map(({ subject }): ComparedSubject => {
      return { subject, reference: null, differences: [], open: ['unknown_to_us'], ours_status: null }
    })
    return { ...(await applyDifferences(deps, tx, origin, [...compared, ...former])), matched }
  })
}

const UNPLACED = sql(
  'statement_lines_unplaced',
  `select subject, kind, statement_id, line_number, reference, provider_id, amount_minor, currency, at
   from statement_lines where provider = $5 and statement_id = $1 and not placed and (subject, kind) > ($2, $3)
   order by subject, kind limit $4`,
)

/** Opens a case for each line of a statement that matches no payment or payout of ours. */
export async function openUnplacedCases(
  deps: Deps,
  origin: CaseOrigin,
  renewLease: () => Promise<void>,
): Promise<CaseCounts> {
  const total = { opened: 0, explained: 0 }
  let cursor = ['', '']
  for (;;) {
    const rows = await deps.db.query<StoredLine & { subject: string }>(UNPLACED, [
      origin.statement_id,
      ...cursor,
      BATCH_ROWS,
      origin.provider,
    ])
    const counts = await inTransaction(deps.db, (tx) => openUnplacedBatch(deps, tx, origin, rows))
    total.opened += counts.opened
    total.explained += counts.explained
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH_ROWS) return total
    cursor = [last.subject, last.kind]
    await renewLease()
  }
}

async function openUnplacedBatch(
  deps: Deps,
  tx: Tx,
  origin: CaseOrigin,
  rows: readonly (StoredLine & { subject: string })[],
) {
  const facts = await readFacts(
    tx,
    origin.provider,
    rows.map(({ subject }) => ({ subject, reference: null })),
  )
  const compared = rows.map(({ subject, ...line }, n): ComparedSubject => {
    const { open } = facts[n] as (typeof facts)[number]
    const differences = compareSubject({ ours: null, lines: [line] })
    return { subject, reference: line.reference, differences, open, ours_status: null }
  })
  return applyDifferences(deps, tx, origin, compared)
}
