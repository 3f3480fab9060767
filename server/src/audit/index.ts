// The door of audit.

export { type Act, actOf } from './act.ts'
export { checkChains } from './chain.ts'
export { type AuditEntry, listAudit, listRecentAudit, PLATFORM, RECENT_MAX } from './list.ts'
export { recordAudit, recordAudits } from './record.ts'
export { auditRoutes } from './routes.ts'
export { AuditAnswer } from './schema.ts'
