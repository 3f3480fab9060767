// Tests that no money moves twice and that the adapter reports no wrong outcome while the gateway has random faults of every
// kind.

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

/** Does the work for all items, AT_ONCE items at the same time. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const hands = Array.from({ length: AT_ONCE }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  })
  await Promise.all(hands)
}

/** Compares the answers of the adapter with the executions of the twin. */
function compare(twin: VodacomTwin, reference: string, reported: (PushAnswer | PayoutAnswer)[]): void {
  const truth = twin.transaction(reference)
  const executions = truth?.executions ?? 0
  assert.ok(executions <= 1, `${reference} was executed ${executions} times`)
  for (const answer of reported) {
    const { kind } = answer
    if (kind === 'succeeded') assert.equal(executions, 1, `${reference} was reported as paid`)
    if (kind === 'declined' || kind === 'blocked' || kind === 'not_sent') {
      assert.equal(executions, 0, `${reference} was reported as ${shortly(answer)}, but its fate is ${truth?.fate}`)
    }
    assert.notEqual(kind, 'not_found')
  }
  // The last query of an executed transaction must report the transaction as paid.
  if (executions === 1) assert.equal(reported.at(-1)?.kind, 'succeeded', `${reference} was paid`)
}

test('the adapter causes at most one prompt for each payment and reports no wrong outcome while the gateway has faults', async () => {
  const { provider, twin } = await start({ chances: CHANCES }, OPTIONS)
  const reported = new Map<string, PushAnswer[]>()
  const requests = Array.from({ length: COUNT }, () => payment('999'))
  await each(requests, async (request) => {
    reported.set(request.reference, [await provider.push(request)])
  })
  // A process may end before it stores an answer. So a second adapter, like another process, sends the same request again.
  const other = adapterFor(twin, OPTIONS).provider
  const unsure = requests.filter(({ reference }) => reported.get(reference)?.[0]?.kind === 'unknown')
  await each(unsure, async (request) => {
    const answer = await other.push(request)
    // This answer means that the repeated request prompted no payer. The first request may have prompted the payer.
    if (shortly(answer) !== 'declined provider_unavailable') reported.set(request.reference, [answer])
  })
  let open = requests
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await provider.status(open)
    for (const [i, answer] of answers.entries()) reported.get(open[i]?.reference ?? '')?.push(answer)
    open = open.filter((_, i) => answers[i]?.kind === 'unknown')
  }
  for (const [reference, answers] of reported) compare(twin, reference, answers)
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

test('the adapter moves the money of each payout at most once and reports no wrong outcome while the gateway has faults', async () => {
  const { provider, twin } = await start({ chances: CHANCES }, OPTIONS)
  const reported = new Map<string, PayoutAnswer[]>()
  const requests = Array.from({ length: COUNT }, () => payout('999'))
  await each(requests, async (request) => {
    let answer = await provider.payout(request)
    // Only after these answers may a process send the payout again. Only one process at a time may send a payout.
    for (let i = 0; i < 3 && (answer.kind === 'not_sent' || answer.kind === 'blocked'); i++) {
      answer = await provider.payout(request)
    }
    reported.set(request.reference, [answer])
  })
  let open = requests
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await provider.payoutStatus(open)
    for (const [i, answer] of answers.entries()) reported.get(open[i]?.reference ?? '')?.push(answer)
    open = open.filter((_, i) => answers[i]?.kind === 'unknown')
  }
  for (const [reference, answers] of reported) compare(twin, reference, answers)
  const { paid_out, by_state, executed_more_than_once } = twin.totals()
  assert.equal(executed_more_than_once, 0)
  assert.equal(paid_out, 15_000n * BigInt(by_state.paid))
})
