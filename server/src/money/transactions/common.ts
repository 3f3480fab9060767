// Defines the parts that the routes of transactions share: access, tags, file types and the header of a CSV file.

import { type Access, type Caller, MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { Csv } from './schema.ts'

/** The tag of these routes in the API documentation. */
export const tags = ['Transactions']

/** The scopes of keys and the roles of members that may read transactions. */
export const READ = { scopes: ['transactions:read'], roles: MERCHANT_ROLES } as const satisfies Access

/** The content type of the exports and statements that the server sends as CSV. */
export const CSV_TYPE = 'text/csv; charset=utf-8'

/** The part of a response schema for a CSV file. */
export const csvAnswer = { content: { 'text/csv': { schema: Csv } } }

/** Returns the content-disposition header of a CSV file. The file name has the merchant code and the environment. */
export function attachmentHeader(content: string, { merchant, environment }: Caller): string {
  return `attachment; filename="${content}-${merchant.code}-${environment}.csv"`
}
