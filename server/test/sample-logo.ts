// Draws sample logos as PNG files, in each colour type that a merchant may upload.

import { deflateSync } from 'node:zlib'
import { pngOfChunks } from '../src/kernel/documents/index.ts'

/** The colour types of a sample. */
export const LOGO_COLOURS = { grey: 0, rgb: 2, palette: 3, 'grey with alpha': 4, rgba: 6 } as const

const PIXEL: Record<keyof typeof LOGO_COLOURS, (on: boolean) => number[]> = {
  grey: (on) => [on ? 20 : 240],
  rgb: (on) => (on ? [8, 115, 72] : [245, 184, 61]),
  palette: (on) => [on ? 1 : 0],
  'grey with alpha': (on) => (on ? [20, 255] : [0, 0]),
  rgba: (on) => (on ? [8, 115, 72, 255] : [0, 0, 0, 0]),
}

/** Returns a picture with a ring. In colour types with transparency, the ground of the ring is transparent. */
export function sampleLogo(colour: keyof typeof LOGO_COLOURS = 'rgba', width = 160, height = 64): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, LOGO_COLOURS[colour], 0, 0, 0], 8)
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_, x) => {
      const distance = Math.hypot((x / width - 0.5) * (width / height), y / height - 0.5)
      return PIXEL[colour](distance > 0.3 && distance < 0.48)
    }).flat(),
  ])
  const palette = [
    ['PLTE', Buffer.from([255, 255, 255, 8, 115, 72])],
    ['tRNS', Buffer.from([0, 255])],
  ] as const
  return pngOfChunks([
    ['IHDR', head],
    ...(colour === 'palette' ? palette : []),
    ['IDAT', deflateSync(Buffer.from(rows.flat()))],
  ])
}
