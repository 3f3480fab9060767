// The door of work: claims of due rows, concurrency limits, and the worker that runs tasks. It knows no capability.

export { type Claimed, type Claimer, createClaimer } from './claim.ts'
export { type ConcurrencyLimits, createConcurrencyLimits } from './concurrency.ts'
export { sweepTask } from './sweep.ts'
export { createWorker, type Task, type Worker } from './worker.ts'
