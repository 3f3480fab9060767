// Draws the events of a simulation at random.

import fc from 'fast-check'
import type { Crash, ModelAnswer, Price } from './model.ts'

const SECOND = 1_000
/** An hour in milliseconds. */
export const HOUR = 3_600 * SECOND
/** Durations in milliseconds: shorter than a lease, longer than a lease, a pause, a night, and longer than the deadline. */
export const TIMES = [0, 3 * SECOND, 16 * SECOND, 70 * SECOND, 10 * HOUR, 60 * HOUR] as const

const MERCHANTS = 2
const merchant = fc.integer({ min: 0, max: MERCHANTS - 1 })
/** The index of a withdrawal, counted back from the newest withdrawal. Newer withdrawals are more likely. */
const which = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 9 }))
const amount = fc.oneof(fc.bigInt({ min: 100n, max: 9_000n }), fc.bigInt({ min: 100n, max: 80_000n }))

/** The result of a payout request: the provider's answer, and whether the provider executed the payout. */
export type Sent = { answer: ModelAnswer; executes: boolean }
const sent = fc.constantFrom<Sent>(
  { answer: { kind: 'accepted' }, executes: true },
  { answer: { kind: 'accepted', again_ms: 1_000 }, executes: true },
  { answer: { kind: 'paid', more: 0n }, executes: true },
  { answer: { kind: 'paid', more: 0n, again_ms: 2_000 }, executes: true },
  { answer: { kind: 'paid', more: 1n }, executes: true },
  { answer: { kind: 'reversed', more: 0n }, executes: true },
  // In two cases the platform gets no response: the response of an executed payout got lost, or the provider never received the
  // request.
  { answer: { kind: 'unknown' }, executes: true },
  { answer: { kind: 'unknown' }, executes: false },
  { answer: { kind: 'declined' }, executes: false },
  { answer: { kind: 'blocked' }, executes: false },
  { answer: { kind: 'blocked' }, executes: false },
  { answer: { kind: 'not_sent' }, executes: false },
)
const answer = fc.constantFrom<ModelAnswer>(
  { kind: 'accepted' },
  { kind: 'paid', more: 0n },
  { kind: 'paid', more: 0n },
  { kind: 'paid', more: 0n, again_ms: 1_500 },
  { kind: 'paid', more: -1n },
  { kind: 'declined' },
  { kind: 'reversed', more: 0n },
  { kind: 'reversed', more: 0n, charge_returned: true },
  { kind: 'reversed', more: 7n },
  // For an executed payout the simulation replaces 'not found' by 'accepted'.
  { kind: 'not_found' },
  { kind: 'not_found' },
  { kind: 'unknown' },
  { kind: 'blocked' },
  { kind: 'not_sent' },
)
/**
 * The provider's answers to status queries and to payout requests. The withdrawals use the answers of a list in turn.
 */
const answers = fc.record({
  says: fc.array(answer, { minLength: 1, maxLength: 3 }),
  sends: fc.array(sent, { minLength: 1, maxLength: 3 }),
})

/** The provider's answers to status queries and to payout requests. */
export type ProviderAnswers = { says: ModelAnswer[]; sends: Sent[] }

const crash = fc.option(fc.constantFrom('before_send', 'after_send', 'before_commit', 'after_commit'), {
  nil: null,
  freq: 3,
}) as fc.Arbitrary<Crash>
const process = fc.integer({ min: 0, max: 1 })
/** The index of an operator. */
const operator = fc.integer({ min: 0, max: 1 })
/** The operators who make the same decision, one after the other. */
const operators = fc.constantFrom([0], [1], [0, 1], [1, 0], [0, 1], [0, 0])
const verb = fc.constantFrom(
  ...['approve', 'approve', 'approve', 'approve', 'reject', 'request-info', 'resolve-paid', 'resolve-unpaid', 'retry'],
  ...['cancel', 'recall'],
)
/** The pauses of a life, each as `scope target`. The target of a merchant is its index. */
const pause = fc.constantFrom('platform', 'merchant 0', 'merchant 1', 'provider mock', 'destination MPESA')

/** One event of a simulated life. */
export type Event =
  | { what: 'collect'; merchant: number; amount: bigint }
  | { what: 'take_back'; which: number }
  | { what: 'submit'; merchant: number; amount: bigint }
  | {
      what: 'approve'
      which: number
      process: number
      operator: number
      answers: ProviderAnswers
      crash: Crash
      dies: 'no' | 'before' | 'after'
    }
  | { what: 'retry'; which: number; process: number; answers: ProviderAnswers; crash: Crash }
  | { what: 'cancel' | 'recall'; which: number; process: number }
  | { what: 'pause'; pause: string; process: number }
  | { what: 'end_pause'; process: number }
  | { what: 'suspend' | 'reactivate'; merchant: number; process: number }
  | { what: 'review'; which: number; verb: 'reject' | 'request-info' | 'respond'; process: number }
  | { what: 'resolve'; which: number; paid: boolean; process: number; operators: readonly number[] }
  | { what: 'hint'; which: number; process: number; answers: ProviderAnswers; times: number }
  | { what: 'tick'; time: number; processes: readonly number[]; answers: ProviderAnswers; crash: Crash }
  | {
      what: 'adjust'
      merchant: number
      amount: bigint
      against: 'provider_float' | 'fee_income' | 'processor_cost'
      operators: readonly number[]
    }
  | { what: 'race'; acts: { which: number; verb: string; operator: number }[] }

const what = <Name extends Event['what']>(name: Name) => fc.constant(name)

/** Draws a sequence of events. */
export const events: fc.Arbitrary<Event[]> = fc.array<Event>(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ what: what('collect'), merchant, amount }) },
    { weight: 2, arbitrary: fc.record({ what: what('take_back'), which }) },
    { weight: 14, arbitrary: fc.record({ what: what('submit'), merchant, amount }) },
    {
      weight: 26,
      arbitrary: fc.record({
        what: what('approve'),
        which,
        process,
        operator,
        answers,
        crash,
        dies: fc.constantFrom('no', 'no', 'no', 'no', 'no', 'no', 'before', 'after'),
      }),
    },
    { weight: 4, arbitrary: fc.record({ what: what('retry'), which, process, answers, crash }) },
    { weight: 2, arbitrary: fc.record({ what: what('cancel'), which, process }) },
    { weight: 5, arbitrary: fc.record({ what: what('recall'), which, process }) },
    { weight: 1, arbitrary: fc.record({ what: what('pause'), pause, process }) },
    { weight: 7, arbitrary: fc.record({ what: what('end_pause'), process }) },
    { weight: 1, arbitrary: fc.record({ what: what('suspend'), merchant, process }) },
    { weight: 5, arbitrary: fc.record({ what: what('reactivate'), merchant, process }) },
    {
      weight: 6,
      arbitrary: fc.record({
        what: what('review'),
        which,
        verb: fc.constantFrom('reject', 'request-info', 'respond'),
        process,
      }),
    },
    { weight: 6, arbitrary: fc.record({ what: what('resolve'), which, paid: fc.boolean(), process, operators }) },
    {
      weight: 10,
      arbitrary: fc.record({ what: what('hint'), which, process, answers, times: fc.constantFrom(1, 1, 3) }),
    },
    {
      weight: 12,
      arbitrary: fc.record({
        what: what('tick'),
        time: fc.nat({ max: TIMES.length - 1 }),
        processes: fc.constantFrom([0], [1], [0, 1]),
        answers,
        crash,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: what('adjust'),
        merchant,
        amount: fc.bigInt({ min: -50_000n, max: 50_000n }).filter((minor) => minor !== 0n),
        against: fc.constantFrom('provider_float', 'fee_income', 'processor_cost'),
        operators,
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        what: what('race'),
        acts: fc.oneof(
          fc.array(fc.record({ which: fc.nat({ max: 4 }), verb, operator }), {
            minLength: 2,
            maxLength: 4,
            size: 'max',
          }),
          // The operators approve the four newest withdrawals at the same time. The sum of these withdrawals may exceed the
          // balance.
          fc.constant([0, 1, 2, 3].map((back) => ({ which: back, verb: 'approve', operator: back % 2 }))),
          // Both operators approve the newest withdrawal at the same time.
          fc.constant([0, 1].map((each) => ({ which: 0, verb: 'approve', operator: each }))),
        ),
      }),
    },
  ),
  { minLength: 14, maxLength: 50, size: 'max' },
)

/** Draws the fees and charges of each merchant at random. */
export const prices: fc.Arbitrary<Price[]> = fc.array(
  fc.record({
    hundredths: fc.bigInt({ min: 0n, max: 500n }),
    flat: fc.bigInt({ min: 0n, max: 300n }),
    processor: fc.bigInt({ min: 0n, max: 200n }),
    passed_on: fc.boolean(),
  }),
  { minLength: MERCHANTS, maxLength: MERCHANTS },
)
