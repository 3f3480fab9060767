// What is answered about a merchant's ledger: the balance, transactions, statements.

/** What a merchant has. Money as decimal texts. */
export type Balance = {
  /** May be withdrawn. Below zero only after a reversal. */
  available: string
  /** Set aside for payouts under way. */
  reserved: string
  /** Received, and waiting for a review. */
  held: string
  currency: string
}

/** What a transaction is. New types may come. */
export type TransactionType = 'COLLECTION' | 'COLLECTION_REVERSAL' | 'WITHDRAWAL' | 'WITHDRAWAL_REVERSAL' | 'ADJUSTMENT'

/** One movement of what is available. Money as decimal texts. */
export type Transaction = {
  reference: string
  /** Its place in your book of this environment: from 1, without gaps. Lists and exports are in this order. */
  sequence: number
  type: TransactionType
  /** credit: you have more afterwards. debit: less. */
  direction: 'credit' | 'debit'
  amount: string
  fee: string
  /** What the available balance changed by. */
  net_amount: string
  currency: string
  /** Of a withdrawal where it stands; of a payment `successful`, or `reversed` when it was taken back later. */
  status: string
  /** That of the transaction with the sequence before, and what this one changed. */
  balance_after: string
  collection_id: string | null
  withdrawal_id: string | null
  merchant_reference: string | null
  environment: 'live' | 'sandbox'
  created_at: string
}

/** Filters of the export. Times are ISO 8601 texts. For people: `environment` is live unless it says sandbox. */
export type ExportFilters = { from?: string; to?: string; environment?: 'live' | 'sandbox' }

/** Filters of the list. */
export type TransactionFilters = ExportFilters & { page?: number; page_size?: number; type?: TransactionType }

/** For people: of which environment. A key has its own. */
export type StatementOptions = { environment?: 'live' | 'sandbox' }

/** What happened in a month or on a day of Africa/Dar_es_Salaam. Money as decimal texts. */
export type Statement = {
  merchant_id: string
  environment: 'live' | 'sandbox'
  period: string
  from: string
  to: string
  /** False while transactions of the period may still come. */
  final: boolean
  currency: string
  opening_balance: string
  /** The opening balance and the net of all lines. The next period opens with it. */
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
