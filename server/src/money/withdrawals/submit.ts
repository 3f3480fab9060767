// Checks a submitted withdrawal, computes its charges, and stores the withdrawal until an operator decides. One transaction
// writes the row, the audit entry and the answer of the Idempotency-Key. If the process dies after the commit, a retry gets the
// stored answer.

import { findMerchant, rulesInForce } from '../../access/merchants/index.ts'
import { type Act, recordAudit } from '../../books/audit/index.ts'
import { readBalance } from '../../books/ledger/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import type { ActingMerchant } from '../../kernel/http/index.ts'
import { assertInvariant, metadataPairs, newId, refuse } from '../../kernel/lib/index.ts'
import { auditFields, shortOf } from './approve.ts'
import type { NewWithdrawal } from './check.ts'
import { withdrawalPrice } from './quote.ts'
import type { WithdrawalStatus } from './state.ts'
import { WITHDRAWAL_COLUMNS, type Withdrawal } from './store.ts'

const SUBMITTED: WithdrawalStatus = 'PENDING_ADMIN_APPROVAL'

const INSERT = sql(
  'withdrawals_insert',
  `with input as materialized (
     select * from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, environment text, status text, method text,
       amount_minor bigint, currency text, destination_code text, destination_identifier text, destination_name text,
       bank_name text, reference text, percentage_fee_minor bigint, flat_fee_minor bigint, processor_charge_minor bigint,
       processor_fee_pass_through boolean, total_charges_minor bigint, total_reserved_minor bigint, pricing_rule_id uuid,
       pricing_rule_label text, requested_by_kind text, requested_by_id text, requested_by_name text, metadata jsonb,
       pairs uuid[])
   ), pair as (
     insert into withdrawal_metadata (merchant_id, pair, id) select merchant_id, unnest(pairs), id from input
   )
   insert into withdrawals as w (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
     destination_code, destination_identifier, destination_name, bank_name, reference, percentage_fee_minor, flat_fee_minor,
     processor_charge_minor, processor_fee_pass_through, total_charges_minor, total_reserved_minor, pricing_rule_id,
     pricing_rule_label, requested_by_kind, requested_by_id, requested_by_name, status_reason, failure_reason_code,
     provider_reference, transfer_id, created_at, updated_at, completed_at,
     metadata)
   select merchant_id, id, environment, status, 0, 'none', method, amount_minor, currency, destination_code,
     destination_identifier, destination_name, bank_name, reference, percentage_fee_minor, flat_fee_minor,
     processor_charge_minor, processor_fee_pass_through, total_charges_minor, total_reserved_minor, pricing_rule_id,
     pricing_rule_label, requested_by_kind, requested_by_id, requested_by_name, null, null, null, null, $2, $2, null,
     metadata
   from input
   returning ${WITHDRAWAL_COLUMNS}`,
)

/**
 * Submits a withdrawal in the given transaction. If its live merchant is not active, verified and priced, refuses with
 * withdrawal_restricted. If the amount and the charges exceed the available balance, refuses with insufficient_balance. An
 * approval checks the merchant and the balance again.
 */
export async function submitWithdrawal(
  deps: Deps,
  tx: Tx,
  act: Act,
  merchant: ActingMerchant,
  input: NewWithdrawal,
): Promise<Withdrawal> {
  const { merchant_id, environment, amount_minor } = input
  const [owner, rules, { available }] = await Promise.all([
    findMerchant(tx, merchant_id),
    rulesInForce(tx, merchant_id),
    readBalance(tx, merchant_id, environment),
  ])
  const active = owner?.status === 'ACTIVE' && owner.verified
  if (environment === 'live' && !active) refuse('withdrawal_restricted')
  const price = withdrawalPrice(rules, input)
  if (available < price.total_reserved_minor) throw shortOf(available, { amount_minor, ...price })
  const { kind: requested_by_kind, id: requested_by_id, name: requested_by_name } = act.actor
  const requested = { requested_by_kind, requested_by_id, requested_by_name }
  const id = newId(deps, merchant.routing_code)
  const pairs = metadataPairs(environment, input.metadata)
  const fields = { ...input, ...price, ...requested, id, status: SUBMITTED, pairs }
  const [row] = await tx.query<Withdrawal>(INSERT, [jsonRows([fields]), deps.clock.now()])
  assertInvariant(row !== undefined, 'a withdrawal that was just submitted exists')
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'withdrawal.submit',
    target_type: 'withdrawal',
    target_id: id,
    after: { status: row.status, ...auditFields(row) },
  })
  return row
}

/** Returns rows as JSON. Each amount becomes a text, because a JSON number cannot hold every bigint. */
function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))
}
