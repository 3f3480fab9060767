// Receipts and invoices as pages: read on a phone, sent on, printed on a till or on A4.

import { type Html, html, plainLine, showAmount, showDate, showTime } from '../../kernel/lib/index.ts'
import { type Content, payCard } from './layout.ts'
import { amountOf, copyable, facts, foreign, linkButton, local, merchantOf, plainMerchant, whole } from './parts.ts'
import { paymentRows } from './screens-result.ts'
import { type PlainKey, speaker } from './texts.ts'
import type { InvoiceScreen, ReceiptScreen, Shop } from './view.ts'

/** The receipt of a payment. */
export function receiptScreen(view: ReceiptScreen): Content {
  const t = speaker(view.language)
  const { say } = t
  const returned = view.status === 'reversed'
  const body = html`<article class="paper">
<h1 tabindex="-1" autofocus>${say('receipt')}</h1>
<p class="stamp ${returned ? 'bad' : 'good'}">${say(returned ? 'status_returned' : 'status_paid')}</p>
<p class="amount">${amountOf(view)}</p>
${facts([
  [say('merchant'), merchantOf(view)],
  ...paymentRows(view),
  [say('description'), view.description && foreign(view.description, 'description')],
  [say('reference'), view.reference && foreign(view.reference, 'reference')],
  [say('payment_id'), copyable(view, view.collection_id)],
])}<p class="hint">${say('sms_is_proof')}</p>
</article>
${share(view)}`
  return { title: t.plain('receipt'), body }
}

/** Ways to send the receipt on. The links work anywhere; the buttons need the script and are brought out by it. */
function share(view: ReceiptScreen): Html {
  const { say, plain } = speaker(view.language)
  const text = plain('share_receipt', {
    amount: amountOf(view),
    merchant: plainMerchant(view),
    time: showTime(view.paid_at, view.language),
    url: view.share_url,
  })
  // Phone networks do not know the space that does not break: with one, the SMS would cost double.
  const encoded = encodeURIComponent(text.replaceAll('\u00a0', ' '))
  return html`<div class="actions">
<button type="button" class="button first" hidden data-share="${text}">${say('share')}</button>
${linkButton(`https://wa.me/?text=${encoded}`, say('send_whatsapp'), 'second')}${linkButton(`sms:?body=${encoded}`, say('send_sms'), 'second')}${
  view.pdf_path && pdfButton(view, view.pdf_path)
}<button type="button" class="button second" hidden data-print>${say('print')}</button>
</div>
`
}

/** What says that it downloads must not open something else in the place of this page. The server names the file. */
function pdfButton(view: Shop, path: string): Html {
  return html`<a class="button second" href="${local(view, path)}" download>${speaker(view.language).say('download_pdf')}</a>
`
}

const STATUS: Record<InvoiceScreen['status'], { key: PlainKey; tone: string }> = {
  SENT: { key: 'invoice_waiting', tone: 'wait' },
  OVERDUE: { key: 'invoice_overdue', tone: 'bad' },
  PAID: { key: 'invoice_paid', tone: 'good' },
  CANCELLED: { key: 'invoice_cancelled', tone: 'note' },
}

const RETURNED = { key: 'invoice_returned', tone: 'note' } as const

/** More than these are read in the PDF. */
const ITEMS_SHOWN = 30

/** An invoice, for whoever it was sent to. */
export function invoiceScreen(view: InvoiceScreen): Content {
  const t = speaker(view.language)
  const { say } = t
  const { key, tone } = view.returned ? RETURNED : STATUS[view.status]
  const amount = amountOf(view)
  const hidden = view.items.length - ITEMS_SHOWN
  const body = html`<article class="paper">
<h1 tabindex="-1" autofocus>${say('invoice', { number: foreign(view.number, 'reference') })}</h1>
<p class="stamp ${tone}">${say(key)}</p>
<p class="payee">${say('invoice_from', { merchant: merchantOf(view) })}</p>
<p class="amount">${amount}</p>
${facts([
  [say('due'), whole(showDate(view.due_on, view.language))],
  [say('invoice_to'), foreign(view.customer_name, 'name')],
  [say('issued'), whole(showDate(view.issued_on, view.language))],
])}${view.pay_link && linkButton(local(view, view.pay_link), say('pay_amount', { amount }))}<h2>${say('items')}</h2>
${items(view)}${
  hidden > 0 &&
  html`<p>${say('more_items', { count: hidden })}</p>
`
}<p class="total"><span>${say('total')}</span> <b>${amount}</b></p>
${
  view.note &&
  html`<h2>${say('note')}</h2>
<p>${foreign(view.note, 'description')}</p>
`
}</article>
<div class="actions">
${view.receipt_path && linkButton(local(view, view.receipt_path), say('open_receipt'))}${pdfButton(view, view.pdf_path)}<button type="button" class="button second" hidden data-print>${say('print')}</button>
</div>
`
  return { title: t.plain('invoice', { number: plainLine(view.number, 80) }), body, card: payCard(view) }
}

function items(view: InvoiceScreen): Html {
  const money = (minor: bigint) => showAmount(minor, view.currency)
  return html`<ul class="items">
${view.items.slice(0, ITEMS_SHOWN).map(
  ({ description, quantity, unit_price_minor, amount_minor }) =>
    html`<li class="item"><span>${foreign(description, 'reference')}<small>${plainLine(quantity, 20)} × ${money(unit_price_minor)}</small></span> <b>${money(amount_minor)}</b></li>
`,
)}</ul>
`
}
