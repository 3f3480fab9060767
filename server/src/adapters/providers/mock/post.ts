// Sends one POST with undici's dispatch, which needs no stream, no abort signal and only one timer.

import type { Pool } from 'undici'
import { lostReason } from '../exchange.ts'

/**
 * The result of a POST: a whole answer, or the reason why no answer came. `unsent` means that the client wrote no byte and will
 * write none, because it had no free connection in time or could not connect.
 */
export type PostedRequest =
  | { status: number; text: string }
  | { failed: 'timeout' | 'unreachable' | 'unreadable'; unsent: boolean }

/**
 * Sends a body and reads the answer. Never throws. `timeout_ms` counts from the call and includes the wait for a connection.
 * If the timeout ends during this wait, the client does not send the request.
 */
export function post(
  pool: Pool,
  path: string,
  headers: Record<string, string>,
  body: string | Buffer,
  timeout_ms: number,
): Promise<PostedRequest> {
  return new Promise((resolve) => {
    let abort: ((reason: Error) => void) | null = null
    let timed_out = false
    let status = 0
    let chunks: Buffer[] = []
    const timer = setTimeout(() => {
      timed_out = true
      resolve({ failed: 'timeout', unsent: abort === null })
      abort?.(new Error('the gateway did not answer before the timeout'))
    }, timeout_ms)
    const finish = (posted: PostedRequest) => {
      clearTimeout(timer)
      resolve(posted)
    }
    pool.dispatch(
      { path, method: 'POST', headers, body },
      {
        // undici calls this hook before undici writes the first byte, so an abort in the hook prevents the request.
        onRequestStart(controller) {
          if (timed_out) controller.abort(new Error('the gateway did not answer before the timeout'))
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
          const [only] = chunks
          finish({ status, text: (chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString('utf8') })
        },
        onResponseError(_controller, error) {
          finish({ failed: lostReason(error), unsent: abort === null })
        },
      },
    )
  })
}
