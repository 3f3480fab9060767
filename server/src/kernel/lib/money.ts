// Parses and formats amounts of requests and answers. The server computes amounts as bigint cents.

/** The currency of every amount that the server requests or pays out: the Tanzanian shilling. */
export const CURRENCY = 'TZS'

/** The largest amount in cents that the server accepts. Up to 2^53, JavaScript numbers hold whole cents exactly. */
const MINOR_MAX = 2n ** 53n

/**
 * The reason why the server refuses the text of an amount. `too_large` means more than 2^53 cents, or more than 15 digits
 * before the point.
 */
export type AmountProblem = 'malformed' | 'too_precise' | 'not_positive' | 'too_large'

/**
 * The messages for a client whose amount is invalid. `too_large` has no message here, because each use case has a message with
 * its own limit.
 */
export const AMOUNT_HELP: Record<Exclude<AmountProblem, 'too_large'>, string> = {
  malformed: 'must be a decimal such as "25000.00" or 25000, without sign, exponent or separators',
  too_precise: 'must have at most two decimals',
  not_positive: 'must be greater than zero',
}

const DECIMAL = /^(\d{1,15})(?:\.(\d+))?$/
const LONG_DECIMAL = /^\d+(?:\.\d+)?$/
const NEGATIVE_OR_ZERO = /^-?0*(?:\.0*)?$|^-\d+(?:\.\d+)?$/

/**
 * Parses a decimal amount such as "25000", "25000.5" or "25000.50". Returns cents, or the reason for refusing the amount. A
 * number with a minus sign is `not_positive`. Exponents, a plus sign, spaces and separators are `malformed`.
 */
export function parseAmount(text: string): bigint | AmountProblem {
  if (text.length > 64) return 'malformed'
  const match = DECIMAL.exec(text)
  if (!match) {
    if (LONG_DECIMAL.test(text)) return 'too_large'
    return text !== '' && NEGATIVE_OR_ZERO.test(text) && /\d/.test(text) ? 'not_positive' : 'malformed'
  }
  const fraction = match[2] ?? ''
  if (fraction.length > 2) return 'too_precise'
  const minor = BigInt(match[1] as string) * 100n + BigInt(fraction.padEnd(2, '0') || '0')
  if (minor <= 0n) return 'not_positive'
  return minor > MINOR_MAX ? 'too_large' : minor
}

/**
 * Parses a fee: an amount that may be zero, such as "0" or "0.00". Returns cents, or the reason for refusing the fee.
 */
export function parseFee(text: string): bigint | AmountProblem {
  return /^0+(?:\.0{1,2})?$/.test(text) && text.length <= 64 ? 0n : parseAmount(text)
}

/** Divides non-negative integers and rounds half up. No other function rounds money. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor)
}

/** Writes cents as a decimal string with two decimals: 2500000n is "25000.00". */
export function formatAmount(minor: bigint): string {
  const sign = minor < 0n ? '-' : ''
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * Writes cents as a JSON number: 2500050n is 25000.5. The number is exact to the cent for every amount that the
 * settings allow.
 */
export function amountAsNumber(minor: bigint): number {
  return Number(minor) / 100
}
