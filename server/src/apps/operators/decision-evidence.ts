// Records in the audit log what an operator could see about a withdrawal at the moment of an approval or a rejection, and reads
// these records for the case. An audit entry can never change, so the evidence has no name or number of the recipient.

import { listTargetAudit } from '../../books/audit/index.ts'
import type { Deps, Reader } from '../../kernel/db/index.ts'
import { formatAmount, ZERO_ID } from '../../kernel/lib/index.ts'
import { withdrawalName } from '../../money/withdrawals/index.ts'
import {
  findWithdrawalFacts,
  type PresentedFacts,
  presentFacts,
  type WithdrawalFacts,
  type WithdrawalKey,
} from './decision-facts.ts'
import { newestNameChecks } from './name-check.ts'
import type { DecisionEvidence, NameCheck, RecordedDecision } from './withdrawals-schema.ts'

/** The decisions that have evidence. */
const DECISIONS = ['withdrawal.approve', 'withdrawal.first_approve', 'withdrawal.reject'] as const
/** The highest number of decisions that a case shows. */
const DECISIONS_MAX = 10

/**
 * Returns the evidence for decisions about withdrawals, by `withdrawalName`. Reads it in the transaction of the decision. The
 * result omits a withdrawal that waits for no approval.
 */
export async function readEvidence(
  deps: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  keys: readonly WithdrawalKey[],
): Promise<Map<string, DecisionEvidence>> {
  const known = keys.filter(({ merchant_id }) => merchant_id !== ZERO_ID)
  const found = await findWithdrawalFacts(reader, known)
  const [facts, checks] = await Promise.all([
    presentFacts(deps, reader, found),
    newestNameChecks(reader, [...found.values()]),
  ])
  return evidenceOf(found, facts, checks)
}

/** Makes the evidence from facts that the transaction of the decision has read. */
export function evidenceOf(
  found: ReadonlyMap<string, WithdrawalFacts>,
  facts: ReadonlyMap<string, PresentedFacts>,
  checks: ReadonlyMap<string, NameCheck>,
): Map<string, DecisionEvidence> {
  const evidence = new Map<string, DecisionEvidence>()
  for (const row of found.values()) {
    const name = withdrawalName(row)
    const presented = facts.get(name)
    if (presented !== undefined) evidence.set(name, evidenceAbout(row, presented, checks.get(name) ?? null))
  }
  return evidence
}

function evidenceAbout(
  { available_minor, income_burst, received_minor, daily_before_minor }: WithdrawalFacts,
  { shown, exceeded }: PresentedFacts,
  check: NameCheck | null,
): DecisionEvidence {
  const { warnings, balance_percent, largest_paid_amount, times_largest_paid, recent_failures, income_later } = shown
  const failure = recent_failures && {
    count: recent_failures.count,
    withdrawal_id: recent_failures.withdrawal_id,
    status: recent_failures.status,
    at: recent_failures.at,
    rejected_by: recent_failures.rejected_by,
  }
  const income = { received: formatAmount(received_minor), daily_before: formatAmount(daily_before_minor ?? 0n) }
  return {
    warnings,
    available: formatAmount(available_minor),
    balance_percent,
    largest_paid_amount,
    times_largest_paid,
    income: income_burst ? income : null,
    ...(income_later === null ? {} : { income_later }),
    daily_limit: exceeded.daily,
    destination_limit: exceeded.destination,
    recent_failure: failure,
    name_check: check && { matches: check.matches, checked_at: check.checked_at },
  }
}

/** Returns the decisions about a withdrawal that have evidence, oldest first. */
export async function listDecisions(reader: Reader, { merchant_id, id }: WithdrawalKey): Promise<RecordedDecision[]> {
  const entries = await listTargetAudit(reader, { merchant_id, target_id: id, actions: DECISIONS }, DECISIONS_MAX)
  return entries.toReversed().flatMap(({ action, actor, at, after }) => {
    const { evidence } = (after ?? {}) as { evidence?: DecisionEvidence }
    if (evidence === undefined) return []
    return [{ action: action as RecordedDecision['action'], operator: actor.name, at, evidence }]
  })
}
