// Runs the tasks of the worker. If a run found due rows, the task runs again immediately, otherwise after its interval.

import { type Deps, isUnavailable } from '../db/index.ts'

/** A task of the worker, which claims batches of due rows and processes these rows. */
export type Task = {
  name: string
  /** The pause after a run that found no due row, in milliseconds. */
  every_ms: number
  /**
   * Takes at most one batch of due rows and returns the number of rows. After the return, the task may still process the rows.
   */
  runOnce(): Promise<number>
  /**
   * Stops long work that another process can start again. The worker calls this function before it waits for the rows in
   * progress.
   */
  stop?(): void
  /** Resolves when the task has finished all rows that it claimed. */
  idle(): Promise<void>
  /**
   * Ends the leases that this process still holds, and returns the number of ended leases. The process calls this function when
   * it stops.
   */
  giveBack?(): Promise<number>
  /**
   * True means that another process may repeat the calls in progress immediately. Undefined means that no call may run twice,
   * such as a payout. So a process that must end does not return these leases.
   */
  repeats_safely?: true
}

/** A worker, which runs its tasks from `start` to `stop`. */
export type Worker = {
  start(): void
  /** Claims no further rows and waits for the rows in progress. */
  stop(): Promise<void>
}

/**
 * The pause after an error in milliseconds, so that the worker does not flood an unreachable database with requests.
 */
const PAUSE_AFTER_ERROR_MS = 1_000

/** Makes a worker that runs the given tasks. */
export function createWorker(deps: Deps, tasks: readonly Task[]): Worker {
  let running = false
  const cancels = new Map<Task, () => void>()
  const rounds = new Map<Task, Promise<void>>()

  const round = async (task: Task): Promise<void> => {
    let pause = task.every_ms
    try {
      if ((await task.runOnce()) > 0) pause = 0
    } catch (error) {
      pause = PAUSE_AFTER_ERROR_MS
      deps.log[isUnavailable(error) ? 'warn' : 'error'](
        { component: 'work', err: error, task: task.name },
        'a task failed; the worker retries the task',
      )
    }
    if (running) schedule(task, pause)
  }
  const schedule = (task: Task, pause: number) => {
    cancels.set(
      task,
      deps.clock.after(pause, () => {
        rounds.set(task, round(task))
      }),
    )
  }
  return {
    start() {
      running = true
      for (const task of tasks) schedule(task, 0)
    },
    async stop() {
      running = false
      for (const cancel of cancels.values()) cancel()
      for (const task of tasks) task.stop?.()
      await Promise.all(rounds.values())
      await Promise.all(tasks.map((task) => task.idle()))
    },
  }
}
