// Reads and changes the security settings of a merchant.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { SessionPrincipal } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import type { SecuritySettings } from './schema.ts'

const FIND = sql('merchant_security_find', 'select second_factor_required from merchants where id = $1')
const LOCK = sql(
  'merchant_security_lock',
  'select second_factor_required from merchants where id = $1 for no key update',
)
const SET = sql(
  'merchant_security_set',
  'update merchants set second_factor_required = $2, updated_at = $3 where id = $1',
)

/** Returns the security settings of a merchant. If the merchant is unknown, refuses with not_found. */
export async function getSecurity(reader: Reader, merchant_id: string): Promise<SecuritySettings> {
  const [row] = await reader.query<SecuritySettings>(FIND, [merchant_id])
  return row ?? refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
}

/**
 * Changes the settings from the next request on. If an administrator without a second factor requires one, refuses with
 * invalid_state, because the administrator would lose access. If the settings are the same, changes nothing.
 */
export async function changeSecurity(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; second_factor_required: boolean; by: SessionPrincipal },
): Promise<SecuritySettings> {
  const { merchant_id, second_factor_required, by } = input
  if (second_factor_required && !by.second_factor) {
    refuse('invalid_state', {
      message: 'Set up your own second step and sign in again, before you require a second step of all members.',
    })
  }
  const [before] = await tx.query<SecuritySettings>(LOCK, [merchant_id])
  if (!before) refuse('not_found', { message: 'There is no merchant with this id. Check the id.' })
  const after = { second_factor_required }
  if (before.second_factor_required === second_factor_required) return after
  await tx.query(SET, [merchant_id, second_factor_required, deps.clock.now()])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'merchant.change_security',
    target_type: 'merchant',
    target_id: merchant_id,
    before,
    after,
  })
  return after
}
