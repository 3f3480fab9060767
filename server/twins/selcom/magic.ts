// The magic numbers: the behaviour of a phone or account that ends in three given digits. Behaviour, documentation and the
// printed list come from this one table. Numbers below 100 are payers (the msisdn of a push; for a scanned code, and for
// faults of the creation, the buyer_phone), those from 100 receivers of payouts. Rates of faults do not apply to such a
// number. A fault strikes the first such call of each order or payout, and never again.

import type { Call, WireFault } from './fates.ts'
import { CALLBACK_KINDS, type CallbackKind, type PayeeFateName, type PayerFateName, WIRE_FAULTS } from './fates.ts'

/** One row of the table. */
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

/** One row for each fault of a call, from `first` on in the order of WIRE_FAULTS. */
const faultNumbers = (call: Call, first: number, name: string): MagicNumber[] =>
  Object.entries(WIRE_FAULTS).map(([kind, { happens }], index) => ({
    ending: String(first + index).padStart(3, '0'),
    happens: `${name} ${happens}`,
    fault: { call, kind: kind as WireFault },
  }))

/** One row for each callback fate of a paid order. */
const callbacksFrom = (first: number): MagicNumber[] =>
  Object.entries(CALLBACK_KINDS).map(([kind, happens], index) =>
    payer(String(first + index).padStart(3, '0'), 'pays', `pays; the callback ${happens}`, kind as CallbackKind),
  )

/** The table, by ending. The first rows equal those of the mock provider, as far as the gateway has them. */
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  payer('001', 'pays', 'pays'),
  payer('002', 'wrong_pin', 'wrong PIN: REJECTED'),
  payer('003', 'low_balance', 'not enough balance: REJECTED'),
  payer('004', 'cancels', 'the payer cancels: USERCANCELLED'),
  payer('005', 'declined', 'the network declines: REJECTED'),
  payer('006', 'runs_out', 'the prompt runs out: CANCELLED'),
  payer('007', 'never_answers', 'never answers: stays PENDING'),
  payer('008', 'pays', 'pays; the callback is never sent', 'lost'),
  payer('009', 'pays', 'pays; the callback is sent three times', 'duplicate'),
  payer('010', 'fails_then_pays', 'REJECTED first, COMPLETED afterwards'),
  payer('011', 'pays_more', 'pays 100 shillings more than asked (the real gateway cannot)'),
  payer(
    '012',
    'returned',
    'COMPLETED first, REJECTED afterwards, the money returned (the real gateway has no reversal)',
  ),
  payer('013', 'unavailable', 'the push is refused: service unavailable (151)'),
  payer('014', 'ambiguous_pays', 'the push is answered AMBIGOUS (999), then paid'),
  payer('015', 'ambiguous_never', 'the push is answered AMBIGOUS (999), never paid'),
  payer('016', 'pays_slowly', 'INPROGRESS for a while, then paid'),
  payer('017', 'fail_pays', 'the push is answered FAIL, and paid nevertheless'),
  payer('018', 'success_rejected', 'the push is answered SUCCESS (000), and REJECTED'),
  payer('019', 'odd_envelope', 'pays; the first status answer says 000 and FAIL at once'),
  ...faultNumbers('push', 20, 'pays; the push'),
  ...faultNumbers('create', 40, 'pays; the creation'),
  ...faultNumbers('status', 60, 'pays; the first status query'),
  ...callbacksFrom(80),
  payer('090', 'odd_word', 'pays; the first status answer has an unknown word'),
  payee('101', 'pays', 'paid'),
  payee('102', 'declined', 'declined'),
  payee('103', 'ambiguous_ever', 'AMBIGOUS (999), and stays so'),
  {
    ending: '104',
    happens: 'our address is refused (4032) once; asked again it is paid',
    fault: { call: 'payout', kind: 'blocked' },
  },
  payee('105', 'returned', 'SUCCESS, then the money comes back and the query says FAIL'),
  payee('106', 'pending_pays', 'in progress, then paid'),
  payee('107', 'pending_fails', 'in progress, then failed'),
  payee('108', 'ambiguous_pays', 'AMBIGOUS, paid at once, the query says so later'),
  payee('109', 'ambiguous_fails', 'AMBIGOUS, then failed'),
  payee('110', 'unknown_recipient', 'no such receiver (010); the name look-up says so too'),
  payee('111', 'over_limit', 'over the limit of the receiver (013)'),
  payee('112', 'success_unpaid', 'SUCCESS, but never paid: the query says FAIL'),
  payee('113', 'fail_paid', 'FAIL, but paid: the query says SUCCESS'),
  payee('114', 'upstream_pays', 'FAIL 403, no answer from upstream; paid later'),
  payee('115', 'contradiction_pays', '000 and FAIL at once; paid, the query says so later'),
  payee('116', 'unseen_pays', 'an unknown result code; paid later'),
  ...faultNumbers('payout', 120, 'paid; the request'),
  ...faultNumbers('query', 140, 'in progress, then paid; the first query'),
]

const BY_ENDING = new Map(MAGIC_NUMBERS.map((row) => [row.ending, row]))

/** The row of a payer's phone, or null. */
export function magicPayer(number: string | null): MagicNumber | null {
  const row = rowOf(number)
  return row !== null && row.ending < '100' ? row : null
}

/** The row of a receiver's phone or account, or null. */
export function magicPayee(number: string | null): MagicNumber | null {
  const row = rowOf(number)
  return row !== null && row.ending >= '100' ? row : null
}

function rowOf(number: string | null): MagicNumber | null {
  return (number !== null && BY_ENDING.get(number.slice(-3))) || null
}

/** The table as text. */
export function magicText(): string {
  const lines = (title: string, rows: readonly MagicNumber[]) =>
    `${title}\n${rows.map(({ ending, happens }) => `  ${ending}  ${happens}`).join('\n')}\n`
  const [payers, payees] = [
    MAGIC_NUMBERS.filter(({ ending }) => ending < '100'),
    MAGIC_NUMBERS.filter(({ ending }) => ending >= '100'),
  ]
  return `${lines('Payers: phones that end in', payers)}\n${lines('Receivers of payouts: phones and accounts that end in', payees)}`
}
