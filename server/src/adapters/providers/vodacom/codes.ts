// Lists the response codes that the gateway documents for this market, with their meaning for a request that moves money.
// Other markets use some codes differently. A code outside this table has no meaning.

import type { BlockCause, FailureReason, PayoutFailure } from '../port.ts'

/** The possible reasons of an unknown outcome. */
export type Doubt = 'timeout' | 'unreachable' | 'unseen_status'

/**
 * The meaning of a code. `because` means that the gateway executed no payout and that an operator must act. Null as `payout`
 * means that the manual explains the code for payments only.
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

/** The documented codes with their meanings. */
export const CODES: Readonly<Record<string, VodacomCodeMeaning>> = {
  'INS-0': { is: 'done' }, // processed or accepted
  'INS-1': doubt('unreachable'), // internal error
  'INS-6': failed('provider_declined', 'provider_declined'), // transaction failed
  'INS-9': doubt('timeout'), // request timeout
  'INS-10': doubt('unseen_status'), // duplicate: an earlier request may have been executed
  'INS-13': NO_ACCOUNT, // short code
  'INS-15': MALFORMED, // amount
  'INS-17': MALFORMED, // transaction reference
  'INS-18': MALFORMED, // transaction id
  'INS-20': MALFORMED, // parameters are missing
  'INS-21': MALFORMED, // parameters do not validate
  'INS-23': doubt('unseen_status'), // no such transaction: it may still appear
  'INS-26': MALFORMED, // currency
  'INS-28': MALFORMED, // conversation id
  'INS-30': MALFORMED, // description of a purchase
  'INS-31': MALFORMED, // description of a payout
  'INS-35': MALFORMED, // not a transaction of the platform
  'INS-989': { is: 'session' }, // no session
  'INS-990': CUSTOMER_LIMIT, // amount
  'INS-991': CUSTOMER_LIMIT, // count
  'INS-992': CUSTOMER_LIMIT, // several
  'INS-993': OUR_LIMIT, // count
  'INS-994': OUR_LIMIT, // amount
  'INS-995': CUSTOMER_LIMIT, // amount of one transaction
  'INS-996': OUR_LIMIT, // outside of the hours of use
  'INS-997': NO_ACCESS, // interface
  'INS-998': NO_ACCESS, // market
  // The paying account has too little money: the customer's account, or the platform's account if the request is a payout.
  'INS-2006': failed('insufficient_balance', { because: 'float' }),
  'INS-2051': failed('provider_declined', 'unknown_recipient'), // no such number
}

/** Returns the meaning of a code. If the manual does not document the code, returns null. */
export function meaningOf(code: string): VodacomCodeMeaning | null {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? null) : null
}
