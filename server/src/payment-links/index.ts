// The door of payment links.

export { type Collect, checkPayerPhone, createCollect, promptLeft } from './collect.ts'
export { type CheckedPage, createLink, environmentOf, type LiveProviders } from './create.ts'
export { PUBLIC_NAMES, presentLink, publicUrl } from './present.ts'
export { returnUrl } from './return-url.ts'
export { createFindPayment, paymentLinkRoutes } from './routes.ts'
export { LINK_STATUSES, type ShownStatus, statusAt } from './state.ts'
export { cancelActive, createFindBySlug, findLink, type Link, lockLink } from './store.ts'
