// Exports the PDFs of invoices, receipts and posters, the QR codes of pages, and the writer of PNG files.

export { drawDocument } from './draw.ts'
export type { InvoiceDocument } from './invoice.ts'
export type { InvoiceItem } from './invoice-items.ts'
export { PNG_SIGNATURE, pngOfChunks } from './png.ts'
export type { PosterDocument } from './poster.ts'
export { qrSvg } from './qr.ts'
export type { DocumentOwner } from './queue.ts'
export type { InvoiceStatus } from './texts.ts'
