// The door of callbacks: the provider to us.

export { type CallbackReceiver, createCallbackReceiver } from './receive.ts'
export { callbackRoutes } from './routes.ts'
