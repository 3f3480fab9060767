// Loads the two fonts of all documents once, because parsing a font takes longer than drawing a page.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The names of the two font faces. */
export type Face = 'regular' | 'bold'

/**
 * The parts of a parsed font that this file uses. `_glyphs` is the glyph cache: a glyph keeps the text of its first use.
 */
type Font = { hasGlyphForCodePoint: (code: number) => boolean; _glyphs: Record<number, unknown> }

const FILES: Record<Face, string> = {
  regular: import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
}

/**
 * Begins a document. The first call loads the library, because loading is slow and most processes draw no documents.
 */
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

/** Returns true if both faces have a glyph for this character. */
export function canDraw(char: string): boolean {
  const code = char.codePointAt(0)
  return code !== undefined && Object.values(fonts()).every((font) => font.hasGlyphForCodePoint(code))
}

/**
 * Adds both fonts to a document. All documents share the glyph cache, so a caller must finish this document before the next. So
 * drawing must not await.
 */
export function addFonts(doc: PDFKit.PDFDocument): void {
  for (const [face, font] of Object.entries(fonts())) {
    // The text in a document must not depend on glyphs that an earlier document cached.
    font._glyphs = {}
    doc.registerFont(face, font as unknown as string)
  }
}
