// Defines the statuses of an invoice, and the actions that each status allows.

import type { InvoiceStatus } from '../../kernel/documents/index.ts'
import { dayOf, refuse } from '../../kernel/lib/index.ts'

/** All statuses of an invoice as its merchant sees them. */
export const INVOICE_STATUSES = [
  'DRAFT',
  'SENT',
  'PAID',
  'OVERDUE',
  'CANCELLED',
] as const satisfies readonly InvoiceStatus[]
/** The stored status. The server derives PAID from the paid payment link, and OVERDUE from the due date. */
export type StoredStatus = 'DRAFT' | 'SENT' | 'CANCELLED'

/** The fields of an invoice that determine its status. `due_date` has the form YYYY-MM-DD. */
export type InvoiceState = { status: StoredStatus; paid_at: Date | null; due_date: string }

/** Returns the status at `now`. If the due date has passed in Tanzania, an unpaid sent invoice is overdue. */
export function statusAt({ status, paid_at, due_date }: InvoiceState, now: Date): InvoiceStatus {
  if (paid_at !== null) return 'PAID'
  return status === 'SENT' && due_date < dayOf(now) ? 'OVERDUE' : status
}

/** All statuses of an invoice that its customer can see: all but DRAFT. */
export type PublicInvoiceStatus = Exclude<InvoiceStatus, 'DRAFT'>

/**
 * Returns the status that a customer sees. If the merchant shares the link of a draft, the customer sees SENT, because the draft
 * waits for a payment.
 */
export function publicStatusAt(invoice: InvoiceState, now: Date): PublicInvoiceStatus {
  const status = statusAt({ ...invoice, status: invoice.status === 'DRAFT' ? 'SENT' : invoice.status }, now)
  return status as PublicInvoiceStatus
}

const OPEN: readonly InvoiceStatus[] = ['DRAFT', 'SENT', 'OVERDUE']

/** The actions on an invoice, each with the statuses that allow the action. */
const ALLOWED: Record<'edited' | 'sent' | 'given a payment link' | 'cancelled', readonly InvoiceStatus[]> = {
  edited: ['DRAFT'],
  sent: OPEN,
  'given a payment link': OPEN,
  cancelled: [...OPEN, 'CANCELLED'],
}

/** If the status of the invoice does not allow the action, refuses the action with invalid_state. */
export function checkState(invoice: InvoiceState, action: keyof typeof ALLOWED, now: Date): void {
  const status = statusAt(invoice, now)
  if (ALLOWED[action].includes(status)) return
  const allowed = ALLOWED[action].join(' or ')
  const message = `This invoice is ${status}. The server accepts this action only for an invoice that is ${allowed}.`
  refuse('invalid_state', { message, details: { status } })
}

/** Returns the number in the form for people: INV-000123 for 123. */
export function displayNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`
}
