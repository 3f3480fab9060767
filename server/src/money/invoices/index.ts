// Exports the functions and types of invoices that other rooms import.

export { cancelUnpaidInvoices } from './cancel.ts'
export { createInvoiceFiles, invoiceDocument } from './document.ts'
export { itemsOf } from './items.ts'
export { paidTask } from './mark-paid.ts'
export { invoiceGauges, readReminderQueue } from './metrics.ts'
export { overdueTask } from './overdue.ts'
export { remindTask } from './remind.ts'
export { invoiceRetention } from './retention.ts'
export { type InvoicesOptions, invoiceRoutes } from './routes.ts'
export { displayNumber, type PublicInvoiceStatus, publicStatusAt, type StoredStatus, statusAt } from './state.ts'
export { createFindInvoiceByLink, type Invoice } from './store.ts'
