// Approves withdrawals in batches, and sends payouts and deliveries after the commit. One transaction claims the
// Idempotency-Keys of a batch, approves, and stores the answers. The page docs/design/crash-points.md describes a crash in each
// step.

import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, isLockTimeout, isUnavailable, type Tx } from '../../kernel/db/index.ts'
import { type KeyedRequest, type KeyedResult, onceInBatch, type StoredAnswer } from '../../kernel/http/index.ts'
import { assertInvariant, gather, limitConcurrency, type Refusal } from '../../kernel/lib/index.ts'
import {
  type ApprovalBatch,
  type ApprovalRequest,
  type ApprovalResult,
  type ApproveOptions,
  approveWithdrawals,
  type PayoutProviders,
} from './approve.ts'
import type { FindProvider } from './check.ts'
import type { PayoutDriver } from './drive.ts'
import { type Payout, type WithdrawalId, withdrawalName } from './store.ts'

/** The Idempotency-Key of an approval, and the function that makes the stored answer. */
export type ApprovalKey = NonNullable<KeyedRequest<ApprovalResult>['once']>

/** Returns what the operators could see about the withdrawals, by `withdrawalName`, for the audit entries. */
type ReadEvidence = (tx: Tx, keys: readonly WithdrawalId[]) => Promise<ReadonlyMap<string, object>>

/** The functions by which operators' decisions approve withdrawals and send payouts and deliveries. */
export type ApprovalService = {
  providers: PayoutProviders
  /** Returns true if this process has free capacity to send another delivery of the merchant immediately. */
  canDeliver: CanDeliver
  /**
   * Approves one withdrawal in a batch with concurrent approvals, and sends its payout. If the withdrawal needs another
   * approval, sends no payout. If the server refuses the approval, throws a Refusal.
   */
  approve(request: ApprovalRequest): Promise<ApprovalResult>
  /**
   * Approves as `approve` does, at most once for each key. If a request repeats the key, returns the stored answer and sends no
   * payout.
   */
  approveOnce(request: ApprovalRequest, key: ApprovalKey): Promise<StoredAnswer & { replayed: boolean }>
  /** Approves a batch in the transaction of the calling function, which then calls `sendApproved` after the commit. */
  approveBatch(tx: Tx, requests: readonly ApprovalRequest[], options?: ApproveOptions): Promise<ApprovalBatch>
  sendApproved(batch: ApprovalBatch): void
  /** Sends the payouts and deliveries whose leases this process holds. The calling function must commit first. */
  sendNow(made: { payouts?: readonly Payout[]; deliveries?: Delivery[] }): void
}

/** Makes the approval service. If `canDispatch` is false, this process only serves HTTP, and a worker claims the payouts. */
export function createApprovalService(
  deps: Deps,
  options: {
    driver: PayoutDriver
    find: FindProvider
    webhooks: { canDispatch: CanDeliver; dispatch(deliveries: Delivery[]): void }
    canDispatch: boolean
    readEvidence: ReadEvidence
  },
): ApprovalService {
  const { driver, find, webhooks, canDispatch, readEvidence } = options
  const providers: PayoutProviders = { find, canDispatch: (name) => canDispatch && driver.hasCapacity(name) }
  const sendNow: ApprovalService['sendNow'] = ({ payouts = [], deliveries = [] }) => {
    driver.dispatch(payouts)
    webhooks.dispatch(deliveries)
  }
  const approveBatch: ApprovalService['approveBatch'] = async (tx, requests, options) => {
    const batch = await approveWithdrawals(deps, tx, providers, requests, options)
    deps.point('approve.before_commit')
    return batch
  }
  const sendApproved: ApprovalService['sendApproved'] = (batch) => {
    deps.point('approve.after_commit')
    sendNow(batch)
  }
  const approveGathered = gatherApprovals(deps, { approveBatch, sendApproved, readEvidence })
  return {
    providers,
    canDeliver: webhooks.canDispatch,
    sendNow,
    approveBatch,
    sendApproved,
    async approve(request) {
      const done = await approveGathered({ request, once: null })
      assertInvariant('result' in done, 'an approval without a key has a result')
      return done.result
    },
    async approveOnce(request, once) {
      const done = await approveGathered({ request, once })
      if ('replayed' in done) return { ...done.replayed, replayed: true }
      assertInvariant(done.answer !== null, 'an approval with a key has a stored answer')
      return { ...done.answer, replayed: false }
    },
  }
}

/** An approval that waits for its batch. */
type WaitingApproval = KeyedRequest<ApprovalResult> & { request: ApprovalRequest }
type GatheredApproval = Exclude<KeyedResult<ApprovalResult>, Refusal>

/**
 * The number of transactions, each with one approval, that run at the same time after a lock timeout of their batch.
 */
const ALONE_MAX = 4

/**
 * Returns the function that approves one withdrawal in a batch. The refusal of an approval does not affect the other approvals.
 */
function gatherApprovals(
  deps: Deps,
  {
    approveBatch,
    sendApproved,
    readEvidence,
  }: Pick<ApprovalService, 'approveBatch' | 'sendApproved'> & { readEvidence: ReadEvidence },
): (approval: WaitingApproval) => Promise<Exclude<GatheredApproval, 'repeat'>> {
  const approveAll = async (approvals: readonly WaitingApproval[]) => {
    const { results, left } = await onceInBatch(deps, approvals, async (tx, open) => {
      const requests = open.map(({ request }) => request)
      const evidence = await readEvidence(tx, requests)
      const batch = await approveBatch(
        tx,
        requests.map((request) => ({ ...request, evidence: evidence.get(withdrawalName(request)) })),
      )
      return { answers: batch.answers, left: batch }
    })
    try {
      if (left !== null) sendApproved(left)
    } catch (error) {
      // If this block threw the error, the batch function would split the committed batch and approve again.
      const failure = error instanceof Error ? error : new Error(String(error))
      return results.map((result) => (typeof result === 'object' && 'result' in result ? failure : result))
    }
    return results
  }
  const limitAlone = limitConcurrency(ALONE_MAX)
  const approveAlone = (approval: WaitingApproval) =>
    limitAlone(() => approveAll([approval])).then(
      ([result]) => result as KeyedResult<ApprovalResult> | Error,
      (failure: Error) => failure,
    )
  const approveInBatch = gather<WaitingApproval, GatheredApproval>(
    async (approvals) => {
      try {
        return await approveAll(approvals)
      } catch (error) {
        // If another transaction locks one withdrawal for seconds, each half of a split batch would wait for that lock again.
        if (approvals.length === 1 || !isLockTimeout(error)) throw error
        return Promise.all(approvals.map(approveAlone))
      }
    },
    { max_items: 100, max_running: 1, canSplit: (failure) => !isUnavailable(failure) },
  )
  return async (approval) => {
    for (;;) {
      const result = await approveInBatch(approval)
      if (result !== 'repeat') return result
    }
  }
}
