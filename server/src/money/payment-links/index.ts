// Exports the functions and types of payment links and hosted pages that other rooms import.

export {
  busyLeft,
  type Collect,
  checkPayerPhone,
  createCollect,
  isOver,
  mayServe,
  promptEndsAt,
  promptLeft,
  takesNoPayments,
} from './collect.ts'
export {
  type CheckedPage,
  checkPage,
  checkPageRules,
  createLink,
  environmentOf,
  type LiveProviders,
} from './create.ts'
export {
  BUILT_IN_HELP,
  createNetworkHelp,
  listNetworkHelp,
  lockNetworkHelp,
  type NetworkHelp,
  replaceNetworkHelp,
} from './network-help.ts'
export { invoiceTitle, PUBLIC_NAMES, pageDescription, presentLink, publicUrl } from './present.ts'
export { createFindPayment } from './public-routes.ts'
export { linkRetention } from './retention.ts'
export { paymentLinkRoutes } from './routes.ts'
export { LinkRecord } from './schema.ts'
export { linkSettlement } from './settlement.ts'
export { LINK_STATUSES, linkStatusAt, type ShownLinkStatus } from './state.ts'
export { cancelActive, createFindBySlug, findLink, type Link, lockLink, noteInvoicesMarked } from './store.ts'
