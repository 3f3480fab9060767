// Serves the endpoints with which payers read a page, pay on the page, and read the status of a payment.

import Type from 'typebox'
import type { Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, claimIn, replay, requireKey, sendStored, success } from '../../kernel/http/index.ts'
import { gather, inCallersLanguage, isId, refuse } from '../../kernel/lib/index.ts'
import { findPagePayments, type PagePayment } from '../collections/index.ts'
import { type Collect, checkPayerPhone } from './collect.ts'
import { presentPayment, presentPublic } from './present.ts'
import { CollectAnswer, CollectBody, type PUBLIC_METHODS, PublicLink, PublicStatus } from './schema.ts'
import { createFindBySlug, type Link } from './store.ts'

const PAYERS = { access: 'public', limit: 'payers' } as const
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

/** Finds a page by its slug. Refuses an unknown slug with not_found. */
type RequirePage = (slug: string) => Promise<Link>

/** Adds the routes of payers for the pages that a slug identifies. `collect` starts a payment. */
export function publicLinkRoutes(deps: Deps, app: App, collect: Collect): void {
  const findBySlug = createFindBySlug(deps)
  const requirePage: RequirePage = async (slug) =>
    (await findBySlug(slug)) ??
    refuse('not_found', { message: 'There is no payment link at this address. Check the address.' })
  showPublicLinkRoute(deps, app, requirePage)
  for (const verb of ['collect', 'pay'] as const) payRoute(app, collect, requirePage, verb)
  publicStatusRoute(deps, app, requirePage)
}

function showPublicLinkRoute(deps: Deps, app: App, requirePage: RequirePage): void {
  app.get(
    '/public/payment-links/:public_slug',
    {
      schema: {
        tags: ['Payers'],
        operationId: 'getPublicPaymentLink',
        summary: 'Show a payment link to its payer',
        params: SlugParams,
        response: { 200: success(PublicLink) },
      },
      config: PAYERS,
    },
    async (request) => ({
      success: true as const,
      data: presentPublic(deps, await requirePage(request.params.public_slug)),
    }),
  )
}

function payRoute(app: App, collect: Collect, requirePage: RequirePage, verb: 'collect' | 'pay'): void {
  app.post(
    `/public/payment-links/:public_slug/${verb}`,
    {
      schema: {
        tags: ['Payers'],
        ...(verb === 'collect'
          ? { operationId: 'payPublicPaymentLink', summary: 'Pay a payment link' }
          : { operationId: 'payPublicPaymentLinkAlias', summary: 'Alias of collect', deprecated: true }),
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
      const link = await requirePage(slug)
      const { merchant_id, environment, id } = link
      const claim = claimIn(request, { merchant_id, environment, scope: `link:${id}` })
      const answer = await collect(
        link,
        { method, phone, address: request.ip, trace: request.trace?.context ?? null },
        claim,
      )
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}

function publicStatusRoute(deps: Deps, app: App, requirePage: RequirePage): void {
  const findPayment = createFindPayment(deps)
  app.get(
    '/public/payment-links/:public_slug/collections/:collection_id/status',
    {
      schema: {
        tags: ['Payers'],
        operationId: 'getPublicCollectionStatus',
        summary: 'Show the status of a payment on a link',
        params: Type.Object({ public_slug: Type.String(), collection_id: Type.String() }),
        response: { 200: success(PublicStatus) },
      },
      config: PAYERS,
    },
    async (request) => {
      const link = await requirePage(request.params.public_slug)
      const payment = await findPayment(link, request.params.collection_id)
      if (payment === null)
        return refuse('not_found', { message: 'There is no such payment on this link. Check the address.' })
      return {
        success: true as const,
        data: inCallersLanguage(request.headers['accept-language'], presentPayment(payment)),
      }
    },
  )
}

/** Returns the function that finds a payment of a page, in batches. Null means that the page has no such payment. */
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
