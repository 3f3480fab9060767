// Our references on the wire. A conversation id takes 40 characters: ours go there as they are, and that id is what makes a
// request unique, what is asked about and what callbacks name. The transaction reference, which people read on statements,
// takes only 20; so it is packed.

import { base32ToId, idToBase32 } from '../../../kernel/lib/index.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 20
/** Bits of the milliseconds that are kept: 8.7 years. */
const TIME_BITS = 38n
/** Numbers of attempts are 1 to 99; a payout has none and takes 0. */
const NUMBERS = 100n

/**
 * A reference of ours in 20 letters and digits, or null when it is not one of ours; one of up to 19 is taken as it is.
 *
 * An id has 122 bits that are its own: 48 of time, 12 and 30 random ones, and 32 of its merchant. All but the highest 10 of
 * time, and the number of the attempt, are 118.7 bits, and 20 characters hold 119.08. So no two references of one span
 * of 8.7 years are packed alike, and nobody needs a table to pack one. (Two from different spans would have to agree in
 * 112 bits, 42 of them random.)
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
  return textOf(bits * NUMBERS + BigInt(number ?? 0))
}

/** A reference that was packed lies before the time at which a statement has it, give or take what two clocks differ by. */
const CLOCKS_MS = 86_400_000n

/**
 * The reference of ours behind a packed one, or null when it is none. `at`: when what it names moved, because of its time only
 * the last 8.7 years are told.
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

function textOf(value: bigint): string {
  let text = ''
  for (let left = value; text.length < LENGTH; left /= 62n) text = BASE62[Number(left % 62n)] + text
  return text
}
