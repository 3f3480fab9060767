// Withdraws a statement, for example a statement with the wrong provider, period or columns. One transaction restores the lines
// that the statement replaced. It closes or compares again the cases that the import opened, and opens the cases that the
// import closed.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import type { CaseOrigin } from './cases.ts'
import type { LineSubject } from './facts.ts'
import { compareAgain } from './match.ts'
import { LEASE_MS_MAX, type ProviderStatement, presentStatement, STATEMENT_COLUMNS } from './statements.ts'
import { parseOwnReference } from './subject.ts'

/** The maximum number of stored lines that one query reads. */
const PAGE_ROWS = 50_000
const BATCH_ROWS = 1_000

const FIND = sql('statements_find', `select ${STATEMENT_COLUMNS} from statements where id = $1 for update`)
const FIND_RUNNING_IMPORT = sql(
  'statements_busy',
  `select 1 as busy from statements where provider = $1 and state = 'importing' and lease_until > $2 and lease_until <= $3`,
)
const FAIL_EXPIRED_IMPORT = sql(
  'statements_bury_others',
  `update statements set state = 'failed', lease_until = null, finished_at = $2
   where provider = $1 and state = 'importing' and (lease_until <= $2 or lease_until > $3)`,
)
// Only one statement of a provider may have the state `importing`, so no import begins before this transaction ends.
const BLOCK_IMPORTS = sql(
  'statements_hold',
  `update statements set state = 'importing', lease_until = $2 where id = $1`,
)
const WITHDRAW = sql(
  'statements_withdraw',
  `update statements set state = 'withdrawn', lease_until = null, withdrawn_at = $2, withdrawn_by_id = $3,
     withdrawn_by_name = $4, withdrawn_reason = $5
   where id = $1 returning ${STATEMENT_COLUMNS}`,
)
// If the statement came from the provider's list of movements, its day becomes due again.
const FETCH_AGAIN = sql(
  'reconciliation_fetch_again',
  `update reconciliation_runs set finished_at = null, statement_id = null, lease_until = $2 where statement_id = $1`,
)

/**
 * Withdraws a statement. If the id is unknown, refuses with not_found. If the statement is withdrawn already, or an import of its
 * provider runs, refuses with invalid_state.
 */
export async function withdrawStatement(deps: Deps, tx: Tx, act: Act, input: { id: string; reason: string }) {
  const now = deps.clock.now()
  const { id, provider, state } = await lockStatement(tx, input.id)
  if (state === 'withdrawn') refuse('invalid_state', { message: 'An operator has already withdrawn this statement.' })
  const latest = new Date(now.getTime() + LEASE_MS_MAX)
  if ((await tx.query(FIND_RUNNING_IMPORT, [provider, now, latest])).length > 0) {
    refuse('invalid_state', { message: 'An import of this provider is running. Try again soon.' })
  }
  await tx.query(FAIL_EXPIRED_IMPORT, [provider, now, latest])
  await tx.query(BLOCK_IMPORTS, [id, now])
  const subjects = await removeLines(tx, provider, id)
  const cases = await closeCases(deps, tx, act, { id, provider, reason: input.reason })
  const origin: CaseOrigin = {
    provider,
    statement_id: id,
    explained_by: null,
    closed_by: act.actor,
    missingKinds: () => [],
  }
  const affected = [...new Map([...subjects, ...cases.still_open].map((entry) => [entry.subject, entry])).values()]
  affected.sort((a, b) => (a.subject < b.subject ? -1 : 1))
  for (let i = 0; i < affected.length; i += BATCH_ROWS)
    await compareAgain(deps, tx, origin, affected.slice(i, i + BATCH_ROWS))
  await tx.query(FETCH_AGAIN, [id, now])
  const [row] = await tx.query<ProviderStatement>(WITHDRAW, [id, now, act.actor.id, act.actor.name, input.reason])
  const shown = presentStatement(row as ProviderStatement)
  const { from, to, sha256, file_name, lines } = shown
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: PLATFORM,
    action: 'statement.withdraw',
    target_type: 'statement',
    target_id: id,
    reason: input.reason,
    before: { state },
    after: { state: 'withdrawn', provider, from, to, sha256, file_name, lines, cases_closed: cases.closed },
  })
  return shown
}

async function lockStatement(tx: Tx, text: string): Promise<ProviderStatement> {
  const id = text.toLowerCase()
  const [row] = isId(id) ? await tx.query<ProviderStatement>(FIND, [id]) : []
  return row ?? refuse('not_found', { message: 'There is no such statement. Check the id.' })
}

// Removes one page of the lines of the statement, in the order of their key. If a removed line replaced a line of another valid
// statement, the query restores the replaced line.
const REMOVE_LINES = sql(
  'statement_lines_take_back',
  `with page as materialized (
     select l.subject, l.kind, l.statement_id = $2 as own,
       exists (select from statements s
         where s.id = (l.replaced ->> 'statement_id')::uuid and s.state = 'done') as goes_back
     from statement_lines l where l.provider = $1 and (l.subject, l.kind) > ($3, $4) order by l.subject, l.kind limit $5
   ), gone as (
     delete from statement_lines l using page p
     where p.own and not p.goes_back and l.provider = $1 and l.subject = p.subject and l.kind = p.kind
     returning l.subject, null::text as reference
   ), restored as (
     update statement_lines l set statement_id = (l.replaced ->> 'statement_id')::uuid,
       line_number = (l.replaced ->> 'line_number')::int, reference = l.replaced ->> 'reference',
       provider_id = l.replaced ->> 'provider_id', amount_minor = (l.replaced ->> 'amount_minor')::bigint,
       currency = l.replaced ->> 'currency', at = (l.replaced ->> 'at')::timestamptz, replaced = null
     from page p
     where p.own and p.goes_back and l.provider = $1 and l.subject = p.subject and l.kind = p.kind
     returning l.subject, l.reference
   ), touched as (select * from gone union all select * from restored)
   select t.subject, coalesce(t.reference, e.reference) as reference, null::text as next_subject, null as next_kind
   from touched t left join reconciliation_exceptions e
     on e.provider = $1 and e.subject = t.subject and e.resolution is null
   where t.reference is not null or e.subject is not null
   union all
   select null, null, subject, kind from (select subject, kind from page order by subject desc, kind desc limit 1) last`,
)

/** A subject whose line the query removed or restored. A row without a subject marks the end of the page. */
type AffectedSubjectRow = { subject: string | null; reference: string | null; next_subject: string; next_kind: string }

/** Removes the lines of a statement. Returns the subjects that the server must compare again. */
async function removeLines(tx: Tx, provider: string, id: string): Promise<LineSubject[]> {
  const subjects: LineSubject[] = []
  for (let cursor: string[] | null = ['', '']; cursor !== null; ) {
    const rows: AffectedSubjectRow[] = await tx.query<AffectedSubjectRow>(REMOVE_LINES, [
      provider,
      id,
      ...cursor,
      PAGE_ROWS,
    ])
    cursor = null
    for (const { subject, reference, next_subject, next_kind } of rows) {
      if (subject === null) cursor = [next_subject, next_kind]
      // If the line is about our payment or payout, the subject is our reference, even if the line has only the provider's id.
      else subjects.push({ subject, reference: parseOwnReference(subject) === null ? reference : subject })
    }
  }
  return subjects
}

const REOPEN = sql(
  'reconciliation_reopen',
  `update reconciliation_exceptions e set resolution = null, reason = null, resolved_at = null, resolved_by_id = null,
     resolved_by_name = null, explained_by = null
   where e.explained_by = $1 and e.resolution = 'explained' and e.statement_id <> $1 and not exists (
     select from reconciliation_exceptions o
     where o.provider = e.provider and o.subject = e.subject and o.kind = e.kind and o.resolution is null)
   returning e.subject, e.reference`,
)
// If the period of another statement contains the time of a case, the case stays open. The server then compares the subject
// without the withdrawn statement.
const CLOSE = sql(
  'reconciliation_close_withdrawn',
  `update reconciliation_exceptions e set resolution = 'withdrawn', reason = $3, resolved_at = $4, resolved_by_id = $5,
     resolved_by_name = $6
   where e.provider = $2 and e.statement_id = $1 and e.resolution is null and not exists (
     select from statements o where o.provider = $2 and o.id <> $1 and o.state = 'done' and o.period_from <= e.at
       and o.period_to > e.at)
   returning 1 as closed`,
)
const STILL_OPEN = sql(
  'reconciliation_left_open',
  `select subject, reference from reconciliation_exceptions where provider = $2 and statement_id = $1 and resolution is null`,
)

async function closeCases(deps: Deps, tx: Tx, act: Act, input: { id: string; provider: string; reason: string }) {
  const { id, provider, reason } = input
  const reopened = await tx.query<LineSubject>(REOPEN, [id])
  const closer = [deps.clock.now(), act.actor.id, act.actor.name]
  const closed = await tx.query(CLOSE, [id, provider, reason, ...closer])
  const not_closed = await tx.query<LineSubject>(STILL_OPEN, [id, provider])
  return { closed: closed.length, still_open: [...reopened, ...not_closed] }
}
