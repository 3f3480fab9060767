// What is sent and answered about withdrawals, which the calls for servers name disbursements: money that goes out.

/** How money is sent out. */
export type PayoutMethod = 'MOBILE_MONEY' | 'BANK_ACCOUNT' | 'PROVIDER_PESA'

/** Where a withdrawal can stand. Only `SUCCESS` means paid out. New ones may come. */
export type WithdrawalStatus =
  | 'PENDING_ADMIN_APPROVAL'
  | 'INFO_REQUESTED'
  | 'PROCESSING'
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'NEEDS_RECONCILIATION'
  | 'BLOCKED_IP_WHITELIST'
  | 'NEEDS_ADMIN_ATTENTION'
  | 'REVERSED'

/** Whom a person's call is for. A key names its merchant and its environment by itself. */
export type ActingInput = { merchant_id?: string; environment?: 'live' | 'sandbox' }

type PaymentInput = ActingInput & {
  /** Shillings, as a decimal text ("25000.00") or a number with at most two decimals. */
  amount: string | number
  currency?: 'TZS'
}

/** What a quote is asked for. `destination_code` may be left out for PROVIDER_PESA only. */
export type QuoteInput = PaymentInput & {
  method: PayoutMethod
  destination_code?: string
  destination_identifier?: string
}

/** A person's withdrawal: to a phone, or to a bank account. `destination_code` may be left out for PROVIDER_PESA only. */
export type WithdrawalInput = PaymentInput & {
  destination_code?: string
  /** Your own id of it. */
  reference?: string
} & (
    | { method: 'MOBILE_MONEY' | 'PROVIDER_PESA'; destination_phone: string; destination_name: string }
    | { method: 'BANK_ACCOUNT'; bank_name: string; bank_account_number: string; destination_name?: string }
  )

/** A server's payout to a mobile-money number. */
export type MobileMoneyInput = PaymentInput & {
  /** The receiver's phone. */
  destination_identifier: string
  /** The network: see `listDestinations`. */
  destination_code: string
  destination_name?: string
  /** Your own id of it. */
  reference?: string
}

/** A server's payout to a Provider Pesa wallet. */
export type WalletInput = Omit<MobileMoneyInput, 'destination_code'> & { destination_code?: string }

/** A server's payout to a bank account, whose number is kept exactly as it is sent. */
export type BankAccountInput = MobileMoneyInput & { bank_name: string }

/** What a withdrawal costs. Money as decimal texts. */
export type Charges = {
  processor_charge: string
  /** The service's own fee: percentage_fee and flat_fee together. */
  infinity_fee: string
  percentage_fee: string
  flat_fee: string
  total_charges: string
  /** What leaves the balance: the amount and total_charges. */
  total_reserved_amount: string
  recipient_net_amount: string
  pricing_rule_id: string | null
  pricing_rule_label: string | null
  /** True: the processor's charge is part of total_charges. */
  processor_fee_pass_through: boolean
}

/** What a withdrawal would cost. It is priced anew when it is submitted. */
export type Quote = Charges & {
  withdrawal_amount: string
  currency: string
  channel: PayoutMethod
  destination_code: string
}

/** A withdrawal with its charges, which are frozen, and where it stands. */
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
  /** What the operator told you: why it was rejected, or what is asked. */
  status_reason: string | null
  /** Set when FAILED. New codes may come. */
  failure_reason_code: string | null
  failure_reason_message: string | null
  provider_reference: string | null
  /** Its transaction, for `getTransaction`. Null until it was approved. */
  transaction_reference: string | null
  initiated_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
}

/** A withdrawal with its moves, oldest first. */
export type WithdrawalDetail = Withdrawal & {
  history: {
    from_status: WithdrawalStatus
    to_status: WithdrawalStatus
    by: 'merchant' | 'operator' | 'provider'
    message: string | null
    at: string
  }[]
}

/** Filters of the list of withdrawals. */
export type WithdrawalFilters = ActingInput & { page?: number; page_size?: number; status?: WithdrawalStatus }

/** Filters of the list of disbursements. */
export type DisbursementFilters = Omit<WithdrawalFilters, 'merchant_id'>

/** What can be played of a sandbox disbursement. */
export type SimulatedOutcome =
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'INFO_REQUESTED'
  | 'NEEDS_RECONCILIATION'
  | 'BLOCKED_IP_WHITELIST'
  | 'REVERSED'

/** A network or bank that money can be sent to. */
export type Destination = { code: string; name: string; method: PayoutMethod; aliases: string[] }
