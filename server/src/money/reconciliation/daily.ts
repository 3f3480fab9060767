// Runs the daily reconciliation. The server fetches yesterday's movements from each provider that has a list of movements, and
// compares open cases again. A run also fetches earlier days that no process fetched. Each provider and day is a row with a lease.

import { answerOf } from '../../adapters/providers/breaker.ts'
import type { MovesPage, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Act } from '../../books/audit/index.ts'
import { type Deps, inTransaction, oneStatement, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import type { CaseKind } from './compare.ts'
import { finishImport, importLines } from './import.ts'
import { type ImportedLine, lineOfMove } from './line.ts'
import { compareAgain } from './match.ts'
import { parseOwnReference } from './subject.ts'
import type { ProvidersByName } from './summary.ts'
import { countMissing } from './sweep.ts'

const RUN_EVERY_MS = 10 * 60_000
const LEASE_MS = 10 * 60_000
const TANZANIA_MS = 3 * 3_600_000
const DAY_MS = 86_400_000
/** The time after midnight in Tanzania from which the server fetches yesterday's movements. */
const FETCH_FROM_MS = 2 * 3_600_000
/** The maximum number of pages of a list of movements, far above the number of any real day. An endless list thus fails. */
const PAGES_MAX = 10_000
const BATCH_ROWS = 1_000
/** The maximum number of days of one provider in one run. The next run fetches the other days. */
const DAYS_MAX = 31

const SYSTEM: Act = { actor: { kind: 'system', id: null, name: 'reconciliation' }, request_id: null, address: null }

const CLAIM = sql(
  'reconciliation_claim_day',
  `insert into reconciliation_runs as r (provider, day, lease_owner, lease_until) values ($1, $2, $3, $4)
   on conflict (provider, day) do update set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
     where r.finished_at is null and (r.lease_until <= $5 or r.lease_until > $6)
   returning 1 as claimed`,
)
const FINISH = sql(
  'reconciliation_finish_day',
  `update reconciliation_runs set finished_at = $4, lease_until = null, lease_owner = null, statement_id = $5
   where provider = $1 and day = $2 and lease_owner = $3`,
)
// The query returns the first unfinished day. If every day is finished, the query returns the day after the newest day.
const FIRST_OPEN = sql(
  'reconciliation_first_open_day',
  `select to_char(coalesce(min(day) filter (where finished_at is null), max(day) + 1), 'YYYY-MM-DD') as day
   from reconciliation_runs where provider = $1`,
)
const DAY_RUNS = sql(
  'reconciliation_days_tried',
  `select to_char(day, 'YYYY-MM-DD') as day, finished_at, lease_until from reconciliation_runs
   where provider = $1 and day >= $2::date`,
)
const COVERED = sql(
  'reconciliation_covered',
  `select 1 as covered from statements
   where provider = $1 and state = 'done' and period_from <= $2 and period_to >= $3 limit 1`,
)

/** A day in Tanzania whose movements the server compares: from `from` (inclusive) to `to` (exclusive). */
type StatementDay = { name: string; from: Date; to: Date }

/**
 * Returns the last day that the server may fetch. From 02:00 on, this is yesterday in Tanzania; before 02:00, it is the day before
 * yesterday.
 */
export function newestDay(now: Date): StatementDay {
  const local = now.getTime() + TANZANIA_MS - FETCH_FROM_MS
  return dayAt(Math.floor(local / DAY_MS) * DAY_MS - DAY_MS)
}

/** Returns the day in Tanzania that has the date of the UTC day that begins at `midnight`. */
function dayAt(midnight: number): StatementDay {
  const from = new Date(midnight - TANZANIA_MS)
  return { name: new Date(midnight).toISOString().slice(0, 10), from, to: new Date(from.getTime() + DAY_MS) }
}

/**
 * Returns the days of a provider that the run fetches: first the new days in order of time, then the failed days. A day that
 * always fails thus delays no other day. For a new provider, the run begins with the newest day.
 */
async function daysToFetch(deps: Deps, provider: string): Promise<StatementDay[]> {
  type DayRunRow = { day: string; finished_at: Date | null; lease_until: Date | null }
  const newest = newestDay(deps.clock.now())
  const [open] = await deps.db.query<{ day: string | null }>(FIRST_OPEN, [provider])
  const first = open?.day ?? newest.name
  const rows = await deps.db.query<DayRunRow>(DAY_RUNS, [provider, first])
  const runs = new Map(rows.map((row) => [row.day, row]))
  const days: StatementDay[] = []
  for (let at = Date.parse(first); at <= Date.parse(newest.name); at += DAY_MS) {
    const day = dayAt(at)
    if (!runs.get(day.name)?.finished_at) days.push(day)
  }
  const leaseOf = ({ name }: StatementDay) => runs.get(name)?.lease_until?.getTime() ?? 0
  return days.sort((one, other) => leaseOf(one) - leaseOf(other)).slice(0, DAYS_MAX)
}

/**
 * Returns the worker's task that fetches the movements of each due day and compares them with our books. The task runs for each
 * configured provider, even without new payments, because money may still move there.
 */
export function reconciliationTask(deps: Deps, providers: ProvidersByName): Task {
  let next_run = 0
  return {
    name: 'reconciliation',
    every_ms: RUN_EVERY_MS,
    async runOnce() {
      const now = deps.clock.now()
      if (now.getTime() < next_run && next_run - now.getTime() <= RUN_EVERY_MS) return 0
      next_run = now.getTime() + RUN_EVERY_MS
      let runs = 0
      for (const [name, provider] of providers) {
        for (const day of await daysToFetch(deps, name)) {
          const outcome = await runDay(deps, name, provider, day)
          if (outcome !== 'taken') runs += 1
          // If one day fails, for example because the provider does not respond, the run skips the other days of this provider.
          if (outcome === 'failed') break
        }
      }
      return runs
    },
    async idle() {},
  }
}

/**
 * Fetches one day and compares open cases again. The result 'taken' means that a process holds the lease of the day or has
 * finished the day.
 */
async function runDay(
  deps: Deps,
  name: string,
  provider: ProviderLists,
  day: StatementDay,
): Promise<'done' | 'failed' | 'taken'> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  // If a lease ends after `latest`, a process with a fast clock wrote the lease, and the query treats the lease as expired.
  const latest = new Date(until.getTime() + 5_000)
  const claimed = await oneStatement(deps.db).query(CLAIM, [name, day.name, deps.process_id, until, now, latest])
  if (claimed.length === 0) return 'taken'
  try {
    const statement_id = await fetchDay(deps, name, provider, day)
    await compareOpenCases(deps, name)
    const values = [name, day.name, deps.process_id, deps.clock.now(), statement_id]
    await oneStatement(deps.db).query(FINISH, values)
    return 'done'
  } catch (error) {
    // When the lease ends, the day becomes due again.
    deps.log.warn(
      { component: 'reconciliation', err: error, provider: name, day: day.name },
      'the server could not reconcile the day of a provider, and will retry',
    )
    return 'failed'
  }
}

/**
 * Imports a day from the provider's list of movements, and returns the id of the statement. Null means that the provider has no
 * list, or that another statement has the whole day.
 */
async function fetchDay(deps: Deps, name: string, provider: ProviderLists, day: StatementDay): Promise<string | null> {
  const { from, to } = day
  if ((await deps.db.query(COVERED, [name, from, to])).length > 0) return null
  if (provider.listMoves === undefined) {
    const missing = await countMissing(deps, name, day)
    if (missing === 0) return null
    deps.log.warn(
      { component: 'reconciliation', provider: name, day: day.name, missing },
      'no statement has these movements of our books: import the file of the provider for this day, because the provider has no list',
    )
    return null
  }
  const period = { from, to }
  const statement = {
    provider: name,
    source: 'list',
    file_name: null,
    sha256: null,
    period,
    actor: SYSTEM.actor,
  } as const
  const imported = await importLines(deps, statement, () => listLines(deps, name, provider, from, to))
  const { id } = await inTransaction(deps.db, (tx) => finishImport(deps, tx, SYSTEM, imported))
  return id
}

/**
 * Yields the lines of a provider's list of movements in batches. If the list is incomplete or has an invalid movement, the function
 * throws.
 */
async function* listLines(
  deps: Deps,
  name: string,
  provider: ProviderLists,
  from: Date,
  to: Date,
): AsyncGenerator<ImportedLine[]> {
  let cursor: string | null = null
  let number = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const at: string | null = cursor
    const moves_page: MovesPage | null = await answerOf(
      deps,
      name,
      async () => (await provider.listMoves?.(from, to, at)) ?? null,
    )
    if (moves_page === null) throw new Error('the provider did not return its list of movements')
    const lines: ImportedLine[] = []
    for (const move of moves_page.moves) {
      number += 1
      const line = lineOfMove(name, number, move)
      if (line === null) throw new Error(`movement ${number} of the provider's list is invalid`)
      // A provider may list whole days of another time zone, so the run skips movements outside the requested day.
      if (line.at >= from && line.at < to) lines.push(line)
    }
    for (let i = 0; i < lines.length; i += BATCH_ROWS) yield lines.slice(i, i + BATCH_ROWS)
    if (moves_page.next === null) return
    cursor = moves_page.next
  }
  throw new Error(`the provider's list of movements has more than ${PAGES_MAX} pages`)
}

const OPEN_CASES = sql(
  'reconciliation_open_subjects',
  `select subject, kind, reference, statement_id from reconciliation_exceptions
   where resolution is null and provider = $1 and (subject, kind) > ($2, $3) order by subject, kind limit $4`,
)

type OpenCaseRow = { subject: string; kind: CaseKind; reference: string | null; statement_id: string }

/**
 * Compares the open cases of our payments and payouts again, because a payment or payout may have settled after the last
 * comparison.
 */
async function compareOpenCases(deps: Deps, provider: string): Promise<void> {
  let cursor = ['', '']
  for (;;) {
    const rows = await deps.db.query<OpenCaseRow>(OPEN_CASES, [provider, ...cursor, BATCH_ROWS])
    const ours = new Map(
      rows.flatMap(({ subject, reference }) =>
        parseOwnReference(reference) ? [[subject, { subject, reference }] as const] : [],
      ),
    )
    const last = rows.at(-1)
    if (last === undefined) return
    const { statement_id } = last
    const origin = { provider, statement_id, explained_by: null, closed_by: SYSTEM.actor, missingKinds: () => [] }
    await inTransaction(deps.db, (tx) => compareAgain(deps, tx, origin, [...ours.values()]))
    if (rows.length < BATCH_ROWS) return
    cursor = [last.subject, last.kind]
  }
}
