// Encodes references for the gateway. A conversation id takes 40 characters, so the full reference fits, and queries and
// callbacks use it. The transaction reference on statements takes 20 characters, so the adapter packs the reference.

import { base32ToId, idToBase32 } from '../../../kernel/lib/index.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 20
/** The number of bits that the packed form keeps of the milliseconds: enough for 8.7 years. */
const TIME_BITS = 38n
/** The number of possible attempt numbers. A payment has 1 to 99, and a payout has 0. */
const NUMBERS = 100n

/**
 * Packs a reference into 20 letters and digits, unique within 8.7 years. A reference of up to 19 characters stays unchanged. If
 * the text is no reference, returns null. An id without the highest 10 bits of its time takes 118.6 bits with the attempt
 * number, and 20 characters hold 119.08.
 */
export function packReference(reference: string): string | null {
  if (/^[0-9A-Za-z]{1,19}$/.test(reference)) return reference
  const [, payout, attempt, number] = /^(?:W([0-9A-Z]{26})|([0-9A-Z]{26})(\d\d))$/.exec(reference) ?? []
  const id = base32ToId(payout ?? attempt ?? '')
  if (id === null) return null
  const own = /^(.{8})-(.{4})-8(.{3})-([89ab].{3})-(.{12})$/.exec(id)
  if (own === null) return null
  const [, time_high, time_low, random, variant, rest] = own
  const time = BigInt.asUintN(Number(TIME_BITS), BigInt(`0x${time_high}${time_low}`))
  const tail = BigInt.asUintN(62, BigInt(`0x${variant}${rest}`))
  const bits = (((time << 12n) | BigInt(`0x${random}`)) << 62n) | tail
  return base62Of(bits * NUMBERS + BigInt(number ?? 0))
}

/**
 * The greatest difference between two clocks, in milliseconds. A packed reference is older than its movement in a statement, up
 * to this difference.
 */
const CLOCKS_MS = 86_400_000n

/**
 * Unpacks a reference. If the text is no packed reference, returns null. `at` is the time of the movement and completes the
 * time of the reference, of which the packed form keeps only 8.7 years.
 */
export function unpackReference(packed: string, at: Date): string | null {
  if (!/^[0-9A-Za-z]{20}$/.test(packed)) return null
  let value = 0n
  for (const char of packed) value = value * 62n + BigInt(BASE62.indexOf(char))
  const [bits, number] = [value / NUMBERS, value % NUMBERS]
  const [low, random, tail] = [bits >> 74n, BigInt.asUintN(12, bits >> 62n), BigInt.asUintN(62, bits)]
  const latest = BigInt(at.getTime()) + CLOCKS_MS
  const time = latest - BigInt.asUintN(Number(TIME_BITS), latest - low)
  if (low >> TIME_BITS !== 0n || time < 0n) return null
  const hex = (part: bigint, digits: number) => part.toString(16).padStart(digits, '0')
  const own = `${hex(time, 12)}8${hex(random, 3)}${hex((2n << 62n) | tail, 16)}`
  const id = idToBase32(own.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
  return number === 0n ? `W${id}` : `${id}${String(number).padStart(2, '0')}`
}

function base62Of(value: bigint): string {
  let text = ''
  for (let left = value; text.length < LENGTH; left /= 62n) text = BASE62[Number(left % 62n)] + text
  return text
}
