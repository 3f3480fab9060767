// Writes requests in sets and redacts their secrets. The recorder needs only a database, so that it can run in its own
// thread.

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

/** The result of a round: the requests that were written or dropped, and the characters of their bodies. */
export type RecordedRound = { entries: number; chars: number; away: boolean }

/** The writer of the request log. */
export type Recorder = {
  /** Adds a batch to the next round. */
  add(batch: CaptureBatch): void
  /**
   * Writes about `most` of the waiting requests, and the counts of `lost` ones. Never throws: a failed set is retried once
   * with the next round, then counted as lost. `away`: the database is unavailable.
   */
  flush(lost: readonly LostRequests[], most: number): Promise<RecordedRound>
  close(): Promise<void>
}

/** About how many requests are written by one statement. */
const SET_SIZE = 500

/** The requests of a recorder that are not written yet. */
type RecorderQueue = {
  /** By merchant, because a pack holds the requests of one merchant. */
  waiting: Map<string, CapturedRequest[]>
  lost: ReturnType<typeof createLostCounts>
  /** The requests of a failed set, for their second attempt. */
  failed: CapturedRequest[]
}

/** Makes a recorder that writes over `deps.db`, which stays open. */
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
        const { finished, error, second } = await writeSet(deps, queue)
        written.entries += finished.length
        for (const { sent, answer } of finished) written.chars += (sent?.length ?? 0) + (answer?.length ?? 0)
        if (error === null) continue
        written.away = second && isUnavailable(error)
        // The remaining requests wait for the next round.
        if (!second || written.away) return written
      }
      if (lost.size() > 0) await writeLostCounts(deps, queue)
      return written
    },
    async close() {},
  }
}

/** Takes the next set. A merchant with more requests goes behind the others. */
function takeSet({ waiting }: RecorderQueue): CapturedRequest[] {
  const taken: CapturedRequest[] = []
  for (const [merchant_id, of_merchant] of [...waiting]) {
    const room = SET_SIZE - taken.length
    if (room <= 0) break
    taken.push(...of_merchant.splice(0, room))
    waiting.delete(merchant_id)
    if (of_merchant.length > 0) waiting.set(merchant_id, of_merchant)
  }
  return taken
}

/** Writes one set. `finished`: the requests that were written or dropped. `second`: the set was a second attempt. */
async function writeSet(
  deps: WriteDeps,
  queue: RecorderQueue,
): Promise<{ finished: CapturedRequest[]; error: Error | null; second: boolean }> {
  const second = queue.failed.length > 0
  const set = second ? queue.failed : takeSet(queue)
  queue.failed = []
  const done = await runSplitting(set, async (part) => {
    await writeRequests(deps, part)
    return part.map(() => undefined)
  })
  const error = done.find((one) => one instanceof Error) ?? null
  const failed = error === null ? [] : set.filter((_, at) => done[at] instanceof Error)
  if (second && error !== null) dropRequests(deps, queue, failed, error)
  else queue.failed = failed
  return { finished: second ? set : set.filter((_, at) => !(done[at] instanceof Error)), error, second }
}

/** Counts requests that failed twice as lost. */
function dropRequests(
  deps: WriteDeps,
  { lost }: RecorderQueue,
  entries: readonly CapturedRequest[],
  error: unknown,
): void {
  for (const request of entries) {
    const { merchant_id, routing_code, environment } = request
    const at = arrivedAt(request)
    // A request without a readable time adds to the count and not to the period.
    const [from, until] = Number.isNaN(at) ? [Number.POSITIVE_INFINITY, 0] : [at, at]
    lost.add({ merchant_id, routing_code, environment, count: 1, from, until })
  }
  deps.log.warn({ err: error, requests: entries.length }, 'requests could not be logged; they are counted as not kept')
}

/** Writes the counts of lost requests. If the statement fails, the counts wait for the next round. */
async function writeLostCounts(deps: WriteDeps, { lost }: RecorderQueue): Promise<void> {
  const counted = lost.takeAll()
  try {
    await writeLost(deps, counted)
  } catch (error) {
    for (const one of counted) lost.add(one)
    deps.log.warn({ err: error }, 'the counts of requests that the log lost were not saved; the next round tries again')
  }
}
