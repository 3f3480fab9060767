// Starts worker threads with a small young generation of their heap, which saves memory in each process.

import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * The semi-space of a thread in MB. V8 allocates up to three times this size for the young generation of the thread.
 */
const SEMI_SPACE_MB = 2

/**
 * Starts a thread that runs `file`. The flag `--max-semi-space-size` of the process also applies to its threads, and V8 then
 * ignores `maxYoungGenerationSizeMb` in `resourceLimits`. So the function changes the flag, which V8 reads only when a thread
 * starts.
 */
export function startWorkerThread(file: URL, options: WorkerOptions): Worker {
  setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE_MB}`)
  return new Worker(file, options)
}
