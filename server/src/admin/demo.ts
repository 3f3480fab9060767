// The demo merchant of an installation that is not for production.

import { createKey } from '../api-keys/index.ts'
import { type Deps, inTransaction, sql } from '../db/index.ts'
import { SCOPES } from '../http/index.ts'
import { refuse } from '../lib/index.ts'
import { createMerchant, findMerchant, type Merchant } from '../merchants/index.ts'

const DEMO_EMAIL = 'demo@malipo.example'
const FIND = sql('demo_find', 'select id from merchants where email = $1 order by created_at limit 1')
// Any number will do, as long as nothing else in this database uses it.
const LOCK = sql('demo_lock', 'select pg_advisory_xact_lock(7165243380915628)')

/** The demo merchant; made when it is missing. Never in production. */
export async function ensureDemoMerchant(deps: Deps): Promise<Merchant> {
  if (deps.config.node_env === 'production') {
    refuse('forbidden', { message: 'There is no demo data in production. Use "merchant create" and "key create".' })
  }
  // Several processes may start at once: one makes it, the others wait and then find it.
  return inTransaction(deps.db, async (tx) => {
    await tx.query(LOCK)
    const [found] = await tx.query<{ id: string }>(FIND, [DEMO_EMAIL])
    const merchant = found ? await findMerchant(tx, found.id) : null
    return merchant ?? createMerchant(deps, { name: 'Duka la Mfano', email: DEMO_EMAIL, approved: true })
  })
}

/** The demo merchant with fresh keys, one per environment, that may do everything. */
export async function demo(deps: Deps) {
  const merchant = await ensureDemoMerchant(deps)
  const key = async (environment: 'sandbox' | 'live') => {
    const scopes = Object.keys(SCOPES)
    return (await createKey(deps, { merchant_id: merchant.id, environment, scopes, name: `Demo ${environment}` }))
      .plaintext_key
  }
  return {
    merchant_id: merchant.id,
    merchant_code: merchant.merchant_code,
    sandbox_key: await key('sandbox'),
    live_key: await key('live'),
    users: [],
  }
}
