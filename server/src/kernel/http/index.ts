// Exports the HTTP parts for other rooms, such as the app, access, the envelope, idempotency keys, OpenAPI, metrics and the
// client of outgoing requests.

export * from './access.ts'
export { checkDestination, type Lookup } from './address-guard.ts'
export { createApp } from './app.ts'
export type { App, Routes } from './app-types.ts'
export { baseUrlOf, payUrlOf } from './base-url.ts'
export { batchesBefore, CSV_BATCH, CSV_WORDS, csvAnswer, sendCsv } from './csv.ts'
export { apiDocumentRoutes } from './docs.ts'
export { bestEncoding, type StaticText, staticText } from './encoding.ts'
export {
  COUNT_MAX,
  EmptyBody,
  type FieldProblem,
  failure,
  idsOfTime,
  type PageChoice,
  PageQuery,
  page,
  pageOf,
  success,
  TimeQuery,
} from './envelope.ts'
export { beginExport, readBatch } from './exports.ts'
export { healthRoutes } from './health.ts'
export * from './idempotency.ts'
export { type RequestsInProgress, trackRequests } from './in-progress.ts'
export { writtenAmount } from './json.ts'
export { type OpenPort, openPort } from './listen.ts'
export { FAVICON, logoHtml, OPERATOR_FAVICON } from './logo.ts'
export { serveMetrics } from './metrics-server.ts'
export { answerShowingOnce } from './once.ts'
export { type KeyedRequest, type KeyedResult, onceInBatch } from './once-batch.ts'
export { VERSION } from './openapi.ts'
export type { DescribedEvent } from './openapi-document.ts'
export { inlineRefs } from './openapi-share.ts'
export {
  dutiesOf,
  isOperatorRole,
  mayOperate,
  OPERATOR_DUTIES,
  OPERATOR_DUTY_NAMES,
  OPERATOR_ROLES,
  type OperatorDuty,
  type OperatorRole,
} from './operator-roles.ts'
export { createOutgoing, type Outgoing } from './outgoing.ts'
export { announcePort, findServerPort } from './port-file.ts'
export { contentVersion, pageStyle, yearIfCurrent } from './style.ts'
export { createTracing } from './trace-export.ts'
