// Creates invoices and edits drafts. One transaction writes the invoice, its number and the Idempotency-Key, if any. If the
// process dies before the commit, the next invoice gets the number.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import {
  CURRENCY,
  canonicalPhone,
  dayOf,
  newId,
  PHONE_HELP,
  refuse,
  refuseField,
  storedMetadata,
  withoutDirectionMarks,
} from '../../kernel/lib/index.ts'
import {
  type CheckedPage,
  cancelActive,
  checkPageRules,
  invoiceTitle,
  type LiveProviders,
} from '../payment-links/index.ts'
import { type InvoiceFieldProblem, itemsOf, readItems, sumOfItems } from './items.ts'
import type { InvoiceBody, InvoiceChange } from './schema.ts'
import { checkState, displayNumber } from './state.ts'
import {
  findInvoice,
  type Invoice,
  type InvoiceContent,
  insertInvoice,
  lockInvoice,
  nextNumber,
  updateInvoice,
} from './store.ts'

/** Returns true if the text is a date of the calendar. The pattern of the schema also allows 2026-02-30. */
function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

/** Returns null for an empty text, because forms send an empty text for an empty field. */
function emptyToNull(text: string | null): string | null {
  return text === '' ? null : text
}

/**
 * Reads the fields of a request body. Refuses fields that are invalid although the schema accepts them, with one 400 error that
 * names each field.
 */
function readContent(body: InvoiceBody | InvoiceChange): Partial<InvoiceContent> {
  const problems: InvoiceFieldProblem[] = []
  const read: Partial<InvoiceContent> = {}
  if (body.customer_name !== undefined) read.customer_name = withoutDirectionMarks(body.customer_name)
  if (body.customer_phone !== undefined) {
    const phone = emptyToNull(body.customer_phone)
    read.customer_phone = phone === null ? null : canonicalPhone(phone)
    if (phone !== null && read.customer_phone === null) problems.push({ field: 'customer_phone', message: PHONE_HELP })
  }
  if (body.customer_email !== undefined) read.customer_email = emptyToNull(body.customer_email)
  if (body.note !== undefined) read.note = body.note === null ? null : emptyToNull(withoutDirectionMarks(body.note))
  if (body.language !== undefined) read.language = body.language
  if (body.metadata !== undefined) read.metadata = storedMetadata(body.metadata)
  if (body.due_date !== undefined) {
    read.due_date = body.due_date
    if (!isCalendarDay(body.due_date)) problems.push({ field: 'due_date', message: 'must be a day such as 2030-01-31' })
  }
  if (body.items !== undefined) {
    read.items = readItems(body.items, problems)
    read.total_minor = sumOfItems(read.items)
  }
  if (problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return read
}

/**
 * Returns the content of a new invoice. If fields of the request body are invalid, refuses the body with one 400 error that
 * names each field.
 */
export function readInvoice(body: InvoiceBody): InvoiceContent {
  const defaults = { customer_phone: null, customer_email: null, note: null, language: 'sw', metadata: null } as const
  return { ...defaults, ...readContent(body) } as InvoiceContent
}

/**
 * Returns the content of the payment link for an invoice. Its reference and description contain the number of the invoice.
 */
export function pageOfInvoice(
  invoice: Pick<
    Invoice,
    'customer_name' | 'customer_phone' | 'customer_email' | 'language' | 'total_minor' | 'metadata'
  >,
  number: number,
): CheckedPage {
  const reference = displayNumber(number)
  const { customer_name, customer_phone, customer_email, total_minor, language, metadata } = invoice
  return {
    merchant_id: undefined,
    amount_minor: total_minor,
    currency: CURRENCY,
    customer_name,
    customer_phone,
    customer_email,
    description: invoiceTitle(reference, language),
    reference,
    redirect_url: null,
    cancel_url: null,
    expires_at: null,
    metadata,
  }
}

/**
 * If the due date has passed in Tanzania, refuses the invoice with 400. The server checks the Idempotency-Key first, so that a
 * later replay returns the stored response.
 */
function checkDueDate(deps: Deps, { due_date }: Partial<InvoiceContent>): void {
  if (due_date !== undefined && due_date < dayOf(deps.clock.now())) {
    refuseField('due_date', 'must be today or later, in Tanzania')
  }
}

/** If the total is outside the limits of payment links, refuses the invoice with amount_not_supported. */
function checkTotal(deps: Deps, caller: Caller, content: InvoiceContent, live: LiveProviders): void {
  if (content.total_minor <= 0n) refuse('amount_not_supported', { message: 'The total must be greater than zero.' })
  checkPageRules(deps, caller, pageOfInvoice(content, 0), live)
}

/**
 * Creates an invoice as a draft. If the due date has passed, refuses the invoice with validation_failed. If the total is
 * outside the limits of payment links, refuses the invoice with amount_not_supported.
 */
export async function createInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  content: InvoiceContent,
  live: LiveProviders,
): Promise<Invoice> {
  checkDueDate(deps, content)
  checkTotal(deps, caller, content, live)
  const { id: merchant_id, routing_code } = caller.merchant
  const { environment } = caller
  const id = newId(deps, routing_code)
  const number = await nextNumber(tx, merchant_id, environment)
  const created_at = deps.clock.now()
  await insertInvoice(tx, { ...content, merchant_id, id, environment, number, currency: CURRENCY, created_at })
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}

/**
 * The fields that determine the content of the payment link, without its metadata. If one of these fields changes, the payment
 * link is outdated.
 */
const LINK_FIELDS = ['customer_name', 'customer_phone', 'customer_email', 'language', 'total_minor'] as const

/**
 * Edits a draft. If a field of LINK_FIELDS changes, the server cancels the payment link. If a payer has already approved a
 * payment of the cancelled link, the server holds the money for a review. If the invoice is not a draft, refuses with
 * invalid_state.
 */
export async function editInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  id: string,
  body: InvoiceChange,
  live: LiveProviders,
  act: Act,
): Promise<Invoice> {
  const changes = readContent(body)
  checkDueDate(deps, changes)
  const merchant_id = caller.merchant.id
  const invoice = (await lockInvoice(tx, merchant_id, id)) ?? refuse('not_found')
  const now = deps.clock.now()
  checkState(invoice, 'edited', now)
  const content: InvoiceContent = { ...invoice, items: itemsOf(invoice), ...changes }
  checkTotal(deps, caller, content, live)
  await updateInvoice(tx, invoice, content, now)
  const { payment_link_id } = invoice
  const is_outdated = LINK_FIELDS.some((field) => content[field] !== invoice[field])
  const link_id = is_outdated ? payment_link_id : null
  if (link_id !== null && (await cancelActive(tx, merchant_id, [link_id], now)).size > 0) {
    await recordAudit(deps, tx, {
      ...act,
      merchant_id,
      action: 'payment_link.cancel',
      target_type: 'payment_link',
      target_id: link_id,
      reason: `the merchant edited ${displayNumber(invoice.number)}`,
      before: { status: 'ACTIVE' },
      after: { status: 'CANCELLED' },
    })
  }
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}
