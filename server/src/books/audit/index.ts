// The door of audit.

export { type Act, actOf } from './act.ts'
export type { AuditAction } from './actions.ts'
export { checkChains } from './chain.ts'
export { type CheckedSome, checkSome, readPlace, STEP } from './check-some.ts'
export {
  type AuditEntry,
  type AuditFilter,
  listAudit,
  listRecentAudit,
  PLATFORM,
  RECENT_MAX,
  SEARCH_MAX,
  searchAudit,
} from './list.ts'
export { recordAudit, recordAudits } from './record.ts'
export { auditRoutes } from './routes.ts'
export { AuditAnswer } from './schema.ts'
