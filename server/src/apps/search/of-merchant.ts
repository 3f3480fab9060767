// Searches the records of one merchant in one environment.

import type { Deps } from '../../kernel/db/index.ts'
import { sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { limitConcurrency } from '../../kernel/lib/index.ts'
import { type FoundRecord, presentRecord, type SearchHit } from './hit.ts'
import { ofMerchantText, type RecordKind } from './statements.ts'
import { type SearchTerms, valuesFor } from './terms.ts'

// The statements have no name, so PostgreSQL plans them for the given terms.
const STATEMENTS = {
  payment: sql('', ofMerchantText('payment')),
  withdrawal: sql('', ofMerchantText('withdrawal')),
  payment_link: sql('', ofMerchantText('payment_link')),
  invoice: sql('', ofMerchantText('invoice')),
  transaction: sql('', ofMerchantText('transaction')),
  delivery: sql('', ofMerchantText('delivery')),
} as const satisfies Record<RecordKind, unknown>

/**
 * All merchant searches of a process together use at most three database connections, so that payments find a free connection.
 */
const readForSearch = limitConcurrency(3)

/** The merchant and the environment of a search. */
export type SearchOwner = { merchant_id: string; environment: Environment }

/** Finds records of one merchant in one environment. Returns a list for each kind in `kinds`, newest first. */
export async function searchMerchant(
  deps: Deps,
  { merchant_id, environment }: SearchOwner,
  terms: SearchTerms,
  kinds: readonly RecordKind[],
): Promise<SearchHit[][]> {
  return Promise.all(
    kinds.map(async (kind) => {
      const values = [merchant_id, environment, ...valuesFor(kind, terms)]
      const rows = await readForSearch(() => deps.db.query<FoundRecord>(STATEMENTS[kind], values))
      return rows.map((row) => presentRecord(kind, row, deps.clock.now()))
    }),
  )
}
