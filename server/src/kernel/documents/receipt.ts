// Draws a receipt for till printers, which print 48 mm of 58 mm wide paper. The length depends on the content.

import { type Language, maskPhone, showAmount, showTime } from '../lib/index.ts'
import { clean } from './clean.ts'
import { qrModules } from './qr.ts'
import {
  accentRule,
  addPage,
  drawLines,
  drawQr,
  finish,
  fitted,
  frame,
  lineHeight,
  mm,
  openLogo,
  openSheet,
  rule,
  type Sheet,
  type Style,
  tagged,
  wrap,
} from './sheet.ts'
import { TEXTS } from './texts.ts'

/** The data of a receipt. The amount is in cents. The phone number is complete, and the drawing masks the number. */
export type ReceiptDocument = {
  language: Language
  /** BRAND_NAME, the name of this installation. */
  brand_name: string
  merchant_name: string
  /** The logo of the merchant as a PNG in base64. Null means that the merchant has none. */
  logo: string | null
  /** The colour of the merchant as #rrggbb, dark enough for white text. Null means that the merchant has chosen none. */
  accent_color: string | null
  /** The contact data of the merchant, one line for each kind of contact. */
  contact: readonly string[]
  amount_minor: bigint
  currency: string
  /** The display name of the payment method, such as M-Pesa. */
  method: string
  phone: string | null
  reference: string | null
  provider_reference: string | null
  collection_id: string
  paid_at: Date
  status: 'successful' | 'reversed'
  description: string | null
  /** The URL of the page that shows the payment. Null means that the receipt has no QR code. */
  page_url: string | null
  /** True for a sandbox payment. */
  test: boolean
  /** The creation time in the PDF. The caller passes the time, so that the same data make the same bytes. */
  drawn_at: Date
}

const PAPER = mm(58)
const LEFT = mm(5)
const WIDTH = mm(48)
const QR_SIZE = mm(34)
const LOGO_BOX = { width: mm(30), height: mm(14) }

const NAME: Style = { face: 'bold', size: 11 }
const TITLE: Style = { face: 'bold', size: 9 }
const AMOUNT: Style = { face: 'bold', size: 16 }
const LABEL: Style = { face: 'regular', size: 6.5 }
const VALUE: Style = { face: 'bold', size: 8 }
const SMALL: Style = { face: 'regular', size: 6.5 }

/** A section of the receipt: its height in points, and the function that draws it at a position. */
type Part = { height: number; draw: (y: number) => void }

/** Returns the receipt as a PDF of one page. The function shortens long texts with an ellipsis but never the amount. */
export function receiptPdf(input: ReceiptDocument): Promise<Buffer> {
  const texts = TEXTS[input.language].receipt
  const sheet = openSheet({
    title: `${texts.title} - ${input.merchant_name}`,
    author: input.merchant_name,
    brand_name: input.brand_name,
    language: input.language,
    drawn_at: input.drawn_at,
  })
  const parts = [...headParts(sheet, input), ...rowParts(sheet, input), ...footParts(sheet, input)]
  let y = mm(4)
  addPage(sheet, [PAPER, y + parts.reduce((sum, { height }) => sum + height, 0) + mm(6)])
  accentRule(sheet, input.accent_color, { x: LEFT, y: mm(2.5), width: WIDTH })
  for (const { height, draw } of parts) {
    draw(y)
    y += height
  }
  return finish(sheet)
}

function headParts(sheet: Sheet, input: ReceiptDocument): Part[] {
  const texts = TEXTS[input.language]
  const amount = showAmount(input.amount_minor, input.currency)
  const mark = input.test ? [framed(sheet, texts.test)] : []
  const reversed = input.status === 'reversed'
  const status = texts.receipt.statuses[input.status]
  return [
    ...mark,
    ...logoParts(sheet, input.logo),
    centred(sheet, 'P', NAME, wrap(sheet, NAME, clean(input.merchant_name, 200), WIDTH, 3), 2),
    ...input.contact.map((line) => centred(sheet, 'P', SMALL, wrap(sheet, SMALL, clean(line, 254), WIDTH, 3), 2)),
    centred(sheet, 'H1', TITLE, [texts.receipt.title.toUpperCase()], 4),
    centred(sheet, 'P', fitted(sheet, AMOUNT, amount, WIDTH), [amount], 2),
    // If the provider reversed the payment, the receipt shows the reversal in a frame.
    reversed ? framed(sheet, status) : centred(sheet, 'P', TITLE, wrap(sheet, TITLE, status, WIDTH, 2), 4),
    linePart(sheet),
  ]
}

function logoParts(sheet: Sheet, png: string | null): Part[] {
  const logo = openLogo(sheet, png, LOGO_BOX)
  if (logo === null) return []
  return [{ height: logo.height + 4, draw: (y) => logo.draw(LEFT + (WIDTH - logo.width) / 2, y) }]
}

function rowParts(sheet: Sheet, input: ReceiptDocument): Part[] {
  const texts = TEXTS[input.language].receipt
  const rows: [string, string | null][] = [
    [texts.description, input.description],
    [texts.paid_at, showTime(input.paid_at, input.language)],
    [texts.method, input.method],
    [texts.phone, input.phone === null ? null : maskPhone(input.phone)],
    [texts.reference, input.reference],
    [texts.provider_reference, input.provider_reference],
    [texts.collection_id, input.collection_id],
  ]
  return rows.flatMap(([label, value]) => (value === null ? [] : [labelledPart(sheet, label, clean(value, 200))]))
}

function footParts(sheet: Sheet, input: ReceiptDocument): Part[] {
  const texts = TEXTS[input.language].receipt
  return [
    linePart(sheet),
    centred(sheet, 'P', SMALL, wrap(sheet, SMALL, texts.proof, WIDTH, 4), 4),
    ...(input.page_url === null ? [] : qrParts(sheet, input.page_url, texts.code, texts.scan)),
    centred(sheet, 'P', SMALL, wrap(sheet, SMALL, clean(input.brand_name, 60), WIDTH, 2), 0),
  ]
}

function centred(sheet: Sheet, tag: string, style: Style, lines: string[], after: number): Part {
  const draw = (y: number) =>
    tagged(sheet, tag, () => drawLines(sheet, style, lines, { x: LEFT, y, width: WIDTH, align: 'center' }))
  return { height: lines.length * lineHeight(style) + after, draw }
}

function framed(sheet: Sheet, text: string): Part {
  const lines = wrap(sheet, TITLE, text, WIDTH - 8, 3)
  const inside = lines.length * lineHeight(TITLE) + 6
  const draw = (y: number) => {
    frame(sheet, { x: LEFT + 0.75, y: y + 1, width: WIDTH - 1.5, height: inside }, 1.5)
    const box = { x: LEFT + 4, y: y + 4, width: WIDTH - 8, align: 'center' as const }
    tagged(sheet, 'P', () => drawLines(sheet, TITLE, lines, box))
  }
  return { height: inside + 8, draw }
}

function linePart(sheet: Sheet): Part {
  return { height: 8, draw: (y) => rule(sheet, { x: LEFT, y: y + 3, width: WIDTH }, 0.8) }
}

function labelledPart(sheet: Sheet, label: string, value: string): Part {
  const lines = wrap(sheet, VALUE, value, WIDTH, 4)
  const draw = (y: number) =>
    tagged(sheet, 'P', () => {
      const below = drawLines(sheet, LABEL, [label], { x: LEFT, y, width: WIDTH })
      drawLines(sheet, VALUE, lines, { x: LEFT, y: below, width: WIDTH })
    })
  return { height: lineHeight(LABEL) + lines.length * lineHeight(VALUE) + 4, draw }
}

function qrParts(sheet: Sheet, url: string, label: string, scan: string): Part[] {
  if (qrModules(url) === null) return []
  const draw = (y: number) => void drawQr(sheet, url, label, { x: LEFT + (WIDTH - QR_SIZE) / 2, y, size: QR_SIZE })
  return [{ height: QR_SIZE, draw }, centred(sheet, 'P', SMALL, wrap(sheet, SMALL, scan, WIDTH, 2), 5)]
}
