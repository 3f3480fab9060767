// Defines the calls about webhooks: endpoints, the default configuration, events and deliveries. webhook.ts verifies a
// delivery.

import type * as Api from './api-types.ts'
import { NoAnswerError } from './errors.ts'
import { type EventOfStream, type EventStreamOptions, readEventStream } from './event-stream.ts'
import { createList, type List } from './list.ts'
import { type ChangeOptions, type Http, path, type ReadOptions } from './request.ts'

const ROTATE = { rotate_secret: true }

/** An answer to a call that makes a signing secret. */
export type WithSecret<Answer> = Answer & { secret: string }

/**
 * Returns the answer if it has the secret. The server shows a secret once: if that answer was lost, the answer to the retry has
 * no secret.
 */
function requireSecret<Answer extends { secret?: string }>(
  answer: Answer,
  options?: ChangeOptions,
): WithSecret<Answer> {
  const { secret } = answer
  if (secret !== undefined) return { ...answer, secret }
  throw new NoAnswerError({
    code: 'no_answer',
    message:
      'The server made the change, but the answer with the secret did not arrive. Call rotateSecret() of the endpoint with a new idempotency key. webhookEndpoints.list() has the ids of the endpoints.',
    status: 0,
    details: null,
    requestId: null,
    idempotencyKey: options?.idempotencyKey ?? null,
    outcomeUnknown: false,
    isRetryable: false,
    retryAfter: null,
  })
}

/** Endpoints beside the default endpoint. The key needs the scope `webhooks:manage`. */
export type WebhookEndpointCalls = {
  /** Lists the endpoints of the key's environment, the default endpoint first. */
  list(options?: ReadOptions): Promise<Api.ListWebhookEndpointsAnswer>
  /**
   * Adds an endpoint. Store its `secret`, because no later answer contains it. If the answer with the secret was lost, the call
   * throws NoAnswerError.
   */
  create(
    input: Api.CreateWebhookEndpointInput,
    options?: ChangeOptions,
  ): Promise<WithSecret<Api.CreateWebhookEndpointAnswer>>
  /** Returns an endpoint, without its secret. */
  get(endpoint_id: string, options?: ReadOptions): Promise<Api.WebhookEndpoint>
  /** Changes an endpoint. A field that you omit keeps its value. */
  update(
    endpoint_id: string,
    input: Api.UpdateWebhookEndpointInput,
    options?: ChangeOptions,
  ): Promise<Api.UpdateWebhookEndpointAnswer>
  /** Makes a new secret, and returns it. For 24 hours, the server signs with the previous secret too. */
  rotateSecret(endpoint_id: string, options?: ChangeOptions): Promise<WithSecret<Api.UpdateWebhookEndpointAnswer>>
  /** Sends a test delivery to an endpoint. */
  test(endpoint_id: string, options?: ChangeOptions): Promise<Api.TestWebhookEndpointAnswer>
  /** Deletes an endpoint. The server sends it no more deliveries. */
  delete(endpoint_id: string, options?: ChangeOptions): Promise<Api.DeleteWebhookEndpointAnswer>
}

/** Makes `malipo.webhookEndpoints`, whose calls send requests by the given functions. */
export function webhookEndpointCalls({ get, change }: Http): WebhookEndpointCalls {
  const all = '/v1/merchant/webhook-endpoints'
  return {
    list: (options) => get(all, {}, options),
    create: async (input, options) =>
      requireSecret(await change<Api.CreateWebhookEndpointAnswer>('POST', all, input, options), options),
    get: async (id, options) => get(all + path`/${id}`, {}, options),
    update: async (id, input, options) => change('PATCH', all + path`/${id}`, input, options),
    rotateSecret: async (id, options) =>
      requireSecret(
        await change<Api.UpdateWebhookEndpointAnswer>('PATCH', all + path`/${id}`, ROTATE, options),
        options,
      ),
    test: async (id, options) => change('POST', all + path`/${id}/test`, {}, options),
    delete: async (id, options) => change('DELETE', all + path`/${id}`, {}, options),
  }
}

/** The default endpoint of the key's environment. */
export type WebhookConfigCalls = {
  /** Returns the configuration of the default endpoint, without the secret. */
  get(options?: ReadOptions): Promise<Api.GetWebhookConfigAnswer>
  /** Changes the address or the events. The answer to the first change contains the `secret`: store it. */
  update(input: Api.UpdateWebhookConfigInput, options?: ChangeOptions): Promise<Api.UpdateWebhookConfigAnswer>
  /** Makes a new secret, and returns it. For 24 hours, the server signs with the previous secret too. */
  rotateSecret(options?: ChangeOptions): Promise<WithSecret<Api.UpdateWebhookConfigAnswer>>
  /** Sends a test delivery to the default endpoint. */
  test(options?: ChangeOptions): Promise<Api.TestWebhookAnswer>
}

/** Makes `malipo.webhookConfig`, whose calls send requests by the given functions. */
export function webhookConfigCalls({ get, change }: Http): WebhookConfigCalls {
  const config = '/v1/merchant/webhook-config'
  return {
    get: (options) => get(config, {}, options),
    update: (input, options) => change('PATCH', config, input, options),
    rotateSecret: async (options) =>
      requireSecret(await change<Api.UpdateWebhookConfigAnswer>('PATCH', config, ROTATE, options), options),
    test: (options) => change('POST', `${config}/test`, {}, options),
  }
}

/** The events of the last 30 days, also those that no endpoint received. The key needs the scope `webhooks:manage`. */
export type EventCalls = {
  /** Lists events, newest first. `data` of an event is the body that an endpoint receives. */
  list(filters?: Api.ListEventsFilters, options?: ReadOptions): List<Api.ListEventsAnswer['items'][number]>
  /**
   * Yields each new event once, with `for await`. If the connection ends, the stream continues after the last event. For a
   * restart of your program, store the id of each processed event, and pass the last id as `after`. Events of the 30 seconds
   * before it can come again.
   */
  stream(options?: EventStreamOptions): AsyncIterable<EventOfStream>
}

/** Makes `malipo.events`, whose calls send requests by `http`. */
export function eventCalls(http: Http): EventCalls {
  return {
    list: (filters = {}, options) => createList(http, '/v1/events', filters, 'id', options),
    stream: (options) => readEventStream(http, options),
  }
}

/** The API requests with the keys of the merchant. The key needs the scope `requests:read`. */
export type RequestCalls = {
  /** Lists requests of the environment of the key, newest first, without their bodies. */
  list(filters?: Api.ListRequestsFilters, options?: ReadOptions): List<Api.ListRequestsAnswer['items'][number]>
}

/** Makes `malipo.requests`, whose calls send requests by `http`. */
export function requestCalls(http: Http): RequestCalls {
  return { list: (filters = {}, options) => createList(http, '/v1/requests', filters, 'id', options) }
}

/** The deliveries of events to your endpoints. */
export type WebhookDeliveryCalls = {
  /** Returns a delivery with its attempts. */
  get(delivery_id: string, options?: ReadOptions): Promise<Api.WebhookDelivery>
  /** Lists deliveries, newest first. */
  list(filters?: Api.ListWebhookDeliveriesFilters, options?: ReadOptions): List<Api.WebhookDelivery>
  /** Queues one more attempt of a delivery. */
  replay(delivery_id: string, options?: ChangeOptions): Promise<Api.ReplayWebhookDeliveryAnswer>
  /**
   * Queues one more attempt of the deliveries since a time, at most 5,000 in one call. By default, only failed deliveries.
   */
  replayAll(
    input: Api.ReplayWebhookDeliveriesInput,
    options?: ChangeOptions,
  ): Promise<Api.ReplayWebhookDeliveriesAnswer>
}

/** Makes `malipo.webhookDeliveries`, whose calls send requests by `http`. */
export function webhookDeliveryCalls(http: Http): WebhookDeliveryCalls {
  const { get, change } = http
  const all = '/v1/merchant/webhook-deliveries'
  return {
    get: async (id, options) => get(all + path`/${id}`, {}, options),
    list: (filters = {}, options) => createList(http, all, filters, 'id', options),
    replay: async (id, options) => change('POST', all + path`/${id}/replay`, {}, options),
    replayAll: (input, options) => change('POST', `${all}/replay`, input, options),
  }
}
