// Defines a withdrawal, the fields of its form, and the display of its destination.

import type { Calls } from '../../ui/api-types.ts'
import type { useDraft } from '../../ui/form.ts'
import { showPhone } from '../../ui/show.ts'

/** A withdrawal with its history. */
export type WithdrawalDetail = Calls['GET /v1/merchant/withdrawals/{withdrawal_id}']['data']

/** The payout methods. */
export const METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** The name of a payout method. */
export type PayoutMethod = (typeof METHODS)[number]

/** The fields of the withdrawal form, with the texts that the reader typed. */
export type WithdrawalFields = {
  method: PayoutMethod
  destination_code: string
  identifier: string
  name: string
  amount: string
  reference: string
}
/** The withdrawal form. This tab keeps the draft of the form. */
export type WithdrawalDraft = ReturnType<typeof useDraft<WithdrawalFields>>

/**
 * Formats the identifier of a recipient. A phone number gets the format that people dial; an account number stays unchanged.
 */
export function showIdentifier(method: PayoutMethod, identifier: string): string {
  return method === 'BANK_ACCOUNT' ? identifier : showPhone(identifier)
}
