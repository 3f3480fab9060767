// Exports decisions that need two operators, and the sums of the day.

export { announceFourEyes } from './announce.ts'
export {
  auditCounted,
  auditVerdict,
  type Correction,
  type CorrectionVerdict,
  DECISION_COUNTS,
  DECISION_DAYS,
  judgeCorrection,
  lockCorrections,
  presentVerdict,
} from './decisions.ts'
export { VerdictFields } from './schema.ts'
export {
  addToSums,
  countPart,
  type DailySums,
  fourEyesMinor,
  fourEyesTask,
  lockSums,
  needsSecond,
  payoutSums,
  readSums,
  type SumPart,
} from './sums.ts'
