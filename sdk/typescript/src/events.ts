// What a receiver of webhooks asks about an event. api-types.ts has the events.

import { type CollectionSuccessEvent, EVENT_NAMES, type WebhookEvent } from './api-types.ts'
import { VERSION } from './version.ts'

/** Returns a sentence about an event that this version of the SDK does not know. Null means that it knows the event. */
export function unknownEventNotice(event: { event: string }): string | null {
  if (EVENT_NAMES.includes(event.event)) return null
  return `The event ${event.event} is newer than this SDK (${VERSION}): answer 200, and update the SDK if you need the event.`
}

/**
 * Returns true if the event means that a payer paid real money: a `collection.success` that is neither a test nor of the
 * sandbox. Only then deliver the goods.
 */
export function isPaid(event: WebhookEvent): event is CollectionSuccessEvent {
  return event.event === 'collection.success' && event.test !== true && event.sandbox !== true
}
