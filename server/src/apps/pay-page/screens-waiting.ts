// Renders the screens on which a payer waits for a prompt, a scan or an answer.

import { type Html, type HtmlValue, html, plainLine } from '../../kernel/lib/index.ts'
import type { Polling, ScreenContent } from './layout.ts'
import {
  againForm,
  copyable,
  endOfPrompt,
  heading,
  linkButton,
  localPath,
  merchantOf,
  merchantText,
  networkHelp,
  nowrap,
  offlineNotice,
  shownAmount,
  stateSection,
  summary,
  testHelp,
} from './parts.ts'
import { pageTexts } from './texts.ts'
import type { MerchantFrame, QrScreen, SlowScreen, WaitingScreen } from './view.ts'

/**
 * Returns the screen while a prompt is open. The screen explains how to confirm the prompt, and the script shows the time that
 * is left.
 */
export function waitingScreen(view: WaitingScreen): ScreenContent {
  const t = pageTexts(view.language)
  const { say } = t
  const wallet = view.screen === 'waiting_wallet'
  const name = merchantText(view.wallet_name)
  const phone = html`<strong>${nowrap(view.phone_masked)}</strong>`
  const check = say('step_check', {
    name: html`<strong>${merchantText(view.prompt_name, 'name')}</strong>`,
    amount: html`<strong>${shownAmount(view)}</strong>`,
  })
  const steps = wallet
    ? [say('step_sign_in', { wallet: name }), check, say('step_confirm')]
    : [say('step_open'), check, say('step_pin')]
  const title = wallet ? 'open_wallet' : 'check_phone'
  // The server sends nothing to the phone in a test.
  const sent = view.test === null ? (wallet ? 'request_sent' : 'prompt_sent') : wallet ? 'request_test' : 'prompt_test'
  const body = html`<section class="state wait">
${wallet ? heading(say('open_wallet', { wallet: name })) : heading(say('check_phone'))}<p>${say(sent, { phone })}</p>
${simulateForm(view, view.check_path)}${
  view.test &&
  html`<p>${say('test_steps')}</p>
`
}<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
<p class="hint">${say('no_pin_here')}</p>
${countdownBar(view)}${pollingNotice(view, view.check_path)}</section>
${noMessage(view)}<p class="other hint">${say('other_way_later', { time: endOfPrompt(view.ends_at) })}</p>
${summary(view)}`
  return {
    title:
      title === 'open_wallet' ? t.plain('open_wallet', { wallet: plainLine(view.wallet_name, 40) }) : t.plain(title),
    body,
    has_offline: true,
    polling: {
      ...pollingOf(view),
      countdown: { remaining_s: wholeSeconds(view.remaining_s), total_s: wholeSeconds(view.total_s) },
    },
  }
}

const wholeSeconds = (seconds: number) => Math.max(0, Math.round(seconds))

/** Returns the countdown, which only the script shows. Screen readers read the status text instead. */
function countdownBar(view: MerchantFrame): Html {
  return html`<div class="countdown" id="countdown" hidden aria-hidden="true">
<p>${pageTexts(view.language).say('time_left')} <b id="clock"></b></p>
<div class="bar"><span id="bar"></span></div>
</div>
`
}

function pollingOf(view: { poll_path: string; check_path: string; screen: string }): Polling {
  return { poll_path: view.poll_path, check_path: view.check_path, state: view.screen }
}

/** Returns the ways to update the page: the script, a refresh every 15 seconds without the script, and a button. */
function pollingNotice(view: MerchantFrame, check_path: string): Html {
  const { say } = pageTexts(view.language)
  return html`${offlineNotice(view, 'offline', 'offline_tap')}<p class="box warn" id="stopped" hidden>${say('stopped')}</p>
${linkButton(localPath(view, check_path), say('i_have_paid'))}<p class="hint" id="moves-on" hidden>${say('moves_on')}</p>
<noscript><p class="hint">${say('refreshes')}</p></noscript>
`
}

function noMessage(view: WaitingScreen): Html {
  const { say } = pageTexts(view.language)
  const push = view.screen === 'waiting_push' && view.help.length > 0
  const test_help = testHelp(view)
  if (test_help !== null)
    return html`<details class="box">
<summary>${say('no_message')}</summary>
${test_help}</details>
`
  return html`<details class="box">
<summary>${say('no_message')}</summary>
<ul class="bullets"><li>${say('help_phone')}</li><li>${say('help_balance', { amount: shownAmount(view) })}</li></ul>
${
  push &&
  html`<p>${say('help_menu')}</p>
${networkHelp(view)}`
}</details>
`
}

function otherWay(
  view: MerchantFrame,
  path: string,
  warning: 'other_way_warning' | 'other_way_warning_code' = 'other_way_warning',
): Html {
  const { say } = pageTexts(view.language)
  return html`<p class="other"><a class="tap" href="${localPath(view, path)}">${say('other_way')}</a><br>
<span class="hint">${say(warning)}</span></p>
`
}

/**
 * Returns the buttons with which the payer chooses the outcome of a simulation. On a page for real money, returns null.
 */
function simulateForm(view: MerchantFrame, check_path: string): Html | null {
  if (view.test === null || view.test.outcomes.length === 0) return null
  const { say } = pageTexts(view.language)
  return html`<section class="box">
<p>${say('simulate_lead')}</p>
<form method="post" action="${localPath(view, `${check_path}/simulate`)}">
<button class="button second" type="submit" name="outcome" value="successful">${say('simulate_paid')}</button>
<button class="button second" type="submit" name="outcome" value="failed">${say('simulate_failed')}</button>
</form>
</section>
`
}

/** Returns the screen of a QR code. The payer scans the code with another phone, or saves it as a picture on this phone. */
export function qrScreen(view: QrScreen): ScreenContent {
  const t = pageTexts(view.language)
  const { say } = t
  const body = html`<section class="state wait">
${heading(say('scan_qr'))}<p>${say('scan_qr_lead')}</p>
${
  view.test &&
  html`<p class="hint">${view.phone_masked === null ? say('qr_rehearsal') : say('qr_rehearsal_phone', { phone: nowrap(view.phone_masked) })}</p>
`
}${simulateForm(view, view.check_path)}<div class="code">${view.svg}</div>
<p class="amount">${shownAmount(view)}</p>
<p>${say('name_on_phone', { name: html`<strong>${merchantText(view.prompt_name, 'name')}</strong>` })}</p>
<p class="token">${say('qr_token')}: ${copyable(view, view.payment_token)}</p>
<p class="hint">${say('qr_same_phone')}</p>
<p><a class="button second" href="${view.picture_path}" download="qr.png">${say('qr_save')}</a></p>
${pollingNotice(view, view.check_path)}</section>
${otherWay(view, view.other_way_path, 'other_way_warning_code')}${summary(view)}`
  return { title: t.plain('scan_qr'), body, has_offline: true, polling: pollingOf(view) }
}

/**
 * Returns the screen of an open prompt after its countdown, or of an open QR code of a link that accepts no more payments. The
 * payment has not failed, and the payer must not pay again.
 */
export function slowScreen(view: SlowScreen): ScreenContent {
  const t = pageTexts(view.language)
  const { say } = t
  const is_code = view.kind === 'code'
  const lead = is_code
    ? say('still_waiting_code_lead', { merchant: merchantOf(view) })
    : say(view.test ? 'still_waiting_lead_test' : 'still_waiting_lead')
  const rest = html`<p>${lead}</p>
<p><strong>${say(is_code ? 'do_not_pay_again_code' : 'do_not_pay_again')}</strong></p>
${simulateForm(view, view.check_path)}${pollingNotice(view, view.check_path)}`
  const body = html`${stateSection('wait', say('still_waiting'), rest)}${resendForm(view)}${view.other_way_path && otherWay(view, view.other_way_path)}${summary(view)}`
  return { title: t.plain('still_waiting'), body, has_offline: true, polling: pollingOf(view) }
}

function resendForm(view: SlowScreen): HtmlValue {
  if (view.again === null || view.phone_masked === null) return null
  const { say } = pageTexts(view.language)
  return html`<section class="box">
<p>${say(view.test ? 'send_again_lead_test' : 'send_again_lead', { phone: html`<strong>${nowrap(view.phone_masked)}</strong>` })}</p>
${againForm(view, { ...view.again, collection_id: view.collection_id }, say('send_again'))}</section>
`
}
