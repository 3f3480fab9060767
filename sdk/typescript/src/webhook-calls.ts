// The calls about webhooks: endpoints, the default configuration, and deliveries. webhook.ts verifies a delivery.

import type * as Api from './api-types.ts'
import { type EventOfStream, type EventStreamOptions, readEventStream } from './event-stream.ts'
import { createList, type List } from './list.ts'
import { type ChangeOptions, type Http, path, type ReadOptions } from './request.ts'

const ROTATE = { rotate_secret: true }

/** Endpoints beside the default one. The key needs the scope `webhooks:manage`. */
export type WebhookEndpointCalls = {
  /** Lists the endpoints of the key's environment, the default endpoint first. */
  list(options?: ReadOptions): Promise<Api.ListWebhookEndpointsAnswer>
  /** Adds an endpoint. Store its `secret`: no later answer has it. */
  create(input: Api.CreateWebhookEndpointInput, options?: ChangeOptions): Promise<Api.CreateWebhookEndpointAnswer>
  /** Returns an endpoint, without its secret. */
  get(endpoint_id: string, options?: ReadOptions): Promise<Api.WebhookEndpoint>
  /** Changes an endpoint. Fields that are missing stay. */
  update(
    endpoint_id: string,
    input: Api.UpdateWebhookEndpointInput,
    options?: ChangeOptions,
  ): Promise<Api.UpdateWebhookEndpointAnswer>
  /** Makes a new secret, and returns it. For 24 hours the previous secret signs too. */
  rotateSecret(endpoint_id: string, options?: ChangeOptions): Promise<Api.UpdateWebhookEndpointAnswer>
  /** Sends a test delivery. */
  test(endpoint_id: string, options?: ChangeOptions): Promise<Api.TestWebhookEndpointAnswer>
  /** Deletes an endpoint. */
  delete(endpoint_id: string, options?: ChangeOptions): Promise<Api.DeleteWebhookEndpointAnswer>
}

/** Makes the calls of webhook endpoints. */
export function webhookEndpointCalls({ get, change }: Http): WebhookEndpointCalls {
  const all = '/v1/merchant/webhook-endpoints'
  return {
    list: (options) => get(all, {}, options),
    create: (input, options) => change('POST', all, input, options),
    get: async (id, options) => get(all + path`/${id}`, {}, options),
    update: async (id, input, options) => change('PATCH', all + path`/${id}`, input, options),
    rotateSecret: async (id, options) => change('PATCH', all + path`/${id}`, ROTATE, options),
    test: async (id, options) => change('POST', all + path`/${id}/test`, {}, options),
    delete: async (id, options) => change('DELETE', all + path`/${id}`, {}, options),
  }
}

/** The default endpoint of the key's environment. */
export type WebhookConfigCalls = {
  /** Returns the configuration, without the secret. */
  get(options?: ReadOptions): Promise<Api.GetWebhookConfigAnswer>
  /** Changes the address or the events. The first answer has the `secret`: store it. */
  update(input: Api.UpdateWebhookConfigInput, options?: ChangeOptions): Promise<Api.UpdateWebhookConfigAnswer>
  /** Makes a new secret, and returns it. For 24 hours the previous secret signs too. */
  rotateSecret(options?: ChangeOptions): Promise<Api.UpdateWebhookConfigAnswer>
  /** Sends a test delivery. */
  test(options?: ChangeOptions): Promise<Api.TestWebhookAnswer>
}

/** Makes the calls of the webhook configuration. */
export function webhookConfigCalls({ get, change }: Http): WebhookConfigCalls {
  const config = '/v1/merchant/webhook-config'
  return {
    get: (options) => get(config, {}, options),
    update: (input, options) => change('PATCH', config, input, options),
    rotateSecret: (options) => change('PATCH', config, ROTATE, options),
    test: (options) => change('POST', `${config}/test`, {}, options),
  }
}

/** The events of the last 30 days, whether an endpoint receives them or not. The key needs the scope `webhooks:manage`. */
export type EventCalls = {
  /** Lists events, newest first. `data` of an event is the body that an endpoint receives. */
  list(filters?: Api.ListEventsFilters, options?: ReadOptions): List<Api.ListEventsAnswer['items'][number]>
  /**
   * Yields events as they happen, each once: `for await`. The stream connects again by itself, and continues after the last event. To
   * continue after a restart, store the id of each processed event, and pass the last one as `after`: events of the 30 seconds before it
   * can come again.
   */
  stream(options?: EventStreamOptions): AsyncIterable<EventOfStream>
}

/** Makes the calls of events. */
export function eventCalls(http: Http): EventCalls {
  return {
    list: (filters = {}, options) => createList(http, '/v1/events', filters, 'id', options),
    stream: (options) => readEventStream(http, options),
  }
}

/** The deliveries of events to your endpoints. */
export type WebhookDeliveryCalls = {
  /** Returns a delivery with its attempts. */
  get(delivery_id: string, options?: ReadOptions): Promise<Api.WebhookDelivery>
  /** Lists deliveries, newest first. */
  list(filters?: Api.ListWebhookDeliveriesFilters, options?: ReadOptions): List<Api.WebhookDelivery>
  /** Sends a delivery again. */
  replay(delivery_id: string, options?: ChangeOptions): Promise<Api.ReplayWebhookDeliveryAnswer>
  /** Sends the failed deliveries of a period again. */
  replayAll(
    input: Api.ReplayWebhookDeliveriesInput,
    options?: ChangeOptions,
  ): Promise<Api.ReplayWebhookDeliveriesAnswer>
}

/** Makes the calls of webhook deliveries. */
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
