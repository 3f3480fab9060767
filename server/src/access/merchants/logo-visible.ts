// Tells whether a picture is visible on the white ground of pages and documents.

/** The header of a PNG: size, bits of a channel, and colour type. */
export type PngHeader = { width: number; height: number; depth: number; colour: number; channels: number }

/** A pixel looks white if its red, green and blue all reach this value. The dashboard uses the same value. */
const WHITE = 240

/**
 * Returns true if the picture, drawn on white, has a pixel that does not look white. `rows` are the decompressed rows with their
 * filters. `palette` and `clear` are the chunks PLTE and tRNS.
 */
export function isVisibleOnWhite(
  header: PngHeader,
  rows: Buffer,
  palette: Buffer | undefined,
  clear: Buffer | undefined,
): boolean {
  const { width, height, depth, channels } = header
  const length = Math.ceil((width * channels * depth) / 8)
  const step = Math.max(1, (channels * depth) / 8)
  let above: Uint8Array = new Uint8Array(length)
  for (let y = 0; y < height; y++) {
    const at = y * (length + 1)
    const row = withoutFilter(rows[at] ?? 0, rows.subarray(at + 1, at + 1 + length), above, step)
    for (let x = 0; x < width; x++) {
      const samples = Array.from({ length: channels }, (_, i) => sampleOf(row, x * channels + i, depth))
      if (lightness(samples, header, palette, clear) < WHITE) return true
    }
    above = row
  }
  return false
}

/** Undoes the filter of a row, as the PNG standard defines the five filters. */
function withoutFilter(filter: number, data: Buffer, above: Uint8Array, step: number): Uint8Array {
  const row = Uint8Array.from(data)
  for (let i = 0; i < row.length; i++) {
    const left = i < step ? 0 : (row[i - step] ?? 0)
    const up = above[i] ?? 0
    const corner = i < step ? 0 : (above[i - step] ?? 0)
    row[i] = (data[i] ?? 0) + predicted(filter, left, up, corner)
  }
  return row
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const [to_left, to_up, to_corner] = [
    Math.abs(up - corner),
    Math.abs(left - corner),
    Math.abs(left + up - 2 * corner),
  ] as const
  if (to_left <= to_up && to_left <= to_corner) return left
  return to_up <= to_corner ? up : corner
}

/** Returns the sample at a position of a row. A byte of a picture with fewer than 8 bits holds several samples. */
function sampleOf(row: Uint8Array, place: number, depth: number): number {
  if (depth === 8) return row[place] ?? 0
  const bit = place * depth
  return ((row[bit >> 3] ?? 0) >> (8 - depth - (bit & 7))) & ((1 << depth) - 1)
}

/** Returns the lowest of red, green and blue of a pixel on white. */
function lightness(
  samples: number[],
  { depth, colour }: PngHeader,
  palette: Buffer | undefined,
  clear: Buffer | undefined,
): number {
  const [first = 0] = samples
  if (colour === 3) {
    const rgb = palette?.subarray(first * 3, first * 3 + 3) ?? []
    return onWhite(Math.min(...rgb), clear?.[first] ?? 255)
  }
  if (colour === 4) return onWhite(first, samples[1] ?? 255)
  if (colour === 6) return onWhite(Math.min(...samples.slice(0, 3)), samples[3] ?? 255)
  // In pictures without alpha, tRNS names one transparent colour, with two bytes for each channel.
  const is_clear = clear !== undefined && samples.every((sample, i) => clear[2 * i + 1] === sample)
  if (is_clear) return 255
  return Math.min(...samples) * (255 / ((1 << depth) - 1))
}

function onWhite(value: number, alpha: number): number {
  return 255 - ((255 - value) * alpha) / 255
}
