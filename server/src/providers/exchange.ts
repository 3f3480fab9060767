// One HTTP request and what became of it: above all, whether a byte of it was ever written.
//
// A request for a payment may be answered only after the payer typed a PIN, long after whoever called us had to be answered.
// Its connection is kept for a while then: the answer that comes late is as true as one in time.

import type { Pool } from 'undici'
import { systemClock } from '../lib/index.ts'

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
 * such name, no handshake, none free). `lost`: it may have arrived and been executed.
 */
export type Sent =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'not_sent' }
  | { kind: 'lost'; why: LostWhy }

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
export function exchange(pool: Pool, outgoing: Outgoing, timeout_ms: number, late?: Late): Promise<Sent> {
  return new Promise((resolve) => {
    let hear: ((sent: Sent) => void) | null = resolve
    let abort: (() => void) | null = null
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
      if (abort === null) return finish({ kind: 'not_sent' })
      finish({ kind: 'lost', why: 'timeout' })
      if (late) keepWaiting(late, abort)
      else abort()
    })
    pool.dispatch(outgoing, {
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
      },
      onResponseError(_controller, error) {
        finish(abort === null ? { kind: 'not_sent' } : { kind: 'lost', why: whyOf(error) })
      },
    })
  })
}

function whyOf(error: Error & { code?: unknown }): LostWhy {
  if (typeof error.code !== 'string') return 'unreachable'
  if (error.code.endsWith('_TIMEOUT')) return 'timeout'
  return error.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' || error.code.startsWith('HPE_') ? 'unreadable' : 'unreachable'
}
