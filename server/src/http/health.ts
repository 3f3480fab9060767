// Health for load balancers: is the process alive, and may it take requests.

import Type from 'typebox'
import type { Deps } from '../db/index.ts'
import { refuse } from '../lib/index.ts'
import type { App } from './app.ts'

/** Adds /healthz and /readyz. `draining` is true once the process is stopping. */
export function healthRoutes(deps: Deps, draining: () => boolean): (app: App) => void {
  const Ok = Type.Object({ status: Type.String() })
  // Health checks are not limited, so however many ask at once, the database is asked once for all of them.
  let asking: Promise<void> | null = null
  const ping = () => {
    asking ??= deps.db.ping().finally(() => {
      asking = null
    })
    return asking
  }
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
        schema: { tags: ['Health'], summary: 'The process can take requests', response: { 200: Ok } },
        config: { access: 'public', limit: 'none' },
      },
      async () => {
        if (draining()) refuse('service_unavailable', { message: 'This process is stopping.' })
        await ping()
        return { status: 'ready' }
      },
    )
  }
}
