// The program of the thread that writes the log of requests: a recorder over a connection of its own.

import { parentPort, workerData } from 'node:worker_threads'
import { createDb } from '../../kernel/db/index.ts'
import { createLog, systemClock, systemRandom } from '../../kernel/lib/index.ts'
import { createRecorder } from './recorder.ts'
import type { Batch, Lost } from './seen.ts'
import type { ThreadData } from './threaded.ts'

const { url, log_level } = workerData as ThreadData
const log = createLog(log_level)
const db = createDb({
  url,
  max_connections: 1,
  application_name: 'malipo request log',
  on_error: (error) => log.warn({ err: error }, 'database connection lost'),
})
const recorder = createRecorder({ db, log, clock: systemClock, random: systemRandom() })

// A batch is a list; null ends the thread; what is neither asks for a round of writing.
parentPort?.on('message', async (message: Batch | { lost: Lost[]; most: number } | null) => {
  if (Array.isArray(message)) return recorder.add(message)
  if (message !== null) return parentPort?.postMessage(await recorder.flush(message.lost, message.most))
  await db.close()
  parentPort?.close()
})
