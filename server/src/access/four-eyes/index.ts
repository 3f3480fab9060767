// Exports the public interface of the room four-eyes.

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
