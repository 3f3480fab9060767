// Makes random bytes: from the operating system in production, from a seed in simulations. Use cases have no other source of
// randomness.

import { createHash, randomFillSync } from 'node:crypto'

/** A source of random bytes. */
export type Random = { bytes(length: number): Uint8Array }

const POOL_BYTES = 8192

/**
 * The generator of the operating system. The server reads random bytes in blocks, because one system call for each id would
 * be slow.
 */
export function systemRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return {
    bytes(length) {
      if (used + length > POOL_BYTES) {
        randomFillSync(pool)
        used = 0
      }
      used += length
      return Uint8Array.prototype.slice.call(pool, used - length, used)
    },
  }
}

/** Makes a generator whose output depends only on the seed. Never use this generator in production. */
export function seededRandom(seed: string): Random {
  let counter = 0
  return {
    bytes(length) {
      const blocks: Buffer[] = []
      for (let have = 0; have < length; have += 32) {
        blocks.push(createHash('sha256').update(`${seed}:${counter++}`).digest())
      }
      return Buffer.concat(blocks).subarray(0, length)
    },
  }
}

/** The digits of base 62, with the smallest digit first. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns `length` random characters of 0-9, A-Z and a-z, each equally likely (5.95 bits each). */
export function randomBase62(random: Random, length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      // 248 is the largest multiple of 62 that fits into a byte. The function skips bytes from 248 on, so that all characters
      // are equally likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}
