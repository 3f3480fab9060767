// Requires two operators for a correction that brings the sum of the day to FOUR_EYES_AMOUNT. The call of the first operator
// only stores the decision. If another operator makes the same call, the caller applies the correction; only the reason may
// differ.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { DAY_MS, formatAmount, newId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { hasTies, operatorMay } from '../merchants/index.ts'
import { addToSums, correctionSum, type DailySums, fourEyesMinor, lockSums, needsSecond } from './sums.ts'

/** A correction of a merchant's money. `content` contains the fields in which both decisions must be equal. */
export type Correction = {
  action: 'adjustment.create' | 'collection.clear' | 'withdrawal.resolve'
  merchant_id: string
  environment: Environment
  target_type: 'merchant' | 'collection' | 'withdrawal'
  target_id: string
  content: Record<string, string | number | null>
  amount_minor: bigint
  reason: string
}

/** The decision of one operator about a correction. */
export type CorrectionApproval = { operator_id: string; operator_name: string; reason: string; at: Date }

/**
 * The decisions about a correction. If `is_last` is false, a second operator must decide. `four_eyes_minor` is FOUR_EYES_AMOUNT
 * in cents. Null means that the sum of the day does not include the correction.
 */
export type CorrectionVerdict = {
  is_last: boolean
  approvals_required: 1 | 2
  approvals: CorrectionApproval[]
  four_eyes_minor: bigint | null
}

/** The number of days for which a decision waits for a second operator. */
export const DECISION_DAYS = 7

/**
 * Locks the sum of corrections of a book until the transaction ends. Every correction calls this function before it locks
 * ledger accounts. Null means that no amount needs a second operator.
 */
export async function lockCorrections(
  deps: Deps,
  tx: Tx,
  book: { merchant_id: string; environment: Environment },
): Promise<DailySums | null> {
  return fourEyesMinor(deps.config) === null ? null : lockSums(deps, tx, [correctionSum(book)])
}

/**
 * The SQL condition that a decision (alias `d`) is valid, whatever its age. Its operator must still have the role, and must
 * have no conflict of interest with the merchant.
 */
export const DECISION_COUNTS = `exists (
       select from users u where u.id = d.operator_id and ${operatorMay('money')})
     and not ${hasTies('d.merchant_id', 'd.operator_id')}`
const FIND = sql(
  'operator_decisions_find',
  `select d.operator_id, d.operator_name, d.reason, d.created_at as at from operator_decisions d
   where d.merchant_id = $1 and d.action = $2 and d.target_id = $3 and d.content = $4 and d.done_at is null
     and d.created_at > $5 and ${DECISION_COUNTS}
   order by d.created_at, d.id`,
)
const INSERT = sql(
  'operator_decisions_insert',
  `insert into operator_decisions (merchant_id, id, environment, action, target_id, content, amount_minor, operator_id, operator_name,
     reason, created_at, done_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, null)`,
)
const FINISH = sql(
  'operator_decisions_finish',
  `update operator_decisions set done_at = $5
   where merchant_id = $1 and action = $2 and target_id = $3 and content = $4 and done_at is null`,
)

/**
 * Checks one operator's decision about a correction. `sums` comes from `lockCorrections`. If a second operator must decide,
 * stores the decision, and the caller must change nothing else. Otherwise adds the correction to `sums`, if not null, and the
 * caller applies it. If this operator has already decided, refuses with second_operator_required.
 */
export async function judgeCorrection(
  deps: Deps,
  tx: Tx,
  act: Act,
  sums: DailySums | null,
  correction: Correction,
): Promise<CorrectionVerdict> {
  const four_eyes_minor = fourEyesMinor(deps.config)
  if (sums === null) return { is_last: true, approvals_required: 1, approvals: [], four_eyes_minor: null }
  const { merchant_id, action, target_id, amount_minor } = correction
  const content = JSON.stringify(correction.content)
  const since = new Date(deps.clock.now().getTime() - DECISION_DAYS * DAY_MS)
  const key = [merchant_id, action, target_id, content]
  const earlier = await tx.query<CorrectionApproval>(FIND, [...key, since])
  const own = ownApproval(deps, act, correction)
  const others = earlier.filter(({ operator_id }) => operator_id !== own.operator_id)
  const sum = correctionSum(correction)
  if (others.length === 0 && earlier.length > 0) refuseRepeated(earlier)
  if (others.length > 0 || !needsSecond(four_eyes_minor, sums, { keys: [sum], amount_minor })) {
    await addToSums(tx, sums, [{ key: sum, amount_minor }])
    if (others.length === 0) return { is_last: true, approvals_required: 1, approvals: [own], four_eyes_minor }
    await tx.query(FINISH, [...key, own.at])
    return { is_last: true, approvals_required: 2, approvals: [...others, own], four_eyes_minor }
  }
  const id = newId(deps, routingCodeOf(merchant_id))
  const { operator_id, operator_name, reason, at } = own
  const amount = amount_minor.toString()
  const values = [merchant_id, id, correction.environment, action, target_id, content, amount]
  await tx.query(INSERT, [...values, operator_id, operator_name, reason, at])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'decision.first_approve',
    target_type: correction.target_type,
    target_id,
    reason,
    after: {
      decision: action,
      environment: correction.environment,
      ...correction.content,
      amount: formatAmount(amount_minor),
      approvals_required: 2,
      approvals: [operator_name],
    },
  })
  return { is_last: false, approvals_required: 2, approvals: [own], four_eyes_minor: null }
}

function ownApproval(deps: Deps, { actor }: Act, { reason }: Correction): CorrectionApproval {
  if (actor.kind !== 'operator' || actor.id === null) {
    return refuse('forbidden', { message: 'Only operators can make this decision. Ask an operator.' })
  }
  return { operator_id: actor.id, operator_name: actor.name, reason, at: deps.clock.now() }
}

function refuseRepeated(approvals: readonly CorrectionApproval[]): never {
  const names = approvals.map(({ operator_name }) => operator_name)
  refuse('second_operator_required', {
    message: `The first decision is from ${names.join(', ')}. Another operator must make the same decision before any money moves.`,
    details: { approvals_required: 2, approvals: names },
  })
}

/** Returns the decisions in the form of the API. If the correction needed only one operator, returns no fields. */
export function presentVerdict({ approvals_required, approvals }: CorrectionVerdict) {
  if (approvals_required === 1) return {}
  return {
    approvals_required,
    approvals: approvals.map(({ operator_name: operator, reason, at }) => ({ operator, reason, at: at.toISOString() })),
  }
}

/**
 * Returns the audit fields about the operators and FOUR_EYES_AMOUNT. If the correction needed only one operator, the entry
 * names the operator as its actor.
 */
export function auditVerdict({ approvals_required, approvals, four_eyes_minor }: CorrectionVerdict) {
  return {
    ...auditCounted(four_eyes_minor),
    ...(approvals_required === 1
      ? {}
      : { approvals_required, approvals: approvals.map(({ operator_name }) => operator_name) }),
  }
}

/**
 * Returns the audit field with FOUR_EYES_AMOUNT, which means that the sums of the day include the action. `admin verify`
 * compares the sums with these entries. Null as `four_eyes_minor` means that no sum includes the action.
 */
export function auditCounted(four_eyes_minor: bigint | null): { four_eyes_amount?: string } {
  return four_eyes_minor === null ? {} : { four_eyes_amount: formatAmount(four_eyes_minor) }
}
