// The door of documents: data in, the bytes of a PDF or the code of a page out. Pure but for reading the fonts once.

export { type InvoiceDocument, invoicePdf } from './invoice.ts'
export type { InvoiceItem } from './invoice-items.ts'
export { type PosterDocument, posterPdf } from './poster.ts'
export { qrSvg } from './qr.ts'
export { type ReceiptDocument, receiptPdf } from './receipt.ts'
export type { InvoiceStatus } from './texts.ts'
