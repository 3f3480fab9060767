// One HTTP request and what became of it: above all, whether a byte of it was ever written.
//
// A request for a payment may be answered only after the payer typed a PIN, long after whoever called us had to be answered.
// Its connection is kept for a while then: the answer that comes late is as true as one in time.

import { type Dispatcher, Pool } from 'undici'
import { systemClock } from '../../kernel/lib/index.ts'

/** A request, ready to be sent. */
export type Outgoing = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  headers: Record<string, string>
  body: string | null
}

/** Why there is no answer to a request that was, or may have been, sent. */
export type LostWhy = 'timeout' | 'unreachable' | 'unreadable'

/**
 * What became of a request. `not_sent`: no byte of it was written, because no connection came about in time (refused, no
 * such name, no handshake), or, `busy`, because none of ours was free. `lost`: it may have arrived and been executed.
 */
export type Sent =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'not_sent'; busy?: true }
  | { kind: 'lost'; why: LostWhy }

/** That no connection was free, as it is handed on. */
export function busyOf(busy: true | undefined): { busy?: true } {
  return busy ? { busy } : {}
}

/** Connections to one place. Of more requests than connections the others wait here, first come first served. */
export type Line = {
  pool: Pool
  /**
   * Calls `begin` once a connection is free, at once when one is; it gives the connection back by `leave`. Answers how to give
   * the wait up: false when it was over.
   */
  enter(begin: (leave: () => void) => void): () => boolean
  /** Ends all connections. */
  destroy(): Promise<void>
}

/** Makes a line of at most so many connections. An answer of more bytes than that is unreadable. */
export function createLine(origin: string, connections: number, answer_max_bytes?: number): Line {
  const pool = new Pool(origin, { connections, pipelining: 1, allowH2: false, maxResponseSize: answer_max_bytes ?? -1 })
  const queue = new Set<() => void>()
  let taken = 0
  let is_serving = false
  // A loop, not a call within a call: of a pool that is closed every request ends while it begins.
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

/** What is done with an answer that comes after its time. */
export type Late = { ms: number; waiting: Waiting; hear(sent: Sent): void }

/** Requests that are waited for beyond their time. Beyond `max` the oldest is given up: it must not hold a connection. */
export type Waiting = { add(giveUp: () => void): () => void; size(): number }

/** Makes a place for requests that are waited for. */
export function createWaiting(max: number): Waiting {
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
 * Sends a request and reads the whole answer. Never throws, and ends within `timeout_ms`, reckoned from the call: a request
 * that ran out of time while it waited for a free connection is not sent any more.
 */
export function exchange(line: Line, outgoing: Outgoing, timeout_ms: number, late?: Late): Promise<Sent> {
  return new Promise((resolve) => {
    let hear: ((sent: Sent) => void) | null = resolve
    let abort: (() => void) | null = null
    const begun = performance.now()
    let placed = begun
    let status = 0
    let chunks: Buffer[] = []
    let stop: () => void = () => {}
    const finish = (sent: Sent) => {
      stop()
      hear?.(sent)
      hear = null
    }
    const keepWaiting = ({ ms, waiting, hear: hearLate }: Late, giveUp: () => void) => {
      hear = (sent) => {
        if (sent.kind === 'answered') hearLate(sent)
      }
      const end = () => {
        hear = null
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
    // Real sockets need the machine's time, whichever clock the platform lives by.
    stop = systemClock.after(Math.max(timeout_ms, 0), () => {
      if (giveWaitUp()) return finish({ kind: 'not_sent', busy: true })
      // What got its place at the last moment had no time to connect: that it did not tells nothing of whoever is called.
      if (abort === null)
        return finish({ kind: 'not_sent', ...busyOf(performance.now() - placed < placed - begun || undefined) })
      finish({ kind: 'lost', why: 'timeout' })
      if (late) keepWaiting(late, abort)
      else abort()
    })
    const handlerOf = (leaveLine: () => void): Dispatcher.DispatchHandler => ({
      // Called when a connection stands and nothing is written to it yet: aborting here keeps the request back.
      onRequestStart(controller) {
        const giveUp = () => controller.abort(new Error('no answer in time'))
        if (hear === null) giveUp()
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
        leaveLine()
      },
      onResponseError(_controller, error) {
        finish(abort === null ? { kind: 'not_sent' } : { kind: 'lost', why: whyOf(error) })
        leaveLine()
      },
    })
    const giveWaitUp = line.enter((leaveLine) => {
      placed = performance.now()
      line.pool.dispatch(outgoing, handlerOf(leaveLine))
    })
  })
}

function whyOf(error: Error & { code?: unknown }): LostWhy {
  if (typeof error.code !== 'string') return 'unreachable'
  if (error.code.endsWith('_TIMEOUT')) return 'timeout'
  return error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || error.code.startsWith('HPE_') ? 'unreadable' : 'unreachable'
}
