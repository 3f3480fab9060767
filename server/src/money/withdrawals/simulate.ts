// Sandbox: the merchant plays the operator and the provider for a record of its own.

import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import type { Act } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { assertInvariant, Refusal } from '../../kernel/lib/index.ts'
import { approveAll, refuseState } from './approve.ts'
import type { Desk } from './desk.ts'
import { lockOne, rejectWithdrawal, requestInfo } from './review.ts'
import type { Outcome } from './schema.ts'
import { applyPayoutOutcomes } from './settle.ts'
import { type MoveName, mayMove } from './state.ts'
import { findWithdrawal, type Locked, type Withdrawal, type WithdrawalId } from './store.ts'

const SAID = 'Simulated in the sandbox.'

type ByProvider = Exclude<Outcome, 'REJECTED' | 'INFO_REQUESTED'>

/** The moves by which a withdrawal that was approved before may get there. */
const LATER: Record<ByProvider, readonly MoveName[]> = {
  SUCCESS: ['succeed'],
  FAILED: ['fail'],
  REVERSED: ['succeed', 'reverse'],
  NEEDS_RECONCILIATION: [],
  BLOCKED_IP_WHITELIST: [],
}

/** What was played: the record, and the deliveries to send after the commit. */
export type Simulated = { row: Withdrawal; deliveries: Delivery[] }

/**
 * Takes a sandbox record to an outcome. Refuses another record with not_found, an outcome that no way leads to with
 * invalid_state, and as an approval refuses.
 */
export async function simulateOutcome(
  deps: Deps,
  tx: Tx,
  desk: Pick<Desk, 'approver' | 'room'>,
  act: Act,
  input: WithdrawalId & { outcome: Outcome },
): Promise<Simulated> {
  const { merchant_id, id, outcome } = input
  const row = await lockOne(tx, { merchant_id, id, environment: 'sandbox' })
  // Nobody is mailed of these two: whoever would read it has just asked for it.
  if (outcome === 'REJECTED') {
    return { row: await rejectWithdrawal(deps, tx, act, { merchant_id, id, reason: SAID }), deliveries: [] }
  }
  if (outcome === 'INFO_REQUESTED') {
    return { row: await requestInfo(deps, tx, act, { merchant_id, id, message: SAID }), deliveries: [] }
  }
  const waits = mayMove('approve', row.status)
  if (!waits && !LATER[outcome].some((move) => mayMove(move, row.status))) refuseState(row, `simulated as ${outcome}`)
  if (waits) await approveUnsent(deps, tx, desk, act, row)
  // In the transaction of the approval: no other process ever sees a payout here that it could ask the provider about.
  const answer = answerOf(row, outcome)
  const deliveries = await applyPayoutOutcomes(deps, tx, [{ merchant_id, id, answer, holds_lease: waits }], desk.room)
  const after = await findWithdrawal(tx, { merchant_id, id })
  assertInvariant(after !== null, 'a withdrawal that was just locked exists')
  return { row: after, deliveries }
}

async function approveUnsent(
  deps: Deps,
  tx: Tx,
  { approver }: Pick<Desk, 'approver'>,
  act: Act,
  { merchant_id, id }: Locked,
): Promise<void> {
  const { answers } = await approveAll(deps, tx, approver, [{ merchant_id, id, act }], { send: false })
  const [answer] = answers
  if (answer instanceof Refusal) throw answer
}

/** What the provider is made to say. */
function answerOf({ amount_minor, currency }: Locked, outcome: ByProvider): PayoutAnswer {
  const provider_status = 'SIMULATED'
  switch (outcome) {
    case 'SUCCESS':
      return { kind: 'succeeded', amount_minor, currency, provider_status }
    case 'FAILED':
      return { kind: 'declined', reason: 'provider_declined', provider_status }
    case 'REVERSED':
      return { kind: 'reversed', amount_minor, currency, charge_returned: false, provider_status }
    case 'NEEDS_RECONCILIATION':
      return { kind: 'unknown', why: 'ambiguous', provider_status }
    case 'BLOCKED_IP_WHITELIST':
      return { kind: 'blocked', provider_status }
  }
}
