// Chance without a stream: every decision follows from the seed and from what is decided, so that it does not matter in
// which order, or how many at once, requests come in.

import { hash } from 'node:crypto'

/** A number in [0, 1) that follows from `parts`, evenly spread. */
export function share(...parts: readonly (string | number)[]): number {
  return digest(parts).readUIntBE(0, 6) / 2 ** 48
}

/** `length` decimal digits that follow from `parts`. At most 14. */
export function digits(length: number, ...parts: readonly (string | number)[]): string {
  return String(digest(parts).readUIntBE(0, 6) % 10 ** length).padStart(length, '0')
}

/** `length` digits and capital letters that follow from `parts`. At most 32. */
export function letters(length: number, ...parts: readonly (string | number)[]): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  return Array.from(digest(parts).subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('')
}

/** The name whose part of [0, 1) holds `chance`, or null when it lies beyond the sum of all rates. */
export function pick(rates: Readonly<Record<string, number>> | undefined, chance: number): string | null {
  let end = 0
  for (const name in rates) {
    end += rates[name] ?? 0
    if (chance < end) return name
  }
  return null
}

function digest(parts: readonly (string | number)[]): Buffer {
  return hash('sha256', parts.join('\n'), 'buffer')
}
