// Runs each task of the worker repeatedly: while rows are due, without a pause, and otherwise after the interval of the
// task.

import { type Deps, isUnavailable } from '../db/index.ts'

/** A task of the worker, which claims a batch of due rows and works on these rows. */
export type Task = {
  name: string
  /** The pause after a run that found no due row. */
  every_ms: number
  /** Takes at most one batch of due rows and returns their number. After the return, the task may still work on the rows. */
  runOnce(): Promise<number>
  /** Ends long work that another process can begin again. The worker calls it before it waits for the rows in progress. */
  stop?(): void
  /** Resolves when the task has finished all rows that it took. */
  idle(): Promise<void>
  /** Ends the leases that this process still holds when it stops, and returns their number. */
  giveBack?(): Promise<number>
  /**
   * True means that another process may repeat the calls in progress at once, as receivers of webhooks expect. Without it, a process that
   * ends in the middle keeps its leases until they end: a payout whose request is on its way must not be sent again.
   */
  repeats_safely?: true
}

/** The running worker. */
export type Worker = {
  start(): void
  /** Takes no further rows and waits for the rows in progress. */
  stop(): Promise<void>
}

/** The pause after an error, so that the worker does not flood an unreachable database with requests. */
const PAUSE_AFTER_ERROR_MS = 1_000

/** Makes a worker over some tasks. */
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
