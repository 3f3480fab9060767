// The daily run: once a day, after the providers have closed theirs, yesterday is fetched from every provider that lists its
// movements, and open cases are looked at again. Days on which nobody could do it are made up for.
//
// Each provider and day is a row; whoever holds its lease works on it. A process that dies leaves it to the next look.

import { answerOf } from '../../adapters/providers/breaker.ts'
import type { MovesPage, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Act } from '../../books/audit/index.ts'
import { type Deps, inTransaction, oneStatement, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { finishImport, takeIn } from './import.ts'
import type { CaseKind } from './judge.ts'
import { type Line, lineOfMove } from './line.ts'
import { judgeAgain } from './match.ts'
import { namedBy } from './subject.ts'
import type { Providers } from './summary.ts'
import { countMissing } from './sweep.ts'

const LOOK_EVERY_MS = 10 * 60_000
const LEASE_MS = 10 * 60_000
const TANZANIA_MS = 3 * 3_600_000
const DAY_MS = 86_400_000
/** Yesterday is fetched from this time of the day on. */
const BEGINS_MS = 2 * 3_600_000
/** Far more than any day has; a list that goes on for ever ends here. */
const PAGES_MAX = 10_000
const REVIEW_ROWS = 1_000
/** Days of one provider that one look makes up for; the next look goes on. */
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
// From the first day that was begun and not finished, or else behind the newest one that was.
const FIRST_OPEN = sql(
  'reconciliation_first_open_day',
  `select to_char(coalesce(min(day) filter (where finished_at is null), max(day) + 1), 'YYYY-MM-DD') as day
   from reconciliation_runs where provider = $1`,
)
const TRIED = sql(
  'reconciliation_days_tried',
  `select to_char(day, 'YYYY-MM-DD') as day, finished_at, lease_until from reconciliation_runs
   where provider = $1 and day >= $2::date`,
)
const COVERED = sql(
  'reconciliation_covered',
  `select 1 as covered from statements
   where provider = $1 and state = 'done' and period_from <= $2 and period_to >= $3 limit 1`,
)

/** A day of Tanzania. */
type Day = { name: string; from: Date; to: Date }

/** The newest day of Tanzania that is to be fetched: yesterday from 02:00 on, and until then the day before. */
export function dayToFetch(now: Date): Day {
  const local = now.getTime() + TANZANIA_MS - BEGINS_MS
  return dayOf(Math.floor(local / DAY_MS) * DAY_MS - DAY_MS)
}

/** The day that is called as the UTC day which begins at `midnight`. */
function dayOf(midnight: number): Day {
  const from = new Date(midnight - TANZANIA_MS)
  return { name: new Date(midnight).toISOString().slice(0, 10), from, to: new Date(from.getTime() + DAY_MS) }
}

/**
 * The days of a provider that are still to be fetched: first those that were never tried, the oldest first, then those that
 * failed, so that one which always fails holds up no other. A provider that is new begins with the newest day.
 */
async function daysToFetch(deps: Deps, provider: string): Promise<Day[]> {
  type Tried = { day: string; finished_at: Date | null; lease_until: Date | null }
  const newest = dayToFetch(deps.clock.now())
  const [open] = await deps.db.query<{ day: string | null }>(FIRST_OPEN, [provider])
  const first = open?.day ?? newest.name
  const rows = await deps.db.query<Tried>(TRIED, [provider, first])
  const tried = new Map(rows.map((row) => [row.day, row]))
  const days: Day[] = []
  for (let at = Date.parse(first); at <= Date.parse(newest.name); at += DAY_MS) {
    const day = dayOf(at)
    if (!tried.get(day.name)?.finished_at) days.push(day)
  }
  const leaseOf = ({ name }: Day) => tried.get(name)?.lease_until?.getTime() ?? 0
  return days.sort((one, other) => leaseOf(one) - leaseOf(other)).slice(0, DAYS_MAX)
}

/** The background work: for every provider that is configured, since one that serves nothing new may still move money. */
export function reconciliationTask(deps: Deps, providers: Providers): Task {
  let next_look = 0
  return {
    name: 'reconciliation',
    every_ms: LOOK_EVERY_MS,
    async runOnce() {
      const now = deps.clock.now()
      if (now.getTime() < next_look && next_look - now.getTime() <= LOOK_EVERY_MS) return 0
      next_look = now.getTime() + LOOK_EVERY_MS
      let runs = 0
      for (const [name, provider] of providers) {
        for (const day of await daysToFetch(deps, name)) {
          const outcome = await runDay(deps, name, provider, day)
          if (outcome !== 'taken') runs += 1
          // Whoever does not answer about one day is not asked about thirty.
          if (outcome === 'failed') break
        }
      }
      return runs
    },
    async idle() {},
  }
}

/** Fetches one day and looks at open cases again. 'taken': another process works on it, or has done it. */
async function runDay(
  deps: Deps,
  name: string,
  provider: ProviderLists,
  day: Day,
): Promise<'done' | 'failed' | 'taken'> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  // A lease that ends later was taken by a clock that was ahead. It counts as ended.
  const latest = new Date(until.getTime() + 5_000)
  const claimed = await oneStatement(deps.db).query(CLAIM, [name, day.name, deps.process_id, until, now, latest])
  if (claimed.length === 0) return 'taken'
  try {
    const statement_id = await fetchDay(deps, name, provider, day)
    await reviewOpen(deps, name)
    const values = [name, day.name, deps.process_id, deps.clock.now(), statement_id]
    await oneStatement(deps.db).query(FINISH, values)
    return 'done'
  } catch (error) {
    // The lease ends, and the day is taken up again.
    deps.log.warn({ err: error, provider: name, day: day.name }, 'the day is not reconciled; it will be tried again')
    return 'failed'
  }
}

/** Imports the day by the provider's list. Answers the statement, or null when there is no list or the day is stated already. */
async function fetchDay(deps: Deps, name: string, provider: ProviderLists, day: Day): Promise<string | null> {
  const { from, to } = day
  if ((await deps.db.query(COVERED, [name, from, to])).length > 0) return null
  if (provider.listMoves === undefined) {
    const missing = await countMissing(deps, name, day)
    if (missing === 0) return null
    deps.log.warn(
      { provider: name, day: day.name, missing },
      'no statement has these movements, and the provider has no list to ask for: import its file of the day',
    )
    return null
  }
  const period = { from, to }
  const what = { provider: name, source: 'list', file_name: null, sha256: null, period, actor: SYSTEM.actor } as const
  const imported = await takeIn(deps, what, () => listed(deps, name, provider, from, to))
  const statement = await inTransaction(deps.db, (tx) => finishImport(deps, tx, SYSTEM, imported))
  return statement.id
}

/** The movements of a provider's list, as lines. Throws when the list cannot be had whole, or says what cannot be. */
async function* listed(
  deps: Deps,
  name: string,
  provider: ProviderLists,
  from: Date,
  to: Date,
): AsyncGenerator<Line[]> {
  let cursor: string | null = null
  let number = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const at: string | null = cursor
    const said: MovesPage | null = await answerOf(
      deps,
      name,
      async () => (await provider.listMoves?.(from, to, at)) ?? null,
    )
    if (said === null) throw new Error('the provider did not answer with its list')
    const lines: Line[] = []
    for (const move of said.moves) {
      number += 1
      const line = lineOfMove(name, number, move)
      if (line === null) throw new Error(`move ${number} of the provider's list cannot be read`)
      // A list may be rounded to whole days of another place.
      if (line.at >= from && line.at < to) lines.push(line)
    }
    for (let i = 0; i < lines.length; i += REVIEW_ROWS) yield lines.slice(i, i + REVIEW_ROWS)
    if (said.next === null) return
    cursor = said.next
  }
  throw new Error("the provider's list does not end")
}

const OPEN = sql(
  'reconciliation_open_subjects',
  `select subject, kind, reference, statement_id from reconciliation_exceptions
   where resolution is null and provider = $1 and (subject, kind) > ($2, $3) order by subject, kind limit $4`,
)

type Waiting = { subject: string; kind: CaseKind; reference: string | null; statement_id: string }

/** Looks at open cases of what is ours again: a payment may have been settled since. */
async function reviewOpen(deps: Deps, provider: string): Promise<void> {
  let cursor = ['', '']
  for (;;) {
    const rows = await deps.db.query<Waiting>(OPEN, [provider, ...cursor, REVIEW_ROWS])
    const ours = new Map(
      rows.flatMap(({ subject, reference }) =>
        namedBy(reference) ? [[subject, { subject, reference }] as const] : [],
      ),
    )
    const last = rows.at(-1)
    if (last === undefined) return
    const { statement_id } = last
    const judge = { provider, statement_id, explained_by: null, by: SYSTEM.actor, may_be_missing: () => [] }
    await inTransaction(deps.db, (tx) => judgeAgain(deps, tx, judge, [...ours.values()]))
    if (rows.length < REVIEW_ROWS) return
    cursor = [last.subject, last.kind]
  }
}
