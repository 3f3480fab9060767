// One HTTP request to a gateway and what became of it: above all, whether a byte of it was ever written.

import type { Pool } from 'undici'
import { systemClock } from '../../kernel/lib/index.ts'

/** What became of a request. `not_sent`: no byte of it was written. `lost`: it may have arrived. */
export type Sent = { kind: 'answered'; status: number; text: string } | { kind: 'not_sent' | 'lost'; why: string }

/** Posts a body and reads the whole answer. Never throws, follows no redirect, and ends within `timeout_ms`. */
export function postForm(
  pool: Pool,
  request: { path: string; headers: Record<string, string>; body: string },
  timeout_ms: number,
): Promise<Sent> {
  return new Promise((resolve) => {
    let is_over = false
    let abort: (() => void) | null = null
    let status = 0
    let chunks: Buffer[] = []
    const finish = (sent: Sent) => {
      if (is_over) return
      is_over = true
      stopTimer()
      resolve(sent)
    }
    // Real sockets need the machine's time, whichever clock the platform lives by.
    const stopTimer = systemClock.after(timeout_ms, () => {
      finish({ kind: abort === null ? 'not_sent' : 'lost', why: 'timeout' })
      abort?.()
    })
    pool.dispatch(
      { ...request, method: 'POST' },
      {
        // Called when a connection stands and nothing is written to it yet: aborting here keeps the request back.
        onRequestStart(controller) {
          const giveUp = () => controller.abort(new Error('no answer in time'))
          if (is_over) giveUp()
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
          const why = (error as NodeJS.ErrnoException).code ?? 'connection failed'
          finish({ kind: abort === null ? 'not_sent' : 'lost', why })
        },
      },
    )
  })
}
