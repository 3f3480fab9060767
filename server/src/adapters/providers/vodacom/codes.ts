// Every response code that the gateway documents for this market, and what it means when it answers a request for money.
// Other markets give some of them other meanings: a code that is not here means nothing.

import type { BlockCause, FailureReason, PayoutFailure } from '../port.ts'

/** Why nothing is known. */
export type Doubt = 'timeout' | 'unreachable' | 'unseen_status'

/**
 * What a code means. A payout that is blocked `because` of something was not executed, and the same goes through once an
 * operator has mended that. A null payout: the code was explained for payments only, and of a payout it says nothing.
 */
export type Meaning =
  | { is: 'done' }
  | { is: 'session' }
  | { is: 'doubt'; why: Doubt }
  | { is: 'failed'; payment: FailureReason; payout: PayoutFailure | { because: BlockCause } | null }

const failed = (payment: FailureReason, payout: PayoutFailure | { because: BlockCause }): Meaning => ({
  is: 'failed',
  payment,
  payout,
})
const doubt = (why: Doubt): Meaning => ({ is: 'doubt', why })
/** Our request was wrong: ours to mend, and nothing was executed. */
const MALFORMED = failed('unknown_provider_error', 'unknown_provider_error')
/** A limit of the customer's account, and one of ours. */
const CUSTOMER_LIMIT = failed('provider_declined', 'limit_exceeded')
const OUR_LIMIT = failed('provider_declined', 'provider_declined')
/** Our use of the interface, or of this market, is not switched on. */
const NO_ACCESS = failed('provider_unavailable', { because: 'access' })
/** The account that is to pay or be paid is none of ours: every request would be refused like this one. */
const NO_ACCOUNT = failed('unknown_provider_error', { because: 'access' })

/** The documented codes. */
export const CODES: Readonly<Record<string, Meaning>> = {
  'INS-0': { is: 'done' }, // processed, or taken
  'INS-1': doubt('unreachable'), // internal error
  'INS-6': failed('provider_declined', 'provider_declined'), // transaction failed
  'INS-9': doubt('timeout'), // request timeout
  'INS-10': doubt('unseen_status'), // duplicate: it was there before, and may have been executed
  'INS-13': NO_ACCOUNT, // short code
  'INS-15': MALFORMED, // amount
  'INS-17': MALFORMED, // transaction reference
  'INS-18': MALFORMED, // transaction id
  'INS-20': MALFORMED, // parameters are missing
  'INS-21': MALFORMED, // parameters do not validate
  'INS-23': doubt('unseen_status'), // no such transaction: no proof that there will be none
  'INS-26': MALFORMED, // currency
  'INS-28': MALFORMED, // conversation id
  'INS-30': MALFORMED, // description of what was bought
  'INS-31': MALFORMED, // description of what is paid
  'INS-35': MALFORMED, // not ours to touch
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
  // Whoever pays has too little: the customer, or, for a payout, the account that its owner has to fill.
  'INS-2006': failed('insufficient_balance', { because: 'float' }),
  'INS-2051': failed('provider_declined', 'unknown_recipient'), // no such number
}

/** What a code means; null: nobody has said. */
export function meaningOf(code: string): Meaning | null {
  return Object.hasOwn(CODES, code) ? (CODES[code] ?? null) : null
}
