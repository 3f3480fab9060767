// Makes the parts of pages that several screens of the pay page share.

import { type Html, type HtmlValue, html, plainLine, showAmount, showTimeOfDay } from '../../kernel/lib/index.ts'
import { type PageTexts, type PlainTextKey, pageTexts, pathInLanguage } from './texts.ts'
import type { Frame, MerchantFrame, UnansweredNotice } from './view.ts'

/** The highest number of characters that a page shows of each text of a merchant. */
const MAX = { name: 80, description: 240, reference: 80, other: 160 } as const

/**
 * Returns a merchant's text as one line with isolated text direction. The function cuts a long text, so that the amount stays
 * visible on the screen.
 */
export function merchantText(text: string, kind: keyof typeof MAX = 'other'): Html {
  return html`<bdi>${plainLine(text, MAX[kind])}</bdi>`
}

/** Returns the name of the merchant as HTML, cut to 80 characters. */
export function merchantOf(view: MerchantFrame): Html {
  return merchantText(view.merchant_name, 'name')
}

/** Returns the name of the merchant as plain text, cut to 80 characters. */
export function plainMerchant(view: MerchantFrame): string {
  return plainLine(view.merchant_name, MAX.name)
}

/** Returns the amount that the payer pays, with its currency. */
export function shownAmount(view: MerchantFrame): string {
  return showAmount(view.amount_minor, view.currency)
}

/** Returns a value that the browser must not break into two lines, such as a phone number. */
export function nowrap(text: string): Html {
  return html`<span class="whole">${text}</span>`
}

const MINUTE_MS = 60_000

/** Rounds a time up to a whole minute, so that a limit has ended at the time that the page shows. */
export function fullMinute(time: Date): Date {
  return new Date(Math.ceil(time.getTime() / MINUTE_MS) * MINUTE_MS)
}

/** Returns the time of day, rounded up to a whole minute, until which a payer waits for the end of a prompt. */
export function endOfPrompt(ends_at: Date): Html {
  return html`<strong>${nowrap(showTimeOfDay(fullMinute(ends_at)))}</strong>`
}

/** Appends the language of this page to a path of the pay page. */
export function localPath(view: Frame, path: string): string {
  return pathInLanguage(path, view.language)
}

/** Returns a link that looks like a button. If a screen has two buttons, `second` marks the less important button. */
export function linkButton(href: string, text: HtmlValue, kind: 'first' | 'second' = 'first'): Html {
  return html`<a class="button ${kind}" href="${href}">${text}</a>
`
}

/** Returns the rows of names and values as a list, without the rows whose value is null, undefined or false. */
export function factList(rows: readonly (readonly [name: HtmlValue, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false)
  return html`<dl class="facts">
${shown.map(
  ([name, value]) => html`<div><dt>${name}</dt> <dd>${value}</dd></div>
`,
)}</dl>
`
}

/** Returns the contact of the merchant with links to call and write. If the merchant gave no contact, returns null. */
export function contactOf({ look }: MerchantFrame): Html | null {
  const { support_phone, support_email, support_address } = look
  const parts: HtmlValue[] = []
  if (support_phone !== null) {
    const dialled = support_phone.replace(/[^+0-9]/g, '')
    parts.push(html`<a class="tap" href="tel:${dialled}">${nowrap(plainLine(support_phone, 20))}</a>`)
  }
  if (support_email !== null) {
    const address = plainLine(support_email, 254)
    parts.push(html`<a class="tap" href="mailto:${encodeURIComponent(address)}">${address}</a>`)
  }
  if (support_address !== null) parts.push(merchantText(support_address))
  return parts.length === 0 ? null : html`${parts.map((part, i) => html`${i > 0 && html`<br>`}${part}`)}`
}

/**
 * Returns the merchant's logo. If the merchant has no logo, returns null. The alternative text is empty, because the name is
 * beside the logo.
 */
export function logoOf({ look, pay_path }: MerchantFrame): Html | null {
  if (look.logo_hash === null) return null
  return html`<img class="logo" src="${pay_path}/logo/${look.logo_hash}.png" alt="" loading="lazy" decoding="async">`
}

/**
 * Returns the rows of a fact list with the description and the reference. The description of an invoice contains its reference,
 * so the page of an invoice shows only the description, as a link to the invoice.
 */
export function subjectRows(view: MerchantFrame): readonly (readonly [HtmlValue, HtmlValue])[] {
  const { say } = pageTexts(view.language)
  const described = view.description && merchantText(view.description, 'description')
  if (view.invoice_path) {
    return [[say('description'), html`<a class="tap" href="${localPath(view, view.invoice_path)}">${described}</a>`]]
  }
  return [
    [say('description'), described],
    [say('reference'), view.reference && merchantText(view.reference, 'reference')],
  ]
}

/**
 * Returns the merchant, the amount and the purpose, in the order that payers know from prompts on their phones. The brief size has
 * one line for each fact, so that the pay button is on the first screen of a small phone.
 */
export function summary(
  view: MerchantFrame,
  heading: 'h1' | 'p' = 'p',
  more: Html | null = null,
  size: 'full' | 'brief' = 'full',
): Html {
  const { say } = pageTexts(view.language)
  const payee = say('payment_to', { merchant: merchantOf(view) })
  const filled = subjectRows(view).filter(([, value]) => value)
  return html`<section class="summary${size === 'brief' && ' brief'}"${heading === 'p' && html` aria-label="${pageTexts(view.language).plain('payment_to', { merchant: plainMerchant(view) })}"`}>
${logoOf(view)}${heading === 'h1' ? html`<h1 class="payee">${payee}</h1>` : html`<p class="payee">${payee}</p>`}
<p class="amount">${shownAmount(view)}</p>
${filled.length > 0 && factList(filled)}${more}</section>
`
}

/** Returns the heading of a state. The heading has the focus, so that a screen reader reads the state first. */
export function heading(text: HtmlValue): Html {
  return html`<h1 tabindex="-1" autofocus>${text}</h1>
`
}

/** The styles of a state. Each style has an icon and a text, so that the meaning never depends on colour alone. */
export type Tone = 'good' | 'bad' | 'wait' | 'note'

const SIGNS: Record<Tone, string> = {
  good: 'M7 16.5l6 6 12-13',
  bad: 'M10 10l12 12M22 10L10 22',
  wait: 'M16 9v7.5l5 3',
  note: 'M16 9v9M16 22.5v.5',
}

/** Returns a section with the icon and the heading of a state, then the body. */
export function stateSection(tone: Tone, text: HtmlValue, body: HtmlValue): Html {
  return html`<section class="state ${tone}">
<svg class="sign" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><circle cx="16" cy="16" r="15"/><path d="${SIGNS[tone]}"/></svg>
${heading(text)}${body}</section>
`
}

/** Returns a value with a copy button. If the browser can copy, the script shows the button. */
export function copyable(view: Frame, value: string): Html {
  const { say, plain } = pageTexts(view.language)
  return html`<span class="copyable"><bdi>${plainLine(value, MAX.other)}</bdi> <button type="button" class="small" hidden data-copy="${value}" data-done="${plain('copied')}">${say('copy')}</button></span>`
}

/**
 * Returns the hidden notice about the network. If the payer sent a form before, the script shows the text of `data-sent`, because
 * the server may have received the form. While the script sends a form, screen readers read `data-sending`. After a tap without
 * a network, the script shows the text of `data-unsent`, if there is one. After a busy answer, it shows that of `data-busy`.
 */
export function offlineNotice(view: Frame, key: PlainTextKey, unsent: PlainTextKey | null = null): Html {
  const { say } = pageTexts(view.language)
  return html`<p class="box warn" id="offline" data-sent="${say('offline_sent')}" data-sending="${say('sending')}" data-busy="${say('busy', { seconds: '{s}' })}"${unsent && html` data-unsent="${say(unsent)}"`} hidden>${say(key)}</p>
`
}

/** Returns the text of this key, which has no placeholders, as a paragraph. */
export function paragraph(t: PageTexts, key: PlainTextKey): Html {
  return html`<p>${t.say(key)}</p>
`
}

/**
 * Returns a warning about an attempt without an answer, with a link to check again. If there is no such attempt, returns null.
 */
export function unansweredBox(view: MerchantFrame, unanswered: UnansweredNotice | null): Html | null {
  if (unanswered === null) return null
  const { say } = pageTexts(view.language)
  return html`<section class="box warn">
<p>${say(unanswered.kind === 'code' ? 'unanswered_code' : 'unanswered')}</p>
${linkButton(localPath(view, unanswered.check_path), say('check_again'), 'second')}</section>
`
}

/** Returns a form that asks for the payment again, by the method and the phone number of an earlier attempt. */
export function againForm(
  view: MerchantFrame,
  { idempotency_key, collection_id }: { idempotency_key: string; collection_id: string },
  label: HtmlValue,
  rank: 'first' | 'second' = 'second',
): Html {
  return html`<form method="post" action="${localPath(view, view.pay_path)}">
<input type="hidden" name="idempotency_key" value="${idempotency_key}">
<input type="hidden" name="again" value="${collection_id}">
<button class="button ${rank}" type="submit">${label}</button>
</form>
`
}

/** Returns how a payment of a test ends, because no message comes to a phone. If the payment moves real money, returns null. */
export function testHelp({ test, language }: MerchantFrame): Html | null {
  if (test === null) return null
  const { say } = pageTexts(language)
  const sentence =
    test.outcomes.length === 0
      ? say('help_sandbox')
      : say('help_rehearsal', { paid: say('simulate_paid'), failed: say('simulate_failed') })
  return html`<p>${sentence}</p>
`
}

/** Returns the steps that a payer takes on the phone, for each network. */
export function networkHelp(view: MerchantFrame): Html {
  const { say } = pageTexts(view.language)
  return html`<dl class="networks">
${view.help.map(
  ({ name, menu_code, help }) => html`<div><dt>${merchantText(name)}</dt>
<dd>${menu_code && html`<a class="dial" href="tel:${encodeURIComponent(menu_code)}">${say('dial', { code: nowrap(plainLine(menu_code, 30)) })}</a> `}${merchantText(help, 'description')}</dd></div>
`,
)}</dl>
`
}
