// Sends one HTTP request to a gateway and reports whether the client wrote a byte of the request.

import type { Pool } from 'undici'
import { systemClock } from '../../kernel/lib/index.ts'

/** The result of a request. `not_sent` means that the client wrote no byte. `lost` means that the request may have arrived. */
export type FormPostResult =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'not_sent' | 'lost'; why: string }

/** Posts a body and reads the whole answer. Never throws, follows no redirect, and ends within `timeout_ms`. */
export function postForm(
  pool: Pool,
  request: { path: string; headers: Record<string, string>; body: string },
  timeout_ms: number,
): Promise<FormPostResult> {
  return new Promise((resolve) => {
    let is_over = false
    let abort: (() => void) | null = null
    let status = 0
    let chunks: Buffer[] = []
    const finish = (result: FormPostResult) => {
      if (is_over) return
      is_over = true
      stopTimer()
      resolve(result)
    }
    // Sockets need the clock of the machine, even if the platform uses a simulated clock.
    const stopTimer = systemClock.after(timeout_ms, () => {
      finish({ kind: abort === null ? 'not_sent' : 'lost', why: 'timeout' })
      abort?.()
    })
    pool.dispatch(
      { ...request, method: 'POST' },
      {
        // undici calls this hook before undici writes to the connection, so an abort in the hook prevents the request.
        onRequestStart(controller) {
          const giveUp = () => controller.abort(new Error('the gateway did not answer before the timeout'))
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
