// Limits the rate of requests: per API key or user, and per IP address for requests without a valid credential.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock, Config } from '../lib/index.ts'
import { customerNetwork, refuse } from '../lib/index.ts'
import type { App } from './app-types.ts'

type HeaderReply = { header(name: string, value: string): unknown }
type CountRequest = (request: FastifyRequest, reply: HeaderReply) => Promise<void>

/** The rate limits of one process. Above a limit, each function refuses with rate_limited. */
export type RequestLimits = {
  /** Counts a request with a valid API key or session. */
  byKey: CountRequest
  /** Counts a request to a public route, to a route for payers or providers, or to a path without a route. */
  byAddress: Record<'pages' | 'payers' | 'pdfs' | 'callbacks' | 'unknown', CountRequest>
  /**
   * If an address has too many recent failures, refuses before a look-up of the credential. A credential that was valid from
   * that address before still passes, because callers can share an address, for example of a proxy.
   */
  refuseBlockedAddress(request: FastifyRequest, reply: HeaderReply): void
  /** Counts a refused credential. */
  countFailure: CountRequest
  /** Remembers that a credential was valid at this address. */
  rememberCredential(request: FastifyRequest): void
  /**
   * Remembers the address of a callback with a valid signature, so that a flood from a shared address does not block the
   * provider.
   */
  rememberCallbackAddress(request: FastifyRequest): void
}

const WINDOW_MS = 60_000
/** The greatest number of texts in a list of recent texts. Above this number, the list drops its older half. */
const RECENT_MAX = 20_000
/** The greatest age of a list of recent texts. Above this age, the list drops its older half. */
const RECENT_MS = 3_600_000
const BLOCKED_ADDRESSES_MAX = 10_000
/** The time window of a limit. No block lasts longer than this window. */
const BLOCK_MS_MAX = 60_000

/** Makes the limits from the counters of the app. */
export function createLimits(app: App, config: Config, clock: Clock): RequestLimits {
  const make = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    if (max === 0) return null
    const count = app.createRateLimit({ max, timeWindow: WINDOW_MS, keyGenerator })
    return async (request: FastifyRequest, reply: HeaderReply) => {
      const state = await count(request)
      if (state.isAllowed) return null
      reply.header('ratelimit-limit', String(state.max))
      reply.header('ratelimit-remaining', String(state.remaining))
      reply.header('ratelimit-reset', String(state.ttlInSeconds))
      return state.isExceeded ? state.ttlInSeconds : null
    }
  }
  const refusing =
    (counted: ReturnType<typeof make>): CountRequest =>
    async (request, reply) => {
      const retry_after_s = await counted?.(request, reply)
      if (typeof retry_after_s === 'number') refuse('rate_limited', { retry_after_s })
    }
  const address = (request: FastifyRequest) => customerNetwork(request.ip)
  const failures = make(config.rate_limit_address, address)
  /** The addresses above their limit of failures, each with the time at which its block ends. */
  const blocked_until = new Map<string, number>()
  const valid_credentials = createRecentSet(clock)
  const callback_addresses = createRecentSet(clock)
  const byCallbacks = refusing(make(config.rate_limit_callbacks, address))

  return {
    byKey: refusing(make(config.rate_limit_key, credentialId)),
    byAddress: {
      pages: refusing(make(config.rate_limit_address, address)),
      unknown: refusing(make(config.rate_limit_address, address)),
      payers: refusing(make(config.rate_limit_payers, address)),
      pdfs: refusing(make(config.rate_limit_pdfs, address)),
      async callbacks(request, reply) {
        if (!callback_addresses.has(address(request))) await byCallbacks(request, reply)
      },
    },
    refuseBlockedAddress(request, reply) {
      if (blocked_until.size === 0) return
      const left_ms = (blocked_until.get(address(request)) ?? 0) - clock.now().getTime()
      // If the rest of a block is longer than any block, the clock has stepped back.
      if (left_ms <= 0 || left_ms > BLOCK_MS_MAX) return void blocked_until.delete(address(request))
      if (valid_credentials.has(credentialHash(request))) return
      const retry_after_s = Math.ceil(left_ms / 1_000)
      reply.header('ratelimit-limit', String(config.rate_limit_address))
      reply.header('ratelimit-remaining', '0')
      reply.header('ratelimit-reset', String(retry_after_s))
      refuse('rate_limited', { retry_after_s })
    },
    async countFailure(request, reply) {
      const retry_after_s = await failures?.(request, reply)
      if (typeof retry_after_s !== 'number') return
      if (blocked_until.size >= BLOCKED_ADDRESSES_MAX) blocked_until.clear()
      blocked_until.set(address(request), clock.now().getTime() + retry_after_s * 1_000)
      refuse('rate_limited', { retry_after_s })
    },
    rememberCredential(request) {
      if (failures !== null) valid_credentials.add(credentialHash(request))
    },
    rememberCallbackAddress(request) {
      if (config.rate_limit_callbacks > 0) callback_addresses.add(address(request))
    },
  }
}

/** Keeps recent texts in two generations, so that dropping the older generation is cheap. */
function createRecentSet(clock: Clock) {
  let current = new Set<string>()
  let older = new Set<string>()
  let since = clock.now().getTime()
  return {
    has: (text: string) => current.has(text) || older.has(text),
    add(text: string) {
      const now = clock.now().getTime()
      if (current.size >= RECENT_MAX / 2 || Math.abs(now - since) > RECENT_MS) {
        older = current
        current = new Set()
        since = now
      }
      current.add(text)
    },
  }
}

/** Returns the key of a counter. All requests of one API key, or of one user, have the same counter. */
function credentialId({ principal, ip }: FastifyRequest): string {
  if (principal === null) return ip
  return principal.kind === 'session' ? principal.user_id : principal.key_id
}

/** Returns the hash of a credential. The server remembers only hashes, so that no API key stays in memory. */
function credentialHash(request: FastifyRequest): string {
  const { authorization = '', 'x-api-key': header = '' } = request.headers
  return hash('sha256', `${request.ip} ${authorization} ${header}`, 'base64url')
}
