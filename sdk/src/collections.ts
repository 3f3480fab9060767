// What is sent and answered about collections: money that comes in.

/** Where a collection can stand. Only `successful` means paid. */
export type CollectionStatus = 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed'

type Method = 'wallet_push' | 'provider_pesa' | 'qr'

type CommonInput = {
  /** Shillings, as a decimal text ("25000.00") or a number with at most two decimals. */
  amount: string | number
  currency?: 'TZS'
  /** Your order or invoice id. */
  reference?: string
  description?: string
  customer_name?: string
  customer_email?: string
  /** Sandbox keys only: the outcome to play. */
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed'
}

/** What a push needs. */
export type PushInput = CommonInput & { phone: string }

/** What a QR code needs. */
export type QrInput = CommonInput & { customer_phone?: string }

/** The answer to a push: the prompt was taken over. Not a payment yet. */
export type PushAccepted = { collection_id: string; reference: string | null; status: 'processing'; message: string }

/** The answer to a QR request. Draw `qr_payload` as it is. */
export type QrAccepted = {
  collection_id: string
  reference: string | null
  status: 'processing'
  payment_token: string
  qr_payload: string
  expires_at: null
}

/** A collection and where it stands. */
export type Collection = {
  collection_id: string
  reference: string | null
  merchant_reference: string | null
  status: CollectionStatus
  amount: number
  amount_received: number | null
  /** What the provider took in another currency. Null: nothing. */
  foreign_amount: number | null
  foreign_currency: string | null
  currency: string
  method: Method | null
  environment: 'live' | 'sandbox'
  provider_payment_status: string | null
  /** Set when failed. New codes may come: treat an unknown one as a failure. */
  failure_reason_code: string | null
  failure_reason_message: string | null
  created_at: string
  updated_at: string
}

/** One page of a list. */
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
