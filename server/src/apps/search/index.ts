// Exports the routes of the search.

export { searchRoutes } from './routes.ts'
