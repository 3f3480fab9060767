// What the routes share: who may read, and how a file is named.

import { type Access, type Caller, MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { Csv } from './schema.ts'

/** Where the documentation lists them. */
export const tags = ['Transactions']

/** Who may read what a merchant's balance went through. */
export const READ = { scopes: ['transactions:read'], roles: MERCHANT_ROLES } as const satisfies Access

/** The content type of a file. */
export const CSV_TYPE = 'text/csv; charset=utf-8'

/** The answer of a route that sends a file. */
export const csvAnswer = { content: { 'text/csv': { schema: Csv } } }

/** The header that makes a browser keep the answer as a file with a name that tells whose it is. */
export function fileName(what: string, { merchant, environment }: Caller): string {
  return `attachment; filename="${what}-${merchant.code}-${environment}.csv"`
}
