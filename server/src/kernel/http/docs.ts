// Serves the OpenAPI document, and the style sheet of all pages.

import type { App } from './app-types.ts'
import { staticText } from './encoding.ts'
import { pageStyle, yearIfCurrent } from './style.ts'

/** Adds /openapi.json and the style sheet. */
export function apiDocumentRoutes(app: App): void {
  const { text, version } = pageStyle()
  const route = { schema: { hide: true }, config: { access: 'public' } } as const
  app.get(
    '/openapi.json',
    route,
    staticText('application/json; charset=utf-8', () => JSON.stringify(app.swagger())),
  )
  app.get(
    '/assets/page.css',
    route,
    staticText('text/css; charset=utf-8', () => text.toString(), yearIfCurrent(version)),
  )
}
