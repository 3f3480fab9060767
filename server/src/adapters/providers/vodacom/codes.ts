// Lists the response codes that the gateway documents for this market, with their meaning for a request that moves money. Other
// markets use some codes differently. If neither this table nor a setting has a code, the outcome is unknown.

import type { BlockCause, FailureReason, PayoutFailure } from '../port.ts'

/** The reasons for which a code leaves the outcome unknown. */
export type Doubt = 'timeout' | 'unreachable' | 'unseen_status'

/**
 * The meaning of a code. `because` means that the gateway executed no payout and that an operator must act. Null as `payout`
 * means that an operator configured the code for payments only.
 */
export type VodacomCodeMeaning =
  | { is: 'done' }
  | { is: 'session' }
  | { is: 'doubt'; why: Doubt }
  | { is: 'failed'; payment: FailureReason; payout: PayoutFailure | { because: BlockCause } | null }

const failed = (payment: FailureReason, payout: PayoutFailure | { because: BlockCause }): VodacomCodeMeaning => ({
  is: 'failed',
  payment,
  payout,
})
const doubt = (why: Doubt): VodacomCodeMeaning => ({ is: 'doubt', why })
/** The request was wrong, so the gateway did not execute the request. An operator must fix the settings. */
const MALFORMED = failed('unknown_provider_error', 'unknown_provider_error')
/** The request exceeds a limit of the customer's account. */
const CUSTOMER_LIMIT = failed('provider_declined', 'limit_exceeded')
/** The request exceeds a limit of the platform's account. */
const OUR_LIMIT = failed('provider_declined', 'provider_declined')
/** The application has no access to the interface or to this market. */
const NO_ACCESS = failed('provider_unavailable', { because: 'access' })
/** The configured account is wrong, so the gateway would refuse every request. */
const NO_ACCOUNT = failed('unknown_provider_error', { because: 'access' })

/** The documented codes with their meanings. The comment of a row has the cause from the gateway's manual. */
export const CODES: Readonly<Record<string, VodacomCodeMeaning>> = {
  'INS-0': { is: 'done' }, // The gateway processed or accepted the request.
  'INS-1': doubt('unreachable'), // The gateway has an internal error.
  'INS-6': failed('provider_declined', 'provider_declined'), // The transaction failed.
  'INS-9': doubt('timeout'), // The request timed out.
  'INS-10': doubt('unseen_status'), // The request is a duplicate: the gateway may have executed an earlier request.
  'INS-13': NO_ACCOUNT, // The short code is invalid.
  'INS-15': MALFORMED, // The amount is invalid.
  'INS-17': MALFORMED, // The transaction reference is invalid.
  'INS-18': MALFORMED, // The transaction id is invalid.
  'INS-20': MALFORMED, // Some parameters are missing.
  'INS-21': MALFORMED, // Some parameters are invalid.
  'INS-23': doubt('unseen_status'), // There is no such transaction yet, but the transaction may still appear.
  'INS-26': MALFORMED, // The currency is invalid.
  'INS-28': MALFORMED, // The conversation id is invalid.
  'INS-30': MALFORMED, // The description of the purchase is invalid.
  'INS-31': MALFORMED, // The description of the payout is invalid.
  'INS-35': MALFORMED, // The platform did not make this transaction.
  'INS-989': { is: 'session' }, // The request has no valid session.
  'INS-990': CUSTOMER_LIMIT, // The amount exceeds a limit.
  'INS-991': CUSTOMER_LIMIT, // The number of transactions exceeds a limit.
  'INS-992': CUSTOMER_LIMIT, // The transaction exceeds several limits.
  'INS-993': OUR_LIMIT, // The number of transactions exceeds a limit.
  'INS-994': OUR_LIMIT, // The amount exceeds a limit.
  'INS-995': CUSTOMER_LIMIT, // The amount exceeds the limit of one transaction.
  'INS-996': OUR_LIMIT, // The request came outside of the hours of use.
  'INS-997': NO_ACCESS, // The interface is closed to the application.
  'INS-998': NO_ACCESS, // The market is closed to the application.
  'INS-2006': failed('insufficient_balance', { because: 'float' }), // The payer, or the platform's account of payouts, has too little money.
  'INS-2051': failed('provider_declined', 'unknown_recipient'), // No customer has this number.
}

/** Returns the meaning of a code. If the manual does not document the code, returns null. */
export function meaningOf(code: string): VodacomCodeMeaning | null {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? null) : null
}
