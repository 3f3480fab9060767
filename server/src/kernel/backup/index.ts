// Exports the functions that make a backup of the embedded database, archive its WAL, restore a backup, and delete old backups.

export { BackupError } from './error.ts'
export { archiveSource, type MadeBackup, makeBackup } from './make.ts'
export { isUnreleased, type RecoveredDatabase, recoverDatabase, removeUnreleased } from './recover.ts'
export { deleteOldBackups } from './retention.ts'
export { backupKeyOf } from './sealed-file.ts'
export { walTask } from './wal.ts'
