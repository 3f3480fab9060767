// Asking a foreign issuer: one GET, bounded in time and size. Redirects are not followed.

import { request } from 'undici'

const ASK_MS_MAX = 4_000
const BYTES_MAX = 256 * 1024

/** Fetches a document of JSON. Throws when no whole answer with status 200 comes; `status` of the error tells which came. */
export async function ask(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const { statusCode, body } = await request(url, {
    headers: { accept: 'application/json', ...headers },
    signal: AbortSignal.timeout(ASK_MS_MAX),
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
  const found: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw new Error(`${url} answered no object`)
  return found as Record<string, unknown>
}
