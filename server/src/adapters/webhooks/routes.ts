// Defines the routes for the default endpoint, deliveries and replay, and adds the other webhook routes.

import { isDeepStrictEqual } from 'node:util'
import { actOf } from '../../books/audit/index.ts'
import { type Deps, forReads } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  answerShowingOnce,
  caller,
  findAnswer,
  type Routes,
  readClaim,
  replay,
} from '../../kernel/http/index.ts'
import { access, auditWebhookChange, tags } from './changes.ts'
import { checkConfig, getConfig, queueTest, saveConfig } from './config.ts'
import { getDelivery, listDeliveries, replayDelivery } from './deliveries.ts'
import { type EndpointOptions, endpointRoutes } from './endpoint-routes.ts'
import { type EventRoutesOptions, eventRoutes } from './event-routes.ts'
import { webhookStatusRoute } from './failing.ts'
import { replaySince } from './replay.ts'
import { resendRoutes } from './resend.ts'
import {
  ConfigAnswer,
  ConfigBody,
  DeliveriesAnswer,
  DeliveriesQuery,
  DeliveryAnswer,
  DeliveryParams,
  ReplayAnswer,
  ReplayBody,
} from './schema.ts'

const EACH_ENVIRONMENT = 'Each environment has its own configuration, and an API key acts on its environment only.'

/** Adds the webhook routes. In tests, `lookup` replaces the DNS resolver. */
export function webhookRoutes(
  deps: Deps,
  { events, ...options }: EndpointOptions & { events: EventRoutesOptions },
): Routes {
  return (app) => {
    webhookStatusRoute(deps, app)
    configRoutes(deps, app, options)
    endpointRoutes(deps, app, options)
    deliveryRoutes(deps, app)
    replayRoutes(deps, app, options)
    resendRoutes(deps, app, options)
    eventRoutes(deps, app, events)
  }
}

function configRoutes(deps: Deps, app: App, { lookup, notifyAdmins, lockMerchant }: EndpointOptions): void {
  app.get(
    '/v1/merchant/webhook-config',
    {
      config: { access, refusals: ['not_found'] },
      schema: {
        tags,
        operationId: 'getWebhookConfig',
        summary: 'Show the webhook configuration',
        description: `${EACH_ENVIRONMENT} Without \`environment\`, a session reads the live configuration, or that of the sandbox if there is no live one.`,
        response: { 200: ConfigAnswer },
      },
    },
    async (request) => {
      const { merchant, environments } = caller(request)
      return { success: true as const, data: await getConfig(deps.db, merchant.id, environments) }
    },
  )
  app.patch(
    '/v1/merchant/webhook-config',
    {
      config: { access, idempotency: 'honoured', step_up: 'always' },
      schema: {
        tags,
        operationId: 'updateWebhookConfig',
        summary: 'Set the URL or the events, or make a new signing secret',
        description: `${EACH_ENVIRONMENT} Without \`environment\`, a session changes both.`,
        body: ConfigBody,
        response: { 200: ConfigAnswer },
      },
    },
    async (request, reply) => {
      // If the request repeats an Idempotency-Key, the server sends the stored answer without a look-up of the host.
      const claim = readClaim(request)
      const stored_answer = claim ? await findAnswer(deps, deps.db, claim) : null
      if (stored_answer) return replay(reply, stored_answer)
      const change = await checkConfig(deps, request.body, lookup)
      const { merchant, environments } = caller(request)
      return answerShowingOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        const { shown: stored, secret, changes } = await saveConfig(deps, tx, merchant.id, environments, change)
        for (const changed of changes) {
          await auditWebhookChange(deps, tx, request, 'webhook_config.update', merchant.id, changed)
        }
        const changed = changes.find(({ before, after }) => !isDeepStrictEqual(before, after))
        if (changed !== undefined) {
          const { environment, webhook_url } = changed.after
          const new_secret = secret !== null
          const webhook = { kind: 'webhook_changed', environment, webhook_url, new_secret } as const
          await notifyAdmins(deps, tx, actOf(request), merchant.id, webhook)
        }
        // The stored answer contains no secret, so the answer to a repeated request does not show the secret again.
        return { stored, fresh: secret === null ? stored : { ...stored, secret } }
      })
    },
  )
  app.post(
    '/v1/merchant/webhook-config/test',
    {
      config: { access, idempotency: 'honoured', refusals: ['not_found'] },
      schema: { tags, operationId: 'testWebhook', summary: 'Send a test delivery', response: { 202: DeliveryAnswer } },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const { id } = await queueTest(deps, tx, merchant, environment)
        const delivery = await getDelivery(tx, merchant.id, environment, id)
        await auditWebhookChange(deps, tx, request, 'webhook_delivery.test', id, { after: { environment } })
        return delivery
      })
    },
  )
}

function deliveryRoutes(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/webhook-deliveries',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'listWebhookDeliveries',
        summary: 'List deliveries, newest first',
        description: '`total_items` counts up to 10,000.',
        querystring: DeliveriesQuery,
        response: { 200: DeliveriesAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      return {
        success: true as const,
        data: await listDeliveries(forReads(deps).db, merchant.id, environment, request.query),
      }
    },
  )
  app.get(
    '/v1/merchant/webhook-deliveries/:id',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'getWebhookDelivery',
        summary: 'Show a delivery',
        params: DeliveryParams,
        response: { 200: DeliveryAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      return { success: true as const, data: await getDelivery(deps.db, merchant.id, environment, request.params.id) }
    },
  )
}

function replayRoutes(deps: Deps, app: App, { lockMerchant }: EndpointOptions): void {
  app.post(
    '/v1/merchant/webhook-deliveries/replay',
    {
      config: { access, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'replayWebhookDeliveries',
        summary: 'Replay deliveries since a time',
        description:
          'The server attempts each delivery once more, with the same id and bytes, oldest first, at most 5,000 in one call. If a delivery waits for a retry, the retry is due now. Due deliveries stay unchanged, so that a repeated call sends nothing twice.',
        body: ReplayBody,
        response: { 202: ReplayAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const replayed = await replaySince(deps, tx, merchant.id, environment, request.body)
        const { since, until = null, event = null, endpoint_id, status = 'failed' } = request.body
        const endpoint = endpoint_id === undefined ? {} : { endpoint_id }
        const after = { environment, ...endpoint, since, until, event, status, queued: replayed.queued }
        await auditWebhookChange(deps, tx, request, 'webhook_deliveries.replay', merchant.id, { after })
        return replayed
      })
    },
  )
  app.post(
    '/v1/merchant/webhook-deliveries/:id/replay',
    {
      config: { access, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'replayWebhookDelivery',
        summary: 'Replay a delivery',
        description:
          'The server attempts a delivered or failed delivery once more, with the same id and bytes. If the delivery waits for a retry, the retry is due now.',
        params: DeliveryParams,
        response: { 202: DeliveryAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const delivery = await replayDelivery(deps, tx, merchant.id, environment, request.params.id)
        await auditWebhookChange(deps, tx, request, 'webhook_delivery.replay', delivery.id, { after: { environment } })
        return delivery
      })
    },
  )
}
