// Adds the health routes for load balancers. They report whether the process is alive, and whether the process is ready for
// requests.

import Type from 'typebox'
import { type Checks, isReady, READINESS_CHECKS } from '../db/index.ts'
import { refuse } from '../lib/index.ts'
import type { App } from './app-types.ts'

/**
 * Adds /healthz and /readyz. `draining` returns true once the process stops, and `check` returns the state of the
 * dependencies.
 */
export function healthRoutes(check: () => Promise<Checks>, draining: () => boolean): (app: App) => void {
  const Ok = Type.Object({ status: Type.String() })
  const Ready = Type.Object({
    status: Type.Literal('ready'),
    checks: Type.Object(Object.fromEntries(READINESS_CHECKS.map((name) => [name, Type.String()])), {
      description: 'Each check is ok. If one fails, the answer is 503 and details.checks names the problem.',
    }),
  })
  return (app) => {
    app.get(
      '/healthz',
      {
        schema: { tags: ['Health'], summary: 'The process is alive', response: { 200: Ok } },
        config: { access: 'public', limit: 'none' },
      },
      async () => ({ status: 'ok' }),
    )
    app.get(
      '/readyz',
      {
        schema: { tags: ['Health'], summary: 'The process can take requests', response: { 200: Ready } },
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
