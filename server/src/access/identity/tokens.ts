// Access tokens: RFC 9068 JWTs of the built-in identity provider, and the checks that every token has to pass.

import { type CryptoKey, decodeProtectedHeader, type JWTPayload, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { CONSOLES, type Console } from '../../kernel/http/index.ts'
import { ALGORITHM, keyReader, type SigningKey } from './keys.ts'

/** The audience of tokens that this API takes from the built-in provider. */
export const AUDIENCE = 'malipo-api'
/** How long an access token of the built-in provider is good for. */
export const ACCESS_TOKEN_S = 900
/** How far two clocks may be apart. */
const LEEWAY_S = 30
/** Longer texts are no token of ours: they are refused before they are read. */
export const TOKEN_MAX = 8192

/** The name under which people of the built-in provider are stored, wherever the installation is reached. */
export const EMBEDDED = 'embedded'

/** What a good token says: who it is about, and how they signed in. */
export type Claims = {
  issuer: string
  subject: string
  /** With a second factor, or what is as good. */
  strong: boolean
  /** To which console. Null: the token is for none, and opens both. */
  console: Console | null
  /** When. Null: not told. */
  auth_time: Date | null
  /** By the admin command, and so not at all. */
  by_command: boolean
}

/** The client of tokens that the admin command makes. No browser can ask the provider for one. */
const COMMAND = 'admin'

/** Checks tokens of one issuer. */
export type Verifier = {
  /** What the token says; null when it is not a good one. Refuses (503) when that cannot be found out now. */
  verify(token: string): Promise<Claims | null>
  /** The e-mail address that the issuer vouches for, for somebody who is not known by issuer and subject yet. */
  verifiedEmail(token: string, claims: Claims): Promise<string | null>
}

/** Signs an access token for a person of the built-in provider, on the word of whoever holds the database. */
export async function issueAccessToken(
  deps: Deps,
  key: SigningKey,
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

/** What a token must be. `typ` is the media type in its header. */
export type Expected = { issuer: string; audience: string; algorithms: string[]; typ: string }

/** Three parts in base64url. Decoders forgive more than that, and one token would have many spellings. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** PostgreSQL keeps no NUL and no half of a pair, and no issuer has a reason to use other control characters. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u

/**
 * Checks signature and claims of a token. Null when anything is wrong with it. What `key` throws beside jose's own
 * errors is passed on. `jku`, `x5u`, `x5c` and `jwk` in the header are never looked at: whoever forges a token chooses them.
 */
export async function readToken(
  deps: Deps,
  token: string,
  key: CryptoKey | JWTVerifyGetKey,
  expected: Expected,
): Promise<(JWTPayload & { sub: string; iat: number }) | null> {
  if (!COMPACT.test(token)) return null
  const now = deps.clock.now()
  const options = { ...expected, currentDate: now, clockTolerance: LEEWAY_S, requiredClaims: ['sub', 'exp', 'iat'] }
  const verified = await noError(() => jwtVerify(token, key as JWTVerifyGetKey, options))
  if (verified === null) return null
  const { payload, protectedHeader } = verified
  // No extension of the format is of use to us, whichever the library knows.
  if (protectedHeader.crit !== undefined) return null
  const { sub, iat = 0 } = payload
  if (typeof sub !== 'string' || !SUBJECT.test(sub) || iat > now.getTime() / 1000 + LEEWAY_S) return null
  // A token that is bound to a key of its owner is worth nothing without the proof, which a bearer header cannot carry.
  if (payload.cnf !== undefined) return null
  return { ...payload, sub, iat }
}

/** Null for whatever jose says about a token; other errors, such as a database that is away, are passed on. */
export async function noError<Result>(read: () => Result | Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('ERR_J') || error instanceof TypeError) return null
    throw error
  }
}

/** Ways of signing in that are a second factor, or as good as one (RFC 8176). */
const STRONG = ['otp', 'mfa', 'hwk', 'swk', 'sc']

/** Whether one of the ways of signing in that a token names is strong. `more`: further names that count. */
export function isStrong(amr: unknown, more: readonly string[] = []): boolean {
  return Array.isArray(amr) && amr.some((way) => STRONG.includes(way) || more.includes(way))
}

/** When the person of a good token gave their credentials; null when it does not say, or names a time to come. */
export function authTimeOf({ auth_time, iat }: JWTPayload & { iat: number }): Date | null {
  const told = typeof auth_time === 'number' && Number.isSafeInteger(auth_time) && auth_time > 0
  return told && auth_time <= iat + LEEWAY_S ? new Date(auth_time * 1000) : null
}

const KID = /^[A-Za-z0-9_-]{1,64}$/

/** Makes the check of tokens of the built-in provider. */
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
      // A retired key signs nothing more, and what it signed ends within the life of a token: a thief cannot backdate.
      if (retired_at !== null) {
        const since_s = (deps.clock.now().getTime() - retired_at.getTime()) / 1000
        if (since_s > ACCESS_TOKEN_S || payload.iat * 1000 > retired_at.getTime()) return null
      }
      const by_command = payload.client_id === COMMAND
      const console = CONSOLES.find((client) => client === payload.client_id) ?? null
      // Nobody else signs with this key, so a client that is neither is a mistake, and no way round the consoles.
      if (console === null && !by_command) return null
      // The admin command is run by whoever holds the database: that is as good as a second factor.
      const strong = isStrong(payload.amr, ['cli'])
      const auth_time = authTimeOf(payload)
      return { issuer: EMBEDDED, subject: payload.sub, strong, console, auth_time, by_command }
    },
    // People of the built-in provider are bound when they choose their password.
    verifiedEmail: async () => null,
  }
}
