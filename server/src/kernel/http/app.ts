// Builds the HTTP app: request ids, authentication, access, limits and the envelope. The app contains no business function of
// the product.

import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Deps } from '../db/index.ts'
import { type Config, catalogue, type ErrorCode, newId, Refusal, refuse } from '../lib/index.ts'
import { type AppContext, addHooks, answerNotFound, limitUnknownPath, type SharedHeaders } from './app-hooks.ts'
import type { App, AppOptions } from './app-types.ts'
import { createValidators } from './app-validators.ts'
import { limitConnections } from './connections.ts'
import { isPublicCall, publicHeaders } from './cors.ts'
import { failure, renderError } from './envelope.ts'
import { parseBody } from './json.ts'
import { createLimits } from './limits.ts'
import { openApi } from './openapi.ts'
import { createOperatorGate } from './operator-gate.ts'
import { serializers } from './serializers.ts'
import { addTraceHooks } from './trace-hooks.ts'
import { afterWait, createDrop, exposeWaiting, type RequestTurns, shareTurns } from './turns.ts'

/** The largest size of a request body in bytes. */
const BODY_BYTES_MAX = 64 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
/** The interval in milliseconds at which Node checks whether headers and requests have exceeded their timeouts. */
const TIMEOUT_CHECK_MS = 2_000
const KEEP_ALIVE_MS = 72_000
/**
 * If a connection moves no byte in either direction for this time in milliseconds, the server closes it. This also applies
 * during a response that the client does not read.
 */
const SILENT_MS = 120_000
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** Builds the app with all its routes. The app does not listen yet. */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const { config } = deps
  const headers = sharedHeaders(config)
  const operatorGate = createOperatorGate(config)
  const app = createServer(deps, headers, (request, reply) => answerBadPath(context, request, reply))
  addTraceHooks(app, deps.tracer)
  app.decorateRequest('principal', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('recognised', null)
  app.decorateRequest('sent', null)
  app.decorateRequest('ignored', null)
  app.setValidatorCompiler(createValidators())
  app.setErrorHandler((error, request, reply) => renderError(error, request, reply))

  await app.register(rateLimit, { global: false, enableDraftSpec: true })
  const { ignored_fields } = headers
  for (const audience of ['everyone', 'merchants'] as const)
    await app.register(swagger, openApi(config, { audience, events: options.events ?? [], ignored_fields }))

  const limits = createLimits(app, config, deps.clock)
  app.decorate('rememberCallbackAddress', limits.rememberCallbackAddress)
  const connections = limitConnections(app.server, deps)
  const drop = createDrop(deps.log, deps.metrics)
  const turns = shareTurns(app.server, drop)
  exposeWaiting(deps.metrics, turns)
  addBodyParser(app, turns)
  const context: AppContext = { deps, options, limits, connections, headers, operatorGate, drop, turns, closing: false }
  addHooks(app, context)
  for (const routes of options.routes) routes(app)
  app.setNotFoundHandler((request, reply) => answerNoRoute(app, context, request, reply))
  return app
}

function createServer(
  deps: Deps,
  headers: SharedHeaders,
  onBadPath: (request: FastifyRequest, reply: FastifyReply) => void,
): App {
  const { config } = deps
  return Fastify({
    loggerInstance: deps.log as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for each request would cost more than the log lines, so each line contains the request id.
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
    connectionTimeout: SILENT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 255, ignoreTrailingSlash: false },
    // Node would refuse a request without a Host header itself, with an answer that has no body. So the first hook refuses the
    // request in the envelope.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      requireHostHeader: false,
    },
    exposeHeadRoutes: true,
    // The answer of Fastify during its close has no envelope. So the app answers as usual, and then closes the connection.
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(newId(deps, 0), error.code, socket),
    // If a path is undecodable or too long, the request reaches neither a route nor a hook.
    frameworkErrors: (_error, request, reply) => {
      reply.headers({ 'x-request-id': request.id, ...headers.transport })
      if (isPublicCall(request.url)) reply.headers(headers.public_call)
      onBadPath(request, reply as unknown as FastifyReply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App
}

function addBodyParser(app: App, turns: RequestTurns): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const parse = () => {
      try {
        if (!isUtf8(body as Buffer)) refuse('invalid_json')
        const text = body.toString('utf8')
        request.sent = text
        // Many clients send the content type with every POST. So if the schema accepts a missing body, an empty body is valid.
        const is_omitted = text === '' && allowsNoBody(request.routeOptions.schema?.body)
        done(null, is_omitted ? undefined : parseBody(text))
      } catch (error) {
        done(error as Error)
      }
    }
    afterWait(turns.wait(request.raw), parse)
  })
}

/** Returns true if the schema of a route accepts a missing body. */
function allowsNoBody(schema: unknown): boolean {
  return schema === undefined || [(schema as { type?: unknown }).type].flat().includes('null')
}

/** Answers a request with an undecodable path as the server answers any path without a route. */
function answerBadPath(context: AppContext, request: FastifyRequest, reply: FastifyReply): void {
  const answer = async () => {
    if (await limitUnknownPath(context, request, reply)) return
    if (!context.options.notFoundPage?.(request, reply, 404)) renderError(new Refusal('not_found'), request, reply)
  }
  answer().catch((error: unknown) => {
    if (!reply.sent) renderError(error, request, reply)
  })
}

/**
 * Answers a request without a route. If the path has routes for other methods, the Allow header lists these methods without
 * HEAD.
 */
function answerNoRoute(app: App, { options, operatorGate }: AppContext, request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  const path = request.url.split('?', 1)[0] as string
  if (!operatorGate(request, path, undefined)) return answerNotFound(options, request, reply)
  const allowed = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].filter((method) =>
    app.findRoute({ url: path, method: method as 'GET' }),
  )
  if (allowed.length > 0) {
    reply.header('allow', allowed.join(', '))
  }
  const code = allowed.length > 0 ? 'method_not_allowed' : 'not_found'
  return options.notFoundPage?.(request, reply, catalogue[code].status) ?? refuse(code)
}

function sharedHeaders(config: Config): SharedHeaders {
  const brand = `${config.brand.charAt(0).toUpperCase()}${config.brand.slice(1)}`
  const ignored_fields = `X-${brand}-Ignored-Fields`
  return { transport: transportHeaders(config), public_call: publicHeaders(ignored_fields), ignored_fields }
}

/** The time in seconds for which browsers use only TLS after an answer. */
const TLS_ONLY_S = 31_536_000

/**
 * If all addresses of this installation are https, tells browsers to use only TLS. If an address on the same host were http,
 * browsers could no longer open it.
 */
function transportHeaders({ base_url, pay_url, operator_url, hsts_subdomains }: Config): Record<string, string> {
  const addresses = [base_url, pay_url, operator_url].filter((address) => address !== '')
  const secure = addresses.length > 0 && addresses.every((address) => address.startsWith('https:'))
  if (!secure) return {}
  return { 'strict-transport-security': `max-age=${TLS_ONLY_S}${hsts_subdomains ? '; includeSubDomains' : ''}` }
}

/**
 * Error codes for requests that Node refuses before Fastify gets them. All other such requests get `malformed_request`.
 */
const CLIENT_ERROR_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}
const REASON_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** Answers a request that Node could not read, in the envelope. Such a request reaches neither a route nor a hook. */
function answerClientError(request_id: string, node_code: string | undefined, socket: Socket): void {
  if (node_code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const code = CLIENT_ERROR_CODES[node_code ?? ''] ?? 'malformed_request'
  const { status, message } = catalogue[code]
  const body = JSON.stringify(failure(code, message, null))
  const head = [
    `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${request_id}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ]
  // The server sends the answer, reads no more of the request, and then closes the connection.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
