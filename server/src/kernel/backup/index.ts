// Exports the backups of the embedded database: make a backup, archive the WAL, and restore the files of a backup.

export { BackupError } from './error.ts'
export { archiveSource, type MadeBackup, makeBackup } from './make.ts'
export { isUnreleased, type RecoveredDatabase, recoverDatabase, removeUnreleased } from './recover.ts'
export { deleteOldBackups } from './retention.ts'
export { backupKeyOf } from './sealed-file.ts'
export { walTask } from './wal.ts'
