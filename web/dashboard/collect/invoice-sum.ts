// What the lines of an invoice come to while they are typed: the same rounding as the API's, which counts again.

import { readAmount } from '../../ui/checks.ts'
import { addAmounts } from '../../ui/show.ts'

/** One line as it is typed. */
export type TypedItem = { description: string; quantity: string; unit_price: string }

const QUANTITY = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/

/** A quantity in thousandths. Null: it is none. */
function readQuantity(text: string): bigint | null {
  const [match, whole = '0', part = ''] = QUANTITY.exec(text.trim()) ?? []
  const parts = match === undefined ? 0n : BigInt(whole) * 1_000n + BigInt(part.padEnd(3, '0'))
  return parts > 0n ? parts : null
}

/** True for what can be counted. */
export function isQuantity(text: string): boolean {
  return readQuantity(text) !== null
}

/** What people write for the price of one, as the API takes it; nothing may be free. Null: it is no price. */
export function readPrice(text: string): string | null {
  return /^0+(\.0{1,2})?$/.test(text.trim()) ? '0.00' : readAmount(text)
}

/** What a line comes to, rounded half up to the cent. Null while it is not whole. */
export function amountOf({ quantity, unit_price }: TypedItem): string | null {
  const parts = readQuantity(quantity)
  const price = readPrice(unit_price)
  if (parts === null || price === null) return null
  const cents = (parts * BigInt(price.replace('.', '')) + 500n) / 1_000n
  const digits = cents.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** What the lines come to that are whole. */
export function totalOf(items: readonly TypedItem[]): string {
  return addAmounts(items.map((item) => amountOf(item) ?? '0.00'))
}
