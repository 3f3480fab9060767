// Exports the routes of operators and their rules.

export { operatorRoutes } from './routes.ts'
