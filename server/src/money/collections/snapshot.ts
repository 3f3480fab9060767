// Defines a payment under lock, as a settlement reads it: the collection, its attempts, its payment link and its recorded outcomes.

import type { Answer, FailureReason, Method } from '../../adapters/providers/port.ts'
import type { EventEndpoints } from '../../adapters/webhooks/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import type { Metadata, TraceContext } from '../../kernel/lib/index.ts'
import type { LockedLink } from './link-settlement.ts'
import type { AttemptState, Status } from './state.ts'

/** The facts about a collection on which its moves depend. Amounts are in cents. */
export type CollectionCore = {
  status: Status
  amount_minor: bigint
  fee_minor: bigint
  currency: string
  amount_received_minor: bigint | null
  /**
   * The amount that the provider took in another currency, in hundredths. Null means that the provider took no money in another
   * currency.
   */
  foreign_amount_minor: bigint | null
  foreign_currency: string | null
  failure_reason_code: FailureReason | null
  /**
   * True means that the payment link takes no more money, because another payment paid the link or the link is cancelled. For a
   * duplicate payment, this field is always true.
   */
  superseded: boolean
}

/**
 * A collection under lock. Steps change the collection in memory, and `writeCollectionChanges` writes all changes in one batch.
 */
export type LockedCollection = CollectionCore & {
  merchant_id: string
  collection_id: string
  environment: Environment
  version: number
  method: Method | null
  reference: string | null
  /** The phone that the merchant named or the payer typed. Null means that neither did. */
  customer_phone: string | null
  /** The number of the newest attempt. 0 means that the collection has no attempt. */
  attempts: number
  /**
   * The number of the attempt that brought the money. Null means that no money has arrived, or that the collection is a
   * duplicate payment. In a row of an older release, null also means that the first attempt brought the money.
   */
  settled_attempt: number | null
  payment_link_id: string | null
  /** The merchant's metadata: pairs of a name and a text. Null means that the collection has none. */
  metadata: Metadata | null
  merchant_code: string
  routing_code: number
  moved: boolean
  /**
   * True means that an attempt before the newest paid, and the server writes the method, fee and payer of that attempt.
   */
  by_earlier?: boolean
  /** The trace of the attempt whose answer the server applies. Missing or null means that the server does not trace it. */
  trace?: TraceContext | null
}

/** A locked collection as the database returns it. */
export type LockedCollectionRow = Omit<LockedCollection, 'moved' | 'superseded'>

/** The columns of a locked collection, without the columns of its merchant. */
export const LOCKED_COLUMNS = `merchant_id, id as collection_id, environment, status, version, amount_minor, fee_minor,
       amount_received_minor, foreign_amount_minor, foreign_currency, currency, method, reference, customer_phone,
       failure_reason_code, attempts, settled_attempt, payment_link_id, metadata`

/** The key of an attempt, and the columns that a settlement writes. */
export type AttemptUpdate = {
  merchant_id: string
  collection_id: string
  number: number
  state: AttemptState
  due_at: Date | null
  sent_at: Date | null
  provider_status: string | null
  provider_id: string | null
}

/** An attempt under the lock of its collection. Outcomes change the attempt in memory. */
export type LockedAttempt = AttemptUpdate & {
  deadline_at: Date
  phone: string | null
  of_method: Method
  /** Our fee if this attempt pays. Null means the fee of the collection. */
  of_fee_minor: bigint | null
}

/** A collection under lock with all data on which the decision about an outcome depends. */
export type CollectionSnapshot = {
  collection: LockedCollection
  /** The attempts about which this batch has an outcome, by number. */
  attempts: Map<number, LockedAttempt>
  /** The payment link, which all payments of one link share. Undefined means that the payment has no link. */
  link: LockedLink | undefined
  /**
   * The outcomes of the provider that the history has. The server reads them only if an answer of this batch contradicts the
   * collection.
   */
  recorded: Set<string>
  /** The endpoints that receive each event. Undefined means that no endpoint receives events. */
  subscribed: EventEndpoints | undefined
}

type ReceivedMoney = Pick<CollectionCore, 'amount_received_minor' | 'foreign_currency'>

/** Returns true if money has arrived for the payment, in shillings or in another currency. */
export function hasReceived({ amount_received_minor, foreign_currency }: ReceivedMoney): boolean {
  return amount_received_minor !== null || foreign_currency !== null
}

/** Returns true if money in another currency has arrived, and no operator has stated its worth in shillings. */
export function isUnvalued({ amount_received_minor, foreign_currency }: ReceivedMoney): boolean {
  return amount_received_minor === null && foreign_currency !== null
}

/** A provider's answer about one attempt. */
export type AttemptOutcome = { merchant_id: string; collection_id: string; number: number; answer: Answer }
