// Which pages of other origins may call what: the public calls, without credentials, and nothing else.

const EXPOSED = [
  'Idempotency-Replayed',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
]

/** How long a browser may remember the answer to a preflight. */
const REMEMBERED_S = 7_200

/** Sent with each answer of a public call, refusals too: a page of any origin may read it, with `header` beside ours. */
export function publicHeaders(header: string): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...EXPOSED, header].join(', '),
  }
}

/** The answer to a preflight of a public call. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Accept-Language, Content-Type, Idempotency-Key, X-Request-Id',
  'access-control-max-age': String(REMEMBERED_S),
}

/** True for the address of a call that needs no credential and that browsers make. */
export function isPublicCall(url: string): boolean {
  return url.startsWith('/public/')
}
