// What a provider's word means for a withdrawal: every place where one can stand meets every answer.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { comeback, decide, isFinal, payment, release, type Standing, wordOf } from './decide.ts'
import { type Funds, moves, STATUSES, type Status } from './state.ts'

const AMOUNT = 100_000n
const FEE = 700n
const CHARGE = 50n
const said = { provider_status: 'WORD' }
const ANSWERS = {
  succeeded: { kind: 'succeeded', amount_minor: AMOUNT, currency: 'TZS', ...said },
  'succeeded with more': { kind: 'succeeded', amount_minor: AMOUNT + 1n, currency: 'TZS', ...said },
  'succeeded with less': { kind: 'succeeded', amount_minor: 1n, currency: 'TZS', ...said },
  'succeeded in another currency': { kind: 'succeeded', amount_minor: AMOUNT, currency: 'USD', ...said },
  declined: { kind: 'declined', reason: 'unknown_recipient', ...said },
  reversed: { kind: 'reversed', amount_minor: AMOUNT, currency: 'TZS', charge_returned: false, ...said },
  'reversed with its charge': {
    kind: 'reversed',
    amount_minor: AMOUNT,
    currency: 'TZS',
    charge_returned: true,
    ...said,
  },
  'reversed with less': { kind: 'reversed', amount_minor: 7n, currency: 'TZS', charge_returned: false, ...said },
  'reversed in another currency': {
    kind: 'reversed',
    amount_minor: AMOUNT,
    currency: 'USD',
    charge_returned: false,
    ...said,
  },
  blocked: { kind: 'blocked', ...said },
  accepted: { kind: 'accepted', ...said },
  not_sent: { kind: 'not_sent', ...said },
  not_found: { kind: 'not_found', ...said },
  unknown: { kind: 'unknown', why: 'timeout', ...said },
} as const satisfies Record<string, PayoutAnswer>
type Name = keyof typeof ANSWERS
const NAMES = Object.keys(ANSWERS) as Name[]
const FINAL = NAMES.filter((name) => isFinal(ANSWERS[name]))
const OPEN = NAMES.filter((name) => !isFinal(ANSWERS[name]))

/** What is expected: moves with the fact that each posts, 'noted', or nothing. */
type Expected = Record<Name, string>

const all = (expected: string, but: Partial<Record<Name, string>> = {}): Expected =>
  Object.fromEntries(FINAL.map((name) => [name, but[name] ?? expected])) as Expected

/** Paid and given back before anybody saw that it was paid. */
const BOTH = 'succeed:withdrawal_paid reverse:withdrawal_reversed'
/** Approved, and its end is not known: every end is possible, and another amount is for people. */
const UNSETTLED = all('alarm:', {
  succeeded: 'succeed:withdrawal_paid',
  declined: 'fail:withdrawal_released',
  reversed: BOTH,
  'reversed with its charge': BOTH,
})

/** Every place where a withdrawal can stand, and what each final answer comes to there. */
const TABLE: [Status, Funds, Expected][] = [
  // Nobody has sent anything: whatever a provider says is only written down.
  ['PENDING_ADMIN_APPROVAL', 'none', all('noted')],
  ['INFO_REQUESTED', 'none', all('noted')],
  ['REJECTED', 'none', all('noted')],
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
  // The money is the merchant's again: that it was paid after all is never booked without a person.
  ['FAILED', 'released', all('alarm:', { declined: '', reversed: 'noted', 'reversed with its charge': 'noted' })],
  // It left and came back, by an operator's word: every fact is booked, nothing can move any more.
  ['FAILED', 'returned', all('noted', { declined: '' })],
  ['REVERSED', 'returned', all('noted', { reversed: '', 'reversed with its charge': '' })],
  ['NEEDS_ADMIN_ATTENTION', 'reserved', all('noted')],
  ['NEEDS_ADMIN_ATTENTION', 'paid', all('noted')],
  ['NEEDS_ADMIN_ATTENTION', 'released', all('noted')],
]

function standing(status: Status, funds: Funds, more: Partial<Standing> = {}): Standing {
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

function outcomeOf(at: Standing, answer: PayoutAnswer): string {
  const { steps, noted } = decide(at, answer)
  const moved = steps.map((step) => `${step.move}:${step.effect?.fact ?? ''}`)
  return [...moved, ...(noted === null ? [] : ['noted'])].join(' ')
}

for (const [status, funds, expected] of TABLE) {
  describe(`a withdrawal that is ${status}, its money ${funds}`, () => {
    for (const name of FINAL) {
      const what = expected[name]
      test(`and the provider says ${name}: ${what === '' ? 'nothing new' : what}`, () => {
        for (const sent_at of [null, new Date(0)]) {
          for (const overdue of [false, true])
            assert.equal(outcomeOf(standing(status, funds, { sent_at, overdue }), ANSWERS[name]), what)
        }
      })
    }
    if (status === 'PROCESSING') return
    for (const name of OPEN) {
      test(`and the provider says ${name}: nothing new, however long it takes`, () => {
        for (const sent_at of [null, new Date(0)]) {
          for (const overdue of [false, true])
            assert.equal(outcomeOf(standing(status, funds, { sent_at, overdue }), ANSWERS[name]), '')
        }
      })
    }
  })
}

describe('a withdrawal that is PROCESSING, and the provider leaves its end open', () => {
  /** Not known to be sent · known to be sent · the same two when the deadline has passed. */
  const CASES: Record<string, readonly [string, string, string, string]> = {
    accepted: ['', '', 'doubt:', 'doubt:'],
    // Sent and not answered: it may have been paid. A question about one that was taken is only asked again.
    unknown: ['doubt:', '', 'doubt:', 'doubt:'],
    // It was taken and is gone: somebody is wrong.
    not_found: ['', 'doubt:', 'doubt:', 'doubt:'],
    not_sent: ['', '', 'doubt:', 'doubt:'],
    // Of one that was taken, a refusal says nothing: it may have been paid.
    blocked: ['block:', '', 'block:', 'doubt:'],
  }
  for (const name of OPEN) {
    const expected = CASES[name] ?? []
    test(`${name}: ${expected.map((what) => what || 'nothing').join(', ')}`, () => {
      const at = (sent_at: Date | null, overdue: boolean) =>
        outcomeOf(standing('PROCESSING', 'reserved', { sent_at, overdue }), ANSWERS[name])
      assert.deepEqual([at(null, false), at(new Date(0), false), at(null, true), at(new Date(0), true)], expected)
    })
  }
})

describe('the table', () => {
  test('names every status, and every answer in each', () => {
    assert.deepEqual([...new Set(TABLE.map(([status]) => status))].sort(), [...STATUSES].sort())
    for (const [, , expected] of TABLE) assert.deepEqual(Object.keys(expected).sort(), [...FINAL].sort())
  })

  test('no answer moves a withdrawal that nobody approved, or that has come back', () => {
    for (const [status, funds] of TABLE) {
      if (funds !== 'none' && funds !== 'returned') continue
      for (const name of NAMES) assert.deepEqual(decide(standing(status, funds), ANSWERS[name]).steps, [])
    }
  })

  test('the first move starts where it stands, each next one where the last one ended, and every move is a provider’s', () => {
    for (const [status, funds] of TABLE) {
      for (const name of NAMES) {
        let at: Status = status
        for (const step of decide(standing(status, funds, { overdue: true }), ANSWERS[name]).steps) {
          assert.ok((moves[step.move].from as readonly Status[]).includes(at), `${step.move} of ${at}`)
          assert.equal(moves[step.move].by, 'provider')
          assert.notEqual(step.why, null, 'the history says what was told')
          at = moves[step.move].to
        }
      }
    }
  })

  test('a decision repeated where it led says nothing new', () => {
    for (const [status, funds] of TABLE) {
      for (const name of FINAL) {
        const { steps } = decide(standing(status, funds), ANSWERS[name])
        const last = steps.at(-1)
        if (last === undefined || last.move === 'alarm') continue
        const after = standing(moves[last.move].to, last.funds)
        assert.deepEqual(decide(after, ANSWERS[name]), { steps: [], noted: null }, `${status} ${name}`)
      }
    }
  })
})

const ALARMING: Status[] = ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'SUCCESS', 'FAILED']

describe('a ledger that does not hold what the record says', () => {
  for (const [status, funds] of TABLE) {
    for (const booked_minor of [0n, AMOUNT, AMOUNT + FEE + CHARGE + 1n]) {
      if (funds === 'none') continue
      test(`${booked_minor} set aside for a withdrawal that is ${status}, its money ${funds}: nothing moves, people look`, () => {
        for (const name of FINAL) {
          const { steps, noted } = decide(standing(status, funds, { booked_minor }), ANSWERS[name])
          const alarms: boolean = ALARMING.includes(status) && funds !== 'returned'
          assert.deepEqual(
            steps.map((step) => [step.move, step.effect, step.funds]),
            alarms ? [['alarm', null, funds]] : [],
          )
          assert.equal(noted === null, alarms)
          assert.match(steps[0]?.why ?? noted ?? '', /^the ledger set aside [\d.]+ of 1007\.50; told /)
        }
      })
    }
  }
})

describe('what moves', () => {
  const platform = { processor_fee_pass_through: false, total_charges_minor: FEE, total_reserved_minor: AMOUNT + FEE }
  const merchants = { fee_minor: FEE, charge_minor: CHARGE, charge_borne_by: 'merchant' }
  const ours = { fee_minor: FEE, charge_minor: CHARGE, charge_borne_by: 'platform' }

  test('a payment: the amount, our fee, and the provider’s charge from whoever bears it', () => {
    const fact = 'withdrawal_paid'
    assert.deepEqual(payment(standing('PROCESSING', 'reserved')), { fact, amount_minor: AMOUNT, ...merchants })
    assert.deepEqual(payment(standing('PROCESSING', 'reserved', platform)), { fact, amount_minor: AMOUNT, ...ours })
  })

  test('from wherever it lies: out of what was set aside, or out of what is available again', () => {
    assert.equal(payment(standing('NEEDS_ADMIN_ATTENTION', 'reserved')).fact, 'withdrawal_paid')
    assert.equal(payment(standing('NEEDS_ADMIN_ATTENTION', 'released')).fact, 'withdrawal_paid_late')
  })

  test('what a payment takes is what was reserved, to the cent', () => {
    for (const more of [{}, platform]) {
      const at = standing('PROCESSING', 'reserved', more)
      const { amount_minor, fee_minor, charge_minor, charge_borne_by } = payment(at)
      const taken = amount_minor + fee_minor + (charge_borne_by === 'merchant' ? charge_minor : 0n)
      assert.equal(taken, at.total_reserved_minor)
    }
  })

  test('a release: all that was reserved, and nothing else', () => {
    assert.deepEqual(release(standing('PROCESSING', 'reserved')), {
      fact: 'withdrawal_released',
      amount_minor: AMOUNT + FEE + CHARGE,
      fee_minor: 0n,
      charge_minor: 0n,
      charge_borne_by: 'platform',
    })
  })

  test('a reversal: amount and our fee, and the provider’s charge only when it was given back', () => {
    const fact = 'withdrawal_reversed'
    const at = standing('SUCCESS', 'paid')
    assert.deepEqual(comeback(at, true), { fact, amount_minor: AMOUNT, ...merchants })
    assert.deepEqual(comeback(at, false), { fact, amount_minor: AMOUNT, ...merchants, charge_minor: 0n })
    assert.deepEqual(decide(at, ANSWERS.reversed).steps[0]?.effect, comeback(at, false))
    assert.deepEqual(decide(at, ANSWERS['reversed with its charge']).steps[0]?.effect, comeback(at, true))
  })

  test('a decline says why, and no other move does', () => {
    for (const [status, funds] of TABLE) {
      for (const name of NAMES) {
        for (const { move, failure } of decide(standing(status, funds), ANSWERS[name]).steps)
          assert.equal(failure, move === 'fail' ? 'unknown_recipient' : null)
      }
    }
  })
})

test('its word names outcome, amount and currency, or the reason', () => {
  assert.equal(wordOf(ANSWERS['succeeded in another currency']), 'succeeded 1000.00 USD')
  assert.equal(wordOf(ANSWERS['reversed with less']), 'reversed 0.07 TZS')
  assert.equal(wordOf(ANSWERS.declined), 'declined unknown_recipient')
  assert.equal(wordOf(ANSWERS.unknown), 'unknown timeout')
  assert.equal(wordOf(ANSWERS.accepted), 'accepted')
  assert.equal(wordOf(ANSWERS.blocked), 'blocked')
  assert.equal(wordOf({ ...ANSWERS.blocked, because: 'float' }), 'blocked float')
})
