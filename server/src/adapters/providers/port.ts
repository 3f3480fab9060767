// The port: what the platform asks of a payment provider, and everything a provider can answer.

/** How a payer pays. */
export const METHODS = ['wallet_push', 'provider_pesa', 'qr'] as const
/** One way of paying. */
export type Method = (typeof METHODS)[number]

/** What a sandbox key can ask the simulated provider to do. */
export const SIMULATE_STATUSES = ['successful', 'failed', 'pending_clearance', 'reversed'] as const
/** One outcome to play. */
export type SimulateStatus = (typeof SIMULATE_STATUSES)[number]

/** Why a payment failed: the closed set that merchants switch on. */
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
/** One reason; its sentence may be shown to a payer. */
export type FailureReason = keyof typeof FAILURE_REASONS

/** One payment as the provider is asked for it. Amounts in cents; phone canonical or null. */
export type PaymentRequest = {
  /** Our reference: stored before the first byte is sent, never replaced. The provider must treat it as unique. */
  reference: string
  method: Method
  phone: string | null
  amount_minor: bigint
  currency: string
  /** Sandbox only; null elsewhere. */
  simulate_status: SimulateStatus | null
  /** When the provider took the request; null when that is not known. */
  sent_at: Date | null
  /** When the platform gives up, and the payment has failed. A provider that can, lets nobody pay after it. */
  deadline_at?: Date
  /** True: the payer waits on a page. A provider that only rehearses then answers a prompt at once, and a code after seconds. */
  on_page?: boolean
}

/**
 * What the provider says about one payment. Timeouts, 5xx, unreadable and unseen answers are `unknown`: they neither
 * fail nor pay anything; `busy` is one: all of our own connections were taken, so that nobody was asked. `provider_status` is
 * the provider's own word. `ask_again_ms` is set when the provider itself announces that the answer will change. `answered`
 * says of `provider_unavailable` that the provider said so, about this payment: what lies behind it is down, not itself.
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
 * Why nothing is known. `ambiguous`: the provider answered that it does not know itself. `not_asked` is no adapter's word:
 * the question was held back, because the provider did not answer others or is not configured, or no connection was free.
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
 * The answer to a push. `not_sent`: for certain nobody was asked to pay, and nothing of the payment is at the provider: the
 * same push can be made again. `busy`: because none of our own connections was free. What cannot be made again under its
 * reference, and what the payer should hear of at once, is `declined` instead.
 */
export type PushAnswer =
  | Answer
  | { kind: 'not_sent'; busy?: true; provider_status: null; provider_id?: null; ask_again_ms?: number }

/** The answer to a QR request: the texts exactly as the provider made them, or why there are none. */
export type QrAnswer = Answer & { payment_token?: string; qr_payload?: string }

/** Ways of sending money out. */
export const PAYOUT_METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** One way of sending money out. */
export type PayoutMethod = (typeof PAYOUT_METHODS)[number]

/** One payout as the provider is asked for it. Amount in cents. */
export type PayoutRequest = {
  /** Our reference: stored before the first byte is sent, never replaced. One reference is one payout, however often it is sent. */
  reference: string
  environment: 'live' | 'sandbox'
  method: PayoutMethod
  /** Network or bank by its neutral code (lib/destinations.ts): each adapter knows its own name of it. */
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
 * What the provider says about one payout. Whatever leaves a doubt is `unknown`: such a payout is only asked about, and
 * never sent again. `not_sent`: no byte of the request reached the provider; `busy` when it was only that none of our own
 * connections was free. `not_found`: the provider has no such payout and will never execute it; an adapter whose provider
 * cannot say that answers `unknown`. `blocked`: it executed nothing, because of something that an operator has to mend, or it
 * can never take this request as it is. `reversed` says whether the provider gave its own charge back too. `told` is for
 * operators alone: why, in the provider's words and without secrets.
 */
export type PayoutAnswer = {
  provider_status: string | null
  provider_id?: string | null
  ask_again_ms?: number
  told?: string | null
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

/** What an operator has to mend before a payout can be made. */
export const BLOCK_CAUSES = {
  address: "The provider refused the platform's address.",
  access: "The provider refused the platform's credentials, or its use of this way of paying out.",
  float: 'The account that payouts are paid from has too little money.',
} as const
/** One cause; its sentence may be shown to the merchant. */
export type BlockCause = keyof typeof BLOCK_CAUSES

/** Why a payout failed. */
export const PAYOUT_FAILURES = {
  provider_declined: 'The receiving network or bank declined the payout.',
  unknown_recipient: 'The receiving account does not exist or cannot receive this payout.',
  limit_exceeded: 'The payout is outside the limits of the receiving account.',
  unknown_provider_error: 'The payout did not succeed.',
  operator_resolved: 'An operator checked the payout: it was not paid.',
} as const
/** One reason; its sentence may be shown to the merchant. */
export type PayoutFailure = keyof typeof PAYOUT_FAILURES

/** What may be left out of a destination, unless a provider needs it. */
export type RecipientField = 'destination_name'

/** A callback after its signature was checked: whom it is about. Never what happened: that is asked. */
export type CallbackVerdict = { verified: true; reference: string } | { verified: false }

/** Every call to a provider has its answer within this: an adapter gives up by itself. Leases are reckoned from it. */
export const CALL_MS_MAX = 5_000

/**
 * A payment provider. Every function answers, within CALL_MS_MAX; none throws because of what the provider did. Its texts
 * may hold anything: `providers/answer.ts` reads every answer before it is used.
 */
export type Provider = {
  /** The name stored on each attempt and used in the callback path: /callbacks/<name>. */
  name: string
  capabilities: {
    methods: readonly Method[]
    /** True when the provider moves whole shillings only. */
    whole_shillings: boolean
    /** Ways in which it pays out; empty when it takes money in only. */
    payout_methods: readonly PayoutMethod[]
    /** Networks and banks that it reaches, by their neutral codes. Left out: all of them. */
    destinations?: readonly string[]
    /**
     * Payments, and payouts, that one process works on at once: as many as it has connections for each, so that whatever is in
     * hand has one. More wait in the database, where any process finds them. Left out: a thousand.
     */
    places?: { payments: number; payouts: number }
    /** What a payout must name beside its destination, by method. Left out: nothing. */
    needs?: Partial<Record<PayoutMethod, readonly RecipientField[]>>
    /** Networks whose payers it prompts, by their neutral codes. Left out: all. Numbers move between networks: it only warns. */
    prompts?: readonly string[]
    /** True: the answer to a push waits for the payer, so that one which did not come in time says nothing about the provider. */
    slow_pushes?: true
    /**
     * Set when asking about one payment or payout is a request of its own: so many it makes at once about payments, and as
     * many about payouts. Each question is then a call of `status` or `payoutStatus`, and one that hangs holds up no other.
     */
    asks_singly?: number
    /** False: it is in this process and cannot be down; what it plays must not stop its other callers. */
    circuit_breaker?: false
    /** True: it moves no money. A payment on a page has its outcome within the payer's request, if asking finds one. */
    rehearses?: true
  }
  /** Sends the payment prompt (wallet_push, provider_pesa). Repeating a reference never makes a second prompt. */
  push(request: PaymentRequest): Promise<PushAnswer>
  /** Asks for a QR code. Repeating a reference answers with the same code. */
  qr(request: PaymentRequest): Promise<QrAnswer>
  /**
   * Asks for the outcomes of payments, answered in the order of the requests. This is the truth about a payment. Of one whose
   * deadline is over, an adapter first takes back what is still open, where its provider lets it.
   */
  status(requests: readonly PaymentRequest[]): Promise<Answer[]>
  /**
   * Asks for a payout. Only ever called by whoever took the payout's token. A reference that the provider knows already is
   * never `declined`: the answer is `accepted` or `unknown`, or a payout that was made would count as failed.
   */
  payout(request: PayoutRequest): Promise<PayoutAnswer>
  /** Asks for the outcomes of payouts, answered in the order of the requests. This is the truth about a payout. */
  payoutStatus(requests: readonly PayoutRequest[]): Promise<PayoutAnswer[]>
  /** Checks a callback on its raw bytes. The headers name the address that it came to as CALLBACK_PATH. */
  verifyCallback(headers: Record<string, string | undefined>, body: Buffer): CallbackVerdict
  /** What the provider wants to hear once its callback was taken, where that is more than a 200. Null: it does not matter. */
  callbackReply?(body: Buffer): Record<string, string> | null
}

/**
 * The name among a callback's headers under which the address is handed over that it came to, as HTTP/2 does. No HTTP/1 client
 * can send a header of this name.
 */
export const CALLBACK_PATH = ':path'

/** Takes a callback as it came; how the in-process mock provider reaches us. */
export type CallbackSink = (provider: string, headers: Record<string, string>, body: Buffer) => Promise<void>
