// Exports the public interface of the room search.

export { searchRoutes } from './routes.ts'
