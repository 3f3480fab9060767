// Defines the possible courses of a payment or a payout, by name. A magic number or a chance chooses the course.

/** The statuses of an order that the gateway documents. */
export type OrderStatus = 'PENDING' | 'INPROGRESS' | 'COMPLETED' | 'CANCELLED' | 'USERCANCELLED' | 'REJECTED'

/** The course of a payment: how the payer and the payer's network react to a prompt or a scan. */
export type PayerFate = {
  /** The kind of answer to the push. */
  push: 'pending' | 'success' | 'fail' | 'unavailable' | 'ambiguous'
  /**
   * The later statuses of the order, with a pause before each status. At COMPLETED, the twin takes the payer's money.
   */
  statuses: readonly OrderStatus[]
  /**
   * The shillings that the payer pays in addition to the amount of the order. The real gateway takes exactly the amount, so
   * this field only tests the check of the caller.
   */
  overpaid?: bigint
  /** The fault of the first status answer: a contradiction or an undocumented status. */
  odd?: 'envelope' | 'word'
}

const goesThrough = (...list: OrderStatus[]): PayerFate => ({ push: 'pending', statuses: list })

/**
 * The courses of payments. The gateway has no code for a wrong PIN or a low balance, so both are REJECTED. The gateway
 * documents no reversal, so `returned` is a guess.
 */
export const PAYER_FATES = {
  pays: goesThrough('COMPLETED'),
  wrong_pin: goesThrough('REJECTED'),
  low_balance: goesThrough('REJECTED'),
  cancels: goesThrough('USERCANCELLED'),
  declined: goesThrough('REJECTED'),
  runs_out: goesThrough('CANCELLED'),
  never_answers: goesThrough(),
  pays_slowly: goesThrough('INPROGRESS', 'COMPLETED'),
  fails_then_pays: goesThrough('REJECTED', 'COMPLETED'),
  returned: goesThrough('COMPLETED', 'REJECTED'),
  pays_more: { ...goesThrough('COMPLETED'), overpaid: 100n },
  unavailable: { push: 'unavailable', statuses: [] },
  ambiguous_pays: { push: 'ambiguous', statuses: ['COMPLETED'] },
  ambiguous_never: { push: 'ambiguous', statuses: [] },
  fail_pays: { push: 'fail', statuses: ['COMPLETED'] },
  success_rejected: { push: 'success', statuses: ['REJECTED'] },
  odd_envelope: { ...goesThrough('COMPLETED'), odd: 'envelope' },
  odd_word: { ...goesThrough('COMPLETED'), odd: 'word' },
} as const satisfies Record<string, PayerFate>

/**
 * The kind of answer about a payout. `upstream` is FAIL with the text that the gateway also uses for an unknown outcome.
 */
export type ReplyKind =
  | 'success'
  | 'pending'
  | 'ambiguous'
  | 'fail'
  | 'recipient'
  | 'limit'
  | 'upstream'
  | 'contradiction'
  | 'unseen'

/**
 * The true state of a payout's money. `pending` means that the money has left the float but has not reached the receiver.
 */
export type Truth = 'pending' | 'paid' | 'failed' | 'returned'

/**
 * The course of a payout: the answer to the payout request, then the steps. The first step happens immediately, and a pause
 * comes before each further step.
 */
export type PayeeFate = {
  process: ReplyKind
  moments: readonly [{ truth: Truth; query: ReplyKind }, ...{ truth: Truth; query: ReplyKind }[]]
}

const goes = (process: ReplyKind, ...moments: [[Truth, ReplyKind], ...[Truth, ReplyKind][]]): PayeeFate => {
  const [first, ...later] = moments.map(([truth, query]) => ({ truth, query }))
  if (first === undefined) throw new Error('a fate of a payout must have at least one step')
  return { process, moments: [first, ...later] }
}

/** The courses of payouts. In the courses before `success_unpaid`, no answer contradicts the truth. */
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

/**
 * The ways in which the twin sends the callbacks of one order, with a description of each for the table of magic numbers.
 */
export const CALLBACK_KINDS = {
  plain: 'is sent once',
  lost: 'is never sent',
  duplicate: 'is sent three times at the same time',
  late: 'is sent late',
  reordered: 'comes before an older callback with PENDING',
  unsigned: 'comes without the signing headers',
  forged: 'comes after a forged callback with COMPLETED before the payment, signed with a foreign secret',
  tampered: 'has ten times the amount, in a field that its signature does not cover',
} as const

/** The name of a course of a payment, as the control API uses it. */
export type PayerFateName = keyof typeof PAYER_FATES
/** The name of a course of a payout, as rates and magic numbers use it. */
export type PayeeFateName = keyof typeof PAYEE_FATES
/** The name of a way to send callbacks, as rates and magic numbers use it. */
export type CallbackKind = keyof typeof CALLBACK_KINDS

/** The faults of a call. If `executes` is true, the twin executes the call in spite of the fault. */
export const WIRE_FAULTS = {
  delay: { executes: true, happens: 'is answered late' },
  hang_before: { executes: false, happens: 'hangs, not executed' },
  hang_after: { executes: true, happens: 'hangs, executed' },
  reset_before: { executes: false, happens: 'is reset, not executed' },
  reset_after: { executes: true, happens: 'is reset in the middle of its answer, executed' },
  html_before: { executes: false, happens: 'gets a 502 page, not executed' },
  html_after: { executes: true, happens: 'gets a 502 page, executed' },
  empty: { executes: true, happens: 'gets 200 without a body, executed' },
  truncated: { executes: true, happens: 'gets 200 with half of the JSON, executed' },
  limited: { executes: false, happens: 'gets 429, not executed' },
  wall: { executes: false, happens: 'gets a 403 page of a firewall, not executed' },
  blocked: { executes: false, happens: 'gets 403, because the list has no such address (4032), not executed' },
} as const

/** The name of a fault of a call, as rates and magic numbers use it. */
export type WireFault = keyof typeof WIRE_FAULTS

/** The kinds of calls. Rates and counts of faults use these names. */
export const CALLS = ['create', 'push', 'status', 'cancel', 'list', 'payout', 'query', 'lookup', 'balance'] as const
/** The kind of a call. Several paths of the gateway can have the same kind. */
export type Call = (typeof CALLS)[number]
