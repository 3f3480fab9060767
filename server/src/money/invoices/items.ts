// The lines of an invoice: what was sent, what is stored, and what they come to.

import { AMOUNT_HELP, divideHalfUp, parseFee } from '../../kernel/lib/index.ts'

/** One line. Amounts in cents; the quantity as it was written. */
export type InvoiceItem = { description: string; quantity: string; unit_price_minor: bigint; amount_minor: bigint }

/** One line as it is stored: JSON keeps cents as text. */
export type StoredItem = { description: string; quantity: string; unit_price_minor: string; amount_minor: string }

const QUANTITY = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/
const QUANTITY_HELP = 'must be a decimal greater than zero such as "2" or "1.5", with at most three decimals'

/** A thousandth is the smallest part of a quantity. */
const PARTS = 1_000n

/** A quantity in thousandths, or null when it is none. */
function parseQuantity(text: string): bigint | null {
  const match = QUANTITY.exec(text)
  if (!match) return null
  const parts = BigInt(match[1] as string) * PARTS + BigInt((match[2] ?? '').padEnd(3, '0'))
  return parts > 0n ? parts : null
}

/** What a line comes to, in cents: quantity (in thousandths) times unit price, rounded half up to the cent. */
function lineAmount(quantity: bigint, unit_price_minor: bigint): bigint {
  return divideHalfUp(quantity * unit_price_minor, PARTS)
}

/** What is wrong with a field. */
export type Problem = { field: string; message: string }

/** Reads the lines of a body. Adds to `problems` each field that is wrong. */
export function readItems(
  items: readonly { description: string; quantity: string; unit_price: string }[],
  problems: Problem[],
): InvoiceItem[] {
  return items.map(({ description, quantity, unit_price }, i) => {
    const parts = parseQuantity(quantity)
    if (parts === null) problems.push({ field: `items.${i}.quantity`, message: QUANTITY_HELP })
    const price = parseFee(unit_price)
    if (typeof price === 'bigint' && parts !== null) {
      return { description, quantity, unit_price_minor: price, amount_minor: lineAmount(parts, price) }
    }
    if (typeof price !== 'bigint') {
      const message = price === 'too_large' ? 'is too large' : AMOUNT_HELP[price]
      problems.push({ field: `items.${i}.unit_price`, message })
    }
    return { description, quantity, unit_price_minor: 0n, amount_minor: 0n }
  })
}

/** The sum of the lines, in cents. */
export function totalOf(items: readonly InvoiceItem[]): bigint {
  return items.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
}

/** Lines as JSON that can be stored. */
export function storedItems(items: readonly InvoiceItem[]): string {
  const stored: StoredItem[] = items.map((item) => ({
    ...item,
    unit_price_minor: item.unit_price_minor.toString(),
    amount_minor: item.amount_minor.toString(),
  }))
  return JSON.stringify(stored)
}

/** The lines of an invoice. */
export function itemsOf({ items }: { items: readonly StoredItem[] }): InvoiceItem[] {
  return items.map((item) => ({
    ...item,
    unit_price_minor: BigInt(item.unit_price_minor),
    amount_minor: BigInt(item.amount_minor),
  }))
}
