// Runs the commands `backup` and `restore`. `kernel/backup` makes and restores the copies.

import { existsSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { anchorFileOf, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { archiveSource, backupKeyOf, deleteOldBackups, makeBackup } from '../../kernel/backup/index.ts'
import { findEmbedded } from '../../kernel/db/embedded.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { type Config, ConfigError, Refusal, showTime } from '../../kernel/lib/index.ts'
import { queryBeforeSending } from '../../money/collections/index.ts'
import { doubtUnsentPayouts, startPause } from '../../money/withdrawals/index.ts'
import { COMMAND_ACT } from './act.ts'
import { exportAnchors } from './anchors.ts'
import { verify } from './verify.ts'

const SECRET_KEY_APART =
  'SECRET_KEY is not in the backup: keep a copy of it, and of BACKUP_KEY, in another place. Without SECRET_KEY the server cannot decrypt the encrypted values'

/** If DATABASE_URL is set or BACKUP_KEY is missing, throws a ConfigError. */
export function requireBackups({ database_url, backup_key }: Config): void {
  if (database_url !== '') {
    throw new ConfigError(
      'DATABASE_URL is set, and this command is only for the embedded database: back up your PostgreSQL with its own tools (docs/operate/backup.md)',
    )
  }
  if (backup_key === '') {
    throw new ConfigError(
      'BACKUP_KEY is not set, and the backups are encrypted: make a key with openssl rand -base64 32, set BACKUP_KEY, and keep a copy of it',
    )
  }
}

/** If the database is the embedded one, throws a ConfigError, because its restore needs no second step. */
export function requireOwnDatabase({ database_url }: Config): void {
  if (database_url === '')
    throw new ConfigError(
      'DATABASE_URL is not set, and this command is for a PostgreSQL of your own: "restore" of the embedded database includes these steps',
    )
}

/**
 * Makes a backup of the embedded database, which must be running. `server` is the folder of the embedded server. If `keep` is
 * not null, deletes all but the newest `keep` backups.
 */
export async function backUp(
  { config, clock, random }: Deps,
  server: string,
  place: string,
  keep: number | null = null,
) {
  const url = await findEmbedded(config.data_dir, 'superuser')
  if (url === null)
    throw new Error(`the embedded database in ${resolve(config.data_dir)} does not run: start the server`)
  const key = backupKeyOf(config.backup_key)
  const source = { url, server, place, data_dir: config.data_dir, key, clock, random }
  const { folder, manifest, stored_bytes } = await makeBackup(source)
  const archives = config.backup_dir !== '' && resolve(config.backup_dir) === resolve(place)
  if (archives) await archiveSource(source)
  if (config.backup_status_file !== '') await writeStatus(config.backup_status_file, manifest.id)
  const deleted = keep === null ? null : await deleteOldBackups(place, key, { keep, made: manifest.id })
  return {
    backup: folder,
    files: manifest.files.length,
    stored_bytes,
    ended_at: manifest.ended_at,
    schema: manifest.schema,
    key: manifest.key_id,
    restores: archives
      ? 'to any second from ended_at on, as far as the server archives'
      : 'to ended_at only: set BACKUP_DIR to this folder and start the server again, to restore to any second',
    ...(deleted === null ? {} : { deleted_backups: deleted.backups, deleted_wal_files: deleted.wal_files }),
    remember: SECRET_KEY_APART,
  }
}

/** Replaces the file of BACKUP_STATUS_FILE. The modification time of the file is the time of the last good backup. */
async function writeStatus(file: string, id: string): Promise<void> {
  await writeFile(`${file}.unfinished`, `${id}\n`, { flush: true })
  await rename(`${file}.unfinished`, file)
}

/**
 * The backup that PostgreSQL restored, the requested time, and the time of the last recovered change. Null in `to` means the
 * newest time. Null in `recovered_to` means the end of the backup.
 */
export type Restored = { backup: string; ended_at: string; to: Date | null; recovered_to: Date | null }

/**
 * Makes a restored database safe to start, and runs the checks of verify. One transaction pauses all payouts, brings
 * unconfirmed live payouts into doubt, lets the worker query payments before it sends them, and writes the audit entry. If the
 * process dies during a restore of the embedded database, the operator must restore the backup again.
 */
export async function prepareRestored(
  deps: Deps,
  { url, must_separate }: { url: string; must_separate: boolean },
  restored: Restored,
) {
  const recovered_to = restored.recovered_to?.toISOString() ?? restored.ended_at
  const restored_to = (restored.to?.toISOString() ?? recovered_to).replace(/\.000Z$/, 'Z')
  const shown = showTime(new Date(restored_to), 'en', true)
  const made = await inTransaction(deps.db, async (tx) => {
    const payouts_in_doubt = await doubtUnsentPayouts(deps, tx, shown)
    const payments_to_query = await queryBeforeSending(deps, tx)
    const payouts = await pausePayouts(deps, tx, `The database was restored to ${shown}`)
    await recordAudit(deps, tx, {
      ...COMMAND_ACT,
      merchant_id: PLATFORM,
      action: 'database.restore',
      target_type: 'database',
      target_id: restored.backup,
      after: { backup: restored.backup, restored_to, payouts_in_doubt },
    })
    return { payouts, payouts_in_doubt, payments_to_query }
  })
  const anchors = anchorFileOf(deps.config)
  // If you run PostgreSQL yourself, DATA_DIR still has the anchor file of the lost database. The anchor file proves which
  // entries are missing.
  if (anchors !== null && deps.config.audit_anchor_file === '' && !existsSync(anchors))
    await exportAnchors(deps, anchors)
  const { ok, checks, broken } = await verifyRestored(deps, { url, must_separate })
  return {
    ok,
    data_dir: resolve(deps.config.data_dir),
    backup: restored.backup,
    restored_to,
    last_change: recovered_to,
    ...made,
    checks,
    ...(ok ? {} : { broken }),
    next: ok
      ? 'start the server with this DATA_DIR, import the statements of each provider, then end the pause of payouts, and make a new backup'
      : 'the database stays closed: restore to another time, or read docs/operate/backup.md',
  }
}

/**
 * Runs the checks of verify on a restored database. The file of anchors is from the lost database, so the checks compare only
 * the anchors in the database.
 */
async function verifyRestored(deps: Deps, { url, must_separate }: { url: string; must_separate: boolean }) {
  const now = deps.clock.now()
  const { ok, checks } = await verify(url, { must_separate, vault: deps.vault, now, anchors: { file: null, now } })
  const broken = checks.filter((check) => !check.ok).map(({ name, detail }) => ({ name, detail }))
  return { ok, checks: checks.length, broken }
}

/**
 * Checks a backup that the program has restored into a temporary folder. Changes nothing in the running installation.
 */
export async function checkRestored(
  deps: Deps,
  database: { url: string; must_separate: boolean },
  { backup, ended_at, recovered_to }: Restored,
) {
  const { ok, checks, broken } = await verifyRestored(deps, database)
  return {
    ok,
    backup,
    ended_at,
    last_change: recovered_to?.toISOString() ?? ended_at,
    checks,
    ...(ok ? {} : { broken }),
  }
}

/** Pauses all payouts. If the backup contains such a pause, that pause stays in force. */
async function pausePayouts(deps: Deps, tx: Tx, reason: string): Promise<string> {
  try {
    await startPause(deps, tx, COMMAND_ACT, { scope: 'platform', target: '', reason })
    return 'paused by this restore'
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error
    return 'paused already in the backup'
  }
}

// Each process of the server holds a connection with this application name while it runs. An admin command has no such
// connection.
const PROCESSES = sql(
  '',
  "select count(*)::int as running from pg_stat_activity where application_name = 'malipo heartbeat' and datname = current_database()",
)
const IN_RECOVERY = sql(
  '',
  'select pg_is_in_recovery() as in_recovery, pg_last_xact_replay_timestamp() as recovered_to',
)

/**
 * Makes a PostgreSQL database safe after its own tools have restored it to `to`. The embedded database needs no such command.
 * If a process of the server uses the database, if PostgreSQL still recovers, or if `to` is in the future, throws an error.
 */
export async function finishRestore(deps: Deps, database: { url: string; must_separate: boolean }, to: Date) {
  const [state] = await deps.db.query<{ in_recovery: boolean; recovered_to: Date | null }>(IN_RECOVERY)
  if (state?.in_recovery)
    throw new Error('the database still recovers: wait until PostgreSQL has replayed its log, and promote it')
  if (to > deps.clock.now()) throw new Error('--to-time is in the future: give the time to which you restored')
  const [found] = await deps.db.query<{ running: number }>(PROCESSES)
  if (found !== undefined && found.running > 0)
    throw new Error(
      `${found.running} processes of the server use this database: stop all of them first, because they would send payouts`,
    )
  const recovered_to = state?.recovered_to ?? null
  const restored = { backup: 'postgresql', ended_at: to.toISOString(), to, recovered_to }
  const { data_dir: _data_dir, backup: _backup, ...result } = await prepareRestored(deps, database, restored)
  return {
    ...result,
    next: result.ok
      ? 'start the server, import the statements of each provider, then end the pause of payouts, and make a new backup'
      : 'start no process: restore to another time, or read docs/operate/backup.md',
  }
}
