// The door of portal: what the portal reads across capabilities.

export { portalRoutes } from './routes.ts'
