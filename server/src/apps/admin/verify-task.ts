// Makes the worker's task that runs the checks of verify on a schedule. Among all processes, one runs the checks in each
// period.

import { anchorFileOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { claimVerifyRun, finishVerifyRun, releaseVerifyRun, type VerifyResult } from '../operators/index.ts'
import { verify } from './verify.ts'

const HOUR_MS = 3_600_000
const EVERY_MS = 60_000
/** The task waits for this time after the start of the process, because the start needs the database. */
const AFTER_START_MS = 600_000
/** The timeout of one check in milliseconds. */
const STATEMENT_MS = 600_000
/**
 * The timeout of a run in milliseconds. The lease is longer, so that two processes never run the checks at the same time.
 */
const RUN_MS = 2 * HOUR_MS
const LEASE_MS = RUN_MS + STATEMENT_MS

/** The error of a run that the worker ends because the process stops. */
class StoppedError extends Error {}

/**
 * Makes the task. A run uses a separate connection, one statement at a time, without parallel workers of the database. If the
 * process stops, another process starts the run of the period again.
 */
export function verifyTask(deps: Deps): Task {
  const { clock, config, log } = deps
  const period_ms = config.verify_every_h * HOUR_MS
  const begin = clock.now().getTime() + AFTER_START_MS
  let settled = Number.NaN
  let stopRun: (() => void) | null = null
  const run = async (): Promise<VerifyResult> => {
    const limits = Promise.withResolvers<never>()
    const cancel = clock.after(RUN_MS, () =>
      limits.reject(new Error(`the checks took longer than ${RUN_MS / HOUR_MS} hours`)),
    )
    stopRun = () => limits.reject(new StoppedError())
    try {
      const { ok, checks } = await Promise.race([runEveryCheck(deps), limits.promise])
      const broken = checks.filter((one) => !one.ok).map(({ name, detail }) => ({ name, detail }))
      return { ok, checks: checks.length, broken, error: null }
    } catch (error) {
      if (error instanceof StoppedError) throw error
      return { ok: null, checks: null, broken: null, error: (error as Error).message }
    } finally {
      stopRun = null
      cancel()
    }
  }
  return {
    name: 'verify',
    every_ms: EVERY_MS,
    async runOnce() {
      const now = clock.now()
      const period = Math.floor(now.getTime() / period_ms)
      if (period_ms === 0 || now.getTime() < begin || period === settled) return 0
      const period_start = new Date(period * period_ms)
      if (!(await claimVerifyRun(deps, period_start, LEASE_MS))) return 0
      let result: VerifyResult
      try {
        result = await run()
      } catch {
        await releaseVerifyRun(deps, period_start)
        return 0
      }
      await finishVerifyRun(deps, period_start, now, result)
      settled = period
      if (result.ok !== true)
        log.error(
          { component: 'admin', broken: result.broken, problem: result.error },
          result.ok === null
            ? 'the scheduled verify ended without a result; a worker runs verify again in the next period'
            : 'the scheduled verify found contradictions: see docs/operate/runbooks.md#books-disagree',
        )
      return 0
    },
    stop: () => stopRun?.(),
    async idle() {},
  }
}

function runEveryCheck({ db, config, clock, vault }: Deps) {
  return verify(db.url, {
    must_separate: config.migration_database_url !== '' || config.database_url === '',
    vault,
    now: clock.now(),
    anchors: { file: anchorFileOf(config), now: clock.now() },
    statement_ms: STATEMENT_MS,
  })
}
