// The log of requests: noted in memory and handed over to be written, by a task that every process has. A request never waits for
// it, and is never refused because of it.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import type { Recorder } from './recorder.ts'
import { addTo, type Batch, createLostCounts, FIELDS } from './seen.ts'

/** The log of this process. */
export type RequestLog = {
  /** Notes a request whose answer is about to be sent. Null: nothing is logged. */
  answering: ((request: FastifyRequest, reply: FastifyReply, payload: unknown) => void) | null
  /** Writes what was noted; each process does it for itself. Idle: all of it is written, unless the database is away. */
  task: Task
}

const WRITE_EVERY_MS = 2_000
/**
 * Requests that are written by one round: a burst waits for its turn, so that however many come, payments lose no more than a few
 * hundredths of their speed to the log.
 */
const ROUND_ENTRIES = 1_000
/** Requests that are handed over together: short-lived memory is cheap. */
const BATCH_ENTRIES = 64
/** Characters of bodies that wait to be written, of all merchants; without room for its bodies a request is kept without. */
const CHARS_MAX = 8_000_000
/** Requests that wait to be written; those beyond are counted. */
const ENTRIES_MAX = 20_000

/** Makes the log, whose requests `recorder` writes. `most`: how much may wait in memory, where a test wants little. */
export function createRequestLog(
  deps: Pick<Deps, 'clock' | 'config' | 'log'>,
  recorder: Recorder,
  most: { chars: number; entries: number } = { chars: CHARS_MAX, entries: ENTRIES_MAX },
): RequestLog {
  const { clock, config, log } = deps
  const lost = createLostCounts()
  const time = () => clock.now().getTime()
  let batch: Batch = []
  /** Noted and not yet written. */
  let entries = 0
  let chars = 0
  let flushing: Promise<unknown> = Promise.resolve()

  const handOver = () => {
    if (batch.length > 0) recorder.add(batch)
    batch = []
  }
  const flush = async (most_entries: number): Promise<boolean> => {
    handOver()
    const counted = lost.takeAll()
    try {
      const written = await recorder.flush(counted, most_entries)
      // What a thread that died had in hand is not counted any more, and may be told of all the same.
      entries = Math.max(0, entries - written.entries)
      chars = Math.max(0, chars - written.chars)
      return written.away
    } catch (error) {
      // Whoever writes has died with all that was handed over.
      log.error({ err: error, requests: entries }, 'requests were lost before they could be logged')
      entries = batch.length / FIELDS
      chars = 0
      for (const one of counted) lost.add(one)
      return true
    }
  }
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = flushing.then(work)
    flushing = result.catch(() => undefined)
    return result
  }
  const answering = (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const who = request.recognised
    if (who === null) return
    // What only read something and was answered gives way first to what made or changed something, or was refused.
    const is_least = request.method === 'GET' && reply.statusCode < 400
    if (entries >= (is_least ? most.entries / 2 : most.entries)) {
      const { environment, merchant } = who
      const at = time()
      const { id: merchant_id, routing_code } = merchant
      return lost.add({ merchant_id, routing_code, environment, count: 1, from: at, until: at })
    }
    const { sent } = request
    const answer = typeof payload === 'string' ? payload : null
    const length = (sent?.length ?? 0) + (answer?.length ?? 0)
    const stripped = chars + length > most.chars
    addTo(batch, who, request, reply, stripped ? STRIPPED : { sent, answer, stripped }, time)
    entries++
    if (!stripped) chars += length
    if (batch.length >= BATCH_ENTRIES * FIELDS) handOver()
  }
  return {
    answering: config.request_log_days === 0 ? null : answering,
    task: {
      name: 'request_log',
      every_ms: WRITE_EVERY_MS,
      runOnce: () =>
        inTurn(async () => {
          if (entries > 0 || lost.size() > 0) await flush(ROUND_ENTRIES)
          return 0
        }),
      idle: () =>
        inTurn(async () => {
          while (entries > 0 || lost.size() > 0) if (await flush(most.entries)) break
        }),
    },
  }
}

const STRIPPED = { sent: null, answer: null, stripped: true }
