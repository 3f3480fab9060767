// Reads an uploaded PNG and writes a new PNG with the same pixels, so that the logo contains no metadata, animation or appended
// file.

import { constants, crc32, deflateSync, inflateSync } from 'node:zlib'
import { PNG_SIGNATURE, pngOfChunks } from '../../kernel/documents/index.ts'
import { isVisibleOnWhite } from './logo-visible.ts'

/** The new PNG with its size in pixels. */
export type LogoPicture = { png: Buffer; width: number; height: number }

/** The greatest width and height of a logo in pixels. */
export const LOGO_SIDE_MAX = 512
/** The greatest ratio of the longer side to the shorter one. A longer picture would be a line at the size of a logo. */
export const LOGO_RATIO_MAX = 8
/** The greatest size of the new PNG in bytes, because payers on slow networks download the logo. */
export const LOGO_BYTES_MAX = 20_480

/** The channels of a pixel and the allowed bit depths, for each colour type of the PNG standard. */
const COLOUR_TYPES: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8] },
  2: { channels: 3, depths: [8] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8] },
  6: { channels: 4, depths: [8] },
}
/** The chunks that the new PNG needs beside header and pixels. The function drops all other chunks. */
const KEPT = ['PLTE', 'tRNS'] as const

/**
 * The reason why the server refuses a logo: the PNG is not readable, is too wide or too high, is a mere line, has nothing
 * that is visible on white, or has too many bytes.
 */
export type LogoProblem = 'unreadable' | 'too_wide' | 'too_thin' | 'not_visible' | 'too_large'

/**
 * Returns the upload as a new PNG, or the reason for a refusal. If the pixel data is larger than the header states, stops the
 * decompression.
 */
export function rewritePng(upload: Buffer): LogoPicture | LogoProblem {
  const chunks = readPngChunks(upload)
  const header = chunks?.get('IHDR')
  const pixels = chunks?.get('IDAT')
  if (!chunks || header?.length !== 13 || pixels === undefined) return 'unreadable'
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth, colour, compression, filter, interlace] = header.subarray(8)
  const type = COLOUR_TYPES[colour ?? -1]
  if (!type?.depths.includes(depth ?? 0) || compression !== 0 || filter !== 0 || interlace !== 0) return 'unreadable'
  if (width === 0 || height === 0) return 'unreadable'
  if (width > LOGO_SIDE_MAX || height > LOGO_SIDE_MAX) return 'too_wide'
  if (Math.max(width, height) > LOGO_RATIO_MAX * Math.min(width, height)) return 'too_thin'
  const row = 1 + Math.ceil((width * type.channels * (depth ?? 8)) / 8)
  const rows = inflateRows(pixels, row * height)
  if (rows === null || !hasKnownFilters(rows, row)) return 'unreadable'
  if (colour === 3 && !isPalette(chunks.get('PLTE'))) return 'unreadable'
  const shape = { width, height, depth: depth ?? 8, colour: colour ?? 0, channels: type.channels }
  if (!isVisibleOnWhite(shape, rows, chunks.get('PLTE'), chunks.get('tRNS'))) return 'not_visible'
  const png = pngOfChunks([
    ['IHDR', header],
    ...KEPT.flatMap((name) => (chunks.has(name) ? [[name, chunks.get(name) as Buffer] as const] : [])),
    ['IDAT', deflateSync(rows, { level: constants.Z_BEST_COMPRESSION })],
  ])
  return png.length > LOGO_BYTES_MAX ? 'too_large' : { png, width, height }
}

/**
 * Returns the data of all chunks with the same name, joined in order. Null means that the file is not a complete PNG, or has a
 * wrong checksum.
 */
function readPngChunks(file: Buffer): Map<string, Buffer> | null {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) return null
  const parts = new Map<string, Buffer[]>()
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at)
    const end = at + 12 + length
    if (end > file.length) return null
    const name = file.toString('latin1', at + 4, at + 8)
    if (crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return null
    if (name === 'IEND') return new Map([...parts].map(([kind, list]) => [kind, Buffer.concat(list)]))
    parts.set(name, [...(parts.get(name) ?? []), file.subarray(at + 8, end - 4)])
    at = end
  }
  return null
}

/** Returns the decompressed pixel rows. Null means that the data has another length, or is not a zlib stream. */
function inflateRows(data: Buffer, length: number): Buffer | null {
  try {
    const rows = inflateSync(data, { maxOutputLength: length + 1 })
    return rows.length === length ? rows : null
  } catch {
    return null
  }
}

/** Returns true if each row begins with one of the five filters of the PNG standard. */
function hasKnownFilters(rows: Buffer, row: number): boolean {
  for (let at = 0; at < rows.length; at += row) if ((rows[at] ?? 5) > 4) return false
  return true
}

const isPalette = (palette: Buffer | undefined) =>
  palette !== undefined && palette.length > 0 && palette.length <= 768 && palette.length % 3 === 0
