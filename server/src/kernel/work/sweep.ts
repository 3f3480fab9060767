// Makes worker tasks that delete or erase old rows in batches.

import type { Deps } from '../db/index.ts'
import type { Task } from './worker.ts'

const SWEEP_EVERY_MS = 60_000

/**
 * Makes a task that deletes or erases old rows. Each function in `sweeps` processes one batch and returns the number of rows
 * that the function deleted or erased.
 */
export function sweepTask(deps: Deps, name: string, sweeps: readonly ((now: Date) => Promise<number>)[]): Task {
  return {
    name,
    every_ms: SWEEP_EVERY_MS,
    async runOnce() {
      let swept = 0
      for (const sweep of sweeps) swept += await sweep(deps.clock.now())
      return swept
    },
    async idle() {},
  }
}
