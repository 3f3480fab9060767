// The endpoints that make and change invoices; `read-routes.ts` has those that read them.

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
import { checkInvoice, createInvoice, editInvoice } from './create.ts'
import { linkInvoice } from './link.ts'
import { presentInvoice } from './present.ts'
import { invoiceReadRoutes, ownInvoice } from './read-routes.ts'
import { InvoiceBody, InvoiceChange, InvoiceRecord, WhoseQuery } from './schema.ts'
import { SENDS_MAX, sendInvoice } from './send.ts'
import type { Invoice } from './store.ts'

/** What the routes need: the providers of live payments, whose links are made. */
export type InvoicesOptions = { live: LiveProviders }

const WRITE = { scopes: ['invoices:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access
const RULES = ['amount_not_supported', 'production_access_restricted'] as const
const tags = ['Invoices']
const InvoiceParams = Type.Object({ invoice_id: Type.String() })

/** Values and functions that the routes of one app share. */
type InvoiceRouteContext = InvoicesOptions & {
  deps: Deps
  app: App
  payUrl: () => string
  /** An invoice as the API shows it now. */
  show: (invoice: Invoice) => InvoiceRecord
  change: ReturnType<typeof createChange>
}

/** Makes the function that changes an invoice of the caller, once per Idempotency-Key, and answers with it. */
function createChange(deps: Deps, show: InvoiceRouteContext['show']) {
  return async (
    request: FastifyRequest<{ Params: { invoice_id: string } }>,
    reply: FastifyReply,
    work: (tx: Tx, who: Caller, id: string) => Promise<Invoice>,
  ) => {
    const who = caller(request)
    const { id } = await ownInvoice(deps, who, request.params.invoice_id)
    return answerOnce(deps, request, reply, 200, async (tx) => show(await work(tx, who, id)))
  }
}

/** Adds the routes. */
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

/** Makes a draft. */
function createInvoiceRoute({ deps, app, live, show }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices',
    {
      schema: {
        tags,
        summary: 'Make an invoice',
        description: 'It is a draft until it is sent.',
        body: InvoiceBody,
        response: { 201: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['amount_not_supported'] },
    },
    async (request, reply) => {
      const written = checkInvoice(request.body)
      const who = caller(request)
      return answerOnce(deps, request, reply, 201, async (tx) =>
        show(await createInvoice(deps, tx, who, written, live)),
      )
    },
  )
}

/** Edits a draft. */
function editInvoiceRoute({ deps, app, live, change }: InvoiceRouteContext): void {
  app.patch(
    '/v1/invoices/:invoice_id',
    {
      schema: {
        tags,
        summary: 'Edit an invoice that is a draft',
        description:
          'What is left out stays. A payment link that it has already is cancelled when it would ask for something else now.',
        params: InvoiceParams,
        querystring: WhoseQuery,
        body: InvoiceChange,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', 'amount_not_supported'] },
    },
    (request, reply) =>
      change(request, reply, (tx, who, id) => editInvoice(deps, tx, who, id, request.body, live, actOf(request))),
  )
}

/** Sends an invoice to its customer. */
function sendInvoiceRoute({ deps, app, live, payUrl, change }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/send',
    {
      schema: {
        tags,
        summary: 'Send an invoice to its customer',
        description: `By SMS when it names a phone, by e-mail when it names an address, each with its payment link, which is made when there is none. It can be sent again, ${SENDS_MAX} times a day. An invoice of the sandbox leaves no real message.`,
        params: InvoiceParams,
        querystring: WhoseQuery,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', 'rate_limited', ...RULES] },
    },
    (request, reply) =>
      change(request, reply, (tx, who, id) => sendInvoice(deps, tx, who, id, live, payUrl(), actOf(request))),
  )
}

/** Cancels an invoice and its payment link. */
function cancelInvoiceRoute({ deps, app, change }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel an invoice and its payment link',
        description: 'Can be repeated. What a payer has already approved then is held for a review.',
        params: InvoiceParams,
        querystring: WhoseQuery,
        response: { 200: success(InvoiceRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state'] },
    },
    (request, reply) =>
      change(request, reply, (tx, who, id) =>
        cancelInvoice(deps, tx, { merchant_id: who.merchant.id, id }, actOf(request)),
      ),
  )
}

/** Makes or returns the payment link of an invoice. */
function invoiceLinkRoute({ deps, app, live, payUrl }: InvoiceRouteContext): void {
  app.post(
    '/v1/invoices/:invoice_id/payment-link',
    {
      schema: {
        tags,
        summary: 'Make the payment link of an invoice',
        description: 'Answers 201 with a new link, or 200 with the one that it has. A cancelled link is replaced.',
        params: InvoiceParams,
        querystring: WhoseQuery,
        response: { 200: success(LinkRecord), 201: success(LinkRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['invalid_state', ...RULES] },
    },
    async (request, reply) => {
      const who = caller(request)
      const { id } = await ownInvoice(deps, who, request.params.invoice_id)
      const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
        const { link, made } = await linkInvoice(deps, tx, who, id, live)
        const data = presentLink(deps, payUrl(), link)
        return { status_code: made ? 201 : 200, response_body: JSON.stringify({ success: true, data }) }
      })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}
