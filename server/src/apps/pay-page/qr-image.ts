// Draws the QR code of a provider as a PNG, because a phone cannot scan its own screen.

import { crc32, deflateSync } from 'node:zlib'
import { encode } from 'uqr'

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
  // The PNG is greyscale with bit depth 1.
  head.writeUInt8(1, 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function matrix(payload: string): { size: number; data: boolean[][] } {
  return encode(payload, { ecc: 'M', border: QUIET })
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
