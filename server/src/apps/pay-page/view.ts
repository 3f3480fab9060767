// Defines the facts that each screen of the pay page shows. No fact is a database row, and every stored phone number of a payer
// is masked.

import type { MerchantLook } from '../../access/merchants/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import type { Html, Language, PhoneProblem } from '../../kernel/lib/index.ts'

/** The facts that every screen shows, even without a merchant. */
export type Frame = {
  language: Language
  /** The path and query of this page. If the address is longer than 512 characters, `url` is `/pay`. */
  url: string
  /** The name of this installation. */
  brand_name: string
}

/**
 * The outcome of a magic number. A mock installation shows each outcome as a button. `phone` is a complete number with this
 * ending.
 */
export type MagicOutcome = { ending: string; phone: string; what: string }

/** The payer's instructions for one network, in the language of the page. */
export type NetworkInstructions = { code: string; name: string; menu_code: string | null; help: string }

/** The facts of the screens of a link, its payments and its invoice. */
export type MerchantFrame = Frame & {
  merchant_name: string
  look: MerchantLook
  /** The name in the prompt on the payer's phone: the setting of the installation, or else the name of the merchant. */
  prompt_name: string
  /** The name of the wallet that has a separate app. */
  wallet_name: string
  amount_minor: bigint
  currency: string
  description: string | null
  reference: string | null
  /** The page of the invoice for which this link collects the money. Undefined means that the link has no invoice. */
  invoice_path?: string
  /**
   * The environment of the link, and the outcomes that a test page offers as buttons. In the live environment, the installation only
   * simulates payments. Null means that the payment moves real money.
   */
  test: null | { environment: Environment; outcomes: readonly MagicOutcome[] }
  /** The path `/pay/SLUG` of the page that offers the ways to pay and receives the payment form. */
  pay_path: string
  help_path: string
  help: readonly NetworkInstructions[]
}

/** The ways to pay: a prompt on the phone, the wallet application, or a QR code. */
export type PayMethod = 'WALLET_PUSH' | 'PROVIDER_PESA' | 'TANQR'

/** A problem of one field that the form shows beside the field. */
export type FormProblem = { field: 'phone' | 'method'; problem: 'phone_missing' | PhoneProblem | 'method_missing' }

/** The address that a page polls for its state. If the state changes, the page opens `check_path`. */
export type PollPaths = { poll_path: string; check_path: string }

/**
 * An attempt of this page that can still take money, so the payer must not pay again. `code` means a QR code, `prompt` means a
 * prompt. The page polls until `state` changes.
 */
export type UnansweredNotice = PollPaths & { kind: 'prompt' | 'code'; state: string }

/** The facts of a payment that any reader with the link may see. */
export type PaymentFacts = {
  paid_at: Date
  method: 'wallet_push' | 'provider_pesa' | 'qr'
  /**
   * The payer's phone number, masked by `maskPhone`. Null means that the server has no phone number, as after a QR payment.
   */
  phone_masked: string | null
  provider_reference: string | null
}

/** The screen on which the payer chooses how to pay. */
export type ChooseScreen = MerchantFrame & {
  screen: 'choose'
  methods: readonly PayMethod[]
  /**
   * The phone number that the merchant sent, masked by `maskPhone`. If the payer enters no phone number, the server uses this
   * number. Null means that the merchant sent none.
   */
  saved_phone_masked: string | null
  /**
   * The idempotency key of the form. Each view has a new key. A restored page may send an old key with another number, so the
   * server combines key, method and number.
   */
  idempotency_key: string
  expires_at: Date | null
  /**
   * The merchant's address for a payer who cancels, checked by `returnUrl`. Null means that the merchant gave no valid address.
   */
  cancel_url: string | null
  problems: readonly FormProblem[]
  /** The payer's earlier input. On a new form, `phone` is empty and `method` is null. */
  typed: { phone: string; method: PayMethod | null }
  /** An unanswered attempt. Null means that the page has no unanswered attempt. */
  unanswered: UnansweredNotice | null
}

/** The screen of an open prompt. */
export type WaitingScreen = MerchantFrame &
  PollPaths & {
    screen: 'waiting_push' | 'waiting_wallet'
    collection_id: string
    phone_masked: string
    /** The time at which the prompt expires. A page without the script has no countdown, so the page shows this time. */
    ends_at: Date
    /**
     * The seconds until the prompt expires, and the lifetime of the prompt in seconds. The countdown uses no time of day,
     * because clocks of phones are often wrong.
     */
    remaining_s: number
    total_s: number
  }

/** The screen on which the payer scans or saves a QR code. */
export type QrScreen = MerchantFrame &
  PollPaths & {
    screen: 'qr'
    collection_id: string
    /** The QR code as an SVG, which `qrSvg` makes. */
    svg: Html
    /** The QR code as a PNG, because banking apps read pictures, and a phone cannot scan its own screen. */
    picture_path: string
    payment_token: string
    /** The phone number of the attempt. Null means that the payer gave none. In a test, the number chooses the outcome. */
    phone_masked: string | null
    other_way_path: string
  }

/** The screen of an open prompt after its countdown, or of an open QR code of a link that accepts no more payments. */
export type SlowScreen = MerchantFrame &
  PollPaths & {
    screen: 'slow'
    collection_id: string
    /** The way to pay whose answer is missing: a prompt on a phone, or a QR code. */
    kind: UnansweredNotice['kind']
    phone_masked: string | null
    /** The page that offers the ways to pay. Null means that the link accepts no more payments. */
    other_way_path: string | null
    /** The form that sends the prompt to the same phone number again. Null means that the payer may not repeat the prompt. */
    again: null | { idempotency_key: string }
  }

/** The screen of a successful payment, with the link back if the merchant gave a valid address. */
export type SuccessScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'success'
    receipt_path: string
    /**
     * The merchant's address, checked by `returnUrl`. If `auto` is true, the payment has just succeeded, and the page opens the
     * address without an action of the payer. Null means that the merchant gave no valid address.
     */
    redirect: null | { url: string; auto: boolean }
  }

/** The screen of a failed payment, with the reason and the next step. */
export type FailedScreen = MerchantFrame & {
  screen: 'failed'
  /** The failure code of the API. If the page has no text for the code, the page gives a general explanation. */
  reason_code: string
  /** The way to pay that failed: a prompt on a phone, or a QR code. */
  kind: UnansweredNotice['kind']
  /** True if the simulator of a test chose the reason, and not the payer, an operator or the time limit. */
  simulator_chose: boolean
  /** The reference for the merchant's support: the reference of the link, or else the id of the collection. */
  support_reference: string
  /**
   * The merchant's address for a payer who gives up, checked by `returnUrl`. Null means that the merchant gave no valid
   * address.
   */
  back_url: string | null
  /** The page that offers the ways to pay. Null means that the link accepts no more payments. */
  retry_path: string | null
  /** The form that repeats the payment with the same phone number. Null means that the payer may not repeat the payment. */
  again: null | { idempotency_key: string; collection_id: string; phone_masked: string }
  check_path: string
  /**
   * The address that the page polls for a late answer. Null means that the page polls only for an unanswered attempt.
   */
  poll_path: string | null
  /** Another unanswered attempt. Null means that the page has no such attempt. */
  unanswered: UnansweredNotice | null
}

/** The screen of a payment that an operator must review. */
export type ReviewScreen = MerchantFrame & PollPaths & { screen: 'review'; collection_id: string }

/** The screen of a payment whose money the provider returned to the payer. */
export type ReversedScreen = MerchantFrame & PaymentFacts & { screen: 'reversed'; receipt_path: string }

/** The screen of a paid link, which any reader with the link may see. */
export type PaidScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'paid'
    receipt_path: string
    /** The merchant's address, checked by `returnUrl`. Null means that the merchant gave no valid address. */
    redirect: null | { url: string }
  }

/**
 * The screen of a link with a payment in progress. `kind` is `out` while the prompt on the phone `phone_masked` is open until
 * `ends_at`, or else the kind of the unanswered attempt.
 */
export type InProgressScreen = MerchantFrame &
  PollPaths & { screen: 'in_progress' } & (
    | { kind: 'out'; phone_masked: string; ends_at: Date }
    | { kind: UnansweredNotice['kind'] }
  )

/** The screen of an expired or cancelled link, or of a merchant that takes no payments. */
export type EndedScreen = MerchantFrame & {
  screen: 'expired' | 'cancelled' | 'no_payments'
  expired_at: Date | null
  /** An unanswered attempt. Null means that the page has no unanswered attempt. */
  unanswered: UnansweredNotice | null
}

/** The receipt of a successful payment, or of a payment that the provider returned. */
export type ReceiptScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'receipt'
    status: 'successful' | 'reversed'
    collection_id: string
    /** The complete address of this page, for sharing. */
    share_url: string
    pdf_path: string | null
  }

/** One line of an invoice. Amounts are in cents. */
export type InvoiceScreenItem = {
  description: string
  quantity: string
  unit_price_minor: bigint
  amount_minor: bigint
}

/** The screen of an invoice. `amount_minor` is the total of the invoice. */
export type InvoiceScreen = MerchantFrame & {
  screen: 'invoice'
  number: string
  status: 'SENT' | 'OVERDUE' | 'PAID' | 'CANCELLED'
  /** True if a payer paid the invoice and the provider returned the payment. */
  returned: boolean
  customer_name: string
  items: readonly InvoiceScreenItem[]
  /** The dates on the invoice, as YYYY-MM-DD. */
  issued_on: string
  due_on: string
  note: string | null
  /** The page that accepts the payment. Null means that the invoice currently accepts no payment. */
  pay_link: string | null
  pdf_path: string
  receipt_path: string | null
}

/** The screen with the instructions of each network. */
export type HelpScreen = MerchantFrame & { screen: 'help' }

/**
 * The screen of a rate limit, such as too many attempts on a page, or too many requests from one IP address. Many phones can
 * share one IP address.
 */
export type TooManyScreen = (MerchantFrame | Frame) & { screen: 'too_many'; again_at: Date; open_path: string }

/** The screen of a refused request: a rate limit, an unavailable provider, or an outdated form. */
export type RefusedScreen =
  | TooManyScreen
  // `other_way` is true if the page offers another way to pay.
  | (MerchantFrame & { screen: 'provider_unavailable'; other_way: boolean })
  | (Frame & { screen: 'form_expired'; open_path: string })

/** The screen of an unknown address, or of an error of the server. */
export type LostScreen = Frame & { screen: 'unknown' | 'server_error' }

/** A screen of the pay page. The field `screen` names its kind. */
export type Screen =
  | ChooseScreen
  | WaitingScreen
  | QrScreen
  | SlowScreen
  | SuccessScreen
  | FailedScreen
  | ReviewScreen
  | ReversedScreen
  | PaidScreen
  | InProgressScreen
  | EndedScreen
  | ReceiptScreen
  | InvoiceScreen
  | HelpScreen
  | RefusedScreen
  | LostScreen
