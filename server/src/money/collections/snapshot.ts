// A payment under lock, as settling reads it: the collection, its attempts, its payment link and its recorded outcomes.

import type { Answer, FailureReason, Method } from '../../adapters/providers/port.ts'
import type { Environment } from '../../kernel/http/index.ts'
import type { LockedLink } from './link-settlement.ts'
import type { AttemptState, Status } from './state.ts'

/** The columns of a collection on which every decision depends. Amounts in cents. */
export type CollectionCore = {
  status: Status
  amount_minor: bigint
  fee_minor: bigint
  currency: string
  amount_received_minor: bigint | null
  /** What the provider took in another currency, in hundredths. Null: nothing. */
  foreign_amount_minor: bigint | null
  foreign_currency: string | null
  failure_reason_code: FailureReason | null
  /** True: the payment link takes no more money, because another payment paid it or its merchant cancelled it. */
  superseded: boolean
}

/** A collection under lock. Steps change it in memory; `writeCollectionChanges` writes it once. */
export type LockedCollection = CollectionCore & {
  merchant_id: string
  collection_id: string
  environment: Environment
  version: number
  method: Method | null
  reference: string | null
  /** The number of the newest attempt. */
  attempts: number
  /** Number of the attempt whose money is booked; null: none, or the first. */
  settled_attempt: number | null
  payment_link_id: string | null
  merchant_code: string
  routing_code: number
  moved: boolean
  /** True: an earlier attempt than the newest paid it, so that method, fee and payer are written anew. */
  by_earlier?: boolean
  /** The phone of that attempt. */
  payer_phone?: string | null
}

/** A locked collection as the database returns it. */
export type LockedCollectionRow = Omit<LockedCollection, 'moved' | 'superseded'>

/** Columns of a locked collection, without those of its merchant. */
export const LOCKED_COLUMNS = `merchant_id, id as collection_id, environment, status, version, amount_minor, fee_minor,
       amount_received_minor, foreign_amount_minor, foreign_currency, currency, method, reference, failure_reason_code, attempts, settled_attempt, payment_link_id`

/** The columns of an attempt that settling writes. */
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

/** An attempt under the lock of its collection. Outcomes change it in memory. */
export type LockedAttempt = AttemptUpdate & {
  deadline_at: Date
  phone: string | null
  of_method: Method
  /** Our fee if it pays; null: that of the collection. */
  of_fee_minor: bigint | null
}

/** A collection under lock with everything that decides about an outcome. */
export type CollectionSnapshot = {
  collection: LockedCollection
  /** By number: the attempts that the outcomes at hand are about. */
  attempts: Map<number, LockedAttempt>
  /** Undefined: the payment has no payment link. Payments of one link share this object. */
  link: LockedLink | undefined
  /** The outcomes that the provider has reported so far, as the history records them. */
  recorded: Set<string>
  /** The events that the merchant receives. */
  subscribed: ReadonlySet<string> | undefined
}

type ReceivedMoney = Pick<CollectionCore, 'amount_received_minor' | 'foreign_currency'>

/** True if money was received for the payment, in shillings or in another currency. */
export function hasReceived({ amount_received_minor, foreign_currency }: ReceivedMoney): boolean {
  return amount_received_minor !== null || foreign_currency !== null
}

/** True if money in another currency was received, and no operator has stated its worth in shillings. */
export function isUnvalued({ amount_received_minor, foreign_currency }: ReceivedMoney): boolean {
  return amount_received_minor === null && foreign_currency !== null
}

/** What a provider answered about one attempt. */
export type AttemptOutcome = { merchant_id: string; collection_id: string; number: number; answer: Answer }
