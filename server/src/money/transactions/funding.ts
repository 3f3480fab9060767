// Where the money of a withdrawal came from: first in, first out.

import { findFundingCredits } from '../../books/ledger/index.ts'
import type { Reader } from '../../kernel/db/index.ts'
import { formatAmount } from '../../kernel/lib/index.ts'
import type { Withdrawal } from '../withdrawals/index.ts'
import { kindOf } from './kinds.ts'
import { referenceOf } from './present.ts'
import type { FundingView } from './schema.ts'

/** Which payments and other credits a withdrawal took, oldest first, and how much of each. */
export async function fundingOf(reader: Reader, withdrawal: Withdrawal): Promise<FundingView> {
  const { merchant_id, transfer_id } = withdrawal
  const { origins, complete } =
    transfer_id === null ? { origins: [], complete: false } : await findFundingCredits(reader, merchant_id, transfer_id)
  return {
    withdrawal_id: withdrawal.id,
    transaction_reference: transfer_id === null ? null : referenceOf(transfer_id),
    total_reserved_amount: formatAmount(withdrawal.total_reserved_minor),
    amount_found: formatAmount(origins.reduce((sum, { used_minor }) => sum + used_minor, 0n)),
    currency: withdrawal.currency,
    complete,
    items: origins.map((origin) => ({
      transaction_reference: referenceOf(origin.id),
      type: kindOf(origin.posting).type,
      collection_id: origin.source_type === 'collection' ? origin.source_id : null,
      amount: formatAmount(origin.net_minor),
      amount_used: formatAmount(origin.used_minor),
    })),
  }
}
