// Exports the dependencies of use cases and the pool. main.ts and admin.ts import `migrate.ts`, `embedded.ts` and
// `describe.ts` directly.

export { beginsWith, lastReferenceFirst } from './beginning.ts'
export { FIND_THE_KEY, holdsSealed, readCanary, requireRightKey } from './canary.ts'
export type { Deps } from './deps.ts'
export { countList, type KeptList } from './kept-count.ts'
export * from './pool.ts'
export { type Checks, createReadiness, isReady, READINESS_CHECKS } from './readiness.ts'
