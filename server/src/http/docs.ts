// The API's documentation: the OpenAPI document, and a page made from it.

import type { Deps } from '../db/index.ts'
import type { App } from './app.ts'

/** Adds /openapi.json and /docs. */
export function docsRoutes(_deps: Deps): (app: App) => void {
  return (app) => {
    app.get('/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, async () => app.swagger())
  }
}
