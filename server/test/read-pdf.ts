// Reads the PDF files that the product draws: texts with their positions, boxes, links and metadata.

import { inflateSync } from 'node:zlib'

/** A text on a page. Positions are in points from the upper left corner; `y` is the baseline of the text. */
export type PlacedText = { text: string; x: number; y: number; width: number; size: number }
/**
 * A page with its texts, its filled or framed boxes, and the colours of its lines as #rrggbb. `tags` are the structure elements
 * in reading order.
 */
export type Page = {
  width: number
  height: number
  texts: PlacedText[]
  boxes: { x: number; y: number; width: number; height: number }[]
  line_colors: string[]
  tags: string[]
}
type Part = { dict: string; stream: Buffer | null }
type Font = { texts: string[]; widths: number[] }

/**
 * Reads all pages, the catalogue and document dictionaries, the XMP metadata and the links. If the bytes are no PDF, throws an
 * error.
 */
export function readPdf(bytes: Buffer): {
  pages: Page[]
  catalog: string
  xmp: string
  info: Record<string, string>
  links: string[]
} {
  const parts = partsOf(bytes)
  const of = (type: string) => [...parts.values()].filter(({ dict }) => new RegExp(`/Type /${type}\\b`).test(dict))
  const trailer = bytes.toString('latin1').slice(-2000)
  const info = follow(parts, /\/Info (\d+) 0 R/.exec(trailer)?.[1]).dict
  return {
    pages: of('Page').map((page) => readPage(parts, page.dict)),
    catalog: of('Catalog')[0]?.dict ?? '',
    xmp: of('Metadata')[0]?.stream?.toString() ?? '',
    info: Object.fromEntries(
      [...info.matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, key, id]) => [key, readString(follow(parts, id).dict)]),
    ),
    links: [...parts.values()].flatMap(({ dict }) => /\/URI \(([^)]*)\)/.exec(dict)?.[1] ?? []),
  }
}

function partsOf(bytes: Buffer): Map<string, Part> {
  const text = bytes.toString('latin1')
  if (!text.startsWith('%PDF-') || !text.trimEnd().endsWith('%%EOF')) throw new Error('not a whole PDF')
  const parts = new Map<string, Part>()
  const head = /(\d+) 0 obj\n([\s\S]*?)\n(stream\n|endobj)/g
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const [, id = '', dict = '', kind] = found
    let stream: Buffer | null = null
    if (kind === 'stream\n') {
      const length = Number(/\/[Ll]ength (\d+)\n/.exec(dict.slice(dict.lastIndexOf('/Length')))?.[1])
      const raw = bytes.subarray(head.lastIndex, head.lastIndex + length)
      stream = dict.includes('/FlateDecode') ? inflateSync(raw) : raw
      head.lastIndex += length
    }
    parts.set(id, { dict, stream })
  }
  return parts
}

function follow(parts: Map<string, Part>, id: string | undefined): Part {
  const part = parts.get(id ?? '')
  if (part === undefined) throw new Error(`the PDF has no object ${id}`)
  return part
}

function readString(written: string): string {
  const inner = written.trim().replace(/^\(([\s\S]*)\)$/, '$1')
  const bytes = Buffer.from(
    inner.replace(/\\([nrtbf()\\])/g, (_all, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? char),
    'latin1',
  )
  return bytes[0] === 0xfe && bytes[1] === 0xff
    ? bytes.subarray(2).swap16().toString('utf16le')
    : bytes.toString('latin1')
}

function readPage(parts: Map<string, Part>, dict: string): Page {
  const [width, height] = (/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(dict) ?? []).slice(1).map(Number) as [
    number,
    number,
  ]
  const resources = follow(parts, /\/Resources (\d+) 0 R/.exec(dict)?.[1]).dict
  const fonts = new Map(
    [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id]) => [
      name,
      readFont(parts, follow(parts, id).dict),
    ]),
  )
  const content = follow(parts, /\/Contents (\d+) 0 R/.exec(dict)?.[1]).stream?.toString('latin1') ?? ''
  const texts = [...content.matchAll(/1 0 0 1 (\S+) (\S+) Tm\n\/(F\d+) (\S+) Tf\n([\s\S]*?)\nET/g)].map(
    ([, x, y, font = '', size, shown = '']) =>
      placed(fonts.get(font) as Font, Number(x), height - Number(y), Number(size), shown),
  )
  const boxes = [...content.matchAll(/^(\S+) (\S+) (\S+) (\S+) re$/gm)].map((found) => {
    const [x, y, w, h] = found.slice(1).map(Number) as [number, number, number, number]
    return { x, y, width: w, height: h }
  })
  return {
    width,
    height,
    texts,
    boxes,
    line_colors: [...content.matchAll(/([\d. ]+) SCN/g)].map(([, levels = '']) => hexColor(levels)),
    tags: [...content.matchAll(/^\/(\w+) <<\n\/MCID/gm)].map(([, tag = '']) => tag),
  }
}

/** Returns the red, green and blue levels of a PDF, from 0 to 1, as #rrggbb. */
function hexColor(levels: string): string {
  const bytes = levels
    .trim()
    .split(' ')
    .map((level) => Math.round(Number(level) * 255))
  return `#${Buffer.from(bytes).toString('hex')}`
}

function readFont(parts: Map<string, Part>, dict: string): Font {
  const map = follow(parts, /\/ToUnicode (\d+) 0 R/.exec(dict)?.[1]).stream?.toString() ?? ''
  const ranges = [...map.matchAll(/<[0-9a-f]{4}> <[0-9a-f]{4}> \[([^\]]*)\]/g)].flatMap(([, list = '']) => [
    ...list.matchAll(/<([^>]*)>/g),
  ])
  const texts = ranges.map(([, units = '']) =>
    String.fromCharCode(...units.split(' ').map((unit) => Number.parseInt(unit, 16))),
  )
  const inner = follow(parts, /\/DescendantFonts \[(\d+) 0 R\]/.exec(dict)?.[1]).dict
  const widths = (/\/W \[0 \[([^\]]*)\]/.exec(inner)?.[1] ?? '').split(' ').map(Number)
  return { texts, widths }
}

function placed(font: Font, x: number, y: number, size: number, shown: string): PlacedText {
  let [text, width] = ['', 0]
  for (const [, hex, shift] of shown.matchAll(/<([0-9a-f]*)>|(-?[\d.]+)(?=[ \]])/g)) {
    if (shift !== undefined) width -= Number(shift)
    for (const code of hex?.match(/.{4}/g) ?? []) {
      const glyph = Number.parseInt(code, 16)
      text += font.texts[glyph]
      width += font.widths[glyph] as number
    }
  }
  return { text, x, y, size, width: (width * size) / 1000 }
}
