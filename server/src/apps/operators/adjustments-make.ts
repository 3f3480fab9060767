// Makes adjustments for operators. An adjustment is a new transfer with a reason. An earlier wrong transfer stays in the
// ledger.

import {
  auditVerdict,
  type CorrectionVerdict,
  judgeCorrection,
  lockCorrections,
  presentVerdict,
} from '../../access/four-eyes/index.ts'
import { refuseConflict } from '../../access/merchants/index.ts'
import { type Act, recordAudit } from '../../books/audit/index.ts'
import { bookName, type Fact, lockBooks, postingOf, postTransfers } from '../../books/ledger/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type Environment, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { CURRENCY, formatAmount, idToBase32, newId, refuse } from '../../kernel/lib/index.ts'
import type {
  AdjustmentAccount,
  AdjustmentDirection,
  AdjustmentView,
  MadeAdjustment,
  WaitingAdjustment,
} from './adjustments-schema.ts'

/** A validated adjustment, with its amount in cents. */
export type NewAdjustment = {
  merchant: { id: string; routing_code: number }
  environment: Environment
  direction: AdjustmentDirection
  against: AdjustmentAccount
  amount_minor: bigint
  reason: string
}

const FACTS: Record<AdjustmentDirection, Record<AdjustmentAccount, Fact>> = {
  credit: {
    provider_float: 'adjustment_credited_float',
    fee_income: 'adjustment_credited_fee',
    processor_cost: 'adjustment_credited_cost',
  },
  debit: {
    provider_float: 'adjustment_debited_float',
    fee_income: 'adjustment_debited_fee',
    processor_cost: 'adjustment_debited_cost',
  },
}

type AdjustmentRow = {
  merchant_id: string
  id: string
  environment: Environment
  direction: AdjustmentDirection
  against: AdjustmentAccount
  amount_minor: bigint
  currency: string
  reason: string
  created_by_id: string | null
  created_by_name: string
  created_at: Date
}

const COLUMNS = `merchant_id, id, environment, direction, against, amount_minor, currency, reason, created_by_id,
   created_by_name, created_at`

const INSERT = sql(
  'adjustments_insert',
  `insert into adjustments (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${COLUMNS}`,
)

/**
 * Makes an adjustment: the record, the transfer and the audit entry. If the adjustment needs a second operator, stores the first
 * decision and moves nothing. Refuses a debit above the available balance, a conflict of interest, and a repeated first decision.
 * A refusal writes nothing.
 */
export async function makeAdjustment(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: NewAdjustment,
): Promise<MadeAdjustment | WaitingAdjustment> {
  const { merchant, environment, direction, against, amount_minor, reason } = input
  const { id: merchant_id, routing_code } = merchant
  await refuseConflict(tx, { merchant_id, act })
  const book = { merchant_id, environment }
  const sums = await lockCorrections(deps, tx, book)
  // The transaction holds the lock until the commit, so that no other transfer changes the balance after this check.
  const available = (await lockBooks(tx, [book])).get(bookName(book)) ?? 0n
  if (direction === 'debit' && available < amount_minor) {
    const message = `The available balance is ${formatAmount(available)}, and the adjustment takes ${formatAmount(amount_minor)}. Choose a smaller amount.`
    refuse('insufficient_balance', { message })
  }
  const verdict = await judgeCorrection(deps, tx, act, sums, {
    ...book,
    action: 'adjustment.create',
    target_type: 'merchant',
    target_id: merchant_id,
    content: { direction, against, amount: formatAmount(amount_minor) },
    amount_minor,
    reason,
  })
  if (!verdict.is_last) return waitingAdjustment(input, verdict)
  const id = newId(deps, routing_code)
  const values = [merchant_id, id, environment, direction, against, amount_minor.toString(), CURRENCY, reason]
  const whom = [act.actor.id, act.actor.name, deps.clock.now()]
  const [row] = await tx.query<AdjustmentRow>(INSERT, [...values, ...whom])
  const source = { source_type: 'adjustment', source_id: id } as const
  const amounts = { amount_minor, fee_minor: 0n, transfer_id: id }
  const fact = FACTS[direction][against]
  await postTransfers(deps, tx, [postingOf({ merchant_id, routing_code, environment, fact, ...source, ...amounts })])
  const left = direction === 'credit' ? available + amount_minor : available - amount_minor
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'adjustment.create',
    target_type: 'adjustment',
    target_id: id,
    reason,
    before: { available: formatAmount(available) },
    after: {
      available: formatAmount(left),
      environment,
      direction,
      against,
      amount: formatAmount(amount_minor),
      ...auditVerdict(verdict),
    },
  })
  return { ...presentAdjustment(row as AdjustmentRow), ...presentVerdict(verdict) }
}

/**
 * Returns an adjustment that waits for a second operator. The adjustment has no id, because the server has moved no money.
 */
function waitingAdjustment(input: NewAdjustment, verdict: CorrectionVerdict): WaitingAdjustment {
  const { merchant, environment, direction, against, amount_minor, reason } = input
  const amount = formatAmount(amount_minor)
  const asked = { merchant_id: merchant.id, environment, direction, against, amount, currency: CURRENCY, reason }
  return { ...asked, ...presentVerdict(verdict) }
}

const CONDITION = 'merchant_id = $1 and ($2::text is null or environment = $2)'
// The query has no name, so that PostgreSQL plans it for the current filter. Ids begin with the time, so descending ids are
// newest first.
const LIST = sql('', `select ${COLUMNS} from adjustments where ${CONDITION} order by id desc limit $3 offset $4`)
const COUNT = sql(
  '',
  `select count(*)::int as total from (select 1 from adjustments where ${CONDITION} limit $3) counted`,
)

/** Returns a page of a merchant's adjustments, newest first. `total_items` counts at most 10,000 adjustments. */
export async function listAdjustments(
  reader: Reader,
  merchant_id: string,
  filter: PageChoice & { environment?: Environment },
) {
  const { page = 1, page_size = 20, environment = null } = filter
  const [rows, counted] = await Promise.all([
    reader.query<AdjustmentRow>(LIST, [merchant_id, environment, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [merchant_id, environment, COUNT_MAX]),
  ])
  return pageOf(rows.map(presentAdjustment), counted[0]?.total ?? 0, filter)
}

function presentAdjustment(row: AdjustmentRow): AdjustmentView {
  return {
    id: row.id,
    merchant_id: row.merchant_id,
    environment: row.environment,
    direction: row.direction,
    against: row.against,
    amount: formatAmount(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    // The transfer has the id of the adjustment. The transaction reference contains this id.
    transaction_reference: `TXN-${idToBase32(row.id)}`,
    created_by: { id: row.created_by_id, name: row.created_by_name },
    created_at: row.created_at.toISOString(),
  }
}
