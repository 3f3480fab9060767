// Where an invoice stands, as it is read, and what may be done with it then.

import { dayOf, refuse } from '../../kernel/lib/index.ts'

/** Statuses of an invoice. */
export const INVOICE_STATUSES = ['DRAFT', 'SENT', 'PAID', 'OVERDUE', 'CANCELLED'] as const
/** One of them. */
export type ShownStatus = (typeof INVOICE_STATUSES)[number]
/** What is stored: whether it is paid its link tells, whether it is overdue the day. */
export type StoredStatus = 'DRAFT' | 'SENT' | 'CANCELLED'

/** As much of an invoice as its status is made of. `due_date`: YYYY-MM-DD. */
export type Standing = { status: StoredStatus; paid_at: Date | null; due_date: string }

/** The status at `now`. An invoice is overdue from the day after its due date on, in Tanzania. */
export function statusAt({ status, paid_at, due_date }: Standing, now: Date): ShownStatus {
  if (paid_at !== null) return 'PAID'
  return status === 'SENT' && due_date < dayOf(now) ? 'OVERDUE' : status
}

/** What a customer is shown. */
export type PublicStatus = Exclude<ShownStatus, 'DRAFT'>

/** The status as a customer sees it: a draft whose link was handed out waits for payment like one that was sent. */
export function publicStatusAt(invoice: Standing, now: Date): PublicStatus {
  const status = statusAt({ ...invoice, status: invoice.status === 'DRAFT' ? 'SENT' : invoice.status }, now)
  return status as PublicStatus
}

const OPEN: readonly ShownStatus[] = ['DRAFT', 'SENT', 'OVERDUE']

/** What can be done with an invoice, and in which statuses. */
const MAY: Record<'edited' | 'sent' | 'given a payment link' | 'cancelled', readonly ShownStatus[]> = {
  edited: ['DRAFT'],
  sent: OPEN,
  'given a payment link': OPEN,
  cancelled: [...OPEN, 'CANCELLED'],
}

/** Refuses with invalid_state what an invoice that stands so does not allow. */
export function checkState(invoice: Standing, what: keyof typeof MAY, now: Date): void {
  const status = statusAt(invoice, now)
  if (MAY[what].includes(status)) return
  refuse('invalid_state', { message: `An invoice that is ${status} cannot be ${what}.`, details: { status } })
}

/** The number as people read it: 123 is INV-000123. */
export function displayNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`
}
