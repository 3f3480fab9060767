// Sends the pages that payers open: links, payments, help, receipts and invoices. Also sends logos, QR images, and receipts and
// invoices as PDFs.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { contactLines, findLogo, logoBase64 } from '../../access/merchants/index.ts'
import type { Method } from '../../adapters/providers/port.ts'
import { drawDocument, qrSvg } from '../../kernel/documents/index.ts'
import { type App, payUrlOf } from '../../kernel/http/index.ts'
import { type PagePayment, SIMULATED_ON_PAGE, simulateOnPage } from '../../money/collections/index.ts'
import { invoiceDocument, publicStatusAt } from '../../money/invoices/index.ts'
import { type Link, promptLeft } from '../../money/payment-links/index.ts'
import { type PageContext, pageStateOf, paymentsOf, screenContextOf } from './context.ts'
import { FILE_HEADERS } from './headers.ts'
import { invoiceScreenOf } from './invoice-of.ts'
import { qrPng } from './qr-image.ts'
import { redirectTo, sendNotFound, sendPoll, sendScreen } from './reply.ts'
import {
  pageScreen,
  pageScreenName,
  paymentFacts,
  paymentPath,
  paymentScreen,
  paymentScreenName,
  type RejectedForm,
  receiptPath,
} from './screen-of.ts'
import { pageTexts, pathInLanguage } from './texts.ts'
import type { MerchantFrame } from './view.ts'

type PaymentParams = { slug: string; collection_id: string }
type DocumentFormat = 'html' | 'pdf'

/** Sends the page of the link with this slug. If no link has the slug, sends the page about an unknown address. */
export async function sendLinkPage(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const link = await context.findBySlug(slug)
  return link === null ? sendNotFound(context.deps, request, reply) : showLinkPage(context, request, reply, link)
}

/**
 * Sends the page of an existing link. If `form` is not null and the page offers the ways to pay, the page shows the payer's
 * form again with its problems.
 */
export async function showLinkPage(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  form: RejectedForm | null = null,
): Promise<FastifyReply> {
  const [state, around] = await Promise.all([
    pageStateOf(context, link, request.ip),
    screenContextOf(context, request, link),
  ])
  return sendScreen(request, reply, pageScreen(context.deps, link, state, around, form))
}

/** Answers a poll about the state of a link. If no link has the slug, answers 404 with the state `unknown`. */
export async function pollPage(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const link = await context.findBySlug(slug)
  if (link === null) return reply.code(404).send({ state: 'unknown' })
  const state = { ...(await paymentsOf(context, link)), address: request.ip }
  return sendPoll(reply, { state: pageScreenName(context.deps, link, state) })
}

/** Sends the instructions of each network for the link with this slug, or the page about an unknown address. */
export async function sendHelp(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
): Promise<FastifyReply> {
  const link = await context.findBySlug(slug)
  if (link === null) return sendNotFound(context.deps, request, reply)
  const { merchantFrame } = await screenContextOf(context, request, link)
  return sendScreen(request, reply, { ...merchantFrame, screen: 'help' })
}

/**
 * Sends the merchant's logo as a PNG. If the link's merchant has no logo with this hash, sends the page about an unknown
 * address.
 */
export async function sendLogo(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { slug, hash }: { slug: string; hash: string },
): Promise<FastifyReply> {
  const { deps } = context
  const link = await context.findBySlug(slug)
  const png = link === null ? null : await findLogo(deps.db, link.merchant_id, hash)
  if (png === null) return sendNotFound(deps, request, reply)
  const headers = { 'content-type': 'image/png', 'cache-control': 'public, max-age=31536000, immutable' }
  return reply.headers({ ...FILE_HEADERS, ...headers }).send(png)
}

/**
 * Finds the link and the payment of an address. If another payment paid the link while this payment is processing, `paid` is
 * the other payment.
 */
async function findLinkPayment({ findBySlug, findPayment }: PageContext, { slug, collection_id }: PaymentParams) {
  const link = await findBySlug(slug)
  const payment = link === null ? null : await findPayment(link, collection_id)
  if (link === null || payment === null) return null
  const other = payment.status === 'processing' ? link.paid_collection_id : null
  return { link, payment, paid: other === null ? null : await findPayment(link, other) }
}

/** Sends the page of a payment. If the link has no such payment, sends the page about an unknown address. */
export async function sendPayment(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  params: PaymentParams,
): Promise<FastifyReply> {
  const found = await findLinkPayment(context, params)
  if (found === null) return sendNotFound(context.deps, request, reply)
  const { link, payment, paid } = found
  const around = await screenContextOf(context, request, link)
  const page_state = payment.status === 'failed' ? await pageStateOf(context, link, request.ip) : null
  const label = pageTexts(around.merchantFrame.language).plain('scan_qr')
  const drawQr = (payload: string) => qrSvg(payload, { label })
  return sendScreen(request, reply, paymentScreen(context.deps, link, { payment, paid, page_state }, around, drawQr))
}

/**
 * Applies the outcome that the payer chose in a simulation, then redirects to the page of the payment. If a provider of live
 * payments moves real money, changes nothing.
 */
export async function simulatePayment(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  params: PaymentParams,
  form: Record<string, unknown>,
): Promise<FastifyReply> {
  const { deps, rehearses, options } = context
  const found = await findLinkPayment(context, params)
  if (found === null) return sendNotFound(deps, request, reply)
  const outcome = SIMULATED_ON_PAGE.find((name) => name === form.outcome)
  if (rehearses && outcome !== undefined) {
    const { merchant_id } = found.link
    const { collection_id } = found.payment
    await simulateOnPage(deps, { providers: options.live, ask: options.ask }, { merchant_id, collection_id }, outcome)
  }
  return redirectTo(deps, request, reply, `/pay/${found.link.slug}/c/${found.payment.collection_id}`)
}

/**
 * Answers a poll about the state of a payment. If the link has no such payment, answers 404 with the state `unknown`.
 */
export async function pollPayment(
  context: PageContext,
  reply: FastifyReply,
  params: PaymentParams,
): Promise<FastifyReply> {
  const found = await findLinkPayment(context, params)
  if (found === null) return reply.code(404).send({ state: 'unknown' })
  const left_s = promptLeft(context.deps, found.payment)
  const state = paymentScreenName(context.deps, found.link, found.payment, found.paid)
  return sendPoll(reply, { state, ...(left_s > 0 ? { left_s } : {}) })
}

/**
 * Sends the QR code of a payment as a PNG. If the payer may no longer scan the code, sends the page about an unknown address.
 */
export async function sendQrImage(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  params: PaymentParams,
): Promise<FastifyReply> {
  const { deps } = context
  const found = await findLinkPayment(context, params)
  if (found === null || found.payment.qr_payload === null) return sendNotFound(deps, request, reply)
  if (paymentScreenName(deps, found.link, found.payment, found.paid) !== 'qr') return sendNotFound(deps, request, reply)
  return reply
    .headers({ ...FILE_HEADERS, 'content-type': 'image/png', 'cache-control': 'private, max-age=600' })
    .send(qrPng(found.payment.qr_payload))
}

/**
 * Sends the receipt of a payment. If the payment is neither successful nor reversed, redirects to the page of the payment.
 */
export async function sendReceipt(
  context: PageContext,
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  params: PaymentParams,
  format: DocumentFormat,
): Promise<FastifyReply> {
  const { deps } = context
  const found = await findLinkPayment(context, params)
  if (found === null) return sendNotFound(deps, request, reply)
  const { link, payment } = found
  const { merchantFrame } = await screenContextOf(context, request, link)
  const { status, collection_id } = payment
  if (status !== 'successful' && status !== 'reversed')
    return redirectTo(deps, request, reply, paymentPath(merchantFrame, payment))
  const path = receiptPath(merchantFrame, payment)
  const share_url = `${payUrlOf(deps.config, app)}${pathInLanguage(path, merchantFrame.language)}`
  if (format === 'html') {
    const receipt = { screen: 'receipt', status, collection_id, share_url, pdf_path: `${path}.pdf` } as const
    return sendScreen(request, reply, { ...merchantFrame, ...paymentFacts(link, payment), ...receipt })
  }
  const logo = await logoBase64(deps.db, link)
  const input = { ...receiptInput(link, payment, merchantFrame), logo, status, page_url: share_url }
  const draw = () => drawDocument(link, { kind: 'receipt', input })
  return context.pdfs.send(request, reply, { filename: `receipt-${collection_id}.pdf`, facts: input, draw })
}

function receiptInput(link: Link, payment: PagePayment, frame: MerchantFrame) {
  const facts = paymentFacts(link, payment)
  return {
    language: frame.language,
    brand_name: frame.brand_name,
    merchant_name: link.merchant_name,
    contact: contactLines(link),
    accent_color: link.accent_color,
    amount_minor: facts.amount_minor,
    currency: facts.currency,
    method: methodName(frame, facts.method),
    phone: payment.phone,
    reference: link.reference,
    provider_reference: facts.provider_reference,
    collection_id: payment.collection_id,
    paid_at: facts.paid_at,
    description: frame.description,
    test: frame.test !== null,
    drawn_at: facts.paid_at,
  }
}

function methodName(frame: MerchantFrame, method: Method): string {
  const { plain } = pageTexts(frame.language)
  if (method === 'provider_pesa') return frame.wallet_name
  return plain(method === 'qr' ? 'method_qr' : 'method_wallet_push')
}

/**
 * Sends the invoice of a link as a page or a PDF. If the link has no invoice, sends the page about an unknown address.
 */
export async function sendInvoicePage(
  context: PageContext,
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
  format: DocumentFormat,
): Promise<FastifyReply> {
  const { deps } = context
  const link = await context.findBySlug(slug)
  if (link === null || link.invoice_id === null) return sendNotFound(deps, request, reply)
  const invoice = await context.findInvoice(link)
  // If the invoice has a newer link, the old link does not show the invoice.
  if (invoice === null) return redirectTo(deps, request, reply, `/pay/${link.slug}`)
  const { merchantFrame } = await screenContextOf(context, request, link)
  if (format === 'html') return sendScreen(request, reply, invoiceScreenOf(deps, invoice, link, merchantFrame))
  const facts = await invoiceDocument(deps, invoice, payUrlOf(deps.config, app), merchantFrame.test !== null)
  const status = publicStatusAt(invoice, deps.clock.now())
  const input = { ...facts, language: merchantFrame.language, status, customer_email: null }
  const draw = () => drawDocument(link, { kind: 'invoice', input })
  return context.pdfs.send(request, reply, { filename: `${facts.number}.pdf`, facts: input, draw })
}
