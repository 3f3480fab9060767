// Signs access tokens of the built-in provider (JWTs by RFC 9068) for the admin command, and checks the tokens of every issuer.

import { type CryptoKey, decodeProtectedHeader, type JWTPayload, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { CONSOLES, type Console } from '../../kernel/http/index.ts'
import { ALGORITHM, type IssuerKey, keyReader } from './keys.ts'

/** The audience of tokens of the built-in provider. */
export const AUDIENCE = 'malipo-api'
/** The lifetime of an access token of the built-in provider, in seconds. */
export const ACCESS_TOKEN_S = 900
/** The allowed difference between the clocks of two machines, in seconds. */
const LEEWAY_S = 30
/** The greatest length of a token in characters. The server refuses a longer token without parsing. */
export const TOKEN_MAX = 8192

/** The issuer of users of the built-in provider in the table users. This value does not depend on the public URL. */
export const EMBEDDED = 'embedded'

/** The facts in a valid token. */
export type Claims = {
  issuer: string
  subject: string
  /** True if the user signed in with a second factor or an equivalent method. */
  strong: boolean
  /** The console for which the token is valid. Null means both consoles. */
  console: Console | null
  /** The time of the sign-in. Null means that the token has no valid time. */
  auth_time: Date | null
  /** True if the admin command made the token without a sign-in. */
  by_command: boolean
  /**
   * The id of the session. Null means that the session has no row: the token is of the admin command, a foreign issuer, or an
   * earlier version.
   */
  session_id: string | null
}

/** The client id in tokens of the admin command. A browser cannot get such a token. */
const COMMAND = 'admin'

/** The functions that check the tokens of one issuer. */
export type Verifier = {
  /**
   * Returns the facts in a token. Null means that the token is invalid. If the issuer is unreachable, refuses with 503.
   */
  verify(token: string): Promise<Claims | null>
  /**
   * Returns the verified e-mail address of a user who is not bound to a subject yet. Null means that the issuer has verified
   * none.
   */
  verifiedEmail(token: string, claims: Claims): Promise<string | null>
}

/** Signs an access token for a user of the built-in provider, for the admin command. */
export async function issueAccessToken(
  deps: Deps,
  key: IssuerKey,
  subject: string,
  amr: readonly string[],
): Promise<string> {
  const now = Math.floor(deps.clock.now().getTime() / 1000)
  return new SignJWT({ amr: [...amr], client_id: COMMAND, auth_time: now })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(key.issuer)
    .setAudience(AUDIENCE)
    .setSubject(subject)
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_S)
    .setJti(Buffer.from(deps.random.bytes(16)).toString('base64url'))
    .sign(key.private_key)
}

/** The values that a token must have. `typ` is the media type in its header. */
export type ExpectedToken = { issuer: string; audience: string; algorithms: string[]; typ: string }

/**
 * The form of a token: three base64url parts. Without this check, decoders would accept several texts for the same token.
 */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/**
 * The form of a valid subject, without control characters and lone surrogates. PostgreSQL cannot store NUL and lone surrogates.
 */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

/**
 * Checks the signature and the claims of a token. Null means that the token is invalid. The check ignores `jku`, `x5u`, `x5c`
 * and `jwk`, because the sender chooses them. If `key` throws an error that is neither of jose nor a TypeError, throws this
 * error.
 */
export async function readToken(
  deps: Deps,
  token: string,
  key: CryptoKey | JWTVerifyGetKey,
  expected: ExpectedToken,
): Promise<(JWTPayload & { sub: string; iat: number }) | null> {
  if (!COMPACT.test(token)) return null
  const now = deps.clock.now()
  const options = { ...expected, currentDate: now, clockTolerance: LEEWAY_S, requiredClaims: ['sub', 'exp', 'iat'] }
  const verified = await noError(() => jwtVerify(token, key as JWTVerifyGetKey, options))
  if (verified === null) return null
  const { payload, protectedHeader } = verified
  // The server refuses a token with critical extensions, because the server supports none.
  if (protectedHeader.crit !== undefined) return null
  const { sub, iat = 0 } = payload
  if (typeof sub !== 'string' || !SUBJECT.test(sub) || iat > now.getTime() / 1000 + LEEWAY_S) return null
  // The server refuses a token that is bound to a key, because a bearer token does not prove that the sender has the key.
  if (payload.cnf !== undefined) return null
  return { ...payload, sub, iat }
}

/**
 * If jose refuses the token or a TypeError occurs, returns null. Throws all other errors, such as an unreachable database.
 */
export async function noError<Result>(read: () => Result | Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('ERR_J') || error instanceof TypeError) return null
    throw error
  }
}

/** The authentication methods that count as a second factor (RFC 8176). */
const STRONG = ['otp', 'mfa', 'hwk', 'swk', 'sc']

/** Returns true if the authentication methods of a token include a strong method or a method in `more`. */
export function isStrong(amr: unknown, more: readonly string[] = []): boolean {
  return Array.isArray(amr) && amr.some((way) => STRONG.includes(way) || more.includes(way))
}

/**
 * Returns the time of the sign-in of a valid token. Null means that the time is missing, invalid, or later than the token.
 */
export function authTimeOf({ auth_time, iat }: JWTPayload & { iat: number }): Date | null {
  const is_valid = typeof auth_time === 'number' && Number.isSafeInteger(auth_time) && auth_time > 0
  return is_valid && auth_time <= iat + LEEWAY_S ? new Date(auth_time * 1000) : null
}

const KID = /^[A-Za-z0-9_-]{1,64}$/

/** Makes the verifier for tokens of the built-in provider. */
export function createEmbeddedVerifier(deps: Deps): Verifier {
  const keyOf = keyReader(deps)
  return {
    async verify(token) {
      const header = await noError(() => decodeProtectedHeader(token))
      if (typeof header?.kid !== 'string' || !KID.test(header.kid) || header.alg !== ALGORITHM) return null
      const signer = await keyOf(header.kid)
      if (!signer) return null
      const { issuer, key, retired_at } = signer
      const expected = { issuer, audience: AUDIENCE, algorithms: [ALGORITHM], typ: 'at+jwt' }
      const payload = await readToken(deps, token, key, expected)
      if (!payload) return null
      // A retired key verifies only tokens from before its retirement, and these tokens expire within ACCESS_TOKEN_S. So a
      // thief of the key cannot use earlier dates for longer.
      if (retired_at !== null) {
        const since_s = (deps.clock.now().getTime() - retired_at.getTime()) / 1000
        if (since_s > ACCESS_TOKEN_S || payload.iat * 1000 > retired_at.getTime()) return null
      }
      const by_command = payload.client_id === COMMAND
      const console = CONSOLES.find((client) => client === payload.client_id) ?? null
      // If a token has another client id, the server refuses it, because this key signs no tokens for other clients.
      if (console === null && !by_command) return null
      // The admin command needs access to the database, which counts as a second factor.
      const strong = isStrong(payload.amr, ['cli'])
      const auth_time = authTimeOf(payload)
      const session_id = typeof payload.sid === 'string' ? payload.sid : null
      return { issuer: EMBEDDED, subject: payload.sub, strong, console, auth_time, by_command, session_id }
    },
    // The built-in provider never binds users by e-mail address. The server binds a user when the user chooses a password.
    verifiedEmail: async () => null,
  }
}
