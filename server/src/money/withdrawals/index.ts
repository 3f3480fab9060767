// The door of withdrawals: money that leaves, and only after an operator said yes.

export {
  type Approval,
  type Approved,
  type Approver,
  approveAll,
  type Judged,
  parsePayoutReference,
  payoutReference,
} from './approve.ts'
export { createDesk, type Desk } from './desk.ts'
export { createPayoutDriver, type PayoutDriver } from './drive.ts'
export { type Consent, consentsOf, eyesFor } from './four-eyes.ts'
export { getWithdrawal } from './list.ts'
export { type DecisionKind, notifyDecision } from './notify.ts'
export { presentWhole } from './present.ts'
export {
  type Resolution,
  rejectWithdrawal,
  requestInfo,
  resolveWithdrawal,
  respond,
  retryWithdrawal,
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
export { sumWithdrawals } from './sums.ts'
