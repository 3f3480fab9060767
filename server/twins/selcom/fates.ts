// The possible courses of a payment or a payout, by name. The magic numbers and the chances both choose from them.

/** The gateway's statuses of an order. */
export type Word = 'PENDING' | 'INPROGRESS' | 'COMPLETED' | 'CANCELLED' | 'USERCANCELLED' | 'REJECTED'

/** The reaction of a payer and their network to a prompt or a scanned code. */
export type PayerFate = {
  /** The answer to the push. */
  push: 'pending' | 'success' | 'fail' | 'unavailable' | 'ambiguous'
  /** The statuses of the order in turn, with a pause before each. COMPLETED takes the payer's money. */
  words: readonly Word[]
  /** Shillings taken beyond the order. The real gateway takes exactly the ordered amount; this only exercises the check. */
  extra?: bigint
  /** The first status answer contradicts itself, or has an unknown status. */
  odd?: 'envelope' | 'word'
}

const words = (...list: Word[]): PayerFate => ({ push: 'pending', words: list })

/**
 * Fates of payments. The gateway has no code for a wrong PIN or a low balance: both are just REJECTED. It has no
 * reversal either: `returned` is a possible form of one.
 */
export const PAYER_FATES = {
  pays: words('COMPLETED'),
  wrong_pin: words('REJECTED'),
  low_balance: words('REJECTED'),
  cancels: words('USERCANCELLED'),
  declined: words('REJECTED'),
  runs_out: words('CANCELLED'),
  never_answers: words(),
  pays_slowly: words('INPROGRESS', 'COMPLETED'),
  fails_then_pays: words('REJECTED', 'COMPLETED'),
  returned: words('COMPLETED', 'REJECTED'),
  pays_more: { ...words('COMPLETED'), extra: 100n },
  unavailable: { push: 'unavailable', words: [] },
  ambiguous_pays: { push: 'ambiguous', words: ['COMPLETED'] },
  ambiguous_never: { push: 'ambiguous', words: [] },
  fail_pays: { push: 'fail', words: ['COMPLETED'] },
  success_rejected: { push: 'success', words: ['REJECTED'] },
  odd_envelope: { ...words('COMPLETED'), odd: 'envelope' },
  odd_word: { ...words('COMPLETED'), odd: 'word' },
} as const satisfies Record<string, PayerFate>

/** The answer about a payout. `upstream`: FAIL in the words that the gateway also uses when it does not know the outcome. */
export type Saying =
  | 'success'
  | 'pending'
  | 'ambiguous'
  | 'fail'
  | 'recipient'
  | 'limit'
  | 'upstream'
  | 'contradiction'
  | 'unseen'

/** Where the money is. pending: it has left the float and is not with the receiver. */
export type Truth = 'pending' | 'paid' | 'failed' | 'returned'

/** The course of a payout: the answer to its request, then its steps, with a pause before each but the first. */
export type PayeeFate = {
  process: Saying
  moments: readonly [{ truth: Truth; query: Saying }, ...{ truth: Truth; query: Saying }[]]
}

const goes = (process: Saying, ...moments: [[Truth, Saying], ...[Truth, Saying][]]): PayeeFate => {
  const [first, ...later] = moments.map(([truth, query]) => ({ truth, query }))
  if (first === undefined) throw new Error('a payout has at least one moment')
  return { process, moments: [first, ...later] }
}

/** Fates of payouts. The first seven are consistent. */
export const PAYEE_FATES = {
  pays: goes('success', ['paid', 'success']),
  pending_pays: goes('pending', ['pending', 'pending'], ['paid', 'success']),
  pending_fails: goes('pending', ['pending', 'pending'], ['failed', 'fail']),
  declined: goes('fail', ['failed', 'fail']),
  unknown_recipient: goes('recipient', ['failed', 'recipient']),
  over_limit: goes('limit', ['failed', 'limit']),
  ambiguous_pays: goes('ambiguous', ['paid', 'ambiguous'], ['paid', 'success']),
  ambiguous_fails: goes('ambiguous', ['pending', 'ambiguous'], ['failed', 'fail']),
  ambiguous_ever: goes('ambiguous', ['pending', 'ambiguous']),
  returned: goes('success', ['paid', 'success'], ['returned', 'fail']),
  success_unpaid: goes('success', ['failed', 'fail']),
  fail_paid: goes('fail', ['paid', 'success']),
  upstream_pays: goes('upstream', ['pending', 'ambiguous'], ['paid', 'success']),
  contradiction_pays: goes('contradiction', ['paid', 'contradiction'], ['paid', 'success']),
  unseen_pays: goes('unseen', ['pending', 'unseen'], ['paid', 'success']),
} as const satisfies Record<string, PayeeFate>

/** The callbacks of one order. */
export const CALLBACK_KINDS = {
  plain: 'is sent once',
  lost: 'is never sent',
  duplicate: 'is sent three times at once',
  late: 'is sent late',
  reordered: 'is followed by an older one that says PENDING',
  unsigned: 'comes without the signing headers',
  forged: 'comes after one that claims COMPLETED before the payment, signed with a foreign secret',
  tampered: 'has ten times the amount, in a field that its signature does not cover',
} as const

/** Name of a fate of a payment. */
export type PayerFateName = keyof typeof PAYER_FATES
/** Name of a fate of a payout. */
export type PayeeFateName = keyof typeof PAYEE_FATES
/** Name of a fate of callbacks. */
export type CallbackKind = keyof typeof CALLBACK_KINDS

/** A fault of a call, and whether the call was executed. */
export const WIRE_FAULTS = {
  delay: { executes: true, happens: 'is answered late' },
  hang_before: { executes: false, happens: 'hangs, not carried out' },
  hang_after: { executes: true, happens: 'hangs, carried out' },
  reset_before: { executes: false, happens: 'is reset, not carried out' },
  reset_after: { executes: true, happens: 'is reset in the middle of its answer, carried out' },
  html_before: { executes: false, happens: 'gets a 502 page, not carried out' },
  html_after: { executes: true, happens: 'gets a 502 page, carried out' },
  empty: { executes: true, happens: 'gets 200 without a body, carried out' },
  truncated: { executes: true, happens: 'gets 200 with half of the JSON, carried out' },
  limited: { executes: false, happens: 'gets 429, not carried out' },
  wall: { executes: false, happens: 'gets a 403 page of a firewall, not carried out' },
  blocked: { executes: false, happens: 'gets 403: our address is not on the list (4032), not carried out' },
} as const

/** Name of a fault of a call. */
export type WireFault = keyof typeof WIRE_FAULTS

/** The calls of the gateway by purpose. */
export const CALLS = ['create', 'push', 'status', 'cancel', 'list', 'payout', 'query', 'lookup', 'balance'] as const
/** The purpose of a call. */
export type Call = (typeof CALLS)[number]
