// Makes ids: UUIDv8 that sort by time and contain the routing code of their merchant, and the text forms of ids.

import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/**
 * Makes the id of a merchant's record: 48 bits of milliseconds since 1970, 12 random bits, the merchant's 32-bit routing code
 * and 30 random bits. Between these parts are the version (8) and variant bits of RFC 9562.
 */
export function newId(seams: { clock: Clock; random: Random }, routing_code: number): string {
  const bytes = Buffer.alloc(16)
  const random = seams.random.bytes(6)
  bytes.writeUIntBE(seams.clock.now().getTime(), 0, 6)
  bytes[6] = 0x80 | ((random[0] as number) & 0x0f)
  bytes[7] = random[1] as number
  // The variant bits 10 come first, then 6 bits, 24 bits and 2 bits of the routing code. The last 2 bits begin the final 4
  // bytes.
  bytes[8] = 0x80 | (routing_code >>> 26)
  bytes.writeUIntBE((routing_code >>> 2) & 0xffffff, 9, 3)
  bytes[12] = ((routing_code & 0x3) << 6) | ((random[2] as number) & 0x3f)
  bytes[13] = random[3] as number
  bytes[14] = random[4] as number
  bytes[15] = random[5] as number
  return uuidText(bytes)
}

/** The id that sorts before every other id. */
export const ZERO_ID = '00000000-0000-0000-0000-000000000000'

/** Returns the smallest id of a moment. This id sorts before all ids of `time` or later, and after all earlier ids. */
export function firstIdAt(time: Date): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, time.getTime()), 0, 6)
  return uuidText(bytes)
}

/** The id that sorts after every other id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the bounds of the ids of a period: `from` is inclusive, `to` is exclusive. Null or undefined means no bound. */
export function idsBetween(
  from: Date | null | undefined,
  to: Date | null | undefined,
): { from_id: string; until_id: string } {
  return { from_id: from ? firstIdAt(from) : ZERO_ID, until_id: to ? firstIdAt(to) : LAST_ID }
}

/** Returns the time of an id in whole milliseconds. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/**
 * Returns the same id with another routing code. With this function, code can change the result of `newId(seams, 0)` to an id
 * of a merchant.
 */
export function withRoutingCode(id: string, routing_code: number): string {
  // The routing code has 32 bits: 6 bits after the variant, then 24 bits, then 2 bits before the last 30 bits.
  const variant = (0x80 | (routing_code >>> 26)).toString(16)
  const middle = ((routing_code >>> 2) & 0xffffff).toString(16).padStart(6, '0')
  const last = (((routing_code & 3) << 2) | (Number.parseInt(id.charAt(28), 16) & 3)).toString(16)
  return `${id.slice(0, 19)}${variant}${middle.slice(0, 2)}-${middle.slice(2)}${last}${id.slice(29)}`
}

/** Makes a random 32-bit routing code for a new merchant. */
export function newRoutingCode(random: Random): number {
  return Buffer.from(random.bytes(4)).readUInt32BE(0)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns true for a UUID in lower-case text form. */
export function isId(text: string): boolean {
  return UUID.test(text)
}

/** Returns the routing code that an id of `newId` contains. */
export function routingCodeOf(id: string): number {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  return (((bytes[8] as number) & 0x3f) * 2 ** 26 + (bytes.readUIntBE(9, 3) << 2) + ((bytes[12] as number) >>> 6)) >>> 0
}

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns an id as 26 characters of Crockford base32, for references that people read aloud. */
export function idToBase32(id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
  // The 128 bits are one group of three bits, which comes first, and 25 groups of five bits.
  let text = ''
  let carried = 0
  let bits = 2
  for (const byte of bytes) {
    carried = (carried << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += CROCKFORD[(carried >>> bits) & 31]
    }
    carried &= 0xff
  }
  return text
}

/** Returns the id that 26 characters of Crockford base32 encode. Null means that the text is no id. */
export function base32ToId(text: string): string | null {
  if (text.length !== 26) return null
  let value = 0n
  for (const char of text) {
    const digit = CROCKFORD.indexOf(char)
    if (digit < 0) return null
    value = (value << 5n) | BigInt(digit)
  }
  if (value >> 128n !== 0n) return null
  return uuidText(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'))
}

/** Returns the short public code of a merchant, which the server computes from the routing code. */
export function merchantCode(routing_code: number): string {
  let value = routing_code
  let text = ''
  for (let i = 0; i < 7; i++) {
    text = CROCKFORD[value & 31] + text
    value = Math.floor(value / 32)
  }
  return `M${text}`
}
