// Pieces that several screens of the pay page are made of.

import { type Html, type HtmlValue, html, plainLine, showAmount } from '../../kernel/lib/index.ts'
import { inLanguage, type PlainKey, type Speaker, speaker } from './texts.ts'
import type { Frame, NetworkHelp, Shop, Unanswered } from './view.ts'

/** How many characters of a merchant's texts a page shows. */
const MAX = { name: 80, description: 240, reference: 80, other: 160 } as const

/** A text of a merchant: one line of its own direction, cut where it would push the amount off the screen. */
export function foreign(text: string, kind: keyof typeof MAX = 'other'): Html {
  return html`<bdi>${plainLine(text, MAX[kind])}</bdi>`
}

/** The merchant's name. */
export function merchantOf(view: Shop): Html {
  return foreign(view.merchant_name, 'name')
}

/** The merchant's name where no markup may stand. */
export function plainMerchant(view: Shop): string {
  return plainLine(view.merchant_name, MAX.name)
}

/** The amount of a page. */
export function amountOf(view: Shop): string {
  return showAmount(view.amount_minor, view.currency)
}

/** A phone or another value that must not break in two. */
export function whole(text: string): Html {
  return html`<span class="whole">${text}</span>`
}

/** A path of ours in the language of the page. */
export function local(view: Frame, path: string): string {
  return inLanguage(path, view.language)
}

/** A link that looks like a button. `kind` is `second` beside a more important one. */
export function linkButton(href: string, text: HtmlValue, kind: 'first' | 'second' = 'first'): Html {
  return html`<a class="button ${kind}" href="${href}">${text}</a>
`
}

/** Rows of names and values. Those without a value are left out. */
export function facts(rows: readonly (readonly [name: HtmlValue, value: HtmlValue])[]): Html {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== false)
  return html`<dl class="facts">
${shown.map(
  ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`,
)}</dl>
`
}

/** Who is paid, how much and for what: at the top of each screen, in the order that people know from their phones. */
export function summary(view: Shop, heading: 'h1' | 'p' = 'p', more: Html | null = null): Html {
  const { say } = speaker(view.language)
  const payee = say('payment_to', { merchant: merchantOf(view) })
  const described = view.description && foreign(view.description, 'description')
  const invoice = view.invoice_path && html`<a class="tap" href="${local(view, view.invoice_path)}">${described}</a>`
  const rows: [HtmlValue, HtmlValue][] = [
    [say('description'), invoice || described],
    [say('reference'), view.reference && foreign(view.reference, 'reference')],
  ]
  const filled = rows.filter(([, value]) => value)
  return html`<section class="summary"${heading === 'p' && html` aria-label="${speaker(view.language).plain('payment_to', { merchant: plainMerchant(view) })}"`}>
${heading === 'h1' ? html`<h1 class="payee">${payee}</h1>` : html`<p class="payee">${payee}</p>`}
<p class="amount">${amountOf(view)}</p>
${filled.length > 0 && facts(filled)}${more}</section>
`
}

/** The heading of a state, which gets the focus: whoever cannot see the page hears first what has become of the payment. */
export function heading(text: HtmlValue): Html {
  return html`<h1 tabindex="-1" autofocus>${text}</h1>
`
}

/** How a state looks: each has a sign and a word, so that none is told by colour alone. */
export type Tone = 'good' | 'bad' | 'wait' | 'note'

const SIGNS: Record<Tone, string> = {
  good: 'M7 16.5l6 6 12-13',
  bad: 'M10 10l12 12M22 10L10 22',
  wait: 'M16 9v7.5l5 3',
  note: 'M16 9v9M16 22.5v.5',
}

/** The sign of a state and its heading. */
export function state(tone: Tone, text: HtmlValue, body: HtmlValue): Html {
  return html`<section class="state ${tone}">
<svg class="sign" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><circle cx="16" cy="16" r="15"/><path d="${SIGNS[tone]}"/></svg>
${heading(text)}${body}</section>
`
}

/** A value and a button that copies it, which the script brings out where it works. */
export function copyable(view: Frame, value: string): Html {
  const { say, plain } = speaker(view.language)
  return html`<span class="copyable"><bdi>${plainLine(value, MAX.other)}</bdi> <button type="button" class="small" hidden data-copy="${value}" data-done="${plain('copied')}">${say('copy')}</button></span>`
}

/** A paragraph of a sentence without values. */
export function lead(t: Speaker, key: PlainKey): Html {
  return html`<p>${t.say(key)}</p>
`
}

/** Somebody who may have paid already is told so, and may look again. */
export function unansweredBox(view: Shop, unanswered: Unanswered | null): Html | null {
  if (unanswered === null) return null
  const { say } = speaker(view.language)
  return html`<section class="box warn">
<p>${say(unanswered.kind === 'code' ? 'unanswered_code' : 'unanswered')}</p>
${linkButton(local(view, unanswered.check_path), say('check_again'), 'second')}</section>
`
}

/** What to do on each network. */
export function networkHelp(view: Shop): Html {
  const { say } = speaker(view.language)
  return html`<dl class="networks">
${view.help.map(
  ({ name, menu_code, help }) => html`<div><dt>${foreign(name)}</dt>
<dd>${menu_code && html`<a class="dial" href="tel:${encodeURIComponent(menu_code)}">${say('dial', { code: whole(plainLine(menu_code, 30)) })}</a> `}${foreign(help, 'description')}</dd></div>
`,
)}</dl>
`
}

/** The names of the networks that are helped with. */
export function networkNames(view: Shop): string {
  return view.help.map(({ name }: NetworkHelp) => plainLine(name, 30)).join(', ')
}
