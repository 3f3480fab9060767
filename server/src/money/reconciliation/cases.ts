// Opens cases for differences between books and statements, and closes cases whose difference no longer exists, in batches.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import type { CaseKind, LineDifference } from './compare.ts'
import type { LineSubject } from './facts.ts'
import type { LineKind } from './line.ts'

/**
 * A payment, a payout or an unknown reference, with its differences. `open` has the kinds of its open cases, and `ours_status` has
 * the status in our books.
 */
export type ComparedSubject = LineSubject & {
  differences: readonly LineDifference[]
  open: readonly CaseKind[]
  ours_status: string | null
}

/** The origin of a comparison: an imported statement, or an operator or a task that compares again. */
export type CaseOrigin = {
  provider: string
  /**
   * The statement that the server compares. In a later comparison, this is the withdrawn statement, or a statement that opened
   * one of the cases.
   */
  statement_id: string
  /** The statement that closes cases. Null means that an operator or a task closes cases. */
  explained_by: string | null
  /** The operator or the task that closes cases. Null means that an imported statement closes cases. */
  closed_by: { id: string | null; name: string } | null
  /** Returns the kinds of lines of the given payment or payout whose absence may open a case. */
  missingKinds: (subject: string) => readonly LineKind[]
}

/** The numbers of opened and closed cases. */
export type CaseCounts = { opened: number; explained: number }

// If an operator has closed a case, the query opens another case only after the difference has changed.
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

// An open duplicate keeps its difference, so this query updates only the status in our books.
const UPDATE_STATUS = sql(
  'reconciliation_restate',
  `update reconciliation_exceptions e set ours_status = i.ours_status
   from (select * from json_to_recordset($1::json) as i(subject text, ours_status text)
     where coalesce(i.subject, i.subject) = i.subject order by i.subject offset 0) i
   where e.provider = $2 and e.subject = i.subject and e.kind = 'duplicate' and e.resolution is null
     and e.ours_status is distinct from i.ours_status`,
)

/**
 * Opens cases for differences without a case, updates open cases, and closes open cases whose difference no longer exists. An
 * open duplicate stays open, because a later statement with one movement does not prove that the second movement is gone.
 */
export async function applyDifferences(
  deps: Deps,
  tx: Tx,
  origin: CaseOrigin,
  batch: readonly ComparedSubject[],
): Promise<CaseCounts> {
  const now = deps.clock.now()
  const opening = new Map<string, object>()
  const closing: { subject: string; kind: CaseKind; ours_status: string | null }[] = []
  const duplicates: { subject: string; ours_status: string }[] = []
  const already_open = new Set<string>()
  for (const { subject, reference, differences, open, ours_status } of batch) {
    const kinds = differences.map(({ kind }) => kind)
    for (const kind of open) {
      already_open.add(`${kind} ${subject}`)
      if (kind !== 'duplicate' && !kinds.includes(kind)) closing.push({ subject, kind, ours_status })
    }
    if (ours_status !== null && open.includes('duplicate')) duplicates.push({ subject, ours_status })
    for (const difference of differences) {
      const may_open = !difference.opens_only_in_sweep || origin.missingKinds(subject).includes(difference.line_kind)
      if (may_open || open.includes(difference.kind))
        opening.set(`${difference.kind} ${subject}`, newCaseRow(deps, subject, reference, difference))
    }
  }
  let opened = 0
  if (opening.size > 0) {
    const values = [JSON.stringify([...opening.values()]), origin.provider, origin.statement_id, now]
    const rows = await tx.query<{ subject: string; kind: string }>(OPEN, values)
    opened = rows.filter(({ subject, kind }) => !already_open.has(`${kind} ${subject}`)).length
  }
  let explained = 0
  if (closing.length > 0) {
    const closer = [origin.explained_by, origin.closed_by?.id ?? null, origin.closed_by?.name ?? null]
    explained = (await tx.query(EXPLAIN, [JSON.stringify(closing), origin.provider, now, ...closer])).length
  }
  if (duplicates.length > 0) await tx.query(UPDATE_STATUS, [JSON.stringify(duplicates), origin.provider])
  return { opened, explained }
}

function newCaseRow(deps: Deps, subject: string, reference: string | null, difference: LineDifference) {
  const { line, kind, line_kind, currency, ours_status, at } = difference
  return {
    id: newId(deps, 0),
    kind,
    subject,
    // If we have a payment or payout, the case has our reference; otherwise the case has the reference in the provider's line.
    reference: reference ?? line?.reference ?? null,
    provider_id: line?.provider_id ?? null,
    line_kind,
    theirs_minor: difference.theirs_minor?.toString() ?? null,
    theirs_currency: difference.theirs_currency,
    ours_minor: difference.ours_minor?.toString() ?? null,
    currency,
    ours_status,
    difference_minor: difference.difference_minor.toString(),
    at: at?.toISOString() ?? null,
    line_number: line?.line_number ?? null,
  }
}
