// Declares the metrics of the scheduled runs of verify.

import { type DatabaseGauges, type Deps, SAME_IN_EACH_PROCESS } from '../../kernel/db/index.ts'
import { lastVerifyRun } from './verify-runs.ts'

/** Returns the gauges of the last run of verify. Before the first run, the gauges have no value. */
export function verifyGauges({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help: `${help} ${SAME_IN_EACH_PROCESS}` })
  const ok = gauge(
    'malipo_verify_ok',
    '1 if every check of the last run of verify holds; 0 if one fails or the run has no result.',
  )
  const problems = gauge(
    'malipo_verify_problems',
    'Failed checks of the last run of verify. Missing: the run has no result.',
  )
  const run_at = gauge('malipo_verify_timestamp_seconds', 'End of the last run of verify, in seconds since 1970.')
  const good_at = gauge(
    'malipo_verify_good_timestamp_seconds',
    'End of the last run of verify whose checks all hold, in seconds since 1970.',
  )
  const duration = gauge('malipo_verify_duration_seconds', 'Duration of the last run of verify in seconds.')
  const all = [ok, problems, run_at, good_at, duration]
  return {
    async read(reader) {
      const { last, last_good_at } = await lastVerifyRun(reader)
      return () => {
        if (last_good_at !== null) good_at().set(last_good_at.getTime() / 1_000)
        if (last === null) return
        ok().set(last.ok === true ? 1 : 0)
        if (last.problems !== null) problems().set(last.problems)
        run_at().set(last.finished_at.getTime() / 1_000)
        duration().set(last.duration_ms / 1_000)
      }
    },
    reset() {
      for (const one of all) one.reset()
    },
  }
}
