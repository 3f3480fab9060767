// The calls of the API: parameters, body, and the data of the answer. Generated from openapi.json by `npm run generate`.

export type Calls = {
  'GET /healthz': {
    params: {  }
    query: { verbose?: string }
    body: undefined
    data: unknown
  }
  'GET /readyz': {
    params: {  }
    query: {  }
    body: undefined
    data: unknown
  }
  'POST /v1/collections/wallet-push': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: "successful" | "failed" | "pending_clearance" | "reversed"; metadata?: Record<string, string>; phone: string }
    data: { collection_id: string; reference: string | null; status: "processing"; message: string }
  }
  'POST /v1/collections/provider-pesa': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: "successful" | "failed" | "pending_clearance" | "reversed"; metadata?: Record<string, string>; phone: string }
    data: { collection_id: string; reference: string | null; status: "processing"; message: string }
  }
  'POST /v1/collections/stk-push': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: "successful" | "failed" | "pending_clearance" | "reversed"; metadata?: Record<string, string>; customer_phone: string; merchant_reference?: string }
    data: { collection_id: string; reference: string | null; status: "processing"; message: string }
  }
  'POST /v1/collections/qr': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: "successful" | "failed" | "pending_clearance" | "reversed"; metadata?: Record<string, string>; customer_phone?: string }
    data: { collection_id: string; reference: string | null; status: "processing"; payment_token: string; qr_payload: string; expires_at: null }
  }
  'GET /v1/collections': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; method?: "wallet_push" | "provider_pesa" | "qr"; reference?: string; phone?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: { items: Array<{ collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number | null; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/collections': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string | null; customer_phone?: string | null; description?: string | null; customer_email?: string | null; reference?: string | null; redirect_url?: string | null; cancel_url?: string | null; webhook_url?: unknown; environment?: "live" | "sandbox"; metadata?: Record<string, string> }
    data: { collection_id: string; reference: string | null; status: "created"; payment_url: string }
  }
  'GET /v1/collections/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; method?: "wallet_push" | "provider_pesa" | "qr"; reference?: string; phone?: string; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/collections/{collection_id}': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number | null; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'POST /v1/collections/{collection_id}/refresh-status': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number | null; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'POST /v1/payment-links': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; amount: string | number; currency?: string; customer_name?: string | null; customer_phone?: string | null; description?: string | null; reference?: string | null; expires_at?: string | null; environment?: "live" | "sandbox"; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; amount: string; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'GET /v1/payment-links': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; amount: string; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/payment-links/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/payment-links/{link_id}': {
    params: { link_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; amount: string; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'GET /v1/payment-links/{link_id}/poster.pdf': {
    params: { link_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; language?: "sw" | "en" }
    body: undefined
    data: unknown
  }
  'GET /v1/payment-links/{link_id}/collections': {
    params: { link_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number | null; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/payment-links/{link_id}/cancel': {
    params: { link_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; amount: string; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'GET /public/payment-links/{public_slug}': {
    params: { public_slug: string }
    query: {  }
    body: undefined
    data: { merchant_name: string; amount: string; currency: string; description: string | null; customer_name: string | null; customer_phone: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" }
  }
  'POST /public/payment-links/{public_slug}/collect': {
    params: { public_slug: string }
    query: {  }
    body: { method: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR"; customer_phone?: string | null }
    data: { collection_id: string; status: "processing"; method: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR"; message: string; payment_token?: string; qr_payload?: string; expires_at?: null }
  }
  'POST /public/payment-links/{public_slug}/pay': {
    params: { public_slug: string }
    query: {  }
    body: { method: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR"; customer_phone?: string | null }
    data: { collection_id: string; status: "processing"; method: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR"; message: string; payment_token?: string; qr_payload?: string; expires_at?: null }
  }
  'GET /public/payment-links/{public_slug}/collections/{collection_id}/status': {
    params: { public_slug: string; collection_id: string }
    query: {  }
    body: undefined
    data: { collection_id: string; status: string; method: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR" | null; failure_reason_code: string | null; failure_reason_message: string | null }
  }
  'GET /v1/invoices': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; metadata?: Record<string, string> }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/invoices': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; customer_name: string; customer_phone?: string | null; customer_email?: string | null; due_date: string; items: Array<{ description: string; quantity: string; unit_price: string }>; note?: string | null; language?: "sw" | "en"; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'GET /v1/invoices/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED" }
    body: undefined
    data: unknown
  }
  'GET /v1/invoices/{invoice_id}': {
    params: { invoice_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'PATCH /v1/invoices/{invoice_id}': {
    params: { invoice_id: string }
    query: { merchant_id?: string; environment?: "live" | "sandbox" }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; customer_name?: string; customer_phone?: string | null; customer_email?: string | null; due_date?: string; items?: Array<{ description: string; quantity: string; unit_price: string }>; note?: string | null; language?: "sw" | "en"; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'POST /v1/invoices/{invoice_id}/send': {
    params: { invoice_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'POST /v1/invoices/{invoice_id}/cancel': {
    params: { invoice_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; number: string; status: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: "sw" | "en"; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: string }>; total: string; note: string | null; payment_link_id: string | null; payment_link_status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED" | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'POST /v1/invoices/{invoice_id}/payment-link': {
    params: { invoice_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; amount: string; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Record<string, string>; created_at: string; updated_at: string }
  }
  'GET /v1/destinations': {
    params: {  }
    query: { method?: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ code: string; name: string; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; aliases: Array<string> }> }
  }
  'POST /v1/merchant/withdrawals/quote': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; amount: string | number; currency?: string; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code?: string; destination_identifier?: string }
    data: { withdrawal_amount: string; currency: string; channel: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code: string; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean }
  }
  'POST /v1/merchant/withdrawals': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; amount: string | number; currency?: string; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code?: string; destination_name?: string; destination_phone?: string; bank_name?: string; bank_account_number?: string; bank_account_name?: string; destination_identifier?: string; reference?: string; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'GET /v1/merchant/withdrawals': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; method?: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; reference?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/disbursements/provider-pesa': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; amount: string | number; currency?: string; destination_name?: string; destination_identifier: string; destination_code?: string; reference?: string; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/disbursements/mobile-money': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; amount: string | number; currency?: string; destination_name?: string; destination_identifier: string; destination_code: string; reference?: string; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/disbursements/bank-account': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; amount: string | number; currency?: string; destination_name?: string; destination_identifier: string; destination_code: string; bank_name: string; reference?: string; metadata?: Record<string, string> }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'GET /v1/merchant/withdrawals/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; method?: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; reference?: string; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; history: Array<{ from_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; to_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; by: "merchant" | "operator" | "provider"; message: string | null; at: string }> }
  }
  'GET /v1/disbursements': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; method?: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; reference?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/disbursements/{disbursement_id}': {
    params: { disbursement_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; history: Array<{ from_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; to_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; by: "merchant" | "operator" | "provider"; message: string | null; at: string }> }
  }
  'GET /v1/merchant/payout-limits': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { daily_limit: string | null; approved_today: string; daily_limit_per_destination: string | null }
  }
  'POST /v1/merchant/withdrawals/{withdrawal_id}/respond': {
    params: { withdrawal_id: string }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox"; message: string }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/merchant/withdrawals/{withdrawal_id}/cancel': {
    params: { withdrawal_id: string }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox" } | null
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/disbursements/{disbursement_id}/cancel': {
    params: { disbursement_id: string }
    query: {  }
    body: { merchant_id?: string; environment?: "live" | "sandbox" } | null
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/sandbox/disbursements/{disbursement_id}/simulate': {
    params: { disbursement_id: string }
    query: { environment?: "live" | "sandbox" }
    body: { merchant_id?: string; outcome: "SUCCESS" | "FAILED" | "REJECTED" | "INFO_REQUESTED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "REVERSED" }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  }
  'POST /v1/merchant/api-keys': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; name: string; environment: "live" | "sandbox"; scopes: Array<string>; ip_whitelist_enabled?: boolean; continue_without_ip_whitelist?: boolean; expires_at?: string | null }
    data: { id: string; merchant_id: string; name: string; environment: "live" | "sandbox"; key_prefix: string; key_last4: string; scopes: Array<string>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string; plaintext_key?: string }
  }
  'GET /v1/merchant/api-keys': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "active" | "revoked"; made_by?: string }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; name: string; environment: "live" | "sandbox"; key_prefix: string; key_last4: string; scopes: Array<string>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/merchants/{merchant_id}/api-keys': {
    params: { merchant_id: string }
    query: {  }
    body: { merchant_id?: string; name: string; environment: "live" | "sandbox"; scopes: Array<string>; ip_whitelist_enabled?: boolean; continue_without_ip_whitelist?: boolean; expires_at?: string | null }
    data: { id: string; merchant_id: string; name: string; environment: "live" | "sandbox"; key_prefix: string; key_last4: string; scopes: Array<string>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string; plaintext_key?: string }
  }
  'PATCH /v1/merchant/api-keys/{key_id}/revoke': {
    params: { key_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; name: string; environment: "live" | "sandbox"; key_prefix: string; key_last4: string; scopes: Array<string>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string }
  }
  'POST /v1/merchant/api-keys/{key_id}/rotate': {
    params: { key_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; name: string; environment: "live" | "sandbox"; key_prefix: string; key_last4: string; scopes: Array<string>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string; plaintext_key?: string }
  }
  'GET /v1/merchant/ip-addresses': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "PENDING" | "APPROVED" | "REJECTED" }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/merchant/ip-addresses': {
    params: {  }
    query: {  }
    body: { merchant_id?: string; label: string; address: string; environment?: "live" | "sandbox" }
    data: { id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null }
  }
  'DELETE /v1/merchant/ip-addresses/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null }
  }
  'GET /v1/merchant/webhook-status': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { failing: Array<{ environment: "live" | "sandbox"; endpoint_id: string; failed: number; given_up: number; oldest_at: string; last_failed_at: string; last_status_code: number | null; last_error: string | null; next_attempt_at: string | null }> }
  }
  'GET /v1/merchant/webhook-config': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { webhook_url: string; events: Array<string>; secret_last4: string; secret?: string }
  }
  'PATCH /v1/merchant/webhook-config': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { webhook_url?: string; events?: Array<string>; rotate_secret?: boolean }
    data: { webhook_url: string; events: Array<string>; secret_last4: string; secret?: string }
  }
  'POST /v1/merchant/webhook-config/test': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; event: string; environment: "live" | "sandbox"; endpoint_id: string; status: "pending" | "delivered" | "failed" | "cancelled"; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; next_attempt_at: string | null; created_at: string }
  }
  'GET /v1/merchant/webhook-endpoints': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ id: string; environment: "live" | "sandbox"; description: string | null; webhook_url: string; events: Array<string>; secret_last4: string; secret?: string; created_at: string }>; limit: number }
  }
  'POST /v1/merchant/webhook-endpoints': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { webhook_url: string; events?: Array<string>; description?: string }
    data: { id: string; environment: "live" | "sandbox"; description: string | null; webhook_url: string; events: Array<string>; secret_last4: string; secret?: string; created_at: string }
  }
  'GET /v1/merchant/webhook-endpoints/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; environment: "live" | "sandbox"; description: string | null; webhook_url: string; events: Array<string>; secret_last4: string; secret?: string; created_at: string }
  }
  'PATCH /v1/merchant/webhook-endpoints/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { webhook_url?: string; events?: Array<string>; description?: string | null; rotate_secret?: boolean }
    data: { id: string; environment: "live" | "sandbox"; description: string | null; webhook_url: string; events: Array<string>; secret_last4: string; secret?: string; created_at: string }
  }
  'DELETE /v1/merchant/webhook-endpoints/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; deleted: true }
  }
  'POST /v1/merchant/webhook-endpoints/{id}/test': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; event: string; environment: "live" | "sandbox"; endpoint_id: string; status: "pending" | "delivered" | "failed" | "cancelled"; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; next_attempt_at: string | null; created_at: string }
  }
  'GET /v1/merchant/webhook-deliveries': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: "pending" | "delivered" | "failed" | "cancelled"; event?: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "collection.successful"; endpoint_id?: string; from?: string; to?: string }
    body: undefined
    data: { items: Array<{ id: string; event: string; environment: "live" | "sandbox"; endpoint_id: string; status: "pending" | "delivered" | "failed" | "cancelled"; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; next_attempt_at: string | null; created_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/merchant/webhook-deliveries/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; event: string; environment: "live" | "sandbox"; endpoint_id: string; status: "pending" | "delivered" | "failed" | "cancelled"; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; next_attempt_at: string | null; created_at: string }
  }
  'POST /v1/merchant/webhook-deliveries/replay': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { since: string; until?: string; event?: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "collection.successful"; endpoint_id?: string; status?: "failed" | "delivered" | "all" }
    data: { queued: number; more: boolean; next_since: string | null }
  }
  'POST /v1/merchant/webhook-deliveries/{id}/replay': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; event: string; environment: "live" | "sandbox"; endpoint_id: string; status: "pending" | "delivered" | "failed" | "cancelled"; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; next_attempt_at: string | null; created_at: string }
  }
  'GET /v1/merchant/requests': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD"; status?: string; path?: string; q?: string; key_id?: string; from?: string; to?: string }
    body: undefined
    data: { items: Array<{ id: string; kind: "request" | "not_kept"; request_id: string | null; at: string; until: string | null; count: number; method: string | null; path: string | null; status: number | null; duration_ms: number | null; key_id: string | null; key_name: string | null; address: string | null; reference: string | null; resource_id: string | null; error_code: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number }; looked_back_to: string | null }
  }
  'GET /v1/merchant/requests/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { id: string; kind: "request" | "not_kept"; request_id: string | null; at: string; until: string | null; count: number; method: string | null; path: string | null; status: number | null; duration_ms: number | null; key_id: string | null; key_name: string | null; address: string | null; reference: string | null; resource_id: string | null; error_code: string | null; environment: "live" | "sandbox"; query: string | null; user_agent: string | null; idempotency_key: string | null; request_body: string | null; request_body_cut: boolean; response_body: string | null; response_body_cut: boolean; ignored_fields: string | null; bodies_dropped: boolean }
  }
  'GET /v1/balance': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { available: string; reserved: string; held: string; currency: string }
  }
  'GET /v1/merchant/balance': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { available: string; reserved: string; held: string; currency: string }
  }
  'GET /v1/merchants/{merchant_id}/transactions': {
    params: { merchant_id: string }
    query: { environment?: "live" | "sandbox"; page?: number; page_size?: number; type?: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; from?: string; to?: string }
    body: undefined
    data: { items: Array<{ reference: string; sequence: number; type: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; direction: "credit" | "debit"; amount: string; fee: string; net_amount: string; currency: string; status: "successful" | "reversed" | "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; balance_after: string; collection_id: string | null; withdrawal_id: string | null; merchant_reference: string | null; environment: "live" | "sandbox"; created_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/transactions/{reference}': {
    params: { reference: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { reference: string; sequence: number; type: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; direction: "credit" | "debit"; amount: string; fee: string; net_amount: string; currency: string; status: "successful" | "reversed" | "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; balance_after: string; collection_id: string | null; withdrawal_id: string | null; merchant_reference: string | null; environment: "live" | "sandbox"; created_at: string }
  }
  'GET /v1/merchants/{merchant_id}/transactions/export': {
    params: { merchant_id: string }
    query: { environment?: "live" | "sandbox"; type?: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/merchants/{merchant_id}/statements/{period}': {
    params: { merchant_id: string; period: string }
    query: { environment?: "live" | "sandbox"; format?: "json" | "csv" }
    body: undefined
    data: { merchant_id: string; environment: "live" | "sandbox"; period: string; from: string; to: string; final: boolean; currency: string; opening_balance: string; closing_balance: string; lines: Array<{ type: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; direction: "credit" | "debit"; count: number; amount: string; fee: string; net: string }> }
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}/funding': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { withdrawal_id: string; transaction_reference: string | null; total_reserved_amount: string; amount_found: string; currency: string; complete: boolean; items: Array<{ transaction_reference: string; type: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; collection_id: string | null; amount: string; amount_used: string }> }
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}/funding': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: { withdrawal_id: string; transaction_reference: string | null; total_reserved_amount: string; amount_found: string; currency: string; complete: boolean; items: Array<{ transaction_reference: string; type: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"; collection_id: string | null; amount: string; amount_used: string }> }
  }
  'POST /v1/operator/statements/{id}/withdraw': {
    params: { id: string }
    query: {  }
    body: { reason: string }
    data: { id: string; provider: string; source: "file" | "list"; file_name: string | null; sha256: string | null; from: string; to: string; state: "importing" | "done" | "failed" | "withdrawn"; lines: number; matched: number; opened: number; explained: number; imported_by: { kind: string; id: string | null; name: string }; created_at: string; finished_at: string | null; withdrawn: { at: string; by: string; reason: string } | null }
  }
  'GET /v1/operator/statements': {
    params: {  }
    query: { page?: number; page_size?: number; provider?: string }
    body: undefined
    data: { items: Array<{ id: string; provider: string; source: "file" | "list"; file_name: string | null; sha256: string | null; from: string; to: string; state: "importing" | "done" | "failed" | "withdrawn"; lines: number; matched: number; opened: number; explained: number; imported_by: { kind: string; id: string | null; name: string }; created_at: string; finished_at: string | null; withdrawn: { at: string; by: string; reason: string } | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/statements': {
    params: {  }
    query: { provider: string; from: string; to: string; columns?: string; file_name?: string }
    body: undefined
    data: { id: string; provider: string; source: "file" | "list"; file_name: string | null; sha256: string | null; from: string; to: string; state: "importing" | "done" | "failed" | "withdrawn"; lines: number; matched: number; opened: number; explained: number; imported_by: { kind: string; id: string | null; name: string }; created_at: string; finished_at: string | null; withdrawn: { at: string; by: string; reason: string } | null }
  }
  'GET /v1/operator/reconciliation': {
    params: {  }
    query: {  }
    body: undefined
    data: { providers: Array<{ provider: string; statements: number; lines: number; matched: number; stated_until: string | null; holes: Array<{ from: string; to: string }>; open_cases: number; open_by_kind: { unknown_to_us: number; unknown_to_them: number; amount_differs: number; outcome_differs: number; duplicate: number }; unexplained: string; net_difference: string; other_currencies: Array<{ currency: string; unexplained: string; net_difference: string }> }>; float: { books: string; currency: string; providers: Array<{ provider: string; balance: string | null; separate: boolean }>; difference: string | null } }
  }
  'GET /v1/operator/reconciliation/exceptions': {
    params: {  }
    query: { page?: number; page_size?: number; state?: "open" | "resolved"; kind?: "unknown_to_us" | "unknown_to_them" | "amount_differs" | "outcome_differs" | "duplicate"; provider?: string }
    body: undefined
    data: { items: Array<{ id: string; provider: string; kind: "unknown_to_us" | "unknown_to_them" | "amount_differs" | "outcome_differs" | "duplicate"; line_kind: "payment" | "payout" | "reversal" | "charge"; state: "open" | "resolved"; reference: string | null; provider_id: string | null; merchant_id: string | null; collection_id: string | null; withdrawal_id: string | null; amount_theirs: string | null; amount_ours: string | null; currency: string; currency_theirs: string | null; status_ours: string | null; difference: string; at: string | null; statement_id: string; line: number | null; opened_at: string; resolution: "accepted" | "written_off" | "corrected" | "explained" | "withdrawn" | null; reason: string | null; resolved_at: string | null; resolved_by: { id: string | null; name: string } | null; explained_by: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/reconciliation/exceptions/{id}/ask': {
    params: { id: string }
    query: {  }
    body: {  } | null
    data: { id: string; provider: string; kind: "unknown_to_us" | "unknown_to_them" | "amount_differs" | "outcome_differs" | "duplicate"; line_kind: "payment" | "payout" | "reversal" | "charge"; state: "open" | "resolved"; reference: string | null; provider_id: string | null; merchant_id: string | null; collection_id: string | null; withdrawal_id: string | null; amount_theirs: string | null; amount_ours: string | null; currency: string; currency_theirs: string | null; status_ours: string | null; difference: string; at: string | null; statement_id: string; line: number | null; opened_at: string; resolution: "accepted" | "written_off" | "corrected" | "explained" | "withdrawn" | null; reason: string | null; resolved_at: string | null; resolved_by: { id: string | null; name: string } | null; explained_by: string | null }
  }
  'POST /v1/operator/reconciliation/exceptions/{id}/resolve': {
    params: { id: string }
    query: {  }
    body: { resolution: "accepted" | "written_off" | "corrected"; reason: string }
    data: { id: string; provider: string; kind: "unknown_to_us" | "unknown_to_them" | "amount_differs" | "outcome_differs" | "duplicate"; line_kind: "payment" | "payout" | "reversal" | "charge"; state: "open" | "resolved"; reference: string | null; provider_id: string | null; merchant_id: string | null; collection_id: string | null; withdrawal_id: string | null; amount_theirs: string | null; amount_ours: string | null; currency: string; currency_theirs: string | null; status_ours: string | null; difference: string; at: string | null; statement_id: string; line: number | null; opened_at: string; resolution: "accepted" | "written_off" | "corrected" | "explained" | "withdrawn" | null; reason: string | null; resolved_at: string | null; resolved_by: { id: string | null; name: string } | null; explained_by: string | null }
  }
  'GET /v1/merchant/profile': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { name: string; support_phone: string | null; support_email: string | null; support_address: string | null; accent_color: string | null; logo: { hash: string; width: number; height: number; png: string } | null }
  }
  'PATCH /v1/merchant/profile': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { support_phone?: string | null; support_email?: string | null; support_address?: string | null; accent_color?: string | null }
    data: { name: string; support_phone: string | null; support_email: string | null; support_address: string | null; accent_color: string | null; logo: { hash: string; width: number; height: number; png: string } | null }
  }
  'PUT /v1/merchant/logo': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { png: string }
    data: { name: string; support_phone: string | null; support_email: string | null; support_address: string | null; accent_color: string | null; logo: { hash: string; width: number; height: number; png: string } | null }
  }
  'DELETE /v1/merchant/logo': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { name: string; support_phone: string | null; support_email: string | null; support_address: string | null; accent_color: string | null; logo: { hash: string; width: number; height: number; png: string } | null }
  }
  'GET /v1/me': {
    params: {  }
    query: {  }
    body: undefined
    data: { id: string; email: string; email_verified: boolean; name: string; language: "sw" | "en"; super_admin: boolean; operator_role: "SUPPORT" | "FINANCE_OPERATOR" | "COMPLIANCE" | "SUPER_ADMIN" | null; operator_duties: Array<"read" | "money" | "merchants" | "pause" | "platform">; console: "dashboard" | "operator" | null; auth_time: string | null; second_factor: boolean; memberships: Array<{ merchant_id: string; merchant_code: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; second_factor_required: boolean }> } | { merchant_id: string; merchant_name: string; merchant_code: string; environment: "live" | "sandbox"; scopes: Array<string>; key_id: string; key_name: string }
  }
  'GET /v1/merchant/members': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ id: string; email: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/merchant/members': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { email: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; name?: string }
    data: { id: string; email: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; created_at: string; updated_at: string }
  }
  'PATCH /v1/merchant/members/{member_id}': {
    params: { member_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER" }
    data: { id: string; email: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; created_at: string; updated_at: string }
  }
  'DELETE /v1/merchant/members/{member_id}': {
    params: { member_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; keep_keys?: string }
    body: undefined
    data: { id: string; email: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; created_at: string; updated_at: string; revoked_keys: Array<{ id: string; name: string; environment: string; key_prefix: string; key_last4: string }> }
  }
  'GET /v1/merchant/security': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { second_factor_required: boolean }
  }
  'PATCH /v1/merchant/security': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { second_factor_required: boolean }
    data: { second_factor_required: boolean }
  }
  'GET /v1/merchant/audit-log': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ merchant_id: string | null; at: string; actor: { kind: "user" | "operator" | "api_key" | "command" | "system"; id: string | null; name: string }; action: string; target_type: string; target_id: string; reason: string | null; before: unknown; after: unknown; request_id: string | null; address: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/merchant/messages': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; channel?: "email" | "sms"; status?: "kept" | "waiting" | "sent" | "failed"; invoice_id?: string }
    body: undefined
    data: { items: Array<{ id: string; environment: "live" | "sandbox"; channel: "email" | "sms"; status: "kept" | "waiting" | "sent" | "failed"; kind: string; to: string; subject: string | null; invoice_id: string | null; tries: number; next_try_at: string | null; sent_at: string | null; created_at: string; text: string | null; error: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/queue': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ kind: "withdrawals_waiting" | "withdrawals_info_requested" | "withdrawals_needs_reconciliation" | "withdrawals_blocked" | "withdrawals_needs_attention" | "collections_held" | "merchants_to_check" | "ip_addresses_pending" | "reconciliation_exceptions" | "webhooks_failing"; count: number; oldest_at: string | null; amount: string | null }>; four_eyes_amount: string | null; four_eyes_off: boolean; step_up_s: number }
  }
  'GET /v1/operator/merchants': {
    params: {  }
    query: { page?: number; page_size?: number; status?: "PENDING" | "ACTIVE" | "SUSPENDED"; to_check?: boolean; search?: string }
    body: undefined
    data: { items: Array<{ id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/merchants': {
    params: {  }
    query: {  }
    body: { name: string; email?: string }
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }
  }
  'GET /v1/operator/merchants/{merchant_id}': {
    params: { merchant_id: string }
    query: {  }
    body: undefined
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string; members: Array<{ id: string; email: string; name: string; role: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"; created_at: string; updated_at: string }>; rules: Array<{ id: string; flow: "withdrawal" | "collection"; method: string | null; destination_code: string | null; destination_known: boolean; percentage: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; label: string; valid_from: string }>; payout_limits: { daily_limit: string | null; daily_limit_per_destination: string | null; in_force: { daily_limit: string | null; daily_limit_per_destination: string | null } } }
  }
  'POST /v1/operator/merchants/{merchant_id}/approve': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }
  }
  'POST /v1/operator/merchants/{merchant_id}/suspend': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }
  }
  'POST /v1/operator/merchants/{merchant_id}/reactivate': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }
  }
  'POST /v1/operator/merchants/{merchant_id}/verify': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: { id: string; merchant_code: string; name: string; email: string | null; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; priced: boolean; created_at: string; updated_at: string }
  }
  'GET /v1/operator/merchants/{merchant_id}/pricing': {
    params: { merchant_id: string }
    query: {  }
    body: undefined
    data: { rules: Array<{ id: string; flow: "withdrawal" | "collection"; method: string | null; destination_code: string | null; destination_known: boolean; percentage: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; label: string; valid_from: string }> }
  }
  'PUT /v1/operator/merchants/{merchant_id}/pricing': {
    params: { merchant_id: string }
    query: {  }
    body: { rules: Array<{ flow: "withdrawal" | "collection"; method?: string | null; destination_code?: string | null; percentage?: string; flat_fee?: string; processor_charge?: string; processor_fee_pass_through?: boolean; label?: string }> }
    data: { rules: Array<{ id: string; flow: "withdrawal" | "collection"; method: string | null; destination_code: string | null; destination_known: boolean; percentage: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; label: string; valid_from: string }> }
  }
  'PUT /v1/operator/merchants/{merchant_id}/payout-limits': {
    params: { merchant_id: string }
    query: {  }
    body: { daily_limit: string | null; daily_limit_per_destination: string | null; reason?: string }
    data: { daily_limit: string | null; daily_limit_per_destination: string | null; in_force: { daily_limit: string | null; daily_limit_per_destination: string | null } }
  }
  'POST /v1/operator/merchants/{merchant_id}/pricing/preview': {
    params: { merchant_id: string }
    query: {  }
    body: { rules: Array<{ flow: "withdrawal" | "collection"; method?: string | null; destination_code?: string | null; percentage?: string; flat_fee?: string; processor_charge?: string; processor_fee_pass_through?: boolean; label?: string }>; amounts?: Array<string | number> }
    data: { rows: Array<{ flow: "withdrawal" | "collection"; method: string; destination_code: string | null; amount: string; now: { percentage_fee: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; total_charges: string; total_reserved_amount: string | null; net_amount: string | null; refused: boolean; label: string } | null; then: { percentage_fee: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; total_charges: string; total_reserved_amount: string | null; net_amount: string | null; refused: boolean; label: string } | null }> }
  }
  'GET /v1/operator/withdrawals': {
    params: {  }
    query: { page?: number; page_size?: number; status?: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; merchant_id?: string; environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }>; requested_by: { kind: "user" | "operator" | "api_key" | "command" | "system" | "provider"; id: string | null; name: string }; balance: { available: string; reserved: string; held: string }; payout: { provider: string; state: "to_send" | "sending" | "asked" | "blocked" | "final"; asks: number; provider_status: string | null; provider_id: string | null; due_at: string | null; sent_at: string | null; waits_for: { what: "merchant_suspended" | "payout_pause"; pause_id: string | null; text: string } | null } | null; history: Array<{ from_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; to_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; actor: { kind: "user" | "operator" | "api_key" | "command" | "system" | "provider"; id: string | null; name: string }; reason: string | null; event: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/approve': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason?: string; confirm_new_destination?: boolean } | null
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/approve-batch': {
    params: {  }
    query: {  }
    body: { withdrawal_ids: Array<string>; reason?: string; confirm_new_destination?: boolean; dry_run?: boolean }
    data: { dry_run: boolean; approved: { count: number; amount: string; total_reserved_amount: string }; awaiting_second: { count: number; amount: string; total_reserved_amount: string }; items: Array<{ withdrawal_id: string; ok: boolean; code: string | null; message: string | null; new_destination: boolean; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED" | null }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/reject': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason: string }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/request-info': {
    params: { withdrawal_id: string }
    query: {  }
    body: { message: string }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/resolve': {
    params: { withdrawal_id: string }
    query: {  }
    body: { outcome: "SUCCESS" | "FAILED"; reason: string; provider_reference?: string }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/retry': {
    params: { withdrawal_id: string }
    query: {  }
    body: {  } | null
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/recall': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason: string }
    data: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  }
  'GET /v1/operator/payout-pauses': {
    params: {  }
    query: { page?: number; page_size?: number; state?: "active" | "ended" }
    body: undefined
    data: { items: Array<{ id: string; scope: "platform" | "merchant" | "provider" | "destination"; target: string | null; target_name: string | null; reason: string; started_by: string; started_at: string; ended_by: string | null; ended_reason: string | null; ended_at: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/payout-pauses': {
    params: {  }
    query: {  }
    body: { scope: "platform" | "merchant" | "provider" | "destination"; target?: string; reason: string }
    data: { id: string; scope: "platform" | "merchant" | "provider" | "destination"; target: string | null; target_name: string | null; reason: string; started_by: string; started_at: string; ended_by: string | null; ended_reason: string | null; ended_at: string | null; sending: number }
  }
  'POST /v1/operator/payout-pauses/{pause_id}/end': {
    params: { pause_id: string }
    query: {  }
    body: { reason: string }
    data: { id: string; scope: "platform" | "merchant" | "provider" | "destination"; target: string | null; target_name: string | null; reason: string; started_by: string; started_at: string; ended_by: string | null; ended_reason: string | null; ended_at: string | null }
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}/case': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: { withdrawal: { id: string; merchant_id: string; environment: "live" | "sandbox"; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; amount: string; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; requires_approval: boolean; status_reason: string | null; failure_reason_code: string | null; failure_reason_message: string | null; processor_charge: string; infinity_fee: string; percentage_fee: string; flat_fee: string; total_charges: string; total_reserved_amount: string; recipient_net_amount: string; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Record<string, string>; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: "PENDING" | "ACTIVE" | "SUSPENDED"; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }>; requested_by: { kind: "user" | "operator" | "api_key" | "command" | "system" | "provider"; id: string | null; name: string }; balance: { available: string; reserved: string; held: string }; payout: { provider: string; state: "to_send" | "sending" | "asked" | "blocked" | "final"; asks: number; provider_status: string | null; provider_id: string | null; due_at: string | null; sent_at: string | null; waits_for: { what: "merchant_suspended" | "payout_pause"; pause_id: string | null; text: string } | null } | null; history: Array<{ from_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; to_status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; actor: { kind: "user" | "operator" | "api_key" | "command" | "system" | "provider"; id: string | null; name: string }; reason: string | null; event: string | null; at: string }> }; balance: { available: string; reserved: string; held: string; currency: string; last_received_at: string | null; received_24h: string; received_24h_complete: boolean }; destination: { first_time: boolean; paid_count: number; paid_amount: string; first_paid_at: string | null; last_paid_at: string | null; other_merchants: number }; payout_limits: { daily: { limit: string | null; approved_today: string; exceeded: boolean }; destination: { limit: string | null; approved_today: string; exceeded: boolean } }; velocity: Array<{ hours: number; count: number; amount: string }>; earlier: Array<{ withdrawal_id: string; status: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"; amount: string; destination_identifier: string; created_at: string; reason: string | null }>; conflict_of_interest: boolean; merchant: { id: string; name: string; merchant_code: string; status: "PENDING" | "ACTIVE" | "SUSPENDED"; verified: boolean; created_at: string } }
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/name-check': {
    params: { withdrawal_id: string }
    query: {  }
    body: {  } | null
    data: { name: string | null; matches: boolean | null; checked_at: string; message: string | null }
  }
  'GET /v1/operator/collections': {
    params: {  }
    query: { page?: number; page_size?: number; merchant_id?: string; status?: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed" | "any"; method?: "wallet_push" | "provider_pesa" | "qr"; reference?: string; phone?: string; from?: string; to?: string; held?: boolean; environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ merchant_id: string; merchant_code: string; merchant_name: string; collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string; description: string | null; provider: string | null; provider_reference: string | null; held_at: string | null; decided_at: string | null; history: Array<{ from_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; to_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; actor: string; reason: string | null; event: string | null; at: string }> }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/collections/{collection_id}/clear': {
    params: { collection_id: string }
    query: {  }
    body: { amount?: string | number; decision: "approve" | "decline"; reason: string }
    data: { merchant_id: string; merchant_code: string; merchant_name: string; collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string; description: string | null; provider: string | null; provider_reference: string | null; held_at: string; decided_at: string | null; history: Array<{ from_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; to_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; actor: string; reason: string | null; event: string | null; at: string }>; approvals_required?: number; approvals?: Array<{ operator: string; reason: string; at: string }> }
  }
  'GET /v1/operator/merchants/{merchant_id}/adjustments': {
    params: { merchant_id: string }
    query: { page?: number; page_size?: number; environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; environment: "live" | "sandbox"; direction: "credit" | "debit"; against: "provider_float" | "fee_income" | "processor_cost"; amount: string; currency: string; reason: string; transaction_reference: string; created_by: { id: string | null; name: string }; created_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/merchants/{merchant_id}/adjustments': {
    params: { merchant_id: string }
    query: {  }
    body: { environment: "live" | "sandbox"; direction: "credit" | "debit"; amount: string | number; against: "provider_float" | "fee_income" | "processor_cost"; reason: string }
    data: { merchant_id: string; environment: "live" | "sandbox"; direction: "credit" | "debit"; against: "provider_float" | "fee_income" | "processor_cost"; amount: string; currency: string; reason: string; approvals_required?: number; approvals?: Array<{ operator: string; reason: string; at: string }> }
  }
  'GET /v1/operator/decisions': {
    params: {  }
    query: { page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ action: "withdrawal.approve" | "withdrawal.resolve" | "collection.clear" | "adjustment.create"; merchant_id: string; merchant_name: string; environment: "live" | "sandbox"; target_id: string; amount: string; outcome?: string; decision?: string; direction?: string; against?: string; operator: string; reason: string | null; decided_at: string; expires_at: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/ip-addresses': {
    params: {  }
    query: { page?: number; page_size?: number; status?: "PENDING" | "APPROVED" | "REJECTED"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null; merchant_code: string; merchant_name: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/ip-addresses/{address_id}/approve': {
    params: { address_id: string }
    query: {  }
    body: undefined
    data: { id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null; merchant_code: string; merchant_name: string }
  }
  'POST /v1/operator/ip-addresses/{address_id}/reject': {
    params: { address_id: string }
    query: {  }
    body: { reason: string }
    data: { id: string; merchant_id: string; label: string; address: string; environment: "live" | "sandbox"; status: "PENDING" | "APPROVED" | "REJECTED"; reason: string | null; created_at: string; decided_at: string | null; merchant_code: string; merchant_name: string }
  }
  'GET /v1/operator/audit-log': {
    params: {  }
    query: { page?: number; page_size?: number; merchant_id?: string; scope?: "platform"; actor?: string; action?: string; target_id?: string; from?: string; to?: string }
    body: undefined
    data: { items: Array<{ merchant_id: string | null; seq: number; at: string; actor: { kind: "user" | "operator" | "api_key" | "command" | "system"; id: string | null; name: string }; action: string; target_type: string; target_id: string; reason: string | null; before: unknown; after: unknown; request_id: string | null; address: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/audit-log/verify': {
    params: {  }
    query: { after?: string }
    body: undefined
    data: { ok: boolean; chains: number; entries: number; problems: Array<string>; complete: boolean; next: string | null }
  }
  'GET /v1/operator/messages': {
    params: {  }
    query: { page?: number; page_size?: number; channel?: "email" | "sms"; status?: "kept" | "waiting" | "sent" | "failed"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ id: string; environment: "live" | "sandbox"; channel: "email" | "sms"; status: "kept" | "waiting" | "sent" | "failed"; kind: string; to: string; subject: string | null; invoice_id: string | null; tries: number; next_try_at: string | null; sent_at: string | null; created_at: string; merchant_id: string | null; text: string | null; error: string | null; gateway_id: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/providers': {
    params: {  }
    query: {  }
    body: undefined
    data: { process_id: string; process: "all" | "api" | "worker"; default_provider: string; routes: Array<{ route: string; provider: string }>; providers: Array<{ name: string; live: boolean; methods: Array<string>; payout_methods: Array<string>; destinations: Array<string> | null; whole_shillings: boolean; circuit_breaker: boolean; circuits: Array<{ method: string; state: "closed" | "open" | "half_open"; calls: number; faults: number; median_ms: number | null; since: string; retry_at: string | null }> }> }
  }
  'GET /v1/operator/waiting': {
    params: {  }
    query: { page?: number; page_size?: number; kind?: "collection" | "payout"; provider?: string; merchant_id?: string }
    body: undefined
    data: { items: Array<{ kind: "collection" | "payout"; id: string; merchant_id: string; merchant_name: string; environment: "live" | "sandbox"; provider: string; provider_reference: string; statement_reference: string | null; method: string; state: string; waiting_s: number; asks: number; provider_status: string | null; due_at: string; created_at: string }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'GET /v1/operator/providers/health': {
    params: {  }
    query: { hours?: number; environment?: "live" | "sandbox" }
    body: undefined
    data: { items: Array<{ provider: string; flow: "collection" | "withdrawal"; method: string; network: string | null; counted: number; successful: number; failed: number; undecided: number; success_rate: string | null; median_confirm_ms: number | null; p95_confirm_ms: number | null; last_success_at: string | null; since: string; bounded: boolean; circuit: { state: "closed" | "open" | "half_open"; retry_at: string | null } | null }> }
  }
  'GET /v1/operator/webhooks/failing': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<{ merchant_id: string; name: string; webhook_url: string | null; environment: "live" | "sandbox"; endpoint_id: string; failed: number; given_up: number; oldest_at: string; last_failed_at: string; last_status_code: number | null; last_error: string | null; next_attempt_at: string | null }> }
  }
  'GET /v1/operator/networks': {
    params: {  }
    query: {  }
    body: undefined
    data: { networks: Array<{ code: string; name: string; menu_code: string | null; help_sw: string; help_en: string }> }
  }
  'PUT /v1/operator/networks': {
    params: {  }
    query: {  }
    body: { networks: Array<{ code: string; name: string; menu_code: string | null; help_sw: string; help_en: string }> }
    data: { networks: Array<{ code: string; name: string; menu_code: string | null; help_sw: string; help_en: string }> }
  }
  'GET /v1/operator/verify': {
    params: {  }
    query: {  }
    body: undefined
    data: { every_h: number; last: { started_at: string; finished_at: string; ok: boolean | null; checks: number | null; problems: number | null; duration_ms: number; broken: Array<{ name: string; detail: string }> | null; error: string | null } | null; last_good_at: string | null }
  }
  'GET /v1/operator/queues': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<{ queue: string; due: number; scheduled: number; oldest_due_s: number; is_cut: boolean }> }
  }
  'GET /v1/operator/system': {
    params: {  }
    query: {  }
    body: undefined
    data: { ok: boolean; checked_at: string; checks: Array<{ name: string; status: "ok" | "warn" | "fail"; message: string }> }
  }
  'GET /v1/operator/operators': {
    params: {  }
    query: { page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ user_id: string; email: string; name: string; role: "SUPPORT" | "FINANCE_OPERATOR" | "COMPLIANCE" | "SUPER_ADMIN"; disabled: boolean; demo: boolean; authenticator: boolean; passkeys: number; last_sign_in_at: string | null }>; pagination: { page: number; page_size: number; total_items: number; total_pages: number } }
  }
  'POST /v1/operator/operators/{user_id}/revoke': {
    params: { user_id: string }
    query: {  }
    body: { reason: string }
    data: { user_id: string; email: string }
  }
  'POST /v1/operator/operators/{user_id}/disable': {
    params: { user_id: string }
    query: {  }
    body: { reason: string }
    data: { user_id: string; email: string }
  }
  'GET /v1/session': {
    params: {  }
    query: {  }
    body: undefined
    data: { auth_time: string | null; confirm_with: "code" | "password" | "sign_in"; passkey: boolean }
  }
  'POST /v1/session/confirm': {
    params: {  }
    query: {  }
    body: { code?: string; password?: string; passkey?: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } } }
    data: { auth_time: string | null; confirm_with: "code" | "password" | "sign_in"; passkey: boolean }
  }
  'GET /v1/sessions': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<{ id: string; console: "dashboard" | "operator"; device: string; address: string; signed_in_at: string; seen_at: string; current: boolean }> }
  }
  'DELETE /v1/sessions/{session_id}': {
    params: { session_id: string }
    query: {  }
    body: undefined
    data: { id: string; console: "dashboard" | "operator"; device: string; address: string; signed_in_at: string; seen_at: string; current: boolean }
  }
  'GET /v1/passkeys': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<{ id: string; name: string; created_at: string; used_at: string | null }>; can_add: boolean }
  }
  'DELETE /v1/passkeys/{passkey_id}': {
    params: { passkey_id: string }
    query: {  }
    body: undefined
    data: { id: string; name: string; created_at: string; used_at: string | null }
  }
  'POST /v1/session/passkey': {
    params: {  }
    query: {  }
    body: undefined
    data: { challenge: string; rpId?: string; timeout?: number; userVerification?: "required"; allowCredentials?: Array<{ id: string; type: string; transports?: Array<string> }> }
  }
  'GET /v1/merchant/overview': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; period?: "today" | "7d" | "30d" }
    body: undefined
    data: { environment: "live" | "sandbox"; period: "today" | "7d" | "30d"; from: string; to: string; currency: string; collections: { successful: { count: number; amount: string }; failed: { count: number; amount: string }; pending: { count: number; amount: string }; held: { count: number; amount: string }; reversed: { count: number; amount: string }; created: { count: number; amount: string } }; success_rate: string | null; fees: string; withdrawals: { success: { count: number; amount: string }; waiting: { count: number; amount: string }; in_progress: { count: number; amount: string }; failed: { count: number; amount: string } }; series: Array<{ from: string; to: string; successful: { count: number; amount: string }; failed: { count: number; amount: string } }>; methods: Array<{ method: "wallet_push" | "provider_pesa" | "qr"; network: string | null; successful: { count: number; amount: string }; failed: { count: number; amount: string }; success_rate: string | null }> }
  }
  'GET /v1/merchant/checklist': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ key: "sandbox_key" | "first_payment" | "webhook" | "business" | "live_key" | "first_live_payment"; done: boolean; done_at: string | null }> }
  }
  'GET /v1/collections/{collection_id}/timeline': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ at: string; kind: "request"; id: string; request_id: string; method: string; path: string; status: number; duration_ms: number } | { at: string; kind: "attempt"; number: number; what: "created" | "sent" | "answered"; provider: string; method: string; provider_reference: string; provider_status: string | null } | { at: string; kind: "status"; from: string | null; to: string; actor: "merchant" | "payer" | "platform" | "provider" | "deadline"; reason: string | null } | { at: string; kind: "transfer"; posting: string; debit: string; credit: string; amount: string; reference: string | null } | { at: string; kind: "webhook"; delivery_id: string; event: string; number: number; status_code: number | null; duration_ms: number | null; error: string | null; delivered: boolean; next_attempt_at: string | null }>; complete: boolean }
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}/timeline': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ at: string; kind: "request"; id: string; request_id: string; method: string; path: string; status: number; duration_ms: number } | { at: string; kind: "attempt"; number: number; what: "created" | "sent" | "answered"; provider: string; method: string; provider_reference: string; provider_status: string | null } | { at: string; kind: "status"; from: string | null; to: string; actor: "merchant" | "payer" | "platform" | "provider" | "deadline"; reason: string | null } | { at: string; kind: "transfer"; posting: string; debit: string; credit: string; amount: string; reference: string | null } | { at: string; kind: "webhook"; delivery_id: string; event: string; number: number; status_code: number | null; duration_ms: number | null; error: string | null; delivered: boolean; next_attempt_at: string | null }>; complete: boolean }
  }
  'GET /v1/operator/collections/{collection_id}': {
    params: { collection_id: string }
    query: {  }
    body: undefined
    data: { merchant_id: string; merchant_code: string; merchant_name: string; collection_id: string; reference: string | null; merchant_reference: string | null; status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: "wallet_push" | "provider_pesa" | "qr" | null; customer_name: string | null; customer_phone: string | null; fee: number; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: string | null; failure_reason_message: string | null; metadata: Record<string, string>; created_at: string; updated_at: string; description: string | null; provider: string | null; provider_reference: string | null; held_at: string | null; decided_at: string | null; history: Array<{ from_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; to_status: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"; actor: string; reason: string | null; event: string | null; at: string }>; waits_for: { what: "payer_choice" | "sending" | "payer_approval" | "provider_call" | "worker" | "circuit" | "late_answer" | "operator_review"; text: string; since: string | null; next_at: string | null; until: string | null } | null; attempts: Array<{ number: number; provider: string; provider_reference: string; statement_reference: string | null; provider_id: string | null; provider_status: string | null; method: string; phone: string | null; amount: number; currency: string; state: "to_send" | "asked" | "final" | "given_up"; asks: number; due_at: string | null; leased: boolean; deadline_at: string; sent_at: string | null; created_at: string; updated_at: string }>; postings: Array<{ at: string; kind: "transfer"; posting: string; debit: string; credit: string; amount: string; reference: string | null }>; deliveries: Array<{ delivery_id: string; event: string; status: "pending" | "delivered" | "failed" | "cancelled"; attempts: number; next_attempt_at: string | null; created_at: string; last_at: string | null; last_status_code: number | null; last_error: string | null }>; timeline: { items: Array<{ at: string; kind: "request"; id: string; request_id: string; method: string; path: string; status: number; duration_ms: number } | { at: string; kind: "attempt"; number: number; what: "created" | "sent" | "answered"; provider: string; method: string; provider_reference: string; provider_status: string | null } | { at: string; kind: "status"; from: string | null; to: string; actor: "merchant" | "payer" | "platform" | "provider" | "deadline"; reason: string | null } | { at: string; kind: "transfer"; posting: string; debit: string; credit: string; amount: string; reference: string | null } | { at: string; kind: "webhook"; delivery_id: string; event: string; number: number; status_code: number | null; duration_ms: number | null; error: string | null; delivered: boolean; next_attempt_at: string | null }>; complete: boolean } }
  }
  'GET /v1/search': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; q: string }
    body: undefined
    data: { groups: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; items: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; id: string; title: string; currency: string | null; name: string | null; phone: string | null; reference: string | null; status: string | null; environment: "live" | "sandbox" | null; merchant_id: string | null; merchant_name: string | null; created_at: string; target: string }> }> }
  }
  'GET /v1/operator/search': {
    params: {  }
    query: { q: string; merchant_id?: string; environment?: "live" | "sandbox" }
    body: undefined
    data: { groups: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; items: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; id: string; title: string; currency: string | null; name: string | null; phone: string | null; reference: string | null; status: string | null; environment: "live" | "sandbox" | null; merchant_id: string | null; merchant_name: string | null; created_at: string; target: string }> }> }
  }
}
