// Applies an operator's decision about held money: credits the merchant, or declines the payment and credits no money. One
// transaction writes the history row, the postings, the events, the payment links and the audit entry.

import {
  auditVerdict,
  type Correction,
  judgeCorrection,
  lockCorrections,
  presentVerdict,
} from '../../access/four-eyes/index.ts'
import { refuseConflict } from '../../access/merchants/index.ts'
import { type CanDeliver, type Delivery, subscriptionKey, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant, formatAmount, isId, refuse, refuseField, routingCodeOf } from '../../kernel/lib/index.ts'
import { applyCollectionStep, noEffects, writeCollectionChanges } from './change.ts'
import { decideReview } from './decide.ts'
import { getHeld } from './held.ts'
import type { LinkSettlement } from './link-settlement.ts'
import type { ClearedCollection } from './schema.ts'
import { hasReceived, isUnvalued, LOCKED_COLUMNS, type LockedCollection, type LockedCollectionRow } from './snapshot.ts'

/**
 * An operator's decision about one held collection. `reason` is for the audit log and the collection's history. `stated_minor`
 * is the worth of money in another currency, in cents of a shilling. Null means that the operator stated no worth.
 */
export type Clearance = {
  collection_id: string
  decision: 'approve' | 'decline'
  reason: string
  stated_minor: bigint | 'too_large' | null
}

// A settlement takes the same lock. If two operators, or an operator and a reversal, act at the same time, the second
// transaction reads the result of the first.
const LOCK = sql(
  'clear_lock',
  `select c.*, m.merchant_code, m.routing_code::float8 as routing_code
   from merchants m cross join lateral (
     select ${LOCKED_COLUMNS} from collections where merchant_id = m.id and id = $2 for update) c
   where m.routing_code = $1`,
)

/**
 * A collection after an operator's decision, as the API shows it, and the queued deliveries, which the caller sends after the
 * commit.
 */
type ClearResult = { collection: ClearedCollection; deliveries: Delivery[] }

/**
 * Decides about held money: an approval credits the received amount or the stated worth, less our fee; a decline credits no
 * money. If the decision needs a second operator, stores the first decision and moves nothing. Refuses an unknown collection, a
 * conflict of interest, a collection that is not under review, a wrong stated amount, and a repeated first decision.
 */
export async function clearCollection(
  deps: Deps,
  tx: Tx,
  links: LinkSettlement,
  act: Act,
  input: Clearance,
  lease: CanDeliver,
): Promise<ClearResult> {
  const { decision, reason } = input
  const row = await lock(tx, input.collection_id.toLowerCase())
  const { merchant_id, collection_id, environment, status } = row
  await refuseConflict(tx, { merchant_id, act })
  const stated_minor = status === 'pending_clearance' ? checkStated(deps, row, input) : null
  const foreign = isUnvalued(row) ? `${formatAmount(row.foreign_amount_minor as bigint)} ${row.foreign_currency}` : null
  const [step] = decideReview(row, decision, stated_minor)
  if (step === undefined) {
    const message = `An operator can decide only about a collection that is pending_clearance. This collection is ${status}.`
    refuse('invalid_state', { message, details: { status } })
  }
  assertInvariant(hasReceived(row), `the held collection ${collection_id} has a received amount`)
  const sums = await lockCorrections(deps, tx, { merchant_id, environment })
  const verdict = await judgeCorrection(deps, tx, act, sums, correctionOf(row, input, stated_minor))
  if (!verdict.is_last) {
    return { collection: { ...(await getHeld(deps, tx, collection_id)), ...presentVerdict(verdict) }, deliveries: [] }
  }
  // If the money is in another currency, the history row has the received amount after the operator's reason. An approval adds
  // the stated worth.
  const worth = stated_minor === null ? '' : ` = ${formatAmount(stated_minor)} ${row.currency}`
  const noted = foreign === null ? reason : `${reason} (${foreign}${worth})`
  // The transaction locks links after collections, as a settlement does. If the link is ACTIVE, or `reopen` makes the link
  // ACTIVE, the approved payment pays the link and its invoice.
  const link = await links.lockWithInvoice(tx, row)
  const relinked = decision === 'approve' ? await links.reopen(tx, row, deps.clock.now()) : []
  if (link && relinked.some(({ id }) => id === link.id)) link.status = 'ACTIVE'
  const cancelled = relinked.filter(({ status }) => status === 'CANCELLED').map(({ id }) => id)
  const subscribed = (await subscriptionsOf(tx, [merchant_id])).get(subscriptionKey(row))
  const effects = noEffects()
  // The history has the operator's id and no e-mail address; the audit log has both.
  applyCollectionStep(
    deps,
    effects,
    row,
    step,
    { actor: `operator ${act.actor.id ?? act.actor.kind}`, reason: noted },
    { subscribed, link },
  )
  const deliveries = await writeCollectionChanges(deps, tx, links, { attempts: [], collections: [row], effects }, lease)
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
      ...auditVerdict(verdict),
      ...(cancelled.length > 0 ? { payment_links_cancelled: cancelled } : {}),
    },
  })
  return { collection: { ...(await getHeld(deps, tx, collection_id)), ...presentVerdict(verdict) }, deliveries }
}

/**
 * Returns the correction of this decision. If the decision needs two operators, both must make the same correction. If an
 * answer of the provider changes the version between the two calls, their corrections differ.
 */
function correctionOf(row: LockedCollection, input: Clearance, stated_minor: bigint | null): Correction {
  const { merchant_id, collection_id, environment, amount_minor, amount_received_minor } = row
  const received_minor = stated_minor ?? amount_received_minor ?? amount_minor
  return {
    ...{ merchant_id, environment },
    action: 'collection.clear',
    target_type: 'collection',
    target_id: collection_id,
    content: { decision: input.decision, amount: formatAmount(received_minor), version: row.version },
    amount_minor: received_minor,
    reason: input.reason,
  }
}

/**
 * Returns the stated amount in cents. Null means that the operator stated none, because the received amount is known or the
 * payment is declined. Refuses an amount that is missing, has no effect or is too large.
 */
function checkStated(deps: Deps, row: LockedCollection, { decision, stated_minor }: Clearance): bigint | null {
  if (!isUnvalued(row)) {
    if (stated_minor === null) return null
    return refuseField('amount', 'must be left out: the server credits the received amount')
  }
  if (decision === 'decline') {
    return stated_minor === null ? null : refuseField('amount', 'must be left out: a decline credits no money')
  }
  if (stated_minor === null) return refuseField('amount', 'must be the value of the foreign money in TZS')
  const { collection_max } = deps.config
  if (stated_minor === 'too_large' || stated_minor > collection_max) return refuse('amount_not_supported')
  return stated_minor
}

async function lock(tx: Tx, id: string): Promise<LockedCollection> {
  const [row] = isId(id) ? await tx.query<LockedCollectionRow>(LOCK, [routingCodeOf(id), id]) : []
  return row
    ? { ...row, superseded: false, moved: false }
    : refuse('not_found', { message: 'There is no such collection. Check the id.' })
}
