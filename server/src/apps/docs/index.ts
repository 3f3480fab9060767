// Exports the documentation site.

export { docsSiteRoutes } from './routes.ts'
