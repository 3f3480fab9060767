// Exports the request log: the API requests of merchants' servers, with the responses, for the merchants' developers.

export { findRequestsOf, type ResourceRequest } from './list.ts'
export { createRequestLog, type RequestLog } from './log.ts'
export { createRecorder, type Recorder } from './recorder.ts'
export { requestLogRoutes } from './routes.ts'
export { requestSweep } from './sweep.ts'
export { createThreadedRecorder } from './threaded.ts'
