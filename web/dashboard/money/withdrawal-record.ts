// Defines a withdrawal, the fields of its form, and the format of its recipient.

import type { Calls } from '../../ui/api-types.ts'
import type { useDraft } from '../../ui/form.ts'
import { readPhone } from '../../ui/phone-number.ts'
import { showPhone } from '../../ui/show.ts'

/** A withdrawal with its status history, as the API returns it to the merchant. */
export type WithdrawalDetail = Calls['GET /v1/merchant/withdrawals/{withdrawal_id}']['data']

/** Returns true if the money reached the recipient. A reversed withdrawal reached the recipient before. */
export const hasReceipt = ({ status, completed_at }: WithdrawalDetail) =>
  (status === 'SUCCESS' || status === 'REVERSED') && completed_at !== null

/** The payout methods, in the order in which the form shows them. */
export const METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** The name of a payout method, as the API writes it. */
export type PayoutMethod = (typeof METHODS)[number]

/** The fields of the withdrawal form, with the texts as the member typed them. */
export type WithdrawalFields = {
  method: PayoutMethod
  destination_code: string
  identifier: string
  name: string
  amount: string
  reference: string
  /** If true, the page saves the recipient after the request. */
  keep: boolean
}
/** The withdrawal form with its draft, which this tab keeps. */
export type WithdrawalDraft = ReturnType<typeof useDraft<WithdrawalFields>>

/** Formats the number of a recipient: a phone number as people dial it, an account number unchanged. */
export function showIdentifier(method: PayoutMethod, identifier: string): string {
  return method === 'BANK_ACCOUNT' ? identifier : showPhone(identifier)
}

/** The fields of the form that saves a recipient. `label` is the name of the saved recipient. */
export type RecipientFields = Pick<WithdrawalFields, 'method' | 'destination_code' | 'identifier' | 'name'> & {
  label: string
}

/** The form field for each API field of a recipient that has another name. */
export const destinationRename = { destination_identifier: 'identifier', destination_name: 'name' }

/** Converts the typed fields of a recipient into the fields of the API. */
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
