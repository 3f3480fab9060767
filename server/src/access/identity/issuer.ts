// Fetches the metadata and the signing keys of a foreign OpenID Connect issuer.

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { fetchJson } from './fetch-json.ts'

/**
 * The age in milliseconds after which the server fetches the keys again. So the server soon refuses a key that the issuer has
 * removed.
 */
const FRESH_MS = 5 * 60_000
/** If the issuer is unreachable, the last keys stay valid for this time in milliseconds. */
const STALE_MS_MAX = 24 * 3_600_000
/**
 * The shortest pause between two fetches, in milliseconds. Any client can send a token with an unknown key, so tokens must not
 * cause more fetches.
 */
const REST_MS = 10_000
const KEYS_MAX = 100

/** The keys and the userinfo URL of the issuer, with the time of the fetch in milliseconds. */
type IssuerMetadata = { key: JWTVerifyGetKey; userinfo: string | null; read_at: number }

/** The client of a foreign issuer. */
export type Issuer = {
  /**
   * Returns the key for the header of a token. If the issuer has no such key, throws jose's ERR_JWKS_NO_MATCHING_KEY. If no
   * fetched key is valid and the issuer is unreachable, refuses with 503.
   */
  key: JWTVerifyGetKey
  /** Returns the URL of the userinfo endpoint. Null means that the issuer has none. */
  userinfo(): Promise<string | null>
}

/** Makes the client of OIDC_ISSUER. The client sends no request before the server verifies the first token. */
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
      // If the last fetch failed, the server uses the known keys and does not wait for this fetch.
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
        // The server fetches the keys again, because the issuer may have a new key.
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

/** Fetches the discovery document and the keys. If a request fails, or the document names another issuer, throws. */
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
  // The server skips symmetric and private keys, because some issuers also list keys for other uses, and only public keys may
  // verify tokens.
  const usable = keys.filter((key) => key?.kty !== 'oct' && key?.d === undefined).slice(0, KEYS_MAX)
  return {
    key: createLocalJWKSet({ keys: usable } as JSONWebKeySet),
    userinfo: safeEndpoint(issuer, description.userinfo_endpoint),
    read_at: deps.clock.now().getTime(),
  }
}

/**
 * Returns a URL of the issuer's metadata. Null means that the URL is missing, or less secure than the URL of the issuer.
 */
function safeEndpoint(issuer: string, named: unknown): string | null {
  const url = typeof named === 'string' ? URL.parse(named) : null
  if (url === null || ![new URL(issuer).protocol, 'https:'].includes(url.protocol)) return null
  return url.href
}
