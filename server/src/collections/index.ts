// The door of collections.

export { createDriver, type Driver } from './drive.ts'
export { parseReference } from './reference.ts'
export { collectionRoutes } from './routes.ts'
export { applyOutcomes, type Outcome } from './settle.ts'
export { moves, STATUSES } from './state.ts'
export { type Attempt, findAttempts } from './store.ts'
