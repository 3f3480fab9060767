// Renders the HTML document around the content of a screen.

import { type Html, html, plainLine } from '../../kernel/lib/index.ts'
import { accentStyle } from './accent.ts'
import { payScript, payStyle } from './assets.ts'
import { contactOf, localPath, merchantOf, offlineNotice, plainMerchant, shownAmount } from './parts.ts'
import { pageTexts, pathInLanguage } from './texts.ts'
import type { Frame, MerchantFrame, PollPaths } from './view.ts'

/** The data for the polling script: the addresses, the displayed state, and the seconds that remain. */
export type Polling = PollPaths & {
  state: string
  countdown?: { remaining_s: number; total_s: number }
  /**
   * True if the page has a form. Such a page does not refresh without the script, because a refresh would clear the input.
   */
  form?: boolean
}

/** The content of a screen, which the frame of the page surrounds. */
export type ScreenContent = {
  /** The title of the page, without the name of the merchant. */
  title: string
  body: Html
  /** The data for the polling script. Null or undefined means that the page does not poll. */
  polling?: Polling | null
  /** True if the form has problems. If so, the title of the page states that there is a problem. */
  wrong?: boolean
  /** True if the body already shows the contact of the merchant. */
  has_contact?: boolean
  /** True if the body is the page of help itself. */
  is_help?: boolean
  /** True if the body already has the notice that the payer is offline. */
  has_offline?: boolean
  /** The preview of the link in chat applications. */
  card?: { title: string; description: string }
}

/** The number of seconds after which a page without the script refreshes. */
const REFRESH_S = 15

/** Returns the text that says that no real money moves: of the sandbox, or of a simulating installation. Null: the money is real. */
export function testStrip({ test }: Pick<MerchantFrame, 'test'>): 'test_strip' | 'rehearsal_strip' | null {
  return test && (test.environment === 'sandbox' ? 'test_strip' : 'rehearsal_strip')
}

/**
 * Returns the HTML document of a screen with a merchant. The title has the merchant's name, a strip marks test payments, and the
 * footer has help.
 */
export function shopPage(view: MerchantFrame, content: ScreenContent): string {
  const text = testStrip(view)
  const strip =
    text &&
    html`<p class="test">${pageTexts(view.language).say(text)}</p>
`
  return wholePage(view, content, plainMerchant(view), strip, footer(view, helpLinks(view, content)))
}

/** Returns the HTML document of a screen without a merchant, such as an unknown address. */
export function plainPage(view: Frame, content: ScreenContent): string {
  return wholePage(view, content, plainLine(view.brand_name, 60), null, footer(view, null))
}

function wholePage(
  view: Frame | MerchantFrame,
  content: ScreenContent,
  whose: string,
  strip: Html | null,
  foot: Html,
): string {
  const { say, plain } = pageTexts(view.language)
  const other = view.language === 'sw' ? 'en' : 'sw'
  const title = content.wrong ? plain('problem_in_title', { title: content.title }) : content.title
  const before = html`<!doctype html>
<html lang="${view.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title} - ${whose}</title>
${
  content.card &&
  html`<meta property="og:title" content="${content.card.title}">
<meta property="og:description" content="${content.card.description}">
`
}<link rel="icon" href="data:,">
<script type="module" src="${payScript().path}"></script>
${
  content.polling &&
  !content.polling.form &&
  html`<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>
`
}<style>`
  const after = html`</style>
</head>
<body>
<a class="skip" href="#main">${say('skip')}</a>
<header>
${strip}<div class="top">
<p class="brand">${plainLine(view.brand_name, 40)}</p>
<p><a class="tap" href="${pathInLanguage(view.url, other)}" lang="${other}" hreflang="${other}">${say('other_language')}</a></p>
</div>
</header>
<main id="main"${content.polling && pollingAttributes(view, content.polling)}>
${content.body}${
  !content.has_offline && offlineNotice(view, content.polling ? 'offline_unanswered' : 'offline_page')
}<p id="live" role="status" class="unseen"></p>
</main>
${foot}</body>
</html>
`
  // No template may change the style sheet, because the content security policy contains its hash.
  const accent = 'look' in view ? accentStyle(view.look.accent_color) : null
  return `${before}${payStyle().text}${accent === null ? '' : `</style>\n<style>${accent.text}`}${after}`
}

function pollingAttributes(view: Frame, { poll_path, check_path, state, countdown }: Polling): Html {
  const { plain } = pageTexts(view.language)
  return html` data-poll="${poll_path}" data-go="${localPath(view, check_path)}" data-state="${state}"${
    countdown &&
    html` data-left="${countdown.remaining_s}" data-total="${countdown.total_s}" data-say60="${plain('left_60')}" data-say30="${plain('left_30')}" data-say0="${plain('left_0')}"`
  }`
}

function helpLinks(view: MerchantFrame, { has_contact, is_help }: ScreenContent): Html {
  const { say } = pageTexts(view.language)
  // Receipts and invoices already list the contact among their facts.
  const contact = has_contact ? null : contactOf(view)
  return html`${
    contact &&
    html`<p>${say('contact_of', { merchant: merchantOf(view) })}<br>
${contact}</p>
`
  }${
    !is_help &&
    html`<p><a class="tap" href="${localPath(view, view.help_path)}">${say('how_to_pay')}</a></p>
`
  }`
}

function footer(view: Frame, links: Html | null): Html {
  const { say } = pageTexts(view.language)
  return html`<footer>
${links}<p class="pin">${say('never_share_pin')}</p>
<p>${say('handled_by', { brand: plainLine(view.brand_name, 40) })}</p>
</footer>
`
}

/** Returns the title and the description that a chat application previews for a link. */
export function payCard(view: MerchantFrame): { title: string; description: string } {
  const { plain } = pageTexts(view.language)
  return {
    title: `${plain('pay_amount', { amount: shownAmount(view) })} - ${plainMerchant(view)}`,
    description: plainLine(view.description ?? plain('payment_to', { merchant: plainMerchant(view) }), 160),
  }
}
