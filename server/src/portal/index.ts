// The door of portal.

export { siteRoutes } from './site.ts'
