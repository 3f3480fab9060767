// The two fonts of every document, read once: parsing them takes longer than drawing a page.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The faces that documents are set in. */
export type Face = 'regular' | 'bold'

/** What we use of a parsed font. Its glyphs remember the text that they were first made for. */
type Font = { hasGlyphForCodePoint: (code: number) => boolean; _glyphs: Record<number, unknown> }

const FILES: Record<Face, string> = {
  regular: import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
}

/** Begins a document. The library takes a while to be read: whoever draws nothing, which most processes do, never reads it. */
export function newPdf(options: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument {
  const PDFDocument: typeof import('pdfkit') = createRequire(import.meta.url)('pdfkit')
  return new PDFDocument(options)
}

let loaded: Record<Face, Font> | null = null

function fonts(): Record<Face, Font> {
  loaded ??= { regular: parse(FILES.regular), bold: parse(FILES.bold) }
  return loaded
}

function parse(file: string): Font {
  const doc = newPdf({ autoFirstPage: false, font: '' })
  doc.font(readFileSync(new URL(file)))
  return (doc as unknown as { _font: { font: Font } })._font.font
}

/** Whether both faces have a glyph for the one character of this text. */
export function canDraw(char: string): boolean {
  const code = char.codePointAt(0)
  return code !== undefined && Object.values(fonts()).every((font) => font.hasGlyphForCodePoint(code))
}

/**
 * Gives a document both faces. It has to be drawn to its end before another one begins, which it is as long as nothing
 * waits in between.
 */
export function addFonts(doc: PDFKit.PDFDocument): void {
  for (const [face, font] of Object.entries(fonts())) {
    // What one document says must not depend on which glyphs another one made before it.
    font._glyphs = {}
    doc.registerFont(face, font as unknown as string)
  }
}
