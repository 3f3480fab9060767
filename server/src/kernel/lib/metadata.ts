// Defines metadata: pairs of texts that a merchant stores with a record. The merchant can search for the records with a pair.

import { createHash } from 'node:crypto'
// The file imports only types of TypeBox: see text.ts.
import type { TUnsafe } from 'typebox'
import { line } from './text.ts'

/** The pairs of a record: each name with its value. */
export type Metadata = Readonly<Record<string, string>>

/** The limits of the pairs of a record. Lengths are in characters. */
export const METADATA_LIMITS = { pairs: 20, name: 40, value: 500 } as const

const { pairs, name, value } = METADATA_LIMITS

const pairsSchema = (description: string, max: number) =>
  ({
    type: 'object',
    maxProperties: max,
    propertyNames: { ...line(name), minLength: 1 },
    additionalProperties: line(value),
    description,
  }) as unknown as TUnsafe<Metadata>

/** The schema of the pairs in a request body. */
export const MetadataField = pairsSchema('Your own pairs of texts. Payers never see them.', pairs)

/** The schema of the pairs in an answer. */
export const MetadataRecord = {
  title: 'Metadata',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Your own pairs of texts. Empty if you sent none.',
} as unknown as TUnsafe<Metadata>

/** The largest number of pairs in one search. */
const SEARCHED_MAX = 5

/** The schema of the pairs in a query string: `metadata[name]=value`. */
export const MetadataFilter = {
  ...pairsSchema(
    `Only records with exactly this pair: \`metadata[order]=1001\`. At most ${SEARCHED_MAX} pairs.`,
    SEARCHED_MAX,
  ),
  style: 'deepObject',
  explode: true,
} as unknown as TUnsafe<Metadata>

/** Returns the pairs in the form that the database stores. Null means that there are none. */
export function storedMetadata(metadata: Metadata | undefined | null): Metadata | null {
  return metadata === undefined || metadata === null || Object.keys(metadata).length === 0 ? null : metadata
}

/**
 * Returns the searchable form of each pair: the first 16 bytes of a SHA-256 of environment, name and value, as a UUID.
 */
export function metadataPairs(environment: string, metadata: Metadata | null | undefined): string[] {
  return Object.entries(metadata ?? {}).map(([name, value]) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([environment, name, value]))
      .digest('hex')
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${hash.slice(12, 16)}-${hash.slice(16, 20)}-${hash.slice(20, 32)}`
  })
}
