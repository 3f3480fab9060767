// Tests the comparison of statement lines with our books by a table of examples.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BookedMovement, compareSubject, type StoredLine } from './compare.ts'

const AT = new Date('2026-01-05T07:00:00Z')

const payment: BookedMovement = {
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
const payout: BookedMovement = { ...payment, flow: 'payout', status: 'SUCCESS', charge_minor: 20n }
const failed = { moved: false, ended: true } as const
const open = { moved: false } as const
const returned = { returned: true } as const

function line(kind: StoredLine['kind'], amount_minor = 1_000n, currency = 'TZS'): StoredLine {
  return { kind, amount_minor, currency, statement_id: 's', line_number: 2, reference: 'R', provider_id: 'P', at: AT }
}

const [payment_line, payout_line, reversal_line] = [line('payment'), line('payout'), line('reversal')]

/**
 * The differences of each row, each as "kind line difference". A question mark means that only a sweep of the period may open the
 * case.
 */
const CASES: [string, BookedMovement | null, StoredLine[], string[]][] = [
  ['a payment on both sides', payment, [payment_line], []],
  ['a payout on both sides', payout, [payout_line], []],
  ['a payment that our books do not have', null, [payment_line], ['unknown_to_us payment 1000']],
  ['a payout that our books do not have', null, [payout_line], ['unknown_to_us payout -1000']],
  ['a charge that our books do not have', null, [line('charge', 7n)], ['unknown_to_us charge -7']],
  [
    'a payment and a smaller charge that our books do not have',
    null,
    [line('charge', 7n), payment_line],
    ['unknown_to_us payment 993'],
  ],
  ['a payment that the provider does not state', payment, [], ['unknown_to_them payment -1000 ?']],
  ['a payout that the provider does not state', payout, [], ['unknown_to_them payout 1000 ?']],
  ['a failed payment that the provider does not state', { ...payment, ...failed }, [], []],
  ['an open payment that the provider does not state', { ...payment, ...open }, [], []],
  [
    'a payment with a larger amount at the provider',
    payment,
    [line('payment', 1_200n)],
    ['amount_differs payment 200'],
  ],
  ['a payout with a larger amount at the provider', payout, [line('payout', 1_200n)], ['amount_differs payout -200']],
  ['a payment in another currency', payment, [line('payment', 1_000n, 'USD')], ['amount_differs payment -1000']],
  [
    'a failed payment that the provider states',
    { ...payment, ...failed },
    [payment_line],
    ['outcome_differs payment 1000'],
  ],
  [
    'an open payment that the provider states',
    { ...payment, ...open },
    [payment_line],
    ['outcome_differs payment 1000'],
  ],
  [
    'a failed payout that the provider states',
    { ...payout, ...failed },
    [payout_line],
    ['outcome_differs payout -1000'],
  ],
  [
    'a failed payment that the provider paid and reversed',
    { ...payment, ...failed },
    [payment_line, reversal_line],
    [],
  ],
  ['an open payout that the provider paid and reversed', { ...payout, ...open }, [payout_line, reversal_line], []],
  ['a payment reversed on both sides', { ...payment, ...returned }, [payment_line, reversal_line], []],
  [
    'a payment reversed only at the provider',
    payment,
    [payment_line, reversal_line],
    ['outcome_differs reversal -1000'],
  ],
  ['a payout reversed only at the provider', payout, [payout_line, reversal_line], ['outcome_differs reversal 1000']],
  [
    'a payment reversed only in our books',
    { ...payment, ...returned },
    [payment_line],
    ['outcome_differs reversal 1000 ?'],
  ],
  [
    'a payout reversed only in our books',
    { ...payout, ...returned },
    [payout_line],
    ['outcome_differs reversal -1000 ?'],
  ],
  [
    'a reversal of another amount',
    { ...payment, ...returned },
    [payment_line, line('reversal', 900n)],
    ['amount_differs reversal 100'],
  ],
  ['a failed payment of which the provider states only the reversal', { ...payment, ...failed }, [reversal_line], []],
  [
    'an open payment of which the provider states only the reversal',
    { ...payment, ...open },
    [reversal_line],
    ['outcome_differs reversal -1000'],
  ],
  ['the expected charge of a payout', payout, [payout_line, line('charge', 20n)], []],
  [
    'a charge of a payout with another amount',
    payout,
    [payout_line, line('charge', 25n)],
    ['amount_differs charge -5'],
  ],
  ['a charge of a payment, which the comparison ignores', payment, [payment_line, line('charge', 25n)], []],
  // If a reversal has another amount or currency than the movement, it does not cancel the movement.
  [
    'a failed payout that the provider paid and reversed in part',
    { ...payout, ...failed },
    [payout_line, line('reversal', 100n)],
    ['outcome_differs payout -900'],
  ],
  [
    'a failed payment that the provider paid and reversed in another currency',
    { ...payment, ...failed },
    [payment_line, line('reversal', 1_000n, 'USD')],
    ['outcome_differs payment 1000'],
  ],
  [
    'an open payment with a reversal that is larger than the payment',
    { ...payment, ...open },
    [payment_line, line('reversal', 1_500n)],
    ['outcome_differs reversal -500'],
  ],
  // The payouts of these rows have charges.
  ['a charge of a failed payout', { ...payout, ...failed }, [line('charge', 20n)], ['outcome_differs charge -20']],
  [
    'a failed payout that the provider reversed without its charge',
    { ...payout, ...failed },
    [payout_line, reversal_line, line('charge', 20n)],
    ['outcome_differs charge -20'],
  ],
  [
    'a failed payout that the provider paid and charged',
    { ...payout, ...failed },
    [payout_line, line('charge', 20n)],
    ['outcome_differs payout -1020'],
  ],
  ['a charge in another currency', payout, [payout_line, line('charge', 20n, 'USD')], ['amount_differs charge 20']],
  // The comparison adds the two differences of one kind.
  [
    'a payout with another amount and another charge',
    payout,
    [line('payout', 1_200n), line('charge', 25n)],
    ['amount_differs payout -205'],
  ],
  // If the provider's movements and our movements both add up to zero, the books and the provider agree.
  ['a payout reversed in our books that the provider does not state', { ...payout, ...returned }, [], []],
  ['a payment reversed in our books that the provider does not state', { ...payment, ...returned }, [], []],
  [
    'a payout reversed in our books that the provider paid',
    { ...payout, ...returned },
    [payout_line],
    ['outcome_differs reversal -1000 ?'],
  ],
  ['a payout under the reference of a payment', payment, [payment_line, payout_line], ['unknown_to_us payout -1000']],
]

for (const [name, ours, lines, expected] of CASES) {
  test(`the comparison finds the differences of ${name}`, () => {
    const found = compareSubject({ ours, lines }).map(
      ({ kind, line_kind, difference_minor, opens_only_in_sweep }) =>
        `${kind} ${line_kind} ${difference_minor}${opens_only_in_sweep ? ' ?' : ''}`,
    )
    assert.deepEqual(found, expected)
  })
}

test('the comparison uses the currency of our books, or the currency of the line when the books have no money', () => {
  const amounts = (ours: BookedMovement | null, lines: StoredLine[]) =>
    compareSubject({ ours, lines }).map(({ theirs_minor, theirs_currency, ours_minor, currency, difference_minor }) => [
      `${theirs_minor} ${theirs_currency}`,
      `${ours_minor} ${currency}`,
      difference_minor,
    ])
  assert.deepEqual(amounts(payout, [line('payout', 300n, 'USD')]), [['300 USD', '1000 TZS', 1_000n]])
  assert.deepEqual(amounts({ ...payout, ...failed }, [line('payout', 300n, 'USD')]), [['300 USD', 'null USD', -300n]])
  const both = [line('payout', 300n, 'USD'), line('reversal', 40n)]
  assert.deepEqual(
    amounts({ ...payout, ...failed }, both),
    [['40 TZS', 'null TZS', 40n]],
    'of two currencies, the currency of our books',
  )
})
