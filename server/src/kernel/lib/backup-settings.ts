// Defines the settings of the backups of the embedded database.

import { setting, text } from './setting.ts'

const KEY_BYTES = 32

const key = (value: string): string => {
  if (value !== '' && Buffer.from(value, 'base64').length !== KEY_BYTES) throw new Error('must be 32 bytes in base64')
  return value
}

/** The settings of the backups, for the table of all settings. */
export const backupSettings = {
  backup_dir: setting(
    'BACKUP_DIR',
    '',
    text,
    'Folder of the backups of the embedded database, on another disk. The server also archives the changes of each minute there, so that "admin restore" can go back to any second. Empty: the server archives nothing.',
  ),
  backup_key: setting(
    'BACKUP_KEY',
    '',
    key,
    '32 bytes in base64 that encrypt the backups of the embedded database: openssl rand -base64 32. Not SECRET_KEY. Keep a copy away from the backups.',
    { secret: true },
  ),
  backup_check_dir: setting(
    'BACKUP_CHECK_DIR',
    '',
    text,
    'Folder into which a worker restores the newest backup of BACKUP_DIR each day. The worker checks the restored database, and then removes the folder. Empty: the folder backup-check of DATA_DIR. Name a disk with space for a second database.',
  ),
} as const

type BackupConfig = { backup_dir: string; backup_key: string; secret_key: string; database_url: string }

/** Lists the problems of the settings of backups, with the names of their variables. */
export function backupProblems({ backup_dir, backup_key, secret_key, database_url }: BackupConfig): string[] {
  const problems: string[] = []
  if (backup_dir !== '' && backup_key === '')
    problems.push(
      'BACKUP_KEY must be set with BACKUP_DIR, because the server encrypts its backups: openssl rand -base64 32',
    )
  if (backup_dir !== '' && database_url !== '')
    problems.push(
      'BACKUP_DIR is only for the embedded database, but DATABASE_URL is set: remove BACKUP_DIR, and back up that PostgreSQL with its own tools',
    )
  if (backup_key !== '' && secret_key.split(',').some((one) => one.trim() === backup_key))
    problems.push('BACKUP_KEY must not be a key of SECRET_KEY: make a key of its own with openssl rand -base64 32')
  return problems
}
