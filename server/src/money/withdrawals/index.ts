// Exports the functions and types of withdrawals that other rooms import.

export { doubtUnsentPayouts } from './after-restore.ts'
export { type ApprovalService, createApprovalService } from './approval-service.ts'
export { type Approval, findApprovals, requiredApprovals } from './approvals.ts'
export {
  type ApprovalBatch,
  type ApprovalRequest,
  type ApprovalResult,
  approveWithdrawals,
  type PayoutProviders,
  parsePayoutReference,
  payoutReference,
} from './approve.ts'
export { CHANGED_LATE, sumWithdrawals } from './days.ts'
export { withdrawalDaysTask } from './days-task.ts'
export { createPayoutDriver, type PayoutDriver } from './drive.ts'
export { type DescribedHold, findHold } from './hold.ts'
export { getWithdrawal, withdrawalsOfDigest } from './list.ts'
export { payoutGauges, readPayoutQueue } from './metrics.ts'
export { type DecisionKind, notifyDecision } from './notify.ts'
export {
  endPause,
  listPauses,
  lockTokens,
  PAUSE_SCOPES,
  type PauseScope,
  type PayoutPause,
  startPause,
} from './pauses.ts'
export { type ExceededLimits, findExceededLimits, getPayoutFacts } from './payout-limits.ts'
export { presentWhole } from './present.ts'
export { listRecipients, saveRecipient } from './recipients.ts'
export { recipientRoutes } from './recipients-routes.ts'
export {
  cancelWaitingWithdrawals,
  cancelWithdrawal,
  recallWithdrawal,
  rejectWithdrawal,
  requestInfo,
  resolveWithdrawal,
  respond,
  retryWithdrawal,
  type WithdrawalResolution,
} from './review.ts'
export { type WithdrawalsOptions, withdrawalRoutes } from './routes.ts'
export { type WithdrawalDetail, WithdrawalRecord } from './schema.ts'
export { applyPayoutOutcomes, type PayoutOutcome, settlePayouts } from './settle.ts'
export { FUNDS, moves as withdrawalMoves, OPEN_STATUSES, STATUSES as WITHDRAWAL_STATUSES } from './state.ts'
export {
  findPayouts,
  findWithdrawal,
  type HistoryEntry,
  historyOf,
  type Payout,
  WITHDRAWAL_COLUMNS,
  type Withdrawal,
  withdrawalName,
} from './store.ts'
