// The door of pay-page: what payers see.

export { payScript } from './assets.ts'
export { encode } from './compress.ts'
export { PAGE_HEADERS, SCRIPT_HEADERS } from './headers.ts'
export { qrPng } from './qr-image.ts'
export { type PollAnswer, pollAnswer, renderScreen, statusOf } from './render.ts'
export { type Outcome, returnUrl } from './return-url.ts'
export { notFoundPage, type PayPageOptions, payPageRoutes } from './routes.ts'
export { inLanguage, payLanguage } from './texts.ts'
export * from './view.ts'
