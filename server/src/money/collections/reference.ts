// Makes the provider reference of an attempt from the collection's id and the attempt's number, and parses provider references.

import { base32ToId, idToBase32, routingCodeOf } from '../../kernel/lib/index.ts'

/** The attempt that a provider reference identifies. The routing code identifies the merchant. */
export type AttemptKey = { routing_code: number; collection_id: string; number: number }

const NUMBERS_MAX = 99

/** Returns the provider reference, only letters and digits: 26 characters for the collection and two digits for the attempt. */
export function attemptReference(collection_id: string, number: number): string {
  if (number < 1 || number > NUMBERS_MAX)
    throw new Error(`the attempt number ${number} must be from 1 to ${NUMBERS_MAX}`)
  return idToBase32(collection_id) + String(number).padStart(2, '0')
}

/** Returns the attempt that a provider reference identifies. Null means that the reference does not have our format. */
export function parseReference(reference: string): AttemptKey | null {
  const number = /^[0-9A-Z]{26}(\d{2})$/.exec(reference)?.[1]
  const collection_id = number === undefined ? null : base32ToId(reference.slice(0, 26))
  if (collection_id === null) return null
  return { routing_code: routingCodeOf(collection_id), collection_id, number: Number(number) }
}
