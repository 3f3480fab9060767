// Tokens of a foreign OpenID Connect issuer (OIDC_ISSUER), and the e-mail address that it vouches for.

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import type { Console } from '../../kernel/http/index.ts'
import { Refusal, refuse } from '../../kernel/lib/index.ts'
import { ask } from './ask.ts'
import { createIssuer } from './issuer.ts'
import { authTimeOf, type Expected, isStrong, noError, readToken, type Verifier } from './tokens.ts'

/** How long the issuer's word about somebody whom we do not know is remembered, and for how many of them. */
const REMEMBERED_MS = 60_000
const REMEMBERED_MAX = 1_000
/** After a question that failed, the issuer is left alone for so long. */
const REST_MS = 10_000
const KID_MAX = 255

/** Makes the check of tokens of OIDC_ISSUER. */
export function createForeignVerifier(deps: Deps): Verifier {
  const { oidc_issuer, oidc_audience, oidc_algorithms, oidc_token_type, oidc_operator_acr } = deps.config
  const issuer = createIssuer(deps)
  const bearer = oidc_token_type === 'bearer'
  const expected: Expected = {
    issuer: oidc_issuer,
    audience: oidc_audience,
    algorithms: oidc_algorithms,
    typ: bearer ? 'JWT' : 'at+jwt',
  }
  const vouched = createMemory(deps, (token, subject) => askForEmail(issuer.userinfo, token, subject))

  return {
    async verify(token) {
      const looked = await noError(() => ({ header: decodeProtectedHeader(token), said: decodeJwt(token) }))
      // Cheap first: a text that names another issuer must not make us ask ours for keys.
      if (looked?.said.iss !== oidc_issuer || !isKid(looked.header.kid)) return null
      const payload = await readToken(deps, token, issuer.key, expected)
      if (!payload || (bearer && payload.typ !== 'Bearer')) return null
      const strong =
        oidc_operator_acr.length === 0
          ? isStrong(payload.amr)
          : typeof payload.acr === 'string' && oidc_operator_acr.includes(payload.acr)
      const console = consoleOf(deps, payload)
      if (console === undefined) return null
      const auth_time = authTimeOf(payload)
      return { issuer: oidc_issuer, subject: payload.sub, strong, console, auth_time, by_command: false }
    },
    // Called with tokens that `verify` has found good, so that their claims may be read without checking them again.
    async verifiedEmail(token, { subject }) {
      const said = decodeJwt(token)
      return said.email === undefined ? vouched(token, subject) : emailOf(said)
    },
  }
}

/**
 * The console that a token was made for: `client_id` tells (RFC 9068), or `azp` as Keycloak has it. Undefined: for neither of
 * the two, so it is no session here. Null: the two are not told apart, because none is configured.
 */
function consoleOf({ config }: Deps, { client_id, azp }: JWTPayload): Console | null | undefined {
  const { dashboard_client_id, operator_client_id } = config
  if (operator_client_id === '') return null
  // One that names two clients is taken for neither.
  if (client_id !== undefined && azp !== undefined && client_id !== azp) return undefined
  const client = client_id ?? azp
  if (client === operator_client_id) return 'operator'
  return client === dashboard_client_id ? 'dashboard' : undefined
}

/** An issuer with one key need not name it. */
function isKid(kid: unknown): boolean {
  return kid === undefined || (typeof kid === 'string' && kid !== '' && kid.length <= KID_MAX)
}

/** ASCII only: beyond it two addresses that differ may become one in lower case. Others are bound by their subject. */
const EMAIL = /^[\x21-\x3f\x41-\x7e]{1,64}@[\x21-\x3f\x41-\x7e]{1,190}$/

function emailOf(said: JWTPayload): string | null {
  const { email, email_verified } = said
  if (email_verified !== true || typeof email !== 'string' || !EMAIL.test(email)) return null
  return email.toLowerCase()
}

async function askForEmail(
  userinfo: () => Promise<string | null>,
  token: string,
  subject: string,
): Promise<string | null> {
  const url = await userinfo()
  if (url === null) return null
  const said = await ask(url, { authorization: `Bearer ${token}` })
  // The answer must be about the same person (OpenID Connect Core 5.3.2).
  return said.sub === subject ? emailOf(said) : null
}

type AskForEmail = (token: string, subject: string) => Promise<string | null>

/**
 * Asks once a minute for each person at most, however often they come. A refusal of the issuer counts as no address. When
 * it is away, whoever needs its answer is refused with 503 service_unavailable.
 */
function createMemory(deps: Deps, ask: AskForEmail): AskForEmail {
  const known = new Map<string, { answer: Promise<string | null>; until: number }>()
  return (token, subject) => {
    const now = deps.clock.now().getTime()
    const remembered = known.get(subject)
    if (remembered && now < remembered.until && remembered.until - now <= REMEMBERED_MS) return remembered.answer
    const answer = ask(token, subject).catch((error: { status?: number }) => {
      if (error.status !== undefined && error.status >= 400 && error.status < 500 && error.status !== 429) return null
      entry.until = now + REST_MS
      if (error instanceof Refusal) throw error
      deps.log.warn({ err: error }, 'OIDC_ISSUER does not tell about a person')
      refuse('service_unavailable', { retry_after_s: REST_MS / 1000 })
    })
    const entry = { answer, until: now + REMEMBERED_MS }
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(subject, entry)
    return answer
  }
}
