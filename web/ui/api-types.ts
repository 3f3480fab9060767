// The calls of the API: parameters, body, and the data of the answer. Generated from openapi.json by `npm run generate`.

/** The shared schemas of bodies and answers. */
export type Schemas = {
  Adjustment: { id: string; merchant_id: string; environment: Schemas['Environment']; direction: "credit" | "debit"; against: "provider_float" | "fee_income" | "processor_cost"; amount: string; currency: string; reason: string; transaction_reference: string; created_by: { id: string | null; name: string }; created_at: string }
  AdjustmentList: { items: Array<Schemas['Adjustment']>; pagination: Schemas['Pagination'] }
  AdjustmentRequest: { environment: Schemas['Environment']; direction: "credit" | "debit"; amount: Schemas['RequestedAmount']; against: "provider_float" | "fee_income" | "processor_cost"; reason: string }
  ApiKey: { id: string; merchant_id: string; name: string; environment: Schemas['Environment']; key_prefix: string; key_last4: string; scopes: Array<Schemas['Scope']>; ip_whitelist_enabled: boolean; continue_without_ip_whitelist: boolean; status: "active" | "revoked"; last_used_at: string | null; expires_at: string | null; revoked_at: string | null; created_at: string }
  ApiKeyList: { items: Array<Schemas['ApiKey']>; pagination: Schemas['Pagination'] }
  ApiKeyRequest: { merchant_id?: string; name: string; environment: Schemas['Environment']; scopes: Array<Schemas['Scope']>; ip_whitelist_enabled?: boolean; continue_without_ip_whitelist?: boolean; expires_at?: string | null }
  AuditLogCheck: { ok: boolean; chains: number; entries: number; problems: Array<string>; complete: boolean; next: string | null }
  Balance: { available: Schemas['Money']; reserved: Schemas['Money']; held: Schemas['Money']; currency: string }
  BalanceLowEvent: { event: "balance.low"; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; balance_below: Schemas['Money']; status: "LOW"; low_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  BankAccountDisbursementRequest: { merchant_id?: string; environment?: Schemas['Environment']; amount: Schemas['RequestedAmount']; currency?: string; destination_name?: string; destination_identifier: string; destination_code: string; bank_name: string; reference?: string; metadata?: Record<string, string> }
  BatchApproval: { withdrawal_ids: Array<string>; reason?: string; confirm_new_destination?: boolean; confirmed_new_destinations?: Array<string>; dry_run?: boolean }
  BatchApprovalResult: { dry_run: boolean; approved: { count: number; amount: string; total_reserved_amount: string }; awaiting_second: { count: number; amount: string; total_reserved_amount: string }; items: Array<{ withdrawal_id: string; ok: boolean; code: string | null; message: string | null; new_destination: boolean; facts: Schemas['DecisionFacts'] | null; name_check: Schemas['NameCheck'] | null; status: Schemas['WithdrawalStatus'] | null }> }
  BooksCheck: { started_at: string; finished_at: string; ok: boolean | null; checks: number | null; problems: number | null; duration_ms: number; broken: Array<{ name: string; detail: string }> | null; error: string | null }
  CallingProcess: { process_id: string; process: "all" | "api" | "worker"; calls: number; written_at: string }
  Checklist: { items: Array<{ key: "sandbox_key" | "first_payment" | "webhook" | "business" | "live_key" | "first_live_payment"; done: boolean; done_at: string | null }> }
  ClearanceDecision: { amount?: Schemas['RequestedAmount']; decision: "approve" | "decline"; reason: string }
  ClearedCollection: { merchant_id: string; merchant_code: string; merchant_name: string; collection_id: string; reference: string | null; merchant_reference: string | null; status: Schemas['CollectionStatus']; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: Schemas['CollectionMethod'] | null; customer_name: string | null; customer_phone: string | null; fee: number; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: Schemas['CollectionFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null; metadata: Schemas['Metadata']; created_at: string; updated_at: string; description: string | null; provider: string | null; provider_reference: string | null; held_at: string; decided_at: string | null; history: Array<{ from_status: Schemas['CollectionStatus']; to_status: Schemas['CollectionStatus']; actor: string; reason: string | null; event: string | null; at: string }>; approvals_required?: number; approvals?: Array<{ operator: string; reason: string; at: string }> }
  Collection: { collection_id: string; reference: string | null; merchant_reference: string | null; status: Schemas['CollectionStatus']; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: Schemas['CollectionMethod'] | null; customer_name: string | null; customer_phone: string | null; fee: number | null; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: Schemas['CollectionFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null; metadata: Schemas['Metadata']; created_at: string; updated_at: string }
  CollectionFailedEvent: { event: "collection.failed"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id?: string; invoice_id?: string; status: "failed"; method: Schemas['CollectionMethod'] | null; failure_reason_code: Schemas['CollectionFailureCode']; failure_reason_message: string; failure_reason_message_sw: string; failed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  CollectionFailureCode: "user_cancelled" | "provider_declined" | "reversed" | "expired" | "provider_unavailable" | "unknown_provider_error" | "insufficient_balance" | "wrong_pin" | "review_declined" | "timeout"
  CollectionList: { items: Array<Schemas['Collection']>; pagination: Schemas['Pagination'] }
  CollectionMethod: "wallet_push" | "provider_pesa" | "qr"
  CollectionPendingReviewEvent: { event: "collection.pending_review"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id?: string; invoice_id?: string; status: "pending_clearance"; method: Schemas['CollectionMethod'] | null; held_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  CollectionRequest: { merchant_id?: string; amount: Schemas['RequestedAmount']; currency?: string; customer_name?: string | null; customer_phone?: string | null; description?: string | null; customer_email?: string | null; reference?: string | null; redirect_url?: string | null; cancel_url?: string | null; webhook_url?: unknown; environment?: Schemas['Environment']; metadata?: Record<string, string> }
  CollectionReversedEvent: { event: "collection.reversed"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id?: string; invoice_id?: string; status: "reversed"; method: Schemas['CollectionMethod'] | null; reversed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  CollectionStatus: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed"
  CollectionSuccessEvent: { event: "collection.success"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id?: string; invoice_id?: string; status: "successful"; method: Schemas['CollectionMethod'] | null; completed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  CreatedApiKey: Schemas['ApiKey'] & { plaintext_key?: string }
  CurrentApiKey: { merchant_id: string; merchant_name: string; merchant_code: string; environment: Schemas['Environment']; scopes: Array<string>; key_id: string; key_name: string }
  CurrentSession: { auth_time: string | null; confirm_with: "code" | "password" | "sign_in"; passkey: boolean }
  CurrentUser: { id: string; email: string; email_verified: boolean; name: string; language: "sw" | "en"; super_admin: boolean; operator_role: Schemas['OperatorRole'] | null; operator_duties: Array<"read" | "money" | "merchants" | "pause" | "platform">; console: "dashboard" | "operator" | null; auth_time: string | null; second_factor: boolean; memberships: Array<{ merchant_id: string; merchant_code: string; name: string; role: Schemas['MerchantRole']; status: Schemas['MerchantStatus']; verified: boolean; priced: boolean; second_factor_required: boolean }> }
  DecisionEvidence: { warnings: Array<"merchant_not_active" | "merchant_not_verified" | "balance_too_low" | "daily_limit" | "destination_limit" | "income_burst" | "large_share" | "large_multiple" | "shared_destination" | "new_destination" | "recent_failure">; available: string; balance_percent: string | null; largest_paid_amount: string | null; times_largest_paid: string | null; income: { received: string; daily_before: string } | null; income_later?: { amount: string | null } | null; daily_limit: { limit: string; approved_today: string } | null; destination_limit: { limit: string; approved_today: string } | null; recent_failure: { count: number; withdrawal_id: string; status: "REJECTED" | "FAILED"; at: string; rejected_by: Schemas['WithdrawalActor'] | null } | null; name_check: { matches: boolean | null; checked_at: string } | null }
  DecisionFacts: { balance_percent: string | null; largest_paid_amount: string | null; times_largest_paid: string | null; new_destination: boolean; paid_by_others: boolean; recent_failures: { count: number; withdrawal_id: string; status: "REJECTED" | "FAILED"; reason: string | null; failure_reason_code: string | null; at: string; rejected_by: Schemas['WithdrawalActor'] | null } | null; income_later: { amount: string | null } | null; warnings: Array<"merchant_not_active" | "merchant_not_verified" | "balance_too_low" | "daily_limit" | "destination_limit" | "income_burst" | "large_share" | "large_multiple" | "shared_destination" | "new_destination" | "recent_failure"> }
  Direction: "credit" | "debit"
  DisbursementApprovedEvent: { event: "disbursement.approved"; disbursement_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; status: "PROCESSING"; method: Schemas['PayoutMethod']; approved_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  DisbursementFailedEvent: { event: "disbursement.failed"; disbursement_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; status: "FAILED"; method: Schemas['PayoutMethod']; failure_reason_code: Schemas['PayoutFailureCode']; failure_reason_message: string; failure_reason_message_sw: string; failed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  DisbursementInfoRequestedEvent: { event: "disbursement.info_requested"; disbursement_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; message: string | null; status: "INFO_REQUESTED"; method: Schemas['PayoutMethod']; info_requested_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  DisbursementReversedEvent: { event: "disbursement.reversed"; disbursement_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; status: "REVERSED"; method: Schemas['PayoutMethod']; reversed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  DisbursementSimulation: { merchant_id?: string; outcome: Schemas['SimulatedOutcome'] }
  DisbursementSuccessEvent: { event: "disbursement.success"; disbursement_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; status: "SUCCESS"; method: Schemas['PayoutMethod']; completed_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  EarlierRecipient: { method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code: string; destination: string; destination_identifier: string; paid_count: number; last_paid_at: string | null; destination_name: string | null }
  EmailChange: { email: string }
  Environment: "live" | "sandbox"
  ErrorDetails: { fields?: Array<{ field: string; message: string }> } | null
  EventChoice: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "disbursement.approved" | "disbursement.info_requested" | "payment_link.paid" | "invoice.paid" | "invoice.overdue" | "balance.low" | "collection.successful"
  EventName: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "disbursement.approved" | "disbursement.info_requested" | "payment_link.paid" | "invoice.paid" | "invoice.overdue" | "balance.low"
  ExceptionKind: "unknown_to_us" | "unknown_to_them" | "amount_differs" | "outcome_differs" | "duplicate"
  FailingWebhook: { merchant_id: string; name: string; webhook_url: string | null; environment: Schemas['Environment']; endpoint_id: string; failed: number; given_up: number; oldest_at: string; last_failed_at: string; last_status_code: number | null; last_error: string | null; next_attempt_at: string | null }
  FundingItem: { transaction_reference: string; type: Schemas['TransactionType']; collection_id: string | null; amount: Schemas['Money']; amount_used: Schemas['Money'] }
  InvitedMember: Schemas['Member'] & { has_mail_server: boolean }
  Invoice: { id: string; merchant_id: string; environment: Schemas['Environment']; number: string; status: Schemas['InvoiceStatus']; customer_name: string; customer_phone: string | null; customer_email: string | null; due_date: string; language: Schemas['Language']; currency: string; items: Array<{ description: string; quantity: string; unit_price: string; amount: Schemas['Money'] }>; total: Schemas['Money']; note: string | null; payment_link_id: string | null; payment_link_status: Schemas['PaymentLinkStatus'] | null; payment_url: string | null; invoice_url: string | null; sent_at: string | null; reminders: number; paid_at: string | null; paid_collection_id: string | null; payment_reversed_at: string | null; cancelled_at: string | null; metadata: Schemas['Metadata']; created_at: string; updated_at: string }
  InvoiceChange: { merchant_id?: string; environment?: Schemas['Environment']; customer_name?: string; customer_phone?: string | null; customer_email?: string | null; due_date?: string; items?: Array<Schemas['InvoiceItemRequest']>; note?: string | null; language?: Schemas['Language']; metadata?: Record<string, string> }
  InvoiceItemRequest: { description: string; quantity: string; unit_price: string }
  InvoiceList: { items: Array<Schemas['Invoice']>; pagination: Schemas['Pagination'] }
  InvoiceOverdueEvent: { event: "invoice.overdue"; invoice_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; payment_link_id?: string; due_date: string; status: "OVERDUE"; overdue_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  InvoicePaidEvent: { event: "invoice.paid"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id: string; invoice_id: string; status: "PAID"; method: Schemas['CollectionMethod'] | null; paid_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  InvoiceRequest: { merchant_id?: string; environment?: Schemas['Environment']; customer_name: string; customer_phone?: string | null; customer_email?: string | null; due_date: string; items: Array<Schemas['InvoiceItemRequest']>; note?: string | null; language?: Schemas['Language']; metadata?: Record<string, string> }
  InvoiceStatus: "DRAFT" | "SENT" | "PAID" | "OVERDUE" | "CANCELLED"
  IpAddress: { id: string; merchant_id: string; label: string; address: string; environment: Schemas['Environment']; status: Schemas['IpAddressStatus']; reason: string | null; created_at: string; decided_at: string | null }
  IpAddressList: { items: Array<Schemas['IpAddress']>; pagination: Schemas['Pagination'] }
  IpAddressRequest: { merchant_id?: string; label: string; address: string; environment?: Schemas['Environment'] }
  IpAddressStatus: "PENDING" | "APPROVED" | "REJECTED"
  Language: "sw" | "en"
  LanguageChange: { language: "sw" | "en" }
  LoggedRequest: { id: string; kind: "request" | "not_kept"; request_id: string | null; at: string; until: string | null; count: number; method: string | null; path: string | null; status: number | null; duration_ms: number | null; key_id: string | null; key_name: string | null; address: string | null; reference: string | null; resource_id: string | null; error_code: string | null }
  LoggedRequestWithBodies: Schemas['LoggedRequest'] & { environment: Schemas['Environment']; query: string | null; user_agent: string | null; idempotency_key: string | null; request_body: string | null; request_body_cut: boolean; response_body: string | null; response_body_cut: boolean; ignored_fields: string | null; bodies_dropped: boolean }
  MadeAdjustment: Schemas['Adjustment'] & { approvals_required?: number; approvals?: Array<{ operator: string; reason: string; at: string }> }
  Member: { id: string; email: string; name: string; role: Schemas['MerchantRole']; created_at: string; updated_at: string; first_seen_at: string | null }
  MemberList: { items: Array<Schemas['Member']>; pagination: Schemas['Pagination'] }
  MemberRequest: { email: string; role: Schemas['MerchantRole']; name?: string }
  Merchant: { id: string; merchant_code: string; name: string; email: string | null; status: Schemas['MerchantStatus']; verified: boolean; priced: boolean; archived_at: string | null; created_at: string; updated_at: string }
  MerchantList: { items: Array<Schemas['Merchant']>; pagination: Schemas['Pagination'] }
  MerchantPayoutLimits: { daily_limit: string | null; daily_limit_per_destination: string | null; in_force: { daily_limit: string | null; daily_limit_per_destination: string | null } }
  MerchantRequest: { name: string; email?: string }
  MerchantRole: "MERCHANT_ADMIN" | "DEVELOPER" | "FINANCE" | "VIEWER"
  MerchantStatus: "PENDING" | "ACTIVE" | "SUSPENDED"
  Message: { id: string; environment: Schemas['Environment']; channel: Schemas['MessageChannel']; status: Schemas['MessageStatus']; kind: string; to: string; subject: string | null; invoice_id: string | null; tries: number; next_try_at: string | null; sent_at: string | null; created_at: string; text: string | null; error: string | null }
  MessageChannel: "email" | "sms"
  MessageList: { items: Array<Schemas['Message']>; pagination: Schemas['Pagination'] }
  MessageStatus: "kept" | "waiting" | "sent" | "failed"
  Metadata: Record<string, string>
  MobileMoneyDisbursementRequest: { merchant_id?: string; environment?: Schemas['Environment']; amount: Schemas['RequestedAmount']; currency?: string; destination_name?: string; destination_identifier: string; destination_code: string; reference?: string; metadata?: Record<string, string> }
  Money: string
  NameChange: { name: string }
  NameCheck: { name: string | null; matches: boolean | null; checked_at: string; checked_by: string; message: string | null }
  NetworkInstructions: { code: string; name: string; menu_code: string | null; help_sw: string; help_en: string }
  NotificationSettings: Schemas['NotificationSettingsChange'] & { email: string; email_verified: boolean; applies: Array<"withdrawals" | "webhooks" | "keys"> }
  NotificationSettingsChange: { withdrawals?: boolean; webhooks?: boolean; keys?: boolean; digest?: "off" | "daily" | "weekly" }
  Operator: { user_id: string; email: string; name: string; role: Schemas['OperatorRole']; disabled: boolean; demo: boolean; authenticator: boolean; passkeys: number; last_sign_in_at: string | null; has_signed_in: boolean }
  OperatorAuditEntry: { merchant_id: string | null; seq: number; at: string; actor: { kind: "user" | "operator" | "api_key" | "command" | "system"; id: string | null; name: string }; action: string; target_type: string; target_id: string; reason: string | null; before: unknown; after: unknown; request_id: string | null; address: string | null; actor_is_operator: boolean }
  OperatorAuditEntryList: { items: Array<Schemas['OperatorAuditEntry']>; pagination: Schemas['Pagination'] }
  OperatorCollection: { merchant_id: string; merchant_code: string; merchant_name: string; collection_id: string; reference: string | null; merchant_reference: string | null; status: Schemas['CollectionStatus']; amount: number; amount_received: number | null; foreign_amount: number | null; foreign_currency: string | null; currency: string; method: Schemas['CollectionMethod'] | null; customer_name: string | null; customer_phone: string | null; fee: number; net_amount: number | null; environment: "live" | "sandbox"; provider_payment_status: string | null; payment_url: string | null; failure_reason_code: Schemas['CollectionFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null; metadata: Schemas['Metadata']; created_at: string; updated_at: string; description: string | null; provider: string | null; provider_reference: string | null; held_at: string | null; decided_at: string | null; history: Array<{ from_status: Schemas['CollectionStatus']; to_status: Schemas['CollectionStatus']; actor: string; reason: string | null; event: string | null; at: string }> }
  OperatorCollectionList: { items: Array<Schemas['OperatorCollection']>; pagination: Schemas['Pagination'] }
  OperatorList: { items: Array<Schemas['Operator']>; pagination: Schemas['Pagination'] }
  OperatorMessage: { id: string; environment: Schemas['Environment']; channel: Schemas['MessageChannel']; status: Schemas['MessageStatus']; kind: string; to: string; subject: string | null; invoice_id: string | null; tries: number; next_try_at: string | null; sent_at: string | null; created_at: string; merchant_id: string | null; text: string | null; error: string | null; gateway_id: string | null }
  OperatorMessageList: { items: Array<Schemas['OperatorMessage']>; pagination: Schemas['Pagination'] }
  OperatorPayment: Schemas['OperatorCollection'] & { waits_for: { what: "payer_choice" | "sending" | "payer_approval" | "provider_call" | "worker" | "circuit" | "late_answer" | "operator_review"; text: string; since: string | null; next_at: string | null; until: string | null } | null; attempts: Array<Schemas['PaymentAttempt']>; postings: Array<Schemas['TimelineTransfer']>; deliveries: Array<Schemas['PaymentDelivery']>; timeline: Schemas['Timeline'] }
  OperatorRole: "SUPPORT" | "FINANCE_OPERATOR" | "COMPLIANCE" | "SUPER_ADMIN"
  OperatorWithdrawal: { id: string; merchant_id: string; environment: Schemas['Environment']; method: Schemas['PayoutMethod']; amount: Schemas['Money']; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: Schemas['WithdrawalStatus']; requires_approval: boolean; status_reason: string | null; failure_reason_code: Schemas['PayoutFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null; processor_charge: Schemas['Money']; infinity_fee: Schemas['Money']; percentage_fee: Schemas['Money']; flat_fee: Schemas['Money']; total_charges: Schemas['Money']; total_reserved_amount: Schemas['Money']; recipient_net_amount: Schemas['Money']; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Schemas['Metadata']; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string; merchant_code: string; merchant_name: string; merchant_status: Schemas['MerchantStatus']; merchant_verified: boolean; approvals_required: number; approvals: Array<{ operator: string; reason: string | null; at: string }> }
  OperatorWithdrawalItem: Schemas['OperatorWithdrawal'] & { facts: Schemas['DecisionFacts'] | null }
  OperatorWithdrawalItemList: { items: Array<Schemas['OperatorWithdrawalItem']>; pagination: Schemas['Pagination'] }
  OperatorWithdrawalWithHistory: Schemas['OperatorWithdrawal'] & { requested_by: Schemas['WithdrawalActor']; balance: { available: string; reserved: string; held: string }; payout: Schemas['Payout'] | null; history: Array<{ from_status: Schemas['WithdrawalStatus']; to_status: Schemas['WithdrawalStatus']; actor: Schemas['WithdrawalActor']; reason: string | null; event: string | null; at: string }> }
  Overview: { environment: Schemas['Environment']; period: Schemas['OverviewPeriod']; from: string; to: string; currency: string; collections: { successful: { count: number; amount: string }; failed: { count: number; amount: string }; pending: { count: number; amount: string }; held: { count: number; amount: string }; reversed: { count: number; amount: string }; created: { count: number; amount: string } }; success_rate: string | null; fees: string; withdrawals: { success: { count: number; amount: string }; waiting: { count: number; amount: string }; in_progress: { count: number; amount: string }; failed: { count: number; amount: string } }; series: Array<{ from: string; to: string; successful: Schemas['OverviewTotal']; failed: Schemas['OverviewTotal'] }>; methods: Array<{ method: Schemas['CollectionMethod']; network: string | null; successful: Schemas['OverviewTotal']; failed: Schemas['OverviewTotal']; success_rate: string | null }> }
  OverviewPeriod: "today" | "7d" | "30d"
  OverviewTotal: { count: number; amount: string }
  Pagination: { page: number; page_size: number; total_items: number; total_pages: number }
  Passkey: { id: string; name: string; created_at: string; used_at: string | null }
  PasswordChange: { password: string; new_password: string }
  PaymentAttempt: { number: number; provider: string; provider_reference: string; statement_reference: string | null; provider_id: string | null; provider_status: string | null; method: string; phone: string | null; amount: number; currency: string; state: "to_send" | "asked" | "final" | "given_up"; asks: number; due_at: string | null; leased: boolean; deadline_at: string; sent_at: string | null; created_at: string; updated_at: string }
  PaymentDelivery: { delivery_id: string; event: string; status: Schemas['WebhookDeliveryStatus']; attempts: number; next_attempt_at: string | null; created_at: string; delivered_at: string | null; last_at: string | null; last_status_code: number | null; last_error: string | null }
  PaymentLink: { id: string; merchant_id: string; environment: Schemas['Environment']; amount: Schemas['Money']; currency: string; customer_name: string | null; customer_phone: string | null; description: string | null; reference: string | null; expires_at: string | null; status: Schemas['PaymentLinkStatus']; public_slug: string; public_url: string; invoice_id: string | null; paid_collection_id: string | null; paid_at: string | null; metadata: Schemas['Metadata']; created_at: string; updated_at: string }
  PaymentLinkList: { items: Array<Schemas['PaymentLink']>; pagination: Schemas['Pagination'] }
  PaymentLinkPaidEvent: { event: "payment_link.paid"; collection_id: string; merchant_code: string; reference: string | null; merchant_reference: string | null; amount: Schemas['Money']; currency: string; customer_phone?: string | null; amount_received?: Schemas['Money']; foreign_amount?: Schemas['Money']; foreign_currency?: string; payment_link_id: string; invoice_id?: string; status: "PAID"; method: Schemas['CollectionMethod'] | null; paid_at: string; metadata: Schemas['Metadata']; timestamp: string; sandbox?: boolean; test?: boolean }
  PaymentLinkRequest: { merchant_id?: string; amount: Schemas['RequestedAmount']; currency?: string; customer_name?: string | null; customer_phone?: string | null; description?: string | null; reference?: string | null; expires_at?: string | null; environment?: Schemas['Environment']; metadata?: Record<string, string> }
  PaymentLinkStatus: "ACTIVE" | "PAID" | "EXPIRED" | "CANCELLED"
  Payout: { provider: string; state: "to_send" | "sending" | "asked" | "blocked" | "final"; asks: number; provider_status: string | null; provider_id: string | null; due_at: string | null; sent_at: string | null; waits_for: { what: "merchant_suspended" | "payout_pause"; pause_id: string | null; text: string } | null }
  PayoutFailureCode: "provider_declined" | "unknown_recipient" | "limit_exceeded" | "unknown_provider_error" | "operator_resolved"
  PayoutLimits: { daily_limit: string | null; approved_today: string; daily_limit_per_destination: string | null }
  PayoutMethod: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"
  PayoutPause: { id: string; scope: "platform" | "merchant" | "provider" | "destination"; target: string | null; target_name: string | null; reason: string; started_by: string; started_at: string; ended_by: string | null; ended_reason: string | null; ended_at: string | null }
  PayoutPauseList: { items: Array<Schemas['PayoutPause']>; pagination: Schemas['Pagination'] }
  PayoutPauseRequest: { scope: "platform" | "merchant" | "provider" | "destination"; target?: string; reason: string }
  PreviewedCharges: { percentage_fee: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; total_charges: string; total_reserved_amount: string | null; net_amount: string | null; refused: boolean; label: string }
  PriceRule: { id: string; flow: "withdrawal" | "collection"; method: string | null; destination_code: string | null; destination_known: boolean; percentage: string; flat_fee: string; processor_charge: string; processor_fee_pass_through: boolean; label: string; valid_from: string }
  PriceRuleRequest: { flow: "withdrawal" | "collection"; method?: string | null; destination_code?: string | null; percentage?: string; flat_fee?: string; processor_charge?: string; processor_fee_pass_through?: boolean; label?: string }
  ProviderCircuit: { method: string; state: "closed" | "open" | "half_open" | null; processes: number; open_in: number; calls: number; faults: number; recent_calls: number; recent_faults: number; median_ms: number | null; last_call_at: string; last_fault_at: string | null; since: string | null; retry_at: string | null }
  ProviderHealth: { provider: string; flow: "collection" | "withdrawal"; method: string; network: string | null; counted: number; successful: number; failed: number; undecided: number; success_rate: string | null; median_confirm_ms: number | null; p95_confirm_ms: number | null; last_success_at: string | null; last_request_at: string; since: string; bounded: boolean; circuit: { state: "closed" | "open" | "half_open"; retry_at: string | null } | null }
  ProviderPesaDisbursementRequest: { merchant_id?: string; environment?: Schemas['Environment']; amount: Schemas['RequestedAmount']; currency?: string; destination_name?: string; destination_identifier: string; destination_code?: string; reference?: string; metadata?: Record<string, string> }
  ProviderStatement: { id: string; provider: string; source: "file" | "list"; file_name: string | null; sha256: string | null; from: string; to: string; state: "importing" | "done" | "failed" | "withdrawn"; lines: number; matched: number; opened: number; explained: number; imported_by: { kind: string; id: string | null; name: string }; created_at: string; finished_at: string | null; withdrawn: { at: string; by: string; reason: string } | null }
  ProviderStatementList: { items: Array<Schemas['ProviderStatement']>; pagination: Schemas['Pagination'] }
  PublicCollection: { collection_id: string; status: Schemas['CollectionStatus']; method: Schemas['PublicMethod'] | null; failure_reason_code: Schemas['CollectionFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null }
  PublicMethod: "WALLET_PUSH" | "PROVIDER_PESA" | "TANQR"
  PublicPaymentAccepted: { collection_id: string; status: "processing"; method: Schemas['PublicMethod']; message: string; payment_token?: string; qr_payload?: string; expires_at?: null }
  PublicPaymentLink: { merchant_name: string; amount: Schemas['Money']; currency: string; description: string | null; customer_name: string | null; customer_phone: string | null; expires_at: string | null; status: Schemas['PaymentLinkStatus'] }
  PublicPaymentRequest: { method: Schemas['PublicMethod']; customer_phone?: string | null }
  PushAccepted: { collection_id: string; reference: string | null; status: "processing"; message: string }
  PushRequest: { merchant_id?: string; amount: Schemas['RequestedAmount']; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: Schemas['SimulatedStatus']; metadata?: Record<string, string>; phone: string }
  QrAccepted: { collection_id: string; reference: string | null; status: "processing"; payment_token: string; qr_payload: string; expires_at: null }
  QrRequest: { merchant_id?: string; amount: Schemas['RequestedAmount']; currency?: string; customer_name?: string; customer_email?: string; reference?: string; description?: string; webhook_url?: string; simulate_status?: Schemas['SimulatedStatus']; metadata?: Record<string, string>; customer_phone?: string }
  Reason: { reason: string }
  ReconciliationDecision: { resolution: "accepted" | "written_off" | "corrected"; reason: string }
  ReconciliationException: { id: string; provider: string; kind: Schemas['ExceptionKind']; line_kind: "payment" | "payout" | "reversal" | "charge"; state: "open" | "resolved"; reference: string | null; provider_id: string | null; merchant_id: string | null; collection_id: string | null; withdrawal_id: string | null; amount_theirs: string | null; amount_ours: string | null; currency: string; currency_theirs: string | null; status_ours: string | null; difference: string; at: string | null; statement_id: string; line: number | null; opened_at: string; resolution: "accepted" | "written_off" | "corrected" | "explained" | "withdrawn" | null; reason: string | null; resolved_at: string | null; resolved_by: { id: string | null; name: string } | null; explained_by: string | null }
  ReconciliationExceptionList: { items: Array<Schemas['ReconciliationException']>; pagination: Schemas['Pagination'] }
  ReconciliationSummary: { providers: Array<{ provider: string; statements: number; lines: number; matched: number; stated_until: string | null; holes: Array<{ from: string; to: string }>; open_cases: number; open_by_kind: { unknown_to_us: number; unknown_to_them: number; amount_differs: number; outcome_differs: number; duplicate: number }; unexplained: string; net_difference: string; other_currencies: Array<{ currency: string; unexplained: string; net_difference: string }> }>; float: { books: string; currency: string; providers: Array<{ provider: string; balance: string | null; separate: boolean }>; difference: string | null } }
  RecordedDecision: { action: "withdrawal.approve" | "withdrawal.first_approve" | "withdrawal.reject"; operator: string; at: string; evidence: Schemas['DecisionEvidence'] }
  RejectedWithdrawal: Schemas['OperatorWithdrawal'] & { warned_withdrawals: number }
  RemovedMember: Schemas['Member'] & { revoked_keys: Array<{ id: string; name: string; environment: string; key_prefix: string; key_last4: string }> }
  RequestSummary: { id: string; at: string; request_id: string | null; method: string | null; path: string | null; status: number | null; duration_ms: number | null; error_code: string | null; key_id: string | null; key_name: string | null; not_kept: number }
  RequestSummaryList: { items: Array<Schemas['RequestSummary']>; pagination: Schemas['Pagination'] }
  RequestedAmount: string | number
  ReviewedIpAddress: Schemas['IpAddress'] & { merchant_code: string; merchant_name: string }
  ReviewedIpAddressList: { items: Array<Schemas['ReviewedIpAddress']>; pagination: Schemas['Pagination'] }
  SavedReasons: { action: "withdrawal.approve" | "withdrawal.reject" | "withdrawal.recall" | "withdrawal.resolve" | "collection.clear" | "adjustment.create" | "payouts.pause" | "payouts.resume" | "merchant.suspend" | "ip_address.reject" | "reconciliation.resolve"; reasons: Array<string> }
  SavedRecipient: { id: string; label: string; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code: string; destination: string; destination_identifier: string; paid_count: number; last_paid_at: string | null; destination_name: string; name_check: "same" | "different" | "unknown" | null; name_checked_at: string | null; created_by: string; created_at: string }
  SavedRecipientChange: { label: string }
  SavedRecipientRequest: { label?: string; method: "MOBILE_MONEY" | "BANK_ACCOUNT" | "PROVIDER_PESA"; destination_code?: string; destination_identifier: string; destination_name: string }
  SavedRecipients: { items: Array<Schemas['SavedRecipient']>; earlier: Array<Schemas['EarlierRecipient']> }
  Scope: "collections:write" | "collections:read" | "payment_links:write" | "payment_links:read" | "invoices:write" | "invoices:read" | "transactions:read" | "webhooks:manage" | "disbursements:write" | "disbursements:read" | "requests:read"
  SecuritySettings: { second_factor_required: boolean }
  Session: { id: string; console: "dashboard" | "operator"; device: string; address: string; signed_in_at: string; seen_at: string; current: boolean }
  SessionConfirmation: { code?: string; password?: string; passkey?: { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | null } } }
  SimulatedOutcome: "SUCCESS" | "FAILED" | "REJECTED" | "INFO_REQUESTED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "REVERSED"
  SimulatedStatus: "successful" | "failed" | "pending_clearance" | "reversed"
  Statement: { merchant_id: string; environment: Schemas['Environment']; period: string; from: string; to: string; final: boolean; currency: string; opening_balance: Schemas['Money']; closing_balance: Schemas['Money']; lines: Array<Schemas['StatementLine']> }
  StatementLine: { type: Schemas['TransactionType']; direction: Schemas['Direction']; count: number; amount: Schemas['Money']; fee: Schemas['Money']; net: Schemas['Money'] }
  StatementWithdrawal: { reason: string }
  StkPushRequest: Schemas['QrRequest'] & { merchant_reference?: string }
  SystemCheck: { ok: boolean; checked_at: string; checks: Array<{ name: string; status: "ok" | "warn" | "fail"; message: string }> }
  Timeline: { items: Array<Schemas['TimelineRequest'] | Schemas['TimelineAttempt'] | Schemas['TimelineStatus'] | Schemas['TimelineTransfer'] | Schemas['TimelineWebhook']>; complete: boolean }
  TimelineAttempt: { at: string; kind: "attempt"; number: number; what: "created" | "sent" | "answered"; provider: string; method: string; provider_reference: string; provider_status: string | null }
  TimelineRequest: { at: string; kind: "request"; id: string; request_id: string; method: string; path: string; status: number; duration_ms: number }
  TimelineStatus: { at: string; kind: "status"; from: string | null; to: string; actor: "merchant" | "payer" | "platform" | "provider" | "deadline"; reason: string | null }
  TimelineTransfer: { at: string; kind: "transfer"; posting: string; debit: string; credit: string; amount: string; reference: string | null }
  TimelineWebhook: { at: string; kind: "webhook"; delivery_id: string; event: string; number: number; status_code: number | null; duration_ms: number | null; error: string | null; delivered: boolean; next_attempt_at: string | null }
  Transaction: { reference: string; sequence: number; type: Schemas['TransactionType']; direction: Schemas['Direction']; amount: Schemas['Money']; fee: Schemas['Money']; net_amount: Schemas['Money']; currency: string; status: Schemas['TransactionStatus']; balance_after: Schemas['Money']; collection_id: string | null; withdrawal_id: string | null; merchant_reference: string | null; environment: Schemas['Environment']; created_at: string }
  TransactionList: { items: Array<Schemas['Transaction']>; pagination: Schemas['Pagination'] }
  TransactionStatus: "successful" | "reversed" | "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"
  TransactionType: "COLLECTION" | "COLLECTION_REVERSAL" | "WITHDRAWAL" | "WITHDRAWAL_REVERSAL" | "ADJUSTMENT"
  WaitingAdjustment: { merchant_id: string; environment: Schemas['Environment']; direction: "credit" | "debit"; against: "provider_float" | "fee_income" | "processor_cost"; amount: string; currency: string; reason: string; approvals_required?: number; approvals?: Array<{ operator: string; reason: string; at: string }> }
  WaitingDecision: { action: "withdrawal.approve" | "withdrawal.resolve" | "collection.clear" | "adjustment.create"; merchant_id: string; merchant_name: string; environment: Schemas['Environment']; target_id: string; amount: string; outcome?: string; decision?: string; direction?: string; against?: string; operator: string; reason: string | null; decided_at: string; expires_at: string | null }
  WaitingDecisionList: { items: Array<Schemas['WaitingDecision']>; pagination: Schemas['Pagination'] }
  WaitingPayment: { kind: "collection" | "payout"; id: string; merchant_id: string; merchant_name: string; environment: Schemas['Environment']; provider: string; provider_reference: string; statement_reference: string | null; method: string; state: string; waiting_s: number; asks: number; provider_status: string | null; due_at: string; created_at: string }
  WaitingPaymentList: { items: Array<Schemas['WaitingPayment']>; pagination: Schemas['Pagination'] }
  WebhookConfig: { webhook_url: string; events: Array<Schemas['EventName']>; secret_last4: string; secret?: string }
  WebhookConfigChange: { webhook_url?: string; events?: Array<Schemas['EventChoice']>; rotate_secret?: boolean }
  WebhookDelivery: { id: string; event: Schemas['EventName']; environment: Schemas['Environment']; endpoint_id: string; status: Schemas['WebhookDeliveryStatus']; payload: {  }; attempts: Array<{ number: number; at: string; status_code: number | null; duration_ms: number; error: string | null; response_body: string | null }>; delivered_at: string | null; next_attempt_at: string | null; created_at: string }
  WebhookDeliveryList: { items: Array<Schemas['WebhookDelivery']>; pagination: Schemas['Pagination'] }
  WebhookDeliveryStatus: "pending" | "delivered" | "failed" | "cancelled"
  WebhookEndpoint: Schemas['WebhookConfig'] & { id: string; environment: Schemas['Environment']; description: string | null; created_at: string }
  WebhookEndpointChange: { webhook_url?: string; events?: Array<Schemas['EventChoice']>; description?: string | null; rotate_secret?: boolean }
  WebhookEndpointRequest: { webhook_url: string; events?: Array<Schemas['EventChoice']>; description?: string }
  WebhookReplay: { queued: number; more: boolean; next_since: string | null }
  WebhookReplayRequest: { since: string; until?: string; event?: Schemas['EventChoice']; endpoint_id?: string; status?: "failed" | "delivered" | "all" }
  WebhookResend: { collection_id: string | null; deliveries: Array<{ id: string; attempts: number; refusal: "waits" | "attempt_limit" | "endpoint_deleted" | null }> }
  WebhookResendState: { collection_id: string; deliveries: Array<{ id: string; attempts: number; status: Schemas['WebhookDeliveryStatus']; status_code: number | null; error: string | null }> }
  WebhookResendsRequest: { collection_ids?: Array<string>; delivery_ids?: Array<string> }
  Withdrawal: { id: string; merchant_id: string; environment: Schemas['Environment']; method: Schemas['PayoutMethod']; amount: Schemas['Money']; currency: string; destination_name: string | null; destination_identifier: string; destination_code: string; bank_name: string | null; reference: string | null; merchant_reference: string | null; status: Schemas['WithdrawalStatus']; requires_approval: boolean; status_reason: string | null; failure_reason_code: Schemas['PayoutFailureCode'] | null; failure_reason_message: string | null; failure_reason_message_sw: string | null; processor_charge: Schemas['Money']; infinity_fee: Schemas['Money']; percentage_fee: Schemas['Money']; flat_fee: Schemas['Money']; total_charges: Schemas['Money']; total_reserved_amount: Schemas['Money']; recipient_net_amount: Schemas['Money']; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean; provider_reference: string | null; transaction_reference: string | null; metadata: Schemas['Metadata']; initiated_at: string; completed_at: string | null; created_at: string; updated_at: string }
  WithdrawalActor: { kind: "user" | "operator" | "api_key" | "command" | "system" | "provider"; id: string | null; name: string }
  WithdrawalCase: { withdrawal: Schemas['OperatorWithdrawalWithHistory']; api_key_created_at: string | null; facts: Schemas['DecisionFacts'] | null; balance: { available: string; reserved: string; held: string; currency: string; last_received_at: string | null; received_24h: string; received_since: string; received_24h_complete: boolean; received_daily_before: string | null; received_burst: boolean }; destination: { first_time: boolean; paid_count: number; paid_amount: string; first_paid_at: string | null; last_paid_at: string | null; open_payout: { withdrawal_id: string; status: Schemas['WithdrawalStatus']; amount: string; changed_at: string } | null; other_merchants: number; newest_other_merchants: Array<{ merchant_id: string; name: string; destination_name: string | null; last_paid_at: string }>; other_names: Array<string> }; name_checks: Array<Schemas['NameCheck']>; decisions: Array<Schemas['RecordedDecision']>; payout_limits: { daily: { limit: string | null; approved_today: string; exceeded: boolean }; destination: { limit: string | null; approved_today: string; exceeded: boolean } }; velocity: Array<{ hours: number; count: number; amount: string }>; earlier: Array<{ withdrawal_id: string; status: Schemas['WithdrawalStatus']; amount: string; destination_identifier: string; created_at: string; reason: string | null }>; conflict_of_interest: boolean; merchant: { id: string; name: string; merchant_code: string; status: Schemas['MerchantStatus']; verified: boolean; created_at: string } }
  WithdrawalFunding: { withdrawal_id: string; transaction_reference: string | null; total_reserved_amount: Schemas['Money']; amount_found: Schemas['Money']; currency: string; complete: boolean; items: Array<Schemas['FundingItem']> }
  WithdrawalList: { items: Array<Schemas['Withdrawal']>; pagination: Schemas['Pagination'] }
  WithdrawalMove: { from_status: Schemas['WithdrawalStatus']; to_status: Schemas['WithdrawalStatus']; by: "merchant" | "operator" | "provider"; message: string | null; at: string }
  WithdrawalQuote: { withdrawal_amount: Schemas['Money']; currency: string; channel: Schemas['PayoutMethod']; destination_code: string; processor_charge: Schemas['Money']; infinity_fee: Schemas['Money']; percentage_fee: Schemas['Money']; flat_fee: Schemas['Money']; total_charges: Schemas['Money']; total_reserved_amount: Schemas['Money']; recipient_net_amount: Schemas['Money']; pricing_rule_id: string | null; pricing_rule_label: string | null; processor_fee_pass_through: boolean }
  WithdrawalQuoteRequest: { merchant_id?: string; environment?: Schemas['Environment']; amount: Schemas['RequestedAmount']; currency?: string; method: Schemas['PayoutMethod']; destination_code?: string; destination_identifier?: string }
  WithdrawalRequest: { merchant_id?: string; environment?: Schemas['Environment']; amount: Schemas['RequestedAmount']; currency?: string; method: Schemas['PayoutMethod']; destination_code?: string; destination_name?: string; destination_phone?: string; bank_name?: string; bank_account_number?: string; bank_account_name?: string; destination_identifier?: string; reference?: string; metadata?: Record<string, string> }
  WithdrawalResolution: { outcome: "SUCCESS" | "FAILED"; reason: string; provider_reference?: string }
  WithdrawalResponse: { merchant_id?: string; environment?: Schemas['Environment']; message: string }
  WithdrawalStatus: "PENDING_ADMIN_APPROVAL" | "INFO_REQUESTED" | "PROCESSING" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELLED" | "NEEDS_RECONCILIATION" | "BLOCKED_IP_WHITELIST" | "NEEDS_ADMIN_ATTENTION" | "REVERSED"
  WithdrawalWithHistory: Schemas['Withdrawal'] & { history: Array<Schemas['WithdrawalMove']> }
  WorkerQueue: { queue: string; due: number; scheduled: number; oldest_due_s: number; is_cut: boolean }
}

/** The calls by method and path. */
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
    body: Schemas['PushRequest']
    data: Schemas['PushAccepted']
  }
  'POST /v1/collections/provider-pesa': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: Schemas['PushRequest']
    data: Schemas['PushAccepted']
  }
  'POST /v1/collections/stk-push': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: Schemas['StkPushRequest']
    data: Schemas['PushAccepted']
  }
  'POST /v1/collections/qr': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: Schemas['QrRequest']
    data: Schemas['QrAccepted']
  }
  'GET /v1/collections': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['CollectionStatus']; method?: Schemas['CollectionMethod']; reference?: string; phone?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: Schemas['CollectionList']
  }
  'POST /v1/collections': {
    params: {  }
    query: {  }
    body: Schemas['CollectionRequest']
    data: { collection_id: string; reference: string | null; status: "created"; payment_url: string }
  }
  'GET /v1/collections/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: Schemas['CollectionStatus']; method?: Schemas['CollectionMethod']; reference?: string; phone?: string; from?: string; to?: string; ids?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/collections/{collection_id}': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Collection']
  }
  'POST /v1/collections/{collection_id}/refresh-status': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Collection']
  }
  'POST /v1/payment-links': {
    params: {  }
    query: {  }
    body: Schemas['PaymentLinkRequest']
    data: Schemas['PaymentLink']
  }
  'GET /v1/payment-links': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['PaymentLinkStatus']; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: Schemas['PaymentLinkList']
  }
  'GET /v1/payment-links/export.csv': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; status?: Schemas['PaymentLinkStatus']; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/payment-links/{link_id}': {
    params: { link_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['PaymentLink']
  }
  'GET /v1/payment-links/{link_id}/poster.pdf': {
    params: { link_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string; language?: Schemas['Language'] }
    body: undefined
    data: unknown
  }
  'GET /v1/payment-links/{link_id}/collections': {
    params: { link_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: Schemas['CollectionList']
  }
  'POST /v1/payment-links/{link_id}/cancel': {
    params: { link_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['PaymentLink']
  }
  'GET /public/payment-links/{public_slug}': {
    params: { public_slug: string }
    query: {  }
    body: undefined
    data: Schemas['PublicPaymentLink']
  }
  'POST /public/payment-links/{public_slug}/collect': {
    params: { public_slug: string }
    query: {  }
    body: Schemas['PublicPaymentRequest']
    data: Schemas['PublicPaymentAccepted']
  }
  'POST /public/payment-links/{public_slug}/pay': {
    params: { public_slug: string }
    query: {  }
    body: Schemas['PublicPaymentRequest']
    data: Schemas['PublicPaymentAccepted']
  }
  'GET /public/payment-links/{public_slug}/collections/{collection_id}/status': {
    params: { public_slug: string; collection_id: string }
    query: {  }
    body: undefined
    data: Schemas['PublicCollection']
  }
  'GET /v1/invoices': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['InvoiceStatus']; metadata?: Record<string, string> }
    body: undefined
    data: Schemas['InvoiceList']
  }
  'POST /v1/invoices': {
    params: {  }
    query: {  }
    body: Schemas['InvoiceRequest']
    data: Schemas['Invoice']
  }
  'GET /v1/invoices/export.csv': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; status?: Schemas['InvoiceStatus'] }
    body: undefined
    data: unknown
  }
  'GET /v1/invoices/{invoice_id}': {
    params: { invoice_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['Invoice']
  }
  'PATCH /v1/invoices/{invoice_id}': {
    params: { invoice_id: string }
    query: { merchant_id?: string; environment?: Schemas['Environment'] }
    body: Schemas['InvoiceChange']
    data: Schemas['Invoice']
  }
  'POST /v1/invoices/{invoice_id}/send': {
    params: { invoice_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['Invoice']
  }
  'POST /v1/invoices/{invoice_id}/cancel': {
    params: { invoice_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['Invoice']
  }
  'POST /v1/invoices/{invoice_id}/payment-link': {
    params: { invoice_id: string }
    query: { environment?: Schemas['Environment']; merchant_id?: string }
    body: undefined
    data: Schemas['PaymentLink']
  }
  'GET /v1/destinations': {
    params: {  }
    query: { method?: Schemas['PayoutMethod']; environment?: Schemas['Environment'] }
    body: undefined
    data: { items: Array<{ code: string; name: string; method: Schemas['PayoutMethod']; aliases: Array<string> }> }
  }
  'POST /v1/merchant/withdrawals/quote': {
    params: {  }
    query: {  }
    body: Schemas['WithdrawalQuoteRequest']
    data: Schemas['WithdrawalQuote']
  }
  'POST /v1/merchant/withdrawals': {
    params: {  }
    query: {  }
    body: Schemas['WithdrawalRequest']
    data: Schemas['Withdrawal']
  }
  'GET /v1/merchant/withdrawals': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['WithdrawalStatus']; method?: Schemas['PayoutMethod']; reference?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: Schemas['WithdrawalList']
  }
  'POST /v1/disbursements/provider-pesa': {
    params: {  }
    query: {  }
    body: Schemas['ProviderPesaDisbursementRequest']
    data: Schemas['Withdrawal']
  }
  'POST /v1/disbursements/mobile-money': {
    params: {  }
    query: {  }
    body: Schemas['MobileMoneyDisbursementRequest']
    data: Schemas['Withdrawal']
  }
  'POST /v1/disbursements/bank-account': {
    params: {  }
    query: {  }
    body: Schemas['BankAccountDisbursementRequest']
    data: Schemas['Withdrawal']
  }
  'GET /v1/merchant/withdrawals/export.csv': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; status?: Schemas['WithdrawalStatus']; method?: Schemas['PayoutMethod']; reference?: string; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WithdrawalWithHistory']
  }
  'GET /v1/disbursements': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['WithdrawalStatus']; method?: Schemas['PayoutMethod']; reference?: string; from?: string; to?: string; metadata?: Record<string, string> }
    body: undefined
    data: Schemas['WithdrawalList']
  }
  'GET /v1/disbursements/{disbursement_id}': {
    params: { disbursement_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WithdrawalWithHistory']
  }
  'GET /v1/merchant/payout-limits': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['PayoutLimits']
  }
  'POST /v1/merchant/withdrawals/{withdrawal_id}/respond': {
    params: { withdrawal_id: string }
    query: {  }
    body: Schemas['WithdrawalResponse']
    data: Schemas['Withdrawal']
  }
  'POST /v1/merchant/withdrawals/{withdrawal_id}/cancel': {
    params: { withdrawal_id: string }
    query: {  }
    body: { merchant_id?: string; environment?: Schemas['Environment'] } | null
    data: Schemas['Withdrawal']
  }
  'POST /v1/disbursements/{disbursement_id}/cancel': {
    params: { disbursement_id: string }
    query: {  }
    body: { merchant_id?: string; environment?: Schemas['Environment'] } | null
    data: Schemas['Withdrawal']
  }
  'POST /v1/sandbox/disbursements/{disbursement_id}/simulate': {
    params: { disbursement_id: string }
    query: { environment?: "live" | "sandbox" }
    body: Schemas['DisbursementSimulation']
    data: Schemas['Withdrawal']
  }
  'GET /v1/merchant/recipients': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['SavedRecipients']
  }
  'POST /v1/merchant/recipients': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['SavedRecipientRequest']
    data: Schemas['SavedRecipient']
  }
  'PATCH /v1/merchant/recipients/{recipient_id}': {
    params: { recipient_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['SavedRecipientChange']
    data: Schemas['SavedRecipient']
  }
  'DELETE /v1/merchant/recipients/{recipient_id}': {
    params: { recipient_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['SavedRecipient']
  }
  'POST /v1/merchant/recipients/{recipient_id}/name-check': {
    params: { recipient_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: {  } | null
    data: Schemas['SavedRecipient']
  }
  'POST /v1/merchant/api-keys': {
    params: {  }
    query: {  }
    body: Schemas['ApiKeyRequest']
    data: Schemas['CreatedApiKey']
  }
  'GET /v1/merchant/api-keys': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; page?: number; page_size?: number; status?: "active" | "revoked"; made_by?: string }
    body: undefined
    data: Schemas['ApiKeyList']
  }
  'POST /v1/merchants/{merchant_id}/api-keys': {
    params: { merchant_id: string }
    query: {  }
    body: Schemas['ApiKeyRequest']
    data: Schemas['CreatedApiKey']
  }
  'PATCH /v1/merchant/api-keys/{key_id}/revoke': {
    params: { key_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['ApiKey']
  }
  'POST /v1/merchant/api-keys/{key_id}/rotate': {
    params: { key_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['CreatedApiKey']
  }
  'GET /v1/merchant/ip-addresses': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['IpAddressStatus'] }
    body: undefined
    data: Schemas['IpAddressList']
  }
  'POST /v1/merchant/ip-addresses': {
    params: {  }
    query: {  }
    body: Schemas['IpAddressRequest']
    data: Schemas['IpAddress']
  }
  'DELETE /v1/merchant/ip-addresses/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['IpAddress']
  }
  'GET /v1/merchant/webhook-status': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { failing: Array<{ environment: Schemas['Environment']; endpoint_id: string; failed: number; given_up: number; oldest_at: string; last_failed_at: string; last_status_code: number | null; last_error: string | null; next_attempt_at: string | null }> }
  }
  'GET /v1/merchant/webhook-config': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WebhookConfig']
  }
  'PATCH /v1/merchant/webhook-config': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['WebhookConfigChange']
    data: Schemas['WebhookConfig']
  }
  'POST /v1/merchant/webhook-config/test': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WebhookDelivery']
  }
  'GET /v1/merchant/webhook-endpoints': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<Schemas['WebhookEndpoint']>; limit: number }
  }
  'POST /v1/merchant/webhook-endpoints': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['WebhookEndpointRequest']
    data: Schemas['WebhookEndpoint']
  }
  'GET /v1/merchant/webhook-endpoints/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WebhookEndpoint']
  }
  'PATCH /v1/merchant/webhook-endpoints/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['WebhookEndpointChange']
    data: Schemas['WebhookEndpoint']
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
    data: Schemas['WebhookDelivery']
  }
  'GET /v1/merchant/webhook-deliveries': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: Schemas['WebhookDeliveryStatus']; event?: Schemas['EventChoice']; endpoint_id?: string; from?: string; to?: string }
    body: undefined
    data: Schemas['WebhookDeliveryList']
  }
  'GET /v1/merchant/webhook-deliveries/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WebhookDelivery']
  }
  'POST /v1/merchant/webhook-deliveries/replay': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['WebhookReplayRequest']
    data: Schemas['WebhookReplay']
  }
  'POST /v1/merchant/webhook-deliveries/{id}/replay': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WebhookDelivery']
  }
  'POST /v1/merchant/webhook-resends': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['WebhookResendsRequest']
    data: { items: Array<Schemas['WebhookResend']> }
  }
  'GET /v1/merchant/webhook-resends': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; collection_ids: string }
    body: undefined
    data: { items: Array<Schemas['WebhookResendState']> }
  }
  'GET /v1/events': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; event?: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "disbursement.approved" | "disbursement.info_requested" | "payment_link.paid" | "invoice.paid" | "invoice.overdue" | "balance.low" | "collection.successful"; after?: string; from?: string; to?: string }
    body: undefined
    data: { items: Array<{ id: string; event: string; environment: "live" | "sandbox"; created_at: string; data: {  } }>; pagination: Schemas['Pagination'] }
  }
  'GET /v1/events/stream': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; event?: "collection.success" | "collection.failed" | "collection.reversed" | "collection.pending_review" | "disbursement.success" | "disbursement.failed" | "disbursement.reversed" | "disbursement.approved" | "disbursement.info_requested" | "payment_link.paid" | "invoice.paid" | "invoice.overdue" | "balance.low" | "collection.successful"; after?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/merchant/requests': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE" | "HEAD"; status?: string; path?: string; q?: string; key_id?: string; from?: string; to?: string }
    body: undefined
    data: { items: Array<Schemas['LoggedRequest']>; pagination: Schemas['Pagination']; looked_back_to: string | null }
  }
  'GET /v1/requests': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; status?: string; from?: string; to?: string }
    body: undefined
    data: Schemas['RequestSummaryList']
  }
  'GET /v1/merchant/requests/{id}': {
    params: { id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['LoggedRequestWithBodies']
  }
  'GET /v1/balance': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Balance']
  }
  'GET /v1/merchant/balance': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Balance']
  }
  'GET /v1/merchants/{merchant_id}/transactions': {
    params: { merchant_id: string }
    query: { environment?: "live" | "sandbox"; page?: number; page_size?: number; type?: Schemas['TransactionType']; from?: string; to?: string }
    body: undefined
    data: Schemas['TransactionList']
  }
  'GET /v1/transactions/{reference}': {
    params: { reference: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Transaction']
  }
  'GET /v1/merchants/{merchant_id}/transactions/export': {
    params: { merchant_id: string }
    query: { environment?: "live" | "sandbox"; type?: Schemas['TransactionType']; from?: string; to?: string }
    body: undefined
    data: unknown
  }
  'GET /v1/merchants/{merchant_id}/statements/{period}': {
    params: { merchant_id: string; period: string }
    query: { environment?: "live" | "sandbox"; format?: "json" | "csv" }
    body: undefined
    data: Schemas['Statement']
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}/funding': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['WithdrawalFunding']
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}/funding': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: Schemas['WithdrawalFunding']
  }
  'POST /v1/operator/statements/{id}/withdraw': {
    params: { id: string }
    query: {  }
    body: Schemas['StatementWithdrawal']
    data: Schemas['ProviderStatement']
  }
  'GET /v1/operator/statements': {
    params: {  }
    query: { page?: number; page_size?: number; provider?: string }
    body: undefined
    data: Schemas['ProviderStatementList']
  }
  'POST /v1/operator/statements': {
    params: {  }
    query: { provider: string; from: string; to: string; columns?: string; file_name?: string }
    body: undefined
    data: Schemas['ProviderStatement']
  }
  'GET /v1/operator/reconciliation': {
    params: {  }
    query: {  }
    body: undefined
    data: Schemas['ReconciliationSummary']
  }
  'GET /v1/operator/reconciliation/exceptions': {
    params: {  }
    query: { page?: number; page_size?: number; state?: "open" | "resolved"; kind?: Schemas['ExceptionKind']; provider?: string }
    body: undefined
    data: Schemas['ReconciliationExceptionList']
  }
  'POST /v1/operator/reconciliation/exceptions/{id}/ask': {
    params: { id: string }
    query: {  }
    body: {  } | null
    data: Schemas['ReconciliationException']
  }
  'POST /v1/operator/reconciliation/exceptions/{id}/resolve': {
    params: { id: string }
    query: {  }
    body: Schemas['ReconciliationDecision']
    data: Schemas['ReconciliationException']
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
  'GET /v1/merchant/notifications': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['NotificationSettings']
  }
  'PATCH /v1/merchant/notifications': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['NotificationSettingsChange']
    data: Schemas['NotificationSettings']
  }
  'GET /v1/me': {
    params: {  }
    query: {  }
    body: undefined
    data: Schemas['CurrentUser'] | Schemas['CurrentApiKey']
  }
  'GET /v1/merchant/members': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: Schemas['MemberList']
  }
  'POST /v1/merchant/members': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['MemberRequest']
    data: Schemas['InvitedMember']
  }
  'POST /v1/merchant/members/{member_id}/invitation': {
    params: { member_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['InvitedMember']
  }
  'PATCH /v1/merchant/members/{member_id}': {
    params: { member_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { role: Schemas['MerchantRole'] }
    data: Schemas['Member']
  }
  'DELETE /v1/merchant/members/{member_id}': {
    params: { member_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; keep_keys?: string }
    body: undefined
    data: Schemas['RemovedMember']
  }
  'GET /v1/merchant/security': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['SecuritySettings']
  }
  'PATCH /v1/merchant/security': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: Schemas['SecuritySettings']
    data: Schemas['SecuritySettings']
  }
  'GET /v1/merchant/balance-mark': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { balance_below: string | null }
  }
  'PUT /v1/merchant/balance-mark': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: { balance_below: string | null }
    data: { balance_below: string | null }
  }
  'GET /v1/merchant/audit-log': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number }
    body: undefined
    data: { items: Array<{ merchant_id: string | null; at: string; actor: { kind: "user" | "operator" | "api_key" | "command" | "system"; id: string | null; name: string }; action: string; target_type: string; target_id: string; reason: string | null; before: unknown; after: unknown; request_id: string | null; address: string | null }>; pagination: Schemas['Pagination'] }
  }
  'GET /v1/merchant/messages': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; page?: number; page_size?: number; channel?: Schemas['MessageChannel']; status?: Schemas['MessageStatus']; invoice_id?: string }
    body: undefined
    data: Schemas['MessageList']
  }
  'GET /v1/operator/queue': {
    params: {  }
    query: { environment?: Schemas['Environment']; warnings?: boolean }
    body: undefined
    data: { warned: { count: number; examined: number } | null; items: Array<{ kind: "withdrawals_waiting" | "withdrawals_info_requested" | "withdrawals_needs_reconciliation" | "withdrawals_blocked" | "withdrawals_needs_attention" | "collections_held" | "merchants_to_check" | "ip_addresses_pending" | "reconciliation_exceptions" | "webhooks_failing"; count: number; oldest_at: string | null; amount: string | null }>; four_eyes_amount: string | null; four_eyes_off: boolean; failed_check: { finished_at: string; problems: number | null } | null; step_up_s: number }
  }
  'GET /v1/operator/merchants': {
    params: {  }
    query: { page?: number; page_size?: number; status?: Schemas['MerchantStatus']; to_check?: boolean; archived?: boolean; search?: string }
    body: undefined
    data: Schemas['MerchantList']
  }
  'POST /v1/operator/merchants': {
    params: {  }
    query: {  }
    body: Schemas['MerchantRequest']
    data: Schemas['Merchant']
  }
  'GET /v1/operator/merchants/{merchant_id}': {
    params: { merchant_id: string }
    query: {  }
    body: undefined
    data: { id: string; merchant_code: string; name: string; email: string | null; status: Schemas['MerchantStatus']; verified: boolean; priced: boolean; archived_at: string | null; created_at: string; updated_at: string; members: Array<Schemas['Member']>; rules: Array<Schemas['PriceRule']>; payout_limits: Schemas['MerchantPayoutLimits'] }
  }
  'POST /v1/operator/merchants/{merchant_id}/members/{member_id}/invitation': {
    params: { merchant_id: string; member_id: string }
    query: {  }
    body: undefined
    data: Schemas['InvitedMember']
  }
  'POST /v1/operator/merchants/{merchant_id}/approve': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: Schemas['Merchant']
  }
  'POST /v1/operator/merchants/{merchant_id}/suspend': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: Schemas['Merchant']
  }
  'POST /v1/operator/merchants/{merchant_id}/reactivate': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: Schemas['Merchant']
  }
  'POST /v1/operator/merchants/{merchant_id}/verify': {
    params: { merchant_id: string }
    query: {  }
    body: { reason?: string } | null
    data: Schemas['Merchant']
  }
  'GET /v1/operator/merchants/{merchant_id}/pricing': {
    params: { merchant_id: string }
    query: {  }
    body: undefined
    data: { rules: Array<Schemas['PriceRule']> }
  }
  'PUT /v1/operator/merchants/{merchant_id}/pricing': {
    params: { merchant_id: string }
    query: {  }
    body: { rules: Array<Schemas['PriceRuleRequest']> }
    data: { rules: Array<Schemas['PriceRule']> }
  }
  'PUT /v1/operator/merchants/{merchant_id}/payout-limits': {
    params: { merchant_id: string }
    query: {  }
    body: { daily_limit: string | null; daily_limit_per_destination: string | null; reason?: string }
    data: Schemas['MerchantPayoutLimits']
  }
  'POST /v1/operator/merchants/{merchant_id}/pricing/preview': {
    params: { merchant_id: string }
    query: {  }
    body: { rules: Array<Schemas['PriceRuleRequest']>; amounts?: Array<Schemas['RequestedAmount']> }
    data: { rows: Array<{ flow: "withdrawal" | "collection"; method: string; destination_code: string | null; amount: string; now: Schemas['PreviewedCharges'] | null; then: Schemas['PreviewedCharges'] | null }> }
  }
  'GET /v1/operator/withdrawals': {
    params: {  }
    query: { page?: number; page_size?: number; status?: Schemas['WithdrawalStatus']; merchant_id?: string; environment?: Schemas['Environment']; order?: "newest" | "oldest" }
    body: undefined
    data: Schemas['OperatorWithdrawalItemList']
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: Schemas['OperatorWithdrawalWithHistory']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/approve': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason?: string; confirm_new_destination?: boolean } | null
    data: Schemas['OperatorWithdrawal']
  }
  'POST /v1/operator/withdrawals/approve-batch': {
    params: {  }
    query: {  }
    body: Schemas['BatchApproval']
    data: Schemas['BatchApprovalResult']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/reject': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason: string }
    data: Schemas['RejectedWithdrawal']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/request-info': {
    params: { withdrawal_id: string }
    query: {  }
    body: { message: string }
    data: Schemas['OperatorWithdrawal']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/resolve': {
    params: { withdrawal_id: string }
    query: {  }
    body: Schemas['WithdrawalResolution']
    data: Schemas['OperatorWithdrawal']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/retry': {
    params: { withdrawal_id: string }
    query: {  }
    body: {  } | null
    data: Schemas['OperatorWithdrawal']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/recall': {
    params: { withdrawal_id: string }
    query: {  }
    body: { reason: string }
    data: Schemas['OperatorWithdrawal']
  }
  'GET /v1/operator/payout-pauses': {
    params: {  }
    query: { page?: number; page_size?: number; state?: "active" | "ended" }
    body: undefined
    data: Schemas['PayoutPauseList']
  }
  'POST /v1/operator/payout-pauses': {
    params: {  }
    query: {  }
    body: Schemas['PayoutPauseRequest']
    data: { id: string; scope: "platform" | "merchant" | "provider" | "destination"; target: string | null; target_name: string | null; reason: string; started_by: string; started_at: string; ended_by: string | null; ended_reason: string | null; ended_at: string | null; sending: number }
  }
  'POST /v1/operator/payout-pauses/{pause_id}/end': {
    params: { pause_id: string }
    query: {  }
    body: { reason: string }
    data: Schemas['PayoutPause']
  }
  'GET /v1/operator/withdrawals/{withdrawal_id}/case': {
    params: { withdrawal_id: string }
    query: {  }
    body: undefined
    data: Schemas['WithdrawalCase']
  }
  'POST /v1/operator/withdrawals/{withdrawal_id}/name-check': {
    params: { withdrawal_id: string }
    query: {  }
    body: {  } | null
    data: Schemas['NameCheck']
  }
  'GET /v1/operator/collections': {
    params: {  }
    query: { page?: number; page_size?: number; merchant_id?: string; status?: "created" | "processing" | "successful" | "failed" | "pending_clearance" | "reversed" | "any"; method?: Schemas['CollectionMethod']; reference?: string; phone?: string; from?: string; to?: string; held?: boolean; environment?: Schemas['Environment'] }
    body: undefined
    data: Schemas['OperatorCollectionList']
  }
  'POST /v1/operator/collections/{collection_id}/clear': {
    params: { collection_id: string }
    query: {  }
    body: Schemas['ClearanceDecision']
    data: Schemas['ClearedCollection']
  }
  'GET /v1/operator/merchants/{merchant_id}/adjustments': {
    params: { merchant_id: string }
    query: { page?: number; page_size?: number; environment?: Schemas['Environment'] }
    body: undefined
    data: Schemas['AdjustmentList']
  }
  'POST /v1/operator/merchants/{merchant_id}/adjustments': {
    params: { merchant_id: string }
    query: {  }
    body: Schemas['AdjustmentRequest']
    data: Schemas['WaitingAdjustment']
  }
  'GET /v1/operator/decisions': {
    params: {  }
    query: { page?: number; page_size?: number }
    body: undefined
    data: Schemas['WaitingDecisionList']
  }
  'GET /v1/operator/ip-addresses': {
    params: {  }
    query: { page?: number; page_size?: number; status?: Schemas['IpAddressStatus']; merchant_id?: string }
    body: undefined
    data: Schemas['ReviewedIpAddressList']
  }
  'POST /v1/operator/ip-addresses/{address_id}/approve': {
    params: { address_id: string }
    query: {  }
    body: undefined
    data: Schemas['ReviewedIpAddress']
  }
  'POST /v1/operator/ip-addresses/{address_id}/reject': {
    params: { address_id: string }
    query: {  }
    body: { reason: string }
    data: Schemas['ReviewedIpAddress']
  }
  'GET /v1/operator/audit-log': {
    params: {  }
    query: { page?: number; page_size?: number; merchant_id?: string; scope?: "platform"; actor?: string; action?: string; target_id?: string; from?: string; to?: string }
    body: undefined
    data: Schemas['OperatorAuditEntryList']
  }
  'GET /v1/operator/audit-log/verify': {
    params: {  }
    query: { after?: string }
    body: undefined
    data: Schemas['AuditLogCheck']
  }
  'GET /v1/operator/messages': {
    params: {  }
    query: { page?: number; page_size?: number; channel?: Schemas['MessageChannel']; status?: Schemas['MessageStatus']; merchant_id?: string }
    body: undefined
    data: Schemas['OperatorMessageList']
  }
  'GET /v1/operator/providers': {
    params: {  }
    query: {  }
    body: undefined
    data: { process_id: string; process: "all" | "api" | "worker"; processes: Array<Schemas['CallingProcess']>; default_provider: string; routes: Array<{ route: string; provider: string }>; providers: Array<{ name: string; live: boolean; methods: Array<string>; payout_methods: Array<string>; destinations: Array<string> | null; whole_shillings: boolean; circuit_breaker: boolean; circuits: Array<Schemas['ProviderCircuit']> }> }
  }
  'GET /v1/operator/waiting': {
    params: {  }
    query: { page?: number; page_size?: number; kind?: "collection" | "payout"; provider?: string; merchant_id?: string }
    body: undefined
    data: Schemas['WaitingPaymentList']
  }
  'GET /v1/operator/providers/health': {
    params: {  }
    query: { hours?: number; environment?: Schemas['Environment'] }
    body: undefined
    data: { items: Array<Schemas['ProviderHealth']> }
  }
  'GET /v1/operator/webhooks/failing': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<Schemas['FailingWebhook']> }
  }
  'GET /v1/operator/networks': {
    params: {  }
    query: {  }
    body: undefined
    data: { networks: Array<Schemas['NetworkInstructions']> }
  }
  'PUT /v1/operator/networks': {
    params: {  }
    query: {  }
    body: { networks: Array<Schemas['NetworkInstructions']> }
    data: { networks: Array<Schemas['NetworkInstructions']> }
  }
  'GET /v1/operator/reasons': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<Schemas['SavedReasons']> }
  }
  'PUT /v1/operator/reasons/{action}': {
    params: { action: "withdrawal.approve" | "withdrawal.reject" | "withdrawal.recall" | "withdrawal.resolve" | "collection.clear" | "adjustment.create" | "payouts.pause" | "payouts.resume" | "merchant.suspend" | "ip_address.reject" | "reconciliation.resolve" }
    query: {  }
    body: { reasons: Array<string> }
    data: Schemas['SavedReasons']
  }
  'GET /v1/operator/verify': {
    params: {  }
    query: {  }
    body: undefined
    data: { every_h: number; last: Schemas['BooksCheck'] | null; last_good_at: string | null }
  }
  'GET /v1/operator/queues': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<Schemas['WorkerQueue']> }
  }
  'GET /v1/operator/system': {
    params: {  }
    query: {  }
    body: undefined
    data: Schemas['SystemCheck']
  }
  'GET /v1/operator/operators': {
    params: {  }
    query: { page?: number; page_size?: number }
    body: undefined
    data: Schemas['OperatorList']
  }
  'POST /v1/operator/operators/{user_id}/revoke': {
    params: { user_id: string }
    query: {  }
    body: Schemas['Reason']
    data: { user_id: string; email: string }
  }
  'POST /v1/operator/operators/{user_id}/disable': {
    params: { user_id: string }
    query: {  }
    body: Schemas['Reason']
    data: { user_id: string; email: string }
  }
  'GET /v1/session': {
    params: {  }
    query: {  }
    body: undefined
    data: Schemas['CurrentSession']
  }
  'POST /v1/session/confirm': {
    params: {  }
    query: {  }
    body: Schemas['SessionConfirmation']
    data: Schemas['CurrentSession']
  }
  'POST /v1/session/password': {
    params: {  }
    query: {  }
    body: Schemas['PasswordChange']
    data: { sessions_ended: boolean }
  }
  'PATCH /v1/session/name': {
    params: {  }
    query: {  }
    body: Schemas['NameChange']
    data: { name: string }
  }
  'PATCH /v1/session/language': {
    params: {  }
    query: {  }
    body: Schemas['LanguageChange']
    data: { language: "sw" | "en" }
  }
  'POST /v1/session/email': {
    params: {  }
    query: {  }
    body: Schemas['EmailChange']
    data: { email: string; has_mail_server: boolean }
  }
  'GET /v1/sessions': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<Schemas['Session']> }
  }
  'DELETE /v1/sessions/{session_id}': {
    params: { session_id: string }
    query: {  }
    body: undefined
    data: Schemas['Session']
  }
  'GET /v1/passkeys': {
    params: {  }
    query: {  }
    body: undefined
    data: { items: Array<Schemas['Passkey']>; can_add: boolean }
  }
  'DELETE /v1/passkeys/{passkey_id}': {
    params: { passkey_id: string }
    query: {  }
    body: undefined
    data: Schemas['Passkey']
  }
  'POST /v1/session/passkey': {
    params: {  }
    query: {  }
    body: undefined
    data: { challenge: string; rpId?: string; timeout?: number; userVerification?: "required"; allowCredentials?: Array<{ id: string; type: string; transports?: Array<string> }> }
  }
  'GET /v1/merchant/overview': {
    params: {  }
    query: { environment?: Schemas['Environment']; merchant_id?: string; period?: Schemas['OverviewPeriod'] }
    body: undefined
    data: Schemas['Overview']
  }
  'GET /v1/merchant/attention': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: { items: Array<{ kind: "webhooks_failing" | "webhooks_retrying" | "webhooks_waiting" | "withdrawals_info_requested" | "withdrawals_in_doubt" | "payments_held" | "success_rate_low" | "balance_low" | "keys_expiring"; environment: "live" | "sandbox"; count: number; status: string | null; since: string | null; amount: string | null; limit: string | null; rate: string | null; rate_before: string | null; webhook: { environment: Schemas['Environment']; endpoint_id: string; failed: number; given_up: number; oldest_at: string; last_failed_at: string; last_status_code: number | null; last_error: string | null; next_attempt_at: string | null; webhook_url: string | null; changed: boolean } | null }> }
  }
  'GET /v1/me/attention': {
    params: {  }
    query: { environment?: "live" | "sandbox" }
    body: undefined
    data: { merchants: Array<{ merchant_id: string; kinds: Array<"webhooks_failing" | "webhooks_retrying" | "webhooks_waiting" | "withdrawals_info_requested" | "withdrawals_in_doubt" | "payments_held" | "success_rate_low" | "balance_low" | "keys_expiring"> }> }
  }
  'GET /v1/me/recent-merchant': {
    params: {  }
    query: {  }
    body: undefined
    data: { merchant_id: string | null; environment: "live" | "sandbox" | null }
  }
  'GET /v1/merchant/checklist': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Checklist']
  }
  'GET /v1/collections/{collection_id}/timeline': {
    params: { collection_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Timeline']
  }
  'GET /v1/merchant/withdrawals/{withdrawal_id}/timeline': {
    params: { withdrawal_id: string }
    query: { environment?: "live" | "sandbox"; merchant_id?: string }
    body: undefined
    data: Schemas['Timeline']
  }
  'GET /v1/operator/collections/{collection_id}': {
    params: { collection_id: string }
    query: {  }
    body: undefined
    data: Schemas['OperatorPayment']
  }
  'GET /v1/search': {
    params: {  }
    query: { environment?: "live" | "sandbox"; merchant_id?: string; q: string }
    body: undefined
    data: { groups: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; items: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; id: string; title: string; currency: string | null; name: string | null; phone: string | null; reference: string | null; description: string | null; status: string | null; environment: "live" | "sandbox" | null; merchant_id: string | null; merchant_name: string | null; created_at: string; target: string }>; more: boolean }> }
  }
  'GET /v1/operator/search': {
    params: {  }
    query: { q: string; merchant_id?: string; environment?: "live" | "sandbox" }
    body: undefined
    data: { groups: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; items: Array<{ kind: "payment" | "withdrawal" | "payment_link" | "invoice" | "transaction" | "delivery" | "merchant" | "person" | "statement_line"; id: string; title: string; currency: string | null; name: string | null; phone: string | null; reference: string | null; description: string | null; status: string | null; environment: "live" | "sandbox" | null; merchant_id: string | null; merchant_name: string | null; created_at: string; target: string }>; more: boolean }> }
  }
}
