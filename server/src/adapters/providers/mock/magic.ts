// Defines the magic numbers of the mock provider. The last three digits of a payer's phone, or of a payout's destination,
// choose the outcome or the name. Behaviour and documentation come from the three tables in this file.

import type { FailureReason, PayoutFailure } from '../port.ts'

/** One result of a payment. `extra_minor` is the difference in cents between the paid and the requested amount. */
export type MockPaymentResult =
  | { kind: 'succeeded'; extra_minor?: bigint }
  | { kind: 'held' | 'reversed' }
  | { kind: 'declined'; reason: FailureReason }

/** The outcome of a payment that a magic ending, `simulate_status` or chance chooses. */
export type MockPaymentFate = {
  /** The results in their order. An empty list means that the provider never decides. */
  results: readonly MockPaymentResult[]
  /** The number of callbacks for each result. */
  callbacks: number
  /** If true, the answer to the request already contains the only result. */
  at_once?: true
}

/** A row of a table of magic numbers. */
type MockMagicNumberRow<Any> = { ending: string; happens: string; ends_as: string; fate: Any }
/** A row of the table of payments. `happens_sw` is the Swahili label on the payment page. */
export type MagicNumber = MockMagicNumberRow<MockPaymentFate> & { happens_sw: string }

const SUCCESS: MockPaymentResult = { kind: 'succeeded' }
const OTHER_AMOUNT_EXTRA_MINOR = 100_00n

function declined(reason: FailureReason): MockPaymentFate {
  return { results: [{ kind: 'declined', reason }], callbacks: 1 }
}

/** The table of payments, by the last three digits of the payer's phone. */
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  {
    ending: '001',
    happens: 'approved by the payer',
    happens_sw: 'mlipaji anathibitisha',
    ends_as: '`successful`, always',
    fate: { results: [SUCCESS], callbacks: 1 },
  },
  {
    ending: '002',
    happens: 'wrong PIN',
    happens_sw: 'PIN si sahihi',
    ends_as: '`failed` with `wrong_pin`',
    fate: declined('wrong_pin'),
  },
  {
    ending: '003',
    happens: 'not enough balance',
    happens_sw: 'salio halitoshi',
    ends_as: '`failed` with `insufficient_balance`',
    fate: declined('insufficient_balance'),
  },
  {
    ending: '004',
    happens: 'the payer cancels',
    happens_sw: 'mlipaji anaghairi',
    ends_as: '`failed` with `user_cancelled`',
    fate: declined('user_cancelled'),
  },
  {
    ending: '005',
    happens: 'the network declines',
    happens_sw: 'mtandao unakataa',
    ends_as: '`failed` with `provider_declined`',
    fate: declined('provider_declined'),
  },
  {
    ending: '006',
    happens: 'the prompt expires',
    happens_sw: 'muda wa kuthibitisha unaisha',
    ends_as: '`failed` with `expired`',
    fate: declined('expired'),
  },
  {
    ending: '007',
    happens: 'the provider never gives a final answer',
    happens_sw: 'mtoa huduma hatoi jibu la mwisho',
    ends_as: '`processing`, then `failed` with `timeout` at the deadline',
    fate: { results: [], callbacks: 0 },
  },
  {
    ending: '008',
    happens: 'success, but the provider sends no callback',
    happens_sw: 'malipo yanafanikiwa, lakini mtoa huduma hatumi taarifa',
    ends_as: '`successful`, found by a query',
    fate: { results: [SUCCESS], callbacks: 0 },
  },
  {
    ending: '009',
    happens: 'success, and the provider sends three callbacks',
    happens_sw: 'malipo yanafanikiwa, mtoa huduma anatuma taarifa mara tatu',
    ends_as: '`successful`, credited once',
    fate: { results: [SUCCESS], callbacks: 3 },
  },
  {
    ending: '010',
    happens: 'failure reported first, success afterwards',
    happens_sw: 'kwanza yanashindikana, kisha yanafanikiwa',
    ends_as: '`failed`, then `successful`',
    fate: { results: [{ kind: 'declined', reason: 'provider_declined' }, SUCCESS], callbacks: 1 },
  },
  {
    ending: '011',
    happens: 'the provider took another amount (100 shillings more)',
    happens_sw: 'mtoa huduma anachukua kiasi kingine (shilingi 100 zaidi)',
    ends_as: '`pending_clearance`',
    fate: { results: [{ kind: 'succeeded', extra_minor: OTHER_AMOUNT_EXTRA_MINOR }], callbacks: 1 },
  },
  {
    ending: '012',
    happens: 'success, reversed afterwards',
    happens_sw: 'malipo yanafanikiwa, kisha yanarudishwa',
    ends_as: '`successful`, then `reversed`',
    fate: { results: [SUCCESS, { kind: 'reversed' }], callbacks: 1 },
  },
  {
    ending: '013',
    happens: 'the provider is down',
    happens_sw: 'mtoa huduma hapatikani',
    ends_as: '`failed` with `provider_unavailable`',
    fate: { results: [{ kind: 'declined', reason: 'provider_unavailable' }], callbacks: 0, at_once: true },
  },
  {
    ending: '014',
    happens: 'held for review',
    happens_sw: 'malipo yanazuiwa ili yakaguliwe',
    ends_as: '`pending_clearance`',
    fate: { results: [{ kind: 'held' }], callbacks: 1 },
  },
]

/** One result of an accepted payout at the mock provider. */
export type MockPayoutResult =
  | { kind: 'succeeded' }
  | { kind: 'reversed'; charge_returned: boolean }
  | { kind: 'declined'; reason: PayoutFailure }

/**
 * The outcome of a payout. `taken`: the provider accepts the payout and reports its results. `unclear`: the provider never
 * reports a result. `refused`: the provider refuses the sender's address and executes nothing.
 */
export type MockPayoutFate =
  | { request: 'taken'; results: readonly MockPayoutResult[]; callbacks: number }
  | { request: 'unclear' }
  | { request: 'refused' }

/** A row of the table of payouts: an ending of the destination with its outcome. */
export type PayoutMagicNumber = MockMagicNumberRow<MockPayoutFate>

const PAID: MockPayoutResult = { kind: 'succeeded' }

/** The outcome of a payout to a destination without a magic ending. */
export const PAYOUT_PAID: MockPayoutFate = { request: 'taken', results: [PAID], callbacks: 1 }

/** The table of payouts, by the last three digits of the destination. */
export const PAYOUT_MAGIC_NUMBERS: readonly PayoutMagicNumber[] = [
  {
    ending: '102',
    happens: 'the receiving network or bank declines',
    ends_as: '`FAILED` with `provider_declined`',
    fate: { request: 'taken', results: [{ kind: 'declined', reason: 'provider_declined' }], callbacks: 1 },
  },
  {
    ending: '103',
    happens: 'ambiguous: the provider never reports a result',
    ends_as: '`NEEDS_RECONCILIATION`, until an operator resolves it',
    fate: { request: 'unclear' },
  },
  {
    ending: '104',
    happens: 'the provider refuses the IP address of the platform each time',
    ends_as: '`BLOCKED_IP_WHITELIST`',
    fate: { request: 'refused' },
  },
  {
    ending: '105',
    happens: 'success, reversed afterwards; the provider keeps its charge',
    ends_as: '`SUCCESS`, then `REVERSED`',
    fate: { request: 'taken', results: [PAID, { kind: 'reversed', charge_returned: false }], callbacks: 1 },
  },
  {
    ending: '106',
    happens: 'success, but the provider sends no callback',
    ends_as: '`SUCCESS`, found by a query',
    fate: { request: 'taken', results: [PAID], callbacks: 0 },
  },
]

/** A row of the table of names: an ending of the destination, and the name on its account. */
export type NameMagicNumber = { ending: string; name: string }

/** The table of names, by the last three digits of the destination. The provider has no name for any other destination. */
export const NAME_MAGIC_NUMBERS: readonly NameMagicNumber[] = [
  { ending: '201', name: 'Asha Juma' },
  { ending: '202', name: 'Duka la Mfano' },
]

/** Returns the name that the ending of a destination chooses. Null means that the provider has no name. */
export function magicNameOf(destination_identifier: string): string | null {
  return NAME_MAGIC_NUMBERS.find(({ ending }) => destination_identifier.endsWith(ending))?.name ?? null
}
