// Checks the settings, the disks and the time of the last backup for `admin doctor`.

import { stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Config, sayDuration } from '../../kernel/lib/index.ts'
import { type CheckResult, type CheckTable, type DoctorInput, fail, ok, warn } from './doctor-result.ts'

const BYTES_PER_MB = 1_048_576
/** If less than this share of a disk is free, the check warns. */
const NEARLY_FULL = 0.1
const BACKUP_AGE_MAX_MS = 26 * 3_600_000

/** Settings that the program accepts although they are dangerous, each with its risk. */
const DANGEROUS: readonly [string, (config: Config) => boolean, string][] = [
  [
    'NODE_ENV',
    ({ node_env }) => node_env !== 'production',
    'is not production, so the server makes demo users and accepts insecure settings',
  ],
  [
    'FOUR_EYES_AMOUNT',
    ({ four_eyes_amount }) => four_eyes_amount === 'off',
    'is off: one operator can move any amount',
  ],
  ['STEP_UP_S', ({ step_up_s }) => step_up_s === 0, 'is 0: an old session can move money'],
  [
    'WEBHOOK_ALLOW_PRIVATE',
    ({ webhook_allow_private }) => webhook_allow_private === true,
    'lets webhooks reach private addresses',
  ],
  [
    'ALLOW_MOCK_IN_PRODUCTION',
    ({ allow_mock_in_production }) => allow_mock_in_production,
    'lets live payments move no money',
  ],
  [
    'DATABASE_TLS_NOT_NEEDED',
    ({ database_tls_not_needed }) => database_tls_not_needed,
    'allows a connection to the database without verified TLS',
  ],
  [
    'FULL_PAGE_WRITES_NOT_NEEDED',
    ({ full_page_writes_not_needed }) => full_page_writes_not_needed,
    'is safe only on storage such as ZFS',
  ],
  [
    'OPERATOR_ALLOWED_IPS',
    ({ operator_allowed_ips }) => operator_allowed_ips.length === 0,
    'is empty: every address reaches the sign-in of operators',
  ],
  [
    'RATE_LIMIT_PER_ADDRESS',
    ({ rate_limit_address }) => rate_limit_address === 0,
    'is 0: an address can try credentials without a limit',
  ],
]

/** Returns the checks of the settings, the disks and the last backup. */
export function checkMachine(config: Config, { folders, unknown_names, clock }: DoctorInput): CheckTable {
  return {
    settings() {
      const found = DANGEROUS.filter(([, holds]) => holds(config)).map(([name, , risk]) => `${name} ${risk}`)
      const problems = [...unknown_names, ...found]
      return problems.length === 0 ? ok('valid, and none is dangerous') : warn(problems.join('; '))
    },
    disk: () => checkDisks([resolve(config.data_dir), ...folders], config.disk_free_min_mb),
    backups: () => checkBackups(config.backup_status_file, clock.now()),
  }
}

/** Reads the size of the disk with this folder, and the space that this user can still use, in bytes. */
export async function readDisk(folder: string): Promise<{ free_bytes: number; size_bytes: number }> {
  const { bavail, bsize, blocks } = await statfs(await nearestFolder(folder))
  return { free_bytes: bavail * bsize, size_bytes: blocks * bsize }
}

/**
 * Returns when the last good backup ended: the modification time of BACKUP_STATUS_FILE. If the file is missing or not readable,
 * returns null.
 */
export function readBackupTime(file: string): Promise<Date | null> {
  return stat(file).then(
    ({ mtime }) => mtime,
    () => null,
  )
}

async function checkDisks(folders: readonly string[], least_mb: number): Promise<CheckResult> {
  const found: string[] = []
  const nearly: string[] = []
  for (const folder of folders) {
    const { free_bytes, size_bytes } = await readDisk(folder)
    const free_mb = Math.floor(free_bytes / BYTES_PER_MB)
    const text = `${folder} has ${free_mb} MB free`
    if (free_mb < least_mb)
      return fail(
        `${text}, less than DISK_FREE_MIN_MB (${least_mb}), so the server is not ready: free space, or enlarge the disk`,
      )
    if (free_bytes < size_bytes * NEARLY_FULL) nearly.push(text)
    found.push(text)
  }
  if (nearly.length > 0) return warn(`${nearly.join('; ')}, less than 10 %: free space, or enlarge the disk`)
  return ok(`${found.join('; ')}. The check does not include the disk of a database on another machine`)
}

/** Returns the folder, or the nearest folder above it that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  )
  return exists || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

async function checkBackups(file: string, now: Date): Promise<CheckResult> {
  if (file === '')
    return warn(
      'the age of the backups is not known: set BACKUP_STATUS_FILE, and let the backup job write that file at the end of each good backup',
    )
  const written = await readBackupTime(file)
  if (written === null)
    return fail(
      `BACKUP_STATUS_FILE ${file} does not exist or is not readable: no backup has ended, or the path is wrong`,
    )
  const age_ms = now.getTime() - written.getTime()
  const text = `the last backup ended ${sayDuration(Math.max(0, age_ms))} ago`
  return age_ms > BACKUP_AGE_MAX_MS ? fail(`${text}: check the backup job`) : ok(text)
}
