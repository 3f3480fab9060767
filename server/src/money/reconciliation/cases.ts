// Opening cases and closing those that are explained, in sets.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import type { Subject } from './facts.ts'
import type { CaseKind, Finding } from './judge.ts'
import type { LineKind } from './line.ts'

/** What was found of one subject. `open`: the kinds of its cases that are open. `ours_status`: where it stands by our books. */
export type Judged = Subject & {
  findings: readonly Finding[]
  open: readonly CaseKind[]
  ours_status: string | null
}

/** Who judges: a statement that is imported, or somebody who looked again. */
export type Judge = {
  provider: string
  /** The statement whose lines are judged; for a second look, the one that opened the case. */
  statement_id: string
  /** What closes a case. */
  explained_by: string | null
  by: { id: string | null; name: string } | null
  /** Of movements that the books have and no statement: the kinds that may open a case. */
  may_be_missing: (subject: string) => readonly LineKind[]
}

/** How many cases a set opened and closed. */
export type Changed = { opened: number; explained: number }

// What an operator has settled is not opened again, unless the difference is another one by now.
const OPEN = sql(
  'reconciliation_open',
  `insert into reconciliation_exceptions as e (id, provider, kind, subject, reference, provider_id, line_kind, theirs_minor,
     theirs_currency, ours_minor, currency, ours_status, difference_minor, at, statement_id, line_number, opened_at)
   select i.id, $2, i.kind, i.subject, i.reference, i.provider_id, i.line_kind, i.theirs_minor, i.theirs_currency,
     i.ours_minor, i.currency, i.ours_status, i.difference_minor, i.at, $3, i.line_number, $4
   from json_to_recordset($1::json) as i(id uuid, kind text, subject text, reference text, provider_id text,
     line_kind text, theirs_minor bigint, theirs_currency text, ours_minor bigint, currency text, ours_status text, difference_minor bigint,
     at timestamptz, line_number int)
   where not exists (
     select from reconciliation_exceptions s
     where s.provider = $2 and s.subject = i.subject and s.kind = i.kind
       and s.resolution in ('accepted', 'written_off', 'corrected') and s.difference_minor = i.difference_minor
       and s.line_kind = i.line_kind and s.theirs_minor is not distinct from i.theirs_minor
       and s.ours_minor is not distinct from i.ours_minor and s.ours_status is not distinct from i.ours_status
       and s.provider_id is not distinct from i.provider_id)
   order by i.subject, i.kind
   on conflict (provider, subject, kind) where resolution is null do update
     set line_kind = excluded.line_kind, theirs_minor = excluded.theirs_minor,
       theirs_currency = excluded.theirs_currency, ours_minor = excluded.ours_minor,
       ours_status = excluded.ours_status, difference_minor = excluded.difference_minor, currency = excluded.currency,
       provider_id = coalesce(excluded.provider_id, e.provider_id)
     where e.kind <> 'duplicate' and (e.difference_minor <> excluded.difference_minor
       or e.ours_status is distinct from excluded.ours_status or e.line_kind <> excluded.line_kind)
   returning e.subject, e.kind`,
)

const EXPLAIN = sql(
  'reconciliation_explain',
  `update reconciliation_exceptions e set resolution = 'explained', resolved_at = $3, explained_by = $4,
     resolved_by_id = $5, resolved_by_name = $6, ours_status = coalesce(i.ours_status, e.ours_status)
   from (select * from json_to_recordset($1::json) as i(subject text, kind text, ours_status text)
     where coalesce(i.subject, i.subject) = i.subject order by i.subject, i.kind offset 0) i
   where e.provider = $2 and e.subject = i.subject and e.kind = i.kind and e.resolution is null
   returning 1 as closed`,
)

// What is judged as it was found stays so; where our side of it stands is told as it is now.
const RESTATE = sql(
  'reconciliation_restate',
  `update reconciliation_exceptions e set ours_status = i.ours_status
   from (select * from json_to_recordset($1::json) as i(subject text, ours_status text)
     where coalesce(i.subject, i.subject) = i.subject order by i.subject offset 0) i
   where e.provider = $2 and e.subject = i.subject and e.kind = 'duplicate' and e.resolution is null
     and e.ours_status is distinct from i.ours_status`,
)

/**
 * Opens a case for each finding that has none, and closes the open ones that were not found again. A duplicate is never
 * closed this way: that a later statement has the movement once does not undo the second one.
 */
export async function applyFindings(deps: Deps, tx: Tx, judge: Judge, set: readonly Judged[]): Promise<Changed> {
  const now = deps.clock.now()
  const opening = new Map<string, object>()
  const closing: { subject: string; kind: CaseKind; ours_status: string | null }[] = []
  const standing: { subject: string; ours_status: string }[] = []
  const known = new Set<string>()
  for (const { subject, reference, findings, open, ours_status } of set) {
    const kinds = findings.map(({ kind }) => kind)
    for (const kind of open) {
      known.add(`${kind} ${subject}`)
      if (kind !== 'duplicate' && !kinds.includes(kind)) closing.push({ subject, kind, ours_status })
    }
    if (ours_status !== null && open.includes('duplicate')) standing.push({ subject, ours_status })
    for (const finding of findings) {
      const may_open = !finding.only_in_period || judge.may_be_missing(subject).includes(finding.line_kind)
      if (may_open || open.includes(finding.kind))
        opening.set(`${finding.kind} ${subject}`, rowOf(deps, subject, reference, finding))
    }
  }
  let opened = 0
  if (opening.size > 0) {
    const values = [JSON.stringify([...opening.values()]), judge.provider, judge.statement_id, now]
    const rows = await tx.query<{ subject: string; kind: string }>(OPEN, values)
    opened = rows.filter(({ subject, kind }) => !known.has(`${kind} ${subject}`)).length
  }
  let explained = 0
  if (closing.length > 0) {
    const who = [judge.explained_by, judge.by?.id ?? null, judge.by?.name ?? null]
    explained = (await tx.query(EXPLAIN, [JSON.stringify(closing), judge.provider, now, ...who])).length
  }
  if (standing.length > 0) await tx.query(RESTATE, [JSON.stringify(standing), judge.provider])
  return { opened, explained }
}

function rowOf(deps: Deps, subject: string, reference: string | null, finding: Finding) {
  const { line, kind, line_kind, currency, ours_status, at } = finding
  return {
    id: newId(deps, 0),
    kind,
    subject,
    // Ours, where it is known: it leads to what the case is about.
    reference: reference ?? line?.reference ?? null,
    provider_id: line?.provider_id ?? null,
    line_kind,
    theirs_minor: finding.theirs_minor?.toString() ?? null,
    theirs_currency: finding.theirs_currency,
    ours_minor: finding.ours_minor?.toString() ?? null,
    currency,
    ours_status,
    difference_minor: finding.difference_minor.toString(),
    at: at?.toISOString() ?? null,
    line_number: line?.line_number ?? null,
  }
}
