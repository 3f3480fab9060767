// Four eyes: from FOUR_EYES_AMOUNT on, two operators have to approve before money leaves.
//
// Each yes is a row of its own, written under the lock of the withdrawal, and moves nothing until there are enough. It counts
// until the merchant is asked something or the withdrawal is rejected, and as long as whoever gave it is an operator.

import type { Act } from '../../books/audit/index.ts'
import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type Config, Refusal } from '../../kernel/lib/index.ts'
import { type Locked, type Withdrawal, type WithdrawalId, withdrawalName } from './store.ts'

/** One operator's yes to a withdrawal. `reason`: why, as it was written; for operators only. */
export type Consent = { operator_id: string; operator_name: string; reason: string | null; at: Date }

// What was given before the merchant was last asked counts no more. Once the money is set aside, who approved is a fact;
// until then somebody whose rights were taken away no longer says yes.
const FIND = sql(
  'withdrawal_approvals_find',
  `select w.merchant_id, w.id, a.operator_id, a.operator_name, a.reason, a.at
   from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id and w.status <> 'REJECTED'
   join withdrawal_approvals a on a.merchant_id = i.merchant_id and a.withdrawal_id = i.id
   where a.version >= (
       select coalesce(max(h.seq), 0) from withdrawal_history h
       where h.merchant_id = i.merchant_id and h.withdrawal_id = i.id and h.to_status = 'INFO_REQUESTED')
     and (w.funds <> 'none' or exists (
       select from users u where u.id = a.operator_id and u.super_admin and u.disabled_at is null))
   order by a.at, a.operator_id`,
)

/** Who has approved some withdrawals so far, by `withdrawalName`; those that nobody did are not in it. */
export async function consentsOf(reader: Reader, ids: readonly WithdrawalId[]): Promise<Map<string, Consent[]>> {
  const found = new Map<string, Consent[]>()
  if (ids.length === 0) return found
  const keys = ids.map(({ merchant_id, id }) => ({ merchant_id, id }))
  for (const { merchant_id, id, ...consent } of await reader.query<Consent & WithdrawalId>(FIND, [
    JSON.stringify(keys),
  ])) {
    const name = withdrawalName({ merchant_id, id })
    found.set(name, [...(found.get(name) ?? []), consent])
  }
  return found
}

/** How many operators a withdrawal takes: as it was when the first of them approved, else by the setting of now. */
export function eyesFor(
  { four_eyes_amount }: Pick<Config, 'four_eyes_amount'>,
  row: Pick<Withdrawal, 'approvals_required' | 'four_eyes_minor' | 'total_reserved_minor'>,
): { approvals_required: number; four_eyes_minor: bigint | null } {
  const { approvals_required, four_eyes_minor, total_reserved_minor } = row
  if (approvals_required !== null) return { approvals_required, four_eyes_minor }
  const two = four_eyes_amount !== null && total_reserved_minor >= four_eyes_amount
  return { approvals_required: two ? 2 : 1, four_eyes_minor: four_eyes_amount }
}

/**
 * Whether an operator's yes is the last that a withdrawal needs; or why it is none: whoever submitted it may not approve it
 * (403 forbidden), and one operator counts once (409 second_operator_required).
 */
export function judgeEyes(
  config: Pick<Config, 'four_eyes_amount'>,
  row: Locked,
  consents: readonly Consent[],
  { actor }: Act,
): 'last' | 'first' | Refusal {
  const { approvals_required } = eyesFor(config, row)
  if (approvals_required === 1) return 'last'
  if (actor.kind !== 'operator' || actor.id === null)
    return new Refusal('forbidden', { message: 'Two operators have to approve this.' })
  if (row.requested_by_kind === 'user' && row.requested_by_id === actor.id) {
    const message = 'You have submitted this withdrawal: two other operators have to approve it.'
    return new Refusal('forbidden', { message })
  }
  const others = consents.filter(({ operator_id }) => operator_id !== actor.id)
  if (others.length + 1 >= approvals_required) return 'last'
  return others.length === consents.length ? 'first' : new Refusal('second_operator_required')
}

/** A yes that is to be written, with the version that was looked at. `first`: it moves nothing yet. */
export type NewConsent = WithdrawalId &
  Consent & { version: number; approvals_required: number; four_eyes_minor: bigint | null; first: boolean }

/** What is written of an operator's yes to a withdrawal that knows what it takes. Null: whoever approved is none. */
export function consentTo(
  deps: Deps,
  row: Locked,
  { act: { actor }, reason, eyes }: { act: Act; reason: string | null; eyes: 'first' | 'last' },
): NewConsent | null {
  const { merchant_id, id, version, approvals_required, four_eyes_minor } = row
  if (actor.kind !== 'operator' || actor.id === null || approvals_required === null) return null
  const required = { approvals_required, four_eyes_minor, first: eyes === 'first' }
  return {
    merchant_id,
    id,
    version,
    operator_id: actor.id,
    operator_name: actor.name,
    reason,
    at: deps.clock.now(),
    ...required,
  }
}

/** Those who have said yes, with one more. */
export function withConsent(given: readonly Consent[], { operator_id, operator_name, reason, at }: Consent): Consent[] {
  return [...given.filter((other) => other.operator_id !== operator_id), { operator_id, operator_name, reason, at }]
}

// A withdrawal that moves gets what was required with its move.
const GIVE = sql(
  'withdrawal_approvals_give',
  `with given as (
     select * from json_to_recordset($1::json) as g(merchant_id uuid, id uuid, version int, operator_id uuid,
       operator_name text, reason text, approvals_required smallint, four_eyes_minor bigint, first boolean)
   ), kept as (
     insert into withdrawal_approvals (merchant_id, withdrawal_id, version, operator_id, operator_name, reason, at)
     select merchant_id, id, version, operator_id, operator_name, reason, $2 from given
     -- One who was no operator for a while, and is again, may have said so before.
     on conflict do nothing
   )
   update withdrawals w set approvals_required = g.approvals_required, four_eyes_minor = g.four_eyes_minor
   from (select * from given where first order by merchant_id, id) g
   where w.merchant_id = g.merchant_id and w.id = g.id`,
)

/** Writes what operators said yes to. The withdrawals are locked. */
export async function giveConsents(deps: Deps, tx: Tx, consents: readonly NewConsent[]): Promise<void> {
  if (consents.length === 0) return
  const input = consents.map((consent) => ({
    ...consent,
    four_eyes_minor: consent.four_eyes_minor?.toString() ?? null,
  }))
  await tx.query(GIVE, [JSON.stringify(input), deps.clock.now()])
}
