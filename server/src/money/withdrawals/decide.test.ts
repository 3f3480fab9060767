// Tests that every answer of a provider causes the expected moves in every status and for each possible place of the money.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import {
  decidePayout,
  describePayoutAnswer,
  isFinalAnswer,
  type PayoutDecisionInput,
  paidEffect,
  releaseEffect,
  reversalEffect,
} from './decide.ts'
import { type Funds, moves, STATUSES, type WithdrawalStatus } from './state.ts'

const AMOUNT = 100_000n
const FEE = 700n
const CHARGE = 50n
const provider_fields = { provider_status: 'WORD' }
const ANSWERS = {
  succeeded: { kind: 'succeeded', amount_minor: AMOUNT, currency: 'TZS', ...provider_fields },
  'succeeded with more': { kind: 'succeeded', amount_minor: AMOUNT + 1n, currency: 'TZS', ...provider_fields },
  'succeeded with less': { kind: 'succeeded', amount_minor: 1n, currency: 'TZS', ...provider_fields },
  'succeeded in another currency': { kind: 'succeeded', amount_minor: AMOUNT, currency: 'USD', ...provider_fields },
  declined: { kind: 'declined', reason: 'unknown_recipient', ...provider_fields },
  reversed: { kind: 'reversed', amount_minor: AMOUNT, currency: 'TZS', charge_returned: false, ...provider_fields },
  'reversed with its charge': {
    kind: 'reversed',
    amount_minor: AMOUNT,
    currency: 'TZS',
    charge_returned: true,
    ...provider_fields,
  },
  'reversed with less': {
    kind: 'reversed',
    amount_minor: 7n,
    currency: 'TZS',
    charge_returned: false,
    ...provider_fields,
  },
  'reversed in another currency': {
    kind: 'reversed',
    amount_minor: AMOUNT,
    currency: 'USD',
    charge_returned: false,
    ...provider_fields,
  },
  blocked: { kind: 'blocked', ...provider_fields },
  accepted: { kind: 'accepted', ...provider_fields },
  not_sent: { kind: 'not_sent', ...provider_fields },
  not_found: { kind: 'not_found', ...provider_fields },
  unknown: { kind: 'unknown', why: 'timeout', ...provider_fields },
} as const satisfies Record<string, PayoutAnswer>
type Name = keyof typeof ANSWERS
const NAMES = Object.keys(ANSWERS) as Name[]
const FINAL = NAMES.filter((name) => isFinalAnswer(ANSWERS[name]))
const OPEN = NAMES.filter((name) => !isFinalAnswer(ANSWERS[name]))

/**
 * The expected moves with the posting of each move. The text 'noted' means a contradiction, and an empty text means no move.
 */
type Expected = Record<Name, string>

const all = (expected: string, but: Partial<Record<Name, string>> = {}): Expected =>
  Object.fromEntries(FINAL.map((name) => [name, but[name] ?? expected])) as Expected

/** If the server never received the answer about the payment, a reversal causes these two moves. */
const BOTH = 'succeed:withdrawal_paid reverse:withdrawal_reversed'
/** The moves of an approved withdrawal without a final answer. If an answer has another amount, the withdrawal needs attention. */
const UNSETTLED = all('alarm:', {
  succeeded: 'succeed:withdrawal_paid',
  declined: 'fail:withdrawal_released',
  reversed: BOTH,
  'reversed with its charge': BOTH,
})

/** Every status with each possible place of the money, and the moves that each final answer causes. */
const TABLE: [WithdrawalStatus, Funds, Expected][] = [
  // The server has not sent these payouts, so it only notes the answers.
  ['PENDING_ADMIN_APPROVAL', 'none', all('noted')],
  ['INFO_REQUESTED', 'none', all('noted')],
  ['REJECTED', 'none', all('noted')],
  ['CANCELLED', 'none', all('noted')],
  // An operator recalled the payout before any process sent it, so no provider can have paid it.
  ['CANCELLED', 'released', all('alarm:', { declined: '', reversed: 'noted', 'reversed with its charge': 'noted' })],
  ['PROCESSING', 'reserved', UNSETTLED],
  ['NEEDS_RECONCILIATION', 'reserved', UNSETTLED],
  ['BLOCKED_IP_WHITELIST', 'reserved', UNSETTLED],
  [
    'SUCCESS',
    'paid',
    all('alarm:', {
      succeeded: '',
      reversed: 'reverse:withdrawal_reversed',
      'reversed with its charge': 'reverse:withdrawal_reversed',
    }),
  ],
  // The ledger has released the money, so only an operator can book a late payment.
  ['FAILED', 'released', all('alarm:', { declined: '', reversed: 'noted', 'reversed with its charge': 'noted' })],
  // An operator's decision returned the money, so no further move is possible.
  ['FAILED', 'returned', all('noted', { declined: '' })],
  ['REVERSED', 'returned', all('noted', { reversed: '', 'reversed with its charge': '' })],
  ['NEEDS_ADMIN_ATTENTION', 'reserved', all('noted')],
  ['NEEDS_ADMIN_ATTENTION', 'paid', all('noted')],
  ['NEEDS_ADMIN_ATTENTION', 'released', all('noted')],
]

function inputAt(status: WithdrawalStatus, funds: Funds, more: Partial<PayoutDecisionInput> = {}): PayoutDecisionInput {
  return {
    status,
    funds,
    amount_minor: AMOUNT,
    total_charges_minor: FEE + CHARGE,
    total_reserved_minor: AMOUNT + FEE + CHARGE,
    processor_charge_minor: CHARGE,
    processor_fee_pass_through: true,
    currency: 'TZS',
    booked_minor: funds === 'none' ? 0n : AMOUNT + FEE + CHARGE,
    sent_at: new Date(0),
    overdue: false,
    ...more,
  }
}

function outcomeOf(at: PayoutDecisionInput, answer: PayoutAnswer): string {
  const { steps, noted } = decidePayout(at, answer)
  const moved = steps.map((step) => `${step.move}:${step.effect?.fact ?? ''}`)
  return [...moved, ...(noted === null ? [] : ['noted'])].join(' ')
}

for (const [status, funds, expected] of TABLE) {
  describe(`a ${status} withdrawal with ${funds} funds`, () => {
    for (const name of FINAL) {
      const result = expected[name]
      test(`the answer "${name}" about a ${status} withdrawal with ${funds} funds causes "${result || 'no move'}"`, () => {
        for (const sent_at of [null, new Date(0)]) {
          for (const overdue of [false, true])
            assert.equal(outcomeOf(inputAt(status, funds, { sent_at, overdue }), ANSWERS[name]), result)
        }
      })
    }
    if (status === 'PROCESSING') return
    for (const name of OPEN) {
      test(`the answer "${name}" causes no move of a ${status} withdrawal with ${funds} funds`, () => {
        for (const sent_at of [null, new Date(0)]) {
          for (const overdue of [false, true])
            assert.equal(outcomeOf(inputAt(status, funds, { sent_at, overdue }), ANSWERS[name]), '')
        }
      })
    }
  })
}

describe('a PROCESSING withdrawal after an open answer', () => {
  /** The moves of an unsent payout and of a sent payout before the deadline, and then of both payouts after the deadline. */
  const CASES: Record<string, readonly [string, string, string, string]> = {
    accepted: ['', '', 'doubt:', 'doubt:'],
    // If a request got no answer, the provider may have paid. If the provider accepted the payout, the server only queries again.
    unknown: ['doubt:', '', 'doubt:', 'doubt:'],
    // If a provider accepted the payout and no longer finds it, the provider contradicts itself.
    not_found: ['', 'doubt:', 'doubt:', 'doubt:'],
    not_sent: ['', '', 'doubt:', 'doubt:'],
    // The provider accepted the payout before, so a refusal does not prove a failure.
    blocked: ['block:', '', 'block:', 'doubt:'],
  }
  for (const name of OPEN) {
    const expected = CASES[name] ?? []
    const [unsent, sent, late_unsent, late_sent] = expected.map((move) => move.replace(':', '') || 'no move')
    test(`the answer "${name}" causes ${unsent} before and ${late_unsent} after the deadline for an unsent payout, and ${sent} and ${late_sent} for a sent payout`, () => {
      const at = (sent_at: Date | null, overdue: boolean) =>
        outcomeOf(inputAt('PROCESSING', 'reserved', { sent_at, overdue }), ANSWERS[name])
      assert.deepEqual([at(null, false), at(new Date(0), false), at(null, true), at(new Date(0), true)], expected)
    })
  }
})

describe('the table of decisions', () => {
  test('the table of decisions has a row for every status, with every final answer', () => {
    assert.deepEqual([...new Set(TABLE.map(([status]) => status))].sort(), [...STATUSES].sort())
    for (const [, , expected] of TABLE) assert.deepEqual(Object.keys(expected).sort(), [...FINAL].sort())
  })

  test('no answer moves a withdrawal before its approval or after the return of its money', () => {
    for (const [status, funds] of TABLE) {
      if (funds !== 'none' && funds !== 'returned') continue
      for (const name of NAMES) assert.deepEqual(decidePayout(inputAt(status, funds), ANSWERS[name]).steps, [])
    }
  })

  test('every decided move is a move of the provider and starts at the status at which the previous move ended', () => {
    for (const [status, funds] of TABLE) {
      for (const name of NAMES) {
        let at: WithdrawalStatus = status
        for (const step of decidePayout(inputAt(status, funds, { overdue: true }), ANSWERS[name]).steps) {
          assert.ok((moves[step.move].from as readonly WithdrawalStatus[]).includes(at), `${step.move} of ${at}`)
          assert.equal(moves[step.move].by, 'provider')
          assert.notEqual(step.why, null, 'the history has the answer')
          at = moves[step.move].to
        }
      }
    }
  })

  test('a repeated answer causes no move after the decision about the first answer', () => {
    for (const [status, funds] of TABLE) {
      for (const name of FINAL) {
        const { steps } = decidePayout(inputAt(status, funds), ANSWERS[name])
        const last = steps.at(-1)
        if (last === undefined || last.move === 'alarm') continue
        const after = inputAt(moves[last.move].to, last.funds)
        assert.deepEqual(decidePayout(after, ANSWERS[name]), { steps: [], noted: null }, `${status} ${name}`)
      }
    }
  })
})

const ALARMING: WithdrawalStatus[] = [
  'PROCESSING',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
]

describe('a reservation in the ledger that differs from the record', () => {
  for (const [status, funds] of TABLE) {
    for (const booked_minor of [0n, AMOUNT, AMOUNT + FEE + CHARGE + 1n]) {
      if (funds === 'none') continue
      test(`no money moves and the reason names the ledger's reservation when the ledger reserved ${booked_minor} for a ${status} withdrawal with ${funds} funds`, () => {
        for (const name of FINAL) {
          const { steps, noted } = decidePayout(inputAt(status, funds, { booked_minor }), ANSWERS[name])
          const alarms: boolean = ALARMING.includes(status) && funds !== 'returned'
          assert.deepEqual(
            steps.map((step) => [step.move, step.effect, step.funds]),
            alarms ? [['alarm', null, funds]] : [],
          )
          assert.equal(noted === null, alarms)
          assert.match(steps[0]?.why ?? noted ?? '', /^the ledger reserved [\d.]+ of 1007\.50; the provider answered /)
        }
      })
    }
  }
})

describe('postings of a payout', () => {
  const platform = { processor_fee_pass_through: false, total_charges_minor: FEE, total_reserved_minor: AMOUNT + FEE }
  const merchants = { fee_minor: FEE, charge_minor: CHARGE, charge_borne_by: 'merchant' }
  const ours = { fee_minor: FEE, charge_minor: CHARGE, charge_borne_by: 'platform' }

  test('the posting of a payment has the amount, our fee and the provider’s charge, and names the party that bears the charge', () => {
    const fact = 'withdrawal_paid'
    assert.deepEqual(paidEffect(inputAt('PROCESSING', 'reserved')), { fact, amount_minor: AMOUNT, ...merchants })
    assert.deepEqual(paidEffect(inputAt('PROCESSING', 'reserved', platform)), { fact, amount_minor: AMOUNT, ...ours })
  })

  test('the posting of a payment is withdrawal_paid for reserved money, and withdrawal_paid_late for released money', () => {
    assert.equal(paidEffect(inputAt('NEEDS_ADMIN_ATTENTION', 'reserved')).fact, 'withdrawal_paid')
    assert.equal(paidEffect(inputAt('NEEDS_ADMIN_ATTENTION', 'released')).fact, 'withdrawal_paid_late')
  })

  test('the posting of a payment equals its reservation to the cent', () => {
    for (const more of [{}, platform]) {
      const at = inputAt('PROCESSING', 'reserved', more)
      const { amount_minor, fee_minor, charge_minor, charge_borne_by } = paidEffect(at)
      const taken = amount_minor + fee_minor + (charge_borne_by === 'merchant' ? charge_minor : 0n)
      assert.equal(taken, at.total_reserved_minor)
    }
  })

  test('the posting of a release equals the reservation', () => {
    assert.deepEqual(releaseEffect(inputAt('PROCESSING', 'reserved')), {
      fact: 'withdrawal_released',
      amount_minor: AMOUNT + FEE + CHARGE,
      fee_minor: 0n,
      charge_minor: 0n,
      charge_borne_by: 'platform',
    })
  })

  test('the posting of a reversal has the amount and our fee, and the provider’s charge only when the provider returns the charge', () => {
    const fact = 'withdrawal_reversed'
    const at = inputAt('SUCCESS', 'paid')
    assert.deepEqual(reversalEffect(at, true), { fact, amount_minor: AMOUNT, ...merchants })
    assert.deepEqual(reversalEffect(at, false), { fact, amount_minor: AMOUNT, ...merchants, charge_minor: 0n })
    assert.deepEqual(decidePayout(at, ANSWERS.reversed).steps[0]?.effect, reversalEffect(at, false))
    assert.deepEqual(decidePayout(at, ANSWERS['reversed with its charge']).steps[0]?.effect, reversalEffect(at, true))
  })

  test('only a declined payout has a failure reason', () => {
    for (const [status, funds] of TABLE) {
      for (const name of NAMES) {
        for (const { move, failure } of decidePayout(inputAt(status, funds), ANSWERS[name]).steps)
          assert.equal(failure, move === 'fail' ? 'unknown_recipient' : null)
      }
    }
  })
})

test('the text of an answer has the outcome with amount and currency, or with the reason', () => {
  assert.equal(describePayoutAnswer(ANSWERS['succeeded in another currency']), 'succeeded 1000.00 USD')
  assert.equal(describePayoutAnswer(ANSWERS['reversed with less']), 'reversed 0.07 TZS')
  assert.equal(describePayoutAnswer(ANSWERS.declined), 'declined unknown_recipient')
  assert.equal(describePayoutAnswer(ANSWERS.unknown), 'unknown timeout')
  assert.equal(describePayoutAnswer(ANSWERS.accepted), 'accepted')
  assert.equal(describePayoutAnswer(ANSWERS.blocked), 'blocked')
  assert.equal(describePayoutAnswer({ ...ANSWERS.blocked, because: 'float' }), 'blocked float')
})
