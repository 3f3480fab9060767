// Defines the statuses of an invoice, and the actions that each status allows.

import type { InvoiceStatus } from '../../kernel/documents/index.ts'
import { dayOf, refuse } from '../../kernel/lib/index.ts'

/** Statuses of an invoice, as merchants read them. */
export const INVOICE_STATUSES = [
  'DRAFT',
  'SENT',
  'PAID',
  'OVERDUE',
  'CANCELLED',
] as const satisfies readonly InvoiceStatus[]
/** The stored status. PAID follows from the paid payment link, and OVERDUE from the date. */
export type StoredStatus = 'DRAFT' | 'SENT' | 'CANCELLED'

/** The fields of an invoice from which its status follows. `due_date` has the form YYYY-MM-DD. */
export type InvoiceState = { status: StoredStatus; paid_at: Date | null; due_date: string }

/** Returns the status at `now`. An invoice is overdue when its due date has passed in Tanzania. */
export function statusAt({ status, paid_at, due_date }: InvoiceState, now: Date): InvoiceStatus {
  if (paid_at !== null) return 'PAID'
  return status === 'SENT' && due_date < dayOf(now) ? 'OVERDUE' : status
}

/** Statuses of an invoice, as customers read them. */
export type PublicInvoiceStatus = Exclude<InvoiceStatus, 'DRAFT'>

/** Returns the status that a customer sees. A draft whose link the merchant shared waits for payment, so a customer sees SENT. */
export function publicStatusAt(invoice: InvoiceState, now: Date): PublicInvoiceStatus {
  const status = statusAt({ ...invoice, status: invoice.status === 'DRAFT' ? 'SENT' : invoice.status }, now)
  return status as PublicInvoiceStatus
}

const OPEN: readonly InvoiceStatus[] = ['DRAFT', 'SENT', 'OVERDUE']

/** The actions on an invoice, and the statuses that allow each action. */
const ALLOWED: Record<'edited' | 'sent' | 'given a payment link' | 'cancelled', readonly InvoiceStatus[]> = {
  edited: ['DRAFT'],
  sent: OPEN,
  'given a payment link': OPEN,
  cancelled: [...OPEN, 'CANCELLED'],
}

/** Refuses with invalid_state an action that the status of the invoice does not allow. */
export function checkState(invoice: InvoiceState, action: keyof typeof ALLOWED, now: Date): void {
  const status = statusAt(invoice, now)
  if (ALLOWED[action].includes(status)) return
  refuse('invalid_state', { message: `An invoice that is ${status} cannot be ${action}.`, details: { status } })
}

/** Returns the number as merchants and customers read it: 123 is INV-000123. */
export function displayNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`
}
