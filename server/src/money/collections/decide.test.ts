// Tests the moves that each provider's answer causes in each status of a collection.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../../adapters/providers/port.ts'
import { contradicts, decideAnswer, decideReview, decideTimeout, describeOutcome, wasDeclined } from './decide.ts'
import { type CollectionCore, isUnvalued } from './snapshot.ts'
import { type CollectionMoveName, mayMoveCollection, moves, STATUSES, type Status } from './state.ts'

const AMOUNT = 100_000n
const provider_fields = { provider_status: 'WORD' }
const ANSWERS = {
  succeeded: { kind: 'succeeded', amount_minor: AMOUNT, currency: 'TZS', ...provider_fields },
  'succeeded with more': { kind: 'succeeded', amount_minor: AMOUNT + 1n, currency: 'TZS', ...provider_fields },
  'succeeded with less': { kind: 'succeeded', amount_minor: 1n, currency: 'TZS', ...provider_fields },
  'succeeded in another currency': { kind: 'succeeded', amount_minor: AMOUNT, currency: 'USD', ...provider_fields },
  held: { kind: 'held', amount_minor: AMOUNT, currency: 'TZS', ...provider_fields },
  reversed: { kind: 'reversed', amount_minor: AMOUNT, currency: 'TZS', ...provider_fields },
  declined: { kind: 'declined', reason: 'wrong_pin', ...provider_fields },
  accepted: { kind: 'accepted', ...provider_fields },
  not_found: { kind: 'not_found', ...provider_fields },
  unknown: { kind: 'unknown', why: 'timeout', ...provider_fields },
} as const satisfies Record<string, Answer>

type Name = keyof typeof ANSWERS | 'deadline'
const NOTHING: [Name, string][] = [
  ['accepted', ''],
  ['not_found', ''],
  ['unknown', ''],
]
const OPEN: [Name, string][] = [
  ['succeeded', 'succeed:collection_settled'],
  ['succeeded with more', 'hold:collection_held'],
  ['succeeded with less', 'hold:collection_held'],
  ['succeeded in another currency', 'hold:'],
  ['held', 'hold:collection_held'],
  ['reversed', 'succeed:collection_settled reverse:collection_reversed'],
  ['declined', 'fail:'],
  ['deadline', 'fail:'],
  ...NOTHING,
]
/** The moves that each answer causes in each status, with the posting of each move. */
const TABLE: Record<Status, [Name, string][]> = {
  created: OPEN,
  processing: OPEN,
  // After a failure, a late success credits the money, but a second failure changes no status.
  failed: OPEN.map(([name, expected]) => [name, name === 'declined' || name === 'deadline' ? '' : expected]),
  successful: [
    ['succeeded', ''],
    ['succeeded with more', ''],
    ['succeeded with less', ''],
    ['succeeded in another currency', ''],
    ['held', ''],
    ['reversed', 'reverse:collection_reversed'],
    ['declined', ''],
    ['deadline', ''],
    ...NOTHING,
  ],
  pending_clearance: [
    ['succeeded', ''],
    ['succeeded with more', ''],
    ['succeeded with less', ''],
    ['succeeded in another currency', ''],
    ['held', ''],
    ['reversed', 'reverseHeld:collection_held_reversed'],
    ['declined', ''],
    ['deadline', ''],
    ...NOTHING,
  ],
  reversed: [
    ['succeeded', ''],
    ['succeeded with more', ''],
    ['succeeded with less', ''],
    ['succeeded in another currency', ''],
    ['held', ''],
    ['reversed', ''],
    ['declined', ''],
    ['deadline', ''],
    ...NOTHING,
  ],
}

function coreIn(status: Status, more: Partial<CollectionCore> = {}): CollectionCore {
  const received = ['successful', 'pending_clearance', 'reversed'].includes(status)
  return {
    status,
    amount_minor: AMOUNT,
    fee_minor: 500n,
    currency: 'TZS',
    amount_received_minor: received ? AMOUNT : null,
    foreign_amount_minor: null,
    foreign_currency: null,
    failure_reason_code: status === 'failed' ? 'wrong_pin' : null,
    superseded: false,
    ...more,
  }
}

for (const status of STATUSES) {
  describe(`a collection that is ${status}`, () => {
    for (const [name, expected] of TABLE[status]) {
      test(`${name === 'deadline' ? 'the passed deadline' : `the answer "${name}" of the provider`} about a ${status} collection causes ${expected || 'no move'}`, () => {
        const steps = name === 'deadline' ? decideTimeout(coreIn(status)) : decideAnswer(coreIn(status), ANSWERS[name])
        assert.equal(steps.map((step) => `${step.move}:${step.posting?.fact ?? ''}`).join(' '), expected)
        for (const step of steps) {
          assert.equal(
            step.failure_reason_code,
            step.move !== 'fail' ? null : name === 'deadline' ? 'timeout' : 'wrong_pin',
          )
        }
      })
    }
    test(`the table of moves has a row for every answer about a ${status} collection`, () => {
      assert.equal(new Set(TABLE[status].map(([name]) => name)).size, Object.keys(ANSWERS).length + 1)
    })
  })
}

test('a success credits the requested amount less the stored fee, and a hold books the received amount without a fee', () => {
  assert.deepEqual(decideAnswer(coreIn('processing'), ANSWERS.succeeded)[0]?.posting, {
    fact: 'collection_settled',
    amount_minor: AMOUNT,
    fee_minor: 500n,
  })
  const [hold] = decideAnswer(coreIn('processing'), ANSWERS['succeeded with more'])
  assert.deepEqual(hold?.posting, { fact: 'collection_held', amount_minor: AMOUNT + 1n, fee_minor: 0n })
  assert.equal(hold?.amount_received_minor, AMOUNT + 1n)
})

describe('an answer that contradicts the booked outcome', () => {
  const FINAL = [
    'succeeded',
    'succeeded with more',
    'succeeded with less',
    'succeeded in another currency',
    'held',
    'declined',
  ]
  const DENIES: Partial<Record<Status, string[]>> = {
    successful: FINAL.slice(1),
    // The operator who decides about held money must see every later final answer, except a reversal of the held amount.
    pending_clearance: FINAL,
    reversed: FINAL.slice(1),
  }
  for (const status of STATUSES) {
    for (const [name, answer] of Object.entries(ANSWERS)) {
      const denies = DENIES[status]?.includes(name) ?? false
      test(`the answer "${name}" ${denies ? 'contradicts' : 'does not contradict'} a collection that is ${status}`, () =>
        assert.equal(contradicts(coreIn(status), answer), denies))
    }
  }
  test('the reversal of another amount contradicts the booked amount', () => {
    const answer: Answer = { kind: 'reversed', amount_minor: 7n, currency: 'TZS', ...provider_fields }
    for (const status of ['successful', 'pending_clearance', 'reversed'] as const)
      assert.equal(contradicts(coreIn(status), answer), true)
  })
  test('the description of an answer names the outcome, amount and currency, or the reason, and an open answer has no description', () => {
    assert.equal(describeOutcome(ANSWERS['succeeded in another currency']), 'succeeded 1000.00 USD')
    assert.equal(describeOutcome(ANSWERS.declined), 'declined wrong_pin')
    assert.equal(describeOutcome(ANSWERS.unknown), null)
  })
})

test('a reversal debits the booked amount, even if the provider now reports another amount', () => {
  const answer: Answer = { kind: 'reversed', amount_minor: 7n, currency: 'TZS', ...provider_fields }
  assert.equal(decideAnswer(coreIn('successful'), answer)[0]?.posting?.amount_minor, AMOUNT)
  assert.equal(
    decideAnswer(coreIn('pending_clearance', { amount_received_minor: 42n }), answer)[0]?.posting?.amount_minor,
    42n,
  )
})

test('a reversal before any booked arrival causes a hold and then a reversal of the reported amount', () => {
  const answer: Answer = { kind: 'reversed', amount_minor: 7n, currency: 'TZS', ...provider_fields }
  const steps = decideAnswer(coreIn('processing'), answer)
  assert.deepEqual(
    steps.map((step) => [step.move, step.posting?.fact, step.posting?.amount_minor]),
    [
      ['hold', 'collection_held', 7n],
      ['reverseHeld', 'collection_held_reversed', 7n],
    ],
  )
})

test('money in another currency has no amount in shillings until an operator states the amount', () => {
  const cases: [bigint | null, string | null, boolean][] = [
    [null, 'USD', true],
    [42n, 'USD', false],
    [42n, null, false],
    [null, null, false],
  ]
  for (const [amount_received_minor, foreign_currency, expected] of cases) {
    assert.equal(isUnvalued({ amount_received_minor, foreign_currency }), expected)
  }
})

describe('the decision of an operator about held money', () => {
  const held = (more: Partial<CollectionCore> = {}) => coreIn('pending_clearance', more)
  const postingOf = (of: CollectionCore, decision: 'approve' | 'decline') => decideReview(of, decision)[0]?.posting
  test('an approval credits the received amount, less the stored fee', () => {
    assert.deepEqual(decideReview(held({ amount_received_minor: 42_000n }), 'approve'), [
      {
        move: 'clear',
        failure_reason_code: null,
        amount_received_minor: 42_000n,
        posting: { fact: 'collection_cleared', amount_minor: 42_000n, fee_minor: 500n },
      },
    ])
  })
  test('an approval charges no fee if the fee is not less than the received amount', () => {
    for (const [received, fee_minor] of [
      [501n, 500n],
      [500n, 0n],
      [499n, 0n],
      [1n, 0n],
    ] as const)
      assert.equal(postingOf(held({ amount_received_minor: received }), 'approve')?.fee_minor, fee_minor)
  })
  test('a decline posts the received amount as declined without a fee, and the payment fails', () => {
    assert.deepEqual(decideReview(held({ amount_received_minor: 42_000n }), 'decline'), [
      {
        move: 'decline',
        failure_reason_code: 'review_declined',
        amount_received_minor: 42_000n,
        posting: { fact: 'collection_declined', amount_minor: 42_000n, fee_minor: 0n },
      },
    ])
  })
  for (const status of STATUSES.filter((one) => one !== 'pending_clearance')) {
    test(`the decision of an operator about a collection that is ${status} causes no move`, () => {
      for (const decision of ['approve', 'decline'] as const)
        assert.deepEqual(decideReview(coreIn(status, { amount_received_minor: AMOUNT }), decision), [])
    })
  }
  test('a reversal of a cleared payment debits the credited amount, and returns the fee if the approval charged a fee', () => {
    const answer: Answer = { kind: 'reversed', amount_minor: 42_000n, currency: 'TZS', ...provider_fields }
    for (const [received, fee_minor] of [
      [42_000n, 500n],
      [500n, 0n],
    ] as const) {
      const [step] = decideAnswer(coreIn('successful', { amount_received_minor: received }), answer)
      assert.deepEqual(step?.posting, { fact: 'collection_reversed', amount_minor: received, fee_minor })
    }
  })
  describe('a payment after a declined review', () => {
    const declined = coreIn('failed', { failure_reason_code: 'review_declined', amount_received_minor: AMOUNT })
    test('no answer of the provider moves money after a declined review, not even a success', () => {
      assert.ok(wasDeclined(declined))
      for (const answer of Object.values(ANSWERS)) assert.deepEqual(decideAnswer(declined, answer), [])
      assert.deepEqual(decideTimeout(declined), [])
    })
    test('an answer after a declined review contradicts the books only if the answer reports money', () => {
      for (const [name, answer] of Object.entries(ANSWERS))
        assert.equal(contradicts(declined, answer), 'amount_minor' in answer, name)
    })
    test('a payment that a review declined before any money arrived may still succeed', () => {
      const refused = coreIn('failed', { failure_reason_code: 'review_declined' })
      assert.ok(!wasDeclined(refused))
      assert.equal(decideAnswer(refused, ANSWERS.succeeded)[0]?.move, 'succeed')
    })
  })
})

describe('moves of a collection', () => {
  const ALLOWED: Record<CollectionMoveName, Status[]> = {
    succeed: ['created', 'processing', 'failed'],
    fail: ['created', 'processing'],
    hold: ['created', 'processing', 'failed'],
    reverse: ['successful'],
    reverseHeld: ['pending_clearance'],
    clear: ['pending_clearance'],
    decline: ['pending_clearance'],
  }
  for (const [name, from] of Object.entries(ALLOWED) as [CollectionMoveName, Status[]][]) {
    for (const status of STATUSES) {
      test(`the move ${name} ${from.includes(status) ? 'may' : 'may not'} start from the status ${status}`, () =>
        assert.equal(mayMoveCollection(name, status), from.includes(status)))
    }
  }
  test('no move starts from the status reversed, and no move ends in the status created or processing', () => {
    for (const move of Object.values(moves)) {
      assert.ok(!(move.from as readonly Status[]).includes('reversed'))
      assert.ok(!['created', 'processing'].includes(move.to))
    }
  })
  test('only a reversal starts from the status successful', () => {
    const leaving = Object.values(moves).filter((move) => (move.from as readonly Status[]).includes('successful'))
    assert.deepEqual(
      leaving.map((move) => move.to),
      ['reversed'],
    )
  })
})
