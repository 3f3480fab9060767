// Exports the routes of operators, and the storage and the gauges of scheduled checks.

export {
  type BackupCheckResult,
  backupCheckGauges,
  claimBackupCheck,
  finishBackupCheck,
  lastBackupCheck,
  releaseBackupCheck,
} from './backup-checks.ts'
export { readEvidence } from './decision-evidence.ts'
export { operatorRoutes } from './routes.ts'
export type { ReadSystem, SystemCheck, SystemReport } from './system.ts'
export { verifyGauges } from './verify-metrics.ts'
export {
  claimVerifyRun,
  finishVerifyRun,
  lastVerifyRun,
  releaseVerifyRun,
  type VerifyResult,
} from './verify-runs.ts'
