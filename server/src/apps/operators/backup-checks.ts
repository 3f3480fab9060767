// Stores the scheduled checks of backups, which the worker runs. One row is the lock and the result of one period.

import {
  type DatabaseGauges,
  type Deps,
  oneStatement,
  type Reader,
  SAME_IN_EACH_PROCESS,
  sql,
} from '../../kernel/db/index.ts'

/** The highest number of checks in the table. */
const KEPT_MAX = 1_000

const CLAIM = sql(
  'backup_check_claim',
  `insert into backup_checks (period_start, process_id, started_at, lease_until)
   select $1::timestamptz, $2::uuid, $3::timestamptz, $4::timestamptz
   where not exists (select 1 from backup_checks where (ok and started_at > $5) or (finished_at is null and lease_until > $3))
   on conflict (period_start) do nothing returning 1`,
)
const FINISH = sql(
  'backup_check_finish',
  `update backup_checks set finished_at = $3, ok = $4, backup = $5, backup_ended_at = $6, last_change = $7, duration_ms = $8, error = $9
   where period_start = $1 and process_id = $2 and finished_at is null`,
)
const RELEASE = sql(
  'backup_check_release',
  'delete from backup_checks where period_start = $1 and process_id = $2 and finished_at is null',
)
const TRIM = sql(
  'backup_check_trim',
  'delete from backup_checks where period_start < (select period_start from backup_checks order by period_start desc offset $1 limit 1)',
)
const LAST = sql(
  'backup_check_last',
  `select started_at, finished_at, ok, backup, backup_ended_at, last_change, duration_ms, error from backup_checks
   where finished_at is not null order by period_start desc limit 1`,
)
const LAST_GOOD = sql(
  'backup_check_good',
  'select finished_at from backup_checks where ok order by period_start desc limit 1',
)

/**
 * The result of a check. `error` is the reason of a failed check, else null. `last_change` is the time of the last restored
 * change.
 */
export type BackupCheckResult = {
  ok: boolean
  backup: string | null
  ended_at: Date | null
  last_change: Date | null
  error: string | null
}

/** A finished check. `duration_ms` is in milliseconds. If the check failed, `error` contains the reason. */
export type BackupCheck = {
  started_at: Date
  finished_at: Date
  ok: boolean
  backup: string | null
  backup_ended_at: Date | null
  last_change: Date | null
  duration_ms: number
  error: string | null
}

/**
 * Takes the lease of a period for this process. If the period has a check, if another check runs, or if a check that began
 * after `good_after` was good, returns false.
 */
export async function claimBackupCheck(
  deps: Deps,
  period_start: Date,
  { lease_ms, good_after }: { lease_ms: number; good_after: Date },
): Promise<boolean> {
  const now = deps.clock.now()
  const values = [period_start, deps.process_id, now, new Date(now.getTime() + lease_ms), good_after]
  return (await oneStatement(deps.db).query(CLAIM, values)).length > 0
}

/** Stores the result of a check, and deletes all but the newest `KEPT_MAX` checks. */
export async function finishBackupCheck(
  deps: Deps,
  period_start: Date,
  started_at: Date,
  { ok, backup, ended_at, last_change, error }: BackupCheckResult,
): Promise<void> {
  const now = deps.clock.now()
  const duration_ms = Math.max(0, now.getTime() - started_at.getTime())
  const values = [period_start, deps.process_id, now, ok, backup, ended_at, last_change, duration_ms, error]
  await oneStatement(deps.db).query(FINISH, values)
  await oneStatement(deps.db).query(TRIM, [KEPT_MAX - 1])
}

/** Deletes the unfinished check that this process runs for a period, so that another process can run the check. */
export async function releaseBackupCheck(deps: Deps, period_start: Date): Promise<void> {
  await oneStatement(deps.db).query(RELEASE, [period_start, deps.process_id])
}

/** Returns the last finished check and the end of the last good check. Null means that the table has no such check. */
export async function lastBackupCheck(
  reader: Reader,
): Promise<{ last: BackupCheck | null; last_good_at: Date | null }> {
  const [rows, good] = await Promise.all([
    reader.query<BackupCheck>(LAST),
    reader.query<{ finished_at: Date }>(LAST_GOOD),
  ])
  return { last: rows[0] ?? null, last_good_at: good[0]?.finished_at ?? null }
}

/** Makes the gauges of the last backup check. If BACKUP_DIR is empty, the gauges have no value. */
export function backupCheckGauges({ config, metrics }: Pick<Deps, 'config' | 'metrics'>): DatabaseGauges {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help: `${help} ${SAME_IN_EACH_PROCESS}` })
  const ok = gauge('malipo_backup_check_ok', '1 if the last check of a backup was good; 0 if it failed.')
  const good_at = gauge(
    'malipo_backup_check_good_timestamp_seconds',
    'End of the last good check of a backup, in seconds since 1970. 0: none was good. No value: BACKUP_DIR is empty.',
  )
  const duration = gauge('malipo_backup_check_duration_seconds', 'Duration of the last check of a backup in seconds.')
  return {
    async read(reader) {
      if (config.backup_dir === '') return () => {}
      const { last, last_good_at } = await lastBackupCheck(reader)
      return () => {
        good_at().set((last_good_at?.getTime() ?? 0) / 1_000)
        if (last === null) return
        ok().set(last.ok ? 1 : 0)
        duration().set(last.duration_ms / 1_000)
      }
    },
    reset() {
      for (const one of [ok, good_at, duration]) one.reset()
    },
  }
}
