// How often a caller may ask: per API key or person, and per address for everybody who shows none that is valid.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock, Config } from '../lib/index.ts'
import { customerNetwork, refuse } from '../lib/index.ts'
import type { App } from './app.ts'

type Reply = { header(name: string, value: string): unknown }
type Count = (request: FastifyRequest, reply: Reply) => Promise<void>

/** The limits of one process. Each refuses with rate_limited. */
export type Limits = {
  /** Counts a request of a valid key, or of a person's session. */
  byKey: Count
  /** Counts a request to a public route, to one of the routes that payers or providers call, or to no route at all. */
  byAddress: Record<'pages' | 'payers' | 'pdfs' | 'callbacks' | 'unknown', Count>
  /**
   * Before a credential is looked up: refuses an address that has lately tried too many. A credential that was valid
   * from there goes on, so that nobody is shut out by another who shares the address, a proxy's say.
   */
  beforeLookup(request: FastifyRequest, reply: Reply): void
  /** Counts a credential that was refused. */
  failed: Count
  /** Remembers that a credential was valid. */
  passed(request: FastifyRequest): void
  /** Remembers that a true callback came from there: a flood that shares the address, a proxy's say, must not shut out a provider. */
  calledBack(request: FastifyRequest): void
}

const WINDOW_MS = 60_000
/** Credentials remembered as valid; when there are more, or after this time, the oldest half is forgotten. */
const PASSED_MAX = 20_000
const PASSED_MS = 3_600_000
const SHUT_MAX = 10_000
/** The window of a limit: no refusal lasts longer. */
const SHUT_MS_MAX = 60_000

/** Makes the limits over the app's counters. */
export function createLimits(app: App, config: Config, clock: Clock): Limits {
  const make = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    if (max === 0) return null
    const count = app.createRateLimit({ max, timeWindow: WINDOW_MS, keyGenerator })
    return async (request: FastifyRequest, reply: Reply) => {
      const state = await count(request)
      if (state.isAllowed) return null
      reply.header('ratelimit-limit', String(state.max))
      reply.header('ratelimit-remaining', String(state.remaining))
      reply.header('ratelimit-reset', String(state.ttlInSeconds))
      return state.isExceeded ? state.ttlInSeconds : null
    }
  }
  const refusing =
    (counted: ReturnType<typeof make>): Count =>
    async (request, reply) => {
      const retry_after_s = await counted?.(request, reply)
      if (typeof retry_after_s === 'number') refuse('rate_limited', { retry_after_s })
    }
  const address = (request: FastifyRequest) => customerNetwork(request.ip)
  const failures = make(config.rate_limit_address, address)
  /** Addresses over their limit of failures, and until when. */
  const shut = new Map<string, number>()
  const known = rememberPassed(clock)
  const providers = rememberPassed(clock)
  const byCallbacks = refusing(make(config.rate_limit_callbacks, address))

  return {
    byKey: refusing(make(config.rate_limit_key, credentialId)),
    byAddress: {
      pages: refusing(make(config.rate_limit_address, address)),
      unknown: refusing(make(config.rate_limit_address, address)),
      payers: refusing(make(config.rate_limit_payers, address)),
      pdfs: refusing(make(config.rate_limit_pdfs, address)),
      async callbacks(request, reply) {
        if (!providers.has(address(request))) await byCallbacks(request, reply)
      },
    },
    beforeLookup(request, reply) {
      if (shut.size === 0) return
      const left_ms = (shut.get(address(request)) ?? 0) - clock.now().getTime()
      // Further ahead than any refusal lasts: the clock has stepped back.
      if (left_ms <= 0 || left_ms > SHUT_MS_MAX) return void shut.delete(address(request))
      if (known.has(credentialHash(request))) return
      const retry_after_s = Math.ceil(left_ms / 1_000)
      reply.header('ratelimit-limit', String(config.rate_limit_address))
      reply.header('ratelimit-remaining', '0')
      reply.header('ratelimit-reset', String(retry_after_s))
      refuse('rate_limited', { retry_after_s })
    },
    async failed(request, reply) {
      const retry_after_s = await failures?.(request, reply)
      if (typeof retry_after_s !== 'number') return
      if (shut.size >= SHUT_MAX) shut.clear()
      shut.set(address(request), clock.now().getTime() + retry_after_s * 1_000)
      refuse('rate_limited', { retry_after_s })
    },
    passed(request) {
      if (failures !== null) known.add(credentialHash(request))
    },
    calledBack(request) {
      if (config.rate_limit_callbacks > 0) providers.add(address(request))
    },
  }
}

/** Credentials that were valid lately, or addresses, in two generations, so that forgetting the older costs nothing. */
function rememberPassed(clock: Clock) {
  let current = new Set<string>()
  let older = new Set<string>()
  let since = clock.now().getTime()
  return {
    has: (one: string) => current.has(one) || older.has(one),
    add(one: string) {
      const now = clock.now().getTime()
      if (current.size >= PASSED_MAX / 2 || Math.abs(now - since) > PASSED_MS) {
        older = current
        current = new Set()
        since = now
      }
      current.add(one)
    },
  }
}

/** Whose requests count together: a key's, a person's. */
function credentialId({ principal, ip }: FastifyRequest): string {
  if (principal === null) return ip
  return principal.kind === 'session' ? principal.user_id : principal.key_id
}

/** Only a hash is remembered: a key must not lie about in memory. */
function credentialHash(request: FastifyRequest): string {
  const { authorization = '', 'x-api-key': header = '' } = request.headers
  return hash('sha256', `${request.ip} ${authorization} ${header}`, 'base64url')
}
