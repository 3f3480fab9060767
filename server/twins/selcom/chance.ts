// Chance without a stream: each decision follows from the seed and its subject, so the order and number of concurrent
// requests do not matter.

import { hash } from 'node:crypto'

/** A number in [0, 1) computed from `parts`, evenly distributed. */
export function share(...parts: readonly (string | number)[]): number {
  return digest(parts).readUIntBE(0, 6) / 2 ** 48
}

/** `length` decimal digits computed from `parts`. At most 14. */
export function digits(length: number, ...parts: readonly (string | number)[]): string {
  return String(digest(parts).readUIntBE(0, 6) % 10 ** length).padStart(length, '0')
}

/** `length` digits and capital letters computed from `parts`. At most 32. */
export function letters(length: number, ...parts: readonly (string | number)[]): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  return Array.from(digest(parts).subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('')
}

/** The name whose part of [0, 1) contains `chance`, or null beyond the sum of all rates. */
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
