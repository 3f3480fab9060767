// Draws the elements of documents: lines of text, links, logos and QR codes, with tags for screen readers. The same input makes
// the same bytes.

import { escapeHtml, type Language } from '../lib/index.ts'
import { clean, graphemes, pieces } from './clean.ts'
import { addFonts, type Face, newPdf } from './fonts.ts'
import { blackRuns, QUIET_ZONE, qrModules } from './qr.ts'

/** The style of a text: its font face, and its size in points. */
export type Style = { face: Face; size: number }
/** The alignment of a line within its box. */
export type Align = 'left' | 'right' | 'center'
/** An open document. All lengths are in points, from the upper left corner. */
export type Sheet = { doc: PDFKit.PDFDocument; root: PDFKit.PDFStructureElement; done: Promise<Buffer> }

/** The metadata of a document: title, author, name of the installation, language and creation time. */
export type SheetOptions = {
  title: string
  author: string
  /** BRAND_NAME, the name of this installation. */
  brand_name: string
  language: Language
  drawn_at: Date
}

const LINE = 1.32
const MM = 72 / 25.4
const WEB_ADDRESS = /^https?:\/\/[\x21-\x7e]+$/

/** Converts millimetres to points. */
export function mm(length: number): number {
  return length * MM
}

/** Opens a document without pages. The caller must not await before `finish`, because documents share the fonts. */
export function openSheet(options: SheetOptions): Sheet {
  const info = { Title: clean(options.title, 200), Author: clean(options.author, 100) }
  const maker = clean(options.brand_name, 60)
  const doc = newPdf({
    autoFirstPage: false,
    font: '',
    pdfVersion: '1.7',
    tagged: true,
    lang: options.language === 'sw' ? 'sw-TZ' : 'en',
    displayTitle: true,
    bufferPages: true,
    info: { ...info, Creator: maker, Producer: maker, CreationDate: options.drawn_at },
  })
  describe(doc, info, maker, options.drawn_at)
  const chunks: Buffer[] = []
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (chunk: Buffer) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  addFonts(doc)
  const root = doc.struct('Document')
  doc.addStructure(root)
  return { doc, root, done }
}

/** Adds a page. `size` is its width and height in points. */
export function addPage(sheet: Sheet, size: [number, number]): void {
  sheet.doc.addPage({ size, margin: 0 })
}

/** Ends the document and returns the bytes of the PDF. */
export function finish(sheet: Sheet): Promise<Buffer> {
  sheet.root.end()
  sheet.doc.end()
  return sheet.done
}

// The function escapes the metadata, because pdfkit does not. Otherwise a name with "<" could add XML elements.
function describe(
  doc: PDFKit.PDFDocument,
  info: { Title: string; Author: string },
  maker: string,
  drawn_at: Date,
): void {
  const [title, author, tool] = [info.Title, info.Author, maker].map(escapeHtml)
  const xml = `<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
<xmp:CreateDate>${drawn_at.toISOString().slice(0, 19)}Z</xmp:CreateDate><xmp:CreatorTool>${tool}</xmp:CreatorTool>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${author}</rdf:li></rdf:Seq></dc:creator><pdf:Producer>${tool}</pdf:Producer>
</rdf:Description>`
  Object.assign(doc, { _addInfo: () => doc.appendXML(xml) })
}

/** Returns the height of one line, in points. */
export function lineHeight(style: Style): number {
  return style.size * LINE
}

/** Returns the width of a line, in points. */
export function widthOf(sheet: Sheet, style: Style, line: string): number {
  sheet.doc.font(style.face, style.size)
  return pieces(line).reduce((width, { text }) => width + sheet.doc.widthOfString(text), 0)
}

/**
 * Breaks a text into lines of at most `width` points. If a word is too wide, the function splits the word. If the text needs
 * more than `max` lines, the last line ends with an ellipsis.
 */
export function wrap(sheet: Sheet, style: Style, text: string, width: number, max: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`
    if (widthOf(sheet, style, joined) <= width) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    line = word
    while (lines.length <= max && widthOf(sheet, style, line) > width) {
      const head = goodHead(longestHead(sheet, style, line, width))
      lines.push(head)
      line = line.slice(head.length)
    }
    if (lines.length > max) break
  }
  if (line !== '') lines.push(line)
  if (lines.length <= max) return lines
  const last = longestHead(sheet, style, lines[max - 1] as string, width - widthOf(sheet, style, '…'))
  return [...lines.slice(0, max - 1), `${last.trimEnd()}…`]
}

/**
 * Returns the part of a long word for this line. If a dash or slash is in the second half, the line ends after that character.
 */
function goodHead(head: string): string {
  const end = Math.max(head.lastIndexOf('-'), head.lastIndexOf('/')) + 1
  return end > head.length / 2 ? head.slice(0, end) : head
}

/** Returns the longest beginning of a text that fits into `width` points, but at least one character. */
function longestHead(sheet: Sheet, style: Style, text: string, width: number): string {
  const chars = graphemes(text)
  let [fits, tooMany] = [1, chars.length + 1]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1
    if (widthOf(sheet, style, chars.slice(0, middle).join('')) <= width) fits = middle
    else tooMany = middle
  }
  return chars.slice(0, fits).join('')
}

/**
 * Returns the same style in a size with which the line fits into `width` points. Callers use this function for texts that must
 * stay whole, such as amounts.
 */
export function fitted(sheet: Sheet, style: Style, line: string, width: number): Style {
  const needed = widthOf(sheet, style, line)
  return needed <= width ? style : { face: style.face, size: (style.size * width) / needed }
}

/** A box for lines: its upper left corner, its width, and the alignment. */
export type Box = { x: number; y: number; width: number; align?: Align }

/** Draws lines below each other. Returns the position below the last line in points. */
export function drawLines(sheet: Sheet, style: Style, lines: readonly string[], box: Box): number {
  for (const [i, line] of lines.entries()) drawLine(sheet, style, line, { ...box, y: box.y + i * lineHeight(style) })
  return box.y + lines.length * lineHeight(style)
}

function drawLine(sheet: Sheet, style: Style, line: string, box: Box): void {
  sheet.doc.font(style.face, style.size)
  const parts = pieces(line).map((piece) => ({ ...piece, width: sheet.doc.widthOfString(piece.text) }))
  const space = box.width - parts.reduce((sum, { width }) => sum + width, 0)
  const begin = box.x + (box.align === 'right' ? space : box.align === 'center' ? space / 2 : 0)
  for (const part of parts) {
    const before = parts.filter(({ place }) => place < part.place).reduce((sum, { width }) => sum + width, 0)
    sheet.doc.text(part.text, begin + before, box.y, { lineBreak: false })
  }
}

/** Draws content with a PDF tag such as `P`, so that screen readers read the content. */
export function tagged(sheet: Sheet, tag: string, draw: () => void): void {
  sheet.root.add(sheet.doc.struct(tag, {}, [draw]))
}

/** Draws content that screen readers skip, such as rules, frames and repeated headers. */
export function silent(sheet: Sheet, draw: () => void): void {
  sheet.doc.markContent('Artifact')
  draw()
  sheet.doc.endMarkedContent()
}

/** Draws a horizontal line that screen readers skip. */
export function rule(
  sheet: Sheet,
  box: { x: number; y: number; width: number },
  thickness: number,
  color = '#000',
): void {
  silent(sheet, () => {
    sheet.doc
      .lineWidth(thickness)
      .moveTo(box.x, box.y)
      .lineTo(box.x + box.width, box.y)
      .stroke(color)
  })
}

/** Draws a line in the colour of the merchant, such as #7a1fa2. Null means that the merchant has chosen no colour. */
export function accentRule(sheet: Sheet, color: string | null, box: { x: number; y: number; width: number }): void {
  if (color !== null) rule(sheet, box, 2, color)
}

/** Draws a rectangle that screen readers skip. */
export function frame(
  sheet: Sheet,
  box: { x: number; y: number; width: number; height: number },
  thickness: number,
): void {
  silent(sheet, () => {
    sheet.doc.lineWidth(thickness).rect(box.x, box.y, box.width, box.height).stroke('#000')
  })
}

/**
 * A logo with its size in points. Screen readers skip the logo, because the document also contains the name of the merchant.
 */
export type SheetLogo = { width: number; height: number; draw: (x: number, y: number) => void }

/** The size in points of a pixel at 96 pixels per inch. If a logo had larger pixels, it would look coarse. */
const CSS_PIXEL = 72 / 96

/**
 * Returns a logo from a PNG in base64, as large as the box and its pixels allow. Null means that the merchant has no logo.
 */
export function openLogo(sheet: Sheet, png: string | null, box: { width: number; height: number }): SheetLogo | null {
  if (png === null) return null
  const image = Buffer.from(png, 'base64')
  // The header of a PNG contains the width at byte 16 and the height at byte 20.
  const [pixels_wide, pixels_high] = [image.readUInt32BE(16), image.readUInt32BE(20)]
  const scale = Math.min(box.width / pixels_wide, box.height / pixels_high, CSS_PIXEL)
  const [width, height] = [pixels_wide * scale, pixels_high * scale]
  return { width, height, draw: (x, y) => silent(sheet, () => void sheet.doc.image(image, x, y, { width, height })) }
}

/**
 * Draws lines. If the URL is a web address, the lines link to it. Returns the position below the last line in points.
 */
export function drawLink(sheet: Sheet, style: Style, url: string, lines: readonly string[], box: Box): number {
  const { doc, root } = sheet
  const end = box.y + lines.length * lineHeight(style)
  const paragraph = doc.struct('P')
  root.add(paragraph)
  const link = doc.struct('Link')
  paragraph.add(link)
  link.add(() => drawLines(sheet, style, lines, box))
  if (WEB_ADDRESS.test(url)) {
    const options = { structParent: link, Contents: new String(url) }
    doc.link(box.x, box.y, box.width, end - box.y, url, options as unknown as PDFKit.Mixins.AnnotationOption)
  }
  paragraph.end()
  return end
}

/** Draws a QR code with its quiet zone. If the text is too long for a QR code, draws nothing and returns false. */
export function drawQr(
  sheet: Sheet,
  text: string,
  label: string,
  box: { x: number; y: number; size: number },
): boolean {
  const modules = qrModules(text)
  if (modules === null) return false
  const side = box.size / (modules.length + 2 * QUIET_ZONE)
  const [left, top] = [box.x + QUIET_ZONE * side, box.y + QUIET_ZONE * side]
  const draw = () => {
    for (const [y, row] of modules.entries()) {
      for (const { start, length } of blackRuns(row)) {
        sheet.doc.rect(left + start * side, top + y * side, length * side, side)
      }
    }
    sheet.doc.fill('#000')
  }
  const options = { alt: label, bbox: [box.x, box.y, box.x + box.size, box.y + box.size] }
  sheet.root.add(sheet.doc.struct('Figure', options as object, [draw]))
  return true
}
