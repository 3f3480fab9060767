// Allows pages of other origins to make public calls without credentials, and no other calls (CORS).

const EXPOSED_HEADERS = [
  'Idempotency-Replayed',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
]

/** The time in seconds for which a browser may cache the answer to a preflight. */
const PREFLIGHT_CACHE_S = 7_200

/**
 * Returns the headers of each answer to a public call, including refusals. A page of any origin may read the answer and its
 * header `header`.
 */
export function publicHeaders(header: string): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [...EXPOSED_HEADERS, header].join(', '),
  }
}

/** The headers of the answer to a preflight of a public call. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'Accept-Language, Content-Type, Idempotency-Key, X-Request-Id',
  'access-control-max-age': String(PREFLIGHT_CACHE_S),
}

/** Returns true for the URL of a call that browsers make without a credential. */
export function isPublicCall(url: string): boolean {
  return url.startsWith('/public/')
}
