// The door of audit.

export { checkChains } from './chain.ts'
export { type AuditEntry, listAudit, presentAudit, type StoredEntry } from './list.ts'
export { PLATFORM, recordAudit } from './record.ts'
