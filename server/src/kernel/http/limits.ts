// Limits the rate of requests: per API key or user, and per merchant and environment of API keys. Limits per IP address apply
// to public routes, unknown paths and refused credentials.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock, Config } from '../lib/index.ts'
import { customerNetwork, refuse } from '../lib/index.ts'
import type { Environment } from './access.ts'
import type { App } from './app-types.ts'

type HeaderReply = { header(name: string, value: string): unknown }
type CountRequest = (request: FastifyRequest, reply: HeaderReply) => Promise<void>

/** The rate limits of one process. Every refusal has the code rate_limited. */
export type RequestLimits = {
  /**
   * Counts a request with a valid API key or session. Then counts a request with a key for the merchant and environment of the
   * key. A request above the limit of its key does not count for the merchant.
   */
  byKey: CountRequest
  /** Counts a request to a public route, to a route for payers or providers, or to a path without a route. */
  byAddress: Record<'pages' | 'payers' | 'pdfs' | 'callbacks' | 'unknown', CountRequest>
  /**
   * If an address has too many recent failures, refuses before a look-up of the credential. The server still accepts a
   * credential that was valid from that address before, because several clients can share an address, for example of a proxy.
   */
  refuseBlockedAddress(request: FastifyRequest, reply: HeaderReply): void
  /** Counts a refused credential for the address of the request. */
  countFailure: CountRequest
  /** Records that a credential was valid at this address. */
  rememberCredential(request: FastifyRequest): void
  /**
   * Records the address of a callback with a valid signature, so that many invalid callbacks from a shared address do not block
   * the provider.
   */
  rememberCallbackAddress(request: FastifyRequest): void
}

const WINDOW_MS = 60_000
/** The largest number of texts in a list of recent texts. If the newer half is full, the list drops its older half. */
const RECENT_MAX = 20_000
/** The largest age in milliseconds of the newer half of a list. Above this age, the list drops its older half. */
const RECENT_MS = 3_600_000
const BLOCKED_ADDRESSES_MAX = 10_000
/** The longest block of an address in milliseconds: the time window of a limit. */
const BLOCK_MS_MAX = 60_000

/** The state of a counter after one request. `reset_s` is the time in seconds until the counter begins again. */
type CounterState = { max: number; remaining: number; reset_s: number; exceeded: boolean }
type RequestCounter = (request: FastifyRequest) => Promise<CounterState | null>

/** The settings of the rate limits, which a reload of the settings changes: requests a minute, and 0 for no limit. */
type LimitSetting = Extract<keyof Config, `rate_limit_${string}`>

/** Makes a counter of requests in a window of one minute. */
function createCounter(
  app: App,
  config: Config,
  setting: LimitSetting,
  keyGenerator: (request: FastifyRequest) => string,
): RequestCounter {
  const count = app.createRateLimit({ max: () => config[setting], timeWindow: WINDOW_MS, keyGenerator })
  return async (request) => {
    if (config[setting] === 0) return null
    const state = await count(request)
    if (state.isAllowed) return null
    return { max: state.max, remaining: state.remaining, reset_s: state.ttlInSeconds, exceeded: state.isExceeded }
  }
}

function sendState(reply: HeaderReply, { max, remaining, reset_s }: CounterState): void {
  reply.header('ratelimit-limit', String(max))
  reply.header('ratelimit-remaining', String(remaining))
  reply.header('ratelimit-reset', String(reset_s))
}

/**
 * Counts a request. Returns the time in seconds after which the client may repeat it. Null means that the request is below its
 * limit.
 */
async function countOne(counter: RequestCounter, request: FastifyRequest, reply: HeaderReply) {
  const state = await counter(request)
  if (state === null) return null
  sendState(reply, state)
  return state.exceeded ? state.reset_s : null
}

/**
 * Makes the function that counts a request for its API key or user. It also counts a request with an API key for the merchant
 * and environment of the key. Above a limit, the function refuses with rate_limited.
 */
function createKeyLimit(app: App, config: Config): CountRequest {
  const ofKey = createCounter(app, config, 'rate_limit_key', credentialId)
  const ofMerchant: Record<Environment, RequestCounter> = {
    live: createCounter(app, config, 'rate_limit_merchant_live', merchantId),
    sandbox: createCounter(app, config, 'rate_limit_merchant_sandbox', merchantId),
  }
  return async (request, reply) => {
    const { principal } = request
    const of_key = await ofKey(request)
    if (of_key?.exceeded) {
      sendState(reply, of_key)
      refuse('rate_limited', { retry_after_s: of_key.reset_s })
    }
    const environment = principal?.kind === 'api_key' ? principal.environment : null
    const of_merchant = environment === null ? null : await ofMerchant[environment](request)
    const by_merchant =
      of_merchant !== null && (of_key === null || of_merchant.exceeded || of_merchant.remaining < of_key.remaining)
    // The headers describe the counter that will refuse a request first.
    const nearest = by_merchant ? of_merchant : of_key
    if (nearest) sendState(reply, nearest)
    if (of_merchant?.exceeded) {
      const { max, reset_s } = of_merchant
      refuse('rate_limited', {
        message: `The ${environment} API keys of this merchant may send ${max} requests a minute together. Wait for the seconds in Retry-After.`,
        retry_after_s: reset_s,
      })
    }
  }
}

/** Makes the rate limits of a process with the counters of @fastify/rate-limit. */
export function createLimits(app: App, config: Config, clock: Clock): RequestLimits {
  const perAddress = (setting: LimitSetting) => createCounter(app, config, setting, address)
  const refusing =
    (counter: RequestCounter): CountRequest =>
    async (request, reply) => {
      const retry_after_s = await countOne(counter, request, reply)
      if (retry_after_s !== null) refuse('rate_limited', { retry_after_s })
    }
  const failures = perAddress('rate_limit_address')
  /** The addresses above their limit of failures, each with the time at which its block ends. */
  const blocked_until = new Map<string, number>()
  const valid_credentials = createRecentSet(clock)
  const callback_addresses = createRecentSet(clock)
  const byCallbacks = refusing(perAddress('rate_limit_callbacks'))

  return {
    byKey: createKeyLimit(app, config),
    byAddress: {
      pages: refusing(perAddress('rate_limit_address')),
      unknown: refusing(perAddress('rate_limit_address')),
      payers: refusing(perAddress('rate_limit_payers')),
      pdfs: refusing(perAddress('rate_limit_pdfs')),
      async callbacks(request, reply) {
        if (!callback_addresses.has(address(request))) await byCallbacks(request, reply)
      },
    },
    refuseBlockedAddress(request, reply) {
      if (blocked_until.size === 0) return
      const left_ms = (blocked_until.get(address(request)) ?? 0) - clock.now().getTime()
      // If the rest of a block is longer than any block can be, the clock has stepped back.
      if (left_ms <= 0 || left_ms > BLOCK_MS_MAX) return void blocked_until.delete(address(request))
      if (valid_credentials.has(credentialHash(request))) return
      const retry_after_s = Math.ceil(left_ms / 1_000)
      reply.header('ratelimit-limit', String(config.rate_limit_address))
      reply.header('ratelimit-remaining', '0')
      reply.header('ratelimit-reset', String(retry_after_s))
      refuse('rate_limited', { retry_after_s })
    },
    async countFailure(request, reply) {
      const retry_after_s = await countOne(failures, request, reply)
      if (retry_after_s === null) return
      if (blocked_until.size >= BLOCKED_ADDRESSES_MAX) blocked_until.clear()
      blocked_until.set(address(request), clock.now().getTime() + retry_after_s * 1_000)
      refuse('rate_limited', { retry_after_s })
    },
    rememberCredential(request) {
      if (config.rate_limit_address > 0) valid_credentials.add(credentialHash(request))
    },
    rememberCallbackAddress(request) {
      if (config.rate_limit_callbacks > 0) callback_addresses.add(address(request))
    },
  }
}

/** Keeps recent texts in two generations, because dropping the older generation costs little. */
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

function address(request: FastifyRequest): string {
  return customerNetwork(request.ip)
}

/** Returns the id of the merchant of an API key. For any other caller, returns the IP address. */
function merchantId({ principal, ip }: FastifyRequest): string {
  return principal?.kind === 'api_key' ? principal.merchant.id : ip
}

/**
 * Returns the key of a counter. All requests of one API key, or of one user, have the same counter. Without a caller, the key
 * is the IP address.
 */
function credentialId({ principal, ip }: FastifyRequest): string {
  if (principal === null) return ip
  return principal.kind === 'session' ? principal.user_id : principal.key_id
}

/**
 * Returns the hash of a credential with the IP address. The server stores only hashes, so that no API key stays in memory.
 */
function credentialHash(request: FastifyRequest): string {
  const { authorization = '', 'x-api-key': header = '' } = request.headers
  return hash('sha256', `${request.ip} ${authorization} ${header}`, 'base64url')
}
