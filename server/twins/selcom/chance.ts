// Computes chances by hashing, without a random stream. Each decision depends only on the seed and its subject. So the order of
// concurrent requests changes no decision.

import { hash } from 'node:crypto'

/** Returns a number in [0, 1), computed from `parts` and evenly distributed. */
export function share(...parts: readonly (string | number)[]): number {
  return digest(parts).readUIntBE(0, 6) / 2 ** 48
}

/** Returns `length` decimal digits, at most 14, computed from `parts`. */
export function digits(length: number, ...parts: readonly (string | number)[]): string {
  return String(digest(parts).readUIntBE(0, 6) % 10 ** length).padStart(length, '0')
}

/** Returns `length` digits and capital letters, at most 32, computed from `parts`. */
export function letters(length: number, ...parts: readonly (string | number)[]): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  return Array.from(digest(parts).subarray(0, length), (byte) => alphabet[byte % alphabet.length]).join('')
}

/**
 * Returns the name whose share of [0, 1) contains `chance`. If `chance` is beyond the sum of all shares, returns null.
 */
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
