// Matches the lines of a statement with our books in batches. One query stores the lines, and another query reads the facts about
// their payments and payouts. Only differences need further queries.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { applyDifferences, type CaseCounts, type CaseOrigin, type ComparedSubject } from './cases.ts'
import { compareSubject, countAgreeing, duplicateOf, type LineDifference, type StoredLine } from './compare.ts'
import { type LineSubject, readFacts, type SubjectFacts, subjectOfReference } from './facts.ts'
import type { ImportedLine } from './line.ts'
import { foreignSubject, parseOwnReference } from './subject.ts'

/** The maximum number of lines in a batch. */
export const BATCH_LINES = 1_000

/**
 * The counts of a batch. `unplaced` counts the lines without one of our references, which the import places after it has stored all
 * lines.
 */
export type MatchCounts = { matched: number; opened: number; explained: number; unplaced: number }

/** An imported line with its subject. True in `ours` means that the line has one of our references. */
type LineWithSubject = LineSubject & { line: ImportedLine; ours: boolean }

// If a new line and a stored line of another statement have the same provider id, the new line replaces the stored line. If
// either line has no id, both need the same time and amount. For a line with our reference, a stored time in the new period is
// enough. Otherwise, the new line is a second movement, which `groupBySubject` reports as a duplicate.
const STORE = sql(
  'statement_lines_store',
  `insert into statement_lines as l (provider, subject, kind, statement_id, line_number, reference, provider_id,
     amount_minor, currency, at, placed)
   select $1, i.subject, i.kind, $2, i.line_number, i.reference, i.provider_id, i.amount_minor, i.currency, i.at, i.placed
   from unnest($3::text[], $4::text[], $5::int[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::timestamptz[],
     $11::boolean[]) as i(subject, kind, line_number, reference, provider_id, amount_minor, currency, at, placed)
   on conflict (provider, subject, kind) do update
     set statement_id = excluded.statement_id, line_number = excluded.line_number, reference = excluded.reference,
       provider_id = coalesce(excluded.provider_id, l.provider_id), amount_minor = excluded.amount_minor,
       currency = excluded.currency, at = excluded.at, placed = excluded.placed, replaced = to_jsonb(l) - 'replaced'
     where l.statement_id <> excluded.statement_id and (l.provider_id = excluded.provider_id
       or ((l.provider_id is null or excluded.provider_id is null)
         and ((l.at = excluded.at and l.amount_minor = excluded.amount_minor)
           or (excluded.placed and l.at >= $12 and l.at < $13))))`,
)

/** The period of a statement, from `from` (inclusive) to `to` (exclusive). */
export type Period = { from: Date; to: Date }

/** Stores and matches one batch of lines in one transaction. A repeated call with the same lines changes nothing. */
export function matchBatch(
  deps: Deps,
  origin: CaseOrigin,
  period: Period,
  lines: readonly ImportedLine[],
): Promise<MatchCounts> {
  const { first, repeated } = splitRepeated(lines)
  return inTransaction(deps.db, async (tx) => {
    const own = { statement_id: origin.statement_id, lines: first.map(({ line }) => line.line) }
    // The process sends both queries at the same time. The connection keeps their order, so the second query reads the stored
    // lines.
    const [, facts] = await Promise.all([
      storeLines(tx, origin, period, first),
      readFacts(tx, origin.provider, first, own),
    ])
    const subjects = groupBySubject(origin.statement_id, first, repeated, facts)
    const { compared, matched } = compareBatch(origin.statement_id, subjects)
    const counts = await applyDifferences(deps, tx, origin, compared)
    return { matched, unplaced: first.filter(({ ours }) => !ours).length, ...counts }
  })
}

/** Separates the first line of each subject and kind, in the order of the locks, from the repeated lines. */
function splitRepeated(lines: readonly ImportedLine[]): { first: LineWithSubject[]; repeated: LineWithSubject[] } {
  const first = new Map<string, LineWithSubject>()
  const repeated: LineWithSubject[] = []
  for (const line of lines) {
    const { reference } = line
    const entry: LineWithSubject =
      reference === null || parseOwnReference(reference) === null
        ? { subject: foreignSubject(line), reference: null, ours: false, line }
        : { ...subjectOfReference(reference), ours: true, line }
    const key = `${entry.subject} ${line.kind}`
    if (first.has(key)) repeated.push(entry)
    else first.set(key, entry)
  }
  const ordered = [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  return { first: ordered, repeated }
}

async function storeLines(
  tx: Tx,
  origin: CaseOrigin,
  period: Period,
  lines: readonly LineWithSubject[],
): Promise<void> {
  const { provider, statement_id } = origin
  await tx.query(STORE, [
    provider,
    statement_id,
    lines.map(({ subject }) => subject),
    lines.map(({ line }) => line.kind),
    lines.map(({ line }) => line.line),
    lines.map(({ line }) => line.reference),
    lines.map(({ line }) => line.provider_id),
    lines.map(({ line }) => line.amount_minor.toString()),
    lines.map(({ line }) => line.currency),
    lines.map(({ line }) => line.at.toISOString()),
    lines.map(({ ours }) => ours),
    period.from,
    period.to,
  ])
}

/**
 * The lines about one subject. The database stored `stored` before, and stores `own` now. The lines in `duplicates` are second
 * movements.
 */
type SubjectLines = {
  entry: LineWithSubject
  facts: SubjectFacts
  stored: Map<string, StoredLine>
  own: StoredLine[]
  duplicates: LineDifference[]
}

function groupBySubject(
  statement_id: string,
  first: readonly LineWithSubject[],
  repeated: readonly LineWithSubject[],
  facts: readonly SubjectFacts[],
): Map<string, SubjectLines> {
  const own_numbers = new Set(first.map(({ line }) => line.line))
  const subjects = new Map<string, SubjectLines>()
  first.forEach((entry, n) => {
    const { lines: stored_lines, ours } = facts[n] as SubjectFacts
    const { subject, line } = entry
    const group: SubjectLines = subjects.get(subject) ?? {
      entry,
      facts: facts[n] as SubjectFacts,
      stored: new Map(),
      own: [],
      duplicates: [],
    }
    subjects.set(subject, group)
    for (const stored of stored_lines) {
      if (stored.statement_id !== statement_id || !own_numbers.has(stored.line_number))
        group.stored.set(stored.kind, stored)
    }
    // If the database has another line of the same subject and kind, it did not store this line. This line is then a duplicate.
    if (group.stored.has(line.kind)) group.duplicates.push(duplicateOf(toStoredLine(statement_id, line), ours))
    else group.own.push(toStoredLine(statement_id, line))
  })
  for (const { subject, line } of repeated) {
    const group = subjects.get(subject)
    group?.duplicates.push(duplicateOf(toStoredLine(statement_id, line), group.facts.ours))
  }
  return subjects
}

function compareBatch(
  statement_id: string,
  subjects: ReadonlyMap<string, SubjectLines>,
): { compared: ComparedSubject[]; matched: number } {
  const compared: ComparedSubject[] = []
  let matched = 0
  for (const [subject, { entry, facts, stored, own, duplicates }] of subjects) {
    const { reference } = entry
    if (!entry.ours) {
      // The import places this line after it has stored all lines. Until then, the other cases of the subject stay unchanged.
      const open = facts.open.filter((kind) => kind === 'duplicate')
      compared.push({ subject, reference, differences: duplicates.slice(0, 1), open, ours_status: null })
      continue
    }
    const { ours } = facts
    const lines_before = [...stored.values()]
    const comparison = { ours, lines: [...lines_before, ...own] }
    // A later line can change the comparison of an earlier line of this statement.
    const earlier = lines_before.filter((line) => line.statement_id === statement_id)
    matched += countAgreeing(comparison, [...own, ...earlier])
    if (earlier.length > 0) matched -= countAgreeing({ ours, lines: lines_before }, earlier)
    compared.push({
      subject,
      reference,
      differences: [...compareSubject(comparison), ...duplicates.slice(0, 1)],
      open: facts.open,
      ours_status: ours?.status ?? null,
    })
  }
  return { compared, matched }
}

function toStoredLine(statement_id: string, line: ImportedLine): StoredLine {
  const { kind, reference, provider_id, amount_minor, currency, at } = line
  return { kind, statement_id, line_number: line.line, reference, provider_id, amount_minor, currency, at }
}

/** Compares subjects again and applies the differences to their cases. */
export async function compareAgain(
  deps: Deps,
  tx: Tx,
  origin: CaseOrigin,
  subjects: readonly LineSubject[],
): Promise<CaseCounts> {
  const facts = await readFacts(tx, origin.provider, subjects)
  const compared = subjects.map((subject, n): ComparedSubject => {
    const { ours, lines, open } = facts[n] as SubjectFacts
    return { ...subject, differences: compareSubject({ ours, lines }), open, ours_status: ours?.status ?? null }
  })
  return applyDifferences(deps, tx, origin, compared)
}
