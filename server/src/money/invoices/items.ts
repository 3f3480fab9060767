// Reads the items of an invoice from a body, converts them to JSON and back, and adds their amounts.

import type { InvoiceItem } from '../../kernel/documents/index.ts'
import { AMOUNT_HELP, divideHalfUp, parseFee, withoutDirectionMarks } from '../../kernel/lib/index.ts'

/** An item of an invoice in JSON. JSON has no bigint, so each amount is a text of cents. */
export type StoredItem = { description: string; quantity: string; unit_price_minor: string; amount_minor: string }

const QUANTITY = /^(0|[1-9]\d{0,8})(?:\.(\d{1,3}))?$/
const QUANTITY_HELP = 'must be a decimal greater than zero such as "2" or "1.5", with at most three decimals'

/** The quantity 1 in thousandths. The server calculates with quantities as integer numbers of thousandths. */
const THOUSAND = 1_000n

/** Returns the quantity in thousandths. Null means that the text is not a valid quantity. */
function parseQuantity(text: string): bigint | null {
  const match = QUANTITY.exec(text)
  if (!match) return null
  const thousandths = BigInt(match[1] as string) * THOUSAND + BigInt((match[2] ?? '').padEnd(3, '0'))
  return thousandths > 0n ? thousandths : null
}

/** Returns the amount of an item in cents: quantity times unit price, rounded half up. */
function itemAmount(thousandths: bigint, unit_price_minor: bigint): bigint {
  return divideHalfUp(thousandths * unit_price_minor, THOUSAND)
}

/** The problem of one invalid field, for the refusal. */
export type InvoiceFieldProblem = { field: string; message: string }

/** Reads the items of a request body. Adds each invalid field to `problems`. */
export function readItems(
  items: readonly { description: string; quantity: string; unit_price: string }[],
  problems: InvoiceFieldProblem[],
): InvoiceItem[] {
  return items.map(({ description: given, quantity, unit_price }, i) => {
    const description = withoutDirectionMarks(given)
    const thousandths = parseQuantity(quantity)
    if (thousandths === null) problems.push({ field: `items.${i}.quantity`, message: QUANTITY_HELP })
    const price = parseFee(unit_price)
    if (typeof price === 'bigint' && thousandths !== null) {
      return { description, quantity, unit_price_minor: price, amount_minor: itemAmount(thousandths, price) }
    }
    if (typeof price !== 'bigint') {
      const message = price === 'too_large' ? 'is too large' : AMOUNT_HELP[price]
      problems.push({ field: `items.${i}.unit_price`, message })
    }
    return { description, quantity, unit_price_minor: 0n, amount_minor: 0n }
  })
}

/** Returns the sum of the amounts of the items, in cents. */
export function sumOfItems(items: readonly InvoiceItem[]): bigint {
  return items.reduce((sum, { amount_minor }) => sum + amount_minor, 0n)
}

/** Returns items as JSON for their database column. Amounts become texts, because JSON has no bigint. */
export function itemsToJson(items: readonly InvoiceItem[]): string {
  const stored: StoredItem[] = items.map((item) => ({
    ...item,
    unit_price_minor: item.unit_price_minor.toString(),
    amount_minor: item.amount_minor.toString(),
  }))
  return JSON.stringify(stored)
}

/** Returns the items of a stored invoice, with their amounts in cents as bigint. */
export function itemsOf({ items }: { items: readonly StoredItem[] }): InvoiceItem[] {
  return items.map((item) => ({
    ...item,
    unit_price_minor: BigInt(item.unit_price_minor),
    amount_minor: BigInt(item.amount_minor),
  }))
}
