// The port of payment providers: the requests of the platform and all answers of a provider.

/** The methods of payments. */
export const METHODS = ['wallet_push', 'provider_pesa', 'qr'] as const
/** A method of payments. */
export type Method = (typeof METHODS)[number]

/** The outcomes that a sandbox key can request of the simulated provider. */
export const SIMULATE_STATUSES = ['successful', 'failed', 'pending_clearance', 'reversed'] as const
/** An outcome to simulate. */
export type SimulateStatus = (typeof SIMULATE_STATUSES)[number]

/** Why a payment failed. The set is closed, because merchants branch on it. */
export const FAILURE_REASONS = {
  user_cancelled: 'The customer cancelled the payment.',
  provider_declined: 'The mobile network declined the payment.',
  reversed: 'The payment was returned to the customer.',
  expired: 'The customer did not confirm in time.',
  provider_unavailable: 'The payment provider is unavailable. Try again later.',
  unknown_provider_error: 'The payment did not succeed. Check with the customer before trying again.',
  insufficient_balance: 'The customer does not have enough balance.',
  wrong_pin: 'The customer entered a wrong PIN or could not be authorized.',
  review_declined: 'The payment was held for a review and declined.',
  timeout: "No answer came in time. If money left the customer's account, do not ask for it again.",
} as const
/** A reason. Its sentence may be shown to a payer. */
export type FailureReason = keyof typeof FAILURE_REASONS

/** A payment request to the provider. Amounts in cents; `phone` is canonical or null. */
export type PaymentRequest = {
  /** The platform's reference: stored before the first byte is sent, never replaced. The provider must treat it as unique. */
  reference: string
  method: Method
  phone: string | null
  amount_minor: bigint
  currency: string
  /** Sandbox only; null elsewhere. */
  simulate_status: SimulateStatus | null
  /** When the provider took the request; null when that is not known. */
  sent_at: Date | null
  /** When the platform fails the payment. If the provider can, it refuses later payments. */
  deadline_at?: Date
  /** True: the payer waits on a page. A simulating provider then answers a prompt at once, and a code after seconds. */
  on_page?: boolean
}

/**
 * The provider's answer about one payment. Timeouts, 5xx, unreadable and unseen answers are `unknown`, which neither fails nor
 * pays a payment. `provider_status` is the provider's own status. `ask_again_ms` is set if the provider announces a change.
 * `answered` with `provider_unavailable`: the provider itself is up, but the network behind it is down.
 */
export type Answer = { provider_status: string | null; provider_id?: string | null; ask_again_ms?: number } & (
  | { kind: 'accepted' }
  | { kind: 'succeeded'; amount_minor: bigint; currency: string }
  | { kind: 'held'; amount_minor: bigint; currency: string }
  | { kind: 'reversed'; amount_minor: bigint; currency: string }
  | { kind: 'declined'; reason: FailureReason; answered?: true }
  | { kind: 'not_found' }
  | { kind: 'unknown'; why: UnknownWhy }
)

/**
 * Why an answer is unknown. `ambiguous`: the provider does not know either. `busy`: no connection of this process was free.
 * `not_asked`: the platform sent no query, because the circuit is open, the provider is not configured or no connection was free.
 */
export type UnknownWhy =
  | 'timeout'
  | 'unreachable'
  | 'unreadable'
  | 'unseen_status'
  | 'ambiguous'
  | 'refused_us'
  | 'busy'
  | 'not_asked'

/**
 * The answer to a push. `not_sent`: the payer got no prompt and the provider has no record of the payment, so the caller may
 * repeat the push. `busy`: no connection of this process was free. If the push cannot be repeated under its reference, or if
 * the payer should see the failure at once, the adapter answers `declined`.
 */
export type PushAnswer =
  | Answer
  | { kind: 'not_sent'; busy?: true; provider_status: null; provider_id?: null; ask_again_ms?: number }

/** The answer to a QR request: the texts exactly as the provider made them, or the reason why there are none. */
export type QrAnswer = Answer & { payment_token?: string; qr_payload?: string }

/** The methods of payouts. */
export const PAYOUT_METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** A method of payouts. */
export type PayoutMethod = (typeof PAYOUT_METHODS)[number]

/** A payout request to the provider. Amount in cents. */
export type PayoutRequest = {
  /** The platform's reference: stored before the first byte is sent, never replaced. One reference is one payout, also when it is sent again. */
  reference: string
  environment: 'live' | 'sandbox'
  method: PayoutMethod
  /** Network or bank by its neutral code (lib/destinations.ts). Each adapter maps it to the provider's code. */
  destination_code: string
  /** Canonical phone 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
  destination_name: string | null
  bank_name: string | null
  amount_minor: bigint
  currency: string
  /** When the provider took the request; null when that is not known. */
  sent_at: Date | null
}

/**
 * The provider's answer about one payout. Every doubt is `unknown`: the platform then only queries the payout and never
 * sends it again. `not_sent`: no byte reached the provider; with `busy`, because no connection was free. `not_found`: the
 * provider has no such payout and will never execute it. `blocked`: the provider executed nothing, and an operator must act.
 * `provider_message` is for operators only: the provider's words without secrets.
 */
export type PayoutAnswer = {
  provider_status: string | null
  provider_id?: string | null
  ask_again_ms?: number
  provider_message?: string | null
} & (
  | { kind: 'accepted' }
  | { kind: 'succeeded'; amount_minor: bigint; currency: string }
  | { kind: 'reversed'; amount_minor: bigint; currency: string; charge_returned: boolean }
  | { kind: 'declined'; reason: PayoutFailure }
  | { kind: 'blocked'; because?: BlockCause }
  | { kind: 'not_sent'; busy?: true }
  | { kind: 'not_found' }
  | { kind: 'unknown'; why: UnknownWhy }
)

/** The problems that an operator must fix before a payout can be sent. */
export const BLOCK_CAUSES = {
  address: "The provider refused the platform's address.",
  access: "The provider refused the platform's credentials, or its use of this way of paying out.",
  float: 'The account that payouts are paid from has too little money.',
} as const
/** A cause. Its sentence may be shown to the merchant. */
export type BlockCause = keyof typeof BLOCK_CAUSES

/** Why a payout failed. */
export const PAYOUT_FAILURES = {
  provider_declined: 'The receiving network or bank declined the payout.',
  unknown_recipient: 'The receiving account does not exist or cannot receive this payout.',
  limit_exceeded: 'The payout is outside the limits of the receiving account.',
  unknown_provider_error: 'The payout did not succeed.',
  operator_resolved: 'An operator checked the payout: it was not paid.',
} as const
/** A reason of a failed payout. Its sentence may be shown to the merchant. */
export type PayoutFailure = keyof typeof PAYOUT_FAILURES

/** The optional fields of a destination that a provider may require. */
export type RecipientField = 'destination_name'

/** The result of checking a callback: the reference of its payment, never the outcome. The platform queries the outcome. */
export type CallbackVerdict = { verified: true; reference: string } | { verified: false }

/** The longest call to a provider: an adapter ends by its own timeout. Leases are computed from it. */
export const CALL_MS_MAX = 5_000

/**
 * A payment provider. Every function answers within CALL_MS_MAX and throws for nothing that the provider does. Its texts
 * may contain anything: `providers/answer.ts` cleans every answer before the platform uses it.
 */
export type Provider = {
  /** The name stored on each attempt and used in the callback path: /callbacks/<name>. */
  name: string
  capabilities: {
    methods: readonly Method[]
    /** True if the provider moves whole shillings only. */
    whole_shillings: boolean
    /** The methods of payouts. Empty if the provider only collects. */
    payout_methods: readonly PayoutMethod[]
    /** The reachable networks and banks by their neutral codes. Undefined means all. */
    destinations?: readonly string[]
    /**
     * The payments and payouts that one process handles at once, equal to its connections for each. More wait in the
     * database, where any process can claim them. Undefined means a thousand.
     */
    concurrency_limits?: { payments: number; payouts: number }
    /** The fields that a payout requires beside its destination, by method. Undefined means none. */
    needs?: Partial<Record<PayoutMethod, readonly RecipientField[]>>
    /** The networks whose payers the provider prompts. Undefined means all. Used for a warning only, because numbers can change networks. */
    prompts?: readonly string[]
    /** True: the answer to a push waits for the payer, so a timeout of a push is no fault of the provider. */
    slow_pushes?: true
    /**
     * Set if the provider answers one query per request: the concurrent queries about payments, and as many about payouts.
     * Each query is then a call of `status` or `payoutStatus`, so that a hanging query delays no other.
     */
    asks_singly?: number
    /** False: the provider is in this process and cannot be down; a simulated fault must not stop other callers. */
    circuit_breaker?: false
    /** True: the provider moves no money. A payment on a page gets its outcome within the payer's request if a query finds one. */
    rehearses?: true
  }
  /** Sends the payment prompt (wallet_push, provider_pesa). Repeating a reference never makes a second prompt. */
  push(request: PaymentRequest): Promise<PushAnswer>
  /** Requests a QR code. Repeating a reference returns the same code. */
  qr(request: PaymentRequest): Promise<QrAnswer>
  /**
   * Queries the outcomes of payments, in the order of the requests. The answers are the truth about a payment. After the
   * deadline of a payment, the adapter first cancels an open order if its provider can.
   */
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
  /**
   * Sends a payout. A process calls it after it took the payout's token, or after the provider reported that it has no such
   * payout. A reference that the provider already has is never `declined` but `accepted` or `unknown`; else a paid payout
   * would count as failed.
   */
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  /** Queries the outcomes of payouts, in the order of the requests. The answers are the truth about a payout. */
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  /** Verifies a callback on its raw bytes. The header CALLBACK_PATH has the path of its request. */
  verifyCallback(headers: Record<string, string | undefined>, body: Buffer): CallbackVerdict
  /** The body that the provider expects as the answer to its callback. Null if any body will do. */
  callbackReply?(body: Buffer): Record<string, string> | null
}

/**
 * The header name that carries the path of a callback's request, as in HTTP/2. No HTTP/1 client can send a header of this
 * name.
 */
export const CALLBACK_PATH = ':path'

/** Takes a raw callback of the mock provider in this process. */
export type CallbackSink = (provider: string, headers: Record<string, string>, body: Buffer) => Promise<void>
