// Exports the routes, the reads and the built files of the consoles.

export { frontPageRoutes } from './front-page.ts'
export { noticesTask } from './notices-task.ts'
export { type PortalOptions, portalRoutes } from './routes.ts'
export { siteRoutes } from './site.ts'
export { browserNotFound } from './unknown-page.ts'
export { unsubscribeRoutes } from './unsubscribe.ts'
