// Defines the facts that each screen of the pay page shows. No fact is a database row, and every phone has a mask.

import type { Html, Language } from '../../kernel/lib/index.ts'

/** The facts around every screen. */
export type Frame = {
  language: Language
  /** The path and query of this page, for the link to the other language. */
  url: string
  /** The name of this installation. */
  brand_name: string
}

/**
 * The outcome of a magic number, which is a button on a mock installation. `phone` is a complete number with this
 * ending.
 */
export type MagicOutcome = { ending: string; phone: string; what: string }

/** The instructions for the payers of one network, in the language of the page. */
export type NetworkInstructions = { code: string; name: string; menu_code: string | null; help: string }

/** The facts around every screen of one link or invoice. */
export type MerchantFrame = Frame & {
  merchant_name: string
  /** The name that the prompt on the phone shows. */
  prompt_name: string
  /** The name of the wallet that has its own app. */
  wallet_name: string
  amount_minor: bigint
  currency: string
  description: string | null
  reference: string | null
  /** The page of the invoice that this page collects. The field is undefined if the link belongs to no invoice. */
  invoice_path?: string
  /** The test panel. Null means that the money is real. */
  test: null | { outcomes: readonly MagicOutcome[] }
  /** The path `/pay/SLUG` of the page that offers the ways to pay and takes their forms. */
  pay_path: string
  help_path: string
  help: readonly NetworkInstructions[]
}

/** The ways to pay. */
export type PayMethod = 'WALLET_PUSH' | 'PROVIDER_PESA' | 'TANQR'

/** A problem of one field of the form. */
export type FormProblem = { field: 'phone' | 'method'; problem: 'phone_missing' | 'phone_wrong' | 'method_missing' }

/** The address that a page polls for the state of its payment, and the page to open when the state changes. */
export type PollPaths = { poll_path: string; check_path: string }

/**
 * An attempt on this page that may still take money, so that its payer must not pay again. `code` means a QR, and
 * `prompt` means a prompt. The page does not name the payer, and polls until `state` changes.
 */
export type UnansweredNotice = PollPaths & { kind: 'prompt' | 'code'; state: string }

/** The facts of a payment that any reader with the link may see. */
export type PaymentFacts = {
  paid_at: Date
  method: 'wallet_push' | 'provider_pesa' | 'qr'
  /** The phone that `maskPhone` masked. Null means that the phone of the payer is unknown, as with a QR. */
  phone_masked: string | null
  provider_reference: string | null
}

/** The screen on which the payer chooses how to pay. */
export type ChooseScreen = MerchantFrame & {
  screen: 'choose'
  methods: readonly PayMethod[]
  /** The phone from the merchant, which `maskPhone` masked. If the payer enters no phone, the server uses this phone. */
  saved_phone_masked: string | null
  /**
   * A new key for each view of the form. A page that the browser restores may send the same key with another phone, so
   * the server combines the key with method and phone.
   */
  idempotency_key: string
  expires_at: Date | null
  /** The address of the merchant for a payer who cancels. `returnUrl` has checked the address. */
  cancel_url: string | null
  problems: readonly FormProblem[]
  /** The earlier input of the payer, if the page shows the form again. */
  typed: { phone: string; method: PayMethod | null }
  /** An attempt without an answer. Null means that the page has no such attempt. */
  unanswered: UnansweredNotice | null
}

/** The screen of a prompt that the provider has sent. */
export type WaitingScreen = MerchantFrame &
  PollPaths & {
    screen: 'waiting_push' | 'waiting_wallet'
    collection_id: string
    phone_masked: string
    /**
     * The seconds until the prompt expires, and its lifetime. The page shows no time of day, because clocks of phones
     * are often wrong.
     */
    remaining_s: number
    total_s: number
    other_way_path: string
  }

/** The screen of a QR. */
export type QrScreen = MerchantFrame &
  PollPaths & {
    screen: 'qr'
    collection_id: string
    /** The QR as an SVG, which `qrSvg` makes. */
    svg: Html
    /** The QR as a PNG, because banking apps read pictures, and a phone cannot scan its own screen. */
    picture_path: string
    payment_token: string
    other_way_path: string
  }

/** The screen of a prompt that has expired with an unknown outcome. */
export type SlowScreen = MerchantFrame &
  PollPaths & {
    screen: 'slow'
    collection_id: string
    phone_masked: string | null
    other_way_path: string
    /** The form that sends the prompt again to the same phone. Null means that the payer may not repeat the prompt. */
    again: null | { idempotency_key: string }
  }

/** The screen of a paid payment. */
export type SuccessScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'success'
    receipt_path: string
    /**
     * The address of the merchant, which `returnUrl` has checked. `auto` means that the payment has just succeeded, so
     * the page opens the address by itself.
     */
    redirect: null | { url: string; auto: boolean }
  }

/** The screen of a failed payment. */
export type FailedScreen = MerchantFrame & {
  screen: 'failed'
  /** A published failure code. The page explains an unknown code in general words. */
  reason_code: string
  /** The reference of the link, or else the id of the collection. The payer gives this reference to the merchant. */
  support_reference: string
  /** The page that offers the ways to pay. Null means that the link takes no more payments. */
  retry_path: string | null
  check_path: string
  /** The address that the page polls for a late answer. Null means that the failure is final. */
  poll_path: string | null
  /** Another attempt without an answer. Null means that the page has no such attempt. */
  unanswered: UnansweredNotice | null
}

/** The screen of a payment that an operator must review. */
export type ReviewScreen = MerchantFrame & PollPaths & { screen: 'review' }

/** The screen of a payment whose money the provider returned to the payer. */
export type ReversedScreen = MerchantFrame & PaymentFacts & { screen: 'reversed'; receipt_path: string }

/** The screen of a paid link. Every reader of the link sees this screen. */
export type PaidScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'paid'
    receipt_path: string
    /** The address of the merchant, which `returnUrl` has checked. Null means that the page shows no such link. */
    redirect: null | { url: string }
  }

/**
 * The screen of a link with a payment in progress. `kind` shows whether the payer has a prompt or an attempt has no
 * answer.
 */
export type InProgressScreen = MerchantFrame &
  PollPaths & { screen: 'in_progress'; kind: 'out' | UnansweredNotice['kind'] }

/** The screen of a link that takes no more payments. */
export type EndedScreen = MerchantFrame & {
  screen: 'expired' | 'cancelled'
  expired_at: Date | null
  /** An attempt without an answer. Null means that the page has no such attempt. */
  unanswered: UnansweredNotice | null
}

/** The receipt of a payment. */
export type ReceiptScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'receipt'
    status: 'successful' | 'reversed'
    collection_id: string
    /** The full address of this page, for sharing. */
    share_url: string
    pdf_path: string | null
  }

/** One line of an invoice. */
export type InvoiceScreenItem = {
  description: string
  quantity: string
  unit_price_minor: bigint
  amount_minor: bigint
}

/** The screen of an invoice. `amount_minor` is its total. */
export type InvoiceScreen = MerchantFrame & {
  screen: 'invoice'
  number: string
  status: 'SENT' | 'OVERDUE' | 'PAID' | 'CANCELLED'
  /** True if the invoice was paid and the provider returned the payment. */
  returned: boolean
  customer_name: string
  items: readonly InvoiceScreenItem[]
  /** Dates as YYYY-MM-DD. */
  issued_on: string
  due_on: string
  note: string | null
  /** The page that takes the payment. Null means that the invoice takes no payment now. */
  pay_link: string | null
  pdf_path: string
  receipt_path: string | null
}

/** The screen with the instructions of each network. */
export type HelpScreen = MerchantFrame & { screen: 'help' }

/**
 * The screen of a rate limit: too many attempts on a page, or too many requests from one IP address. Many phones may
 * share one IP address.
 */
export type TooManyScreen = (MerchantFrame | Frame) & { screen: 'too_many'; again_at: Date; open_path: string }

/** The screen of a form for which the server sent no payment request. */
export type RefusedScreen =
  | TooManyScreen
  // True in `other_way` means that the page offers another way to pay.
  | (MerchantFrame & { screen: 'provider_unavailable'; other_way: boolean })
  | (Frame & { screen: 'form_expired'; open_path: string })

/** The screen of an unknown address, or of a failure of the server. */
export type LostScreen = Frame & { screen: 'unknown' | 'server_error' }

/** Every screen of the pay page. */
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
