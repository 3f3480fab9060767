// Declares the metrics of invoices: the queue of reminders.

import type { DatabaseGauges, Deps } from '../../kernel/db/index.ts'
import { type QueueReader, queueGauges, queueReader } from '../../kernel/work/index.ts'

const QUEUE = { queue: 'invoice_reminders', table: 'invoices' }

/**
 * Reads the queue of reminders: the due and scheduled reminders, and how late the oldest due reminder is, in seconds.
 */
export const readReminderQueue: QueueReader = queueReader(QUEUE)

/** Returns the gauges of the queue of reminders. */
export const invoiceGauges = ({ metrics }: Pick<Deps, 'metrics'>): DatabaseGauges => queueGauges(metrics, QUEUE)
