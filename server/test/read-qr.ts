// Reads a QR code as a scanner does, but corrects no errors. The reader supports level M, which the product's codes use.

/** For versions 1 to 40 at level M: the number of blocks, and the number of error correction bytes per block. */
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35,
  37, 38, 40, 43, 45, 47, 49,
]
const CORRECTION = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]
const MASKS: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]
const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'

/**
 * Returns the bytes of a code from its modules by row: true for black, without the quiet zone. If the modules are no QR code,
 * throws an error.
 */
export function readQr(modules: readonly (readonly boolean[])[]): Buffer {
  const size = modules.length
  const version = (size - 17) / 4
  if (!Number.isInteger(version) || modules.some((row) => row.length !== size)) throw new Error('not a QR code')
  const at = (x: number, y: number): boolean => modules[y]?.[x] === true
  for (const [left, top] of [
    [0, 0],
    [size - 7, 0],
    [0, size - 7],
  ] as const) {
    for (let i = 0; i < 49; i++) {
      const ring = Math.max(Math.abs((i % 7) - 3), Math.abs(Math.floor(i / 7) - 3))
      if (at(left + (i % 7), top + Math.floor(i / 7)) !== (ring !== 2))
        throw new Error('a corner mark of the QR code has wrong modules')
    }
  }
  const format = [0, 1, 2, 3, 4].reduce((bits, x) => bits * 2 + Number(at(x, 8)), 0) ^ 0b10101
  if (format >> 3 !== 0) throw new Error('the QR code does not have level M')
  const mask = MASKS[format & 7] as (x: number, y: number) => boolean
  const bits: number[] = []
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let i = 0; i < size; i++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - i : i
      for (const x of [right, right - 1]) {
        if (!isFunction(x, y, size, version)) bits.push(Number(at(x, y) !== mask(x, y)))
      }
    }
  }
  return segments(dataBytes(bytesOf(bits), version), version)
}

function isFunction(x: number, y: number, size: number, version: number): boolean {
  if (x === 6 || y === 6) return true
  if ((x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9)) return true
  if (version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11))) return true
  if (version === 1) return false
  const count = Math.floor(version / 7) + 2
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2
  const centres = [6, ...Array.from({ length: count - 1 }, (_, i) => size - 7 - i * step)]
  const near = (value: number) => centres.find((centre) => Math.abs(centre - value) <= 2)
  const [cx, cy] = [near(x), near(y)]
  if (cx === undefined || cy === undefined) return false
  const corner = (cx === 6 && (cy === 6 || cy === size - 7)) || (cy === 6 && cx === size - 7)
  return !corner
}

function bytesOf(bits: readonly number[]): number[] {
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
}

/** Restores the order of the interleaved blocks, and omits the error correction bytes. */
function dataBytes(all: readonly number[], version: number): number[] {
  const blocks = BLOCKS[version - 1] as number
  const data = all.length - blocks * (CORRECTION[version - 1] as number)
  const short = Math.floor(data / blocks)
  const long = data % blocks
  const found: number[][] = Array.from({ length: blocks }, () => [])
  let next = 0
  for (let i = 0; i <= short; i++) {
    for (let block = 0; block < blocks; block++) {
      if (i < short || block >= blocks - long) found[block]?.push(all[next++] as number)
    }
  }
  return found.flat()
}

function segments(data: readonly number[], version: number): Buffer {
  const bits = data.flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => (byte >> i) & 1))
  let at = 0
  const take = (count: number): number => {
    at += count
    return bits.slice(at - count, at).reduce((value, bit) => value * 2 + bit, 0)
  }
  const large = version < 10 ? 0 : version < 27 ? 1 : 2
  const found: Buffer[] = []
  while (at + 4 <= bits.length) {
    const mode = take(4)
    if (mode === 0) break
    const width = { 1: [10, 12, 14], 2: [9, 11, 13], 4: [8, 16, 16] }[mode]?.[large]
    if (width === undefined) throw new Error(`this reader does not support the mode ${mode}`)
    let left = take(width)
    let text = ''
    for (; mode === 4 && left > 0; left -= 1) found.push(Buffer.of(take(8)))
    for (; mode === 1 && left > 0; left -= 3) {
      const digits = Math.min(left, 3)
      text += String(take([0, 4, 7, 10][digits] as number)).padStart(digits, '0')
    }
    for (; mode === 2 && left > 0; left -= 2) {
      const pair = take(left === 1 ? 6 : 11)
      text += left === 1 ? LETTERS[pair] : `${LETTERS[Math.floor(pair / 45)]}${LETTERS[pair % 45]}`
    }
    found.push(Buffer.from(text))
  }
  return Buffer.concat(found)
}
