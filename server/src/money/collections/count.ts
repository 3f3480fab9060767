// Counts the collections of a merchant without reading all of them.

import { countList, type Deps, type KeptList, sql } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'

// A statement without a name gets a plan for the given range.
const COLLECTIONS: KeptList = {
  name: 'collections',
  tail: sql(
    '',
    `select count(*) as all_of_it, count(*) filter (where id < $4) as settled
     from collections where merchant_id = $1 and environment = $2 and id >= $3`,
  ),
}

/** The number of collections of a merchant in one environment. */
export function countAll(deps: Deps, merchant_id: string, environment: Environment): Promise<number> {
  return countList(deps, COLLECTIONS, merchant_id, environment)
}
