// The door of callbacks: requests from providers to us.

export { callbacksTask } from './keep.ts'
export { type CallbackReceiver, createCallbackReceiver } from './receive.ts'
export { callbackRoutes } from './routes.ts'
