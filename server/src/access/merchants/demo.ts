// Finds the demo merchant, which only an installation outside production has.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { findMerchant, type Merchant } from './find.ts'

/** The e-mail address of the demo merchant. */
export const DEMO_EMAIL = 'demo@malipo.example'

const FIND_DEMO = sql('demo_find', 'select id from merchants where email = $1 order by created_at limit 1')

/** Returns the demo merchant. Null means that this installation has none. */
export async function findDemoMerchant(reader: Reader): Promise<Merchant | null> {
  const [found] = await reader.query<{ id: string }>(FIND_DEMO, [DEMO_EMAIL])
  return found ? findMerchant(reader, found.id) : null
}
