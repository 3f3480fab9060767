// Serves the endpoints of payment links and hosted pages for merchants. public-routes.ts serves the endpoints for payers.

import Type from 'typebox'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  caller,
  MERCHANT_ROLES,
  onceInTransaction,
  payUrlOf,
  readClaim,
  replay,
  requireClaim,
  sendStored,
  success,
} from '../../kernel/http/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import { cancelLink } from './cancel.ts'
import type { Collect } from './collect.ts'
import { checkPage, createHostedPage, createLink, type LiveProviders } from './create.ts'
import { linkListRoutes } from './list-routes.ts'
import { linkPaymentsRoute } from './payments.ts'
import { posterRoute } from './poster.ts'
import { presentLink, publicUrl } from './present.ts'
import { publicLinkRoutes } from './public-routes.ts'
import { HostedBody, LinkBody, LinkRecord, LinksQuery } from './schema.ts'
import { type FindOwnLink, findLink, type Link } from './store.ts'

/** The dependencies of the routes. `live` has the providers of live payments. */
export type PaymentLinksOptions = { collect: Collect; live: LiveProviders }

const WRITE = { scopes: ['payment_links:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access
const READ = { scopes: ['payment_links:read'], roles: MERCHANT_ROLES } as const satisfies Access
const HOSTED = { scopes: ['collections:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access

const RULES = ['amount_not_supported', 'unsupported_currency', 'production_access_restricted'] as const
const tags = ['Payment links']
const LinkParams = Type.Object({ link_id: Type.String() })
const ContextQuery = Type.Pick(LinksQuery, ['merchant_id', 'environment'])

/** Adds all routes of payment links and hosted pages, for merchants and for payers. */
export function paymentLinkRoutes(deps: Deps, { collect, live }: PaymentLinksOptions): (app: App) => void {
  const findOwn = createFindOwn(deps)
  return (app) => {
    hostedPageRoute(deps, app, live)
    createLinkRoute(deps, app, live)
    linkListRoutes(deps, app, READ)
    showLinkRoute(deps, app, findOwn)
    posterRoute(deps, app, { live, findOwn })
    linkPaymentsRoute(deps, app, findOwn)
    cancelRoute(deps, app, findOwn)
    publicLinkRoutes(deps, app, collect)
  }
}

/**
 * Returns the function that finds a payment link of the merchant. A link is visible in its environment and in its environment
 * of origin. Otherwise, and for a hosted page, the function refuses with not_found.
 */
function createFindOwn(deps: Deps): FindOwnLink {
  return async (principal, text) => {
    const id = text.toLowerCase()
    const link = isId(id) ? await findLink(deps.db, principal.merchant.id, id) : null
    const visible = link !== null && [link.environment, link.origin_environment].includes(principal.environment)
    if (!visible || link.collection_id !== null) {
      return refuse('not_found', {
        message: 'There is no such payment link in this environment. Check the id and the environment.',
      })
    }
    return link
  }
}

/**
 * Returns the function that converts links to records. Each call reads the base URL of the pages, because the URL depends on the
 * open port.
 */
function createPresent(deps: Deps, app: App): (link: Link) => LinkRecord {
  return (link) => presentLink(deps, payUrlOf(deps.config, app), link)
}

function hostedPageRoute(deps: Deps, app: App, live: LiveProviders): void {
  app.post(
    '/v1/collections',
    {
      schema: {
        tags: ['Collections'],
        operationId: 'createCollection',
        summary: 'Create a hosted payment page',
        description: 'The customer chooses the payment method on the page. Send the customer to `payment_url`.',
        body: HostedBody,
        response: {
          202: success(
            Type.Object({
              collection_id: Type.String({ format: 'uuid' }),
              reference: Type.Union([Type.String(), Type.Null()]),
              status: Type.Literal('created'),
              payment_url: Type.String(),
            }),
          ),
        },
      },
      config: { access: HOSTED, idempotency: 'required', refusals: RULES },
    },
    async (request, reply) => {
      const principal = caller(request)
      const checked = checkPage(request.body)
      const answer = await onceInTransaction(deps, requireClaim(request), async (tx) => {
        const { collection_id, reference, slug } = await createHostedPage(deps, tx, principal, checked, live)
        const payment_url = publicUrl(payUrlOf(deps.config, app), slug)
        const data = { collection_id, reference, status: 'created', payment_url }
        return { status_code: 202, response_body: JSON.stringify({ success: true, data }) }
      })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}

function createLinkRoute(deps: Deps, app: App, live: LiveProviders): void {
  const present = createPresent(deps, app)
  app.post(
    '/v1/payment-links',
    {
      schema: {
        tags,
        operationId: 'createPaymentLink',
        summary: 'Create a payment link',
        body: LinkBody,
        response: { 201: success(LinkRecord) },
      },
      config: { access: WRITE, idempotency: 'required', refusals: RULES },
    },
    async (request, reply) => {
      const principal = caller(request)
      const checked = checkPage(request.body)
      const answer = await onceInTransaction(deps, requireClaim(request), async (tx) => {
        const data = present(await createLink(deps, tx, principal, checked, live))
        return { status_code: 201, response_body: JSON.stringify({ success: true, data }) }
      })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}

function showLinkRoute(deps: Deps, app: App, findOwn: FindOwnLink): void {
  const present = createPresent(deps, app)
  app.get(
    '/v1/payment-links/:link_id',
    {
      schema: {
        tags,
        operationId: 'getPaymentLink',
        summary: 'Show a payment link',
        params: LinkParams,
        querystring: ContextQuery,
        response: { 200: success(LinkRecord) },
      },
      config: { access: READ },
    },
    async (request) => ({
      success: true as const,
      data: present(await findOwn(caller(request), request.params.link_id)),
    }),
  )
}

function cancelRoute(deps: Deps, app: App, findOwn: FindOwnLink): void {
  const present = createPresent(deps, app)
  app.post(
    '/v1/payment-links/:link_id/cancel',
    {
      schema: {
        tags,
        operationId: 'cancelPaymentLink',
        summary: 'Cancel a payment link',
        description:
          'A repetition changes nothing. If a payer approves a payment later, the server holds the money for a review.',
        params: LinkParams,
        querystring: ContextQuery,
        response: { 200: success(LinkRecord) },
      },
      config: { access: WRITE, idempotency: 'honoured', refusals: ['payment_link_already_paid'] },
    },
    async (request, reply) => {
      const found = await findOwn(caller(request), request.params.link_id)
      const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
        const data = present(await cancelLink(deps, tx, actOf(request), found))
        return { status_code: 200, response_body: JSON.stringify({ success: true, data }) }
      })
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}
