// Exports the parts of the audit log for other rooms: record, list and search entries, check the hash chains, make anchors, and
// delete old addresses.
export type { AuditAction } from './actions.ts'
export { addressRetention } from './addresses.ts'
export { anchorKey, isAnchorKey } from './anchor.ts'
export { checkAnchorFile, checkAnchors } from './anchor-check.ts'
export { allAnchorLines, findLastAnchor, lastAnchorNumber, readAnchorState } from './anchor-store.ts'
export { anchorFileOf, anchorTask } from './anchor-task.ts'
export { checkChains } from './chain.ts'
export { AUDIT_STEP_LIMITS, type AuditStepResult, checkAuditStep, parseChainPosition } from './check-step.ts'
export {
  type AuditEntry,
  type AuditFilter,
  listAudit,
  listRecentAudit,
  listTargetAudit,
  newestTargetAudit,
  PLATFORM,
  RECENT_MAX,
  SEARCH_MAX,
  searchAudit,
} from './list.ts'
export { auditGauges } from './metrics.ts'
export { type Act, actOf, recordAudit, recordAudits } from './record.ts'
export { auditRoutes } from './routes.ts'
export { AuditAnswer, type AuditView } from './schema.ts'
