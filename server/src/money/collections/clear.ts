// What operators decide about held money: it is the merchant's, or it goes back to the payer. One transaction with its
// history row, its money, its event and its audit entry.

import { type Delivery, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, formatAmount, isId, refuse, refuseField, routingCodeOf } from '../../kernel/lib/index.ts'
import { applyStep, CHANGING_COLUMNS, type Changing, noEffects, writeChanges } from './change.ts'
import { decideReview, hasReceived, isUnvalued } from './decide.ts'
import { getHeld } from './held.ts'
import { lockLinksBeside, reopenLink } from './link.ts'
import type { HeldCollection } from './schema.ts'

/**
 * An operator's decision about one held collection. `reason` is for the audit log and the collection's history.
 * `stated_minor`: what money in another currency is worth in shillings; null where nothing was stated.
 */
export type Clearance = {
  collection_id: string
  decision: 'approve' | 'decline'
  reason: string
  stated_minor: bigint | 'too_large' | null
}

// The lock that settling takes too: of two operators, or an operator and a reversal, the second sees what the first did.
const LOCK = sql(
  'clear_lock',
  `select c.*, m.merchant_code, m.routing_code::float8 as routing_code
   from merchants m cross join lateral (
     select ${CHANGING_COLUMNS} from collections where merchant_id = m.id and id = $2 for update) c
   where m.routing_code = $1`,
)

/**
 * Decides about held money. Approved, what was received is the merchant's, less our fee; declined, it leaves our books for
 * the payer. Money in another currency is booked only now, with the amount that the operator states. Refuses a collection that does not wait for clearance with invalid_state, an unknown one with not_found.
 * Answers the deliveries it queued, to be sent after the commit.
 */
export async function clearCollection(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: Clearance,
  lease: (merchant_id: string) => boolean,
): Promise<{ collection: HeldCollection; deliveries: Delivery[] }> {
  const { decision, reason } = input
  const row = await lock(tx, input.collection_id.toLowerCase())
  const { merchant_id, collection_id, environment, status } = row
  const stated_minor = status === 'pending_clearance' ? checkStated(deps, row, input) : null
  const foreign = isUnvalued(row) ? `${formatAmount(row.foreign_amount_minor as bigint)} ${row.foreign_currency}` : null
  const [step] = decideReview(row, decision, stated_minor)
  if (step === undefined) {
    const message = `Only a collection that is pending_clearance can be decided. This one is ${status}.`
    refuse('invalid_state', { message, details: { status } })
  }
  assertInvariant(hasReceived(row), `something was received of the held collection ${collection_id}`)
  // The history keeps what came and what it was taken for, beside the operator's words.
  const worth = stated_minor === null ? '' : ` = ${formatAmount(stated_minor)} ${row.currency}`
  const noted = foreign === null ? reason : `${reason} (${foreign}${worth})`
  // Behind the payment, as settling does it: approved, it pays its page if nothing else has, and the invoice of that page.
  await lockLinksBeside(tx, row)
  const cancelled = decision === 'approve' ? await reopenLink(tx, row, deps.clock.now()) : []
  const subscribed = (await subscriptionsOf(tx, [merchant_id])).get(merchant_id)
  const effects = noEffects()
  // The history keeps no e-mail address: who that is stands in the audit log.
  applyStep(
    deps,
    effects,
    row,
    step,
    { actor: `operator ${act.actor.id ?? act.actor.kind}`, reason: noted },
    subscribed,
  )
  const deliveries = await writeChanges(deps, tx, { attempts: [], collections: [row], effects }, lease)
  const amounts = {
    amount: formatAmount(row.amount_minor),
    amount_received: row.amount_received_minor === null ? null : formatAmount(row.amount_received_minor),
    fee: formatAmount(step.posting?.fee_minor ?? 0n),
    ...(row.foreign_amount_minor === null
      ? {}
      : { foreign_amount: formatAmount(row.foreign_amount_minor), foreign_currency: row.foreign_currency }),
  }
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'collection.clear',
    target_type: 'collection',
    target_id: collection_id,
    reason,
    before: { status },
    after: {
      status: row.status,
      decision,
      environment,
      ...amounts,
      currency: row.currency,
      ...(cancelled.length > 0 ? { payment_links_cancelled: cancelled } : {}),
    },
  })
  return { collection: await getHeld(deps, tx, collection_id), deliveries }
}

/** What the operator stated, where it must be stated. Refuses an amount that is missing, of no effect, or too large. */
function checkStated(deps: Deps, row: Changing, { decision, stated_minor }: Clearance): bigint | null {
  if (!isUnvalued(row)) {
    if (stated_minor === null) return null
    return refuseField('amount', 'must be left out: what was received is credited')
  }
  if (decision === 'decline') {
    return stated_minor === null ? null : refuseField('amount', 'must be left out when the payment is declined')
  }
  if (stated_minor === null) return refuseField('amount', 'must state what the foreign money is worth in TZS')
  const { collection_max } = deps.config
  if (stated_minor === 'too_large' || stated_minor > collection_max) return refuse('amount_not_supported')
  return stated_minor
}

async function lock(tx: Tx, id: string): Promise<Changing> {
  const [row] = isId(id) ? await tx.query<Omit<Changing, 'moved' | 'superseded'>>(LOCK, [routingCodeOf(id), id]) : []
  return row
    ? { ...row, superseded: false, moved: false }
    : refuse('not_found', { message: 'There is no such collection.' })
}
