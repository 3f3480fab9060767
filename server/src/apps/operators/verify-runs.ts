// Stores the scheduled runs of verify, and shows operators the last result. One row is the lock and the result of one period.

import Type from 'typebox'
import { type Deps, oneStatement, type Reader, sql } from '../../kernel/db/index.ts'
import { type Routes, success } from '../../kernel/http/index.ts'
import { nullable } from '../../kernel/lib/index.ts'

/** The highest number of runs in the table. */
const KEPT_MAX = 1_000

const CLAIM = sql(
  'verify_run_claim',
  `insert into verify_runs (period_start, process_id, started_at, lease_until) values ($1, $2, $3, $4)
   on conflict (period_start) do update
     set process_id = excluded.process_id, started_at = excluded.started_at, lease_until = excluded.lease_until
     where verify_runs.finished_at is null and verify_runs.lease_until < excluded.started_at
   returning 1`,
)
const FINISH = sql(
  'verify_run_finish',
  `update verify_runs set finished_at = $3, ok = $4, checks = $5, problems = $6, duration_ms = $7, broken = $8, error = $9
   where period_start = $1 and process_id = $2 and finished_at is null returning 1`,
)
const RELEASE = sql(
  'verify_run_release',
  'delete from verify_runs where period_start = $1 and process_id = $2 and finished_at is null',
)
const TRIM = sql(
  'verify_run_trim',
  'delete from verify_runs where period_start < (select period_start from verify_runs order by period_start desc offset $1 limit 1)',
)
const RECENT = sql(
  'verify_run_recent',
  `select period_start, started_at, finished_at, ok, checks, problems, duration_ms, broken, error from verify_runs
   where finished_at is not null order by period_start desc limit $1`,
)
// The query reads the index from the newest run to the first good run. Usually the newest run is good.
const LAST_GOOD = sql(
  'verify_run_good',
  'select finished_at from verify_runs where ok order by period_start desc limit 1',
)

/** The result of a run. If the run ended without a result, `ok` is null and `error` contains the reason. */
export type VerifyResult = {
  ok: boolean | null
  checks: number | null
  broken: readonly { name: string; detail: string }[] | null
  error: string | null
}

/** A finished run. `duration_ms` is in milliseconds, and `problems` is the number of failed checks. */
export type VerifyRun = Omit<VerifyResult, 'broken'> & {
  period_start: Date
  started_at: Date
  finished_at: Date
  problems: number | null
  duration_ms: number
  broken: { name: string; detail: string }[] | null
}

/**
 * Takes the lease of a period for this process. If another process holds the lease or has finished the run, returns false.
 */
export async function claimVerifyRun(deps: Deps, period_start: Date, lease_ms: number): Promise<boolean> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + lease_ms)
  const taken = await oneStatement(deps.db).query(CLAIM, [period_start, deps.process_id, now, until])
  return taken.length > 0
}

/**
 * Stores the result of the run, and deletes the oldest runs. If another process has taken the lease, the row stays unchanged.
 */
export async function finishVerifyRun(
  deps: Deps,
  period_start: Date,
  started_at: Date,
  result: VerifyResult,
): Promise<void> {
  const now = deps.clock.now()
  const { ok, checks, broken, error } = result
  const duration_ms = Math.max(0, now.getTime() - started_at.getTime())
  const found = broken === null ? null : JSON.stringify(broken)
  const values = [period_start, deps.process_id, now, ok, checks, broken?.length ?? null, duration_ms, found, error]
  await oneStatement(deps.db).query(FINISH, values)
  await oneStatement(deps.db).query(TRIM, [KEPT_MAX - 1])
}

/** Deletes the unfinished run of this process for a period, so that another process can start the run again. */
export async function releaseVerifyRun(deps: Deps, period_start: Date): Promise<void> {
  await oneStatement(deps.db).query(RELEASE, [period_start, deps.process_id])
}

/**
 * Returns the last finished run and the end of the last run without a problem. Null means that the table has no such run.
 */
export async function lastVerifyRun(reader: Reader): Promise<{ last: VerifyRun | null; last_good_at: Date | null }> {
  const [rows, good] = await Promise.all([
    reader.query<VerifyRun>(RECENT, [1]),
    reader.query<{ finished_at: Date }>(LAST_GOOD),
  ])
  return { last: rows[0] ?? null, last_good_at: good[0]?.finished_at ?? null }
}

const Time = Type.String({ format: 'date-time' })
const RunSchema = Type.Object(
  {
    started_at: Time,
    finished_at: Time,
    ok: nullable(
      Type.Boolean({ description: 'True means that every check holds. Null means no result: see `error`.' }),
    ),
    checks: nullable(Type.Integer({ description: 'The number of checks.' })),
    problems: nullable(Type.Integer({ description: 'The number of checks that found a contradiction.' })),
    duration_ms: Type.Integer(),
    broken: nullable(
      Type.Array(Type.Object({ name: Type.String(), detail: Type.String() }), {
        description: 'The failed checks, as "admin verify" describes them.',
      }),
    ),
    error: nullable(Type.String({ description: 'Why the run ended without a result.' })),
  },
  { title: 'BooksCheck' },
)

/** Adds the route that shows the last scheduled run of verify. */
export function verifyRunRoutes(deps: Deps): Routes {
  return (app) => {
    app.get(
      '/v1/operator/verify',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getBooksCheck',
          summary: 'Show the last scheduled check of the books',
          description:
            'A worker runs the checks of "admin verify" every VERIFY_EVERY_H hours, once among all processes. `last` is the last finished run of any process.',
          response: {
            200: success(
              Type.Object({
                every_h: Type.Number({ description: 'VERIFY_EVERY_H of the process that answers. 0 means never.' }),
                last: nullable(RunSchema),
                last_good_at: nullable(
                  Type.String({ format: 'date-time', description: 'When the last run ended whose checks all hold.' }),
                ),
              }),
            ),
          },
        },
      },
      async () => {
        const { last, last_good_at } = await lastVerifyRun(deps.db)
        const data = {
          every_h: deps.config.verify_every_h,
          last: last === null ? null : presentRun(last),
          last_good_at: last_good_at?.toISOString() ?? null,
        }
        return { success: true as const, data }
      },
    )
  }
}

function presentRun({ period_start: _, started_at, finished_at, ...run }: VerifyRun) {
  return { started_at: started_at.toISOString(), finished_at: finished_at.toISOString(), ...run }
}
