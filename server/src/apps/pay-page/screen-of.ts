// Chooses the screen from the state of a link and its payments. Each URL of a payment page shows the current state.

import type { Deps } from '../../kernel/db/index.ts'
import { maskPhone } from '../../kernel/lib/index.ts'
import type { PagePayment } from '../../money/collections/index.ts'
import {
  busyLeft,
  isOver,
  type Link,
  linkStatusAt,
  promptEndsAt,
  promptLeft,
  takesNoPayments,
} from '../../money/payment-links/index.ts'
import { returnUrl } from './return-url.ts'
import type { FormProblem, MerchantFrame, PayMethod, PaymentFacts, Screen, UnansweredNotice } from './view.ts'

/**
 * If the payment succeeded less than this time ago, the page sends the payer back to the merchant without an action of the
 * payer.
 */
const JUST_NOW_MS = 60_000

/** The failure reasons after which the payer may have lost money. The page continues to poll. */
const DOUBTFUL: readonly string[] = ['timeout', 'unknown_provider_error']

/** The payer's earlier input and the problems of the input. The page shows the form again with both. */
export type RejectedForm = { problems: readonly FormProblem[]; phone: string; method: PayMethod | null }

/** The facts that a screen shows about a link, independent of payments. */
export type ScreenContext = {
  merchantFrame: MerchantFrame
  methods: readonly PayMethod[]
  /** A new idempotency key for the form of the screen. */
  idempotency_key: string
}

/** The payments of a page, for one payer. */
export type PageState = {
  /**
   * The payment that determines the state: a payment under review, a prompt or QR code without an answer, or else the newest
   * payment. Null means that the page has no payment.
   */
  latest: PagePayment | null
  /** The payment that paid the page. Null means that no payment paid the page. */
  paid: PagePayment | null
  /**
   * The IP address of the payer. Null means that a prompt that keeps the page busy for only one IP address does not count.
   */
  address: string | null
  /** The kind of an attempt that can still take money. Null means that the page has no such attempt. */
  unanswered: UnansweredNotice['kind'] | null
}

/** Returns the name of the screen for the address of a link. The response to a poll contains the same name. */
export function pageScreenName(
  deps: Deps,
  link: Link,
  { latest, paid, address }: Pick<PageState, 'latest' | 'paid' | 'address'>,
) {
  const status = linkStatusAt(link, deps.clock.now())
  if (status === 'PAID') return paid?.status === 'reversed' ? 'reversed' : 'paid'
  if (latest?.status === 'pending_clearance') return 'review'
  if (latest !== null && busyLeft(deps, latest, address) > 0) return 'in_progress'
  // If the provider returns held money of a hosted page, the page ends. A payment link then accepts another payment.
  if (link.collection_id !== null && latest?.status === 'reversed') return 'reversed'
  if (status === 'ACTIVE') {
    if (!isOver(link, latest)) return takesNoPayments(link) ? 'no_payments' : 'choose'
    return latest?.status === 'processing' ? 'in_progress' : 'failed'
  }
  return status === 'EXPIRED' ? 'expired' : 'cancelled'
}

/**
 * Returns the name of the screen of a payment. If another payment `paid` the page, a payment in processing has the screen of
 * the paid page, so that the payer does not pay again.
 */
export function paymentScreenName(deps: Deps, link: Link, payment: PagePayment, paid: PagePayment | null) {
  if (payment.status === 'processing' && paid !== null) return paid.status === 'reversed' ? 'reversed' : 'paid'
  switch (payment.status) {
    case 'successful':
      return 'success'
    case 'reversed':
      return 'reversed'
    case 'pending_clearance':
      return 'review'
    case 'failed':
      return 'failed'
    case 'created':
      return 'choose'
    case 'processing':
      // If the link accepts no more payments, the page hides the QR code. A payer who has already scanned the code waits for
      // the answer.
      if (payment.qr_payload !== null && linkStatusAt(link, deps.clock.now()) === 'ACTIVE') return 'qr'
      if (promptLeft(deps, payment) === 0) return 'slow'
      return payment.method === 'provider_pesa' ? 'waiting_wallet' : 'waiting_push'
  }
}

/**
 * Returns the screen for the address of a link. If `typed` is not null and the page offers the ways to pay, the screen shows
 * the payer's form again with its problems.
 */
export function pageScreen(
  deps: Deps,
  link: Link,
  known: PageState,
  around: ScreenContext,
  typed: RejectedForm | null,
): Screen {
  const { latest, paid } = known
  const { merchantFrame } = around
  const watch = pollPathsOf(merchantFrame)
  const screen = pageScreenName(deps, link, known)
  const unanswered = known.unanswered === null ? null : { ...watch, kind: known.unanswered, state: screen }
  switch (screen) {
    case 'paid':
      return paidScreenOf(link, paid as PagePayment, merchantFrame)
    case 'reversed':
      return reversedScreenOf(link, (paid ?? latest) as PagePayment, merchantFrame)
    case 'review':
      return { ...merchantFrame, screen, ...watch, collection_id: (latest as PagePayment).collection_id }
    case 'in_progress': {
      const ends_at = latest === null ? null : promptEndsAt(deps, latest)
      if (ends_at !== null && ends_at > deps.clock.now()) {
        const phone_masked = latest?.phone ? maskPhone(latest.phone) : ''
        return { ...merchantFrame, screen, ...watch, kind: 'out', phone_masked, ends_at }
      }
      return { ...merchantFrame, screen, ...watch, kind: latest?.method === 'qr' ? 'code' : 'prompt' }
    }
    case 'expired':
    case 'cancelled':
    case 'no_payments':
      return { ...merchantFrame, screen, expired_at: link.expires_at, unanswered }
    case 'failed':
      return failedScreenOf(link, latest as PagePayment, merchantFrame, {
        may_retry: false,
        unanswered,
        watch,
        idempotency_key: around.idempotency_key,
      })
    case 'choose':
      return {
        ...merchantFrame,
        screen,
        methods: around.methods,
        saved_phone_masked: link.customer_phone === null ? null : maskPhone(link.customer_phone),
        idempotency_key: around.idempotency_key,
        expires_at: link.expires_at,
        cancel_url: returnUrl(link.cancel_url, {
          reference: link.reference,
          collection_id: link.collection_id,
          status: 'cancelled',
        }),
        problems: typed?.problems ?? [],
        typed: { phone: typed?.phone ?? '', method: typed?.method ?? null },
        unanswered,
      }
  }
}

/**
 * Returns the screen of a payment. `paid` is another payment that paid the link. If this payment has failed, the function also
 * reads `page_state`.
 */
export function paymentScreen(
  deps: Deps,
  link: Link,
  { payment, paid, page_state }: { payment: PagePayment; paid: PagePayment | null; page_state: PageState | null },
  around: ScreenContext,
  drawQr: (payload: string) => Extract<Screen, { screen: 'qr' }>['svg'],
): Screen {
  const { merchantFrame } = around
  const path = paymentPath(merchantFrame, payment)
  const watch = { poll_path: `${path}/state`, check_path: path }
  const open = linkStatusAt(link, deps.clock.now()) === 'ACTIVE' && !takesNoPayments(link)
  const { collection_id } = payment
  const waiting = { ...merchantFrame, ...watch, collection_id }
  const phone_masked = payment.phone === null ? null : maskPhone(payment.phone)
  const screen = paymentScreenName(deps, link, payment, paid)
  switch (screen) {
    case 'success': {
      const url = returnUrl(link.redirect_url, { reference: link.reference, collection_id, status: payment.status })
      const auto = deps.clock.now().getTime() - paymentFacts(link, payment).paid_at.getTime() < JUST_NOW_MS
      return {
        ...merchantFrame,
        ...paymentFacts(link, payment),
        screen,
        receipt_path: receiptPath(merchantFrame, payment),
        redirect: url === null ? null : { url, auto },
      }
    }
    case 'paid':
      return pageScreen(deps, link, { latest: payment, paid, address: null, unanswered: null }, around, null)
    case 'reversed':
      return reversedScreenOf(link, paid ?? payment, merchantFrame)
    case 'review':
      return { ...merchantFrame, screen, ...watch, collection_id }
    case 'failed':
      return failedScreenOf(link, payment, merchantFrame, {
        may_retry: open && !isOver(link, payment),
        unanswered: otherUnansweredAttempt(deps, link, payment, page_state, merchantFrame),
        watch,
        idempotency_key: around.idempotency_key,
      })
    case 'choose':
      return pageScreen(deps, link, { latest: payment, paid: null, address: null, unanswered: null }, around, null)
    case 'qr':
      return {
        ...waiting,
        screen,
        svg: drawQr(payment.qr_payload as string),
        picture_path: `${path}/qr.png`,
        payment_token: payment.payment_token ?? '',
        phone_masked,
        other_way_path: merchantFrame.pay_path,
      }
    case 'slow': {
      const kind = payment.method === 'qr' ? 'code' : 'prompt'
      const again = open && kind === 'prompt' ? { idempotency_key: around.idempotency_key } : null
      return {
        ...waiting,
        screen,
        kind,
        phone_masked,
        other_way_path: open ? merchantFrame.pay_path : null,
        again,
      }
    }
    case 'waiting_push':
    case 'waiting_wallet':
      return {
        ...waiting,
        screen,
        phone_masked: phone_masked ?? '',
        ends_at: promptEndsAt(deps, payment) as Date,
        remaining_s: promptLeft(deps, payment),
        total_s: deps.config.push_lifetime_s,
      }
  }
}

function pollPathsOf({ pay_path }: MerchantFrame) {
  return { poll_path: `${pay_path}/state`, check_path: pay_path }
}

/**
 * If the page has another attempt without an answer, returns that attempt, otherwise null. On a hosted page, both attempts have
 * the same collection. On a payment link, the page of the link shows the answer.
 */
function otherUnansweredAttempt(
  deps: Deps,
  link: Link,
  payment: PagePayment,
  known: PageState | null,
  merchantFrame: MerchantFrame,
): UnansweredNotice | null {
  if (known === null || known.unanswered === null) return null
  if (link.collection_id === payment.collection_id) {
    const path = paymentPath(merchantFrame, payment)
    return { poll_path: `${path}/state`, check_path: path, kind: known.unanswered, state: payment.status }
  }
  return { ...pollPathsOf(merchantFrame), kind: known.unanswered, state: pageScreenName(deps, link, known) }
}

function failedScreenOf(
  link: Link,
  payment: PagePayment,
  merchantFrame: MerchantFrame,
  around: {
    may_retry: boolean
    unanswered: UnansweredNotice | null
    watch: { poll_path: string; check_path: string }
    idempotency_key: string
  },
): Screen {
  const { may_retry, unanswered, watch, idempotency_key } = around
  const { collection_id, phone } = payment
  const reason_code = payment.failure_reason_code ?? 'unknown_provider_error'
  const is_code = payment.method === 'qr'
  return {
    ...merchantFrame,
    screen: 'failed',
    reason_code,
    kind: is_code ? 'code' : 'prompt',
    simulator_chose:
      merchantFrame.test !== null &&
      payment.simulate_status === null &&
      !(is_code && reason_code === 'expired') &&
      !['timeout', 'review_declined'].includes(reason_code),
    support_reference: link.reference ?? payment.collection_id,
    back_url: returnUrl(link.cancel_url ?? link.redirect_url, {
      reference: link.reference,
      collection_id: payment.collection_id,
      status: payment.status,
    }),
    retry_path: may_retry ? merchantFrame.pay_path : null,
    again:
      may_retry && unanswered === null && phone !== null && payment.method !== 'qr'
        ? { idempotency_key, collection_id, phone_masked: maskPhone(phone) }
        : null,
    check_path: watch.check_path,
    poll_path: DOUBTFUL.includes(reason_code) ? watch.poll_path : null,
    unanswered,
  }
}

function paidScreenOf(link: Link, payment: PagePayment, merchantFrame: MerchantFrame): Screen {
  const { collection_id, status } = payment
  const url = returnUrl(link.redirect_url, { reference: link.reference, collection_id, status })
  const redirect = url === null ? null : { url }
  return {
    ...merchantFrame,
    ...paymentFacts(link, payment),
    screen: 'paid',
    receipt_path: receiptPath(merchantFrame, payment),
    redirect,
  }
}

function reversedScreenOf(link: Link, payment: PagePayment, merchantFrame: MerchantFrame): Screen {
  return {
    ...merchantFrame,
    ...paymentFacts(link, payment),
    screen: 'reversed',
    receipt_path: receiptPath(merchantFrame, payment),
  }
}

/** Returns `/pay/SLUG/c/COLLECTION_ID`, the path of the page of a payment. */
export function paymentPath(merchantFrame: Pick<MerchantFrame, 'pay_path'>, { collection_id }: PagePayment): string {
  return `${merchantFrame.pay_path}/c/${collection_id}`
}

/** Returns the path of the page with the receipt of a payment. The path of the PDF has `.pdf` at its end. */
export function receiptPath(merchantFrame: Pick<MerchantFrame, 'pay_path'>, payment: PagePayment): string {
  return `${paymentPath(merchantFrame, payment)}/receipt`
}

/**
 * Returns the facts of a payment that any reader with the link may see. The received amount can differ from the requested
 * amount.
 */
export function paymentFacts(
  link: Link,
  payment: PagePayment,
): PaymentFacts & { amount_minor: bigint; currency: string } {
  return {
    ...amountTaken(link, payment),
    // A later review or reversal changes `updated_at`, but not `arrived_at`.
    paid_at: payment.arrived_at ?? payment.updated_at,
    method: payment.method ?? 'wallet_push',
    phone_masked: payment.phone === null ? null : maskPhone(payment.phone),
    provider_reference: payment.provider_id,
  }
}

/**
 * Returns the received amount, or the amount of the link until a provider has reported an amount. Until an operator states the
 * value in shillings, foreign money keeps its currency.
 */
function amountTaken(link: Link, { amount_received_minor, foreign_amount_minor, foreign_currency }: PagePayment) {
  if (amount_received_minor === null && foreign_amount_minor !== null && foreign_currency !== null)
    return { amount_minor: foreign_amount_minor, currency: foreign_currency }
  return { amount_minor: amount_received_minor ?? link.amount_minor, currency: link.currency }
}
