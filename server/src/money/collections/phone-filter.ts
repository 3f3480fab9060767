// Writes the SQL of a filter by a phone number or by its last digits. Each form has an index.

import { PHONE_DIGITS } from '../../kernel/lib/index.ts'

/** Returns true if the filter has the last digits of a phone number. Null means no filter. */
export function isLastDigits(phone: string | null): boolean {
  return phone !== null && phone.length < PHONE_DIGITS
}

/**
 * Returns the condition that a column passes the filter: a phone number, its last digits, or null. PostgreSQL knows the filter
 * when it plans the query, so only one comparison remains.
 */
export function phoneCondition(column: string, phone: string): string {
  return `(${phone}::text is null or length(${phone}) < ${PHONE_DIGITS} or ${column} = ${phone})
     and (${phone}::text is null or length(${phone}) = ${PHONE_DIGITS} or ${column} like '%' || ${phone})`
}

/**
 * Returns the condition that a column has the same last four digits as the filter, with the expression of the index of last digits.
 */
export function lastFourCondition(column: string, phone: string): string {
  return `${column} is not null and right(${column}, 4) = right(${phone}::text, 4)`
}
