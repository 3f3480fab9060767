// Defines a withdrawal, its form, and its destination as people read the destination.

import type { Calls } from '../../ui/api-types.ts'
import type { useDraft } from '../../ui/form.ts'
import { showPhone } from '../../ui/show.ts'

/** A withdrawal with its history. */
export type WithdrawalDetail = Calls['GET /v1/merchant/withdrawals/{withdrawal_id}']['data']

/** The payout methods. */
export const METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** The name of a payout method. */
export type PayoutMethod = (typeof METHODS)[number]

/** The fields of the form of a withdrawal, as the reader types them. */
export type WithdrawalFields = {
  method: PayoutMethod
  destination_code: string
  identifier: string
  name: string
  amount: string
  reference: string
}
/** The form of a withdrawal, whose draft this tab keeps. */
export type WithdrawalDraft = ReturnType<typeof useDraft<WithdrawalFields>>

/** Formats the identifier of a recipient: a phone number as people dial the number, and an account number unchanged. */
export function showIdentifier(method: PayoutMethod, identifier: string): string {
  return method === 'BANK_ACCOUNT' ? identifier : showPhone(identifier)
}
