// Defines the routes of the pay page. A GET request changes nothing. If the server accepts a form, the server redirects to the
// result.

import formbody from '@fastify/formbody'
import Type from 'typebox'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, bestEncoding } from '../../kernel/http/index.ts'
import { createSharedDelay, Refusal } from '../../kernel/lib/index.ts'
import { payScript } from './assets.ts'
import { createPageContext, type PageContext, type PayPageOptions } from './context.ts'
import { SCRIPT_HEADERS } from './headers.ts'
import {
  pollPage,
  pollPayment,
  sendHelp,
  sendInvoicePage,
  sendLinkPage,
  sendLogo,
  sendPayment,
  sendQrImage,
  sendReceipt,
  simulatePayment,
} from './pages.ts'
import { frameOf, sendNotFound, sendScreen, sendTooMany } from './reply.ts'
import { submitForm } from './submit.ts'
import type { Screen } from './view.ts'

const PAYERS = { access: 'public', limit: 'payers' } as const
const PDFS = { access: 'public', limit: 'pdfs' } as const
const FORM_BYTES_MAX = 4 * 1024
/** The time for which the poll of a payment waits for other polls, in milliseconds. A payment takes much longer. */
const POLLS_WAIT_MS = 20

const Slug = Type.Object({ slug: Type.String() })
const SlugAndPayment = Type.Object({ slug: Type.String(), collection_id: Type.String() })
const page = { schema: { hide: true, params: Slug }, config: PAYERS }
const payment = { schema: { hide: true, params: SlugAndPayment }, config: PAYERS }

/** Adds the pages, polls and forms under /pay, with an HTML page for each error. */
export function payPageRoutes(deps: Deps, options: PayPageOptions): (app: App) => void {
  const context = createPageContext(deps, options)
  return (app) => {
    addScript(app)
    void app.register(async (scope) => {
      await scope.register(formbody, { bodyLimit: FORM_BYTES_MAX })
      addErrorPages(scope, deps)
      addLinkPages(scope, context)
      addLogo(scope, context)
      addPaymentPages(scope, context)
      addDocuments(scope, context, app)
    })
  }
}

function addScript(app: App): void {
  app.get(
    payScript().path,
    { schema: { hide: true }, config: { access: 'public', limit: 'none' } },
    (request, reply) => {
      const encoding = bestEncoding(request.headers['accept-encoding'])
      if (encoding !== null) reply.header('content-encoding', encoding)
      return reply.headers(SCRIPT_HEADERS).send(payScript()[encoding ?? 'plain'])
    },
  )
}

/** Answers every error with an HTML page, because payers cannot read JSON. */
function addErrorPages(scope: App, deps: Deps): void {
  scope.setErrorHandler((error, request, reply) => {
    const status =
      (error as { statusCode?: number; status?: number }).statusCode ?? (error as { status?: number }).status ?? 500
    if (status >= 500 && !(error instanceof Refusal))
      request.log.error(
        { component: 'pay-page', err: error, request_id: request.id },
        'the server could not make the page',
      )
    const frame = frameOf(deps, request)
    const retry_after_s = error instanceof Refusal ? error.retry_after_s : null
    if (status === 429)
      return sendTooMany(deps, request, reply, { ...frame, open_path: frame.url }, retry_after_s ?? 60)
    if (retry_after_s !== null) reply.header('retry-after', String(retry_after_s))
    const screen: Screen =
      status >= 400 && status < 500
        ? { ...frame, screen: 'form_expired', open_path: frame.url }
        : { ...frame, screen: 'server_error' }
    return sendScreen(request, reply, screen, status)
  })
  // Sends the page about an unknown address for every other path under /pay, such as an incomplete link.
  for (const path of ['/pay', '/pay/*'])
    scope.get(path, { schema: { hide: true }, config: PAYERS }, (request, reply) => sendNotFound(deps, request, reply))
}

function addLinkPages(scope: App, context: PageContext): void {
  scope.get<{ Params: { slug: string } }>('/pay/:slug', page, (request, reply) =>
    sendLinkPage(context, request, reply, request.params.slug),
  )
  scope.post<{ Params: { slug: string }; Body: Record<string, unknown> | undefined }>(
    '/pay/:slug',
    page,
    (request, reply) => submitForm(context, request, reply, request.params.slug, request.body ?? {}),
  )
  scope.get<{ Params: { slug: string } }>('/pay/:slug/state', page, (request, reply) =>
    pollPage(context, request, reply, request.params.slug),
  )
  scope.get<{ Params: { slug: string } }>('/pay/:slug/help', page, (request, reply) =>
    sendHelp(context, request, reply, request.params.slug),
  )
}

/** Serves the logo of a merchant. The address contains a hash of the picture, so browsers may keep the picture. */
function addLogo(scope: App, context: PageContext): void {
  const params = Type.Object({ slug: Type.String(), hash: Type.String() })
  scope.get<{ Params: { slug: string; hash: string } }>(
    '/pay/:slug/logo/:hash.png',
    { schema: { hide: true, params }, config: PAYERS },
    (request, reply) => sendLogo(context, request, reply, request.params),
  )
}

function addPaymentPages(scope: App, context: PageContext): void {
  // Thousands of pages poll for minutes each, so the server answers simultaneous polls in one batch.
  const together = createSharedDelay(POLLS_WAIT_MS)
  scope.get<{ Params: { slug: string; collection_id: string } }>(
    '/pay/:slug/c/:collection_id',
    payment,
    (request, reply) => sendPayment(context, request, reply, request.params),
  )
  scope.post<{ Params: { slug: string; collection_id: string }; Body: Record<string, unknown> | undefined }>(
    '/pay/:slug/c/:collection_id/simulate',
    payment,
    (request, reply) => simulatePayment(context, request, reply, request.params, request.body ?? {}),
  )
  scope.get<{ Params: { slug: string; collection_id: string } }>(
    '/pay/:slug/c/:collection_id/state',
    payment,
    async (request, reply) => {
      await together()
      return pollPayment(context, reply, request.params)
    },
  )
  scope.get<{ Params: { slug: string; collection_id: string } }>(
    '/pay/:slug/c/:collection_id/qr.png',
    payment,
    (request, reply) => sendQrImage(context, request, reply, request.params),
  )
}

/** Adds the routes for receipts and invoices, each as a page and as a PDF. */
function addDocuments(scope: App, context: PageContext, app: App): void {
  for (const format of ['html', 'pdf'] as const) {
    const suffix = format === 'pdf' ? '.pdf' : ''
    const config = format === 'pdf' ? PDFS : PAYERS
    scope.get<{ Params: { slug: string; collection_id: string } }>(
      `/pay/:slug/c/:collection_id/receipt${suffix}`,
      { ...payment, config },
      (request, reply) => sendReceipt(context, app, request, reply, request.params, format),
    )
    scope.get<{ Params: { slug: string } }>(`/pay/:slug/invoice${suffix}`, { ...page, config }, (request, reply) =>
      sendInvoicePage(context, app, request, reply, request.params.slug, format),
    )
  }
}
