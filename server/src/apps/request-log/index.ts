// The door of request-log: what merchants' servers asked of the API and were answered.

export { findRequestsOf, type RequestOf } from './list.ts'
export { createRequestLog, type RequestLog } from './log.ts'
export { createRecorder, type Recorder } from './recorder.ts'
export { requestLogRoutes } from './routes.ts'
export { requestSweep } from './sweep.ts'
export { createThreadedRecorder } from './threaded.ts'
