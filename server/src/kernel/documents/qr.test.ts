// Tests that QR codes contain the given bytes, and have the border and the background that phones need.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQr } from '../../../test/read-qr.ts'
import { qrSvg } from './index.ts'

const TANQR =
  '00020101021226480013tz.go.bot.tips0106001234021098765432105204541153038345405250005802TZ5912DUKA LA ASHA6013DAR ES SALAAM62190515CLX9A7B2K31MQ0863042F1B'
const PAGE = 'https://lipa.example.co.tz/l/3fk2-9aJd0eQxYb7TzUv1mN5rWc'

/** Returns the modules of an SVG with the quiet zone, row by row. True means black. */
function drawn(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  let [x, y] = [0, 0]
  for (const [, command, first, second] of (/ d="([^"]+)"/.exec(svg)?.[1] ?? '').matchAll(
    /([Mmh])(-?[\d.]+)(?: ([\d.]+))?/g,
  )) {
    if (command === 'M') [x, y] = [Number(first), Number(second) - 0.5]
    else if (command === 'm') x += Number(first)
    else for (const end = x + Number(first); x < end; x++) (modules[y] as boolean[])[x] = true
  }
  return modules
}

test('a QR code contains the given text byte for byte, for many alphabets and lengths', () => {
  const texts = [
    TANQR,
    PAGE,
    '0',
    '0012345678',
    'TZ-2041 $%*+./:',
    'a',
    'Malipo kwa Duka la Asha: café, 你好, محمد, 😀',
    '100% &<>"\'\u0000\u0007\r\n\t',
    ...[14, 60, 150, 300, 700, 1200, 2331].map((length) => 'aZ09:/'.repeat(400).slice(0, length)),
  ]
  for (const text of texts) {
    const modules = drawn(qrSvg(text, { label: 'QR' }).toString())
    const inner = modules.slice(4, -4).map((row) => row.slice(4, -4))
    assert.equal(readQr(inner).toString(), text)
  }
})

test('a QR code has a white background and a border of four modules in any colour scheme', () => {
  const svg = qrSvg(PAGE, { label: 'QR' }).toString()
  const modules = drawn(svg)
  const size = modules.length
  for (const [y, row] of modules.entries()) {
    for (const [x, black] of row.entries()) {
      const quiet = x < 4 || y < 4 || x >= size - 4 || y >= size - 4
      assert.ok(!(quiet && black), `black at ${x}, ${y}`)
    }
  }
  assert.ok(svg.includes(`<rect width="${size}" height="${size}" fill="#fff"/>`))
  assert.ok(svg.includes('stroke="#000"'))
})

test('a QR code is one small path with a label for screen readers', () => {
  const svg = qrSvg(TANQR, { label: '"><script>alert(1)</script>' }).toString()
  assert.equal(svg.match(/<path /g)?.length, 1)
  assert.ok(svg.includes('role="img" aria-label="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"'))
  assert.ok(svg.length < 6_000, `${svg.length} bytes`)
  assert.ok(qrSvg(PAGE, { label: 'QR' }).toString().length < 3_500)
})

test('a QR code replaces a lone surrogate, and qrSvg refuses a text that is too long', () => {
  const modules = drawn(qrSvg('a\ud800b', { label: 'QR' }).toString())
  assert.equal(readQr(modules.slice(4, -4).map((row) => row.slice(4, -4))).toString(), 'a\ufffdb')
  assert.throws(() => qrSvg('a'.repeat(2332), { label: 'QR' }), RangeError)
})
