// Adds the hooks of the HTTP app, in the order in which each request runs them.

import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../db/index.ts'
import { Refusal, redactText, refuse, traceIdOf } from '../lib/index.ts'
import { checkAccess, checkStepUp, chooseCaller, isAccess, type Principal, replaceMe } from './access.ts'
import type { App, AppOptions } from './app-types.ts'
import type { OpenConnections } from './connections.ts'
import { isPublicCall, PREFLIGHT_HEADERS } from './cors.ts'
import { compressLarge } from './encoding.ts'
import { renderError } from './envelope.ts'
import { bodyFields, ignoredFields } from './ignored.ts'
import type { RequestLimits } from './limits.ts'
import type { OperatorGate } from './operator-gate.ts'
import { checkQuery, gatherMetadata, queryNames } from './query.ts'
import { requestMetrics } from './request-metrics.ts'
import { afterWait, hasCallerLeft, msSinceArrival, type RequestTurns } from './turns.ts'

/** The age in milliseconds after which the server reads the rights of a caller again before it executes the request. */
const RIGHTS_FRESH_MS = 250
/**
 * The query parameters in which clients send API keys. A key in a URL would appear in logs and browser histories, so the
 * server refuses the request.
 */
const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token', 'authorization']
/** The largest number of characters of a path that the server logs. */
const LOGGED_PATH_MAX = 512

/** Headers that depend on the configuration alone. */
export type SharedHeaders = {
  /** The headers of every answer to a request that Node can read. */
  transport: Record<string, string>
  /** The headers that the server sends with every answer of a public call. */
  public_call: Record<string, string>
  /** The name of the header that lists the ignored fields of a body. */
  ignored_fields: string
}

/** The parts of the app that its hooks use. */
export type AppContext = {
  deps: Deps
  options: AppOptions
  limits: RequestLimits
  connections: OpenConnections
  headers: SharedHeaders
  /** Decides which requests can reach the console of operators. */
  operatorGate: OperatorGate
  /** Drops a request whose client has disconnected. */
  drop(request: IncomingMessage): void
  /** Divides the turns of the event loop between the callers. */
  turns: RequestTurns
  /** True while the app stops. The server then closes each connection after its answer. */
  closing: boolean
}

/** Adds all hooks to the app. The app must add its routes after the hooks. */
export function addHooks(app: App, context: AppContext): void {
  const { deps, options, turns } = context
  app.addHook('preClose', async () => {
    context.closing = true
  })
  app.addHook('onRequest', (request, reply) => checkRequest(context, request, reply))
  app.addHook('preValidation', async (request, reply) => checkNames(context, request, reply))
  app.addHook('preHandler', async (request, reply) => checkCaller(context, request, reply))
  // Many requests of one batch get their answers at the same time, so each request waits for its turn.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    afterWait(turns.wait(request.raw), done)
  })
  const { onAnswer } = options
  if (onAnswer) {
    app.addHook('onSend', (request, reply, payload, done) => {
      onAnswer(request, reply, payload)
      done()
    })
  }
  // This hook runs after the hook of the request log, which needs uncompressed texts.
  app.addHook('onSend', compressLarge)
  const measureRequest = requestMetrics(deps.metrics)
  app.addHook('onResponse', async (request, reply) => {
    measureRequest(request, reply)
    // A reload of the settings can change the level of the log.
    if (deps.log.isLevelEnabled('info')) logRequest(request, reply)
  })
  app.addHook('onRoute', (route) => {
    // A route without a known `access` is a programming error, so the app does not start.
    const access = route.config?.access
    if (access === undefined)
      throw new Error(`route ${route.method} ${route.url} names no access: add the field access to its config`)
    if (!isAccess(access))
      throw new Error(
        `route ${route.method} ${route.url} names an unknown access: ${access}; use a value of the type Access`,
      )
    // Routes share their configuration objects, so the hook changes a copy of the configuration.
    route.config = { ...route.config, query_names: queryNames(route), body_fields: bodyFields(route) }
  })
}

/**
 * Counts a request without a route. If the address has sent too many such requests, sends the refusal and returns true.
 */
export async function limitUnknownPath(
  { limits, options }: AppContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    await limits.byAddress.unknown(request, reply)
    return false
  } catch (error) {
    if (error instanceof Refusal) reply.header('retry-after', String(error.retry_after_s))
    // A reply is thenable. If this function returned the reply, Fastify would read the result as undefined and send the
    // reply a second time.
    if (!options.notFoundPage?.(request, reply, 429)) renderError(error, request, reply)
    return true
  }
}

/** Answers a request as if no route had its path. */
export function answerNotFound(options: AppOptions, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return options.notFoundPage?.(request, reply, 404) ?? refuse('not_found')
}

/**
 * Checks a request before the server reads the body: writes headers, counts the request, authenticates the caller and checks
 * the caller's rights. If a check fails, refuses the request.
 */
async function checkRequest(context: AppContext, request: FastifyRequest, reply: FastifyReply) {
  const { deps, options, limits, connections, headers, operatorGate } = context
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('cache-control', 'no-store')
  reply.headers(headers.transport)
  const is_public_call = isPublicCall(request.url)
  // The server writes the headers before any refusal, because a page of another origin needs these headers to read the
  // refusal.
  if (is_public_call) reply.headers(headers.public_call)
  // A stopping process still answers the requests that arrive on open connections.
  if (context.closing || options.draining?.() || connections.areCrowded()) reply.header('connection', 'close')
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') refuse('malformed_request')
  if (is_public_call && request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send()
  // Fastify makes `routeOptions` anew at each access.
  const { url = '', config } = request.routeOptions
  const access = config?.access
  if (access === undefined) return (await limitUnknownPath(context, request, reply)) ? reply : undefined
  if (!operatorGate(request, url, access)) {
    if (await limitUnknownPath(context, request, reply)) return reply
    return answerNotFound(options, request, reply)
  }
  if (access === 'public') {
    const { limit = 'pages', may_sign_in } = config
    if (limit !== 'none') await limits.byAddress[limit](request, reply)
    if (may_sign_in) await tryAuthenticate(context, request, reply)
    return
  }
  const principal = await authenticate(context, request, reply)
  checkAccess(principal, access)
  if (config.step_up === 'always') checkSignInAge(deps, principal)
}

async function authenticate({ options, limits, turns }: AppContext, request: FastifyRequest, reply: FastifyReply) {
  if (request.url.includes('?')) refuseKeyInQuery(request, options.isKey)
  limits.refuseBlockedAddress(request, reply)
  let principal: Principal
  try {
    principal = await options.authenticate(request)
    request.principal = principal
  } catch (error) {
    // Only a refused credential counts as a failure of the address. An unreachable database does not count.
    if (error instanceof Refusal) await limits.countFailure(request, reply)
    throw error
  }
  limits.rememberCredential(request)
  turns.rememberCredential(request.raw, principal.kind === 'api_key' && principal.environment === 'live')
  await limits.byKey(request, reply)
  return principal
}

/**
 * If a request with a query has the header Authorization, authenticates its caller. If the server refuses the caller or cannot
 * reach the database, the request continues without a principal.
 */
async function tryAuthenticate(context: AppContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (request.headers.authorization === undefined || !request.url.includes('?')) return
  await authenticate(context, request, reply).catch(() => {
    request.principal = null
  })
}

/**
 * Runs after the server has parsed the body. Lists the ignored body fields, refuses unknown query parameters, and replaces `me`
 * by the id of the merchant.
 */
function checkNames({ headers }: AppContext, request: FastifyRequest, reply: FastifyReply): void {
  const { query_names, body_fields, access } = request.routeOptions.config
  // The server writes the header before any refusal, so that refusals and replayed answers list the ignored fields too.
  if (body_fields) request.ignored = ignoredFields(request, body_fields)
  if (request.ignored !== null) reply.header(headers.ignored_fields, request.ignored)
  if (query_names && request.url.includes('?')) {
    gatherMetadata(request, query_names)
    checkQuery(request, query_names)
  }
  if (request.principal !== null && typeof access === 'object') replaceMe(request, request.principal)
}

/** Runs after validation. Finds the merchant and environment of the request, which a session may name in the body. */
async function checkCaller(context: AppContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { deps, options, drop, turns } = context
  // Many requests get their bodies at the same time, or their keys from one answer of the database, so each request waits for
  // its turn.
  const later = turns.wait(request.raw)
  if (later !== null) await later
  // The client may have disconnected while the server looked up its key. After this check, the work begins, and the server
  // finishes it.
  if (hasCallerLeft(request.raw)) {
    reply.hijack()
    return drop(request.raw)
  }
  const { config } = request.routeOptions
  const access = config?.access
  if (request.principal === null || access === undefined || access === 'public') return
  // If the request has taken long, the server reads the rights again, because an administrator may have removed a right since
  // the first read.
  if (reply.elapsedTime > RIGHTS_FRESH_MS) {
    request.principal = await options.authenticate(request)
    checkAccess(request.principal, access)
  }
  if (needsStepUp(config, request.body)) checkSignInAge(deps, request.principal)
  if (typeof access !== 'object') return
  request.caller = chooseCaller(request, request.principal, access.roles ?? [])
  await noteFirstUse(options, request.principal, request.caller.merchant.id)
}

/**
 * If this is the first request with an invited membership, records it. A token of the admin command is no sign-in of the user.
 */
async function noteFirstUse({ onFirstUse }: AppOptions, principal: Principal, merchant_id: string): Promise<void> {
  if (principal.kind !== 'session' || principal.by_command) return
  const unused = principal.memberships.some((one) => one.unused && one.merchant.id === merchant_id)
  if (unused) await onFirstUse?.(merchant_id, principal.user_id)
}

function needsStepUp(config: FastifyRequest['routeOptions']['config'], body: unknown): boolean {
  if (config.step_up === 'unless_dry_run') return (body as { dry_run?: unknown } | null)?.dry_run !== true
  return config.step_up === 'always'
}

function checkSignInAge({ config, clock }: Deps, principal: Principal): void {
  checkStepUp(principal, config.step_up_s, clock.now())
}

function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  // The room `callbacks` logs refused callbacks in batches, so that many refused callbacks do not fill the log.
  if (request.routeOptions.config?.limit === 'callbacks' && reply.statusCode >= 400) return
  request.log.info(
    {
      component: 'http',
      request_id: request.id,
      trace_id: traceIdOf(request.trace?.context),
      method: request.method,
      path: loggedPath(request),
      status_code: reply.statusCode,
      duration_ms: Math.round(msSinceArrival(request, reply) * 10) / 10,
      merchant_id: request.caller?.merchant.id,
      ...(request.ignored === null ? {} : { ignored_fields: redactText(request.ignored) }),
      ...principalFields(request.principal),
    },
    'request',
  )
}

function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  if (routeOptions.config?.has_secret_path === true) return routeOptions.url
  return url.slice(0, LOGGED_PATH_MAX).split('?', 1)[0]
}

/** Returns the caller of a request as fields of a log line. */
function principalFields(principal: Principal | null) {
  if (principal === null) return {}
  return principal.kind === 'session' ? { user_id: principal.user_id } : { key_id: principal.key_id }
}

function refuseKeyInQuery(request: FastifyRequest, isKey: (text: string) => boolean): void {
  const query = request.query as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    // If the client sends a parameter twice, the parameter arrives as a list.
    const holdsKey = [name, value].flat().some((one) => typeof one === 'string' && isKey(one))
    if (!holdsKey && !KEY_PARAMETERS.includes(name.toLowerCase())) continue
    const header = request.headers.authorization ?? request.headers['x-api-key']
    if (header === undefined) refuse('authentication_required')
    refuse('validation_failed', {
      message:
        'An API key must never be in the URL. Send the key as a header, and rotate this key, because it may be in a log.',
      details: { fields: [{ field: isKey(name) ? 'query' : name, message: 'must not be in the query string' }] },
    })
  }
}
