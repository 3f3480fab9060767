// Creates a merchant with a live book and a sandbox book.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { openBooks } from '../../books/ledger/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import { merchantCode, newId, newRoutingCode, withoutDirectionMarks } from '../../kernel/lib/index.ts'
import type { Merchant } from './find.ts'

// If another merchant has the same 32-bit routing code, the query inserts no row, and the function tries another code.
const INSERT = sql(
  'merchant_insert',
  `insert into merchants (id, routing_code, merchant_code, name, email, status, verified, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $8) on conflict do nothing returning id`,
)

const DEFAULT_PRICES = sql(
  'pricing_insert_default',
  `insert into pricing_rules (merchant_id, id, flow, method, destination_code, percentage_hundredths, flat_fee_minor,
     processor_charge_minor, processor_fee_pass_through, label, valid_from, valid_until)
   values ($1, $2, 'withdrawal', null, null, 0, 0, 0, false, 'Default: no fee', $3, null)`,
)

/** The greatest number of tries to find an unused routing code. */
const DRAWS_MAX = 5

/** The input for a new merchant. If `approved` is true, the merchant is ACTIVE from the start. */
export type NewMerchant = { name: string; email?: string | undefined; approved: boolean }

const COMMAND: Act = { actor: { kind: 'command', id: null, name: 'admin' } }

/** Creates a merchant in its own transaction, for the admin command. See `addMerchant`. */
export function createMerchant(deps: Deps, input: NewMerchant): Promise<Merchant> {
  return inTransaction(deps.db, (tx) => addMerchant(deps, tx, COMMAND, input))
}

/**
 * Creates a merchant and its audit entry. The new merchant is PENDING and may use only the sandbox. If `approved` is true, the
 * merchant is ACTIVE and verified, and has the default price list.
 */
export async function addMerchant(deps: Deps, tx: Tx, act: Act, input: NewMerchant): Promise<Merchant> {
  const now = deps.clock.now()
  const merchant = await insert(deps, tx, input)
  const { id: merchant_id, name, status, verified, priced } = merchant
  await openBooks(tx, merchant_id)
  if (input.approved) await tx.query(DEFAULT_PRICES, [merchant_id, newId(deps, merchant.routing_code), now])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'merchant.create',
    target_type: 'merchant',
    target_id: merchant_id,
    after: { name, email: input.email ?? null, status, verified, priced },
  })
  return merchant
}

async function insert(deps: Deps, tx: Tx, input: NewMerchant): Promise<Merchant> {
  for (let draw = 1; draw <= DRAWS_MAX; draw++) {
    const routing_code = newRoutingCode(deps.random)
    const merchant = {
      id: newId(deps, routing_code),
      routing_code,
      merchant_code: merchantCode(routing_code),
      name: withoutDirectionMarks(input.name),
      status: input.approved ? ('ACTIVE' as const) : ('PENDING' as const),
      verified: input.approved,
      priced: input.approved,
    }
    const { id, merchant_code, name, status, verified } = merchant
    const values = [id, routing_code, merchant_code, name, input.email ?? null, status, verified, deps.clock.now()]
    if ((await tx.query(INSERT, values)).length === 1) return merchant
  }
  throw new Error(`the server found no free routing code in ${DRAWS_MAX} draws: try again`)
}
