// Exports the routes of the documentation site.

export { docsSiteRoutes } from './routes.ts'
