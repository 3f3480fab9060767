// Exports the routes of the consoles and their pages, the page for unknown addresses, and the task that queues notices.

export { frontPageRoutes } from './front-page.ts'
export { noticesTask } from './notices-task.ts'
export { type PortalOptions, portalRoutes } from './routes.ts'
export { siteRoutes } from './site.ts'
export { browserNotFound } from './unknown-page.ts'
export { unsubscribeRoutes } from './unsubscribe.ts'
