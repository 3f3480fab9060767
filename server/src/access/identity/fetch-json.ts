// Sends a GET request to a foreign issuer and reads the JSON, without redirects and with limits of time and size.

import { request } from 'undici'

const FETCH_MS_MAX = 4_000
const BYTES_MAX = 256 * 1024

/**
 * Fetches a JSON object. If the answer is incomplete, too large or no JSON object, throws an error. If the status is not 200,
 * the error has the `status`.
 */
export async function fetchJson(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(FETCH_MS_MAX),
    reset: true,
  })
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw new Error(`the response of ${url} has more than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  if (statusCode !== 200)
    throw Object.assign(new Error(`${url} answered with status ${statusCode}`), { status: statusCode })
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new Error(`the response of ${url} is not a JSON object`)
  return document as Record<string, unknown>
}
