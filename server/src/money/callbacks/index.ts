// Exports the public interface of the room callbacks, which receives the requests that providers send to this server.

export { callbacksTask } from './keep.ts'
export { type CallbackReceiver, createCallbackReceiver } from './receive.ts'
export { callbackRoutes } from './routes.ts'
