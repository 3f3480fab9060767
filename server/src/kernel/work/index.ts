// The door of work: rows that wait for something, and the loop that does what is due. Knows no capability.

export { type Claimed, type Claimer, createClaimer } from './claim.ts'
export { createPlaces, type Places } from './places.ts'
export { sweepTask } from './sweep.ts'
export { createWorker, type Task, type Worker } from './worker.ts'
