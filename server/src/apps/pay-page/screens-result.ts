// Renders the screens of payments that have ended, of held payments and of paid links, and the screen with the instructions of
// each network.

import { type Html, html, showTime } from '../../kernel/lib/index.ts'
import type { ScreenContent } from './layout.ts'
import {
  againForm,
  contactOf,
  copyable,
  factList,
  heading,
  linkButton,
  localPath,
  merchantOf,
  merchantText,
  networkHelp,
  nowrap,
  paragraph,
  shownAmount,
  stateSection,
  summary,
  testHelp,
  unansweredBox,
} from './parts.ts'
import { type PlainTextKey, pageTexts } from './texts.ts'
import type {
  FailedScreen,
  HelpScreen,
  MerchantFrame,
  PaidScreen,
  PaymentFacts,
  ReversedScreen,
  ReviewScreen,
  SuccessScreen,
} from './view.ts'

/**
 * Returns the rows of a fact list with the time, the method, the masked phone number and the provider's reference of a payment.
 */
export function paymentRows(view: MerchantFrame & PaymentFacts) {
  const { say } = pageTexts(view.language)
  const method =
    view.method === 'provider_pesa'
      ? merchantText(view.wallet_name)
      : say(view.method === 'qr' ? 'method_qr' : 'method_wallet_push')
  return [
    [say('paid_at'), nowrap(showTime(view.paid_at, view.language))],
    [say('method'), method],
    [say('paying_phone'), view.phone_masked && nowrap(view.phone_masked)],
    [say('provider_reference'), view.provider_reference && merchantText(view.provider_reference)],
  ] as const
}

/** Returns the screen of a successful payment, with links to the receipt and back to the merchant. */
export function successScreen(view: SuccessScreen): ScreenContent {
  const t = pageTexts(view.language)
  const merchant = merchantOf(view)
  const rest = html`<p>${t.say('success_lead', { amount: html`<strong>${shownAmount(view)}</strong>`, merchant })}</p>
${view.redirect && returnLink(view, view.redirect)}${linkButton(localPath(view, view.receipt_path), t.say('open_receipt'), view.redirect ? 'second' : 'first')}`
  const body = html`${stateSection('good', t.say('success'), rest)}${summary(view, 'p', factList(paymentRows(view)))}${
    view.test === null &&
    html`<p class="other hint">${t.say('sms_is_proof')}</p>
`
  }`
  return { title: t.plain('success'), body }
}

/**
 * Returns the link back to the merchant. If `auto` is true, the script follows the link after five seconds unless the payer
 * chooses to stay.
 */
function returnLink(view: MerchantFrame, { url, auto }: { url: string; auto: boolean }): Html {
  const { say } = pageTexts(view.language)
  const merchant = merchantOf(view)
  return html`<a class="button first" id="back"${auto && html` data-auto`} href="${url}">${say('back_to', { merchant })}</a>
${
  auto &&
  html`<div id="leaving" hidden>
<p>${say('going_back', { merchant })}</p>
<p><button type="button" class="small" id="stay">${say('stay')}</button></p>
</div>
`
}`
}

type FailureTexts = {
  why: PlainTextKey | 'why_review_declined'
  /**
   * The text that the page shows if another attempt can still take money. The text says only that this attempt took no money.
   */
  why_unanswered?: PlainTextKey
  /** The text after a payment by QR, which concerns no mobile network and no number. The text says only what this QR brought. */
  why_code?: PlainTextKey
  way: 'try_again' | 'use_other_number' | 'use_other_way' | 'check_status'
}

/** The text and the next step of each known failure reason. For any other reason, the page shows `why_unknown`. */
const REASONS: Readonly<Record<string, FailureTexts>> = {
  user_cancelled: { why: 'why_user_cancelled', why_unanswered: 'unanswered_user_cancelled', way: 'try_again' },
  wrong_pin: { why: 'why_wrong_pin', why_unanswered: 'unanswered_wrong_pin', way: 'try_again' },
  insufficient_balance: {
    why: 'why_insufficient_balance',
    why_unanswered: 'unanswered_insufficient_balance',
    why_code: 'code_insufficient_balance',
    way: 'use_other_number',
  },
  provider_declined: {
    why: 'why_provider_declined',
    why_unanswered: 'unanswered_provider_declined',
    why_code: 'code_provider_declined',
    way: 'use_other_way',
  },
  provider_unavailable: {
    why: 'why_provider_unavailable',
    why_unanswered: 'unanswered_provider_unavailable',
    why_code: 'code_provider_unavailable',
    way: 'use_other_way',
  },
  expired: { why: 'why_expired', why_unanswered: 'unanswered_expired', why_code: 'code_expired', way: 'try_again' },
  timeout: { why: 'why_timeout', way: 'check_status' },
  review_declined: { why: 'why_review_declined', way: 'check_status' },
}

/**
 * Returns the screen of a failed payment. After a timeout, an unknown reason or a declined review, the next step is to check
 * the status.
 */
export function failedScreen(view: FailedScreen): ScreenContent {
  const t = pageTexts(view.language)
  const reason = Object.hasOwn(REASONS, view.reason_code) ? REASONS[view.reason_code] : undefined
  const merchant = merchantOf(view)
  const is_code = view.kind === 'code'
  const sentence = reason
    ? reason.why === 'why_review_declined'
      ? t.say(reason.why, { merchant })
      : t.say((is_code && reason.why_code) || (view.unanswered && reason.why_unanswered) || reason.why)
    : t.say('why_unknown', { merchant, reference: merchantText(view.support_reference, 'reference') })
  const known_way = reason?.way ?? 'check_status'
  const way = is_code && known_way === 'use_other_number' ? 'use_other_way' : known_way
  const target = way === 'check_status' ? view.check_path : view.retry_path
  // After an expired QR code, the payer continues at the section of the QR code.
  const place = is_code && way === 'try_again' ? '#by-qr' : ''
  // After a wrong PIN, a cancelled prompt or an expired prompt, the payer need not type the same number again.
  const again = way === 'try_again' ? view.again : null
  const phone = again && html`<strong>${nowrap(again.phone_masked)}</strong>`
  const rest = html`<p>${sentence}</p>
${view.simulator_chose && paragraph(t, 'test_result')}${unansweredBox(view, view.unanswered)}${again && againForm(view, again, t.say('try_again_on', { phone }), 'first')}${target && linkButton(localPath(view, target) + place, t.say(again ? 'other_way' : way), view.unanswered || again ? 'second' : 'first')}${view.back_url && linkButton(view.back_url, t.say('back_to', { merchant }), 'second')}`
  const body = html`${stateSection('bad', t.say('failure'), rest)}${summary(view)}`
  const { poll_path, check_path } = view
  return {
    title: t.plain('failure'),
    body,
    polling: view.unanswered ?? (poll_path === null ? null : { poll_path, check_path, state: view.screen }),
  }
}

/**
 * Returns the screen of a held payment, which an operator must review. The payer must not pay again. The screen says what happens
 * next, and with which number to ask the merchant.
 */
export function reviewScreen(view: ReviewScreen): ScreenContent {
  const t = pageTexts(view.language)
  const merchant = merchantOf(view)
  const number = copyable(view, view.reference ?? view.collection_id)
  const contact = contactOf(view)
  const rest = html`<p><strong>${t.say('review_lead')}</strong></p>
<p>${t.say('review_next', { merchant })}</p>
${linkButton(localPath(view, view.check_path), t.say('check_status'))}<p>${t.say('review_ask', { merchant })}</p>
<p>${t.say(view.reference === null ? 'payment_id' : 'reference')}: ${number}</p>
${
  contact &&
  html`<p>${contact}</p>
`
}`
  const body = html`${stateSection('wait', t.say('review'), rest)}${summary(view)}`
  const { poll_path, check_path } = view
  return {
    title: t.plain('review'),
    body,
    has_contact: true,
    polling: { poll_path, check_path, state: view.screen },
  }
}

/** Returns the screen of a payment whose money the provider returned to the payer. */
export function reversedScreen(view: ReversedScreen): ScreenContent {
  const t = pageTexts(view.language)
  const rest = html`<p>${t.say('reversed_lead', { merchant: merchantOf(view) })}</p>
${linkButton(localPath(view, view.receipt_path), t.say('open_receipt'), 'second')}`
  const body = html`${stateSection('note', t.say('reversed'), rest)}${summary(view, 'p', factList(paymentRows(view)))}`
  return { title: t.plain('reversed'), body }
}

/** Returns the screen of a paid link. The screen shows only the masked phone number of the payer. */
export function paidScreen(view: PaidScreen): ScreenContent {
  const t = pageTexts(view.language)
  const merchant = merchantOf(view)
  const rest = html`<p>${t.say('paid_lead', { merchant })}</p>
${view.redirect && linkButton(view.redirect.url, t.say('back_to', { merchant }))}${linkButton(localPath(view, view.receipt_path), t.say('open_receipt'), view.redirect ? 'second' : 'first')}`
  const body = html`${stateSection('good', t.say('paid'), rest)}${summary(view, 'p', factList(paymentRows(view)))}`
  return { title: t.plain('paid'), body }
}

/** Returns the screen with the instructions of each network. In a test, the screen first says how the test ends. */
export function helpScreen(view: HelpScreen): ScreenContent {
  const t = pageTexts(view.language)
  const test = testHelp(view)
  const lead = test === null ? paragraph(t, 'help_lead') : html`${test}${paragraph(t, 'help_real')}`
  const steps = html`${lead}${networkHelp(view)}<ul class="bullets"><li>${t.say('help_phone')}</li><li>${t.say('help_balance', { amount: shownAmount(view) })}</li></ul>
`
  const body = html`<section class="state">
${heading(t.say('help'))}${steps}${linkButton(localPath(view, view.pay_path), t.say('back_to_payment'))}</section>
`
  return { title: t.plain('help'), body, is_help: true }
}
