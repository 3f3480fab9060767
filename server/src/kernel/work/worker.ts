// The worker: runs each task again and again, at once while there is something to do, else after a pause.

import { type Deps, isUnavailable } from '../db/index.ts'

/** Something that falls due: claims a bounded set of rows and works on them. */
export type Task = {
  name: string
  /** Pause when nothing was due. */
  every_ms: number
  /** Takes what is due now, at most one set. Answers how many items it took; it may still be working on them. */
  runOnce(): Promise<number>
  /** Resolves when nothing that it took is under way any more. */
  idle(): Promise<void>
}

/** The running worker. */
export type Worker = {
  start(): void
  /** Stops taking work, waits for what is under way. */
  stop(): Promise<void>
}

/** After an error, so that a database that is away is not flooded. */
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
        { err: error, task: task.name },
        'task failed; it will be tried again',
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
      await Promise.all(rounds.values())
      await Promise.all(tasks.map((task) => task.idle()))
    },
  }
}
