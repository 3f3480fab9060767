// Asserts properties of the PDF documents that the server draws, for the tests of these documents.

import assert from 'node:assert/strict'
import { type Page, readPdf } from './read-pdf.ts'
import { readQr } from './read-qr.ts'

/** Returns the pages of a drawn document. */
export async function pagesOf(bytes: Promise<Buffer>): Promise<Page[]> {
  return readPdf(await bytes).pages
}

/** Returns the texts of the pages, in the order in which the document draws them. */
export function linesOf(pages: readonly Page[]): string[] {
  return pages.flatMap(({ texts }) => texts.map(({ text }) => text))
}

/** Asserts that the pages contain each of these texts completely. */
export function shows(pages: readonly Page[], expected: readonly string[]): void {
  const lines = linesOf(pages)
  for (const text of expected) assert.ok(lines.includes(text), `${text} is not in ${lines.join(' | ')}`)
}

/** Asserts that no text on the pages matches a pattern. */
export function showsNot(pages: readonly Page[], unwanted: RegExp): void {
  assert.doesNotMatch(linesOf(pages).join('\n'), unwanted)
}

/** Asserts that all texts are between the side margins and on the paper, and that no two of them overlap. */
export function isTidy({ width, height, texts }: Page, margin: number): void {
  for (const item of texts) {
    const { text, x, y, size } = item
    assert.ok(x >= margin - 0.1 && x + item.width <= width - margin + 0.6, `"${text}" leaves the paper at the side`)
    assert.ok(y - size * 0.8 >= 6 && y + size * 0.25 <= height - 6, `"${text}" leaves the paper above or below`)
    for (const other of texts) {
      if (other === item || other.x >= x + item.width - 0.6 || x >= other.x + other.width - 0.6) continue
      assert.ok(Math.abs(other.y - y) >= 0.7 * Math.min(size, other.size), `"${text}" lies on "${other.text}"`)
    }
  }
}

/** Reads the QR code of a page and returns its content. */
export function qrTextOf(page: Page): string {
  const modules = page.boxes.filter(({ height }) => height < 6)
  const side = modules[0]?.height as number
  const [left, top] = [Math.min(...modules.map(({ x }) => x)), Math.min(...modules.map(({ y }) => y))]
  const size = Math.round((Math.max(...modules.map(({ x, width }) => x + width)) - left) / side)
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const { x, y, width } of modules) {
    const row = rows[Math.round((y - top) / side)] as boolean[]
    for (let i = 0; i < Math.round(width / side); i++) row[Math.round((x - left) / side) + i] = true
  }
  return readQr(rows).toString()
}
