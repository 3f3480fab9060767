// Inputs and responses of withdrawals: money that a merchant sends out. The calls for servers use the name disbursement.

/** The payout methods. */
export type PayoutMethod = 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA'

/** The statuses of a withdrawal. Only `SUCCESS` means that the payee got the money. New statuses may follow. */
export type WithdrawalStatus =
  | 'PENDING_ADMIN_APPROVAL'
  | 'INFO_REQUESTED'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'CANCELLED'
  | 'NEEDS_RECONCILIATION'
  | 'BLOCKED_IP_WHITELIST'
  | 'NEEDS_ADMIN_ATTENTION'
  | 'REVERSED'

/** The merchant and environment of a call with a user's token. If the call uses an API key, omit both: the key selects them. */
export type ActingInput = { merchant_id?: string; environment?: 'live' | 'sandbox' }

type PaymentInput = ActingInput & {
  /** Shillings, as a decimal text ("25000.00") or a number with at most two decimals. */
  amount: string | number
  currency?: 'TZS'
}

/** The input of a quote. If the method is PROVIDER_PESA, `destination_code` is optional. */
export type QuoteInput = PaymentInput & {
  method: PayoutMethod
  destination_code?: string
  destination_identifier?: string
}

/**
 * The input of a user's withdrawal to a phone or a bank account. `destination_code` is required unless the method is
 * PROVIDER_PESA.
 */
export type WithdrawalInput = PaymentInput & {
  destination_code?: string
  /** Your id of the withdrawal. */
  reference?: string
} & (
    | { method: 'MOBILE_MONEY' | 'PROVIDER_PESA'; destination_phone: string; destination_name: string }
    | { method: 'BANK_ACCOUNT'; bank_name: string; bank_account_number: string; destination_name?: string }
  )

/** The input of a server's payout to a mobile-money number. */
export type MobileMoneyInput = PaymentInput & {
  /** The phone number of the recipient. */
  destination_identifier: string
  /** The code of the network. `listDestinations` returns the codes. */
  destination_code: string
  destination_name?: string
  /** Your id of the payout. */
  reference?: string
}

/** The input of a server's payout to a Provider Pesa wallet. */
export type WalletInput = Omit<MobileMoneyInput, 'destination_code'> & { destination_code?: string }

/** The input of a server's payout to a bank account. The API stores the account number unchanged. */
export type BankAccountInput = MobileMoneyInput & { bank_name: string }

/** The charges of a withdrawal. Amounts are decimal texts. */
export type Charges = {
  processor_charge: string
  /** The fee of the platform: percentage_fee plus flat_fee. */
  infinity_fee: string
  percentage_fee: string
  flat_fee: string
  total_charges: string
  /** The amount that leaves the balance: the amount plus total_charges. */
  total_reserved_amount: string
  recipient_net_amount: string
  pricing_rule_id: string | null
  pricing_rule_label: string | null
  /** True if total_charges includes the charge of the processor. */
  processor_fee_pass_through: boolean
}

/** The charges of a withdrawal. When a user submits the withdrawal, the API computes the charges again. */
export type Quote = Charges & {
  withdrawal_amount: string
  currency: string
  channel: PayoutMethod
  destination_code: string
}

/** A withdrawal with its status and its fixed charges. */
export type Withdrawal = Charges & {
  id: string
  merchant_id: string
  environment: 'live' | 'sandbox'
  method: PayoutMethod
  amount: string
  currency: string
  destination_name: string | null
  destination_identifier: string
  destination_code: string
  bank_name: string | null
  reference: string | null
  merchant_reference: string | null
  status: WithdrawalStatus
  requires_approval: boolean
  /** The message of the operator: the reason of a rejection, or a question. */
  status_reason: string | null
  /** The reason of a failure. Null means that the withdrawal has not failed. New codes may follow. */
  failure_reason_code: string | null
  failure_reason_message: string | null
  provider_reference: string | null
  /** The reference of the withdrawal's transaction, for `getTransaction`. Before the approval, the reference is null. */
  transaction_reference: string | null
  initiated_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
}

/** A withdrawal with its status history, oldest first. */
export type WithdrawalDetail = Withdrawal & {
  history: {
    from_status: WithdrawalStatus
    to_status: WithdrawalStatus
    by: 'merchant' | 'operator' | 'provider'
    message: string | null
    at: string
  }[]
}

/** The filters of the list of withdrawals. */
export type WithdrawalFilters = ActingInput & { page?: number; page_size?: number; status?: WithdrawalStatus }

/** The filters of the list of disbursements. */
export type DisbursementFilters = Omit<WithdrawalFilters, 'merchant_id'>

/** The outcomes that a sandbox disbursement can simulate. */
export type SimulatedOutcome =
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'INFO_REQUESTED'
  | 'NEEDS_RECONCILIATION'
  | 'BLOCKED_IP_WHITELIST'
  | 'REVERSED'

/** A network or bank that can receive payouts. */
export type Destination = { code: string; name: string; method: PayoutMethod; aliases: string[] }
