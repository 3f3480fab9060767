// Computes the sum of an invoice while the member types. The API uses the same rounding and computes the sum again.

import { readAmount } from '../../ui/checks.ts'
import { addAmounts } from '../../ui/show.ts'

/** A line of an invoice as texts, as the member typed it. */
export type TypedItem = { description: string; quantity: string; unit_price: string }

const QUANTITY = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/
const WITH_COMMAS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/

/** Returns a typed quantity in the format of the API. As in a price, a comma only separates thousands. */
export function plainQuantity(text: string): string {
  const typed = text.trim()
  return WITH_COMMAS.test(typed) ? typed.replaceAll(',', '') : typed
}

/**
 * Parses a quantity above zero with at most three decimals into thousandths. Null means that the text is no such quantity.
 */
function readQuantity(text: string): bigint | null {
  const [match, whole = '0', part = ''] = QUANTITY.exec(plainQuantity(text)) ?? []
  const parts = match === undefined ? 0n : BigInt(whole) * 1_000n + BigInt(part.padEnd(3, '0'))
  return parts > 0n ? parts : null
}

/** Returns true for a quantity that the API accepts. */
export function isQuantity(text: string): boolean {
  return readQuantity(text) !== null
}

/** Converts a unit price, which may be zero, into the format of the API. Null means that the text is no price. */
export function readPrice(text: string): string | null {
  return /^0+(\.0{1,2})?$/.test(text.trim()) ? '0.00' : readAmount(text)
}

/** Returns the amount of a line, rounded half up to the cent. Null means that the line is incomplete. */
export function lineAmount({ quantity, unit_price }: TypedItem): string | null {
  const parts = readQuantity(quantity)
  const price = readPrice(unit_price)
  if (parts === null || price === null) return null
  const cents = (parts * BigInt(price.replace('.', '')) + 500n) / 1_000n
  const digits = cents.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Adds up the complete lines, as a decimal text. Null means that a typed price or quantity cannot be read. */
export function itemsTotal(items: readonly TypedItem[]): string | null {
  const is_wrong = ({ quantity, unit_price }: TypedItem) =>
    (unit_price.trim() !== '' && readPrice(unit_price) === null) || (quantity.trim() !== '' && !isQuantity(quantity))
  if (items.some(is_wrong)) return null
  return addAmounts(items.map((item) => lineAmount(item) ?? '0.00'))
}
