// Exports webhooks: configuration, the queue of events, the deliverer, and the lists of deliveries and events.

export { deleteConfigs } from './config.ts'
export { createDeliverer, type Deliverer } from './deliver.ts'
export { deliveryRetention } from './delivery-retention.ts'
export {
  type CanDeliver,
  type Delivery,
  type EventEndpoints,
  enqueueEvents,
  type NewEvent,
  subscriptionKey,
  subscriptionsOf,
} from './enqueue.ts'
export { eventRetention } from './event-log.ts'
export { DESCRIBED_EVENTS } from './event-schemas.ts'
export { DEFAULT_EVENTS, EVENTS, type EventName } from './events.ts'
export {
  failingAddress,
  failingEndpoints,
  presentFailing,
  troubledEndpoints,
  troubledEndpointsOfSet,
} from './failing.ts'
export { readWebhookQueue, webhookGauges } from './metrics.ts'
export { webhookRoutes } from './routes.ts'
export { DELIVERY_STATUSES, FAILING_FIELDS } from './schema.ts'
