// Draws the QR code of a provider as a PNG. Payers save the picture, because a phone cannot scan its own screen.

import { deflateSync } from 'node:zlib'
import { encode } from 'uqr'
import { pngOfChunks } from '../../kernel/documents/index.ts'

/** The width of the white border in modules, as the QR standard requires. */
const QUIET = 4

/** The width of a module in pixels. */
const SCALE = 8

/** Returns the payload as a black and white PNG. If the payload is too long for a QR code, throws an error. */
export function qrPng(payload: string): Buffer {
  const { size, data } = matrix(payload)
  const width = size * SCALE
  const bytes = Math.ceil(width / 8)
  const lines = data.flatMap((row) => {
    const line = Buffer.alloc(bytes + 1, 0)
    for (let x = 0; x < width; x += 1) {
      const white = row[Math.floor(x / SCALE)] !== true
      if (white) line.writeUInt8(line.readUInt8(1 + (x >> 3)) | (0x80 >> (x & 7)), 1 + (x >> 3))
    }
    return Array<Buffer>(SCALE).fill(line)
  })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(width, 4)
  // The bit depth is 1 and the colour type is greyscale.
  head.writeUInt8(1, 8)
  return pngOfChunks([
    ['IHDR', head],
    ['IDAT', deflateSync(Buffer.concat(lines))],
  ])
}

function matrix(payload: string): { size: number; data: boolean[][] } {
  return encode(payload, { ecc: 'M', border: QUIET })
}
