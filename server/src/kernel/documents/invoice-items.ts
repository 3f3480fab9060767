// Draws the items of an invoice as a table over several pages. Each page repeats the header.

import { type Language, showAmount } from '../lib/index.ts'
import { clean } from './clean.ts'
import { type Align, drawLines, fitted, lineHeight, rule, type Sheet, type Style, silent, wrap } from './sheet.ts'
import { TEXTS } from './texts.ts'

/** An item of an invoice. Amounts are in cents, and the quantity is the text of the merchant. */
export type InvoiceItem = { description: string; quantity: string; unit_price_minor: bigint; amount_minor: bigint }

/** The area of a page for rows in points, and the function that begins the next page. */
type Room = { x: number; width: number; top: number; bottom: number; newPage: () => void }
type ItemTable = { language: Language; items: readonly InvoiceItem[]; total_minor: bigint; currency: string }
type Cell = { lines: string[]; style: Style; align: Align; x: number; width: number }

const HEAD: Style = { face: 'bold', size: 8.5 }
const BODY: Style = { face: 'regular', size: 9.5 }
const TOTAL: Style = { face: 'bold', size: 13 }
const GAP = 12
/**
 * INSET is the padding at the sides of the table, and PADDING the padding above and below a text. Both are in points.
 */
const INSET = 6
const PADDING = 5

/**
 * Draws the items and the total below `y`. The last item and the total are on the same page. Returns the position after the
 * table in points.
 */
export function drawItems(sheet: Sheet, input: ItemTable, room: Room, y: number): number {
  const { doc } = sheet
  const table = doc.struct('Table')
  sheet.root.add(table)
  const totalHeight = lineHeight(TOTAL) + 2 * PADDING + 4
  let next = drawTableHead(sheet, input, room, y, table)
  for (const [i, item] of input.items.entries()) {
    const cells = cellsOf(sheet, room, item)
    const height = Math.max(...cells.map(({ lines, style }) => lines.length * lineHeight(style))) + 2 * PADDING
    const needed = i === input.items.length - 1 ? height + totalHeight : height
    if (next + needed > room.bottom) {
      room.newPage()
      next = drawTableHead(sheet, input, room, room.top, null)
    }
    drawRow(sheet, table, 'TD', cells, next + PADDING)
    next += height
    rule(sheet, { x: room.x, y: next, width: room.width }, 0.4)
  }
  next = drawTotal(sheet, input, room, next, table)
  table.end()
  return next
}

/** Returns the columns for description, quantity, unit price and amount. */
function columns(room: Room): { x: number; width: number }[] {
  let x = room.x + INSET
  return [0.45, 0.12, 0.2, 0.23].map((share) => {
    const width = share * (room.width - 2 * INSET + GAP)
    x += width
    return { x: x - width, width: width - GAP }
  })
}

function cellsOf(sheet: Sheet, room: Room, item: InvoiceItem): Cell[] {
  const [what, many, price, amount] = columns(room) as [ItemColumn, ItemColumn, ItemColumn, ItemColumn]
  return [
    { lines: wrap(sheet, BODY, clean(item.description, 300), what.width, 4), style: BODY, align: 'left', ...what },
    quantity(sheet, clean(item.quantity, 30), many),
    numberCell(sheet, bare(item.unit_price_minor), price),
    numberCell(sheet, bare(item.amount_minor), amount),
  ]
}

type ItemColumn = { x: number; width: number }

function numberCell(sheet: Sheet, text: string, column: ItemColumn): Cell {
  return { lines: [text], style: fitted(sheet, BODY, text, column.width), align: 'right', ...column }
}

/**
 * Makes the cell of a quantity. A long quantity gets a smaller font, down to 6 points, because a reader may take a part of a
 * broken number for the number.
 */
function quantity(sheet: Sheet, text: string, column: ItemColumn): Cell {
  const { size } = fitted(sheet, BODY, text, column.width)
  const style: Style = { ...BODY, size: Math.max(size, 6) }
  return { lines: wrap(sheet, style, text, column.width, 4), style, align: 'right', ...column }
}

/** Formats an amount in cents without its currency, because the column header names the currency. */
function bare(minor: bigint): string {
  return showAmount(minor, '').replace('\u00a0', '')
}

/** Draws the header of the table. On later pages, `table` is null and screen readers skip the header. */
function drawTableHead(
  sheet: Sheet,
  input: ItemTable,
  room: Room,
  y: number,
  table: PDFKit.PDFStructureElement | null,
): number {
  const texts = TEXTS[input.language].invoice
  const names = [texts.item, texts.quantity, texts.price(input.currency), texts.amount(input.currency)]
  const cells = columns(room).map((column, i) => {
    const name = names[i] as string
    const align: Align = i === 0 ? 'left' : 'right'
    return { lines: [name], style: fitted(sheet, HEAD, name, column.width), align, ...column }
  })
  const height = lineHeight(HEAD) + 2 * PADDING
  silent(sheet, () => {
    sheet.doc.rect(room.x, y, room.width, height).fill('#ececec').fillColor('#000')
  })
  rule(sheet, { x: room.x, y: y + height, width: room.width }, 1)
  if (table === null) silent(sheet, () => drawCells(sheet, cells, y + PADDING))
  else drawRow(sheet, table, 'TH', cells, y + PADDING)
  return y + height
}

function drawRow(
  sheet: Sheet,
  table: PDFKit.PDFStructureElement,
  tag: 'TH' | 'TD',
  cells: readonly Cell[],
  y: number,
): void {
  const row = sheet.doc.struct('TR')
  table.add(row)
  for (const cell of cells) {
    const options = (tag === 'TH' ? { scope: 'Column' } : {}) as object
    row.add(sheet.doc.struct(tag, options, [() => drawCells(sheet, [cell], y)]))
  }
  row.end()
}

function drawCells(sheet: Sheet, cells: readonly Cell[], y: number): void {
  for (const { lines, style, ...box } of cells) drawLines(sheet, style, lines, { ...box, y })
}

function drawTotal(sheet: Sheet, input: ItemTable, room: Room, y: number, table: PDFKit.PDFStructureElement): number {
  const label = TEXTS[input.language].invoice.total
  const value = showAmount(input.total_minor, input.currency)
  const width = room.width - 2 * INSET
  const [left, right] = [width * 0.4, width * 0.6]
  const cells: Cell[] = [
    { lines: [label], style: TOTAL, align: 'left', x: room.x + INSET, width: left },
    {
      lines: [value],
      style: fitted(sheet, TOTAL, value, right),
      align: 'right',
      x: room.x + INSET + left,
      width: right,
    },
  ]
  const height = lineHeight(TOTAL) + 2 * PADDING + 2
  rule(sheet, { x: room.x, y, width: room.width }, 1.5)
  drawRow(sheet, table, 'TD', cells, y + PADDING + 1)
  rule(sheet, { x: room.x, y: y + height, width: room.width }, 1.5)
  return y + height
}
