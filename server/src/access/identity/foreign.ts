// Verifies tokens of a foreign OpenID Connect issuer (OIDC_ISSUER), and reads the e-mail addresses that the issuer has
// verified.

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import type { Console } from '../../kernel/http/index.ts'
import { Refusal, refuse } from '../../kernel/lib/index.ts'
import { fetchJson } from './fetch-json.ts'
import { createIssuer } from './issuer.ts'
import { authTimeOf, type ExpectedToken, isStrong, noError, readToken, type Verifier } from './tokens.ts'

/**
 * CACHE_MS is the time for which the server caches an e-mail address. CACHE_MAX is the greatest number of cached addresses.
 */
const CACHE_MS = 60_000
const CACHE_MAX = 1_000
/** The pause in milliseconds after a failed request about a user, before the next request about this user. */
const REST_MS = 10_000
const KID_MAX = 255

/** Makes the verifier for tokens of OIDC_ISSUER. */
export function createForeignVerifier(deps: Deps): Verifier {
  const { oidc_issuer, oidc_audience, oidc_algorithms, oidc_token_type, oidc_operator_acr } = deps.config
  const issuer = createIssuer(deps)
  const bearer = oidc_token_type === 'bearer'
  const expected: ExpectedToken = {
    issuer: oidc_issuer,
    audience: oidc_audience,
    algorithms: oidc_algorithms,
    typ: bearer ? 'JWT' : 'at+jwt',
  }
  const verifiedEmailOf = cacheEmails(deps, (token, subject) => fetchEmail(issuer.userinfo, token, subject))

  return {
    async verify(token) {
      const decoded = await noError(() => ({ header: decodeProtectedHeader(token), claims: decodeJwt(token) }))
      // The server checks the issuer and the key id first, because a token of another issuer must not make the server fetch
      // keys.
      if (decoded?.claims.iss !== oidc_issuer || !isKid(decoded.header.kid)) return null
      const payload = await readToken(deps, token, issuer.key, expected)
      if (!payload || (bearer && payload.typ !== 'Bearer')) return null
      const strong =
        oidc_operator_acr.length === 0
          ? isStrong(payload.amr)
          : typeof payload.acr === 'string' && oidc_operator_acr.includes(payload.acr)
      const console = consoleOf(deps, payload)
      if (console === undefined) return null
      const auth_time = authTimeOf(payload)
      const of_issuer = { by_command: false, session_id: null }
      return { issuer: oidc_issuer, subject: payload.sub, strong, console, auth_time, ...of_issuer }
    },
    // The caller has already verified the token, so this function only reads the claims.
    async verifiedEmail(token, { subject }) {
      const claims = decodeJwt(token)
      return claims.email === undefined ? verifiedEmailOf(token, subject) : emailOf(claims)
    },
  }
}

/**
 * Returns the console of a token from `client_id` (RFC 9068) or `azp` (Keycloak). Undefined means another client, which gets no
 * session. Null means that the configuration names no clients, so the token is valid at both consoles.
 */
function consoleOf({ config }: Deps, { client_id, azp }: JWTPayload): Console | null | undefined {
  const { dashboard_client_id, operator_client_id } = config
  if (operator_client_id === '') return null
  // If a token names two different clients, the server accepts the token at neither console.
  if (client_id !== undefined && azp !== undefined && client_id !== azp) return undefined
  const client = client_id ?? azp
  if (client === operator_client_id) return 'operator'
  return client === dashboard_client_id ? 'dashboard' : undefined
}

/** Returns true if the key id is valid or missing. If an issuer has only one key, its tokens need no key id. */
function isKid(kid: unknown): boolean {
  return kid === undefined || (typeof kid === 'string' && kid !== '' && kid.length <= KID_MAX)
}

/**
 * An e-mail address in ASCII. Other addresses may become equal in lower case, so the server binds their users only by subject.
 */
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,190}$/

function emailOf(claims: JWTPayload): string | null {
  const { email, email_verified } = claims
  if (email_verified !== true || typeof email !== 'string' || !EMAIL.test(email)) return null
  return email.toLowerCase()
}

async function fetchEmail(
  userinfo: () => Promise<string | null>,
  token: string,
  subject: string,
): Promise<string | null> {
  const url = await userinfo()
  if (url === null) return null
  const claims = await fetchJson(url, { authorization: `Bearer ${token}` })
  // The answer must have the subject of the token (OpenID Connect Core 5.3.2).
  return claims.sub === subject ? emailOf(claims) : null
}

type FetchEmail = (token: string, subject: string) => Promise<string | null>

/**
 * Caches the verified e-mail address of each subject for a minute. If the issuer answers 4xx except 429, the user has no
 * verified address. After any other failure, the function refuses with service_unavailable.
 */
function cacheEmails(deps: Deps, fetchEmailOf: FetchEmail): FetchEmail {
  const cache = new Map<string, { answer: Promise<string | null>; until: number }>()
  return (token, subject) => {
    const now = deps.clock.now().getTime()
    const cached = cache.get(subject)
    if (cached && now < cached.until && cached.until - now <= CACHE_MS) return cached.answer
    const answer = fetchEmailOf(token, subject).catch((error: { status?: number }) => {
      if (error.status !== undefined && error.status >= 400 && error.status < 500 && error.status !== 429) return null
      entry.until = now + REST_MS
      if (error instanceof Refusal) throw error
      deps.log.warn(
        { component: 'identity', err: error },
        'OIDC_ISSUER did not return the e-mail address of a user: check its userinfo endpoint',
      )
      refuse('service_unavailable', { retry_after_s: REST_MS / 1000 })
    })
    const entry = { answer, until: now + CACHE_MS }
    if (cache.size >= CACHE_MAX) cache.clear()
    cache.set(subject, entry)
    return answer
  }
}
