// The funding of a withdrawal: which credits its money came from, first in, first out.

import { findFundingCredits } from '../../books/ledger/index.ts'
import type { Reader } from '../../kernel/db/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import type { Withdrawal } from '../withdrawals/index.ts'
import { transactionKind } from './kinds.ts'
import { transactionReference } from './present.ts'
import type { FundingView } from './schema.ts'

/** The payments and other credits that funded a withdrawal, oldest first, with the used amount of each. */
export async function fundingOf(reader: Reader, withdrawal: Withdrawal): Promise<FundingView> {
  const { merchant_id, transfer_id } = withdrawal
  const { origins, complete } =
    transfer_id === null ? { origins: [], complete: false } : await findFundingCredits(reader, merchant_id, transfer_id)
  return {
    withdrawal_id: withdrawal.id,
    transaction_reference: transfer_id === null ? null : transactionReference(transfer_id),
    total_reserved_amount: formatAmount(withdrawal.total_reserved_minor),
    amount_found: formatAmount(origins.reduce((sum, { used_minor }) => sum + used_minor, 0n)),
    currency: withdrawal.currency,
    complete,
    items: origins.map((origin) => ({
      transaction_reference: transactionReference(origin.id),
      type: transactionKind(origin.posting).type,
      collection_id: origin.source_type === 'collection' ? origin.source_id : null,
      amount: formatAmount(origin.net_minor),
      amount_used: formatAmount(origin.used_minor),
    })),
  }
}
