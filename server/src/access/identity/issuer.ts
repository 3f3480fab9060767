// A foreign OpenID Connect issuer: its addresses and its current signing keys.

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { fetchJson } from './fetch-json.ts'

/** The server reads keys again after this time, so that a key that the issuer removed stops working. */
const FRESH_MS = 5 * 60_000
/** If the issuer cannot be reached, its last keys stay valid for this long. */
const STALE_MS_MAX = 24 * 3_600_000
/** A caller can name any key in a token. The server reads the keys at most once in this time because of tokens. */
const REST_MS = 10_000
const KEYS_MAX = 100

/** The issuer's metadata, and the time at which the server read it. */
type IssuerMetadata = { key: JWTVerifyGetKey; userinfo: string | null; read_at: number }

/** A foreign issuer. */
export type Issuer = {
  /**
   * The key that a token's header names. Throws jose's ERR_JWKS_NO_MATCHING_KEY if the issuer has no such key, and
   * refuses (503 service_unavailable) if the issuer cannot be reached and no key is valid any more.
   */
  key: JWTVerifyGetKey
  /** The address of the userinfo endpoint; null if the issuer has none. */
  userinfo(): Promise<string | null>
}

/** Creates the client of OIDC_ISSUER. It sends no request before the first token. */
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
          deps.log.warn({ err: error }, 'OIDC_ISSUER cannot be asked')
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
      // If the last request failed, tokens are checked with the known keys and do not wait for this request.
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
        // The issuer may have a new key.
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
    message: 'The identity provider cannot be reached. Try again shortly.',
    retry_after_s: REST_MS / 1000,
  })
}

/** Reads the issuer's discovery document and keys. Throws if a request fails or the document names another issuer. */
async function discover(deps: Deps): Promise<IssuerMetadata> {
  const { oidc_issuer: issuer } = deps.config
  const description = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (description.issuer !== issuer) {
    throw new Error(`OIDC_ISSUER is ${issuer}, but its discovery document names ${String(description.issuer)}`)
  }
  const jwks_uri = safeEndpoint(issuer, description.jwks_uri)
  if (jwks_uri === null) throw new Error(`${issuer} names no jwks_uri that is as safe as itself`)
  const { keys } = await fetchJson(jwks_uri)
  if (!Array.isArray(keys)) throw new Error(`${jwks_uri} holds no keys`)
  // Some issuers also list keys for other uses. A key that cannot verify signatures is skipped.
  const usable = keys.filter((key) => key?.kty !== 'oct' && key?.d === undefined).slice(0, KEYS_MAX)
  return {
    key: createLocalJWKSet({ keys: usable } as JSONWebKeySet),
    userinfo: safeEndpoint(issuer, description.userinfo_endpoint),
    read_at: deps.clock.now().getTime(),
  }
}

/** An address from the issuer's metadata; null if it is missing or less secure than the issuer's own address. */
function safeEndpoint(issuer: string, named: unknown): string | null {
  const url = typeof named === 'string' ? URL.parse(named) : null
  if (url === null || ![new URL(issuer).protocol, 'https:'].includes(url.protocol)) return null
  return url.href
}
