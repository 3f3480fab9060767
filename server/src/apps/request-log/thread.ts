// Runs a recorder with its own database connection in the thread that writes the request log.

import { parentPort, workerData } from 'node:worker_threads'
import { createDb } from '../../kernel/db/index.ts'
import { createLog, systemClock, systemRandom } from '../../kernel/lib/index.ts'
import type { CaptureBatch } from './captured.ts'
import { createRecorder } from './recorder.ts'
import type { RoundRequest, ThreadData } from './threaded.ts'

const data = workerData as ThreadData
const log = createLog(data.log_level)
const db = createDb({
  url: data.url,
  max_connections: 1,
  application_name: 'malipo request log',
  on_error: (error) =>
    log.warn({ component: 'request-log', err: error }, 'the recorder thread lost its database connection'),
})
const recorder = createRecorder({ db, log, clock: systemClock, random: systemRandom() })

// A list is a batch of requests. Null stops the thread. Any other message starts a round.
parentPort?.on('message', async (message: CaptureBatch | RoundRequest | null) => {
  if (Array.isArray(message)) return recorder.add(message)
  if (message !== null) {
    log.level = message.log_level
    return parentPort?.postMessage(await recorder.flush(message.lost, message.most))
  }
  await db.close()
  parentPort?.close()
})
