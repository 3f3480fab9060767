// Deletes rows that are too old, in batches.

import type { Deps } from '../db/index.ts'
import type { Task } from './worker.ts'

const SWEEP_EVERY_MS = 60_000

/** Makes a task that deletes old rows. Each of `sweeps` deletes one batch and returns the number of deleted rows. */
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
