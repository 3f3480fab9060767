// The HTTP edge: request ids, authentication, access, limits, the envelope. Knows no capability.

import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Ajv } from 'ajv'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Deps } from '../db/index.ts'
import { newId, Refusal, refuse } from '../lib/index.ts'
import { type Authenticate, checkAccess } from './access.ts'
import { FailureSchema, renderError } from './envelope.ts'
import { parseBody } from './json.ts'
import { openApi } from './openapi.ts'

/** The largest body a caller may send. */
const BODY_BYTES_MAX = 64 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
const KEEP_ALIVE_MS = 72_000
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
  routes: readonly Routes[]
}

/** Builds the app with all its routes; it does not listen yet. */
export async function createApp(deps: Deps, options: AppOptions): Promise<App> {
  const { config } = deps
  const app = Fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A child logger for every request would cost more than the lines it writes: they name the request themselves.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: config.trust_proxy === '' ? false : config.trust_proxy.split(',').map((part) => part.trim()),
    requestIdHeader: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId(deps, 0)
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: 255, ignoreTrailingSlash: false },
    http: { headersTimeout: HEADERS_TIMEOUT_MS },
    exposeHeadRoutes: true,
    // A path that cannot be read, or is too long, never reaches a route or a hook: it leads nowhere.
    frameworkErrors: (_error, request, reply) => {
      reply.header('x-request-id', request.id)
      return renderError(new Refusal('not_found'), request, reply as unknown as FastifyReply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.decorateRequest('principal', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    try {
      // Many clients send the content type with every POST: where no body is expected, an empty one is right.
      const none_expected = body === '' && request.routeOptions.schema?.body === undefined
      done(null, none_expected ? undefined : parseBody(body as string))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setValidatorCompiler(validators())
  app.setErrorHandler((error, request, reply) => renderError(error, request, reply))
  app.addSchema(FailureSchema)

  await app.register(rateLimit, { global: false, enableDraftSpec: true })
  await app.register(swagger, openApi(config))

  const limited = limiter(app, config)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('cache-control', 'no-store')
    const access = request.routeOptions.config?.access
    if (access === undefined || access === 'public') return
    if (request.url.includes('?')) refuseKeyInQuery(request)
    try {
      request.principal = await options.authenticate(request)
    } catch (error) {
      await limited.byAddress(request, reply)
      throw error
    }
    await limited.byKey(request, reply)
    checkAccess(request.principal, access)
  })
  if (deps.log.isLevelEnabled('info')) {
    app.addHook('onResponse', async (request, reply) => {
      request.log.info(
        {
          request_id: request.id,
          method: request.method,
          path: request.url.split('?', 1)[0],
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime * 10) / 10,
          merchant_id: request.principal?.merchant.id,
          key_id: request.principal?.key_id,
        },
        'request',
      )
    })
  }
  app.addHook('onRoute', (route) => {
    // Every route says who may call it: one that does not is a mistake, found at start.
    if (route.config?.access === undefined) throw new Error(`route ${route.method} ${route.url} names no access`)
  })

  for (const routes of options.routes) routes(app)
  app.setNotFoundHandler((request, reply) => {
    reply.header('x-request-id', request.id)
    const allowed = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].filter((method) =>
      app.findRoute({ url: request.url.split('?', 1)[0] as string, method: method as 'GET' }),
    )
    if (allowed.length > 0) {
      reply.header('allow', allowed.join(', '))
      refuse('method_not_allowed')
    }
    refuse('not_found')
  })
  return app
}

function refuseKeyInQuery(request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    const looksLikeKey = typeof value === 'string' && /(?:_live_|_sandbox_|_test_|^pk_)/.test(value)
    if (!looksLikeKey && !KEY_PARAMETERS.includes(name.toLowerCase())) continue
    const header = request.headers.authorization ?? request.headers['x-api-key']
    if (header === undefined) refuse('authentication_required')
    refuse('validation_failed', {
      message: 'An API key must never be in the URL. Send it as a header, and rotate this one: it may be in a log.',
      details: { fields: [{ field: name, message: 'must not be sent in the query string' }] },
    })
  }
}

/** Two limits a minute: per API key, and per address for callers without a valid one. */
function limiter(app: App, config: Deps['config']) {
  const make = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    if (max === 0) return async () => {}
    const count = app.createRateLimit({ max, timeWindow: 60_000, keyGenerator })
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const state = await count(request)
      if (state.isAllowed) return
      reply.header('ratelimit-limit', String(state.max))
      reply.header('ratelimit-remaining', String(state.remaining))
      reply.header('ratelimit-reset', String(state.ttlInSeconds))
      if (state.isExceeded) refuse('rate_limited', { retry_after_s: state.ttlInSeconds })
    }
  }
  return {
    byKey: make(config.rate_limit_key, (request) => request.principal?.key_id ?? request.ip),
    byAddress: make(config.rate_limit_address, (request) => request.ip),
  }
}

/** Bodies are taken literally: no coercion. Query strings carry everything as text, so there text may become a number. */
function validators() {
  const options = { allErrors: true, strict: false, useDefaults: true, removeAdditional: false } as const
  const literal = new Ajv({ ...options, coerceTypes: false })
  const fromText = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [literal, fromText])
    ajv.addFormat('uuid', UUID).addFormat('email', EMAIL).addFormat('date-time', TIMESTAMP)
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) =>
    (httpPart === 'body' ? literal : fromText).compile(schema)
}

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/
const TIMESTAMP_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const TIMESTAMP = (text: string) => TIMESTAMP_FORM.test(text) && !Number.isNaN(Date.parse(text))
