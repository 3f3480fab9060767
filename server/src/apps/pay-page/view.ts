// What each screen of the pay page is made from. Nothing here is a row: whoever fills it in has masked the phones.

import type { Html, Language } from '../../kernel/lib/index.ts'

/** Around every screen. */
export type Frame = {
  language: Language
  /** Path and query of this page, for the link to the other language. */
  url: string
  /** Who runs this installation. */
  brand_name: string
}

/** What a magic number does: on a mock installation, each is a button. `phone` is a whole number that ends so. */
export type MagicOutcome = { ending: string; phone: string; what: string }

/** What a payer of one network reads, in the language of the page. */
export type NetworkHelp = { code: string; name: string; menu_code: string | null; help: string }

/** Around every screen of one link or invoice. */
export type Shop = Frame & {
  merchant_name: string
  /** The name that the prompt on the phone will show. */
  prompt_name: string
  /** What the wallet with an app of its own is called. */
  wallet_name: string
  amount_minor: bigint
  currency: string
  description: string | null
  reference: string | null
  /** The page of the invoice that is paid here. Left out: it is none. */
  invoice_path?: string
  /** Null when the money is real. */
  test: null | { outcomes: readonly MagicOutcome[] }
  /** `/pay/SLUG`: the page to choose on, and where its forms are sent. */
  pay_path: string
  help_path: string
  help: readonly NetworkHelp[]
}

/** Ways to pay that can be offered. */
export type PayMethod = 'WALLET_PUSH' | 'PROVIDER_PESA' | 'TANQR'

/** What is wrong with what was sent. */
export type Problem = { field: 'phone' | 'method'; problem: 'phone_missing' | 'phone_wrong' | 'method_missing' }

/** Where a page may ask how its payment stands, and the page to go to when that changes. */
export type Watch = { poll_path: string; check_path: string }

/**
 * A try on this page that may still take money: whoever made it must not pay again. `code`: it was a QR to scan, else a
 * prompt. Whose it is, is not said. The page watches for the answer in `state`.
 */
export type Unanswered = Watch & { kind: 'prompt' | 'code'; state: string }

/** Facts of a payment that a stranger with the link may read. */
export type PaymentFacts = {
  paid_at: Date
  method: 'wallet_push' | 'provider_pesa' | 'qr'
  /** As `maskPhone` writes it. Null: the payer's phone is not known, as with a QR. */
  phone_masked: string | null
  provider_reference: string | null
}

/** Choosing how to pay. */
export type ChooseScreen = Shop & {
  screen: 'choose'
  methods: readonly PayMethod[]
  /** The phone that the merchant gave, as `maskPhone` writes it; used when the payer types none. */
  saved_phone_masked: string | null
  /**
   * New for each view of the form. What a form sends is told apart by method and phone too: a page that comes out of the
   * browser's memory sends the same one with another phone.
   */
  idempotency_key: string
  expires_at: Date | null
  /** Where to go back to without paying. Checked by `returnUrl`. */
  cancel_url: string | null
  problems: readonly Problem[]
  /** What was typed, when it is shown again. */
  typed: { phone: string; method: PayMethod | null }
  /** Null: there is none. */
  unanswered: Unanswered | null
}

/** A prompt is out. */
export type WaitingScreen = Shop &
  Watch & {
    screen: 'waiting_push' | 'waiting_wallet'
    collection_id: string
    phone_masked: string
    /** Seconds until the prompt runs out, and how many it had. Never a time: the clocks of phones are wrong. */
    remaining_s: number
    total_s: number
    other_way_path: string
  }

/** A QR to scan. */
export type QrScreen = Shop &
  Watch & {
    screen: 'qr'
    collection_id: string
    /** Made by `qrSvg`. */
    svg: Html
    /** The same as a PNG, because banking apps read pictures, and a phone cannot scan itself. */
    picture_path: string
    payment_token: string
    other_way_path: string
  }

/** The prompt has run out and nobody knows how it ended. */
export type SlowScreen = Shop &
  Watch & {
    screen: 'slow'
    collection_id: string
    phone_masked: string | null
    other_way_path: string
    /** What sends the prompt once more to the same phone. Null: it may not be sent yet. */
    again: null | { idempotency_key: string }
  }

/** Paid. */
export type SuccessScreen = Shop &
  PaymentFacts & {
    screen: 'success'
    receipt_path: string
    /** Checked by `returnUrl`. `auto`: the payment has just succeeded, so the page goes there by itself. */
    redirect: null | { url: string; auto: boolean }
  }

/** Not paid, as far as is known. */
export type FailedScreen = Shop & {
  screen: 'failed'
  /** One of the published codes. Unknown ones are explained with care. */
  reason_code: string
  /** What the payer can name to the merchant: the reference, else the collection's id. */
  support_reference: string
  /** The page to choose on. Null: the link is over. */
  retry_path: string | null
  check_path: string
  /** Where the page asks for a late answer. Null: none can come. */
  poll_path: string | null
  /** Another try than this one. Null: there is none. */
  unanswered: Unanswered | null
}

/** Held for an operator. */
export type ReviewScreen = Shop & Watch & { screen: 'review' }

/** Given back. */
export type ReversedScreen = Shop & PaymentFacts & { screen: 'reversed'; receipt_path: string }

/** Paid, shown to whoever opens the link. */
export type PaidScreen = Shop &
  PaymentFacts & {
    screen: 'paid'
    receipt_path: string
    /** Checked by `returnUrl`. */
    redirect: null | { url: string }
  }

/** Somebody is paying. `kind`: a prompt is out, or there is a try that nobody has answered. */
export type InProgressScreen = Shop & Watch & { screen: 'in_progress'; kind: 'out' | Unanswered['kind'] }

/** Nobody can pay here any more. */
export type EndedScreen = Shop & {
  screen: 'expired' | 'cancelled'
  expired_at: Date | null
  /** Null: there is none. */
  unanswered: Unanswered | null
}

/** The receipt of a payment. */
export type ReceiptScreen = Shop &
  PaymentFacts & {
    screen: 'receipt'
    status: 'successful' | 'reversed'
    collection_id: string
    /** Whole address of this page, to be sent on. */
    share_url: string
    pdf_path: string | null
  }

/** One line of an invoice. */
export type InvoiceItem = { description: string; quantity: string; unit_price_minor: bigint; amount_minor: bigint }

/** An invoice. `amount_minor` is its total. */
export type InvoiceScreen = Shop & {
  screen: 'invoice'
  number: string
  status: 'SENT' | 'OVERDUE' | 'PAID' | 'CANCELLED'
  /** It was paid, and the payment went back. */
  returned: boolean
  customer_name: string
  items: readonly InvoiceItem[]
  /** Dates as YYYY-MM-DD. */
  issued_on: string
  due_on: string
  note: string | null
  /** Null: it cannot be paid now. */
  pay_link: string | null
  pdf_path: string
  receipt_path: string | null
}

/** How to pay on each network. */
export type HelpScreen = Shop & { screen: 'help' }

/** Too many tries on a page, or too many requests from one address, which may share it with a whole network of phones. */
export type TooManyScreen = (Shop | Frame) & { screen: 'too_many'; again_at: Date; open_path: string }

/** Nothing was sent, for a reason that the payer cannot help. */
export type RefusedScreen =
  | TooManyScreen
  // `other_way`: there is another way to pay, at the same address.
  | (Shop & { screen: 'provider_unavailable'; other_way: boolean })
  | (Frame & { screen: 'form_expired'; open_path: string })

/** Nothing is known of this address, or we failed. */
export type LostScreen = Frame & { screen: 'unknown' | 'server_error' }

/** Everything that a payer can be shown. */
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
