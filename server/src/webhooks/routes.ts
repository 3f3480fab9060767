// The merchant's webhook endpoints: configuration, test, deliveries and replay.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Tx } from '../db/index.ts'
import { caller, findAnswer, type Lookup, onceInTransaction, type Routes, readClaim, replay } from '../http/index.ts'
import { checkConfig, getConfig, queueTest, saveConfig } from './config.ts'
import { getDelivery, listDeliveries, replayDelivery } from './deliveries.ts'
import {
  ConfigAnswer,
  ConfigBody,
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryAnswer,
  DeliveryParams,
} from './schema.ts'

const access = { scopes: ['webhooks:manage'] } as const
const tags = ['Webhooks']

/** Adds the routes. `lookup` replaces the system's resolver in tests. */
export function webhookRoutes(deps: Deps, options: { lookup?: Lookup } = {}): Routes {
  return (app) => {
    app.get(
      '/v1/merchant/webhook-config',
      {
        config: { access },
        schema: { tags, summary: 'Show the webhook configuration', response: { 200: ConfigAnswer } },
      },
      async (request) => ({ success: true as const, data: await getConfig(deps.db, caller(request).merchant.id) }),
    )
    app.patch(
      '/v1/merchant/webhook-config',
      {
        config: { access, idempotency: 'honoured' },
        schema: {
          tags,
          summary: 'Set where events go, which ones, or a new signing secret',
          body: ConfigBody,
          response: { 200: ConfigAnswer },
        },
      },
      async (request, reply) => {
        // A repeated request is answered before its host is looked up again.
        const claim = readClaim(request)
        const known = claim ? await findAnswer(deps, deps.db, claim) : null
        if (known) return replay(reply, known)
        const change = await checkConfig(deps, request.body, options.lookup)
        const { merchant } = caller(request)
        return once(deps, request, reply, 200, async (tx) => {
          const { secret, ...stored } = await saveConfig(deps, tx, merchant.id, change)
          // The stored answer must not give the secret away a second time.
          return { stored, fresh: secret === undefined ? stored : { ...stored, secret } }
        })
      },
    )
    app.post(
      '/v1/merchant/webhook-config/test',
      {
        config: { access, idempotency: 'honoured' },
        schema: { tags, summary: 'Send a test delivery', response: { 202: DeliveryAnswer } },
      },
      async (request, reply) => {
        const { merchant, environment } = caller(request)
        return once(deps, request, reply, 202, async (tx) => {
          const { id } = await queueTest(deps, tx, merchant, environment)
          const delivery = await getDelivery(tx, merchant.id, environment, id)
          return { stored: delivery, fresh: delivery }
        })
      },
    )
    app.get(
      '/v1/merchant/webhook-deliveries',
      {
        config: { access },
        schema: {
          tags,
          summary: 'List deliveries, newest first',
          description: '`total_items` counts up to 10,000.',
          querystring: DeliveriesQuery,
          response: { 200: DeliveriesAnswer },
        },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        return { success: true as const, data: await listDeliveries(deps.db, merchant.id, environment, request.query) }
      },
    )
    app.get(
      '/v1/merchant/webhook-deliveries/:id',
      {
        config: { access },
        schema: { tags, summary: 'Show a delivery', params: DeliveryParams, response: { 200: DeliveryAnswer } },
      },
      async (request) => {
        const { merchant, environment } = caller(request)
        return { success: true as const, data: await getDelivery(deps.db, merchant.id, environment, request.params.id) }
      },
    )
    app.post(
      '/v1/merchant/webhook-deliveries/:id/replay',
      {
        config: { access, idempotency: 'honoured' },
        schema: {
          tags,
          summary: 'Send a delivery again',
          description: 'One more attempt with the same id and bytes, of a delivery that is delivered or failed.',
          params: DeliveryParams,
          response: { 202: DeliveryAnswer },
        },
      },
      async (request, reply) => {
        const { merchant, environment } = caller(request)
        return once(deps, request, reply, 202, async (tx) => {
          const delivery = await replayDelivery(deps, tx, merchant.id, environment, request.params.id)
          return { stored: delivery, fresh: delivery }
        })
      },
    )
  }
}

/** Runs a write once per Idempotency-Key; `stored` is what a repeat is answered with, `fresh` what this call gets. */
async function once(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  status_code: number,
  work: (tx: Tx) => Promise<{ stored: object; fresh: object }>,
): Promise<FastifyReply> {
  let fresh: object = {}
  const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
    const done = await work(tx)
    fresh = done.fresh
    return { status_code, response_body: JSON.stringify({ success: true, data: done.stored }) }
  })
  return answer.replayed ? replay(reply, answer) : reply.code(status_code).send({ success: true, data: fresh })
}
