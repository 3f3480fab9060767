// Serves the endpoints that start a payment, show its status and refresh its status.

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type Access,
  type App,
  caller,
  findAnswer,
  type IdempotencyClaim,
  MERCHANT_ROLES,
  onceInTransaction,
  payUrlOf,
  readClaim,
  releaseKey,
  replay,
  requireClaim,
  type StoredAnswer,
  sendStored,
  success,
} from '../../kernel/http/index.ts'
import { inCallersLanguage, isId, newId, Refusal, refuse } from '../../kernel/lib/index.ts'
import { type Accepted, createAccept } from './accept.ts'
import {
  type CheckedCollectionBody,
  checkCollectionBody,
  checkCollectionRules,
  type ProviderFor,
  type Routed,
} from './check.ts'
import type { Driver } from './drive.ts'
import { collectionListRoutes } from './list-routes.ts'
import { presentCollection } from './present.ts'
import { fetchQr } from './qr.ts'
import { CollectionStatus, ListFilters, PushAccepted, PushBody, QrAccepted, QrBody, StkPushBody } from './schema.ts'
import { type Attempt, askableAttempts, type Collection, createFindCollection, latestAttempt } from './store.ts'

/**
 * The parts with which the routes start payments: the driver, the choice of a provider, and whether this process sends.
 */
export type CollectionRoutesOptions = {
  driver: Driver
  providerFor: ProviderFor
  /** True means that this process sends prompts. False means that a worker sends the prompts. */
  sends: boolean
}

const MESSAGES: Record<Exclude<Method, 'qr'>, string> = {
  wallet_push: 'Payment prompt sent. The customer approves it on the phone by entering the PIN.',
  provider_pesa: 'Payment prompt sent. The customer approves it in the wallet app.',
}

const FAILED_WITHOUT_CODE =
  'The payment of this Idempotency-Key failed before the provider made its code. Repeat the request with a new key.'

const WRITE = { scopes: ['collections:write'] } as const satisfies Access
const READ = { scopes: ['collections:read'], roles: MERCHANT_ROLES } as const satisfies Access
const REFRESH = { scopes: ['collections:read', 'collections:write'], roles: MERCHANT_ROLES } as const satisfies Access

/** The error codes of requests that are well-formed and break a rule. */
const RULES = [
  'amount_not_supported',
  'unsupported_currency',
  'simulate_status_not_allowed',
  'provider_unavailable',
] as const

type CollectionHandlers = ReturnType<typeof createHandlers>

function createHandlers(deps: Deps, options: CollectionRoutesOptions) {
  const accept = createAccept(deps)
  const find = createFindCollection(deps)
  const { driver } = options

  /**
   * Returns the merchant's collection with this id in the environment of the request. Refuses an unknown id with not_found.
   */
  const findForCaller = async (request: FastifyRequest, id: string): Promise<Collection> => {
    const principal = caller(request)
    const key = { merchant_id: principal.merchant.id, environment: principal.environment, id: id.toLowerCase() }
    const row = isId(key.id) ? await find(key) : null
    return (
      row ??
      refuse('not_found', {
        message: 'There is no such collection in this environment. Check the id and the environment.',
      })
    )
  }

  /**
   * Returns the attempt of a QR payment whose earlier requests got no answer. Refuses a failed payment, because no payer can use
   * its code.
   */
  const findUnanswered = async (request: FastifyRequest, id: string, claim: IdempotencyClaim): Promise<Attempt> => {
    const row = await findForCaller(request, id)
    const attempt = await latestAttempt(deps.db, claim.merchant_id, id)
    if (attempt !== null && row.status !== 'failed') return attempt
    await releaseKey(deps, claim)
    return refuse('provider_unavailable', { message: FAILED_WITHOUT_CODE })
  }

  /** Checks a request for a payment, claims its Idempotency-Key, accepts the payment and sends the answer. */
  const take = async (request: FastifyRequest, reply: FastifyReply, method: Method, checked: CheckedCollectionBody) => {
    const principal = caller(request)
    const claim = requireClaim(request)
    const id = newId(deps, principal.merchant.routing_code)
    let routed: Routed
    let answer: StoredAnswer | null
    let accepted: Accepted
    // The server reserves capacity before it accepts the payment, because a leased attempt without capacity would look like a sent
    // attempt.
    let releaseCapacity: (() => void) | null = null
    try {
      routed = checkCollectionRules(deps, principal, checked, method, options.providerFor, claim)
      const { collection, provider } = routed
      releaseCapacity = method !== 'qr' && options.sends ? driver.reserve(provider.name) : null
      const lease = method === 'qr' || releaseCapacity !== null
      answer = method === 'qr' ? null : pushAnswer(id, collection.reference, method)
      const step_minor = provider.capabilities.whole_shillings ? 100n : 1n
      accepted = await accept({ id, collection, step_minor, answer, lease, trace: request.trace?.context ?? null })
    } catch (error) {
      releaseCapacity?.()
      if (!(error instanceof Refusal)) throw error
      // The Idempotency-Key has priority over our rules. If the key is used, the server replays the stored answer or refuses
      // the request.
      const stored = await findAnswer(deps, deps.db, claim)
      if (stored) return replay(reply, stored)
      throw error
    }
    if (releaseCapacity !== null && typeof accepted === 'object' && 'attempt' in accepted) driver.send(accepted.attempt)
    releaseCapacity?.()
    if (accepted === 'key_known') {
      const stored = await findAnswer(deps, deps.db, claim)
      return stored ? replay(reply, stored) : refuse('idempotency_in_progress', { retry_after_s: 1 })
    }
    const attempt = 'attempt' in accepted ? accepted.attempt : await findUnanswered(request, accepted.resumes, claim)
    if (answer === null) {
      const fields = { reference: routed.collection.reference, status: 'processing' }
      return sendStored(reply, await fetchQr(deps, driver, attempt, fields, claim))
    }
    return sendStored(reply, answer)
  }
  return { take, findForCaller }
}

/** Adds the routes that start, list, show and refresh payments. */
export function collectionRoutes(deps: Deps, options: CollectionRoutesOptions): (app: App) => void {
  const handlers = createHandlers(deps, options)
  return (app) => {
    pushRoutes(app, handlers)
    stkPushRoute(app, handlers)
    qrRoute(app, handlers)
    collectionListRoutes(deps, app, READ)
    collectionStatusRoute(deps, app, handlers)
    refreshRoute(deps, app, handlers, options.driver)
  }
}

function pushRoutes(app: App, { take }: CollectionHandlers): void {
  const addRoute = (method: Exclude<Method, 'qr'>, path: string, operationId: string, summary: string) =>
    app.post(
      path,
      {
        schema: {
          tags: ['Collections'],
          operationId,
          summary,
          body: PushBody,
          response: { 202: success(PushAccepted) },
        },
        config: { access: WRITE, idempotency: 'required', refusals: RULES },
      },
      (request, reply) =>
        take(request, reply, method, checkCollectionBody(request.body, { field: 'phone', value: request.body.phone })),
    )
  addRoute('wallet_push', '/v1/collections/wallet-push', 'createWalletPush', 'Send a mobile-money prompt to a phone')
  addRoute(
    'provider_pesa',
    '/v1/collections/provider-pesa',
    'createProviderPesaPush',
    'Send a prompt to a Provider Pesa wallet',
  )
}

function stkPushRoute(app: App, { take }: CollectionHandlers): void {
  app.post(
    '/v1/collections/stk-push',
    {
      schema: {
        tags: ['Collections'],
        operationId: 'createStkPush',
        summary: 'Alias of wallet-push',
        description: 'Use `createWalletPush`. This older form stays, with other names for phone and reference.',
        deprecated: true,
        body: StkPushBody,
        response: { 202: success(PushAccepted) },
      },
      config: { access: WRITE, idempotency: 'required', refusals: RULES },
    },
    (request, reply) => {
      const { merchant_reference, customer_phone } = request.body
      const reference = merchant_reference ?? request.body.reference
      const checked = checkCollectionBody(request.body, { field: 'customer_phone', value: customer_phone })
      return take(request, reply, 'wallet_push', { ...checked, reference: reference ?? null })
    },
  )
}

function qrRoute(app: App, { take }: CollectionHandlers): void {
  app.post(
    '/v1/collections/qr',
    {
      schema: {
        tags: ['Collections'],
        operationId: 'createQrCollection',
        summary: 'Get a QR code to show',
        body: QrBody,
        response: { 202: success(QrAccepted) },
      },
      config: { access: WRITE, idempotency: 'required', refusals: RULES },
    },
    (request, reply) => {
      const checked = checkCollectionBody(request.body, { field: 'customer_phone', value: request.body.customer_phone })
      return take(request, reply, 'qr', checked)
    },
  )
}

function collectionStatusRoute(deps: Deps, app: App, { findForCaller }: CollectionHandlers): void {
  app.get(
    '/v1/collections/:collection_id',
    {
      schema: {
        tags: ['Collections'],
        operationId: 'getCollection',
        summary: 'The status of a collection',
        params: Type.Object({ collection_id: Type.String() }),
        querystring: Type.Object({ merchant_id: ListFilters.merchant_id }),
        response: { 200: success(CollectionStatus) },
      },
      config: { access: READ },
    },
    async (request) => {
      const row = await findForCaller(request, request.params.collection_id)
      const data = presentCollection(row, payUrlOf(deps.config, app))
      return { success: true as const, data: inCallersLanguage(request.headers['accept-language'], data) }
    },
  )
}

function refreshRoute(deps: Deps, app: App, { findForCaller }: CollectionHandlers, driver: Driver): void {
  app.post(
    '/v1/collections/:collection_id/refresh-status',
    {
      schema: {
        tags: ['Collections'],
        operationId: 'refreshCollection',
        summary: 'Ask the provider for the status again',
        description:
          'A repeated refresh never credits or reverses a payment twice. If no payer has chosen a method yet, a refresh changes nothing.',
        params: Type.Object({ collection_id: Type.String() }),
        querystring: Type.Object({ merchant_id: ListFilters.merchant_id }),
        response: { 200: success(CollectionStatus) },
      },
      config: { access: REFRESH, idempotency: 'honoured' },
    },
    async (request, reply) => {
      const claim = readClaim(request)
      const stored = claim && (await findAnswer(deps, deps.db, claim))
      if (stored) return replay(reply, stored)
      const row = await findForCaller(request, request.params.collection_id)
      const attempts = await askableAttempts(deps.db, caller(request).merchant.id, row.id)
      await Promise.all(attempts.map((attempt) => driver.ask(attempt)))
      const shown = presentCollection(await findForCaller(request, row.id), payUrlOf(deps.config, app))
      const data = inCallersLanguage(request.headers['accept-language'], shown)
      // Two status queries do no harm, so the server claims the key only with the answer. If two concurrent requests have answers,
      // the server stores and returns the first.
      const response_body = JSON.stringify({ success: true, data })
      const answer = await onceInTransaction(deps, claim, async () => ({ status_code: 200, response_body }))
      return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
    },
  )
}

/**
 * Returns the answer to a request for a prompt. The server makes the answer before it stores the key, so that a replay has the same
 * bytes.
 */
function pushAnswer(id: string, reference: string | null, method: Exclude<Method, 'qr'>): StoredAnswer {
  const data = { collection_id: id, reference, status: 'processing', message: MESSAGES[method] }
  return { status_code: 202, response_body: JSON.stringify({ success: true, data }) }
}
