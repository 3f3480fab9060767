// The door of documents: data in, the bytes of a PDF or the code of a page out. PDFs are drawn in a thread of their own.

export { drawDocument } from './draw.ts'
export type { InvoiceDocument } from './invoice.ts'
export type { InvoiceItem } from './invoice-items.ts'
export { qrSvg } from './qr.ts'
export type { DocumentOwner } from './queue.ts'
export type { InvoiceStatus } from './texts.ts'
