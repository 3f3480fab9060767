// Responses about the ledger of a merchant: the balance, transactions and statements.

/** A merchant's balance. Amounts are decimal texts. */
export type Balance = {
  /** The amount that the merchant can withdraw. Only a reversal can make this amount negative. */
  available: string
  /** The money that the ledger reserves for payouts in progress. */
  reserved: string
  /** The money that the platform holds for review. */
  held: string
  currency: string
}

/** The type of a transaction. New types may follow. */
export type TransactionType = 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT'

/** A change of the available balance. Amounts are decimal texts. */
export type Transaction = {
  reference: string
  /**
   * The position in the merchant's book of this environment. Positions start at 1 and have no gaps. Lists and exports use this
   * order.
   */
  sequence: number
  type: TransactionType
  /** A credit increases the available balance, and a debit decreases it. */
  direction: 'credit' | 'debit'
  amount: string
  fee: string
  /** The amount by which the available balance changes. */
  net_amount: string
  currency: string
  /**
   * The current status of the payment or withdrawal. A payment is `successful`, or `reversed` after a reversal by the provider.
   */
  status: string
  /** The available balance after this transaction. */
  balance_after: string
  collection_id: string | null
  withdrawal_id: string | null
  merchant_reference: string | null
  environment: 'live' | 'sandbox'
  created_at: string
}

/** The filters of the export. Times are ISO 8601 texts. For users, the default of `environment` is live. */
export type ExportFilters = { from?: string; to?: string; environment?: 'live' | 'sandbox' }

/** The filters of the list. */
export type TransactionFilters = ExportFilters & { page?: number; page_size?: number; type?: TransactionType }

/** The environment of the list, for users only. An API key belongs to one environment. */
export type StatementOptions = { environment?: 'live' | 'sandbox' }

/** The statement of a month or a day in the time zone Africa/Dar_es_Salaam. Amounts are decimal texts. */
export type Statement = {
  merchant_id: string
  environment: 'live' | 'sandbox'
  period: string
  from: string
  to: string
  /** False means that the period can still get transactions. */
  final: boolean
  currency: string
  opening_balance: string
  /** The opening balance plus the net amount of all lines. The next period has this amount as its opening balance. */
  closing_balance: string
  lines: {
    type: TransactionType
    direction: 'credit' | 'debit'
    count: number
    amount: string
    fee: string
    net: string
  }[]
}
