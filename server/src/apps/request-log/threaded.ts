// Runs a recorder in a separate thread, so that redaction and packing do not delay requests.

import type { Worker } from 'node:worker_threads'
import { startWorkerThread } from '../../kernel/lib/index.ts'
import type { LostRequests } from './captured.ts'
import type { RecordedRound, Recorder } from './recorder.ts'

/** The data that a recorder thread receives at its start. */
export type ThreadData = { url: string; log_level: string }
/** The message that starts a round, with the current level of the process's own log. */
export type RoundRequest = { lost: readonly LostRequests[]; most: number; log_level: string }

/** The heap limit of the thread in MB. If a faulty thread needs more, the thread ends and the process continues. */
const LIMITS = { maxOldGenerationSizeMb: 256 }

/**
 * Makes a recorder that starts a thread for the first batch or round. If the thread dies during rounds, these rounds reject. If
 * the thread dies between rounds, the next flush rejects. A later call starts a new thread. A reload can change the log level,
 * so each round sends the value of `logLevel`.
 */
export function createThreadedRecorder(url: string, logLevel: () => string): Recorder {
  let worker: Worker | null = null
  /** The rounds without a result, oldest first. The thread answers the rounds in this order. */
  let pending: PromiseWithResolvers<RecordedRound>[] = []
  /** The error of a thread that died between two rounds. The next flush throws the error. */
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
      // While the thread works on a round, the process must not exit.
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
