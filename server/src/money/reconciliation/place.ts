// Lines without a reference of ours: found by the provider's own id among what we asked of that provider in the period, and
// unknown to us when they are not.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { firstIdAt, ZERO_ID } from '../../kernel/lib/index.ts'
import { applyFindings, type Changed, type Judge, type Judged } from './cases.ts'
import { factsOf, type Subject, subjectOfReference } from './facts.ts'
import { agreeing, duplicateOf, judge, type Stated } from './judge.ts'
import type { Period } from './match.ts'

/** Rows of ours that one statement looks at, and lines that one set takes. */
const PAGE_ROWS = 2_000
const SET_ROWS = 1_000
const DAY_MS = 86_400_000
/** What moved in the period may have been asked for before it. */
const ASKED_BEFORE_MS = { payment: 4 * DAY_MS, payout: 15 * DAY_MS }

// From merchant to merchant over the primary keys: ids begin with their time, so the period is a range of ids. The last row
// of a full page comes in any case: the next page begins behind it.
const page = (name: string, rows: string) =>
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
       on l.provider = $5 and l.subject = 'id:' || n.provider_id and l.kind <> 'charge' and not l.placed
     where l.subject is not null or n.last order by n.merchant_id, n.id, n.number`,
  )
const PAYMENTS = page(
  'reconciliation_place_payments',
  `select a.collection_id as id, a.number, a.provider_reference, a.provider_id from collection_attempts a
   where a.merchant_id = m.id and a.collection_id < $4 and a.provider = $5 and a.provider_id is not null
     and (a.collection_id, a.number) > (case when m.id = $1 then $2::uuid else $3::uuid end,
       case when m.id = $1 then $7::smallint else 0 end)
   order by a.collection_id, a.number limit $6`,
)
const PAYOUTS = page(
  'reconciliation_place_payouts',
  `select p.withdrawal_id as id, 1::smallint as number, p.provider_reference, p.provider_id from payouts p
   where p.merchant_id = m.id and p.withdrawal_id < $4 and p.provider = $5 and p.provider_id is not null
     and (p.withdrawal_id, 1) > (case when m.id = $1 then $2::uuid else $3::uuid end,
       case when m.id = $1 then $7::smallint else 0 end)
   order by p.withdrawal_id limit $6`,
)

type Candidate = { merchant_id: string; id: string; number: number; provider_reference: string; last: boolean } & (
  | ({ subject: string } & Stated)
  | { subject: null }
)
type Placed = { subject: string; line: Stated } & { ours: Subject }

/** Places the lines that name something of ours by the provider's id. Answers how many of them agree with our books. */
export async function placeLines(
  deps: Deps,
  by: Judge,
  period: Period,
  alive: () => Promise<void>,
): Promise<Changed & { matched: number }> {
  const total = { opened: 0, explained: 0, matched: 0 }
  for (const [flow, statement] of [
    ['payment', PAYMENTS],
    ['payout', PAYOUTS],
  ] as const) {
    const from = firstIdAt(new Date(period.from.getTime() - ASKED_BEFORE_MS[flow]))
    const to = firstIdAt(period.to)
    let cursor: Pick<Candidate, 'merchant_id' | 'id' | 'number'> | null = { merchant_id: ZERO_ID, id: from, number: 0 }
    while (cursor !== null) {
      const { merchant_id, id, number }: Pick<Candidate, 'merchant_id' | 'id' | 'number'> = cursor
      const values = [merchant_id, id, from, to, by.provider, PAGE_ROWS, number]
      const rows: Candidate[] = await deps.db.query<Candidate>(statement, values)
      const found = new Map<string, Placed>()
      for (const row of rows) {
        if (row.subject === null) continue
        const ours = subjectOfReference(row.provider_reference)
        found.set(`${row.subject} ${row.kind}`, { subject: row.subject, line: row, ours })
      }
      if (found.size > 0) {
        const changed = await placeSet(deps, by, period, [...found.values()])
        total.opened += changed.opened
        total.explained += changed.explained
        total.matched += changed.matched
      }
      cursor = rows.find(({ last }) => last) ?? null
      await alive()
    }
  }
  return total
}

// Under the subject of what it is about, unless a line stands there already.
const MOVE = sql(
  'statement_lines_place',
  `update statement_lines l set placed = true, subject = case when exists (
       select from statement_lines o where o.provider = l.provider and o.subject = i.ours and o.kind = l.kind)
     then l.subject else i.ours end
   from (select * from json_to_recordset($1::json) as i(subject text, kind text, ours text)
     where coalesce(i.subject, i.subject) = i.subject) i
   where l.provider = $2 and l.subject = i.subject and l.kind = i.kind and not l.placed`,
)

/** Whether a line is about another movement than the one that is stored under the subject. As `STORE` in match.ts decides it. */
function isSecond(line: Stated, stored: Stated | undefined, period: Period): boolean {
  if (stored === undefined) return false
  const same_row = stored.statement_id === line.statement_id && stored.line_number === line.line_number
  if (same_row || stored.provider_id === line.provider_id) return false
  if (stored.provider_id !== null || stored.statement_id === line.statement_id) return true
  const agrees = stored.at.getTime() === line.at.getTime() && stored.amount_minor === line.amount_minor
  return !agrees && !(stored.at >= period.from && stored.at < period.to)
}

function placeSet(
  deps: Deps,
  by: Judge,
  period: Period,
  placed: readonly Placed[],
): Promise<Changed & { matched: number }> {
  return inTransaction(deps.db, async (tx) => {
    const moves = placed.map(({ subject, line, ours }) => ({ subject, kind: line.kind, ours: ours.subject }))
    await tx.query(MOVE, [JSON.stringify(moves), by.provider])
    const facts = await factsOf(
      tx,
      by.provider,
      placed.map(({ ours }) => ours),
    )
    let matched = 0
    const judged = placed.map(({ line, ours }, n): Judged => {
      const known = facts[n] as (typeof facts)[number]
      const findings = judge(known)
      const other = known.lines.find(({ kind }) => kind === line.kind)
      const second = isSecond(line, other, period)
      if (second) findings.push(duplicateOf(line, known.ours))
      if (!second) matched += agreeing(known, other === undefined ? [] : [other])
      return { ...ours, findings, open: known.open, ours_status: known.ours?.status ?? null }
    })
    // It was a case of its own while nobody knew whose it is.
    const before = placed.map(
      ({ subject }): Judged => ({ subject, reference: null, findings: [], open: ['unknown_to_us'], ours_status: null }),
    )
    return { ...(await applyFindings(deps, tx, by, [...judged, ...before])), matched }
  })
}

const UNPLACED = sql(
  'statement_lines_unplaced',
  `select subject, kind, statement_id, line_number, reference, provider_id, amount_minor, currency, at
   from statement_lines where provider = $5 and statement_id = $1 and not placed and (subject, kind) > ($2, $3)
   order by subject, kind limit $4`,
)

/** Opens a case for each line of a statement that is about nothing of ours. */
export async function reportUnplaced(deps: Deps, by: Judge, alive: () => Promise<void>): Promise<Changed> {
  const total = { opened: 0, explained: 0 }
  let cursor = ['', '']
  for (;;) {
    const rows = await deps.db.query<Stated & { subject: string }>(UNPLACED, [
      by.statement_id,
      ...cursor,
      SET_ROWS,
      by.provider,
    ])
    const changed = await inTransaction(deps.db, (tx) => reportSet(deps, tx, by, rows))
    total.opened += changed.opened
    total.explained += changed.explained
    const last = rows.at(-1)
    if (last === undefined || rows.length < SET_ROWS) return total
    cursor = [last.subject, last.kind]
    await alive()
  }
}

async function reportSet(deps: Deps, tx: Tx, by: Judge, rows: readonly (Stated & { subject: string })[]) {
  const facts = await factsOf(
    tx,
    by.provider,
    rows.map(({ subject }) => ({ subject, reference: null })),
  )
  const judged = rows.map(({ subject, ...line }, n): Judged => {
    const known = facts[n] as (typeof facts)[number]
    const findings = judge({ ours: null, lines: [line] })
    return { subject, reference: line.reference, findings, open: known.open, ours_status: null }
  })
  return applyFindings(deps, tx, by, judged)
}
