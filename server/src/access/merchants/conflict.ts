// Finds conflicts of interest: the operator is or was a member of the merchant, or made one of its API keys. The caller decides
// which decisions such an operator must not make.

import type { Act } from '../../books/audit/index.ts'
import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { Refusal } from '../../kernel/lib/index.ts'

/** The merchant that a decision concerns, and its actor. */
export type MerchantDecision = { merchant_id: string; act: Pick<Act, 'actor'> }

/**
 * Returns the SQL condition that a user is or was a member of a merchant, or made one of its API keys. The arguments are SQL
 * expressions of the two ids.
 */
export function hasTies(merchant_id: string, user_id: string): string {
  return `(exists (select from members s where s.merchant_id = ${merchant_id} and s.user_id = ${user_id})
     or exists (select from member_history h where h.merchant_id = ${merchant_id} and h.user_id = ${user_id})
     or exists (select from api_keys k where k.merchant_id = ${merchant_id} and k.created_by_id = ${user_id}))`
}

const FIND = sql(
  'merchant_conflicts',
  `select i.merchant_id, i.user_id from ${inputRows('$1', 'merchant_id', 'merchant_id uuid, user_id uuid')} i
   where ${hasTies('i.merchant_id', 'i.user_id')}`,
)

const conflictName = (merchant_id: string, user_id: string) => `${merchant_id} ${user_id}`

/**
 * Reads the conflicts of a batch of decisions in one query. Returns a function from a decision to its refusal; null means that
 * the actor may decide. Only operators can have conflicts, not the admin command, the system or merchants.
 */
export async function findConflicts(
  reader: Reader,
  decisions: readonly MerchantDecision[],
): Promise<(decision: MerchantDecision) => Refusal | null> {
  const pairs = new Map<string, { merchant_id: string; user_id: string }>()
  for (const { merchant_id, act } of decisions) {
    const user_id = operatorOf(act)
    if (user_id !== null) pairs.set(conflictName(merchant_id, user_id), { merchant_id, user_id })
  }
  const rows =
    pairs.size === 0
      ? []
      : await reader.query<{ merchant_id: string; user_id: string }>(FIND, [JSON.stringify([...pairs.values()])])
  const found = new Set(rows.map(({ merchant_id, user_id }) => conflictName(merchant_id, user_id)))
  return ({ merchant_id, act }) =>
    found.has(conflictName(merchant_id, operatorOf(act) ?? '')) ? new Refusal('conflict_of_interest') : null
}

/** If the actor is an operator with a conflict of interest, refuses with conflict_of_interest. */
export async function refuseConflict(reader: Reader, decision: MerchantDecision): Promise<void> {
  const refusal = (await findConflicts(reader, [decision]))(decision)
  if (refusal !== null) throw refusal
}

/** Returns true if this operator has a conflict of interest with the merchant. */
export async function hasConflict(reader: Reader, merchant_id: string, operator_id: string): Promise<boolean> {
  return (await reader.query(FIND, [JSON.stringify([{ merchant_id, user_id: operator_id }])])).length > 0
}

function operatorOf({ actor }: Pick<Act, 'actor'>): string | null {
  return actor.kind === 'operator' ? actor.id : null
}
