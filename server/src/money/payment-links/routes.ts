// The endpoints of payment links and hosted pages.

import Type from 'typebox'
import type { Method } from '../../adapters/providers/port.ts'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  type Caller,
  caller,
  claimIn,
  MERCHANT_ROLES,
  onceInTransaction,
  payUrlOf,
  readClaim,
  replay,
  requireClaim,
  requireKey,
  sendStored,
  success,
} from '../../kernel/http/index.ts'
import { gather, isId, refuse } from '../../kernel/lib/index.ts'
import { findPagePayments, type PagePayment } from '../collections/index.ts'
import { type Collect, checkPayerPhone } from './collect.ts'
import { checkPage, createHostedPage, createLink, type LiveProviders } from './create.ts'
import { linkListRoutes } from './list-routes.ts'
import { linkPaymentsRoute } from './payments.ts'
import { posterRoute } from './poster.ts'
import { presentLink, presentPayment, presentPublic, publicUrl } from './present.ts'
import {
  CollectAnswer,
  CollectBody,
  HostedBody,
  LinkBody,
  LinkRecord,
  LinksQuery,
  type PUBLIC_METHODS,
  PublicLink,
  PublicStatus,
} from './schema.ts'
import { cancelActive, createFindBySlug, findLink, type Link, lockLink } from './store.ts'

/** What the routes need: how a page is paid, the providers of live payments, and where the pages are served. */
export type PaymentLinksOptions = { collect: Collect; live: LiveProviders }

const WRITE = { scopes: ['payment_links:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access
const READ = { scopes: ['payment_links:read'], roles: MERCHANT_ROLES } as const satisfies Access
const HOSTED = { scopes: ['collections:write'], roles: ['MERCHANT_ADMIN', 'FINANCE'] } as const satisfies Access
const PAYERS = { access: 'public', limit: 'payers' } as const

const RULES = ['amount_not_supported', 'unsupported_currency', 'production_access_restricted'] as const
const COLLECT_RULES = [
  'payment_link_not_active',
  'payment_in_progress',
  'amount_not_supported',
  'provider_unavailable',
  'rate_limited',
] as const

const METHOD_OF: Record<(typeof PUBLIC_METHODS)[number], Method> = {
  WALLET_PUSH: 'wallet_push',
  PROVIDER_PESA: 'provider_pesa',
  TANQR: 'qr',
}

const SlugParams = Type.Object({ public_slug: Type.String() })

/** Adds the routes. */
export function paymentLinkRoutes(deps: Deps, options: PaymentLinksOptions): (app: App) => void {
  const { collect, live } = options
  const findBySlug = createFindBySlug(deps)
  const findPayment = createFindPayment(deps)

  /** A payment link of the caller, from its own environment or the one it was made from. */
  const own = async (who: Caller, text: string): Promise<Link> => {
    const id = text.toLowerCase()
    const link = isId(id) ? await findLink(deps.db, who.merchant.id, id) : null
    const visible = link !== null && [link.environment, link.origin_environment].includes(who.environment)
    if (!visible || link.collection_id !== null)
      return refuse('not_found', { message: 'There is no such payment link in this environment.' })
    return link
  }
  const bySlug = async (slug: string): Promise<Link> =>
    (await findBySlug(slug)) ?? refuse('not_found', { message: 'There is no payment link at this address.' })

  return (app) => {
    const payUrl = () => payUrlOf(deps.config, app)
    const show = (link: Link) => presentLink(deps, payUrl(), link)
    app.post(
      '/v1/collections',
      {
        schema: {
          tags: ['Collections'],
          summary: 'Make a hosted payment page',
          description: 'The customer chooses on the page how to pay. Send the customer to `payment_url`.',
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
        const who = caller(request)
        const checked = checkPage(request.body)
        const answer = await onceInTransaction(deps, requireClaim(request), async (tx) => {
          const made = await createHostedPage(deps, tx, who, checked, live)
          const { collection_id, reference, slug } = made
          const data = { collection_id, reference, status: 'created', payment_url: publicUrl(payUrl(), slug) }
          return { status_code: 202, response_body: JSON.stringify({ success: true, data }) }
        })
        return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
      },
    )

    app.post(
      '/v1/payment-links',
      {
        schema: {
          tags: ['Payment links'],
          summary: 'Make a payment link',
          body: LinkBody,
          response: { 201: success(LinkRecord) },
        },
        config: { access: WRITE, idempotency: 'required', refusals: RULES },
      },
      async (request, reply) => {
        const who = caller(request)
        const checked = checkPage(request.body)
        const answer = await onceInTransaction(deps, requireClaim(request), async (tx) => {
          const data = show(await createLink(deps, tx, who, checked, live))
          return { status_code: 201, response_body: JSON.stringify({ success: true, data }) }
        })
        return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
      },
    )

    linkListRoutes(deps, app, READ)

    app.get(
      '/v1/payment-links/:link_id',
      {
        schema: {
          tags: ['Payment links'],
          summary: 'Show a payment link',
          params: Type.Object({ link_id: Type.String() }),
          querystring: Type.Pick(LinksQuery, ['merchant_id', 'environment']),
          response: { 200: success(LinkRecord) },
        },
        config: { access: READ },
      },
      async (request) => ({ success: true as const, data: show(await own(caller(request), request.params.link_id)) }),
    )

    posterRoute(deps, app, { live, own })
    linkPaymentsRoute(deps, app, own)

    app.post(
      '/v1/payment-links/:link_id/cancel',
      {
        schema: {
          tags: ['Payment links'],
          summary: 'Cancel a payment link',
          description: 'Can be repeated. What a payer has already approved then is held for a review.',
          params: Type.Object({ link_id: Type.String() }),
          querystring: Type.Pick(LinksQuery, ['merchant_id', 'environment']),
          response: { 200: success(LinkRecord) },
        },
        config: { access: WRITE, idempotency: 'honoured', refusals: ['payment_link_already_paid'] },
      },
      async (request, reply) => {
        const who = caller(request)
        const found = await own(who, request.params.link_id)
        const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
          const link = await lockLink(tx, found.merchant_id, found.id)
          if (link === null || link.status === 'PAID') return refuse('payment_link_already_paid')
          const now = deps.clock.now()
          if (await cancelActive(tx, link.merchant_id, link.id, now)) {
            await recordAudit(deps, tx, {
              ...actOf(request),
              merchant_id: link.merchant_id,
              action: 'payment_link.cancel',
              target_type: 'payment_link',
              target_id: link.id,
              before: { status: 'ACTIVE' },
              after: { status: 'CANCELLED' },
            })
          }
          const data = show({
            ...link,
            status: 'CANCELLED',
            updated_at: link.status === 'ACTIVE' ? now : link.updated_at,
          })
          return { status_code: 200, response_body: JSON.stringify({ success: true, data }) }
        })
        return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
      },
    )

    app.get(
      '/public/payment-links/:public_slug',
      {
        schema: {
          tags: ['Payers'],
          summary: 'What a payment link asks for',
          params: SlugParams,
          response: { 200: success(PublicLink) },
        },
        config: PAYERS,
      },
      async (request) => ({
        success: true as const,
        data: presentPublic(deps, await bySlug(request.params.public_slug)),
      }),
    )

    for (const verb of ['collect', 'pay']) {
      app.post(
        `/public/payment-links/:public_slug/${verb}`,
        {
          schema: {
            tags: ['Payers'],
            summary: verb === 'collect' ? 'Pay a payment link' : 'Alias of collect',
            params: SlugParams,
            body: CollectBody,
            response: { 202: success(CollectAnswer) },
          },
          config: { ...PAYERS, idempotency: 'required', refusals: COLLECT_RULES },
        },
        async (request, reply) => {
          const method = METHOD_OF[request.body.method]
          const phone = checkPayerPhone(method, request.body.customer_phone)
          const slug = request.params.public_slug
          requireKey(request)
          const link = await bySlug(slug)
          const { merchant_id, environment, id } = link
          const claim = claimIn(request, { merchant_id, environment, scope: `link:${id}` })
          const answer = await collect(link, { method, phone, address: request.ip }, claim)
          return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
        },
      )
    }

    app.get(
      '/public/payment-links/:public_slug/collections/:collection_id/status',
      {
        schema: {
          tags: ['Payers'],
          summary: 'Where a payment on a link stands',
          params: Type.Object({ public_slug: Type.String(), collection_id: Type.String() }),
          response: { 200: success(PublicStatus) },
        },
        config: PAYERS,
      },
      async (request) => {
        const link = await bySlug(request.params.public_slug)
        const payment = await findPayment(link, request.params.collection_id)
        if (payment === null) return refuse('not_found', { message: 'There is no such payment on this link.' })
        return { success: true as const, data: presentPayment(payment) }
      },
    )
  }
}

/** Makes the gatherer that finds the payments of pages: one statement for all payers who wait. Another page's is not found. */
export function createFindPayment(deps: Deps): (link: Link, collection_id: string) => Promise<PagePayment | null> {
  const find = gather<{ merchant_id: string; collection_id: string }, PagePayment | null>(
    async (keys) => {
      const distinct = [...new Map(keys.map((key) => [`${key.merchant_id} ${key.collection_id}`, key])).values()]
      const rows = await findPagePayments(deps.db, distinct)
      const found = new Map(rows.map((row) => [`${row.merchant_id} ${row.collection_id}`, row]))
      return keys.map(({ merchant_id, collection_id }) => found.get(`${merchant_id} ${collection_id}`) ?? null)
    },
    { max_items: 500, max_running: 2 },
  )
  return async ({ merchant_id, id }, text) => {
    const collection_id = text.toLowerCase()
    const payment = isId(collection_id) ? await find({ merchant_id, collection_id }) : null
    return payment?.payment_link_id === id ? payment : null
  }
}
