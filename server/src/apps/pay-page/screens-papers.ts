// Renders receipts and invoices as pages for phones, for sharing, and for printing on receipt printers or A4 paper.

import { type Html, html, plainLine, showAmount, showDate, showTime } from '../../kernel/lib/index.ts'
import { payCard, type ScreenContent, testStrip } from './layout.ts'
import {
  contactOf,
  copyable,
  factList,
  linkButton,
  localPath,
  logoOf,
  merchantOf,
  merchantText,
  nowrap,
  plainMerchant,
  shownAmount,
  subjectRows,
} from './parts.ts'
import { paymentRows } from './screens-result.ts'
import { type PlainTextKey, pageTexts } from './texts.ts'
import type { InvoiceScreen, MerchantFrame, ReceiptScreen } from './view.ts'

/** Returns the receipt as a page with buttons to share, print and download. */
export function receiptScreen(view: ReceiptScreen): ScreenContent {
  const t = pageTexts(view.language)
  const { say } = t
  const returned = view.status === 'reversed'
  const body = html`<article class="paper">
${logoOf(view)}<h1 tabindex="-1" autofocus>${say('receipt')}</h1>
<p class="stamp ${returned ? 'bad' : 'good'}">${say(returned ? 'status_returned' : 'status_paid')}</p>
<p class="amount">${shownAmount(view)}</p>
${factList([
  [say('merchant'), merchantOf(view)],
  [say('contact'), contactOf(view)],
  ...paymentRows(view),
  ...subjectRows(view),
  [say('payment_id'), copyable(view, view.collection_id)],
])}${
  view.test === null &&
  html`<p class="hint">${say('sms_is_proof')}</p>
`
}</article>
${shareActions(view)}`
  return { title: t.plain('receipt'), body, has_contact: true }
}

/**
 * Returns the ways to share the receipt, whose text says if the payment is a test. The script shows the share and print buttons. The links also work without the script.
 */
function shareActions(view: ReceiptScreen): Html {
  const { say, plain } = pageTexts(view.language)
  const receipt = plain('share_receipt', {
    amount: shownAmount(view),
    merchant: plainMerchant(view),
    time: showTime(view.paid_at, view.language),
    url: view.share_url,
  })
  const strip = testStrip(view)
  const text = strip === null ? receipt : `${plain(strip)}. ${receipt}`
  // The SMS alphabet has no no-break space. With one, the phone would use UCS-2, in which an SMS has 70 characters instead of
  // 160.
  const encoded = encodeURIComponent(text.replaceAll('\u00a0', ' '))
  return html`<div class="actions">
<button type="button" class="button first" hidden data-share="${text}">${say('share')}</button>
${linkButton(`https://wa.me/?text=${encoded}`, say('send_whatsapp'), 'second')}${linkButton(`sms:?body=${encoded}`, say('send_sms'), 'second')}${
  view.pdf_path && pdfButton(view, view.pdf_path)
}<button type="button" class="button second" hidden data-print>${say('print')}</button>
</div>
`
}

/**
 * Returns a link that downloads the PDF, so that the PDF does not replace this page. The server chooses the file name.
 */
function pdfButton(view: MerchantFrame, path: string): Html {
  return html`<a class="button second" href="${localPath(view, path)}" download>${pageTexts(view.language).say('download_pdf')}</a>
`
}

const STATUS: Record<InvoiceScreen['status'], { key: PlainTextKey; tone: string }> = {
  SENT: { key: 'invoice_waiting', tone: 'wait' },
  OVERDUE: { key: 'invoice_overdue', tone: 'bad' },
  PAID: { key: 'invoice_paid', tone: 'good' },
  CANCELLED: { key: 'invoice_cancelled', tone: 'note' },
}

const RETURNED = { key: 'invoice_returned', tone: 'note' } as const

/** The highest number of items that the page shows. The PDF shows all items. */
const ITEMS_SHOWN = 30

/** Returns the invoice as a page with its items, total, status and the link to pay. */
export function invoiceScreen(view: InvoiceScreen): ScreenContent {
  const t = pageTexts(view.language)
  const { say } = t
  const { key, tone } = view.returned ? RETURNED : STATUS[view.status]
  const amount = shownAmount(view)
  const hidden = view.items.length - ITEMS_SHOWN
  const body = html`<article class="paper">
${logoOf(view)}<h1 tabindex="-1" autofocus>${say('invoice', { number: html`<span class="whole">${merchantText(view.number, 'reference')}</span>` })}</h1>
<p class="stamp ${tone}">${say(key)}</p>
<p class="payee">${say('invoice_from', { merchant: merchantOf(view) })}</p>
<p class="amount">${amount}</p>
${factList([
  [say('due'), nowrap(showDate(view.due_on, view.language))],
  [say('invoice_to'), merchantText(view.customer_name, 'name')],
  [say('issued'), nowrap(showDate(view.issued_on, view.language))],
  [say('contact'), contactOf(view)],
])}${view.pay_link && linkButton(localPath(view, view.pay_link), say('pay_amount', { amount }))}<h2>${say('items')}</h2>
${itemList(view)}${
  hidden > 0 &&
  html`<p>${say('more_items', { count: hidden })}</p>
`
}<p class="total"><span>${say('total')}</span> <b>${amount}</b></p>
${
  view.note &&
  html`<h2>${say('note')}</h2>
<p>${merchantText(view.note, 'description')}</p>
`
}</article>
<div class="actions">
${view.receipt_path && linkButton(localPath(view, view.receipt_path), say('open_receipt'))}${pdfButton(view, view.pdf_path)}<button type="button" class="button second" hidden data-print>${say('print')}</button>
</div>
`
  return {
    title: t.plain('invoice', { number: plainLine(view.number, 80) }),
    body,
    has_contact: true,
    card: payCard(view),
  }
}

function itemList(view: InvoiceScreen): Html {
  const money = (minor: bigint) => showAmount(minor, view.currency)
  return html`<ul class="items">
${view.items.slice(0, ITEMS_SHOWN).map(
  ({ description, quantity, unit_price_minor, amount_minor }) =>
    html`<li class="item"><span>${merchantText(description, 'reference')}<small>${plainLine(quantity, 20)} × ${money(unit_price_minor)}</small></span> <b>${money(amount_minor)}</b></li>
`,
)}</ul>
`
}
