// Sends an HTTP request to a gateway, and reports whether the gateway may have received the request.

import type { Pool } from 'undici'
import { systemClock } from '../../kernel/lib/index.ts'

/**
 * The result of a request. `not_sent` means that the client wrote no byte. `lost` means that the gateway may have received the
 * request.
 */
export type FormPostResult =
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'not_sent' | 'lost'; why: string }

/**
 * Posts a body and reads the whole answer. Never throws and follows no redirect. After `timeout_ms`, ends the request.
 */
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
    // The timer uses the clock of the machine, because sockets do not follow a simulated clock.
    const stopTimer = systemClock.after(timeout_ms, () => {
      finish({ kind: abort === null ? 'not_sent' : 'lost', why: 'timeout' })
      abort?.()
    })
    pool.dispatch(
      { ...request, method: 'POST' },
      {
        // undici calls this hook before it writes to the connection. So if the hook aborts the request, undici writes no byte.
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
