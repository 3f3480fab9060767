// Inputs and responses of collections: payments that a merchant requests.

/** The statuses of a collection. Only `successful` means paid. */
export type CollectionStatus = 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed'

type Method = 'wallet_push' | 'provider_pesa' | 'qr'

type CommonInput = {
  /** Shillings, as a decimal text ("25000.00") or a number with at most two decimals. */
  amount: string | number
  currency?: 'TZS'
  /** Your id of the order or invoice. */
  reference?: string
  description?: string
  customer_name?: string
  customer_email?: string
  /** The outcome to simulate. Only sandbox keys accept this field. */
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed'
}

/** The input of a push. */
export type PushInput = CommonInput & { phone: string }

/** The input of a QR code. */
export type QrInput = CommonInput & { customer_phone?: string }

/** The response to a push. The API accepted the request, but the payer has not paid yet. */
export type PushAccepted = { collection_id: string; reference: string | null; status: 'processing'; message: string }

/** The response to a QR request. Encode `qr_payload` unchanged. */
export type QrAccepted = {
  collection_id: string
  reference: string | null
  status: 'processing'
  payment_token: string
  qr_payload: string
  expires_at: null
}

/** A collection with its status. */
export type Collection = {
  collection_id: string
  reference: string | null
  merchant_reference: string | null
  status: CollectionStatus
  amount: number
  amount_received: number | null
  /** The amount that the provider received in another currency. Null means that the provider received shillings or no money. */
  foreign_amount: number | null
  foreign_currency: string | null
  currency: string
  method: Method | null
  customer_name: string | null
  /** The phone that your request named or that the payer typed. Null means that neither did. */
  customer_phone: string | null
  /** Our fee. Null means that the payer has not chosen a method. */
  fee: number | null
  /** The received amount without our fee. Null means that the collection is not successful. */
  net_amount: number | null
  environment: 'live' | 'sandbox'
  provider_payment_status: string | null
  /**
   * The reason of a failure. Null means that the collection has not failed. New codes may follow: treat an unknown code as a
   * failure.
   */
  failure_reason_code: string | null
  failure_reason_message: string | null
  created_at: string
  updated_at: string
}

/** A page of a list. */
export type Page<Item> = {
  items: Item[]
  pagination: { page: number; page_size: number; total_items: number; total_pages: number }
}

/** Filters of the list. Times are ISO 8601 texts. */
export type ListOptions = {
  page?: number
  page_size?: number
  status?: CollectionStatus
  method?: Method
  reference?: string
  phone?: string
  from?: string
  to?: string
}
