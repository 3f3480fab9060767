// Access tokens of the built-in identity provider: RFC 9068 JWTs.

import { type CryptoKey, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import type { Deps } from '../db/index.ts'
import { ALGORITHM, type SigningKey, verifyingKey } from './keys.ts'

/** The audience of tokens that this API takes from the built-in provider. */
export const AUDIENCE = 'malipo-api'
/** How long an access token of the built-in provider is good for. */
export const ACCESS_TOKEN_S = 900
/** How far two clocks may be apart. */
export const LEEWAY_S = 30
/** Longer texts are no token of ours: they are refused before they are read. */
export const TOKEN_MAX = 8192

/** What a verified token says: who it is about, and how they signed in (RFC 8176, such as pwd, otp). */
export type Claims = { issuer: string; subject: string; amr: readonly string[] }

/** The name under which people of the built-in provider are stored, wherever the installation is reached. */
export const EMBEDDED = 'embedded'

/** Signs an access token for a person of the built-in provider. */
export async function issueAccessToken(
  deps: Deps,
  key: SigningKey,
  subject: string,
  amr: readonly string[],
): Promise<string> {
  const now = Math.floor(deps.clock.now().getTime() / 1000)
  return new SignJWT({ amr: [...amr], client_id: 'admin' })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(key.issuer)
    .setAudience(AUDIENCE)
    .setSubject(subject)
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_S)
    .setJti(Buffer.from(deps.random.bytes(16)).toString('base64url'))
    .sign(key.private_key)
}

const KNOWN_KEYS_MAX = 100

/** Makes the check of tokens of the built-in provider. Answers null for whatever is not one, or is one no longer. */
export function createEmbeddedVerifier(deps: Deps): (token: string) => Promise<Claims | null> {
  // A key never changes, so a known one needs no second look; unknown ones are not remembered.
  const known = new Map<string, { issuer: string; key: CryptoKey }>()
  const keyOf = async (kid: string) => {
    const remembered = known.get(kid)
    if (remembered) return remembered
    const found = await verifyingKey(deps, kid)
    if (found && known.size < KNOWN_KEYS_MAX) known.set(kid, found)
    return found
  }
  return async (token) => {
    try {
      const { kid, alg } = decodeProtectedHeader(token)
      if (typeof kid !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(kid) || alg !== ALGORITHM) return null
      const signer = await keyOf(kid)
      if (!signer) return null
      const { payload } = await jwtVerify(token, signer.key, {
        algorithms: [ALGORITHM],
        issuer: signer.issuer,
        audience: AUDIENCE,
        typ: 'at+jwt',
        clockTolerance: LEEWAY_S,
        currentDate: deps.clock.now(),
        requiredClaims: ['sub', 'exp', 'iat'],
      })
      return { issuer: EMBEDDED, subject: payload.sub as string, amr: amrOf(payload.amr) }
    } catch (error) {
      // Anything that jose says is about the token; the database being away is not.
      if ((error as { code?: string }).code?.startsWith('ERR_J') || error instanceof TypeError) return null
      throw error
    }
  }
}

/** The `amr` claim as a list of names; whatever else it holds counts as none. */
export function amrOf(claim: unknown): string[] {
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : []
}
