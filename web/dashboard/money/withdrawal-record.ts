// Defines a withdrawal, the fields of its form, and the display of its destination.

import type { Calls } from '../../ui/api-types.ts'
import { readPhone } from '../../ui/checks.ts'
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
  /** True: save the recipient after the request. */
  keep: boolean
}
/** The withdrawal form. This tab keeps the draft of the form. */
export type WithdrawalDraft = ReturnType<typeof useDraft<WithdrawalFields>>

/**
 * Formats the identifier of a recipient. A phone number gets the format that people dial; an account number stays unchanged.
 */
export function showIdentifier(method: PayoutMethod, identifier: string): string {
  return method === 'BANK_ACCOUNT' ? identifier : showPhone(identifier)
}

/** The fields of the form that saves a recipient. */
export type RecipientFields = Pick<WithdrawalFields, 'method' | 'destination_code' | 'identifier' | 'name'> & {
  label: string
}

/** The form field for each field of the API that saves a recipient. */
export const destinationRename = { destination_identifier: 'identifier', destination_name: 'name' }

/** Converts the fields of a recipient into the fields that the API expects. */
export function destinationFields({
  method,
  destination_code,
  identifier: typed,
  name,
}: Omit<RecipientFields, 'label'>) {
  const number = typed.trim()
  return {
    method,
    ...(method === 'PROVIDER_PESA' ? {} : { destination_code }),
    destination_identifier: method === 'BANK_ACCOUNT' ? number : (readPhone(number) ?? number),
    destination_name: name.trim(),
  }
}
