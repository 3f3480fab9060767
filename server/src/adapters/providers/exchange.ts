// Sends one HTTP request to a provider and reports whether the client wrote a byte of the request. A payment request may get
// its answer only after the payer typed a PIN. So an adapter can wait for a late answer after the timeout.

import { type Dispatcher, Pool } from 'undici'
import { systemClock } from '../../kernel/lib/index.ts'

/** An HTTP request to a provider. Null in `body` means that the request has no body. */
export type ProviderRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string | null
}

/** The reason why a request has no readable answer although the client may have sent the request. */
export type LostWhy = 'timeout' | 'unreachable' | 'unreadable'

/**
 * The result of a request. `not_sent`: the client wrote no byte, because a connection failed or, with `busy`, because no
 * connection was free in time. `lost`: the provider may have executed the request.
 */
export type ExchangeResult =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'not_sent'; busy?: true }
  | { kind: 'lost'; why: LostWhy }

/** Copies the mark `busy`, which means that no connection was free. */
export function busyOf(busy: true | undefined): { busy?: true } {
  return busy ? { busy } : {}
}

/** The connections to one origin, with a queue. If all connections are in use, further requests wait in their order. */
export type ConnectionQueue = {
  pool: Pool
  /**
   * As soon as a connection is free, calls `begin`, which returns the connection by calling `leave`. `enter` returns a
   * function that cancels the wait. If the wait was already over, that function returns false.
   */
  enter(begin: (leave: () => void) => void): () => boolean
  /** Ends all connections. Afterwards, an exchange reports each waiting or new request as not sent. */
  destroy(): Promise<void>
}

/**
 * Makes a queue with this number of connections. If an answer exceeds `answer_max_bytes`, the exchange reports the answer as
 * unreadable.
 */
export function createConnectionQueue(origin: string, connections: number, answer_max_bytes?: number): ConnectionQueue {
  const pool = new Pool(origin, { connections, pipelining: 1, allowH2: false, maxResponseSize: answer_max_bytes ?? -1 })
  const queue = new Set<() => void>()
  let taken = 0
  let is_serving = false
  // A closed pool ends each request while the request begins, so recursion would exceed the stack. Therefore this function
  // loops.
  const serve = () => {
    if (is_serving) return
    is_serving = true
    for (const start of queue) {
      if (taken >= connections) break
      queue.delete(start)
      taken++
      start()
    }
    is_serving = false
  }
  const leave = () => {
    taken--
    serve()
  }
  return {
    pool,
    enter(begin) {
      const start = () => begin(leave)
      queue.add(start)
      serve()
      return () => queue.delete(start)
    },
    destroy: () => pool.destroy(),
  }
}

/** The limits and the receiver of an answer that comes after the timeout. */
export type LateAnswer = { ms: number; waiting: LateRequests; receive(result: ExchangeResult): void }

/**
 * The requests that wait for late answers. If more than `max` requests wait, the oldest request ends, so that its connection
 * becomes free.
 */
export type LateRequests = { add(giveUp: () => void): () => void; size(): number }

/** Makes the collection of requests that wait for late answers. */
export function createLateRequests(max: number): LateRequests {
  const all = new Set<() => void>()
  return {
    add(giveUp) {
      all.add(giveUp)
      if (all.size > max) {
        for (const oldest of all) {
          all.delete(oldest)
          oldest()
          break
        }
      }
      return () => void all.delete(giveUp)
    },
    size: () => all.size,
  }
}

/**
 * The share of the timeout that a request needs after the wait for a connection. In less time, a gateway can hardly answer. The
 * platform would then have to query the outcome.
 */
const NEEDED_SHARE = 0.1

/**
 * Sends a request and reads the whole answer. Never throws, and ends within `timeout_ms` of the call. If nine tenths of the
 * timeout pass while the request waits for a free connection, the client does not send the request.
 */
export function exchange(
  queue: ConnectionQueue,
  request: ProviderRequest,
  timeout_ms: number,
  late?: LateAnswer,
): Promise<ExchangeResult> {
  return new Promise((resolve) => {
    let receive: ((result: ExchangeResult) => void) | null = resolve
    let abort: (() => void) | null = null
    const begun = performance.now()
    let placed = begun
    let status = 0
    let chunks: Buffer[] = []
    let stop: () => void = () => {}
    const finish = (result: ExchangeResult) => {
      stop()
      receive?.(result)
      receive = null
    }
    const keepWaiting = ({ ms, waiting, receive: receiveLate }: LateAnswer, giveUp: () => void) => {
      receive = (result) => {
        if (result.kind === 'answered') receiveLate(result)
      }
      const end = () => {
        receive = null
        leave()
        stopWaiting()
        giveUp()
      }
      const leave = waiting.add(end)
      const stopWaiting = systemClock.after(ms, end)
      stop = () => {
        leave()
        stopWaiting()
      }
    }
    // Sockets need the clock of the machine, even if the platform uses a simulated clock.
    stop = systemClock.after(Math.max(timeout_ms, 0), () => {
      if (cancelWait()) return finish({ kind: 'not_sent', busy: true })
      // If the request waited longer in the queue than for its connection, the provider has no fault, so the result is `busy`.
      if (abort === null)
        return finish({ kind: 'not_sent', ...busyOf(performance.now() - placed < placed - begun || undefined) })
      finish({ kind: 'lost', why: 'timeout' })
      if (late) keepWaiting(late, abort)
      else abort()
    })
    const handlerOf = (leaveQueue: () => void): Dispatcher.DispatchHandler => ({
      // undici calls this hook before undici writes to the connection, so an abort in the hook prevents the request.
      onRequestStart(controller) {
        const giveUp = () => controller.abort(new Error('the gateway did not answer before the timeout'))
        if (receive === null) giveUp()
        else abort = giveUp
      },
      onResponseStart(_controller, code) {
        status = code
        chunks = []
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        finish({ kind: 'answered', status, text: Buffer.concat(chunks).toString('utf8') })
        leaveQueue()
      },
      onResponseError(_controller, error) {
        finish(abort === null ? { kind: 'not_sent' } : { kind: 'lost', why: lostReason(error) })
        leaveQueue()
      },
    })
    const cancelWait = queue.enter((leaveQueue) => {
      placed = performance.now()
      if (placed - begun > timeout_ms * (1 - NEEDED_SHARE)) {
        finish({ kind: 'not_sent', busy: true })
        return leaveQueue()
      }
      queue.pool.dispatch(request, handlerOf(leaveQueue))
    })
  })
}

/**
 * Maps an error of undici to the reason of a lost answer. If the answer was too large or no valid HTTP, the reason is
 * `unreadable`.
 */
export function lostReason(error: Error & { code?: unknown }): LostWhy {
  if (typeof error.code !== 'string') return 'unreachable'
  if (error.code.endsWith('_TIMEOUT')) return 'timeout'
  return error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || error.code.startsWith('HPE_') ? 'unreadable' : 'unreachable'
}
