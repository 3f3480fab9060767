// Lists the events that merchants can receive.

/** Every event, in the order in which lists show them. */
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

/** The name of an event, as the header and the body of a delivery contain the name. */
export type EventName = (typeof EVENTS)[number]

/** The events of a merchant that chose no events. Only a merchant's choice adds the other events. */
export const DEFAULT_EVENTS: readonly EventName[] = EVENTS.slice(0, 6)

/** The alternative names that a merchant may use to choose an event. */
export const EVENT_ALIASES: ReadonlyMap<string, EventName> = new Map([['collection.successful', 'collection.success']])

/** Returns the event that a text names. Null means that the text names no event. */
export function eventNamed(text: string): EventName | null {
  return EVENTS.find((event) => event === text) ?? EVENT_ALIASES.get(text) ?? null
}
