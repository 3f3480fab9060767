// Contains the functions with which a webhook receiver judges an event. api-types.ts defines the events.

import { type CollectionSuccessEvent, EVENT_NAMES, type WebhookEvent } from './api-types.ts'
import { VERSION } from './version.ts'

/**
 * Returns a sentence about an event that is newer than this version of the SDK. Null means that this version knows the event.
 */
export function unknownEventNotice(event: { event: string }): string | null {
  if (EVENT_NAMES.includes(event.event)) return null
  return `The event ${event.event} is newer than this SDK (${VERSION}): answer 200, and update the SDK if you need the event.`
}

/**
 * Returns true if a payer has paid real money: the event is a `collection.success` and neither a test nor from the sandbox.
 * Deliver goods only for such an event.
 */
export function isPaid(event: WebhookEvent): event is CollectionSuccessEvent {
  return event.event === 'collection.success' && event.test !== true && event.sandbox !== true
}
