// Reads and replaces the daily payout limits of a merchant.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type Config, formatAmount, parseFee, refuse } from '../../kernel/lib/index.ts'
import { refuseConflict } from './conflict.ts'
import { getMerchant } from './list.ts'
import type { PayoutLimitsInput, PayoutLimitsView } from './schema.ts'

/**
 * The limits that an operator has set for a merchant, in cents. Null means that the limit of the installation applies.
 */
export type OwnPayoutLimits = { daily_minor: bigint | null; destination_minor: bigint | null }

/** Parses the limits of a request. If amounts are wrong, refuses with one 400 error that names each wrong field. */
export function readOwnLimits(input: PayoutLimitsInput): OwnPayoutLimits {
  const fields: { field: string; message: string }[] = []
  const read = (field: 'daily_limit' | 'daily_limit_per_destination'): bigint | null => {
    const text = input[field]
    const minor = text === null ? null : parseFee(text)
    if (minor === null || typeof minor === 'bigint') return minor
    fields.push({ field, message: 'must be null, or an amount in shillings such as "5000000.00"' })
    return null
  }
  const limits = { daily_minor: read('daily_limit'), destination_minor: read('daily_limit_per_destination') }
  if (fields.length > 0) refuse('validation_failed', { details: { fields } })
  return limits
}

const FIND = sql(
  'merchant_limits_find',
  `select payout_daily_limit_minor as daily_minor, payout_destination_limit_minor as destination_minor
   from merchants where id = $1`,
)

/** Returns the limits of a merchant and the limits in force. If the merchant is unknown, refuses with not_found. */
export async function getPayoutLimits(
  { config }: Pick<Deps, 'config'>,
  reader: Reader,
  merchant_id: string,
): Promise<PayoutLimitsView> {
  const { id } = await getMerchant(reader, merchant_id)
  const [own] = await reader.query<OwnPayoutLimits>(FIND, [id])
  return presentLimits(config, own ?? refuse('not_found'))
}

function presentLimits(config: Config, { daily_minor, destination_minor }: OwnPayoutLimits): PayoutLimitsView {
  const shown = (minor: bigint | null) => (minor === null ? null : formatAmount(minor))
  return {
    daily_limit: shown(daily_minor),
    daily_limit_per_destination: shown(destination_minor),
    in_force: {
      daily_limit: shown(daily_minor ?? config.payout_daily_limit),
      daily_limit_per_destination: shown(destination_minor ?? config.payout_daily_limit_per_destination),
    },
  }
}

// With this lock, concurrent changes wait for each other, so that each audit entry contains the right earlier limits.
const LOCK = sql('merchant_limits_lock', 'select id from merchants where id = $1 for no key update')
const WRITE = sql(
  'merchant_limits_write',
  `update merchants set payout_daily_limit_minor = $2, payout_destination_limit_minor = $3, updated_at = $4 where id = $1`,
)

/**
 * Replaces the limits of a merchant. Later approvals use the new limits. Errors: not_found for an unknown merchant, and
 * conflict_of_interest.
 */
export async function replacePayoutLimits(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; limits: OwnPayoutLimits; reason: string | null },
): Promise<PayoutLimitsView> {
  const { id } = await getMerchant(tx, input.merchant_id)
  await refuseConflict(tx, { merchant_id: id, act })
  await tx.query(LOCK, [id])
  const before = await getPayoutLimits(deps, tx, id)
  const { daily_minor, destination_minor } = input.limits
  await tx.query(WRITE, [id, daily_minor?.toString() ?? null, destination_minor?.toString() ?? null, deps.clock.now()])
  const after = await getPayoutLimits(deps, tx, id)
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: id,
    action: 'merchant.payout_limits',
    target_type: 'merchant',
    target_id: id,
    reason: input.reason,
    before,
    after,
  })
  return after
}
