// Draws an invoice on A4 pages: merchant, customer, amount, due date, items, and how to pay.

import { dayOf, type Language, maskPhone, showAmount, showDate, showTime } from '../lib/index.ts'
import { clean, cleanLines } from './clean.ts'
import { drawItems, type InvoiceItem } from './invoice-items.ts'
import {
  accentRule,
  addPage,
  drawLines,
  drawLink,
  drawQr,
  finish,
  fitted,
  frame,
  lineHeight,
  openLogo,
  openSheet,
  rule,
  type Sheet,
  type Style,
  silent,
  tagged,
  wrap,
} from './sheet.ts'
import { type InvoiceStatus, TEXTS } from './texts.ts'

/** The data of an invoice. Amounts are in cents. Phone numbers are complete, and the drawing masks them. */
export type InvoiceDocument = {
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
  /** The invoice number as the customer sees it, such as INV-000123. */
  number: string
  status: InvoiceStatus
  issued: Date
  /** The due date as YYYY-MM-DD. */
  due_date: string
  customer_name: string
  customer_phone: string | null
  customer_email: string | null
  items: readonly InvoiceItem[]
  total_minor: bigint
  currency: string
  note: string | null
  /**
   * The URL of the payment page. Null means that the customer cannot pay now: the invoice has no active payment link, or its
   * payment is under review.
   */
  pay_url: string | null
  /**
   * The payment of the invoice. `reversed_at` is the time at which the provider reversed the payment. Null as `paid` means that
   * the invoice has no payment.
   */
  paid: { at: Date; reference: string | null; reversed_at: Date | null } | null
  /** True for a sandbox invoice. */
  test: boolean
  /** The creation time in the PDF. The caller passes the time, so that the same data make the same bytes. */
  drawn_at: Date
}

const A4: [number, number] = [595.28, 841.89]
const LEFT = 48
const WIDTH = A4[0] - 2 * LEFT
const TOP = 52
/** The lower end of the content of a page in points. The footer is below. */
const BOTTOM = A4[1] - 62
const QR_SIZE = 124
const NOTE_LINES = 12
const LOGO_BOX = { width: 170, height: 48 }

const NAME: Style = { face: 'bold', size: 16 }
const TITLE: Style = { face: 'bold', size: 21 }
const STRONG: Style = { face: 'bold', size: 10.5 }
const BODY: Style = { face: 'regular', size: 9.5 }
const LABEL: Style = { face: 'regular', size: 8 }
const MARK: Style = { face: 'bold', size: 10 }

/**
 * Returns the invoice as a PDF with any number of items. The function shortens long texts with an ellipsis but never an amount.
 */
export function invoicePdf(input: InvoiceDocument): Promise<Buffer> {
  const texts = TEXTS[input.language]
  const sheet = openSheet({
    title: `${texts.invoice.title} ${input.number} - ${input.merchant_name}`,
    author: input.merchant_name,
    brand_name: input.brand_name,
    language: input.language,
    drawn_at: input.drawn_at,
  })
  addPage(sheet, A4)
  accentRule(sheet, input.accent_color, { x: LEFT, y: 12, width: WIDTH })
  let y = drawHead(sheet, input, TOP + (input.test ? 14 : 0))
  y = drawParties(sheet, input, y + 16)
  y = drawSummary(sheet, input, y + 16)
  const room = { x: LEFT, width: WIDTH, top: TOP + 22, bottom: BOTTOM, newPage: () => newPage(sheet, input) }
  y = drawItems(sheet, input, room, y + 20)
  y = drawNote(sheet, input, y + 18)
  drawEnd(sheet, input, y + 18)
  drawEdges(sheet, input)
  return finish(sheet)
}

function newPage(sheet: Sheet, input: InvoiceDocument): void {
  addPage(sheet, A4)
  const y = TOP - 1
  const half = WIDTH * 0.48
  const name = `${TEXTS[input.language].invoice.title} ${clean(input.number, 40)}`
  silent(sheet, () => {
    const left = wrap(sheet, STRONG, clean(input.merchant_name, 200), half, 1)
    drawLines(sheet, STRONG, left, { x: LEFT, y, width: half })
    const right = wrap(sheet, STRONG, name, half, 1)
    drawLines(sheet, STRONG, right, { x: LEFT + WIDTH - half, y, width: half, align: 'right' })
  })
}

function drawHead(sheet: Sheet, input: InvoiceDocument, y: number): number {
  const name = wrap(sheet, NAME, clean(input.merchant_name, 200), WIDTH * 0.58, 3)
  const half = { x: LEFT + WIDTH * 0.6, width: WIDTH * 0.4, align: 'right' as const }
  const title = TEXTS[input.language].invoice.title.toUpperCase()
  const number = clean(input.number, 40)
  let right = y
  tagged(sheet, 'H1', () => {
    right = drawLines(sheet, TITLE, [title], { ...half, y: y - 3 })
    right = drawLines(sheet, fitted(sheet, STRONG, number, half.width), [number], { ...half, y: right })
  })
  const logo = openLogo(sheet, input.logo, LOGO_BOX)
  logo?.draw(LEFT, y)
  let left = y + (logo === null ? 0 : logo.height + 8)
  tagged(sheet, 'P', () => {
    left = drawLines(sheet, NAME, name, { x: LEFT, y: left, width: WIDTH * 0.58 })
    for (const text of input.contact) {
      const lines = wrap(sheet, BODY, clean(text, 254), WIDTH * 0.58, 2)
      left = drawLines(sheet, BODY, lines, { x: LEFT, y: left, width: WIDTH * 0.58 })
    }
  })
  const end = Math.max(left, right) + 10
  rule(sheet, { x: LEFT, y: end, width: WIDTH }, 1.5)
  return end
}

function drawParties(sheet: Sheet, input: InvoiceDocument, y: number): number {
  const texts = TEXTS[input.language].invoice
  const column = WIDTH * 0.58
  const contact = [
    input.customer_phone === null ? [] : [maskPhone(input.customer_phone)],
    input.customer_email === null ? [] : wrap(sheet, BODY, clean(input.customer_email, 254), column, 2),
  ].flat()
  const left = labelled(sheet, texts.billed_to, { x: LEFT, y, width: column }, (below) => {
    const name = wrap(sheet, STRONG, clean(input.customer_name, 200), column, 3)
    const next = drawLines(sheet, STRONG, name, { x: LEFT, y: below, width: column })
    return drawLines(sheet, BODY, contact, { x: LEFT, y: next, width: column })
  })
  const half = { x: LEFT + WIDTH * 0.6, y, width: WIDTH * 0.4, align: 'right' as const }
  const right = labelled(sheet, texts.issued, half, (below) =>
    drawLines(sheet, STRONG, [showDate(dayOf(input.issued), input.language)], { ...half, y: below }),
  )
  return Math.max(left, right)
}

/** Draws a small label above content. Returns the position below the content in points. */
function labelled(
  sheet: Sheet,
  label: string,
  box: { x: number; y: number; width: number; align?: 'right' },
  draw: (y: number) => number,
): number {
  let end = box.y
  tagged(sheet, 'P', () => {
    end = draw(drawLines(sheet, LABEL, [label], box) + 1)
  })
  return end
}

/** Returns true if the provider reversed the payment of the invoice. */
function isReturned({ status, paid }: InvoiceDocument): boolean {
  return status === 'PAID' && paid !== null && paid.reversed_at !== null
}

/** Draws three cells in a frame: amount, due date and status. Returns the position below the frame in points. */
function drawSummary(sheet: Sheet, input: InvoiceDocument, y: number): number {
  const texts = TEXTS[input.language].invoice
  const returned = isReturned(input)
  const cells = [
    {
      label: texts.total_label[returned ? 'CANCELLED' : input.status],
      value: showAmount(input.total_minor, input.currency),
      size: 14,
    },
    { label: texts.due, value: showDate(input.due_date, input.language), size: 11 },
    { label: texts.status, value: returned ? texts.returned : texts.statuses[input.status], size: 11 },
  ]
  const [height, padding, cell] = [46, 10, WIDTH / cells.length]
  frame(sheet, { x: LEFT, y, width: WIDTH, height }, 1)
  for (const [i, { label, value, size }] of cells.entries()) {
    const box = { x: LEFT + i * cell + padding, y: y + 7, width: cell - 2 * padding }
    const style = fitted(sheet, { face: 'bold', size }, value, box.width)
    labelled(sheet, label, box, () => drawLines(sheet, style, [value], { ...box, y: y + 33 - style.size }))
    if (i === 0) continue
    silent(sheet, () => {
      const x = LEFT + i * cell
      sheet.doc
        .lineWidth(0.5)
        .moveTo(x, y)
        .lineTo(x, y + height)
        .stroke('#000')
    })
  }
  return y + height
}

/**
 * If the page has too little height for the content, begins a new page. Returns the position for the content in points.
 */
function reserveHeight(sheet: Sheet, input: InvoiceDocument, y: number, height: number): number {
  if (y + height <= BOTTOM) return y
  newPage(sheet, input)
  return TOP + 32
}

function drawNote(sheet: Sheet, input: InvoiceDocument, y: number): number {
  const lines = cleanLines(input.note ?? '').flatMap((line) => wrap(sheet, BODY, line, WIDTH, NOTE_LINES))
  if (lines.length === 0) return y - 18
  const shown = lines.length <= NOTE_LINES ? lines : [...lines.slice(0, NOTE_LINES - 1), '…']
  const top = reserveHeight(sheet, input, y, lineHeight(LABEL) + 1 + shown.length * lineHeight(BODY))
  const box = { x: LEFT, y: top, width: WIDTH }
  return labelled(sheet, TEXTS[input.language].invoice.note, box, (below) =>
    drawLines(sheet, BODY, shown, { ...box, y: below }),
  )
}

/** Draws the last section, if any: how to pay, when the customer paid, or that the invoice is a draft or cancelled. */
function drawEnd(sheet: Sheet, input: InvoiceDocument, y: number): void {
  const texts = TEXTS[input.language].invoice
  const { status, paid, pay_url } = input
  if (status === 'CANCELLED') {
    drawNotice(sheet, input, y, [texts.cancelled])
  } else if (status === 'PAID') {
    const notice = paid === null ? [texts.statuses.PAID] : [paidText(input, paid)]
    const reference = paid?.reference == null ? [] : [texts.reference(clean(paid.reference, 80))]
    drawNotice(sheet, input, y, [...notice, ...reference])
  } else {
    const below = status === 'DRAFT' ? drawNotice(sheet, input, y, [texts.draft]) + 14 : y
    if (pay_url !== null) drawPayment(sheet, input, pay_url, below)
  }
}

function paidText({ language }: InvoiceDocument, { at, reversed_at }: NonNullable<InvoiceDocument['paid']>): string {
  const texts = TEXTS[language].invoice
  const paid = showTime(at, language)
  return reversed_at === null ? texts.paid(paid) : texts.paid_and_returned(paid, showTime(reversed_at, language))
}

function drawNotice(sheet: Sheet, input: InvoiceDocument, y: number, texts: readonly string[]): number {
  const lines = texts.flatMap((text) => wrap(sheet, STRONG, text, WIDTH - 24, 3))
  const height = lines.length * lineHeight(STRONG) + 18
  const top = reserveHeight(sheet, input, y, height)
  frame(sheet, { x: LEFT, y: top, width: WIDTH, height }, 1.5)
  tagged(sheet, 'P', () => drawLines(sheet, STRONG, lines, { x: LEFT + 12, y: top + 9, width: WIDTH - 24 }))
  return top + height
}

function drawPayment(sheet: Sheet, input: InvoiceDocument, url: string, y: number): void {
  const texts = TEXTS[input.language].invoice
  const top = reserveHeight(sheet, input, y, QR_SIZE + 12)
  const size = QR_SIZE
  frame(sheet, { x: LEFT, y: top, width: WIDTH, height: size + 8 }, 1)
  const drawn = drawQr(sheet, url, texts.code, { x: LEFT + 4, y: top + 4, size })
  const x = LEFT + (drawn ? size + 12 : 12)
  const width = LEFT + WIDTH - 12 - x
  const addText = (style: Style, text: string, from: number): number => {
    let end = from
    tagged(sheet, 'P', () => {
      end = drawLines(sheet, style, wrap(sheet, style, text, width, 3), { x, y: from, width })
    })
    return end + 3
  }
  let next = top + 10
  tagged(sheet, 'H2', () => {
    next = drawLines(sheet, STRONG, [texts.pay], { x, y: next, width }) + 4
  })
  next = addText(BODY, texts.scan, next)
  const link: Style = { face: 'bold', size: 8.5 }
  next = drawLink(sheet, link, url, wrap(sheet, link, clean(url, 300), width, 2), { x, y: next, width }) + 4
  next = addText(BODY, texts.choose, next)
  next = addText(BODY, texts.confirm, next)
  addText(STRONG, texts.keep_pin, next)
}

/**
 * Draws the name of this installation, the invoice number and the page number on each page. A sandbox invoice also gets the
 * sandbox mark.
 */
function drawEdges(sheet: Sheet, input: InvoiceDocument): void {
  const texts = TEXTS[input.language]
  const { start, count } = sheet.doc.bufferedPageRange()
  const foot = wrap(sheet, LABEL, `${clean(input.brand_name, 60)} · ${clean(input.number, 40)}`, WIDTH * 0.7, 1)
  for (let page = 0; page < count; page++) {
    sheet.doc.switchToPage(start + page)
    if (input.test) {
      frame(sheet, { x: LEFT, y: 20, width: WIDTH, height: 22 }, 1.5)
      silent(sheet, () => drawLines(sheet, MARK, [texts.test], { x: LEFT, y: 24.5, width: WIDTH, align: 'center' }))
    }
    rule(sheet, { x: LEFT, y: BOTTOM + 14, width: WIDTH }, 0.5)
    silent(sheet, () => {
      drawLines(sheet, LABEL, foot, { x: LEFT, y: BOTTOM + 20, width: WIDTH * 0.7 })
      const pages = texts.page(page + 1, count)
      drawLines(sheet, LABEL, [pages], { x: LEFT, y: BOTTOM + 20, width: WIDTH, align: 'right' })
    })
  }
}
