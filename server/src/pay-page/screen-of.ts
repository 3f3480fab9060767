// From what is true of a page and its payments to the screen that says so: any address shows the true state.

import type { PagePayment } from '../collections/index.ts'
import type { Deps } from '../db/index.ts'
import { maskPhone } from '../lib/index.ts'
import { isOver, type Link, promptLeft, statusAt } from '../payment-links/index.ts'
import { returnUrl } from './return-url.ts'
import type { PayMethod, PaymentFacts, Problem, Screen, Shop } from './view.ts'

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

/** The name of the screen of a page that was opened at its own address, given its newest payment and the one that paid it. */
export function openName(deps: Deps, link: Link, latest: PagePayment | null, paid: PagePayment | null) {
  const status = statusAt(link, deps.clock.now())
  if (status === 'PAID') return paid?.status === 'reversed' ? 'reversed' : 'paid'
  if (latest?.status === 'pending_clearance') return 'review'
  if (latest !== null && promptLeft(deps, latest) > 0) return 'in_progress'
  if (status === 'ACTIVE') return isOver(link, latest) ? 'failed' : 'choose'
  return status === 'EXPIRED' ? 'expired' : 'cancelled'
}

/** The name of the screen of one payment. */
export function paymentName(deps: Deps, link: Link, payment: PagePayment) {
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
      if (payment.qr_payload !== null && statusAt(link, deps.clock.now()) === 'ACTIVE') return 'qr'
      if (promptLeft(deps, payment) === 0) return 'slow'
      return payment.method === 'provider_pesa' ? 'waiting_wallet' : 'waiting_push'
  }
}

/** The screen at the address of the page itself. */
export function openScreen(
  deps: Deps,
  link: Link,
  { latest, paid }: { latest: PagePayment | null; paid: PagePayment | null },
  around: Around,
  typed: Typed | null,
): Screen {
  const { shop } = around
  const watch = { poll_path: `${shop.pay_path}/state`, check_path: shop.pay_path }
  const screen = openName(deps, link, latest, paid)
  switch (screen) {
    case 'paid':
      return paidScreen(link, paid as PagePayment, shop)
    case 'reversed':
      return reversedScreen(link, paid as PagePayment, shop)
    case 'review':
      return { ...shop, screen, ...watch }
    case 'in_progress':
      return { ...shop, screen, ...watch }
    case 'expired':
    case 'cancelled':
      return { ...shop, screen, expired_at: link.expires_at }
    case 'failed':
      return failedScreen(link, latest as PagePayment, shop, false)
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
        unanswered_path: latest?.status === 'processing' ? paymentPath(shop, latest) : null,
      }
  }
}

/** The screen of one payment. */
export function paymentScreen(
  deps: Deps,
  link: Link,
  payment: PagePayment,
  around: Around,
  drawQr: (payload: string) => Extract<Screen, { screen: 'qr' }>['svg'],
): Screen {
  const { shop } = around
  const path = paymentPath(shop, payment)
  const watch = { poll_path: `${path}/state`, check_path: path }
  const open = statusAt(link, deps.clock.now()) === 'ACTIVE'
  const { collection_id } = payment
  const phone_masked = payment.phone === null ? null : maskPhone(payment.phone)
  const screen = paymentName(deps, link, payment)
  switch (screen) {
    case 'success': {
      const url = returnUrl(link.redirect_url, { reference: link.reference, collection_id, status: payment.status })
      const auto = deps.clock.now().getTime() - paidOf(link, payment).paid_at.getTime() < JUST_NOW_MS
      const redirect = url === null ? null : { url, auto }
      return { ...shop, ...paidOf(link, payment), screen, receipt_path: receiptPath(shop, payment), redirect }
    }
    case 'reversed':
      return reversedScreen(link, payment, shop)
    case 'review':
      return { ...shop, screen, ...watch }
    case 'failed':
      return failedScreen(link, payment, shop, open && !isOver(link, payment))
    case 'choose':
      return openScreen(deps, link, { latest: payment, paid: null }, around, null)
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

function failedScreen(link: Link, payment: PagePayment, shop: Shop, may_retry: boolean): Screen {
  const path = paymentPath(shop, payment)
  const reason_code = payment.failure_reason_code ?? 'unknown_provider_error'
  return {
    ...shop,
    screen: 'failed',
    reason_code,
    support_reference: link.reference ?? payment.collection_id,
    retry_path: may_retry ? shop.pay_path : null,
    check_path: path,
    poll_path: DOUBTFUL.includes(reason_code) ? `${path}/state` : null,
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
export function paidOf(link: Link, payment: PagePayment): PaymentFacts & { amount_minor: bigint } {
  // What becomes of a payment later does not change when it was made.
  const paid_at = link.paid_collection_id === payment.collection_id ? link.paid_at : null
  return {
    amount_minor: payment.amount_received_minor ?? link.amount_minor,
    paid_at: paid_at ?? payment.updated_at,
    method: payment.method ?? 'wallet_push',
    phone_masked: payment.phone === null ? null : maskPhone(payment.phone),
    provider_reference: payment.provider_id,
  }
}
