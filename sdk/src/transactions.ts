// Answers about the ledger of a merchant: the balance, transactions, statements.

/** The balance of a merchant. Amounts are decimal texts. */
export type Balance = {
  /** The amount that the merchant can withdraw. The amount is below zero only after a reversal. */
  available: string
  /** The money that the ledger reserves for payouts in progress. */
  reserved: string
  /** The money that the platform received and holds for review. */
  held: string
  currency: string
}

/** The type of a transaction. New types may follow. */
export type TransactionType = 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT'

/** A change of the available balance. Amounts are decimal texts. */
export type Transaction = {
  reference: string
  /** The position in the merchant's book of this environment: from 1, without gaps. Lists and exports use this order. */
  sequence: number
  type: TransactionType
  /** credit increases the available balance, and debit decreases it. */
  direction: 'credit' | 'debit'
  amount: string
  fee: string
  /** The change of the available balance. */
  net_amount: string
  currency: string
  /** The current status of a withdrawal. For a payment: `successful`, or `reversed` after a reversal by the provider. */
  status: string
  /** The available balance after this transaction. */
  balance_after: string
  collection_id: string | null
  withdrawal_id: string | null
  merchant_reference: string | null
  environment: 'live' | 'sandbox'
  created_at: string
}

/** Filters of the export. Times are ISO 8601 texts. For users, `environment` is live by default. */
export type ExportFilters = { from?: string; to?: string; environment?: 'live' | 'sandbox' }

/** Filters of the list. */
export type TransactionFilters = ExportFilters & { page?: number; page_size?: number; type?: TransactionType }

/** The environment of a user's list. A key has its own environment. */
export type StatementOptions = { environment?: 'live' | 'sandbox' }

/** The statement of a month or day in Africa/Dar_es_Salaam. Amounts are decimal texts. */
export type Statement = {
  merchant_id: string
  environment: 'live' | 'sandbox'
  period: string
  from: string
  to: string
  /** False while the period may still get transactions. */
  final: boolean
  currency: string
  opening_balance: string
  /** The opening balance plus the net of all lines. This amount is the opening balance of the next period. */
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
