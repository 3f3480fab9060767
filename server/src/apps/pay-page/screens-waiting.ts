// Waiting for a payer: for the prompt, for a scan, for an answer.

import { type Html, type HtmlValue, html, plainLine } from '../../kernel/lib/index.ts'
import type { Content, Watched } from './layout.ts'
import {
  amountOf,
  copyable,
  foreign,
  heading,
  lead,
  linkButton,
  local,
  networkHelp,
  state,
  summary,
  whole,
} from './parts.ts'
import { speaker } from './texts.ts'
import type { QrScreen, Shop, SlowScreen, WaitingScreen } from './view.ts'

/** A prompt is out: where to look, what to check, how long it waits. */
export function waitingScreen(view: WaitingScreen): Content {
  const t = speaker(view.language)
  const { say } = t
  const wallet = view.screen === 'waiting_wallet'
  const name = foreign(view.wallet_name)
  const phone = html`<strong>${whole(view.phone_masked)}</strong>`
  const check = say('step_check', {
    name: html`<strong>${foreign(view.prompt_name, 'name')}</strong>`,
    amount: html`<strong>${amountOf(view)}</strong>`,
  })
  const steps = wallet
    ? [say('step_sign_in', { wallet: name }), check, say('step_confirm')]
    : [say('step_open'), check, say('step_pin')]
  const title = wallet ? 'open_wallet' : 'check_phone'
  const body = html`<section class="state wait">
${wallet ? heading(say('open_wallet', { wallet: name })) : heading(say('check_phone'))}<p>${wallet ? say('request_sent', { phone }) : say('prompt_sent', { phone })}</p>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
<p class="hint">${say('no_pin_here')}</p>
${countdown(view)}${asking(view, view.check_path)}</section>
${noMessage(view)}${otherWay(view, view.other_way_path)}${summary(view)}`
  return {
    title:
      title === 'open_wallet' ? t.plain('open_wallet', { wallet: plainLine(view.wallet_name, 40) }) : t.plain(title),
    body,
    watched: {
      ...watched(view),
      countdown: { remaining_s: whole_s(view.remaining_s), total_s: whole_s(view.total_s) },
    },
  }
}

const whole_s = (seconds: number) => Math.max(0, Math.round(seconds))

/** Only the script can count, so only the script shows it. What it says aloud is in the status region. */
function countdown(view: Shop): Html {
  return html`<div class="countdown" id="countdown" hidden aria-hidden="true">
<p>${speaker(view.language).say('time_left')} <b id="clock"></b></p>
<div class="bar"><span id="bar"></span></div>
</div>
`
}

function watched(view: { poll_path: string; check_path: string; screen: string }): Watched {
  return { poll_path: view.poll_path, check_path: view.check_path, state: view.screen }
}

/** How the page goes on: by itself with the script, every 15 seconds without, and by this button always. */
function asking(view: Shop, check_path: string): Html {
  const { say } = speaker(view.language)
  return html`<p class="box warn" id="offline" hidden>${say('offline')}</p>
<p class="box warn" id="stopped" hidden>${say('stopped')}</p>
${linkButton(local(view, check_path), say('i_have_paid'))}<p class="hint" id="moves-on" hidden>${say('moves_on')}</p>
<noscript><p class="hint">${say('refreshes')}</p></noscript>
`
}

function noMessage(view: WaitingScreen): Html {
  const { say } = speaker(view.language)
  const push = view.screen === 'waiting_push' && view.help.length > 0
  return html`<details class="box">
<summary>${say('no_message')}</summary>
<ul class="bullets"><li>${say('help_phone')}</li><li>${say('help_balance', { amount: amountOf(view) })}</li></ul>
${
  push &&
  html`<p>${say('help_menu')}</p>
${networkHelp(view)}`
}</details>
`
}

function otherWay(view: Shop, path: string): Html {
  const { say } = speaker(view.language)
  return html`<p class="other"><a class="tap" href="${local(view, path)}">${say('other_way')}</a><br>
<span class="hint">${say('other_way_warning')}</span></p>
`
}

/** A QR, for another phone to scan or for the gallery of this one. */
export function qrScreen(view: QrScreen): Content {
  const t = speaker(view.language)
  const { say } = t
  const body = html`<section class="state wait">
${heading(say('scan_qr'))}<p>${say('scan_qr_lead')}</p>
${
  view.test &&
  html`<p class="hint">${say('qr_rehearsal')}</p>
`
}<div class="code">${view.svg}</div>
<p class="amount">${amountOf(view)}</p>
<p>${say('name_on_phone', { name: html`<strong>${foreign(view.prompt_name, 'name')}</strong>` })}</p>
<p class="token">${say('qr_token')}: ${copyable(view, view.payment_token)}</p>
<p class="hint">${say('qr_same_phone')}</p>
<p><a class="button second" href="${view.picture_path}" download="qr.png">${say('qr_save')}</a></p>
${asking(view, view.check_path)}</section>
${otherWay(view, view.other_way_path)}${summary(view)}`
  return { title: t.plain('scan_qr'), body, watched: watched(view) }
}

/** No answer after the countdown: not a failure, and no reason to pay again. */
export function slowScreen(view: SlowScreen): Content {
  const t = speaker(view.language)
  const { say } = t
  const rest = html`${lead(t, 'still_waiting_lead')}<p><strong>${say('do_not_pay_again')}</strong></p>
${asking(view, view.check_path)}`
  const body = html`${state('wait', say('still_waiting'), rest)}${again(view)}${otherWay(view, view.other_way_path)}${summary(view)}`
  return { title: t.plain('still_waiting'), body, watched: watched(view) }
}

function again(view: SlowScreen): HtmlValue {
  if (view.again === null || view.phone_masked === null) return null
  const { say } = speaker(view.language)
  return html`<section class="box">
<p>${say('send_again_lead', { phone: html`<strong>${whole(view.phone_masked)}</strong>` })}</p>
<form method="post" action="${local(view, view.pay_path)}">
<input type="hidden" name="idempotency_key" value="${view.again.idempotency_key}">
<input type="hidden" name="again" value="${view.collection_id}">
<button class="button second" type="submit">${say('send_again')}</button>
</form>
</section>
`
}
