// Checks the database for `admin doctor`. DATABASE_CHECKS lists the checks.

import { anchorFileOf, findLastAnchor, readAnchorState } from '../../books/audit/index.ts'
import {
  compareReplica,
  type DatabaseVersion,
  isSuperuser,
  judgeVersion,
  type Reader,
  sql,
} from '../../kernel/db/index.ts'
import { adminCommand, type Config, sayDuration } from '../../kernel/lib/index.ts'
import { lastBackupCheck, lastVerifyRun } from '../operators/index.ts'
import { type CheckResult, type CheckTable, type DoctorInput, fail, ok, warn } from './doctor-result.ts'
import { settingProblems } from './production.ts'
import { lostRevocations, runtimeRights } from './verify-privileges.ts'

/**
 * The names of the checks of the database, in order. If the first check, the connection, fails, no other check runs.
 */
export const DATABASE_CHECKS = [
  'database',
  'latency',
  'schema',
  'roles',
  'durability',
  'pages',
  'clock',
  'replication',
  'replica',
  'connections',
  'books',
  'restore',
  'anchors',
] as const

const VERSION = sql(
  '',
  "select current_setting('server_version_num')::int as version, current_setting('server_version') as name, pg_is_in_recovery() as standby",
)
const NOW = sql('', 'select clock_timestamp() as now')
const WORST_CLOCK = sql(
  '',
  `select clock_ahead_ms::float8 as ahead_ms from readiness_probes
   where probed_at > $1 and clock_ahead_ms is not null order by abs(clock_ahead_ms) desc limit 1`,
)
const HALF_BUILT = sql(
  '',
  `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
   where not i.indisvalid and c.relnamespace = current_schema()::regnamespace order by 1`,
)
const REPLICATION = sql(
  '',
  `select (select count(*)::int from pg_stat_replication) as replicas,
     (select max(extract(epoch from replay_lag))::float8 from pg_stat_replication) as lag_s,
     (select string_agg(slot_name, ', ' order by slot_name) from pg_replication_slots where not active) as idle_slots,
     (select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver) as archive_fails`,
)
const PAGES = sql(
  '',
  `select current_setting('data_checksums') = 'on' as are_checked, checksum_failures::int as damaged,
     checksum_last_failure as last_at
   from pg_stat_database where datname = current_database()`,
)
const CONNECTIONS = sql(
  '',
  `select (select sum(case name when 'max_connections' then setting::int else -setting::int end)::int from pg_settings
       where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')) as allowed,
     count(*)::int as open,
     count(*) filter (where application_name = 'malipo heartbeat' and datname = current_database())::int as processes
   from pg_stat_activity where backend_type = 'client backend'`,
)

const SLOW_MS = 50
const CLOCK_WARN_MS = 5_000
const CLOCK_FAIL_MS = 60_000
/** The check of the clocks reads only probes that are younger than this time. */
const RECENT_PROBE_MS = 600_000
const LAG_WARN_S = 60
/** If the replica has to replay more than one file of PostgreSQL's write-ahead log (16 MiB), the check warns. */
const BEHIND_WARN_BYTES = 16_777_216
/** If more than this share of PostgreSQL's connections is open, the check warns. */
const CROWDED_FROM = 0.8
/** The connections of each process besides DATABASE_CONNECTIONS: one for the request log and one for the heartbeat. */
const EXTRA_CONNECTIONS = 2
const HOUR_MS = 3_600_000
const CHECK_AGE_MAX_MS = 26 * HOUR_MS

/** Returns the checks of the database by name. The first check is the connection. */
export function checkDatabase(reader: Reader, config: Config, input: DoctorInput): CheckTable {
  const { clock, pending, must_separate } = input
  const table: Record<(typeof DATABASE_CHECKS)[number], CheckTable[string]> = {
    async database() {
      const [row = { version: 0, name: 'unknown', standby: false }] = await reader.query<
        DatabaseVersion & { standby: boolean }
      >(VERSION)
      if (row.standby) return fail('the database is a standby and accepts no writes: let DATABASE_URL name the primary')
      const { too_old, untested } = judgeVersion(row)
      if (too_old !== null) return fail(too_old)
      return untested === null ? ok(`PostgreSQL ${row.name}`) : warn(untested)
    },
    async latency() {
      const began = performance.now()
      await reader.query(NOW)
      const took = Math.round(performance.now() - began)
      if (took < SLOW_MS) return ok(`one statement takes ${took} ms`)
      return warn(`one statement takes ${took} ms: run the server in the same network as the database`)
    },
    schema: () => checkSchema(reader, pending),
    roles: () => checkRoles(reader, must_separate),
    async durability() {
      const problems = await settingProblems(reader, config)
      if (problems.length === 0) return ok('the database keeps committed payments after a crash')
      return config.node_env === 'production' ? fail(problems.join('; ')) : warn(problems.join('; '))
    },
    pages: () => checkPages(reader),
    clock: () => checkClock(reader, clock),
    replication: () => checkReplication(reader),
    replica: () => checkReplica(reader, input.replica),
    connections: () => checkConnections(reader, config),
    books: () => checkBooks(reader, config, clock.now()),
    restore: () => checkRestorable(reader, config, clock.now()),
    anchors: () => checkAnchorState(reader, config, clock.now()),
  }
  return table
}

async function checkSchema(reader: Reader, pending: () => Promise<string[]>): Promise<CheckResult> {
  const [missing, half_built] = [await pending(), await reader.query<{ name: string }>(HALF_BUILT)]
  if (half_built.length > 0) {
    const names = half_built.map(({ name }) => name)
    return fail(
      `a migration is half applied: the index ${names.join(', ')} is not complete. As the owner, run "reindex index concurrently ${names[0]}", then check again`,
    )
  }
  if (missing.length === 0) return ok('no migration is pending')
  const named = missing.length <= 3 ? missing.join(', ') : `${missing[0]} to ${missing.at(-1)}`
  return fail(
    `${missing.length} migrations are pending (${named}): run "${adminCommand('migrate')}", or start the new version`,
  )
}

async function checkRoles(reader: Reader, must_separate: boolean): Promise<CheckResult> {
  if (await isSuperuser(reader))
    return fail(
      `DATABASE_URL names a superuser, from which the database cannot protect its history: "${adminCommand('db roles --print')}" prints the SQL statements for two roles`,
    )
  const { findings, note } = await runtimeRights(reader, must_separate)
  const problems = [...findings, ...(await lostRevocations(reader))]
  if (problems.length > 0) return fail(`a role has too many rights: ${problems.slice(0, 5).join('; ')}`)
  return note === null ? ok('the role of the server cannot rewrite history') : warn(note)
}

/**
 * If PostgreSQL has read a page with a wrong checksum since the start of its statistics, returns `fail`. If data checksums are
 * off, returns `warn`.
 */
async function checkPages(reader: Reader): Promise<CheckResult> {
  const [row] = await reader.query<{ are_checked: boolean; damaged: number | null; last_at: Date | null }>(PAGES)
  if (!row?.are_checked)
    return warn(
      'data checksums are off, so PostgreSQL does not notice a damaged page. Stop PostgreSQL, run "pg_checksums --enable -D" with its data directory, and start PostgreSQL again',
    )
  if (row.damaged)
    return fail(
      `PostgreSQL read damaged pages ${row.damaged} times, the last time at ${row.last_at?.toISOString()}: pause the payouts, and follow "A corrupted page" of docs/operate/disasters.md`,
    )
  return ok('PostgreSQL checks its pages, and found no damaged page')
}

/**
 * Compares clocks with the clock of the database: the clock of this machine, and those of the processes that recently answered
 * a readiness check.
 */
async function checkClock(reader: Reader, clock: DoctorInput['clock']): Promise<CheckResult> {
  const before = clock.now().getTime()
  const [row] = await reader.query<{ now: Date }>(NOW)
  const after = clock.now().getTime()
  const database = row?.now.getTime() ?? 0
  const offset = (before + after) / 2 - database
  const recently = new Date(database - RECENT_PROBE_MS)
  const [worst] = await reader.query<{ ahead_ms: number }>(WORST_CLOCK, [recently]).catch(() => [])
  const of_process = worst?.ahead_ms ?? 0
  const describe = (subject: string, ms: number) =>
    `the clock of ${subject} is ${sayDuration(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} the clock of the database: synchronise both clocks, for example with chrony or systemd-timesyncd`
  const [subject, ms] =
    Math.abs(of_process) > Math.abs(offset)
      ? ['the machine of a process of the server', of_process]
      : ['this machine', offset]
  if (Math.abs(ms) >= CLOCK_FAIL_MS) return fail(describe(subject, ms))
  if (Math.abs(ms) >= CLOCK_WARN_MS) return warn(describe(subject, ms))
  return ok(`the clocks of the machines and of the database differ by ${Math.round(Math.abs(ms))} ms`)
}

/** Checks how long ago a worker last restored the newest backup of BACKUP_DIR as a test. */
async function checkRestorable(reader: Reader, { backup_dir, database_url }: Config, now: Date): Promise<CheckResult> {
  if (backup_dir === '')
    return warn(
      database_url === ''
        ? 'BACKUP_DIR is not set, so no process archives or checks backups: see docs/operate/backup.md'
        : 'this program does not restore the backups of a PostgreSQL of your own: restore one each quarter (docs/operate/backup.md)',
    )
  const { last, last_good_at } = await lastBackupCheck(reader)
  if (last === null)
    return warn('no worker has checked a backup yet: the first check begins ten minutes after the start')
  const age_ms = last_good_at === null ? null : now.getTime() - last_good_at.getTime()
  const good =
    age_ms === null ? 'no check was good' : `the last good check ended ${sayDuration(Math.max(0, age_ms))} ago`
  if (!last.ok)
    return fail(
      `the last check of the newest backup failed (${last.error}); ${good}: make a backup, or repair the cause`,
    )
  if (age_ms === null || age_ms > CHECK_AGE_MAX_MS) return fail(`${good}: check that a worker runs`)
  return ok(`a worker restored the backup ${last.backup} into a scratch folder; ${good}`)
}

async function checkReplication(reader: Reader): Promise<CheckResult> {
  const [row] = await reader.query<{
    replicas: number
    lag_s: number | null
    idle_slots: string | null
    archive_fails: boolean | null
  }>(REPLICATION)
  const { replicas = 0, lag_s = null, idle_slots = null, archive_fails = null } = row ?? {}
  if (archive_fails)
    return fail(
      'PostgreSQL cannot archive its log: read the log of PostgreSQL and correct archive_command, before the disk is full',
    )
  if (idle_slots !== null)
    return warn(
      `no standby uses the replication slot ${idle_slots}, so the log of the database grows: start the standby, or drop the slot`,
    )
  if (replicas === 0) return ok('the database has no standby')
  if (lag_s !== null && lag_s > LAG_WARN_S)
    return warn(`a standby is ${sayDuration(lag_s * 1_000)} behind: check its machine and network`)
  return ok(`standbys: ${replicas}`)
}

async function checkReplica(reader: Reader, replica: Reader | null): Promise<CheckResult> {
  if (replica === null) return ok('DATABASE_READ_URL is empty: the primary answers all reads')
  const remedy = 'Until then the primary answers its reads'
  try {
    const { problem, behind_bytes } = await compareReplica(reader, replica)
    if (problem !== null)
      return warn(`DATABASE_READ_URL names no replica of DATABASE_URL: ${problem}. Correct it. ${remedy}`)
    if (behind_bytes > BEHIND_WARN_BYTES)
      return warn(
        `the read replica has to replay ${Math.round(behind_bytes / 1_048_576)} MB: check its machine. ${remedy}`,
      )
    return ok(`the read replica is ${behind_bytes} bytes of the log behind`)
  } catch (error) {
    const why = (error as Error).message || (error as { code?: string }).code
    return warn(`the read replica does not answer (${why}): check DATABASE_READ_URL and its machine. ${remedy}`)
  }
}

async function checkConnections(reader: Reader, config: Config): Promise<CheckResult> {
  const [row] = await reader.query<{ allowed: number; open: number; processes: number }>(CONNECTIONS)
  const { allowed = 0, open = 0, processes = 0 } = row ?? {}
  const count = Math.max(processes, 1)
  const needed = count * (config.database_connections + EXTRA_CONNECTIONS)
  const text = `${open} of ${allowed} connections are open, and ${count === 1 ? 'one process needs' : `${count} processes need`} ${needed} with this DATABASE_CONNECTIONS`
  const remedy = 'raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS'
  if (needed > allowed) return fail(`${text}: ${remedy}`)
  if (open > allowed * CROWDED_FROM) return warn(`${text}: ${remedy}`)
  return ok(text)
}

/**
 * Says what makes a worker verify the books for the first time. A manual verify does not count, because no process repeats a
 * manual verify.
 */
function neverVerified(verify_every_h: number): string {
  const by_hand = `check the books now with "${adminCommand('verify')}"`
  if (verify_every_h === 0)
    return `VERIFY_EVERY_H is 0, so no worker verifies the books: set VERIFY_EVERY_H, and ${by_hand}`
  return `no worker has verified the books yet. A worker does so every ${verify_every_h} hours, first 10 minutes after its start: keep a server or worker running, and ${by_hand}`
}

async function checkBooks(reader: Reader, { verify_every_h }: Config, now: Date): Promise<CheckResult> {
  const { last, last_good_at } = await lastVerifyRun(reader)
  const remedy = `run "${adminCommand('verify')}"`
  if (last?.ok === false) {
    const named = (last.broken ?? []).map(({ name }) => name).join('; ')
    return fail(
      `the last verify found ${last.problems} contradictions (${named}): ${remedy}, and read docs/operate/runbooks.md`,
    )
  }
  if (last_good_at === null) return warn(neverVerified(verify_every_h))
  const age_ms = now.getTime() - last_good_at.getTime()
  const text = `the last good verify ended ${sayDuration(age_ms)} ago`
  if (verify_every_h > 0 && age_ms > 2 * verify_every_h * HOUR_MS)
    return warn(`${text}, and VERIFY_EVERY_H is ${verify_every_h}: check that a worker runs, and ${remedy}`)
  return ok(text)
}

/** If the last anchor is older than this time, the check warns. A worker makes at least one anchor each hour. */
const ANCHOR_LATE_MS = 3 * HOUR_MS

async function checkAnchorState(reader: Reader, config: Config, now: Date): Promise<CheckResult> {
  const last = await findLastAnchor(reader)
  if (last === null) return warn('the audit log has no anchor yet: check that a worker runs')
  const age_ms = now.getTime() - last.at.getTime()
  const text = `anchor ${last.number}, of ${last.at.toISOString()}, covers ${last.entries} entries of the audit log`
  if (age_ms > ANCHOR_LATE_MS) return warn(`${text}, and no newer anchor exists: check that a worker runs`)
  const state = await readAnchorState(reader)
  const remedy = 'see docs/operate/audit-anchors.md'
  if (anchorFileOf(config) !== null && state?.file_error)
    return warn(`${text}, and the worker cannot write AUDIT_ANCHOR_FILE: ${state.file_error}: ${remedy}`)
  if (config.audit_anchor_url !== '' && state?.send_error)
    return warn(`${text}, and AUDIT_ANCHOR_URL has only anchor ${state.sent_number}: ${state.send_error}: ${remedy}`)
  return ok(text)
}
