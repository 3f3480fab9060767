// Defines the port of payment providers: the requests of the platform and all answers of a provider.

/** The payment methods that a provider can support. */
export const METHODS = ['wallet_push', 'provider_pesa', 'qr'] as const
/** The method of one payment. The merchant's request, or the payer on a page, chooses the method. */
export type Method = (typeof METHODS)[number]

/** The outcomes that a sandbox request can choose. */
export const SIMULATE_STATUSES = ['successful', 'failed', 'pending_clearance', 'reversed'] as const
/** One of the outcomes that a sandbox request can choose. */
export type SimulateStatus = (typeof SIMULATE_STATUSES)[number]

/**
 * The reasons of failed payments, each with its sentence. The list is closed, because the programs of merchants depend on
 * the reason.
 */
export const FAILURE_REASONS = {
  user_cancelled: 'The customer cancelled the payment.',
  provider_declined: 'The mobile network declined the payment.',
  reversed: 'The provider returned the payment to the customer.',
  expired: 'The customer did not confirm in time.',
  provider_unavailable: 'The payment provider is unavailable. Try again later.',
  unknown_provider_error: 'The payment did not succeed. Check with the customer before trying again.',
  insufficient_balance: 'The customer does not have enough balance.',
  wrong_pin: 'The customer entered a wrong PIN or the network could not authorize the customer.',
  review_declined: 'The platform held the payment for a review and declined the payment.',
  timeout: "No answer came in time. If money left the customer's account, do not ask for it again.",
} as const
/** The reason of a failed payment. Payers may see its sentence. */
export type FailureReason = keyof typeof FAILURE_REASONS
/** Every reason of a failed payment. */
export const FAILURE_CODES = Object.keys(FAILURE_REASONS) as FailureReason[]

/** The sentences of FAILURE_REASONS in Swahili. */
export const FAILURE_REASONS_SW: Record<FailureReason, string> = {
  user_cancelled: 'Mteja ameghairi malipo.',
  provider_declined: 'Mtandao wa simu umekataa malipo.',
  reversed: 'Malipo yamerudishwa kwa mteja.',
  expired: 'Mteja hakuthibitisha kwa wakati.',
  provider_unavailable: 'Mtoa huduma wa malipo hapatikani. Jaribu tena baadaye.',
  unknown_provider_error: 'Malipo hayakufanikiwa. Wasiliana na mteja kabla ya kujaribu tena.',
  insufficient_balance: 'Salio la mteja halitoshi.',
  wrong_pin: 'Mteja ameingiza PIN isiyo sahihi au hakuweza kuidhinishwa.',
  review_declined: 'Malipo yalizuiwa kwa ukaguzi na yamekataliwa.',
  timeout: 'Hakuna jibu lililofika kwa wakati. Ikiwa pesa zimekatwa kwenye akaunti ya mteja, usiombe malipo tena.',
}

/**
 * A payment request to the provider. Amounts are in cents. `phone` is canonical, and null means that the payer is not known.
 */
export type PaymentRequest = {
  /**
   * The platform's reference. The platform stores the reference before the client sends the first byte, and never replaces
   * the reference. The provider must treat the reference as unique.
   */
  reference: string
  method: Method
  phone: string | null
  amount_minor: bigint
  currency: string
  /** The outcome to simulate in the sandbox. Null means that the request chooses no outcome, as in live requests. */
  simulate_status: SimulateStatus | null
  /**
   * The time at which the platform recorded that the provider accepted the request. Null means that the platform has no such
   * record.
   */
  sent_at: Date | null
  /**
   * If the payment is still open at this time, the platform fails the payment. If possible, the provider refuses the payer's
   * money after this time.
   */
  deadline_at?: Date
  /**
   * If true, the payer waits on a page. A simulating provider then decides a prompt or a chosen outcome immediately, and any
   * other code later.
   */
  on_page?: boolean
}

/**
 * The provider's answer about one payment. Null in `provider_status` means that the provider gave no status. Timeouts, 5xx and
 * unreadable answers are `unknown`, which decides nothing. `ask_again_ms` is the pause before the next query. `answered` with
 * `provider_unavailable` means that only the payer's network is down.
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
 * The reason of an unknown answer. `ambiguous`: the provider cannot determine the outcome. `busy`: no connection of this
 * process was free. `not_asked`: the platform sent no query (circuit open, provider not configured or no connection free).
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
 * The answer to a push. `not_sent`: the payer got no prompt and the provider stored no payment, so the platform may repeat the
 * push. If the platform cannot repeat the push, or the payer should read the failure immediately, the adapter answers
 * `declined`.
 */
export type PushAnswer =
  | Answer
  | { kind: 'not_sent'; busy?: true; provider_status: null; provider_id?: null; ask_again_ms?: number }

/** The answer to a QR request: the texts exactly as the provider made them, or the reason why there are no texts. */
export type QrAnswer = Answer & { payment_token?: string; qr_payload?: string }

/** The payout methods that a provider can support. */
export const PAYOUT_METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** The kind of account that receives a payout: a mobile wallet, a bank account, or an account at the provider. */
export type PayoutMethod = (typeof PAYOUT_METHODS)[number]

/** A payout request to the provider. The amount is in cents. */
export type PayoutRequest = {
  /**
   * The platform's reference. The platform stores the reference before the client sends the first byte, and never replaces
   * the reference. The provider pays a reference once, however often the platform sends the reference.
   */
  reference: string
  environment: 'live' | 'sandbox'
  method: PayoutMethod
  /**
   * The neutral code of the network or bank (lib/destinations.ts). Each adapter maps this code to the code of its provider.
   */
  destination_code: string
  /** The canonical phone number 255XXXXXXXXX, or a bank account number. */
  destination_identifier: string
  destination_name: string | null
  bank_name: string | null
  amount_minor: bigint
  currency: string
  /**
   * The time at which the platform recorded that the provider accepted the request. Null means that the platform has no such
   * record.
   */
  sent_at: Date | null
}

/**
 * The provider's answer about one payout. After `unknown`, the platform only queries. `not_sent`: the provider got no byte.
 * `not_found`: the provider will never execute the payout. `blocked`: the provider executes nothing until an operator acts.
 * Only operators see `provider_message`.
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

/** The problems that an operator must fix before the provider can execute a payout. */
export const BLOCK_CAUSES = {
  address: "The provider refused the platform's address.",
  access: "The provider refused the platform's credentials or the payout method.",
  float: 'The account from which the provider pays payouts has too little money.',
} as const
/** The cause of a blocked payout. Operators read its sentence. */
export type BlockCause = keyof typeof BLOCK_CAUSES

/** The reasons of failed payouts, each with its sentence. */
export const PAYOUT_FAILURES = {
  provider_declined: 'The receiving network or bank declined the payout.',
  unknown_recipient: 'The receiving account does not exist or cannot receive this payout.',
  limit_exceeded: 'The payout is outside the limits of the receiving account.',
  unknown_provider_error: 'The payout did not succeed.',
  operator_resolved: 'An operator checked the payout: the provider did not pay the payout.',
} as const
/** The reason of a failed payout. Merchants may see its sentence. */
export type PayoutFailure = keyof typeof PAYOUT_FAILURES
/** Every reason of a failed payout. */
export const PAYOUT_FAILURE_CODES = Object.keys(PAYOUT_FAILURES) as PayoutFailure[]

/** The sentences of PAYOUT_FAILURES in Swahili. */
export const PAYOUT_FAILURES_SW: Record<PayoutFailure, string> = {
  provider_declined: 'Mtandao au benki ya mpokeaji imekataa malipo haya.',
  unknown_recipient: 'Akaunti ya mpokeaji haipo au haiwezi kupokea malipo haya.',
  limit_exceeded: 'Kiasi kimepita kikomo cha akaunti ya mpokeaji.',
  unknown_provider_error: 'Malipo hayakufanikiwa.',
  operator_resolved: 'Mwendeshaji amehakikisha: malipo hayakufanyika.',
}

/** The optional fields of a destination that a provider may require. */
export type RecipientField = 'destination_name'

/**
 * The result of the check of a callback: the reference of its payment or payout, never the outcome. The platform then queries
 * the outcome.
 */
export type CallbackVerdict = { verified: true; reference: string } | { verified: false }

/**
 * The longest duration of a call to a provider. Each adapter ends its calls within this duration. The lengths of leases derive
 * from this duration.
 */
export const CALL_MS_MAX = 5_000

/**
 * A payment provider. Every function answers within CALL_MS_MAX and never throws because of the provider. Answers may
 * contain any texts, so `providers/answer.ts` cleans each answer before the platform uses it.
 */
export type Provider = {
  /**
   * The name of the provider. The platform stores the name on each attempt and uses the name in the callback path
   * /callbacks/<name>.
   */
  name: string
  capabilities: {
    methods: readonly Method[]
    /** If true, the provider moves whole shillings only. */
    whole_shillings: boolean
    /** The methods of payouts. An empty list means that the provider only takes payments. */
    payout_methods: readonly PayoutMethod[]
    /** The neutral codes of the networks and banks that the provider reaches. Undefined means all codes. */
    destinations?: readonly string[]
    /**
     * The number of payments, and of payouts, that one process sends at the same time: each kind has its own connections.
     * Further rows wait in the database, where any process can claim them. Undefined means a thousand.
     */
    concurrency_limits?: { payments: number; payouts: number }
    /** The fields that a payout requires besides its destination, by method. Undefined means no such field. */
    needs?: Partial<Record<PayoutMethod, readonly RecipientField[]>>
    /**
     * The networks whose payers the provider prompts. Undefined means all networks. Only a warning uses this list, because
     * numbers can change networks.
     */
    prompts?: readonly string[]
    /** If true, the provider answers a push after the payer decided, so a timeout of a push is no fault of the provider. */
    slow_pushes?: true
    /**
     * The number of concurrent queries about payments, and about payouts, of a provider that takes one query per request. Each
     * query is then a separate call of `status` or `payoutStatus`, so that a hanging query delays no other query.
     */
    asks_singly?: number
    /**
     * False means that the provider runs in this process and cannot be down, so a simulated fault must not stop other payments.
     */
    circuit_breaker?: false
    /**
     * If true, the provider moves no money. If a payer waits on a page, the server then queries the outcome within the
     * payer's request.
     */
    rehearses?: true
  }
  /** Sends the payment prompt (wallet_push, provider_pesa). A repeated reference never causes a second prompt. */
  push(request: PaymentRequest): Promise<PushAnswer>
  /** Requests a QR code. For a repeated reference, returns the same code. */
  qr(request: PaymentRequest): Promise<QrAnswer>
  /**
   * Queries the outcomes of payments, in the order of the requests. If the deadline of a payment has passed and the provider
   * can cancel orders, the adapter first cancels the open order.
   */
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
  /**
   * Sends a payout. A process calls this function after it took the payout's send token, or after a query answered `not_found`.
   * If the provider already has the reference, the answer is never `declined`, because the provider may have paid.
   */
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  /** Queries the outcomes of payouts, in the order of the requests. */
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  /** Verifies a callback on its raw bytes. The header CALLBACK_PATH has the path of the callback's request. */
  verifyCallback(headers: Record<string, string | undefined>, body: Buffer): CallbackVerdict
  /**
   * Returns the body that the provider expects as the answer to its callback. Null means that the provider accepts any body.
   */
  callbackReply?(body: Buffer): Record<string, string> | null
}

/**
 * The name of the header by which the server passes the path of a callback's request. The name begins with a colon, so no
 * HTTP/1 client can send such a header.
 */
export const CALLBACK_PATH = ':path'

/** Takes a raw callback of a mock provider in this process. */
export type CallbackSink = (provider: string, headers: Record<string, string>, body: Buffer) => Promise<void>
