// How a payment ended.

import { type Html, html, showTime } from '../../kernel/lib/index.ts'
import type { Content } from './layout.ts'
import {
  amountOf,
  facts,
  foreign,
  heading,
  lead,
  linkButton,
  local,
  merchantOf,
  networkHelp,
  state,
  summary,
  unansweredBox,
  whole,
} from './parts.ts'
import { type PlainKey, speaker } from './texts.ts'
import type {
  FailedScreen,
  HelpScreen,
  PaidScreen,
  PaymentFacts,
  ReversedScreen,
  ReviewScreen,
  Shop,
  SuccessScreen,
} from './view.ts'

/** How a payment was made, for whoever has the link. */
export function paymentRows(view: Shop & PaymentFacts) {
  const { say } = speaker(view.language)
  const method =
    view.method === 'provider_pesa'
      ? foreign(view.wallet_name)
      : say(view.method === 'qr' ? 'method_qr' : 'method_wallet_push')
  return [
    [say('paid_at'), whole(showTime(view.paid_at, view.language))],
    [say('method'), method],
    [say('paying_phone'), view.phone_masked && whole(view.phone_masked)],
    [say('provider_reference'), view.provider_reference && foreign(view.provider_reference)],
  ] as const
}

/** Paid. */
export function successScreen(view: SuccessScreen): Content {
  const t = speaker(view.language)
  const merchant = merchantOf(view)
  const rest = html`<p>${t.say('success_lead', { amount: html`<strong>${amountOf(view)}</strong>`, merchant })}</p>
${view.redirect && goBack(view, view.redirect)}${linkButton(local(view, view.receipt_path), t.say('open_receipt'), view.redirect ? 'second' : 'first')}`
  const body = html`${state('good', t.say('success'), rest)}${summary(view, 'p', facts(paymentRows(view)))}<p class="other hint">${t.say('sms_is_proof')}</p>
`
  return { title: t.plain('success'), body }
}

/** A link; the script also follows it after five seconds, unless the payer stays. */
function goBack(view: Shop, { url, auto }: { url: string; auto: boolean }): Html {
  const { say } = speaker(view.language)
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

type Reason = {
  why: PlainKey | 'why_review_declined'
  /** Said while another try may still take money: only of this one is it known that it took none. */
  beside?: PlainKey
  way: 'try_again' | 'use_other_number' | 'use_other_way' | 'check_status'
}

/** What the payer reads for each reason, and the one way on. Whether money moved is said in each. */
const REASONS: Readonly<Record<string, Reason>> = {
  user_cancelled: { why: 'why_user_cancelled', beside: 'beside_user_cancelled', way: 'try_again' },
  wrong_pin: { why: 'why_wrong_pin', beside: 'beside_wrong_pin', way: 'try_again' },
  insufficient_balance: {
    why: 'why_insufficient_balance',
    beside: 'beside_insufficient_balance',
    way: 'use_other_number',
  },
  provider_declined: { why: 'why_provider_declined', beside: 'beside_provider_declined', way: 'use_other_way' },
  provider_unavailable: {
    why: 'why_provider_unavailable',
    beside: 'beside_provider_unavailable',
    way: 'use_other_way',
  },
  expired: { why: 'why_expired', beside: 'beside_expired', way: 'try_again' },
  timeout: { why: 'why_timeout', way: 'check_status' },
  review_declined: { why: 'why_review_declined', way: 'check_status' },
}

/** Not paid. Where money may have left all the same, the way on is to look, never to pay again. */
export function failedScreen(view: FailedScreen): Content {
  const t = speaker(view.language)
  const reason = Object.hasOwn(REASONS, view.reason_code) ? REASONS[view.reason_code] : undefined
  const merchant = merchantOf(view)
  const sentence = reason
    ? reason.why === 'why_review_declined'
      ? t.say(reason.why, { merchant })
      : t.say((view.unanswered && reason.beside) || reason.why)
    : t.say('why_unknown', { merchant, reference: foreign(view.support_reference, 'reference') })
  const way = reason?.way ?? 'check_status'
  const target = way === 'check_status' ? view.check_path : view.retry_path
  const rest = html`<p>${sentence}</p>
${unansweredBox(view, view.unanswered)}${target && linkButton(local(view, target), t.say(way), view.unanswered ? 'second' : 'first')}`
  const body = html`${state('bad', t.say('failure'), rest)}${summary(view)}`
  const { poll_path, check_path } = view
  return {
    title: t.plain('failure'),
    body,
    watched: view.unanswered ?? (poll_path === null ? null : { poll_path, check_path, state: view.screen }),
  }
}

/** Held for an operator. */
export function reviewScreen(view: ReviewScreen): Content {
  const t = speaker(view.language)
  const body = html`${state(
    'wait',
    t.say('review'),
    html`${lead(t, 'review_lead')}${linkButton(local(view, view.check_path), t.say('check_status'))}`,
  )}${summary(view)}`
  const { poll_path, check_path } = view
  return { title: t.plain('review'), body, watched: { poll_path, check_path, state: view.screen } }
}

/** Given back to the payer. */
export function reversedScreen(view: ReversedScreen): Content {
  const t = speaker(view.language)
  const rest = html`<p>${t.say('reversed_lead', { merchant: merchantOf(view) })}</p>
${linkButton(local(view, view.receipt_path), t.say('open_receipt'), 'second')}`
  const body = html`${state('note', t.say('reversed'), rest)}${summary(view, 'p', facts(paymentRows(view)))}`
  return { title: t.plain('reversed'), body }
}

/** Somebody has paid. */
export function paidScreen(view: PaidScreen): Content {
  const t = speaker(view.language)
  const merchant = merchantOf(view)
  const rest = html`<p>${t.say('paid_lead', { merchant })}</p>
${view.redirect && linkButton(view.redirect.url, t.say('back_to', { merchant }))}${linkButton(local(view, view.receipt_path), t.say('open_receipt'), view.redirect ? 'second' : 'first')}`
  const body = html`${state('good', t.say('paid'), rest)}${summary(view, 'p', facts(paymentRows(view)))}`
  return { title: t.plain('paid'), body }
}

/** What to do on each network. */
export function helpScreen(view: HelpScreen): Content {
  const t = speaker(view.language)
  const body = html`<section class="state">
${heading(t.say('help'))}${lead(t, 'help_lead')}${networkHelp(view)}<ul class="bullets"><li>${t.say('help_phone')}</li><li>${t.say('help_balance', { amount: amountOf(view) })}</li></ul>
${linkButton(local(view, view.pay_path), t.say('back_to_payment'))}</section>
`
  return { title: t.plain('help'), body }
}
