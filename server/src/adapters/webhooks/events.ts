// Lists the webhook events.

/** All events, in the order of lists in the API and the documentation. */
export const EVENTS = [
  'collection.success',
  'collection.failed',
  'collection.reversed',
  'collection.pending_review',
  'disbursement.success',
  'disbursement.failed',
  'disbursement.reversed',
  'disbursement.approved',
  'disbursement.info_requested',
  'payment_link.paid',
  'invoice.paid',
  'invoice.overdue',
  'balance.low',
] as const

/** The name of an event, as in the header and the body of a delivery. */
export type EventName = (typeof EVENTS)[number]

/**
 * If the merchant has chosen no events for an endpoint, the endpoint receives these events. An endpoint receives other events
 * only after the merchant has chosen them.
 */
export const DEFAULT_EVENTS: readonly EventName[] = EVENTS.slice(0, 6)

/** The alternative names that the API accepts for an event. */
export const EVENT_ALIASES: ReadonlyMap<string, EventName> = new Map([['collection.successful', 'collection.success']])

/** Returns the event for a name or an alternative name. Null means that no such event exists. */
export function eventNamed(text: string): EventName | null {
  return EVENTS.find((event) => event === text) ?? EVENT_ALIASES.get(text) ?? null
}
