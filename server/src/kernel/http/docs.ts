// Serves the OpenAPI documents, and the style sheet of all pages.

import type { App } from './app-types.ts'
import { staticText } from './encoding.ts'
import { pageStyle, yearIfCurrent } from './style.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Adds the routes of both OpenAPI documents and of the style sheet. */
export function apiDocumentRoutes(app: App): void {
  const { text, version } = pageStyle()
  const route = { schema: { hide: true }, config: { access: 'public' } } as const
  app.get(
    '/openapi.json',
    route,
    staticText(JSON_TYPE, () => JSON.stringify(app.swagger())),
  )
  app.get(
    '/openapi.merchant.json',
    route,
    staticText(JSON_TYPE, () => JSON.stringify(app.merchantApi())),
  )
  app.get(
    '/assets/page.css',
    route,
    staticText('text/css; charset=utf-8', () => text.toString(), yearIfCurrent(version)),
  )
}
