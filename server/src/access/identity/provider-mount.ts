// Adds the OpenID provider and its pages to the app.

import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { type Deps, isUnavailable } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { customerNetwork, Refusal, refuse } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'
import type { RevokeAllKeys } from '../merchants/index.ts'
import { sweepRecords } from './adapter.ts'
import { sweepAttempts } from './attempts.ts'
import { sweepConsoleSessions } from './console-sessions.ts'
import { signInRoutes } from './interactions.ts'
import { accountRoutes } from './interactions-account.ts'
import { codeRoutes } from './interactions-code.ts'
import { enrolRoutes } from './interactions-enrol.ts'
import { passkeyPageRoutes } from './interactions-passkey.ts'
import { sweepLinks } from './mailed-links.ts'
import { messagePage, textsOf, waitInWords } from './pages.ts'
import { RETRY_AFTER_S } from './pages-provider.ts'
import { sweepChallenges } from './passkey-store.ts'
import { MOUNT } from './provider.ts'
import { createSite, type IdentitySite, PAGE_ROUTE } from './provider-site.ts'

/** Adds the built-in identity provider under /identity. If OIDC_ISSUER names a foreign issuer, adds nothing. */
export function identityRoutes(deps: Deps, { revokeAllKeys }: { revokeAllKeys: RevokeAllKeys }): Routes {
  return (app) => {
    if (deps.config.oidc_issuer !== '') return
    const site = createSite(deps, app, revokeAllKeys)
    app.register(async (scope) => mountProvider(scope, site))
    app.register(async (scope) => mountPages(scope, site))
  }
}

/** Makes the worker task that deletes expired records, links, counters, sessions and challenges. */
export function identityTask(deps: Deps): Task {
  return sweepTask(deps, 'identity', [
    (now) => sweepRecords(deps, now),
    (now) => sweepLinks(deps, now),
    (now) => sweepAttempts(deps, now),
    (now) => sweepConsoleSessions(deps, now),
    (now) => sweepChallenges(deps, now),
  ])
}

/** Passes the requests of the OpenID protocol to oidc-provider, which reads the bodies itself. */
function mountProvider(scope: FastifyInstance, site: IdentitySite): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.setErrorHandler((error, request, reply) =>
    request.headers.accept?.includes('text/html') ? sendRefusal(site, error, request, reply) : reply.send(error),
  )
  scope.route({
    ...PAGE_ROUTE,
    method: ['GET', 'POST', 'OPTIONS'],
    url: `${MOUNT}/*`,
    handler: async (request, reply) => {
      const provider = await site.provider()
      const { raw } = request
      const address = new URL(site.base_url())
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      reply.hijack()
      // The provider builds its URLs from these headers, so the server overwrites the headers of the client.
      raw.headers['x-forwarded-proto'] = address.protocol.slice(0, -1)
      raw.headers['x-forwarded-host'] = address.host
      raw.headers['x-forwarded-for'] = request.ip
      const url = raw.url ?? ''
      Object.assign(raw, { originalUrl: url, url: url.slice(MOUNT.length) })
      try {
        await provider.callback()(raw, reply.raw)
      } finally {
        raw.url = url
      }
    },
  })
}

function mountPages(scope: FastifyInstance, site: IdentitySite): void {
  scope.register(formbody, { bodyLimit: 16 * 1024 })
  scope.setErrorHandler((error, request, reply) => sendRefusal(site, error, request, reply))
  // Only pages of this server may post these forms. Browsers send the origin of the page, and another site cannot forge it.
  scope.addHook('onRequest', async (request) => {
    if (request.method === 'POST' && !isOwnOrigin(site, request)) refuse('forbidden')
  })
  const bounded = boundForms()
  scope.addHook('onRoute', (route) => {
    if (route.method === 'POST') route.handler = bounded(route.handler)
  })
  signInRoutes(scope, site)
  codeRoutes(scope, site)
  enrolRoutes(scope, site)
  passkeyPageRoutes(scope, site)
  accountRoutes(scope, site)
}

/**
 * The greatest number of forms in progress. A form may hash a password and query the database, and payments need the same
 * resources.
 */
const FORMS_MAX = 32
/** The greatest number of forms in progress of one network, so that one client cannot use up FORMS_MAX. */
const FORMS_OF_NETWORK_MAX = 8

/**
 * Limits the number of forms in progress. If a limit is reached, the server refuses the form before the handler reads or counts
 * anything.
 */
export function boundForms(): (handler: RouteHandlerMethod) => RouteHandlerMethod {
  let forms = 0
  const of_network = new Map<string, number>()
  return (handler) =>
    async function (this: FastifyInstance, request, reply) {
      const network = customerNetwork(request.ip)
      const own = of_network.get(network) ?? 0
      if (forms >= FORMS_MAX || own >= FORMS_OF_NETWORK_MAX) throw new TooManyForms()
      forms += 1
      of_network.set(network, own + 1)
      try {
        return await handler.call(this, request, reply)
      } finally {
        forms -= 1
        const left = (of_network.get(network) ?? 1) - 1
        if (left === 0) of_network.delete(network)
        else of_network.set(network, left)
      }
    }
}

/** The refusal of a form above the limit. Its page has another text than that of a process that stops. */
class TooManyForms extends Refusal {
  constructor() {
    super('service_unavailable', { retry_after_s: RETRY_AFTER_S })
  }
}

function isOwnOrigin(site: IdentitySite, { headers }: FastifyRequest): boolean {
  const { protocol, host, port } = new URL(site.base_url())
  const local = site.deps.config.base_url === '' ? [`http://localhost:${port}`] : []
  const own = [`${protocol}//${host}`, ...local]
  const { origin, referer } = headers
  if (origin !== undefined) return own.includes(origin)
  const fetched_from = headers['sec-fetch-site']
  if (fetched_from !== undefined) return fetched_from === 'same-origin'
  const from = referer === undefined ? null : URL.parse(referer)
  return from !== null && own.includes(from.origin)
}

/** Sends an error as a page. */
function sendRefusal(site: IdentitySite, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const view = site.view(request)
  const t = textsOf(view)
  const show = (status: number, title: string, lead: string) => site.send(reply, status, messagePage(view, title, lead))
  const error = thrown as { name?: string; statusCode?: number }
  // If a sign-in is unknown, has expired, or is of another browser, oidc-provider throws this error.
  if (error.name === 'SessionNotFound') return show(400, t.expired, t.expired_lead)
  if (thrown instanceof Refusal && thrown.code === 'forbidden') return show(403, t.foreign, t.foreign_lead)
  if (thrown instanceof Refusal && thrown.code === 'service_unavailable') {
    const wait_s = thrown.retry_after_s ?? RETRY_AFTER_S
    const wait = waitInWords(t, wait_s)
    reply.header('retry-after', String(wait_s))
    return thrown instanceof TooManyForms
      ? show(503, t.busy, t.busy_lead(wait))
      : show(503, t.failed, t.failed_wait(wait))
  }
  if (thrown instanceof Refusal && thrown.retry_after_s !== null) {
    reply.header('retry-after', String(thrown.retry_after_s))
    return show(thrown.status, t.wait_title, t.wait_lead(waitInWords(t, thrown.retry_after_s)))
  }
  if (isUnavailable(thrown)) {
    request.log.error({ component: 'identity', err: thrown, request_id: request.id }, 'the database is unavailable')
    reply.header('retry-after', String(RETRY_AFTER_S))
    return show(503, t.failed, t.failed_wait(waitInWords(t, RETRY_AFTER_S)))
  }
  const status = thrown instanceof Refusal ? thrown.status : (error.statusCode ?? 500)
  if (status >= 500)
    request.log.error(
      { component: 'identity', err: thrown, request_id: request.id },
      'the server failed to answer a request for an identity page',
    )
  return status >= 500 ? show(500, t.failed, t.failed_lead) : show(status, t.expired, t.expired_lead)
}
