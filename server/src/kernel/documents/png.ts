// Writes PNG files from their chunks.

import { crc32 } from 'node:zlib'

/** The first bytes of each PNG. */
export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Returns a PNG of these chunks, with the signature and the end chunk. The first chunk must be the header. */
export function pngOfChunks(chunks: readonly (readonly [name: string, data: Buffer])[]): Buffer {
  return Buffer.concat([PNG_SIGNATURE, ...[...chunks, ['IEND', Buffer.alloc(0)] as const].map(pngChunk)])
}

function pngChunk([name, data]: readonly [name: string, data: Buffer]): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
