// The door of collections.

export { type Clearance, clearCollection } from './clear.ts'
export { createDriver, type Driver } from './drive.ts'
export { HELD_STATUSES, listHeld } from './held.ts'
export { parseReference } from './reference.ts'
export { collectionRoutes } from './routes.ts'
export { HeldCollection } from './schema.ts'
export { applyOutcomes, type Outcome } from './settle.ts'
export { moves, STATUSES } from './state.ts'
export { type Attempt, findAttempts } from './store.ts'
