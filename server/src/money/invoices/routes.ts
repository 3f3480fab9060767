// Adds the endpoints that create and change invoices. `read-routes.ts` adds the endpoints that read invoices.

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { actOf } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  answerOnce,
  type Caller,
  caller,
  onceInTransaction,
  payUrlOf,
  readClaim,
  replay,
  sendStored,
  success,
} from '../../kernel/http/index.ts'
import { LinkRecord, type LiveProviders, presentLink } from '../payment-links/index.ts'
import { cancelInvoice } from './cancel.ts'
import { createInvoice, editInvoice, readInvoice } from './create.ts'
import { linkInvoice } from './link.ts'
import { presentInvoice } from './present.ts'
import { findOwnInvoice, invoiceReadRoutes } from './read-routes.ts'
import { InvoiceBody, InvoiceChange, InvoiceRecord, OwnerQuery } from './schema.ts'
import { SENDS_MAX, sendInvoice } from './send.ts'
import type { Invoice } from './store.ts'

/** The providers of live payments, whose rules apply to payment links. */
export type InvoicesOptions = { live: LiveProviders }

const WRITE = { scopes: ['invoices:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access
const RULES = ['amount_not_supported', 'production_access_restricted'] as const
const tags = ['Invoices']
const InvoiceParams = Type.Object({ invoice_id: Type.String() })

/** The parts that several routes of invoices use. */
type InvoiceRouteContext = InvoicesOptions & {
  deps: Deps
  app: App
  payUrl: () => string
  /** Converts an invoice to its record with the current status. */
  show: (invoice: Invoice) => InvoiceRecord
  change: ReturnType<typeof createChange>
}

/** Makes the function that changes an invoice once per Idempotency-Key, and responds with the invoice. */
function createChange(deps: Deps, show: InvoiceRouteContext['show']) {
  return async (
    request: FastifyRequest<{ Params: { invoice_id: string } }>,
    reply: FastifyReply,
    work: (tx: Tx, actor: Caller, id: string) => Promise<Invoice>,
  ) => {
    const actor = caller(request)
    const { id } = await findOwnInvoice(deps, actor, request.params.invoice_id)
    return answerOnce(deps, request, reply, 200, async (tx) => show(await work(tx, actor, id)))
  }
}

/** Adds the endpoints that create and change invoices, and the endpoints of `read-routes.ts`. */
export function invoiceRoutes(deps: Deps, { live }: InvoicesOptions): (app: App) => void {
  return (app) => {
    const payUrl = () => payUrlOf(deps.config, app)
    const show = (invoice: Invoice) => presentInvoice(invoice, payUrl(), deps.clock.now())
    const change = createChange(deps, show)
    const context = { deps, app, live, payUrl, show, change }
    invoiceReadRoutes(deps, app)
    createInvoiceRoute(context)
    editInvoiceRoute(context)
    sendInvoiceRoute(context)
    cancelInvoiceRoute(context)
    invoiceLinkRoute(context)
  }
}

function createInvoiceRoute({ deps, app, live, show }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices',
    {
      schema: {
        tags,
        operationId: 'createInvoice',
        summary: 'Create an invoice',
        description: 'The invoice is a draft until it is sent.',
        body: InvoiceBody,
        response: { 201: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['amount_not_supported'] },
    },
    async (request, reply) => {
      const content = readInvoice(request.body)
      const actor = caller(request)
      return answerOnce(deps, request, reply, 201, async (tx) =>
        show(await createInvoice(deps, tx, actor, content, live)),
      )
    },
  )
}

function editInvoiceRoute({ deps, app, live, change }: InvoiceRouteContext): void {
  app.patch(
    '/v1/invoices/:invoice_id',
    {
      schema: {
        tags,
        operationId: 'updateInvoice',
        summary: 'Edit a draft invoice',
        description:
          'An absent field stays as it is. If the customer, the language or the total changes, the payment link of the invoice is cancelled.',
        params: InvoiceParams,
        querystring: OwnerQuery,
        body: InvoiceChange,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', 'amount_not_supported'] },
    },
    (request, reply) =>
      change(request, reply, (tx, actor, id) => editInvoice(deps, tx, actor, id, request.body, live, actOf(request))),
  )
}

function sendInvoiceRoute({ deps, app, live, payUrl, change }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/send',
    {
      schema: {
        tags,
        operationId: 'sendInvoice',
        summary: 'Send an invoice to its customer',
        description: `The server sends an SMS to the phone and an e-mail to the address of the customer. If the invoice has no active payment link, the server creates one. The server sends an invoice at most ${SENDS_MAX} times a day, and sends no real message for a sandbox invoice.`,
        params: InvoiceParams,
        querystring: OwnerQuery,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', 'rate_limited', ...RULES] },
    },
    (request, reply) =>
      change(request, reply, (tx, actor, id) => sendInvoice(deps, tx, actor, id, live, payUrl(), actOf(request))),
  )
}

function cancelInvoiceRoute({ deps, app, change }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/cancel',
    {
      schema: {
        tags,
        operationId: 'cancelInvoice',
        summary: 'Cancel an invoice and its payment link',
        description:
          'A repeated cancellation changes nothing. If a payer has already approved a payment, the server holds the money for a review.',
        params: InvoiceParams,
        querystring: OwnerQuery,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state'] },
    },
    (request, reply) =>
      change(request, reply, (tx, actor, id) =>
        cancelInvoice(deps, tx, { merchant_id: actor.merchant.id, id }, actOf(request)),
      ),
  )
}

function invoiceLinkRoute({ deps, app, live, payUrl }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/payment-link',
    {
      schema: {
        tags,
        operationId: 'createInvoicePaymentLink',
        summary: 'Create the payment link of an invoice',
        description: 'Responds 201 with a new link, or 200 with the active link. A new link replaces a cancelled one.',
        params: InvoiceParams,
        querystring: OwnerQuery,
        response: { 200: success(LinkRecord), 201: success(LinkRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', ...RULES] },
    },
    async (request, reply) => {
      const actor = caller(request)
      const { id } = await findOwnInvoice(deps, actor, request.params.invoice_id)
      const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
        const { link, is_new } = await linkInvoice(deps, tx, actor, id, live)
        const data = presentLink(deps, payUrl(), link)
        return { status_code: is_new ? 201 : 200, response_body: JSON.stringify({ success: true, data }) }
      })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}
