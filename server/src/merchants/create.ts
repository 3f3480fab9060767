// A new merchant, with its two books.

import { type Deps, inTransaction, sql, type Tx, violatedConstraint } from '../db/index.ts'
import { accountsFor } from '../ledger/index.ts'
import { merchantCode, newId, newRoutingCode } from '../lib/index.ts'
import type { Merchant } from './find.ts'

const INSERT = sql(
  'merchant_insert',
  `insert into merchants (id, routing_code, merchant_code, name, email, status, verified, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
)

const DEFAULT_PRICES = sql(
  'pricing_insert_default',
  `insert into pricing_rules (merchant_id, id, flow, method, destination_code, percentage_hundredths, flat_fee_minor,
     processor_charge_minor, processor_fee_pass_through, label, valid_from, valid_until)
   values ($1, $2, 'withdrawal', null, null, 0, 0, 0, false, 'Default: no fee', $3, null)`,
)

/** Two merchants may draw the same 32-bit routing code; a handful of tries makes that harmless. */
const DRAWS_MAX = 5

/**
 * Makes a merchant. Unapproved it is PENDING and may use the sandbox; `approved` makes it active, verified and priced
 * with the default price list, so that it may hold live keys.
 */
export async function createMerchant(
  deps: Deps,
  input: { name: string; email?: string; approved: boolean },
): Promise<Merchant> {
  for (let draw = 1; ; draw++) {
    try {
      return await inTransaction(deps.db, (tx) => insert(deps, tx, input))
    } catch (error) {
      if (draw === DRAWS_MAX || violatedConstraint(error) !== 'merchants_routing_code_key') throw error
    }
  }
}

async function insert(
  deps: Deps,
  tx: Tx,
  input: { name: string; email?: string; approved: boolean },
): Promise<Merchant> {
  const routing_code = newRoutingCode(deps.random)
  const merchant = {
    id: newId(deps, routing_code),
    routing_code,
    merchant_code: merchantCode(routing_code),
    name: input.name,
    status: input.approved ? ('ACTIVE' as const) : ('PENDING' as const),
    verified: input.approved,
    priced: input.approved,
  }
  const now = deps.clock.now()
  const { id, merchant_code, name, status, verified } = merchant
  await tx.query(INSERT, [id, routing_code, merchant_code, name, input.email ?? null, status, verified, now])
  await accountsFor(tx, id)
  if (input.approved) await tx.query(DEFAULT_PRICES, [id, newId(deps, routing_code), now])
  return merchant
}
