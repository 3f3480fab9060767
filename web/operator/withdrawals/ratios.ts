// Computes with decimal amounts in whole cents. The file imports nothing, so that a test of the server can import it.

/** Converts a decimal amount with two decimals into cents. */
export function toMinor(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/**
 * Returns how many times a sum contains another one, rounded to one decimal: 15.45 times is "15.5". Null means that the other one
 * is zero.
 */
export function timesOf(sum: string, other: string): string | null {
  const other_minor = toMinor(other)
  if (other_minor === 0n) return null
  const tenths = (toMinor(sum) * 20n + other_minor) / (other_minor * 2n)
  return `${tenths / 10n}.${tenths % 10n}`
}
