// Deleting what is too old, a set at a time.

import type { Deps } from '../db/index.ts'
import type { Task } from './worker.ts'

const SWEEP_EVERY_MS = 60_000

/** Makes a task that deletes what is too old: each of `sweeps` deletes one set as of a time, and answers how many. */
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
