// A gateway that goes wrong in every way it can: whatever happens, no money moves twice, and nothing is claimed that is not so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adapterFor, payment, payout, shortly, start } from '../../../../test/providers/vodacom.ts'
import type { VodacomTwin } from '../../../../twins/vodacom/index.ts'
import type { PayoutAnswer, PushAnswer } from '../port.ts'

const WIRE = {
  hang_before: 0.02,
  hang_after: 0.02,
  reset_before: 0.04,
  reset_after: 0.04,
  html_before: 0.04,
  html_after: 0.04,
  error_before: 0.04,
  error_after: 0.04,
  empty: 0.04,
  truncated: 0.04,
  limited: 0.04,
  wall: 0.04,
  session_ends: 0.02,
}
const FATES = { fails: 0.05, low_balance: 0.05, internal_pays: 0.05, times_out_pays: 0.05, strange_code_pays: 0.05 }
const QUESTIONS = { reset_before: 0.05, html_before: 0.05, truncated: 0.05, session_ends: 0.002 }
const CHANCES = { seed: 'faults', rates: { c2b: WIRE, b2c: WIRE, query: QUESTIONS, fate: FATES } }
const OPTIONS = { timeout_ms: 1_000, late_ms: 2_000, session_settle_ms: 100 }
const COUNT = 200
const AT_ONCE = 40
const ROUNDS = 12

/** Works on all, some at a time. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const hands = Array.from({ length: AT_ONCE }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  })
  await Promise.all(hands)
}

/** Holds what was said against what is so. */
function compare(twin: VodacomTwin, reference: string, said: (PushAnswer | PayoutAnswer)[]): void {
  const truth = twin.transaction(reference)
  const executions = truth?.executions ?? 0
  assert.ok(executions <= 1, `${reference} was executed ${executions} times`)
  for (const answer of said) {
    const { kind } = answer
    if (kind === 'succeeded') assert.equal(executions, 1, `${reference} is said to be paid`)
    if (kind === 'declined' || kind === 'blocked' || kind === 'not_sent') {
      assert.equal(executions, 0, `${reference} is said to be ${shortly(answer)}, as ${truth?.fate}`)
    }
    assert.notEqual(kind, 'not_found')
  }
  // What was executed is found in the end, by asking.
  if (executions === 1) assert.equal(said.at(-1)?.kind, 'succeeded', `${reference} was paid`)
}

test('payments: no prompt twice, no lie, and whatever was paid is found', async () => {
  const { provider, twin } = await start({ chances: CHANCES }, OPTIONS)
  const said = new Map<string, PushAnswer[]>()
  const requests = Array.from({ length: COUNT }, () => payment('999'))
  await each(requests, async (request) => {
    said.set(request.reference, [await provider.push(request)])
  })
  // A process that died before it wrote down what it heard: another one sends the same again.
  const other = adapterFor(twin, OPTIONS).provider
  const unsure = requests.filter(({ reference }) => said.get(reference)?.[0]?.kind === 'unknown')
  await each(unsure, async (request) => {
    const answer = await other.push(request)
    // Of this repetition nobody was asked; it says nothing about the first one.
    if (shortly(answer) !== 'declined provider_unavailable') said.set(request.reference, [answer])
  })
  let open = requests
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await provider.status(open)
    for (const [i, answer] of answers.entries()) said.get(open[i]?.reference ?? '')?.push(answer)
    open = open.filter((_, i) => answers[i]?.kind === 'unknown')
  }
  for (const [reference, answers] of said) compare(twin, reference, answers)
  const totals = twin.totals()
  assert.equal(totals.executed_more_than_once, 0)
  assert.equal(totals.prompts, totals.transactions)
  assert.ok(unsure.length > COUNT / 10)
  assert.ok(totals.by_state.paid > COUNT / 2, 'most were paid')
  assert.ok(
    Object.keys(totals.struck).filter((kind) => kind.startsWith('c2b.')).length >= 11,
    'faults of nearly all kinds',
  )
})

test('payouts: no money twice, no lie, and whatever was paid is found', async () => {
  const { provider, twin } = await start({ chances: CHANCES }, OPTIONS)
  const said = new Map<string, PayoutAnswer[]>()
  const requests = Array.from({ length: COUNT }, () => payout('999'))
  await each(requests, async (request) => {
    let answer = await provider.payout(request)
    // Only these may be sent again, and by nobody else at the same time.
    for (let i = 0; i < 3 && (answer.kind === 'not_sent' || answer.kind === 'blocked'); i++) {
      answer = await provider.payout(request)
    }
    said.set(request.reference, [answer])
  })
  let open = requests
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await provider.payoutStatus(open)
    for (const [i, answer] of answers.entries()) said.get(open[i]?.reference ?? '')?.push(answer)
    open = open.filter((_, i) => answers[i]?.kind === 'unknown')
  }
  for (const [reference, answers] of said) compare(twin, reference, answers)
  const { paid_out, by_state, executed_more_than_once } = twin.totals()
  assert.equal(executed_more_than_once, 0)
  assert.equal(paid_out, 15_000n * BigInt(by_state.paid))
})
