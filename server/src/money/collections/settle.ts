// Settles payments in one transaction: turns final answers and passed deadlines into statuses, postings and events. If the
// process dies before the commit, the attempt becomes due again. If it dies after the commit, the deliveries become due at the
// end of their lease. A repeated outcome changes nothing.

import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, type Tx } from '../../kernel/db/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'
import {
  applyCollectionStep,
  applyContradiction,
  type CollectionEffects,
  noEffects,
  writeCollectionChanges,
} from './change.ts'
import { decideOutcome, type OutcomeDecision } from './decide.ts'
import { applyDuplicates, isDuplicatePayment, isPaidByOtherAttempt } from './duplicates.ts'
import { isSuperseded, type LinkSettlement } from './link-settlement.ts'
import { lockSnapshots, outcomeKey } from './lock.ts'
import type { AttemptOutcome, AttemptUpdate, CollectionSnapshot, LockedAttempt } from './snapshot.ts'

/**
 * Applies a batch of outcomes in the given transaction: statuses with their history, the ledger, and the events. A repeated
 * outcome changes nothing. Returns the queued deliveries; this process sends the `leased` deliveries.
 */
export async function applyOutcomes(
  deps: Deps,
  tx: Tx,
  links: LinkSettlement,
  outcomes: readonly AttemptOutcome[],
  lease: CanDeliver,
): Promise<Delivery[]> {
  const snapshots = await lockSnapshots(tx, links, outcomes)
  const effects = noEffects()
  const duplicatePayments: AttemptOutcome[] = []
  for (const outcome of outcomes) {
    const { number, answer } = outcome
    const snapshot = snapshots.get(outcome.collection_id)
    const attempt = snapshot?.attempts.get(number)
    assertInvariant(snapshot !== undefined && attempt !== undefined, `attempt ${outcomeKey(outcome)} exists`)
    const { collection, link } = snapshot
    collection.superseded = isSuperseded(link, collection.collection_id)
    const paid_by_other = isPaidByOtherAttempt(collection, number)
    const decision = decideOutcome(snapshot, attempt, answer, { now: deps.clock.now(), paid_by_other })
    applyDecision(deps, snapshot, attempt, decision, effects)
    if (isDuplicatePayment(collection, number, answer)) duplicatePayments.push(outcome)
    // If two payments of one link are in this batch, the link is already paid when the second payment settles.
    const paid = link?.status === 'ACTIVE' ? effects.paid.get(link.id) : undefined
    if (link !== undefined && paid !== undefined) {
      link.status = 'PAID'
      link.paid_collection_id = paid.collection_id
    }
  }
  const duplicates = await applyDuplicates(deps, tx, duplicatePayments, snapshots, effects)
  const settled = [...snapshots.values()]
  const changed = {
    attempts: settled.flatMap(({ attempts }) => [...attempts.values()].map(updateOf)),
    collections: [...settled.map(({ collection }) => collection), ...duplicates],
    effects,
  }
  return writeCollectionChanges(deps, tx, links, changed, lease)
}

/** Applies a batch of outcomes in a new transaction. Returns the queued deliveries after the commit. */
export async function settleOutcomes(
  deps: Deps,
  links: LinkSettlement,
  outcomes: readonly AttemptOutcome[],
  lease: CanDeliver,
): Promise<Delivery[]> {
  const deliveries = await inTransaction(deps.db, async (tx) => {
    const queued = await applyOutcomes(deps, tx, links, outcomes, lease)
    deps.point('settle.before_commit')
    return queued
  })
  deps.point('settle.after_commit')
  return deliveries
}

/** Applies the decision about one answer to the snapshot in memory, and adds the rows of the decision to `effects`. */
function applyDecision(
  deps: Deps,
  { collection, link, recorded, subscribed }: CollectionSnapshot,
  attempt: LockedAttempt,
  decision: OutcomeDecision,
  effects: CollectionEffects,
): void {
  // The answer of this decision may be the first one, and then the server does not know when the provider accepted the attempt.
  const accepted_at = attempt.sent_at
  Object.assign(attempt, decision.attempt)
  if (decision.paid_by_earlier) {
    // If an earlier attempt paid, the payment gets the method, fee and phone of that attempt.
    collection.by_earlier = true
    collection.customer_phone = attempt.phone ?? link?.customer_phone ?? null
    collection.method = attempt.of_method
    collection.fee_minor = attempt.of_fee_minor ?? collection.fee_minor
  }
  if (decision.settles) collection.settled_attempt = attempt.number
  for (const { step, actor, reason } of decision.moves) {
    applyCollectionStep(deps, effects, collection, step, { actor, reason }, { subscribed, link })
    effects.outcomes.push({
      environment: collection.environment,
      method: attempt.of_method,
      phone: attempt.phone,
      status: collection.status,
      confirm_s: step.move === 'succeed' ? secondsSince(accepted_at, deps.clock.now()) : null,
    })
    if (step.move === 'succeed' && collection.payment_link_id !== null && attempt.phone !== null)
      effects.approved.add(attempt.phone)
    if (step.move === 'succeed' || step.move === 'hold') {
      const { environment } = collection
      effects.approved_prompts.push({ environment, method: attempt.of_method, phone: attempt.phone })
    }
  }
  for (const text of decision.recorded) recorded.add(text)
  if (decision.contradiction !== null) applyContradiction(deps, effects, collection, decision.contradiction)
}

const secondsSince = (time: Date | null, now: Date) => (time === null ? null : (now.getTime() - time.getTime()) / 1_000)

/** Returns the columns of an attempt that a settlement writes. */
function updateOf(attempt: LockedAttempt): AttemptUpdate {
  const { deadline_at: _, phone: _phone, of_method: _method, of_fee_minor: _fee, ...update } = attempt
  return update
}
