// Converts the rows of withdrawals to their records in the API.

import { PAYOUT_FAILURES, PAYOUT_FAILURES_SW } from '../../adapters/providers/port.ts'
import { formatAmount, idToBase32 } from '../../kernel/lib/index.ts'
import type { NewWithdrawal } from './check.ts'
import type { WithdrawalPrice } from './quote.ts'
import type { MerchantMoveRecord, QuoteRecord, WithdrawalDetail, WithdrawalRecord } from './schema.ts'
import { canMoveWithdrawal, moves, type WithdrawalStatus } from './state.ts'
import type { HistoryEntry, Withdrawal } from './store.ts'

/**
 * Returns the record of a withdrawal for its merchant. The record omits the provider's explanations, because only operators may
 * read them.
 */
export function presentWithdrawal(row: Withdrawal): WithdrawalRecord {
  return presentWhole({ ...row, status_reason: isExplainedByProvider(row) ? null : row.status_reason })
}

const EXPLAINED_BY_PROVIDER: readonly WithdrawalStatus[] = [
  'BLOCKED_IP_WHITELIST',
  'NEEDS_RECONCILIATION',
  'NEEDS_ADMIN_ATTENTION',
]

/** Returns true if the explanation of the status comes from the provider. */
function isExplainedByProvider({ status, failure_reason_code }: Withdrawal): boolean {
  return EXPLAINED_BY_PROVIDER.includes(status) || (status === 'FAILED' && failure_reason_code !== 'operator_resolved')
}

/** Returns the record of a withdrawal for operators, with the provider's explanations. */
export function presentWhole(row: Withdrawal): WithdrawalRecord {
  const { failure_reason_code } = row
  return {
    id: row.id,
    merchant_id: row.merchant_id,
    environment: row.environment,
    method: row.method,
    amount: formatAmount(row.amount_minor),
    currency: row.currency,
    destination_name: row.destination_name,
    destination_identifier: row.destination_identifier,
    destination_code: row.destination_code,
    bank_name: row.bank_name,
    reference: row.reference,
    merchant_reference: row.reference,
    status: row.status,
    requires_approval: canMoveWithdrawal('approve', row.status),
    status_reason: row.status_reason,
    failure_reason_code,
    failure_reason_message: failure_reason_code === null ? null : PAYOUT_FAILURES[failure_reason_code],
    failure_reason_message_sw: failure_reason_code === null ? null : PAYOUT_FAILURES_SW[failure_reason_code],
    ...presentPrice(row.amount_minor, row),
    provider_reference: row.provider_reference,
    transaction_reference: row.transfer_id === null ? null : `TXN-${idToBase32(row.transfer_id)}`,
    metadata: row.metadata ?? {},
    initiated_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Returns the record of a withdrawal for its merchant, with the visible part of its history. */
export function presentDetail(row: Withdrawal, history: readonly HistoryEntry[]): WithdrawalDetail {
  // Merchants may not read entries that changed no status: answers of the provider, and reasons to wait.
  const moved = history.filter(({ from_status, to_status }) => from_status !== to_status)
  return { ...presentWithdrawal(row), history: moved.map(presentMove) }
}

/** Returns the record of a quote, with decimal amounts. */
export function presentQuote(input: NewWithdrawal, price: WithdrawalPrice): QuoteRecord {
  return {
    withdrawal_amount: formatAmount(input.amount_minor),
    currency: input.currency,
    channel: input.method,
    destination_code: input.destination_code,
    ...presentPrice(input.amount_minor, price),
  }
}

function presentPrice(amount_minor: bigint, price: WithdrawalPrice) {
  return {
    processor_charge: formatAmount(price.processor_charge_minor),
    infinity_fee: formatAmount(price.percentage_fee_minor + price.flat_fee_minor),
    percentage_fee: formatAmount(price.percentage_fee_minor),
    flat_fee: formatAmount(price.flat_fee_minor),
    total_charges: formatAmount(price.total_charges_minor),
    total_reserved_amount: formatAmount(price.total_reserved_minor),
    recipient_net_amount: formatAmount(amount_minor),
    pricing_rule_id: price.pricing_rule_id,
    pricing_rule_label: price.pricing_rule_label,
    processor_fee_pass_through: price.processor_fee_pass_through,
  }
}

const ACTORS: Record<string, MerchantMoveRecord['by']> = {
  operator: 'operator',
  provider: 'provider',
  command: 'operator',
}

/**
 * Returns a move without the operator's name and the provider's texts, but with the messages between operators and the
 * merchant.
 */
function presentMove({ from_status, to_status, actor_kind, reason, at }: HistoryEntry): MerchantMoveRecord {
  const is_message =
    to_status === moves.reject.to ||
    to_status === moves.request_info.to ||
    (from_status === 'INFO_REQUESTED' && to_status === moves.respond.to) ||
    (actor_kind === 'operator' &&
      (to_status === moves.resolve_paid.to || to_status === moves.resolve_unpaid.to || to_status === moves.recall.to))
  return {
    from_status,
    to_status,
    by: ACTORS[actor_kind] ?? 'merchant',
    message: is_message ? reason : null,
    at: at.toISOString(),
  }
}
