// Fetches the metadata and the signing keys of a foreign OpenID Connect issuer.

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { fetchJson } from './fetch-json.ts'

/** The age at which the server fetches the keys again. The server then refuses a key that the issuer has removed. */
const FRESH_MS = 5 * 60_000
/** The time for which the last fetched keys stay valid while the server cannot reach the issuer. */
const STALE_MS_MAX = 24 * 3_600_000
/**
 * The minimum pause between two fetches of keys. Any client can name an unknown key in a token, so that a token must not cause more
 * fetches.
 */
const REST_MS = 10_000
const KEYS_MAX = 100

/** The issuer's keys and userinfo address, and the time at which the server fetched them. */
type IssuerMetadata = { key: JWTVerifyGetKey; userinfo: string | null; read_at: number }

/** The functions that use a foreign issuer. */
export type Issuer = {
  /**
   * Returns the key that the header of a token names. If the issuer has no such key, throws jose's ERR_JWKS_NO_MATCHING_KEY. If no
   * key is valid any more and the server cannot reach the issuer, refuses the request with 503.
   */
  key: JWTVerifyGetKey
  /** Returns the address of the userinfo endpoint. Null means that the issuer has no such endpoint. */
  userinfo(): Promise<string | null>
}

/** Creates the client of OIDC_ISSUER. The client sends no request before the server verifies the first token. */
export function createIssuer(deps: Deps): Issuer {
  const nowMs = () => deps.clock.now().getTime()
  let metadata: IssuerMetadata | null = null
  let requested_at = Number.NEGATIVE_INFINITY
  let failed = false
  let pending: Promise<void> | null = null

  const refresh = (): Promise<void> => {
    requested_at = nowMs()
    pending ??= discover(deps)
      .then(
        (found) => {
          metadata = found
          failed = false
        },
        (error: unknown) => {
          failed = true
          deps.log.warn(
            { component: 'identity', err: error },
            'the server cannot use OIDC_ISSUER: check the setting and the issuer',
          )
        },
      )
      .finally(() => {
        pending = null
      })
    return pending
  }
  const mayRefresh = () => pending !== null || Math.abs(nowMs() - requested_at) >= REST_MS

  const current = async (): Promise<IssuerMetadata> => {
    const age = metadata === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs() - metadata.read_at)
    if (age >= FRESH_MS && mayRefresh()) {
      const refreshed = refresh()
      // If the last request failed, the server checks tokens with the known keys and does not wait for this request.
      if (age >= STALE_MS_MAX || !failed) await refreshed
    }
    if (metadata === null || nowMs() - metadata.read_at >= STALE_MS_MAX) refuseUnreachable()
    return metadata
  }

  return {
    async key(header, token) {
      const before = await current()
      try {
        return await before.key(header, token)
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
        // The issuer may have a new key, so that the server fetches the keys again.
        if (metadata === before && mayRefresh()) await refresh()
        if (failed) refuseUnreachable()
        if (metadata === null || metadata === before) throw error
        return metadata.key(header, token)
      }
    },
    userinfo: async () => (await current()).userinfo,
  }
}

function refuseUnreachable(): never {
  refuse('service_unavailable', {
    message: 'The server cannot reach the identity provider. Try again shortly.',
    retry_after_s: REST_MS / 1000,
  })
}

/** Fetches the issuer's discovery document and keys. If a request fails, or the document names another issuer, throws an error. */
async function discover(deps: Deps): Promise<IssuerMetadata> {
  const { oidc_issuer: issuer } = deps.config
  const description = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (description.issuer !== issuer) {
    throw new Error(`OIDC_ISSUER is ${issuer}, but its discovery document names ${String(description.issuer)}`)
  }
  const jwks_uri = safeEndpoint(issuer, description.jwks_uri)
  if (jwks_uri === null)
    throw new Error(`the discovery document of ${issuer} has no jwks_uri with the protocol of the issuer or https`)
  const { keys } = await fetchJson(jwks_uri)
  if (!Array.isArray(keys)) throw new Error(`the response of ${jwks_uri} has no list of keys`)
  // Some issuers also list keys for other uses, so that the server skips a key that cannot verify signatures.
  const usable = keys.filter((key) => key?.kty !== 'oct' && key?.d === undefined).slice(0, KEYS_MAX)
  return {
    key: createLocalJWKSet({ keys: usable } as JSONWebKeySet),
    userinfo: safeEndpoint(issuer, description.userinfo_endpoint),
    read_at: deps.clock.now().getTime(),
  }
}

/**
 * Returns an address from the issuer's metadata. Null means that the address is missing, or less secure than the address of the
 * issuer.
 */
function safeEndpoint(issuer: string, named: unknown): string | null {
  const url = typeof named === 'string' ? URL.parse(named) : null
  if (url === null || ![new URL(issuer).protocol, 'https:'].includes(url.protocol)) return null
  return url.href
}
