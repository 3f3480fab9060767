// Reads across rooms for the consoles, and the consoles' built files.

export { type PortalOptions, portalRoutes } from './routes.ts'
export { siteRoutes } from './site.ts'
