// Serves the documentation of the API: the OpenAPI document, and a page made from this document that needs no scripts.

import type { FastifyReply } from 'fastify'
import type { Deps } from '../db/index.ts'
import { type Html, html } from '../lib/index.ts'
import type { App } from './app-types.ts'
import { docsPage, type MagicTables } from './docs-page.ts'
import type { OpenApi } from './docs-schema.ts'
import { staticText } from './encoding.ts'
import { pageStyle } from './style.ts'

/** The headers that let the pages load only the style sheet of the server and run no script. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const A_YEAR_S = 31_536_000

/** Adds /, /docs, /openapi.json and the style sheet. `magic` contains the magic numbers of the simulated provider. */
export function docsRoutes({ config }: Deps, magic: MagicTables): (app: App) => void {
  const { text: style, version, path } = pageStyle()
  const shell = (title: string, body: Html) => document(title, path, body)
  const route = { schema: { hide: true }, config: { access: 'public' } } as const

  return (app) => {
    const openapi = staticText('application/json; charset=utf-8', () => JSON.stringify(app.swagger()))
    const docs = staticText('text/html; charset=utf-8', () =>
      shell(`${config.brand_name} API`, docsPage(app.swagger() as unknown as OpenApi, config, magic)),
    )
    app.get('/openapi.json', route, openapi)
    app.get('/docs', route, async (request, reply) => docs(request, withPolicy(reply)))
    app.get('/', route, async (_request, reply) =>
      sendDocsPage(reply, shell(config.brand_name, startPage(config.brand_name))),
    )
    app.get('/assets/page.css', route, async (request, reply) => {
      const requested_version = (request.query as { v?: unknown }).v
      reply.header(
        'cache-control',
        requested_version === version ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache',
      )
      return reply.type('text/css; charset=utf-8').send(style)
    })
  }
}

function sendDocsPage(reply: FastifyReply, page: string): FastifyReply {
  return withPolicy(reply).type('text/html; charset=utf-8').send(page)
}

function withPolicy(reply: FastifyReply): FastifyReply {
  return reply.header('content-security-policy', POLICY).header('referrer-policy', 'no-referrer')
}

function document(title: string, style: string, body: Html): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body>
${body}
</body>
</html>
`
  return page.toString()
}

function startPage(brand_name: string): Html {
  return html`<main id="main" class="start">
<h1>${brand_name}</h1>
<p class="lead">The payment API is running.</p>
<ul class="links">
<li><a href="/docs">Documentation</a> <span>how to take a payment, every endpoint, webhooks and errors</span></li>
<li><a href="/openapi.json">OpenAPI document</a> <span>the same for programs</span></li>
<li><a href="/healthz">Health</a> <span>whether this process is alive</span></li>
</ul>
</main>`
}
