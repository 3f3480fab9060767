// Defines the magic numbers: the last three digits of a phone or account choose its behaviour. Endings below 100 are for
// payers: the msisdn of a push or the buyer_phone of an order. Endings from 100 are for receivers of payouts. Rates do not
// apply to magic numbers.

import type { Call, WireFault } from './fates.ts'
import { CALLBACK_KINDS, type CallbackKind, type PayeeFateName, type PayerFateName, WIRE_FAULTS } from './fates.ts'

/** A row of the table of magic numbers: a number ending and its behaviour. */
export type MagicNumber = {
  ending: string
  happens: string
  payer?: PayerFateName
  payee?: PayeeFateName
  callbacks?: CallbackKind
  fault?: { call: Call; kind: WireFault }
}

const payer = (
  ending: string,
  fate: PayerFateName,
  happens: string,
  callbacks: CallbackKind = 'plain',
): MagicNumber => ({
  ending,
  happens,
  payer: fate,
  callbacks,
})
const payee = (ending: string, fate: PayeeFateName, happens: string): MagicNumber => ({ ending, happens, payee: fate })

/**
 * Makes one row for each fault of a call, with endings from `first` on, in the order of WIRE_FAULTS. Only the first such call
 * of each order or payout has the fault.
 */
const faultNumbers = (call: Call, first: number, name: string): MagicNumber[] =>
  Object.entries(WIRE_FAULTS).map(([kind, { happens }], index) => ({
    ending: String(first + index).padStart(3, '0'),
    happens: `${name} ${happens}`,
    fault: { call, kind: kind as WireFault },
  }))

/** Makes one row for each way of sending the callbacks of a paid order. */
const callbacksFrom = (first: number): MagicNumber[] =>
  Object.entries(CALLBACK_KINDS).map(([kind, happens], index) =>
    payer(String(first + index).padStart(3, '0'), 'pays', `pays; the callback ${happens}`, kind as CallbackKind),
  )

/** The rows by ending. The endings 001 to 013 have the courses of the same endings at the mock provider. */
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  payer('001', 'pays', 'pays'),
  payer('002', 'wrong_pin', 'wrong PIN: REJECTED'),
  payer('003', 'low_balance', 'not enough balance: REJECTED'),
  payer('004', 'cancels', 'the payer cancels: USERCANCELLED'),
  payer('005', 'declined', 'the network declines: REJECTED'),
  payer('006', 'runs_out', 'the prompt expires: CANCELLED'),
  payer('007', 'never_answers', 'the payer never answers: PENDING'),
  payer('008', 'pays', 'pays; the callback is never sent', 'lost'),
  payer('009', 'pays', 'pays; the callback is sent three times', 'duplicate'),
  payer('010', 'fails_then_pays', 'REJECTED first, COMPLETED afterwards'),
  payer('011', 'pays_more', 'pays 100 shillings more than the order (the real gateway cannot)'),
  payer(
    '012',
    'returned',
    'COMPLETED first, REJECTED afterwards, with the money returned (the real gateway has no reversal)',
  ),
  payer('013', 'unavailable', 'the push gets the refusal "service unavailable" (151)'),
  payer('014', 'ambiguous_pays', 'the push gets AMBIGOUS (999), then paid'),
  payer('015', 'ambiguous_never', 'the push gets AMBIGOUS (999), never paid'),
  payer('016', 'pays_slowly', 'INPROGRESS for a while, then paid'),
  payer('017', 'fail_pays', 'the push gets FAIL, but the payer pays'),
  payer('018', 'success_rejected', 'the push gets SUCCESS (000), but the payer rejects: REJECTED'),
  payer('019', 'odd_envelope', 'pays; the first status answer has 000 together with FAIL'),
  ...faultNumbers('push', 20, 'pays; the push'),
  ...faultNumbers('create', 40, 'pays; the creation'),
  ...faultNumbers('status', 60, 'pays; the first status query'),
  ...callbacksFrom(80),
  payer('090', 'odd_word', 'pays; the first status answer has an unknown status'),
  payee('101', 'pays', 'paid'),
  payee('102', 'declined', 'declined'),
  payee('103', 'ambiguous_ever', 'AMBIGOUS (999), and stays so'),
  {
    ending: '104',
    happens: 'the twin refuses the address (4032) once, and pays the repeated request',
    fault: { call: 'payout', kind: 'blocked' },
  },
  payee('105', 'returned', 'SUCCESS, then the money comes back and the query has FAIL'),
  payee('106', 'pending_pays', 'in progress, then paid'),
  payee('107', 'pending_fails', 'in progress, then failed'),
  payee('108', 'ambiguous_pays', 'AMBIGOUS, paid immediately, and the query has SUCCESS later'),
  payee('109', 'ambiguous_fails', 'AMBIGOUS, then failed'),
  payee('110', 'unknown_recipient', 'no such receiver (010); the name look-up has the same answer'),
  payee('111', 'over_limit', 'over the limit of the receiver (013)'),
  payee('112', 'success_unpaid', 'SUCCESS, but never paid, and the query has FAIL'),
  payee('113', 'fail_paid', 'FAIL, but paid, and the query has SUCCESS'),
  payee('114', 'upstream_pays', 'FAIL 403, no answer from upstream; paid later'),
  payee('115', 'contradiction_pays', '000 together with FAIL; paid, and the query has SUCCESS later'),
  payee('116', 'unseen_pays', 'an unknown result code; paid later'),
  ...faultNumbers('payout', 120, 'paid; the request'),
  ...faultNumbers('query', 140, 'in progress, then paid; the first query'),
]

const BY_ENDING = new Map(MAGIC_NUMBERS.map((row) => [row.ending, row]))

/** Returns the row of a payer's phone. If the phone is no magic number, returns null. */
export function magicPayer(number: string | null): MagicNumber | null {
  const row = rowOf(number)
  return row !== null && row.ending < '100' ? row : null
}

/** Returns the row of a receiver's phone or account. If the number is no magic number, returns null. */
export function magicPayee(number: string | null): MagicNumber | null {
  const row = rowOf(number)
  return row !== null && row.ending >= '100' ? row : null
}

function rowOf(number: string | null): MagicNumber | null {
  return (number !== null && BY_ENDING.get(number.slice(-3))) || null
}

/** Returns the table as text for the terminal. */
export function magicText(): string {
  const lines = (title: string, rows: readonly MagicNumber[]) =>
    `${title}\n${rows.map(({ ending, happens }) => `  ${ending}  ${happens}`).join('\n')}\n`
  const [payers, payees] = [
    MAGIC_NUMBERS.filter(({ ending }) => ending < '100'),
    MAGIC_NUMBERS.filter(({ ending }) => ending >= '100'),
  ]
  return `${lines('Payers: phones that end in', payers)}\n${lines('Receivers of payouts: phones and accounts that end in', payees)}`
}
