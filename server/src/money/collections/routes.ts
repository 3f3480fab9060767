// The endpoints of collections.

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
import { isId, newId, Refusal, refuse } from '../../kernel/lib/index.ts'
import { type Accepted, createAccept } from './accept.ts'
import { type CheckedBody, checkBody, checkRules, type ProviderFor, type Routed } from './check.ts'
import type { Driver } from './drive.ts'
import { collectionListRoutes } from './list-routes.ts'
import { presentCollection } from './present.ts'
import { fetchQr } from './qr.ts'
import { CollectionStatus, ListFilters, PushAccepted, PushBody, QrAccepted, QrBody, StkPushBody } from './schema.ts'
import { type Attempt, askableAttempts, createFind, latestAttempt } from './store.ts'

/** What the routes need: how payments are driven, which provider takes one, and whether this process sends. */
export type CollectionsOptions = {
  driver: Driver
  providerFor: ProviderFor
  /** False in a process that only serves HTTP: a worker sends. */
  sends: boolean
}

const MESSAGES: Record<Exclude<Method, 'qr'>, string> = {
  wallet_push: 'Payment prompt sent. The customer approves it on the phone by entering the PIN.',
  provider_pesa: 'Payment prompt sent. The customer approves it in the wallet app.',
}

const FAILED_UNSHOWN =
  'The payment of this Idempotency-Key failed before its code was made. Make another with a new key.'

const WRITE = { scopes: ['collections:write'] } as const satisfies Access
const READ = { scopes: ['collections:read'], roles: MERCHANT_ROLES } as const satisfies Access
const REFRESH = { scopes: ['collections:read', 'collections:write'], roles: MERCHANT_ROLES } as const satisfies Access

/** What our rules refuse of a well-formed request. */
const RULES = [
  'amount_not_supported',
  'unsupported_currency',
  'simulate_status_not_allowed',
  'provider_unavailable',
] as const

/** Adds the routes. */
export function collectionRoutes(deps: Deps, options: CollectionsOptions): (app: App) => void {
  const accept = createAccept(deps)
  const find = createFind(deps)
  const { driver } = options

  /** Checks, claims and accepts one request; answers what to send. */
  const take = async (request: FastifyRequest, reply: FastifyReply, method: Method, checked: CheckedBody) => {
    const principal = caller(request)
    const claim = requireClaim(request)
    const id = newId(deps, principal.merchant.routing_code)
    let routed: Routed
    let answer: StoredAnswer | null
    let accepted: Accepted
    // Kept before it is accepted: what is born with a lease and had to wait for a place would look like one that was sent.
    let freePlace: (() => void) | null = null
    try {
      routed = checkRules(deps, principal, checked, method, options.providerFor, claim)
      const { collection, provider } = routed
      freePlace = method !== 'qr' && options.sends ? driver.reserve(provider.name) : null
      const lease = method === 'qr' || freePlace !== null
      answer = method === 'qr' ? null : pushAnswer(id, collection.reference, method)
      const step_minor = provider.capabilities.whole_shillings ? 100n : 1n
      accepted = await accept({ id, collection, step_minor, answer, lease })
    } catch (error) {
      freePlace?.()
      if (!(error instanceof Refusal)) throw error
      // The key comes before our rules: a known one answers for itself, or refuses for itself.
      const known = await findAnswer(deps, deps.db, claim)
      if (known) return replay(reply, known)
      throw error
    }
    if (freePlace !== null && typeof accepted === 'object' && 'attempt' in accepted) driver.send(accepted.attempt)
    freePlace?.()
    if (accepted === 'key_known') {
      const known = await findAnswer(deps, deps.db, claim)
      return known ? replay(reply, known) : refuse('idempotency_in_progress', { retry_after_s: 1 })
    }
    const attempt = 'attempt' in accepted ? accepted.attempt : await unanswered(request, accepted.resumes, claim)
    if (answer === null) {
      const told = { reference: routed.collection.reference, status: 'processing' }
      return sendStored(reply, await fetchQr(deps, driver, attempt, told, claim))
    }
    return sendStored(reply, answer)
  }

  const status = async (request: FastifyRequest, id: string) => {
    const principal = caller(request)
    const key = { merchant_id: principal.merchant.id, environment: principal.environment, id: id.toLowerCase() }
    const row = isId(key.id) ? await find(key) : null
    return row ?? refuse('not_found', { message: 'There is no such collection in this environment.' })
  }

  /** The attempt of a QR payment whose earlier requests got no answer. One that has failed shows no code any more. */
  const unanswered = async (request: FastifyRequest, id: string, claim: IdempotencyClaim): Promise<Attempt> => {
    const row = await status(request, id)
    const attempt = await latestAttempt(deps.db, claim.merchant_id, id)
    if (attempt !== null && row.status !== 'failed') return attempt
    await releaseKey(deps, claim)
    return refuse('provider_unavailable', { message: FAILED_UNSHOWN })
  }

  return (app) => {
    const created = (method: Exclude<Method, 'qr'>, path: string, summary: string) =>
      app.post(
        path,
        {
          schema: { tags: ['Collections'], summary, body: PushBody, response: { 202: success(PushAccepted) } },
          config: { access: WRITE, idempotency: 'required', refusals: RULES },
        },
        (request, reply) =>
          take(request, reply, method, checkBody(request.body, { field: 'phone', value: request.body.phone })),
      )
    created('wallet_push', '/v1/collections/wallet-push', 'Send a mobile-money prompt to a phone')
    created('provider_pesa', '/v1/collections/provider-pesa', 'Send a prompt to a Provider Pesa wallet')

    app.post(
      '/v1/collections/stk-push',
      {
        schema: {
          tags: ['Collections'],
          summary: 'Alias of wallet-push',
          body: StkPushBody,
          response: { 202: success(PushAccepted) },
        },
        config: { access: WRITE, idempotency: 'required', refusals: RULES },
      },
      (request, reply) => {
        const { merchant_reference, customer_phone } = request.body
        const reference = merchant_reference ?? request.body.reference
        const checked = checkBody(request.body, { field: 'customer_phone', value: customer_phone })
        return take(request, reply, 'wallet_push', { ...checked, reference: reference ?? null })
      },
    )

    app.post(
      '/v1/collections/qr',
      {
        schema: {
          tags: ['Collections'],
          summary: 'Get a QR code to show',
          body: QrBody,
          response: { 202: success(QrAccepted) },
        },
        config: { access: WRITE, idempotency: 'required', refusals: RULES },
      },
      (request, reply) =>
        take(
          request,
          reply,
          'qr',
          checkBody(request.body, { field: 'customer_phone', value: request.body.customer_phone }),
        ),
    )

    collectionListRoutes(deps, app, READ)

    app.get(
      '/v1/collections/:collection_id',
      {
        schema: {
          tags: ['Collections'],
          summary: 'Where a collection stands',
          params: Type.Object({ collection_id: Type.String() }),
          querystring: Type.Object({ merchant_id: ListFilters.merchant_id }),
          response: { 200: success(CollectionStatus) },
        },
        config: { access: READ },
      },
      async (request) => {
        return {
          success: true as const,
          data: presentCollection(await status(request, request.params.collection_id), payUrlOf(deps.config, app)),
        }
      },
    )

    app.post(
      '/v1/collections/:collection_id/refresh-status',
      {
        schema: {
          tags: ['Collections'],
          summary: 'Ask the provider again',
          description:
            'Can be repeated: it never credits or reverses twice, and does nothing while no payer has chosen a method.',
          params: Type.Object({ collection_id: Type.String() }),
          querystring: Type.Object({ merchant_id: ListFilters.merchant_id }),
          response: { 200: success(CollectionStatus) },
        },
        config: { access: REFRESH, idempotency: 'honoured' },
      },
      async (request, reply) => {
        const claim = readClaim(request)
        const known = claim && (await findAnswer(deps, deps.db, claim))
        if (known) return replay(reply, known)
        const row = await status(request, request.params.collection_id)
        const attempts = await askableAttempts(deps.db, caller(request).merchant.id, row.id)
        await Promise.all(attempts.map((attempt) => driver.ask(attempt)))
        const data = presentCollection(await status(request, row.id), payUrlOf(deps.config, app))
        // Asking twice does no harm, so the key is claimed with its answer: of two at once, the first stored is both's.
        const response_body = JSON.stringify({ success: true, data })
        const answer = await onceInTransaction(deps, claim, async () => ({ status_code: 200, response_body }))
        return answer.replayed ? replay(reply, answer) : sendStored(reply, answer)
      },
    )
  }
}

/** The answer to a push: made before it is stored, so that a repetition is the same bytes. */
function pushAnswer(id: string, reference: string | null, method: Exclude<Method, 'qr'>): StoredAnswer {
  const data = { collection_id: id, reference, status: 'processing', message: MESSAGES[method] }
  return { status_code: 202, response_body: JSON.stringify({ success: true, data }) }
}
