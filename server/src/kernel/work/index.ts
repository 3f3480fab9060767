// Exports claims of due rows, concurrency limits, the gauges of queues, the tasks of retention, and the worker that runs tasks.
// The files of this room contain no payment code.

export { answerRetention } from './answer-retention.ts'
export { type Claimed, type Claimer, createClaimer } from './claim.ts'
export { type ConcurrencyLimits, createConcurrencyLimits } from './concurrency.ts'
export { type QueueReader, type QueueState, queueGauges, queueReader } from './queue-gauges.ts'
export { type RetentionRule, retentionTask } from './retention.ts'
export { sweepTask } from './sweep.ts'
export { createWorker, type Task, type Worker } from './worker.ts'
