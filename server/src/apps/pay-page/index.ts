// Exports the routes, the screens, the script and the headers of the pages of payers.

export { payScript } from './assets.ts'
export { compressPage } from './compress.ts'
export type { PayPageOptions } from './context.ts'
export { PAGE_HEADERS, pageHeaders, SCRIPT_HEADERS } from './headers.ts'
export { qrPng } from './qr-image.ts'
export { type PollAnswer, pollAnswer, renderScreen, screenStatus } from './render.ts'
export { notFoundPage } from './reply.ts'
export { type ReturnParameters, returnUrl } from './return-url.ts'
export { payPageRoutes } from './routes.ts'
export { pathInLanguage, payLanguage } from './texts.ts'
export * from './view.ts'
