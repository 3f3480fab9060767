// Making invoices and editing drafts.
//
// A new invoice is one transaction with its number and its Idempotency-Key: dying before the commit leaves neither, and the
// number goes to the next one.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import type { Caller } from '../../kernel/http/index.ts'
import { CURRENCY, canonicalPhone, dayOf, newId, PHONE_HELP, refuse, refuseField } from '../../kernel/lib/index.ts'
import { type CheckedPage, cancelActive, checkPageRules, type LiveProviders } from '../payment-links/index.ts'
import { itemsOf, type Problem, readItems, totalOf } from './items.ts'
import type { InvoiceBody, InvoiceChange } from './schema.ts'
import { checkState, displayNumber } from './state.ts'
import {
  findInvoice,
  type Invoice,
  insertInvoice,
  lockInvoice,
  nextNumber,
  updateInvoice,
  type Written,
} from './store.ts'

/** True for a day of the calendar. Not every text of eight digits is one: 2026-02-30 is none. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

/** Forms send an empty text for what was left out. */
function textOf(text: string | null): string | null {
  return text === '' ? null : text
}

/** The fields of a body that the schema cannot check. Refuses with 400 naming every field that is wrong. */
function readBody(body: InvoiceBody | InvoiceChange): Partial<Written> {
  const problems: Problem[] = []
  const read: Partial<Written> = {}
  if (body.customer_name !== undefined) read.customer_name = body.customer_name
  if (body.customer_phone !== undefined) {
    const phone = textOf(body.customer_phone)
    read.customer_phone = phone === null ? null : canonicalPhone(phone)
    if (phone !== null && read.customer_phone === null) problems.push({ field: 'customer_phone', message: PHONE_HELP })
  }
  if (body.customer_email !== undefined) read.customer_email = textOf(body.customer_email)
  if (body.note !== undefined) read.note = textOf(body.note)
  if (body.language !== undefined) read.language = body.language
  if (body.due_date !== undefined) {
    read.due_date = body.due_date
    if (!isDay(body.due_date)) problems.push({ field: 'due_date', message: 'must be a day such as 2030-01-31' })
  }
  if (body.items !== undefined) {
    read.items = readItems(body.items, problems)
    read.total_minor = totalOf(read.items)
  }
  if (problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return read
}

/** A body of a new invoice whose form is right. */
export function checkInvoice(body: InvoiceBody): Written {
  const nothing = { customer_phone: null, customer_email: null, note: null, language: 'sw' } as const
  return { ...nothing, ...readBody(body) } as Written
}

/** What the payment link of an invoice says. */
export function pageOfInvoice(
  invoice: Pick<Invoice, 'customer_name' | 'customer_phone' | 'customer_email' | 'language' | 'total_minor'>,
  number: number,
): CheckedPage {
  const shown = displayNumber(number)
  const { customer_name, customer_phone, customer_email, total_minor, language } = invoice
  return {
    merchant_id: undefined,
    amount_minor: total_minor,
    currency: CURRENCY,
    customer_name,
    customer_phone,
    customer_email,
    description: language === 'sw' ? `Ankara ${shown}` : `Invoice ${shown}`,
    reference: shown,
    redirect_url: null,
    cancel_url: null,
    expires_at: null,
  }
}

/** Refuses a due date that has passed. Asked behind the Idempotency-Key, so that a later repetition is answered again. */
function checkDueDate(deps: Deps, { due_date }: Partial<Written>): void {
  if (due_date !== undefined && due_date < dayOf(deps.clock.now())) {
    refuseField('due_date', 'must be today or later, in Tanzania')
  }
}

/** Refuses with amount_not_supported a total that no payment link could ask for. */
function checkTotal(deps: Deps, caller: Caller, written: Written, live: LiveProviders): void {
  if (written.total_minor <= 0n) refuse('amount_not_supported', { message: 'The total must be greater than zero.' })
  checkPageRules(deps, caller, pageOfInvoice(written, 0), live)
}

/** Makes an invoice, a draft. Refuses a total outside the limits with amount_not_supported. */
export async function createInvoice(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  written: Written,
  live: LiveProviders,
): Promise<Invoice> {
  checkDueDate(deps, written)
  checkTotal(deps, caller, written, live)
  const { id: merchant_id, routing_code } = caller.merchant
  const { environment } = caller
  const id = newId(deps, routing_code)
  const number = await nextNumber(tx, merchant_id, environment)
  const created_at = deps.clock.now()
  await insertInvoice(tx, { ...written, merchant_id, id, environment, number, currency: CURRENCY, created_at })
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}

/** What a link tells of its invoice: when one of these changes, the link is wrong. */
const TOLD = ['customer_name', 'customer_phone', 'customer_email', 'language', 'total_minor'] as const

/**
 * Changes a draft. A payment link that it has already is cancelled when it would ask for something else now; what a payer has
 * approved then is held for a review. Refuses what is no draft any more with invalid_state.
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
  const changed = readBody(body)
  checkDueDate(deps, changed)
  const merchant_id = caller.merchant.id
  const invoice = (await lockInvoice(tx, merchant_id, id)) ?? refuse('not_found')
  const now = deps.clock.now()
  checkState(invoice, 'edited', now)
  const written: Written = { ...invoice, items: itemsOf(invoice), ...changed }
  checkTotal(deps, caller, written, live)
  await updateInvoice(tx, invoice, written, now)
  const { payment_link_id } = invoice
  const outdated = TOLD.some((field) => written[field] !== invoice[field])
  if (outdated && payment_link_id !== null && (await cancelActive(tx, merchant_id, payment_link_id, now))) {
    await recordAudit(deps, tx, {
      ...act,
      merchant_id,
      action: 'payment_link.cancel',
      target_type: 'payment_link',
      target_id: payment_link_id,
      reason: `${displayNumber(invoice.number)} was edited`,
      before: { status: 'ACTIVE' },
      after: { status: 'CANCELLED' },
    })
  }
  return (await findInvoice(tx, merchant_id, id)) as Invoice
}
