// The door of portal.

export { type PortalOptions, portalRoutes } from './routes.ts'
export { siteRoutes } from './site.ts'
