// What lines mean beside our books, case by case.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge, type Ours, type Stated } from './judge.ts'

const AT = new Date('2026-01-05T07:00:00Z')

const payment: Ours = {
  flow: 'payment',
  status: 'successful',
  moved: true,
  returned: false,
  ended: false,
  amount_minor: 1_000n,
  currency: 'TZS',
  charge_minor: null,
  at: AT,
}
const payout: Ours = { ...payment, flow: 'payout', status: 'SUCCESS', charge_minor: 20n }
const failed = { moved: false, ended: true } as const
const open = { moved: false } as const
const returned = { returned: true } as const

function line(kind: Stated['kind'], amount_minor = 1_000n, currency = 'TZS'): Stated {
  return { kind, amount_minor, currency, statement_id: 's', line_number: 2, reference: 'R', provider_id: 'P', at: AT }
}

const [paid, out, back] = [line('payment'), line('payout'), line('reversal')]

/** Each difference as "kind line difference", with a question mark where only a sweep of the period may open it. */
const CASES: [string, Ours | null, Stated[], string[]][] = [
  ['a payment that both have', payment, [paid], []],
  ['a payout that both have', payout, [out], []],
  ['nothing of ours, a payment', null, [paid], ['unknown_to_us payment 1000']],
  ['nothing of ours, a payout', null, [out], ['unknown_to_us payout -1000']],
  ['nothing of ours, a charge', null, [line('charge', 7n)], ['unknown_to_us charge -7']],
  ['nothing of ours, a payment and a smaller charge', null, [line('charge', 7n), paid], ['unknown_to_us payment 993']],
  ['a payment that they do not have', payment, [], ['unknown_to_them payment -1000 ?']],
  ['a payout that they do not have', payout, [], ['unknown_to_them payout 1000 ?']],
  ['a failed payment that they do not have', { ...payment, ...failed }, [], []],
  ['an open payment that they do not have', { ...payment, ...open }, [], []],
  ['a larger payment', payment, [line('payment', 1_200n)], ['amount_differs payment 200']],
  ['a larger payout', payout, [line('payout', 1_200n)], ['amount_differs payout -200']],
  ['a payment in another currency', payment, [line('payment', 1_000n, 'USD')], ['amount_differs payment -1000']],
  ['a failed payment that they have', { ...payment, ...failed }, [paid], ['outcome_differs payment 1000']],
  ['an open payment that they have', { ...payment, ...open }, [paid], ['outcome_differs payment 1000']],
  ['a failed payout that they have', { ...payout, ...failed }, [out], ['outcome_differs payout -1000']],
  ['a failed payment, paid and taken back there', { ...payment, ...failed }, [paid, back], []],
  ['an open payout, paid and returned there', { ...payout, ...open }, [out, back], []],
  ['a payment taken back on both sides', { ...payment, ...returned }, [paid, back], []],
  ['a payment taken back there alone', payment, [paid, back], ['outcome_differs reversal -1000']],
  ['a payout returned there alone', payout, [out, back], ['outcome_differs reversal 1000']],
  ['a payment taken back here alone', { ...payment, ...returned }, [paid], ['outcome_differs reversal 1000 ?']],
  ['a payout returned here alone', { ...payout, ...returned }, [out], ['outcome_differs reversal -1000 ?']],
  [
    'another amount taken back',
    { ...payment, ...returned },
    [paid, line('reversal', 900n)],
    ['amount_differs reversal 100'],
  ],
  ['a failed payment of which only the way back is stated', { ...payment, ...failed }, [back], []],
  [
    'an open payment of which only the way back is stated',
    { ...payment, ...open },
    [back],
    ['outcome_differs reversal -1000'],
  ],
  ['the charge of a payout as it was priced', payout, [out, line('charge', 20n)], []],
  ['another charge of a payout', payout, [out, line('charge', 25n)], ['amount_differs charge -5']],
  ['a charge of a payment, which our books do not have', payment, [paid, line('charge', 25n)], []],
  // The way back is compared to the cent.
  [
    'a failed payout, paid and only partly returned there',
    { ...payout, ...failed },
    [out, line('reversal', 100n)],
    ['outcome_differs payout -900'],
  ],
  [
    'a failed payment, paid and taken back in another currency',
    { ...payment, ...failed },
    [paid, line('reversal', 1_000n, 'USD')],
    ['outcome_differs payment 1000'],
  ],
  [
    'an open payment of which more was taken back than paid',
    { ...payment, ...open },
    [paid, line('reversal', 1_500n)],
    ['outcome_differs reversal -500'],
  ],
  // Charges.
  ['a charge of a payout that failed', { ...payout, ...failed }, [line('charge', 20n)], ['outcome_differs charge -20']],
  [
    'a failed payout that was returned there without its charge',
    { ...payout, ...failed },
    [out, back, line('charge', 20n)],
    ['outcome_differs charge -20'],
  ],
  [
    'a failed payout that was paid there, and its charge taken',
    { ...payout, ...failed },
    [out, line('charge', 20n)],
    ['outcome_differs payout -1020'],
  ],
  ['a charge in another currency', payout, [out, line('charge', 20n, 'USD')], ['amount_differs charge 20']],
  // Nothing is lost of two differences of one kind.
  [
    'another amount and another charge',
    payout,
    [line('payout', 1_200n), line('charge', 25n)],
    ['amount_differs payout -205'],
  ],
  // Both sides agree that nothing is left.
  ['a payout that we took back, and of which they know nothing', { ...payout, ...returned }, [], []],
  ['a payment that we gave back, and of which they know nothing', { ...payment, ...returned }, [], []],
  ['a payout that we took back and they paid', { ...payout, ...returned }, [out], ['outcome_differs reversal -1000 ?']],
  ['a payout under the reference of a payment', payment, [paid, out], ['unknown_to_us payout -1000']],
]

for (const [name, ours, lines, expected] of CASES) {
  test(name, () => {
    const found = judge({ ours, lines }).map(
      ({ kind, line_kind, difference_minor, only_in_period }) =>
        `${kind} ${line_kind} ${difference_minor}${only_in_period ? ' ?' : ''}`,
    )
    assert.deepEqual(found, expected)
  })
}

test('a difference is told in the currency in which it is counted', () => {
  const told = (ours: Ours | null, lines: Stated[]) =>
    judge({ ours, lines }).map(({ theirs_minor, theirs_currency, ours_minor, currency, difference_minor }) => [
      `${theirs_minor} ${theirs_currency}`,
      `${ours_minor} ${currency}`,
      difference_minor,
    ])
  assert.deepEqual(told(payout, [line('payout', 300n, 'USD')]), [['300 USD', '1000 TZS', 1_000n]])
  assert.deepEqual(told({ ...payout, ...failed }, [line('payout', 300n, 'USD')]), [['300 USD', 'null USD', -300n]])
  const both = [line('payout', 300n, 'USD'), line('reversal', 40n)]
  assert.deepEqual(told({ ...payout, ...failed }, both), [['40 TZS', 'null TZS', 40n]], 'of two currencies, ours')
})
