// From what is true of a page and its payments to the screen that says so: any address shows the true state.

import type { Deps } from '../../kernel/db/index.ts'
import { maskPhone } from '../../kernel/lib/index.ts'
import type { PagePayment } from '../../money/collections/index.ts'
import { isOver, type Link, linkStatusAt, promptLeft } from '../../money/payment-links/index.ts'
import { returnUrl } from './return-url.ts'
import type { PayMethod, PaymentFacts, Problem, Screen, Shop, Unanswered } from './view.ts'

/** A payment has just succeeded for this long: its page goes back to the merchant by itself. */
const JUST_NOW_MS = 60_000

/** Reasons after which money may have left the payer all the same: the page asks on. */
const DOUBTFUL: readonly string[] = ['timeout', 'unknown_provider_error']

/** What a payer chose before, when the form is shown again. */
export type Typed = { problems: readonly Problem[]; phone: string; method: PayMethod | null }

/** What a screen is made from beside the page and its payment. */
export type Around = {
  shop: Shop
  methods: readonly PayMethod[]
  /** For a form that is shown anew. */
  idempotency_key: string
}

/** What is known of the payments of a page. */
export type Known = {
  /** The payment that matters: one that is held, else the newest. */
  latest: PagePayment | null
  /** The one that paid the page. */
  paid: PagePayment | null
  /** A try that may still take money, the newest or not. */
  unanswered: Unanswered['kind'] | null
}

/** The name of the screen of a page that was opened at its own address, given its newest payment and the one that paid it. */
export function openName(deps: Deps, link: Link, { latest, paid }: Pick<Known, 'latest' | 'paid'>) {
  const status = linkStatusAt(link, deps.clock.now())
  if (status === 'PAID') return paid?.status === 'reversed' ? 'reversed' : 'paid'
  if (latest?.status === 'pending_clearance') return 'review'
  if (latest !== null && promptLeft(deps, latest) > 0) return 'in_progress'
  // Held money of a hosted page that went back paid nothing: a payment link can be paid by somebody else then.
  if (link.collection_id !== null && latest?.status === 'reversed') return 'reversed'
  if (status === 'ACTIVE') {
    if (!isOver(link, latest)) return 'choose'
    return latest?.status === 'processing' ? 'in_progress' : 'failed'
  }
  return status === 'EXPIRED' ? 'expired' : 'cancelled'
}

/**
 * The name of the screen of one payment. `paid`: the payment that paid its page meanwhile, if another one did; whoever still
 * has a prompt must not approve it.
 */
export function paymentName(deps: Deps, link: Link, payment: PagePayment, paid: PagePayment | null) {
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
      // The code of a page that takes no more money is not shown: whoever has scanned it waits for the answer.
      if (payment.qr_payload !== null && linkStatusAt(link, deps.clock.now()) === 'ACTIVE') return 'qr'
      if (promptLeft(deps, payment) === 0) return 'slow'
      return payment.method === 'provider_pesa' ? 'waiting_wallet' : 'waiting_push'
  }
}

/** The screen at the address of the page itself. */
export function openScreen(deps: Deps, link: Link, known: Known, around: Around, typed: Typed | null): Screen {
  const { latest, paid } = known
  const { shop } = around
  const watch = watchOf(shop)
  const screen = openName(deps, link, known)
  const unanswered = known.unanswered === null ? null : { ...watch, kind: known.unanswered, state: screen }
  switch (screen) {
    case 'paid':
      return paidScreen(link, paid as PagePayment, shop)
    case 'reversed':
      return reversedScreen(link, (paid ?? latest) as PagePayment, shop)
    case 'review':
      return { ...shop, screen, ...watch }
    case 'in_progress': {
      const kind = latest !== null && promptLeft(deps, latest) > 0 ? 'out' : latest?.method === 'qr' ? 'code' : 'prompt'
      return { ...shop, screen, ...watch, kind }
    }
    case 'expired':
    case 'cancelled':
      return { ...shop, screen, expired_at: link.expires_at, unanswered }
    case 'failed':
      return failedScreen(link, latest as PagePayment, shop, { may_retry: false, unanswered, watch })
    case 'choose':
      return {
        ...shop,
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

/** The screen of one payment. `paid`: the other one that paid its page. `beside`: what its page says, which matters once this payment has failed. */
export function paymentScreen(
  deps: Deps,
  link: Link,
  { payment, paid, beside }: { payment: PagePayment; paid: PagePayment | null; beside: Known | null },
  around: Around,
  drawQr: (payload: string) => Extract<Screen, { screen: 'qr' }>['svg'],
): Screen {
  const { shop } = around
  const path = paymentPath(shop, payment)
  const watch = { poll_path: `${path}/state`, check_path: path }
  const open = linkStatusAt(link, deps.clock.now()) === 'ACTIVE'
  const { collection_id } = payment
  const phone_masked = payment.phone === null ? null : maskPhone(payment.phone)
  const screen = paymentName(deps, link, payment, paid)
  switch (screen) {
    case 'success': {
      const url = returnUrl(link.redirect_url, { reference: link.reference, collection_id, status: payment.status })
      const auto = deps.clock.now().getTime() - paidOf(link, payment).paid_at.getTime() < JUST_NOW_MS
      const redirect = url === null ? null : { url, auto }
      return { ...shop, ...paidOf(link, payment), screen, receipt_path: receiptPath(shop, payment), redirect }
    }
    case 'paid':
      return openScreen(deps, link, { latest: payment, paid, unanswered: null }, around, null)
    case 'reversed':
      return reversedScreen(link, paid ?? payment, shop)
    case 'review':
      return { ...shop, screen, ...watch }
    case 'failed':
      return failedScreen(link, payment, shop, {
        may_retry: open && !isOver(link, payment),
        unanswered: unansweredBeside(deps, link, payment, beside, shop),
        watch,
      })
    case 'choose':
      return openScreen(deps, link, { latest: payment, paid: null, unanswered: null }, around, null)
    case 'qr':
      return {
        ...shop,
        ...watch,
        screen,
        collection_id,
        svg: drawQr(payment.qr_payload as string),
        picture_path: `${path}/qr.png`,
        payment_token: payment.payment_token ?? '',
        other_way_path: shop.pay_path,
      }
    case 'slow': {
      const again = open && payment.method !== 'qr' ? { idempotency_key: around.idempotency_key } : null
      return { ...shop, ...watch, screen, collection_id, phone_masked, other_way_path: shop.pay_path, again }
    }
    case 'waiting_push':
    case 'waiting_wallet':
      return {
        ...shop,
        ...watch,
        screen,
        collection_id,
        phone_masked: phone_masked ?? '',
        remaining_s: promptLeft(deps, payment),
        total_s: deps.config.push_lifetime_s,
        other_way_path: shop.pay_path,
      }
  }
}

function watchOf({ pay_path }: Shop) {
  return { poll_path: `${pay_path}/state`, check_path: pay_path }
}

/**
 * Another try than one that has failed. Of a hosted page it is a try of the same payment, else its answer shows on the page.
 */
function unansweredBeside(
  deps: Deps,
  link: Link,
  payment: PagePayment,
  known: Known | null,
  shop: Shop,
): Unanswered | null {
  if (known === null || known.unanswered === null) return null
  if (link.collection_id === payment.collection_id) {
    const path = paymentPath(shop, payment)
    return { poll_path: `${path}/state`, check_path: path, kind: known.unanswered, state: payment.status }
  }
  return { ...watchOf(shop), kind: known.unanswered, state: openName(deps, link, known) }
}

function failedScreen(
  link: Link,
  payment: PagePayment,
  shop: Shop,
  around: { may_retry: boolean; unanswered: Unanswered | null; watch: { poll_path: string; check_path: string } },
): Screen {
  const { may_retry, unanswered, watch } = around
  const reason_code = payment.failure_reason_code ?? 'unknown_provider_error'
  return {
    ...shop,
    screen: 'failed',
    reason_code,
    support_reference: link.reference ?? payment.collection_id,
    retry_path: may_retry ? shop.pay_path : null,
    check_path: watch.check_path,
    poll_path: DOUBTFUL.includes(reason_code) ? watch.poll_path : null,
    unanswered,
  }
}

function paidScreen(link: Link, payment: PagePayment, shop: Shop): Screen {
  const { collection_id, status } = payment
  const url = returnUrl(link.redirect_url, { reference: link.reference, collection_id, status })
  const redirect = url === null ? null : { url }
  return { ...shop, ...paidOf(link, payment), screen: 'paid', receipt_path: receiptPath(shop, payment), redirect }
}

function reversedScreen(link: Link, payment: PagePayment, shop: Shop): Screen {
  return { ...shop, ...paidOf(link, payment), screen: 'reversed', receipt_path: receiptPath(shop, payment) }
}

/** The address of a payment. */
export function paymentPath(shop: Pick<Shop, 'pay_path'>, { collection_id }: PagePayment): string {
  return `${shop.pay_path}/c/${collection_id}`
}

/** The address of its receipt. */
export function receiptPath(shop: Pick<Shop, 'pay_path'>, payment: PagePayment): string {
  return `${paymentPath(shop, payment)}/receipt`
}

/** What a stranger with the link may read of a payment, and what was taken, which may be another amount than was asked. */
export function paidOf(link: Link, payment: PagePayment): PaymentFacts & { amount_minor: bigint; currency: string } {
  return {
    ...takenOf(link, payment),
    // What becomes of a payment later, by a review or a reversal, does not change when it was made.
    paid_at: payment.arrived_at ?? payment.updated_at,
    method: payment.method ?? 'wallet_push',
    phone_masked: payment.phone === null ? null : maskPhone(payment.phone),
    provider_reference: payment.provider_id,
  }
}

/** What was taken: money in another currency as such, if no operator has stated its worth. */
function takenOf(link: Link, { amount_received_minor, foreign_amount_minor, foreign_currency }: PagePayment) {
  if (amount_received_minor === null && foreign_amount_minor !== null && foreign_currency !== null)
    return { amount_minor: foreign_amount_minor, currency: foreign_currency }
  return { amount_minor: amount_received_minor ?? link.amount_minor, currency: link.currency }
}
