// Fetches JSON from a foreign issuer: one GET, bounded in time and size, without redirects.

import { request } from 'undici'

const FETCH_MS_MAX = 4_000
const BYTES_MAX = 256 * 1024

/** Fetches a JSON object. Throws for any response but a complete 200; the error's `status` is that of the response. */
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
    if (bytes > BYTES_MAX) throw new Error(`${url} answered more than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  if (statusCode !== 200) throw Object.assign(new Error(`${url} answered ${statusCode}`), { status: statusCode })
  const document: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new Error(`the response of ${url} is not a JSON object`)
  return document as Record<string, unknown>
}
