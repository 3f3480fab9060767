// Defines the routes for webhook endpoints other than the default endpoint: list, show, add, change, delete and test.

import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { actOf } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import {
  type App,
  answerOnce,
  answerShowingOnce,
  caller,
  findAnswer,
  type LockMerchantOfCaller,
  type Lookup,
  readClaim,
  replay,
} from '../../kernel/http/index.ts'
import { access, auditWebhookChange, type NotifyWebhookChange, tags } from './changes.ts'
import { type ConfigChange, checkConfig, queueTest } from './config.ts'
import { getDelivery } from './deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  type EndpointChange,
  getEndpoint,
  listEndpoints,
} from './endpoint-config.ts'
import {
  DeletedEndpointAnswer,
  DeliveryAnswer,
  ENDPOINTS_MAX,
  EndpointAnswer,
  EndpointBody,
  type EndpointInput,
  EndpointParams,
  EndpointsAnswer,
  type EndpointView,
  NewEndpointBody,
} from './schema.ts'

const OWN_ENVIRONMENT =
  'An API key acts on the endpoints of its environment only. A session acts on the environment that the request names in `environment`.'

/**
 * Dependencies of the routes that change endpoints or send deliveries. `lockMerchant` locks the merchant and checks the caller
 * again, also after the look-up of a host, which can take seconds. In tests, `lookup` replaces the DNS resolver.
 */
export type EndpointOptions = { lookup?: Lookup; notifyAdmins: NotifyWebhookChange; lockMerchant: LockMerchantOfCaller }

/** Adds the routes for the webhook endpoints of a merchant. In tests, `lookup` replaces the DNS resolver. */
export function endpointRoutes(deps: Deps, app: App, options: EndpointOptions): void {
  endpointReadRoutes(deps, app)
  addRoute(deps, app, options)
  changeRoute(deps, app, options)
  deleteRoute(deps, app, options)
  testRoute(deps, app, options)
}

function endpointReadRoutes(deps: Deps, app: App): void {
  app.get(
    '/v1/merchant/webhook-endpoints',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'listWebhookEndpoints',
        summary: 'List the webhook endpoints',
        description: `${OWN_ENVIRONMENT} Without \`environment\`, a session reads both environments. The endpoint \`default\` is that of webhook-config.`,
        response: { 200: EndpointsAnswer },
      },
    },
    async (request) => {
      const { merchant, environments } = caller(request)
      const items = await listEndpoints(deps.db, merchant.id, environments)
      return { success: true as const, data: { items, limit: ENDPOINTS_MAX } }
    },
  )
  app.get(
    '/v1/merchant/webhook-endpoints/:id',
    {
      config: { access },
      schema: {
        tags,
        operationId: 'getWebhookEndpoint',
        summary: 'Show a webhook endpoint',
        params: EndpointParams,
        response: { 200: EndpointAnswer },
      },
    },
    async (request) => {
      const { merchant, environments } = caller(request)
      const data = await getEndpoint(deps.db, merchant.id, environments, request.params.id)
      return { success: true as const, data }
    },
  )
}

function addRoute(deps: Deps, app: App, { lookup, notifyAdmins, lockMerchant }: EndpointOptions): void {
  app.post(
    '/v1/merchant/webhook-endpoints',
    {
      config: {
        access,
        idempotency: 'honoured',
        step_up: 'always',
        refusals: ['webhook_endpoint_limit_reached'],
      },
      schema: {
        tags,
        operationId: 'createWebhookEndpoint',
        summary: 'Add a webhook endpoint',
        description: `Each event makes one delivery for each endpoint that receives the event. ${OWN_ENVIRONMENT} Without \`environment\`, a session adds a live endpoint. An environment has at most ${ENDPOINTS_MAX} endpoints, of which one is the default endpoint.`,
        body: NewEndpointBody,
        response: { 201: EndpointAnswer },
      },
    },
    async (request, reply) => {
      const stored_answer = await storedAnswer(deps, request, reply)
      if (stored_answer) return stored_answer
      const change = await checkEndpoint(deps, request.body, lookup)
      const { merchant, environment } = caller(request)
      return answerShowingOnce(deps, request, reply, 201, async (tx) => {
        await lockMerchant(tx, request)
        const added = { ...change, webhook_url: request.body.webhook_url }
        const { endpoint, secret } = await addEndpoint(deps, tx, merchant, environment, added)
        await auditWebhookChange(deps, tx, request, 'webhook_endpoint.create', endpoint.id, { after: endpoint })
        await notify(deps, tx, request, notifyAdmins, endpoint, true)
        // The stored answer contains no secret, so the answer to a repeated request does not show the secret again.
        return { stored: endpoint, fresh: { ...endpoint, secret } }
      })
    },
  )
}

function changeRoute(deps: Deps, app: App, { lookup, notifyAdmins, lockMerchant }: EndpointOptions): void {
  app.patch(
    '/v1/merchant/webhook-endpoints/:id',
    {
      config: { access, idempotency: 'honoured', step_up: 'always' },
      schema: {
        tags,
        operationId: 'updateWebhookEndpoint',
        summary: 'Change a webhook endpoint, or make a new signing secret',
        description: OWN_ENVIRONMENT,
        params: EndpointParams,
        body: EndpointBody,
        response: { 200: EndpointAnswer },
      },
    },
    async (request, reply) => {
      const stored_answer = await storedAnswer(deps, request, reply)
      if (stored_answer) return stored_answer
      const { merchant, environments } = caller(request)
      const { id } = request.params
      await getEndpoint(deps.db, merchant.id, environments, id)
      const change = await checkEndpoint(deps, request.body, lookup)
      return answerShowingOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        const { before, after, secret } = await changeEndpoint(deps, tx, merchant.id, environments, id, change)
        await auditWebhookChange(deps, tx, request, 'webhook_endpoint.update', id, { before, after })
        if (!isDeepStrictEqual(before, after)) await notify(deps, tx, request, notifyAdmins, after, secret !== null)
        return { stored: after, fresh: secret === null ? after : { ...after, secret } }
      })
    },
  )
}

function deleteRoute(deps: Deps, app: App, { notifyAdmins, lockMerchant }: EndpointOptions): void {
  app.delete(
    '/v1/merchant/webhook-endpoints/:id',
    {
      config: { access, idempotency: 'honoured', step_up: 'always' },
      schema: {
        tags,
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: `The server begins no further attempt. A pending delivery to the endpoint gets the status \`cancelled\` when its next attempt is due. ${OWN_ENVIRONMENT}`,
        params: EndpointParams,
        response: { 200: DeletedEndpointAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environments } = caller(request)
      return answerOnce(deps, request, reply, 200, async (tx) => {
        await lockMerchant(tx, request)
        const before = await deleteEndpoint(tx, merchant.id, environments, request.params.id)
        await auditWebhookChange(deps, tx, request, 'webhook_endpoint.delete', before.id, { before })
        await notify(deps, tx, request, notifyAdmins, before, false)
        return { id: before.id, deleted: true as const }
      })
    },
  )
}

function testRoute(deps: Deps, app: App, { lockMerchant }: EndpointOptions): void {
  app.post(
    '/v1/merchant/webhook-endpoints/:id/test',
    {
      config: { access, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'testWebhookEndpoint',
        summary: 'Send a test delivery to a webhook endpoint',
        params: EndpointParams,
        response: { 202: DeliveryAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environments } = caller(request)
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const endpoint = await getEndpoint(tx, merchant.id, environments, request.params.id)
        const { id: endpoint_id, environment } = endpoint
        const { id } = await queueTest(deps, tx, merchant, environment, endpoint_id)
        const delivery = await getDelivery(tx, merchant.id, environment, id)
        const after = { environment, endpoint_id }
        await auditWebhookChange(deps, tx, request, 'webhook_delivery.test', id, { after })
        return delivery
      })
    },
  )
}

/**
 * If the request repeats an Idempotency-Key, sends the stored answer without a look-up of the host. Null means that the server
 * has no stored answer.
 */
async function storedAnswer(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | null> {
  const claim = readClaim(request)
  const stored = claim ? await findAnswer(deps, deps.db, claim) : null
  return stored ? replay(reply, stored) : null
}

async function checkEndpoint(
  deps: Deps,
  { description, ...input }: EndpointInput,
  lookup?: Lookup,
): Promise<EndpointChange> {
  const change: ConfigChange = await checkConfig(deps, input, lookup)
  return description === undefined ? change : { ...change, description }
}

function notify(
  deps: Deps,
  tx: Tx,
  request: FastifyRequest,
  notifyAdmins: NotifyWebhookChange,
  { environment, webhook_url }: EndpointView,
  new_secret: boolean,
): Promise<void> {
  const change = { kind: 'webhook_changed', environment, webhook_url, new_secret } as const
  return notifyAdmins(deps, tx, actOf(request), caller(request).merchant.id, change)
}
