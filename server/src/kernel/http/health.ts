// Adds the health routes for load balancers. They report whether the process is running, and whether the process is ready for
// requests.

import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type Checks, isReady, READINESS_CHECKS } from '../db/index.ts'
import { isThisMachine, refuse } from '../lib/index.ts'
import type { App } from './app-types.ts'

/** The state of each component by name: `ok`, or the problem. The texts reveal no internal details. */
export type Components = Record<string, string>

/** The functions that return the state of the process for the health routes. */
export type HealthOptions = {
  /** Returns the results of the readiness checks. */
  check: () => Promise<Checks>
  /** Returns true after the process has begun to stop. */
  draining: () => boolean
  /** Returns the components of this process that `check` does not have. */
  components: () => Components
}

/** The headers that a proxy adds to a request. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Returns true if the caller may read the health of each component: an operator, or a program of this machine. If a proxy of
 * this machine forwards a request, the request counts as one of the proxy's client.
 */
function mayReadComponents({ principal, raw, headers }: FastifyRequest): boolean {
  if (principal !== null) return principal.kind === 'session' && principal.operator_role !== null
  return isThisMachine(raw.socket.remoteAddress ?? '') && !PROXY_HEADERS.some((name) => name in headers)
}

/** Returns the function that adds the routes /healthz and /readyz to the app. */
export function healthRoutes({ check, draining, components }: HealthOptions): (app: App) => void {
  const Verbose = Type.Object({
    verbose: Type.Optional(
      Type.String({
        description:
          'Adds the health of each component, for operators and for requests from the machine of the server itself. For other callers, the answer has no components.',
      }),
    ),
  })
  const Ok = Type.Object({
    status: Type.String(),
    ready: Type.Optional(Type.Boolean({ description: 'Whether /readyz answers 200.' })),
    components: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: 'Each component is ok, or names its problem.' }),
    ),
  })
  const Ready = Type.Object({
    status: Type.Literal('ready'),
    checks: Type.Object(Object.fromEntries(READINESS_CHECKS.map((name) => [name, Type.String()])), {
      description: 'Each check is ok. If a check fails, the answer is 503 and details.checks names the problem.',
    }),
  })
  return (app) => {
    app.get(
      '/healthz',
      {
        schema: {
          tags: ['Health'],
          operationId: 'getHealth',
          summary: 'The process is alive',
          querystring: Verbose,
          response: { 200: Ok },
        },
        config: { access: 'public', limit: 'none', may_sign_in: true },
      },
      async (request) => {
        if (request.query.verbose === undefined || !mayReadComponents(request)) return { status: 'ok' }
        const checks = await check()
        const stopping = draining()
        return {
          status: 'ok',
          ready: isReady(checks) && !stopping,
          components: { process: stopping ? 'stopping' : 'ok', ...checks, ...components() },
        }
      },
    )
    app.get(
      '/readyz',
      {
        schema: {
          tags: ['Health'],
          operationId: 'getReadiness',
          summary: 'The process can take requests',
          response: { 200: Ready },
        },
        config: { access: 'public', limit: 'none' },
      },
      async () => {
        if (draining())
          refuse('service_unavailable', {
            message: 'This process stops soon. Send the request again.',
            retry_after_s: 1,
          })
        const checks = await check()
        if (!isReady(checks)) refuse('service_unavailable', { details: { checks }, retry_after_s: 1 })
        return { status: 'ready' as const, checks }
      },
    )
  }
}
