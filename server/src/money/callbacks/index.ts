// Exports the functions that receive and store callbacks, the requests that providers send to this server.

export { callbacksTask } from './keep.ts'
export { type CallbackReceiver, createCallbackReceiver } from './receive.ts'
export { callbackRoutes } from './routes.ts'
