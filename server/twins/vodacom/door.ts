// Checks the access of a request: a trusted origin, the content type, and a bearer with the API key or a session.

import { count } from './book.ts'
import type { Call } from './fates.ts'
import { replyWith, type TwinReply } from './reply.ts'
import type { Twin } from './twin.ts'

/**
 * A request as the twin received it. `path` is the path after environment and market. Null means that environment or market was
 * wrong.
 */
export type Incoming = {
  method: string
  path: string | null
  headers: Readonly<Record<string, string | undefined>>
  fields: Readonly<Record<string, unknown>> | null
}

/** The answer of a proxy before the gateway, which refuses the request with a web page instead of JSON. */
export const PAGE = 'page'

/**
 * Checks the access of a request. If the caller may use the call, returns null. If a proxy would refuse the request, returns
 * `PAGE`.
 */
export function checkDoor(twin: Twin, call: Call, { headers }: Incoming): TwinReply | typeof PAGE | null {
  const { settings, account, book } = twin
  const refuse = (check: string, reply: TwinReply | typeof PAGE) => {
    count(book.refusals, check)
    return reply
  }
  const origin = headers.origin ?? ''
  if (!settings.origins.includes('*') && !settings.origins.includes(origin)) {
    return refuse('origin', { http: 403, content: { output_error: 'Origin is not trusted' } })
  }
  if (origin === '') return refuse('no origin', replyWith(400, 'INS-20'))
  if (headers['content-type'] !== 'application/json') return refuse('content-type', replyWith(400, 'INS-21'))
  const secret = bearerIn(twin, headers.authorization)
  if (call === 'session') return secret === account.api_key ? null : refuse('api key', replyWith(400, 'INS-989'))
  if (secret === null || !twin.sessions.knows(secret)) return refuse('session', noSession(twin))
  return settings.closed.includes(call) ? refuse('closed', replyWith(400, 'INS-997')) : null
}

/** Decrypts the bearer of a request. If the caller did not encrypt the bearer with the market's key, returns null. */
export function bearerIn(twin: Twin, authorization: string | undefined): string | null {
  const bearer = /^Bearer ([A-Za-z0-9+/=]+)$/.exec(authorization ?? '')?.[1]
  return bearer === undefined ? null : twin.key.open(bearer)
}

function noSession({ settings }: Twin): TwinReply | typeof PAGE {
  switch (settings.no_session) {
    case 'error':
      return { http: 401, content: { output_error: 'The session is invalid or has expired' } }
    case 'code':
      return replyWith(400, 'INS-989')
    case 'page':
      return PAGE
  }
}
