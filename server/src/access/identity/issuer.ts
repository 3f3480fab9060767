// A foreign OpenID Connect issuer: where it is, and the keys that it signs with now.

import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { Deps } from '../../kernel/db/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { ask } from './ask.ts'

/** Keys older than this are read again before they are used: what the issuer removed stops working. */
const FRESH_MS = 5 * 60_000
/** While the issuer cannot be reached, its last keys stay good for this long. */
const STALE_MS_MAX = 24 * 3_600_000
/** Tokens name their key themselves: this often at most is the issuer asked because of them. */
const REST_MS = 10_000
const KEYS_MAX = 100

/** What the issuer says of itself, and when it said so. */
type Known = { key: JWTVerifyGetKey; userinfo: string | null; read_at: number }

/** A foreign issuer. */
export type Issuer = {
  /**
   * The key that a token's header names. Throws jose's ERR_JWKS_NO_MATCHING_KEY when the issuer has none such, and
   * refuses (503 service_unavailable) when the issuer would have to be asked and cannot be.
   */
  key: JWTVerifyGetKey
  /** Where the issuer tells about a person; null when it has no such place. */
  userinfo(): Promise<string | null>
}

/** Makes the view of OIDC_ISSUER. Nothing is asked before the first token comes. */
export function createIssuer(deps: Deps): Issuer {
  const nowMs = () => deps.clock.now().getTime()
  let known: Known | null = null
  let asked_at = Number.NEGATIVE_INFINITY
  let failed = false
  let asking: Promise<void> | null = null

  const refresh = (): Promise<void> => {
    asked_at = nowMs()
    asking ??= discover(deps)
      .then(
        (found) => {
          known = found
          failed = false
        },
        (error: unknown) => {
          failed = true
          deps.log.warn({ err: error }, 'OIDC_ISSUER cannot be asked')
        },
      )
      .finally(() => {
        asking = null
      })
    return asking
  }
  const mayAsk = () => asking !== null || Math.abs(nowMs() - asked_at) >= REST_MS

  const current = async (): Promise<Known> => {
    const age = known === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs() - known.read_at)
    if (age >= FRESH_MS && mayAsk()) {
      const asked = refresh()
      // Known to be away: keys that are known go on, and nobody waits for an answer that will not come.
      if (age >= STALE_MS_MAX || !failed) await asked
    }
    if (known === null || nowMs() - known.read_at >= STALE_MS_MAX) away()
    return known
  }

  return {
    async key(header, token) {
      const before = await current()
      try {
        return await before.key(header, token)
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
        // The issuer may have a new key since.
        if (known === before && mayAsk()) await refresh()
        if (failed) away()
        if (known === null || known === before) throw error
        return known.key(header, token)
      }
    },
    userinfo: async () => (await current()).userinfo,
  }
}

function away(): never {
  refuse('service_unavailable', {
    message: 'The identity provider cannot be reached. Try again shortly.',
    retry_after_s: REST_MS / 1000,
  })
}

/** Reads the issuer's own description and its keys. Throws when either cannot be had, or is another issuer's. */
async function discover(deps: Deps): Promise<Known> {
  const { oidc_issuer: issuer } = deps.config
  const description = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (description.issuer !== issuer) {
    throw new Error(`OIDC_ISSUER is ${issuer}, but what is there calls itself ${String(description.issuer)}`)
  }
  const jwks_uri = endpoint(issuer, description.jwks_uri)
  if (jwks_uri === null) throw new Error(`${issuer} names no jwks_uri that is as safe as itself`)
  const { keys } = await ask(jwks_uri)
  if (!Array.isArray(keys)) throw new Error(`${jwks_uri} holds no keys`)
  // Some issuers list keys for other uses beside: what cannot check a signature must not spoil the rest.
  const usable = keys.filter((key) => key?.kty !== 'oct' && key?.d === undefined).slice(0, KEYS_MAX)
  return {
    key: createLocalJWKSet({ keys: usable } as JSONWebKeySet),
    userinfo: endpoint(issuer, description.userinfo_endpoint),
    read_at: deps.clock.now().getTime(),
  }
}

/** An address that the issuer names, unless it would leave https. */
function endpoint(issuer: string, named: unknown): string | null {
  const url = typeof named === 'string' ? URL.parse(named) : null
  if (url === null || ![new URL(issuer).protocol, 'https:'].includes(url.protocol)) return null
  return url.href
}
