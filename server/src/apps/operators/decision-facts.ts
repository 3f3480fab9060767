// Reads and shows how large a withdrawal is for its merchant, and who else has paid its destination. Operators read these facts while the withdrawal waits for an
// approval.

import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { CURRENCY, formatAmount } from '../../kernel/lib/index.ts'
import { type Withdrawal, withdrawalMoves, withdrawalName } from '../../money/withdrawals/index.ts'
import { type DecisionFacts, LATEST_PAID } from './withdrawals-schema.ts'

/** The key of a withdrawal in a request: its merchant and its id. */
export type WithdrawalKey = { merchant_id: string; id: string }

/**
 * The facts about one withdrawal, in its environment, in cents. Null as `largest_paid_minor` means that the merchant has no
 * paid withdrawal.
 */
export type WithdrawalFacts = {
  status: Withdrawal['status']
  amount_minor: bigint
  total_reserved_minor: bigint
  available_minor: bigint
  largest_paid_minor: bigint | null
  new_destination: boolean
  paid_by_others: boolean
}

// The query reads each book once, although several withdrawals may share the book. The limit bounds the rows of a book. Two index
// lookups find a payout of another merchant to the destination, however often this merchant has paid it.
const paidByOther = (comparison: '<' | '>') => `exists (
       select 1 from withdrawals o
       where o.destination_identifier = w.destination_identifier and o.destination_code = w.destination_code
         and o.environment = w.environment and o.status = 'SUCCESS' and o.merchant_id ${comparison} w.merchant_id)`
const FIND = sql(
  'operator_withdrawal_facts',
  `with asked as materialized (
     select w.merchant_id, w.id, w.environment, w.status, w.amount_minor, w.total_reserved_minor, w.destination_identifier,
       w.destination_code
     from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
     join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
   ), books as materialized (
     select b.merchant_id, b.environment, a.balance_minor as available_minor, paid.largest_paid_minor
     from (select distinct merchant_id, environment from asked) b
     left join ledger_accounts a on a.merchant_id = b.merchant_id and a.environment = b.environment and a.currency = $2
       and a.code = 'available'
     cross join lateral (
       select max(p.amount_minor) as largest_paid_minor from (
         select amount_minor from withdrawals
         where merchant_id = b.merchant_id and environment = b.environment and status = 'SUCCESS'
         order by id desc limit $3) p
     ) paid
   )
   select w.merchant_id, w.id, w.status, w.amount_minor, w.total_reserved_minor,
     coalesce(b.available_minor, 0) as available_minor, b.largest_paid_minor, earlier.paid is null as new_destination,
     ${paidByOther('<')} or ${paidByOther('>')} as paid_by_others
   from asked w join books b on b.merchant_id = w.merchant_id and b.environment = w.environment
   left join lateral (
     select true as paid from withdrawals p
     where p.merchant_id = w.merchant_id and p.destination_identifier = w.destination_identifier and p.status = 'SUCCESS'
       and p.environment = w.environment and p.destination_code = w.destination_code and p.id <> w.id limit 1
   ) earlier on true`,
)

/** Returns the facts about withdrawals by `withdrawalName`, with one query. The result omits unknown ids. */
export async function findWithdrawalFacts(
  reader: Reader,
  ids: readonly WithdrawalKey[],
): Promise<Map<string, WithdrawalFacts>> {
  if (ids.length === 0) return new Map()
  const keys = JSON.stringify(ids.map(({ merchant_id, id }) => ({ merchant_id, id })))
  const rows = await reader.query<WithdrawalFacts & WithdrawalKey>(FIND, [keys, CURRENCY, LATEST_PAID])
  return new Map(rows.map((row) => [withdrawalName(row), row]))
}

/**
 * Reads the facts of the withdrawals that wait for an approval, with at most one query. Returns one entry for each withdrawal,
 * in the given order. Null means that the withdrawal waits for no approval.
 */
export async function readDecisionFacts(
  reader: Reader,
  rows: readonly Pick<Withdrawal, 'merchant_id' | 'id' | 'status'>[],
): Promise<(DecisionFacts | null)[]> {
  const facts = await findWithdrawalFacts(
    reader,
    rows.filter(({ status }) => isWaiting(status)),
  )
  return rows.map((row) => presentFacts(facts.get(withdrawalName(row))))
}

/** Presents the facts of one withdrawal. Undefined, or a withdrawal that waits for no approval, gives null. */
export function presentFacts(facts: WithdrawalFacts | undefined): DecisionFacts | null {
  if (facts === undefined || !isWaiting(facts.status)) return null
  const { amount_minor, total_reserved_minor, available_minor, largest_paid_minor, new_destination, paid_by_others } =
    facts
  return {
    balance_percent: ratioOf(total_reserved_minor * 100n, available_minor),
    largest_paid_amount: largest_paid_minor === null ? null : formatAmount(largest_paid_minor),
    times_largest_paid: ratioOf(amount_minor, largest_paid_minor ?? 0n),
    new_destination,
    paid_by_others,
  }
}

function isWaiting(status: Withdrawal['status']): boolean {
  return withdrawalMoves.approve.from.some((one) => one === status)
}

/** Returns part / whole with one decimal, rounded down. Null means that `whole` is not above zero. */
function ratioOf(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) return null
  const tenths = (part * 10n) / whole
  return `${tenths / 10n}.${tenths % 10n}`
}
