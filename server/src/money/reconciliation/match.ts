// Matching the lines of a statement with our books, a set at a time: one statement stores the lines, one reads what is known
// of their subjects, and only differences write more.

import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { applyFindings, type Changed, type Judge, type Judged } from './cases.ts'
import { type Facts, factsOf, type Subject, subjectOfReference } from './facts.ts'
import { agreeing, duplicateOf, type Finding, judge, type Stated } from './judge.ts'
import type { Line } from './line.ts'
import { foreignSubject, namedBy } from './subject.ts'

/** Lines of one set. */
export const SET_LINES = 1_000

/** What a set came to. `unplaced`: lines without a reference of ours, which are looked at when all lines are there. */
export type SetResult = { matched: number; opened: number; explained: number; unplaced: number }

type Keyed = Subject & { line: Line; ours: boolean }

// The newest form of a movement counts: stated again by another statement it is replaced. That it is the same movement the
// provider's id tells. Where one form has none, time and amount have to tell it, or the period: of what a statement's period
// had before, that statement says all there was. Whatever else comes under the same subject and kind is a second movement,
// which is left out here and found by whoever reads what is stored.
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

/** The time that a statement is of: from `from`, before `to`. */
export type Period = { from: Date; to: Date }

/** Stores and matches one set of lines. All of it is committed, or none; doing it again changes nothing. */
export function matchSet(deps: Deps, by: Judge, period: Period, lines: readonly Line[]): Promise<SetResult> {
  const { first, again } = keyed(lines)
  return inTransaction(deps.db, async (tx) => {
    const own = { statement_id: by.statement_id, lines: first.map(({ line }) => line.line) }
    // They travel together; the connection keeps their order, so that what is stored is seen.
    const [, facts] = await Promise.all([store(tx, by, period, first), factsOf(tx, by.provider, first, own)])
    const { judged, matched } = judgeSet(by.statement_id, gatherSubjects(by.statement_id, first, again, facts))
    const changed = await applyFindings(deps, tx, by, judged)
    return { matched, unplaced: first.filter(({ ours }) => !ours).length, ...changed }
  })
}

/** Lines with their subjects, in the order in which sets lock them; and those that say again what another one of the set says. */
function keyed(lines: readonly Line[]): { first: Keyed[]; again: Keyed[] } {
  const first = new Map<string, Keyed>()
  const again: Keyed[] = []
  for (const line of lines) {
    const { reference } = line
    const entry: Keyed =
      reference === null || namedBy(reference) === null
        ? { subject: foreignSubject(line), reference: null, ours: false, line }
        : { ...subjectOfReference(reference), ours: true, line }
    const key = `${entry.subject} ${line.kind}`
    if (first.has(key)) again.push(entry)
    else first.set(key, entry)
  }
  const ordered = [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  return { first: ordered, again }
}

async function store(tx: Tx, by: Judge, period: Period, lines: readonly Keyed[]): Promise<void> {
  const { provider, statement_id } = by
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
 * What is known of one subject of a set. `stored`: lines that were there before; `own`: lines of the set that were stored;
 * `extra`: those that are too many.
 */
type Gathered = { entry: Keyed; facts: Facts; stored: Map<string, Stated>; own: Stated[]; extra: Finding[] }

function gatherSubjects(
  statement_id: string,
  first: readonly Keyed[],
  again: readonly Keyed[],
  facts: readonly Facts[],
): Map<string, Gathered> {
  const in_hand = new Set(first.map(({ line }) => line.line))
  const gathered = new Map<string, Gathered>()
  first.forEach((entry, n) => {
    const found = facts[n] as Facts
    const { subject, line } = entry
    const known: Gathered = gathered.get(subject) ?? { entry, facts: found, stored: new Map(), own: [], extra: [] }
    gathered.set(subject, known)
    for (const stored of found.lines) {
      if (stored.statement_id !== statement_id || !in_hand.has(stored.line_number))
        known.stored.set(stored.kind, stored)
    }
    // One of the same kind is stored already: this one was not, and is a movement too many.
    if (known.stored.has(line.kind)) known.extra.push(duplicateOf(statedBy(statement_id, line), found.ours))
    else known.own.push(statedBy(statement_id, line))
  })
  for (const { subject, line } of again) {
    const known = gathered.get(subject)
    known?.extra.push(duplicateOf(statedBy(statement_id, line), known.facts.ours))
  }
  return gathered
}

function judgeSet(
  statement_id: string,
  gathered: ReadonlyMap<string, Gathered>,
): { judged: Judged[]; matched: number } {
  const judged: Judged[] = []
  let matched = 0
  for (const [subject, { entry, facts, stored, own, extra }] of gathered) {
    const { reference } = entry
    if (!entry.ours) {
      // Nothing is known of it yet: its cases stay as they are until all lines are there.
      const open = facts.open.filter((kind) => kind === 'duplicate')
      judged.push({ subject, reference, findings: extra.slice(0, 1), open, ours_status: null })
      continue
    }
    const { ours } = facts
    const before = [...stored.values()]
    const now = { ours, lines: [...before, ...own] }
    // A line that comes later can change what an earlier one of this statement means.
    const earlier = before.filter((line) => line.statement_id === statement_id)
    matched += agreeing(now, [...own, ...earlier])
    if (earlier.length > 0) matched -= agreeing({ ours, lines: before }, earlier)
    const findings = judge(now)
    judged.push({
      subject,
      reference,
      findings: [...findings, ...extra.slice(0, 1)],
      open: facts.open,
      ours_status: ours?.status ?? null,
    })
  }
  return { judged, matched }
}

function statedBy(statement_id: string, line: Line): Stated {
  const { kind, reference, provider_id, amount_minor, currency, at } = line
  return { kind, statement_id, line_number: line.line, reference, provider_id, amount_minor, currency, at }
}

/** Looks at subjects of ours again: opens what differs and closes what does not any more. */
export async function judgeAgain(deps: Deps, tx: Tx, by: Judge, subjects: readonly Subject[]): Promise<Changed> {
  const facts = await factsOf(tx, by.provider, subjects)
  const judged = subjects.map((subject, n): Judged => {
    const { ours, lines, open } = facts[n] as Facts
    return { ...subject, findings: judge({ ours, lines }), open, ours_status: ours?.status ?? null }
  })
  return applyFindings(deps, tx, by, judged)
}
