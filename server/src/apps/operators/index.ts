// The door of operators.

export { operatorRoutes } from './routes.ts'
