// Writes requests in chunks and redacts their secrets. A recorder needs only a database, so it can run in a separate thread.

import { isUnavailable } from '../../kernel/db/index.ts'
import { runSplitting } from '../../kernel/lib/index.ts'
import {
  arrivedAt,
  type CaptureBatch,
  type CapturedRequest,
  createLostCounts,
  type LostRequests,
  readBatch,
} from './captured.ts'
import { type WriteDeps, writeLost, writeRequests } from './write.ts'

/**
 * The result of a round: the requests that the recorder wrote or dropped, and the characters of their bodies. If a retry failed
 * because the database is unavailable, `away` is true.
 */
export type RecordedRound = { entries: number; chars: number; away: boolean }

/** The part of the log that writes the requests. */
export type Recorder = {
  /** Adds a batch to the requests that wait for the next round. */
  add(batch: CaptureBatch): void
  /**
   * Writes about `most` of the waiting requests, and the counts of `lost` requests. The next round retries a failed chunk once.
   * If the retry fails, the recorder counts its requests as lost.
   */
  flush(lost: readonly LostRequests[], most: number): Promise<RecordedRound>
  close(): Promise<void>
}

/** The highest number of requests in one SQL statement. */
const CHUNK_SIZE = 500

/** The requests that the recorder has not written yet. */
type RecorderQueue = {
  /** The waiting requests by merchant, because each pack has the requests of only one merchant. */
  waiting: Map<string, CapturedRequest[]>
  lost: ReturnType<typeof createLostCounts>
  /** The requests of a chunk that failed. The next round writes them again. */
  failed: CapturedRequest[]
}

/** Makes a recorder that writes with `deps.db`. The recorder does not close the database. */
export function createRecorder(deps: WriteDeps): Recorder {
  const queue: RecorderQueue = { waiting: new Map(), lost: createLostCounts(), failed: [] }
  const { waiting, lost } = queue
  return {
    add(batch) {
      for (const request of readBatch(batch)) {
        const of_merchant = waiting.get(request.merchant_id)
        if (of_merchant) of_merchant.push(request)
        else waiting.set(request.merchant_id, [request])
      }
    },
    async flush(lost_before, most) {
      for (const one of lost_before) lost.add(one)
      const written: RecordedRound = { entries: 0, chars: 0, away: false }
      while (written.entries < most && (queue.failed.length > 0 || waiting.size > 0)) {
        const { finished, error, second } = await writeChunk(deps, queue)
        written.entries += finished.length
        for (const { sent, answer } of finished) written.chars += (sent?.length ?? 0) + (answer?.length ?? 0)
        if (error === null) continue
        written.away = second && isUnavailable(error)
        // The other requests wait for the next round.
        if (!second || written.away) return written
      }
      if (lost.size() > 0) await writeLostCounts(deps, queue)
      return written
    },
    async close() {},
  }
}

/** Takes the next chunk. If requests of a merchant remain, the merchant moves behind the other merchants. */
function takeChunk({ waiting }: RecorderQueue): CapturedRequest[] {
  const taken: CapturedRequest[] = []
  for (const [merchant_id, of_merchant] of [...waiting]) {
    const room = CHUNK_SIZE - taken.length
    if (room <= 0) break
    taken.push(...of_merchant.splice(0, room))
    waiting.delete(merchant_id)
    if (of_merchant.length > 0) waiting.set(merchant_id, of_merchant)
  }
  return taken
}

/**
 * Writes one chunk. `finished` contains the requests that the recorder wrote or dropped. `second` means that the attempt was a
 * retry.
 */
async function writeChunk(
  deps: WriteDeps,
  queue: RecorderQueue,
): Promise<{ finished: CapturedRequest[]; error: Error | null; second: boolean }> {
  const second = queue.failed.length > 0
  const chunk = second ? queue.failed : takeChunk(queue)
  queue.failed = []
  const done = await runSplitting(chunk, async (part) => {
    await writeRequests(deps, part)
    return part.map(() => undefined)
  })
  const error = done.find((one) => one instanceof Error) ?? null
  const failed = error === null ? [] : chunk.filter((_, at) => done[at] instanceof Error)
  if (second && error !== null) dropRequests(deps, queue, failed, error)
  else queue.failed = failed
  return { finished: second ? chunk : chunk.filter((_, at) => !(done[at] instanceof Error)), error, second }
}

/** Counts the requests as lost, because their second attempt has failed. */
function dropRequests(
  deps: WriteDeps,
  { lost }: RecorderQueue,
  entries: readonly CapturedRequest[],
  error: unknown,
): void {
  for (const request of entries) {
    const { merchant_id, routing_code, environment } = request
    const at = arrivedAt(request)
    // If the time of a request is not readable, the request increases the count but does not change the period.
    const [from, until] = Number.isNaN(at) ? [Number.POSITIVE_INFINITY, 0] : [at, at]
    lost.add({ merchant_id, routing_code, environment, count: 1, from, until })
  }
  deps.log.warn(
    { component: 'request-log', err: error, requests: entries.length },
    'the request log dropped requests after two failed attempts, and counts these requests as not kept',
  )
}

/** Writes the counts of lost requests. If the SQL statement fails, the next round writes the counts. */
async function writeLostCounts(deps: WriteDeps, { lost }: RecorderQueue): Promise<void> {
  const counted = lost.takeAll()
  try {
    await writeLost(deps, counted)
  } catch (error) {
    for (const one of counted) lost.add(one)
    deps.log.warn(
      { component: 'request-log', err: error },
      'the request log could not save the counts of lost requests; the next round retries',
    )
  }
}
