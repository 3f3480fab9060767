// Runs a recorder in a separate thread, so that redaction and packing do not delay requests.

import type { Worker } from 'node:worker_threads'
import { startWorkerThread } from '../../kernel/lib/index.ts'
import type { LostRequests } from './captured.ts'
import type { RecordedRound, Recorder } from './recorder.ts'

/** The data that a recorder thread gets when it starts. */
export type ThreadData = { url: string; log_level: string }
/** The request of a round, with the present level of the log. */
export type RoundRequest = { lost: readonly LostRequests[]; most: number; log_level: string }

/** The heap limit of the thread. A thread that needs more is faulty: the thread ends, and the process continues. */
const LIMITS = { maxOldGenerationSizeMb: 256 }

/**
 * Makes a recorder that starts a thread for the first batch. If the thread dies, the next flush throws an error, and a new
 * thread starts. `logLevel` returns the level of the log, which a reload of the settings can change: each round passes it on.
 */
export function createThreadedRecorder(url: string, logLevel: () => string): Recorder {
  let worker: Worker | null = null
  /** The rounds that have no result yet, oldest first. The thread answers in this order. */
  let pending: PromiseWithResolvers<RecordedRound>[] = []
  /** The error of a thread that died between two rounds. The next flush throws this error. */
  let thread_error: Error | null = null

  const start = (): Worker => {
    const workerData: ThreadData = { url, log_level: logLevel() }
    const started = startWorkerThread(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits: LIMITS })
    const end = (error: Error) => {
      if (worker !== started) return
      worker = null
      const failed = pending
      pending = []
      if (failed.length === 0) thread_error = error
      for (const { reject } of failed) reject(error)
    }
    started.on('message', (written: RecordedRound) => {
      pending.shift()?.resolve(written)
      if (pending.length === 0) started.unref()
    })
    started.on('error', end)
    started.on('exit', (code) => end(new Error(`the recorder thread of the request log exited with code ${code}`)))
    started.unref()
    return started
  }
  return {
    add(batch) {
      worker ??= start()
      worker.postMessage(batch)
    },
    flush(lost, most) {
      if (thread_error !== null) {
        const error = thread_error
        thread_error = null
        return Promise.reject(error)
      }
      worker ??= start()
      const round = Promise.withResolvers<RecordedRound>()
      pending.push(round)
      // While a round is pending, the process must not end.
      worker.ref()
      worker.postMessage({ lost, most, log_level: logLevel() } satisfies RoundRequest)
      return round.promise
    },
    async close() {
      const ending = worker
      if (ending === null) return
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      worker = null
      ending.ref()
      ending.postMessage(null)
      await ended
    },
  }
}
