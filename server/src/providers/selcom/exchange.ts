// One HTTP request and what became of it. The one thing that matters most: whether a byte of it was ever written.

import type { Pool } from 'undici'
import { systemClock } from '../../lib/index.ts'

/** A request, ready to be sent. */
export type Outgoing = {
  path: string
  method: 'GET' | 'POST' | 'DELETE'
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

/**
 * Sends a request and reads the whole answer. Never throws, and ends within `timeout_ms`, reckoned from the call: a request
 * that ran out of time while it waited for a free connection is not sent any more.
 */
export function exchange(pool: Pool, outgoing: Outgoing, timeout_ms: number): Promise<Sent> {
  return new Promise((resolve) => {
    let is_over = false
    let abort: ((reason: Error) => void) | null = null
    let status = 0
    let chunks: Buffer[] = []
    const finish = (sent: Sent) => {
      if (is_over) return
      is_over = true
      stopTimer()
      resolve(sent)
    }
    // Real sockets need the machine's time, whichever clock the platform lives by.
    const stopTimer = systemClock.after(Math.max(timeout_ms, 0), () => {
      const may_have_arrived = abort !== null
      finish(may_have_arrived ? { kind: 'lost', why: 'timeout' } : { kind: 'not_sent' })
      abort?.(new Error('no answer in time'))
    })
    pool.dispatch(outgoing, {
      // Called when a connection stands and nothing is written to it yet: aborting here keeps the request back.
      onRequestStart(controller) {
        if (is_over) controller.abort(new Error('no answer in time'))
        else abort = (reason) => controller.abort(reason)
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
