// The HTTP edge: request ids, authentication, access, limits, the envelope. Knows no capability.

import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Ajv, type ValidateFunction } from 'ajv'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Deps } from '../db/index.ts'
import { type Config, catalogue, type ErrorCode, newId, Refusal, redactText, refuse } from '../lib/index.ts'
import { type Authenticate, checkAccess, checkStepUp, chooseCaller, type Principal, replaceMe } from './access.ts'
import { isPublicCall, PREFLIGHT_HEADERS, publicHeaders } from './cors.ts'
import { compressLarge } from './encoding.ts'
import { FailureSchema, failure, renderError } from './envelope.ts'
import { bodyFields, ignoredFields } from './ignored.ts'
import { parseBody } from './json.ts'
import { createLimits } from './limits.ts'
import { openApi } from './openapi.ts'
import { checkQuery, queryNames } from './query.ts'
import { serializers } from './serializers.ts'

/** The largest body a caller may send. */
const BODY_BYTES_MAX = 64 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
/** How often node looks which requests are beyond these times. */
const TIMEOUTS_EVERY_MS = 2_000
const KEEP_ALIVE_MS = 72_000
/** Rights that were read longer ago are read again before the request does anything. */
const RIGHTS_FRESH_MS = 250
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
/** Query parameters in which people put keys. A key in a URL ends up in logs and histories: it is refused. */
const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token', 'authorization']

/** The HTTP app, typed so that a route knows its schema. */
export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Adds the routes of one capability. */
export type Routes = (app: App) => void

/** Options of `createApp`. */
export type AppOptions = {
  authenticate: Authenticate
  /** True for a text that is a whole API key: such a text must not be in a URL. */
  isKey(text: string): boolean
  routes: readonly Routes[]
  /** Told of each request right before its answer is sent. It must be quick, and must not throw. */
  answering?(request: FastifyRequest, reply: FastifyReply, payload: unknown): void
  /** Answers with a page what reaches no route at an address of pages. Null: it is none, and the envelope answers. */
  astray?(request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null
}

/** Characters of a path that are logged. */
const LOGGED_PATH_MAX = 512

/** Builds the app with all its routes; it does not listen yet. */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const { config } = deps
  const transport = transportHeaders(config)
  const opened = publicHeaders(ignoredHeader(config))
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for every request would cost more than the lines it writes: they name the request themselves.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_BYTES_MAX,
    schemaController: { compilersFactory: { buildSerializer: serializers(config.node_env === 'production') } },
    trustProxy: config.trust_proxy.length === 0 ? false : config.trust_proxy,
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId(deps, 0)
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 255, ignoreTrailingSlash: false },
    // Node would refuse a request without Host by itself, and without a body: the first hook does it in the envelope.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUTS_EVERY_MS,
      requireHostHeader: false,
    },
    exposeHeadRoutes: true,
    // Fastify's own answer while it closes has no envelope: the first hook gives ours.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerUnreadable(newId(deps, 0), error.code, socket),
    // A path that cannot be read, or is too long, never reaches a route or a hook: it leads nowhere.
    frameworkErrors: (_error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, ...transport })
      if (isPublicCall(request.url)) reply.headers(opened)
      const answer = reply as unknown as FastifyReply
      const lead = async () => {
        if (await limitUnknown(request, answer)) return
        if (!options.astray?.(request, answer, 404)) renderError(new Refusal('not_found'), request, answer)
      }
      lead().catch((error: unknown) => {
        if (!answer.sent) renderError(error, request, answer)
      })
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.decorateRequest('principal', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('recognised', null)
  app.decorateRequest('sent', null)
  app.decorateRequest('ignored', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      if (!isUtf8(body as Buffer)) refuse('invalid_json')
      const text = body.toString('utf8')
      request.sent = text
      // Many clients send the content type with every POST: where there may be no body, an empty one is right.
      const none = text === '' && mayBeLeftOut(request.routeOptions.schema?.body)
      done(null, none ? undefined : parseBody(text))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setValidatorCompiler(validators())
  app.setErrorHandler((error, request, reply) => renderError(error, request, reply))
  app.addSchema(FailureSchema)

  await app.register(rateLimit, { global: false, enableDraftSpec: true })
  await app.register(swagger, openApi(config))

  const limits = createLimits(app, config, deps.clock)
  app.decorate('calledBack', limits.calledBack)
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  /** Counts a request that leads to no route. True: its address has sent too many of these, and the reply is sent. */
  const limitUnknown = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    try {
      await limits.byAddress.unknown(request, reply)
      return false
    } catch (error) {
      if (error instanceof Refusal) reply.header('retry-after', String(error.retry_after_s))
      // A reply is thenable: returned from here it would count as undefined, and be sent a second time.
      if (!options.astray?.(request, reply, 429)) renderError(error, request, reply)
      return true
    }
  }
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    reply.headers(transport)
    const is_public_call = isPublicCall(request.url)
    // Before anything is refused: a page of another origin could not read the refusal.
    if (is_public_call) reply.headers(opened)
    // A connection that was kept alive may still bring requests: another process takes them over a new one.
    if (closing) {
      reply.header('connection', 'close')
      refuse('service_unavailable', { message: 'This process is stopping.', retry_after_s: 1 })
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') refuse('malformed_request')
    if (is_public_call && request.method === 'OPTIONS') return reply.headers(PREFLIGHT_HEADERS).code(204).send()
    const access = request.routeOptions.config?.access
    if (access === undefined) return (await limitUnknown(request, reply)) ? reply : undefined
    if (access === 'public') {
      const limit = request.routeOptions.config?.limit ?? 'pages'
      if (limit !== 'none') await limits.byAddress[limit](request, reply)
      return
    }
    if (request.url.includes('?')) refuseKeyInQuery(request, options.isKey)
    limits.beforeLookup(request, reply)
    try {
      request.principal = await options.authenticate(request)
    } catch (error) {
      // Only what says no to the credential counts: a database that is away does not.
      if (error instanceof Refusal) await limits.failed(request, reply)
      throw error
    }
    limits.passed(request)
    await limits.byKey(request, reply)
    checkAccess(request.principal, access)
    if (request.routeOptions.config.step_up === 'always') checkFresh(deps, request.principal)
  })
  const ignored_header = ignoredHeader(config)
  app.addHook('preValidation', async (request, reply) => {
    const { query_names, body_fields, access } = request.routeOptions.config
    // Before anything is refused, so that refusals and repeated answers name them too.
    if (body_fields) request.ignored = ignoredFields(request, body_fields)
    if (request.ignored !== null) reply.header(ignored_header, request.ignored)
    if (query_names && request.url.includes('?')) checkQuery(request, query_names)
    if (request.principal !== null && typeof access === 'object') replaceMe(request, request.principal)
  })
  // Which merchant a session acts for may stand in the body, so it is known only now.
  app.addHook('preHandler', async (request, reply) => {
    const access = request.routeOptions.config?.access
    if (request.principal === null || access === undefined || access === 'public') return
    // Whoever sends a body slowly must not act with a right that was taken meanwhile.
    if (reply.elapsedTime > RIGHTS_FRESH_MS) {
      request.principal = await options.authenticate(request)
      checkAccess(request.principal, access)
    }
    if (wantsFresh(request)) checkFresh(deps, request.principal)
    if (typeof access !== 'object') return
    request.caller = chooseCaller(request, request.principal, access.roles ?? [])
  })
  const { answering } = options
  if (answering) {
    app.addHook('onSend', (request, reply, payload, done) => {
      answering(request, reply, payload)
      done()
    })
  }
  // After the log of requests, which keeps texts as they are.
  app.addHook('onSend', compressLarge)
  if (deps.log.isLevelEnabled('info')) {
    app.addHook('onResponse', async (request, reply) => {
      // Whoever takes callbacks tells of those that were refused, and not of each: a flood must not fill the log.
      if (request.routeOptions.config?.limit === 'callbacks' && reply.statusCode >= 400) return
      request.log.info(
        {
          request_id: request.id,
          method: request.method,
          path: request.url.slice(0, LOGGED_PATH_MAX).split('?', 1)[0],
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 10) / 10,
          merchant_id: request.caller?.merchant.id,
          ...(request.ignored === null ? {} : { ignored_fields: redactText(request.ignored) }),
          ...whoOf(request.principal),
        },
        'request',
      )
    })
  }
  app.addHook('onRoute', (route) => {
    // Every route says who may call it: one that does not is a mistake, found at start.
    if (route.config?.access === undefined) throw new Error(`route ${route.method} ${route.url} names no access`)
    // A copy, because routes share their configuration.
    route.config = { ...route.config, query_names: queryNames(route), body_fields: bodyFields(route) }
  })

  for (const routes of options.routes) routes(app)
  app.setNotFoundHandler((request, reply) => {
    reply.header('x-request-id', request.id)
    const allowed = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].filter((method) =>
      app.findRoute({ url: request.url.split('?', 1)[0] as string, method: method as 'GET' }),
    )
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '))
    }
    const code = allowed.length > 0 ? 'method_not_allowed' : 'not_found'
    return options.astray?.(request, reply, catalogue[code].status) ?? refuse(code)
  })
  return app
}

/** Whether a request, whose body is known, moves money. */
function wantsFresh({ routeOptions: { config }, body }: FastifyRequest): boolean {
  if (config.step_up === 'unless_dry_run') return (body as { dry_run?: unknown } | null)?.dry_run !== true
  return config.step_up === 'always'
}

function checkFresh({ config, clock }: Deps, principal: Principal): void {
  checkStepUp(principal, config.step_up_s, clock.now())
}

/** The header that names what of a body was ignored. */
function ignoredHeader({ brand }: Config): string {
  return `X-${brand.charAt(0).toUpperCase()}${brand.slice(1)}-Ignored-Fields`
}

/** How long browsers come back by TLS alone. */
const TLS_ONLY_S = 31_536_000

/**
 * Tells browsers to come by TLS alone, where all addresses of this installation are https. One that is not might share its
 * host with one that is, and could no longer be opened.
 */
function transportHeaders({ base_url, pay_url }: Config): Record<string, string> {
  const addresses = [base_url, pay_url].filter((address) => address !== '')
  const secure = addresses.length > 0 && addresses.every((address) => address.startsWith('https:'))
  return secure ? { 'strict-transport-security': `max-age=${TLS_ONLY_S}` } : {}
}

/** Whether a request needs no body by its schema. */
function mayBeLeftOut(schema: unknown): boolean {
  return schema === undefined || [(schema as { type?: unknown }).type].flat().includes('null')
}

/** Who called, for the log of requests. */
function whoOf(principal: Principal | null) {
  if (principal === null) return {}
  return principal.kind === 'session' ? { user_id: principal.user_id } : { key_id: principal.key_id }
}

function refuseKeyInQuery(request: FastifyRequest, isKey: (text: string) => boolean): void {
  const query = request.query as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    // A parameter that is given twice is a list.
    const holdsKey = [name, value].flat().some((one) => typeof one === 'string' && isKey(one))
    if (!holdsKey && !KEY_PARAMETERS.includes(name.toLowerCase())) continue
    const header = request.headers.authorization ?? request.headers['x-api-key']
    if (header === undefined) refuse('authentication_required')
    refuse('validation_failed', {
      message: 'An API key must never be in the URL. Send it as a header, and rotate this one: it may be in a log.',
      details: { fields: [{ field: isKey(name) ? 'query' : name, message: 'must not be sent in the query string' }] },
    })
  }
}

/** What node calls a request that it could not read. */
const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** Answers what is no request at all, and so reaches neither route nor hook: in the envelope all the same. */
function answerUnreadable(request_id: string, why: string | undefined, socket: Socket): void {
  if (why === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code = UNREADABLE[why ?? ''] ?? 'malformed_request'
  const { status, message } = catalogue[code]
  const body = JSON.stringify(failure(code, message, null))
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${request_id}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ]
  // What the client still sends is not read: the answer goes out, then the connection ends.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Bodies are taken literally: no coercion. Query strings carry everything as text, so there text may become a number. */
function validators() {
  const options = { allErrors: true, strict: false, useDefaults: true, removeAdditional: false } as const
  const literal = new Ajv({ ...options, coerceTypes: false })
  const fromText = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [literal, fromText])
    ajv.addFormat('uuid', UUID).addFormat('email', EMAIL).addFormat('date-time', TIMESTAMP)
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    const ajv = httpPart === 'body' ? literal : fromText
    let compiled: ValidateFunction | undefined
    // With the first request: all of them would take a fifth of a second at every start, most of them for nothing.
    const validate = (data: unknown): boolean => {
      compiled ??= ajv.compile(schema)
      const holds = compiled(data) as boolean
      validate.errors = compiled.errors ?? null
      return holds
    }
    validate.errors = null as NonNullable<ValidateFunction['errors']> | null
    return validate
  }
}

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const TIMESTAMP = (text: string) => TIMESTAMP_FORM.test(text) && !Number.isNaN(Date.parse(text))
