// The facts that each screen of the pay page shows. Nothing here is a database row, and all phones are masked.

import type { Html, Language } from '../../kernel/lib/index.ts'

/** The facts around every screen. */
export type Frame = {
  language: Language
  /** Path and query of this page, for the link to the other language. */
  url: string
  /** The name of this installation. */
  brand_name: string
}

/** The outcome of a magic number, a button on a mock installation. `phone`: a complete number with this ending. */
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
  /** The page of the invoice that this page collects. Undefined if the link belongs to no invoice. */
  invoice_path?: string
  /** Null if the money is real. */
  test: null | { outcomes: readonly MagicOutcome[] }
  /** `/pay/SLUG`: the page that offers the ways to pay and takes their forms. */
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
 * An attempt on this page that may still take money, so that its payer must not pay again. `code`: the attempt is a QR,
 * else a prompt. The page does not name the payer. It polls until `state` changes.
 */
export type UnansweredNotice = PollPaths & { kind: 'prompt' | 'code'; state: string }

/** The facts of a payment that any reader with the link may see. */
export type PaymentFacts = {
  paid_at: Date
  method: 'wallet_push' | 'provider_pesa' | 'qr'
  /** Masked by `maskPhone`. Null means that the phone of the payer is unknown, as with a QR. */
  phone_masked: string | null
  provider_reference: string | null
}

/** The payer chooses how to pay. */
export type ChooseScreen = MerchantFrame & {
  screen: 'choose'
  methods: readonly PayMethod[]
  /** The phone from the merchant, masked by `maskPhone`. The server uses it if the payer enters none. */
  saved_phone_masked: string | null
  /**
   * New for each view of the form. The server combines it with method and phone, because a page that the browser
   * restores sends the same key with another phone.
   */
  idempotency_key: string
  expires_at: Date | null
  /** The address of the merchant for a payer who cancels. Checked by `returnUrl`. */
  cancel_url: string | null
  problems: readonly FormProblem[]
  /** The earlier input of the payer, if the form is shown again. */
  typed: { phone: string; method: PayMethod | null }
  /** Null if there is none. */
  unanswered: UnansweredNotice | null
}

/** The provider has sent a prompt. */
export type WaitingScreen = MerchantFrame &
  PollPaths & {
    screen: 'waiting_push' | 'waiting_wallet'
    collection_id: string
    phone_masked: string
    /** Seconds until the prompt expires, and its lifetime. No time of day, because clocks of phones are often wrong. */
    remaining_s: number
    total_s: number
    other_way_path: string
  }

/** A QR to scan. */
export type QrScreen = MerchantFrame &
  PollPaths & {
    screen: 'qr'
    collection_id: string
    /** Made by `qrSvg`. */
    svg: Html
    /** The QR as a PNG, because banking apps read pictures, and a phone cannot scan its own screen. */
    picture_path: string
    payment_token: string
    other_way_path: string
  }

/** The prompt has expired and its outcome is unknown. */
export type SlowScreen = MerchantFrame &
  PollPaths & {
    screen: 'slow'
    collection_id: string
    phone_masked: string | null
    other_way_path: string
    /** The form that sends the prompt again to the same phone. Null if the payer may not repeat the prompt. */
    again: null | { idempotency_key: string }
  }

/** Paid. */
export type SuccessScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'success'
    receipt_path: string
    /** Checked by `returnUrl`. `auto`: the payment has just succeeded, so the page opens the address by itself. */
    redirect: null | { url: string; auto: boolean }
  }

/** The payment failed. */
export type FailedScreen = MerchantFrame & {
  screen: 'failed'
  /** One of the published codes. The page explains an unknown code in general words. */
  reason_code: string
  /** The reference of the link, else the id of the collection. The payer names it to the merchant. */
  support_reference: string
  /** The page that offers the ways to pay. Null if the link takes no more payments. */
  retry_path: string | null
  check_path: string
  /** The address that the page polls for a late answer. Null if the failure is final. */
  poll_path: string | null
  /** Another attempt than this one. Null if there is none. */
  unanswered: UnansweredNotice | null
}

/** The payment is held for the review of an operator. */
export type ReviewScreen = MerchantFrame & PollPaths & { screen: 'review' }

/** The payment was returned to the payer. */
export type ReversedScreen = MerchantFrame & PaymentFacts & { screen: 'reversed'; receipt_path: string }

/** The link is paid. Every reader of the link sees this screen. */
export type PaidScreen = MerchantFrame &
  PaymentFacts & {
    screen: 'paid'
    receipt_path: string
    /** Checked by `returnUrl`. */
    redirect: null | { url: string }
  }

/** A payment is in progress. `kind`: a prompt is out, or an attempt has no answer. */
export type InProgressScreen = MerchantFrame &
  PollPaths & { screen: 'in_progress'; kind: 'out' | UnansweredNotice['kind'] }

/** The link takes no more payments. */
export type EndedScreen = MerchantFrame & {
  screen: 'expired' | 'cancelled'
  expired_at: Date | null
  /** Null if there is none. */
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

/** An invoice. `amount_minor` is its total. */
export type InvoiceScreen = MerchantFrame & {
  screen: 'invoice'
  number: string
  status: 'SENT' | 'OVERDUE' | 'PAID' | 'CANCELLED'
  /** True if the invoice was paid and the payment was returned. */
  returned: boolean
  customer_name: string
  items: readonly InvoiceScreenItem[]
  /** Dates as YYYY-MM-DD. */
  issued_on: string
  due_on: string
  note: string | null
  /** Null if the invoice takes no payment now. */
  pay_link: string | null
  pdf_path: string
  receipt_path: string | null
}

/** The instructions of each network. */
export type HelpScreen = MerchantFrame & { screen: 'help' }

/** A rate limit: too many attempts on a page, or too many requests from one IP address, which many phones may share. */
export type TooManyScreen = (MerchantFrame | Frame) & { screen: 'too_many'; again_at: Date; open_path: string }

/** The server sent no payment request. */
export type RefusedScreen =
  | TooManyScreen
  // `other_way`: the page offers another way to pay.
  | (MerchantFrame & { screen: 'provider_unavailable'; other_way: boolean })
  | (Frame & { screen: 'form_expired'; open_path: string })

/** The address is unknown, or the server failed. */
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
