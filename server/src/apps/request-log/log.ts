// Makes the request log. Each process captures requests and passes them to a recorder in batches. A task starts the rounds in
// which the recorder writes. No request waits for the log, and the log refuses no request.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { addToBatch, BATCH_FIELDS, type CaptureBatch, createLostCounts } from './captured.ts'
import type { Recorder } from './recorder.ts'

/** The request log of a process, with its worker task. */
export type RequestLog = {
  /**
   * Captures a request before the server sends the response. Null means that REQUEST_LOG_DAYS is 0, so the log is off.
   */
  capture: ((request: FastifyRequest, reply: FastifyReply, payload: unknown) => void) | null
  /** Writes the captured requests of this process. `idle` writes all of them, unless the database is unavailable. */
  task: Task
}

const WRITE_EVERY_MS = 2_000
/** The path of the list for API keys. The log does not contain its successful calls. */
export const KEY_REQUESTS_PATH = '/v1/requests'
/**
 * The approximate number of requests that the recorder writes in one round. The other requests of a burst wait for later
 * rounds, so that the log slows payments only by a few percent.
 */
const ROUND_ENTRIES = 1_000
/** The highest number of requests that the process passes to the recorder in one batch. */
const BATCH_ENTRIES = 64
/**
 * The highest number of characters of bodies in memory. If a request would exceed this limit, the log stores the request
 * without its bodies.
 */
const CHARS_MAX = 8_000_000
/** The highest number of requests in memory. If the memory is full, the log only counts further requests. */
const ENTRIES_MAX = 20_000

/** Makes the log. `recorder` writes the requests. Tests lower the limits of the memory with `limits`. */
export function createRequestLog(
  deps: Pick<Deps, 'clock' | 'config' | 'log'>,
  recorder: Recorder,
  limits: { chars: number; entries: number } = { chars: CHARS_MAX, entries: ENTRIES_MAX },
): RequestLog {
  const { clock, config, log } = deps
  const lost = createLostCounts()
  const time = () => clock.now().getTime()
  let batch: CaptureBatch = []
  /** The number of captured requests in memory, and the number of characters of their bodies. */
  let entries = 0
  let chars = 0
  let flushing: Promise<unknown> = Promise.resolve()

  const handOver = () => {
    if (batch.length > 0) recorder.add(batch)
    batch = []
  }
  const flush = async (entries_max: number): Promise<boolean> => {
    handOver()
    const counted = lost.takeAll()
    try {
      const written = await recorder.flush(counted, entries_max)
      // After a recorder thread has died, the next thread may report requests that these counts no longer contain.
      entries = Math.max(0, entries - written.entries)
      chars = Math.max(0, chars - written.chars)
      return written.away
    } catch (error) {
      log.error(
        { component: 'request-log', err: error, requests: entries },
        'the recorder thread died, and the request log lost its requests',
      )
      entries = batch.length / BATCH_FIELDS
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
  const capture = (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    const principal = request.recognised
    if (principal === null || isReadOfLog(request, reply)) return
    // If half of the memory is full, the log drops successful reads, so that the rest is for writes and failed requests.
    const is_successful_read = request.method === 'GET' && reply.statusCode < 400
    if (entries >= (is_successful_read ? limits.entries / 2 : limits.entries)) {
      const { environment, merchant } = principal
      const at = time()
      const { id: merchant_id, routing_code } = merchant
      return lost.add({ merchant_id, routing_code, environment, count: 1, from: at, until: at })
    }
    const { sent } = request
    const answer = typeof payload === 'string' ? payload : null
    const length = (sent?.length ?? 0) + (answer?.length ?? 0)
    const bodies_dropped = chars + length > limits.chars
    addToBatch(batch, principal, request, reply, bodies_dropped ? NO_BODIES : { sent, answer, bodies_dropped }, time)
    entries++
    if (!bodies_dropped) chars += length
    if (batch.length >= BATCH_ENTRIES * BATCH_FIELDS) handOver()
  }
  return {
    capture: config.request_log_days === 0 ? null : capture,
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
          while (entries > 0 || lost.size() > 0) if (await flush(limits.entries)) break
        }),
    },
  }
}

/** Returns true for a successful read of the log by a key. A tool that follows the log would otherwise fill the log. */
function isReadOfLog(request: FastifyRequest, reply: FastifyReply): boolean {
  return request.routeOptions.url === KEY_REQUESTS_PATH && reply.statusCode < 400
}

const NO_BODIES = { sent: null, answer: null, bodies_dropped: true }
