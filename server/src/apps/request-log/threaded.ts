// A recorder in a thread of its own: taking secrets out and packing costs a request nothing then.

import { Worker } from 'node:worker_threads'
import type { RecordedRound, Recorder } from './recorder.ts'

/** What the thread is started with. */
export type ThreadData = { url: string; log_level: string }

/** A thread that needs more has a fault, and must not take the process with it. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 24 }

/** Makes a recorder that starts its thread with the first batch, and another when one has died; its flush then throws. */
export function createThreadedRecorder(data: ThreadData): Recorder {
  let worker: Worker | null = null
  /** Rounds that are under way, the oldest first: they are answered in their order. */
  let asked: PromiseWithResolvers<RecordedRound>[] = []
  /** How the last thread ended, where no round was there to be told. */
  let died: Error | null = null

  const start = (): Worker => {
    const started = new Worker(new URL('./thread.ts', import.meta.url), { workerData: data, resourceLimits: LIMITS })
    const end = (error: Error) => {
      if (worker !== started) return
      worker = null
      const left = asked
      asked = []
      if (left.length === 0) died = error
      for (const { reject } of left) reject(error)
    }
    started.on('message', (written: RecordedRound) => {
      asked.shift()?.resolve(written)
      if (asked.length === 0) started.unref()
    })
    started.on('error', end)
    started.on('exit', (code) => end(new Error(`the thread of the request log ended with ${code}`)))
    started.unref()
    return started
  }
  return {
    add(batch) {
      worker ??= start()
      worker.postMessage(batch)
    },
    flush(lost, most) {
      if (died !== null) {
        const error = died
        died = null
        return Promise.reject(error)
      }
      worker ??= start()
      const round = Promise.withResolvers<RecordedRound>()
      asked.push(round)
      // While something is being written, the process must not end.
      worker.ref()
      worker.postMessage({ lost, most })
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
