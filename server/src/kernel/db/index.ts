// Exports the parts of the database layer for other rooms, such as the pool, the read replica, readiness, roles and encrypted
// columns. The file architecture.test.ts lists the files that other rooms import directly.

export { beginsWith, lastReferenceFirst, startsWith } from './beginning.ts'
export {
  type Canary,
  FIND_THE_KEY,
  holdsSealed,
  opens,
  readCanaries,
  readCanary,
  replaceLostKey,
  UNKNOWN_KEY,
} from './canary.ts'
export { type ConnectionRisk, connectionRisk } from './connection-safety.ts'
export { followDatabase } from './database-clock.ts'
export { type DatabaseGauges, exposeDatabaseGauges, SAME_IN_EACH_PROCESS } from './database-gauges.ts'
export type { Deps } from './deps.ts'
export { realFolder, tryLockFolder } from './folder-lock.ts'
export { countList, type KeptList } from './kept-count.ts'
export { createMetadataSearch, metadataSearchSql } from './metadata.ts'
export { createMissingMigrations } from './migrate.ts'
export { openVault, uncheckedVault } from './open-vault.ts'
export { findPlacementBreaches } from './placement-rules.ts'
export { PLACEMENTS, type Placement } from './placements.ts'
export * from './pool.ts'
export { compareReplica, forReads, openReadReplica, type ReadReplica } from './read-replica.ts'
export { type Checks, createReadiness, isReady, READINESS_CHECKS } from './readiness.ts'
export { describeRefusal } from './remedies.ts'
export { grantRuntime, ownedTable, revokedPrivileges, roleNames, rolesSql } from './roles.ts'
export {
  countSealed,
  giveUp,
  openReporting,
  readOldSealed,
  reseal,
  SEALED_COLUMNS,
  type SealedCount,
} from './sealed.ts'
export { requireSession } from './session.ts'
export { type DatabaseVersion, judgeVersion } from './version.ts'
