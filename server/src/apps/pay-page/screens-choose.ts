// Renders the screen on which the payer chooses how to pay.

import { type Html, html, NETWORK_OF_PREFIX, plainLine, showTime } from '../../kernel/lib/index.ts'
import { payCard, type ScreenContent } from './layout.ts'
import {
  factList,
  localPath,
  merchantOf,
  merchantText,
  nowrap,
  offlineNotice,
  shownAmount,
  summary,
  unansweredBox,
} from './parts.ts'
import { pageTexts } from './texts.ts'
import type { ChooseScreen, FormProblem, PayMethod } from './view.ts'

/**
 * Returns the screen with every available way to pay. A single problem of a form stands at its field, which has the focus. Other
 * problems are in a list at the top.
 */
export function chooseScreen(view: ChooseScreen): ScreenContent {
  const { say, plain } = pageTexts(view.language)
  const until = view.expires_at && factList([[say('pay_before'), nowrap(showTime(view.expires_at, view.language))]])
  const phones = view.methods.filter((method) => method !== 'TANQR')
  const body = html`${problemList(view)}${summary(view, 'h1', until, 'brief')}${unansweredBox(view, view.unanswered)}${offlineNotice(view, view.unanswered ? 'offline_unanswered' : 'offline_unsent')}<div class="ways">
${phones.length > 0 && phoneWay(view, phones)}${view.methods.includes('TANQR') && qrWay(view)}</div>
${
  view.methods.length === 0 &&
  html`<p class="box">${say('no_method')}</p>
`
}${view.test && outcomeButtons(view)}${
  view.cancel_url &&
  html`<p><a class="tap" href="${view.cancel_url}">${say('cancel_to', { merchant: merchantOf(view) })}</a></p>
`
}`
  return {
    title: plain('pay_amount', { amount: shownAmount(view) }),
    body,
    wrong: view.problems.length > 0,
    has_offline: true,
    card: payCard(view),
    polling: view.unanswered && { ...view.unanswered, form: true },
  }
}

/** Returns true if the only problem of the form stands at its field. */
function isAtField({ problems, methods }: ChooseScreen): boolean {
  const phones = methods.filter((method) => method !== 'TANQR').length
  return problems.length === 1 && (problems[0]?.field === 'phone' ? phones > 0 : phones > 1)
}

function problemList(view: ChooseScreen): Html | null {
  if (view.problems.length === 0 || isAtField(view)) return null
  const { say } = pageTexts(view.language)
  return html`<div class="problems" role="alert" aria-labelledby="problems" tabindex="-1" autofocus>
<h2 id="problems">${say('there_is_a_problem')}</h2>
<ul>${view.problems.map(({ field, problem }) => html`<li>${problemLink(view, field, say(problem))}</li>`)}</ul>
</div>
`
}

/**
 * Returns a link from a problem to its field. If the page has no such field, the link leads to the section of the way to pay.
 * If the page has no way to pay, returns the sentence without a link.
 */
function problemLink(view: ChooseScreen, field: FormProblem['field'], sentence: Html): Html {
  const phones = view.methods.filter((method) => method !== 'TANQR').length
  if (view.methods.length === 0) return sentence
  const place = phones === 0 ? 'by-qr' : field === 'method' && phones === 1 ? 'by-phone' : field
  return html`<a class="tap" href="#${place}">${sentence}</a>`
}

function payForm(view: ChooseScreen, body: Html): Html {
  return html`<form method="post" action="${localPath(view, view.pay_path)}" novalidate>
<input type="hidden" name="idempotency_key" value="${view.idempotency_key}">
${body}</form>
`
}

function phoneWay(view: ChooseScreen, methods: readonly PayMethod[]): Html {
  const { say } = pageTexts(view.language)
  const body = html`${
    methods.length > 1
      ? accountKinds(view, methods)
      : html`<input type="hidden" name="method" value="${methods[0]}">
`
  }${methods.includes('WALLET_PUSH') && networkMarks(view)}${view.saved_phone_masked === null ? phoneField(view) : savedPhone(view, view.saved_phone_masked)}<button class="button first" type="submit">${say('pay_amount', { amount: shownAmount(view) })}</button>
${leads(view, methods)}<p class="hint">${say('no_pin_here')}</p>
`
  return html`<section class="way${methods.length > 1 && ' brief'}" aria-labelledby="by-phone">
<h2 id="by-phone">${say('by_phone')}</h2>
${payForm(view, body)}</section>
`
}

/**
 * Returns what happens after the payer sends the form. If the payer can choose the wallet, the style sheet shows the text of the
 * chosen method. A browser without `:has` shows the text about the prompt.
 */
function leads(view: ChooseScreen, methods: readonly PayMethod[]): Html {
  const { say } = pageTexts(view.language)
  const name = say('name_on_phone', { name: html`<strong>${merchantText(view.prompt_name, 'name')}</strong>` })
  const wallet = say(view.test ? 'by_wallet_lead_test' : 'by_wallet_lead', { wallet: merchantText(view.wallet_name) })
  return html`${
    methods.includes('WALLET_PUSH') &&
    html`<p class="hint of-push">${say(view.test ? 'by_phone_lead_test' : 'by_phone_lead')} ${name}</p>
`
  }${
    methods.includes('PROVIDER_PESA') &&
    html`<p class="hint${methods.length > 1 && ' of-wallet'}">${wallet} ${name}</p>
`
  }`
}

function accountKinds(view: ChooseScreen, methods: readonly PayMethod[]): Html {
  const { say } = pageTexts(view.language)
  const problem = view.problems.find(({ field }) => field === 'method')
  const focus = problem && isAtField(view)
  const chosen = methods.includes(view.typed.method as PayMethod) ? view.typed.method : methods[0]
  return html`<fieldset${problem && html` aria-describedby="method-problem"`}>
<legend class="unseen">${say('kind_of_account')}</legend>
${
  problem &&
  html`<p class="problem" id="method-problem">${say(problem.problem)}</p>
`
}<div class="kinds">${methods.map(
    (method, i) =>
      html`<label class="choice"><input type="radio" name="method" value="${method}"${i === 0 && html` id="method"`}${method === chosen && html` checked${focus && ' autofocus'}`}> <span>${
        method === 'WALLET_PUSH' ? say('from_network') : merchantText(view.wallet_name)
      }</span></label>
`,
  )}</div></fieldset>
`
}

/**
 * Returns the networks on one line, each with its prefixes. If the view has no networks, returns null. The script marks the network of the typed number, and warns about a
 * number of another network. The warning does not block the form, because customers can move numbers.
 */
function networkMarks(view: ChooseScreen): Html | null {
  if (view.help.length === 0) return null
  const marks = view.help.map(
    ({ code, name }, i) => html`${i > 0 && ' · '}<span data-prefixes="${prefixesOf(code)}">${shortName(name)}</span>`,
  )
  return html`<p class="marks" id="networks"><span class="unseen">${pageTexts(view.language).say('networks')}: </span>${marks}</p>
`
}

/** Returns the first word of a network's name, such as Airtel for Airtel Money. */
const shortName = (name: string) => plainLine(name, 30).split(' ')[0] ?? ''

const prefixesOf = (code: string) =>
  Object.keys(NETWORK_OF_PREFIX)
    .filter((prefix) => NETWORK_OF_PREFIX[prefix] === code)
    .join(' ')

function phoneField(view: ChooseScreen): Html {
  const { say } = pageTexts(view.language)
  const problem = view.problems.find(({ field }) => field === 'phone')
  return html`<div class="field">
<div class="over"><label for="phone">${say('phone_label')}</label> <span class="hint" id="phone-hint">${say('phone_hint')}</span></div>
${
  problem &&
  html`<p class="problem" id="phone-problem">${say(problem.problem)}</p>
`
}<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" maxlength="32" value="${view.typed.phone.slice(0, 32)}" aria-describedby="${problem && 'phone-problem '}phone-hint"${problem && html` aria-invalid="true"${isAtField(view) && ' autofocus'}`}>
<p class="hint" id="other-network" role="status" hidden>${say('other_network')}</p>
</div>
`
}

/**
 * Returns the masked phone number that the merchant sent. The server uses this number unless the payer enters another number.
 */
function savedPhone(view: ChooseScreen, masked: string): Html {
  const { say } = pageTexts(view.language)
  const typed = view.typed.phone !== '' || view.problems.some(({ field }) => field === 'phone')
  return html`<p>${say(view.test ? 'saved_phone_test' : 'saved_phone', { phone: html`<strong>${nowrap(masked)}</strong>` })}</p>
<details${typed && html` open`}>
<summary>${say('use_other_number')}</summary>
${phoneField(view)}</details>
`
}

function qrWay(view: ChooseScreen): Html {
  const { say } = pageTexts(view.language)
  const body = html`<input type="hidden" name="method" value="TANQR">
<button class="button second" type="submit">${say('show_qr')}</button>
`
  return html`<section class="way scan${view.methods.length > 1 && ' brief'}" aria-labelledby="by-qr">
<h2 id="by-qr">${say('by_qr')}</h2>
<p>${say('by_qr_lead')}</p>
${payForm(view, body)}</section>
`
}

/**
 * Returns a button for each outcome that the page can simulate. The last three digits of the phone number choose the outcome.
 * Null means that the page can simulate no outcome.
 */
function outcomeButtons(view: ChooseScreen): Html | null {
  const rows = view.test?.outcomes ?? []
  if (rows.length === 0 || !view.methods.includes('WALLET_PUSH')) return null
  const { say } = pageTexts(view.language)
  const body = html`<input type="hidden" name="method" value="WALLET_PUSH">
<ul class="outcomes">
${rows.map(
  ({ ending, phone, what }) =>
    html`<li><button type="submit" name="phone" value="${phone}"><b>${ending}</b> <span>${merchantText(what)}</span></button></li>
`,
)}</ul>
`
  return html`<details class="box">
<summary>${say('try_outcomes')}</summary>
<p>${say('try_outcomes_lead')}</p>
${payForm(view, body)}</details>
`
}
