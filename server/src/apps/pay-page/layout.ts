// A whole page around the content of a screen.

import { type Html, html, plainLine } from '../../kernel/lib/index.ts'
import { payScript, payStyle } from './assets.ts'
import { amountOf, local, plainMerchant } from './parts.ts'
import { inLanguage, speaker } from './texts.ts'
import type { Frame, Shop, Watch } from './view.ts'

/** What the script watches: where to ask, what is shown now, and how many seconds are left. */
export type Watched = Watch & {
  state: string
  countdown?: { remaining_s: number; total_s: number }
  /** True: there is a form to fill in, which a page that asks anew without the script would empty. */
  form?: boolean
}

/** What a screen puts into the page. */
export type Content = {
  /** What the page says, before whose it is. */
  title: string
  body: Html
  /** Null: nothing changes here by itself. */
  watched?: Watched | null
  /** True: what was sent is wrong, and the title says so. */
  wrong?: boolean
  /** What a chat shows when the link is sent on. */
  card?: { title: string; description: string }
}

/** How often a page without the script asks anew. */
const REFRESH_S = 15

/** The page of a screen that belongs to a merchant. */
export function shopPage(view: Shop, content: Content): string {
  const strip =
    view.test &&
    html`<p class="test">${speaker(view.language).say('test_strip')}</p>
`
  return page(view, content, plainMerchant(view), strip, footer(view, helpLinks(view)))
}

/** The page of a screen that belongs to nobody. */
export function plainPage(view: Frame, content: Content): string {
  return page(view, content, plainLine(view.brand_name, 60), null, footer(view, null))
}

function page(view: Frame, content: Content, whose: string, strip: Html | null, foot: Html): string {
  const { say, plain } = speaker(view.language)
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
  content.watched &&
  !content.watched.form &&
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
<p><a class="tap" href="${inLanguage(view.url, other)}" lang="${other}" hreflang="${other}">${say('other_language')}</a></p>
</div>
</header>
<main id="main"${content.watched && watchedData(view, content.watched)}>
${content.body}<p id="live" role="status" class="unseen"></p>
</main>
${foot}</body>
</html>
`
  // The style is a file of ours, and no template may change it: its hash is in the policy.
  return `${before}${payStyle().text}${after}`
}

function watchedData(view: Frame, { poll_path, check_path, state, countdown }: Watched): Html {
  const { plain } = speaker(view.language)
  return html` data-poll="${poll_path}" data-go="${local(view, check_path)}" data-state="${state}"${
    countdown &&
    html` data-left="${countdown.remaining_s}" data-total="${countdown.total_s}" data-say60="${plain('left_60')}" data-say30="${plain('left_30')}" data-say0="${plain('left_0')}"`
  }`
}

function helpLinks(view: Shop): Html {
  const { say } = speaker(view.language)
  return html`<p><a class="tap" href="${local(view, view.help_path)}">${say('how_to_pay')}</a></p>
`
}

function footer(view: Frame, links: Html | null): Html {
  const { say } = speaker(view.language)
  return html`<footer>
${links}<p class="pin">${say('never_share_pin')}</p>
<p>${say('handled_by', { brand: plainLine(view.brand_name, 40) })}</p>
</footer>
`
}

/** The words for a chat that shows a link to pay. */
export function payCard(view: Shop): { title: string; description: string } {
  const { plain } = speaker(view.language)
  return {
    title: `${plain('pay_amount', { amount: amountOf(view) })} - ${plainMerchant(view)}`,
    description: plainLine(view.description ?? plain('payment_to', { merchant: plainMerchant(view) }), 160),
  }
}
