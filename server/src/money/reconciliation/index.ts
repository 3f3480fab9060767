// The door of reconciliation: providers' statements beside our books, and every difference a case.

export { type ColumnNames, readColumnNames } from './columns.ts'
export { reconciliationTask } from './daily.ts'
export { importWhole } from './import.ts'
export { readMoment } from './line.ts'
export { reconciliationRoutes } from './routes.ts'
export { openFile } from './spool.ts'
export { presentStatement } from './statements.ts'
