// Exports the functions and types of reconciliation that other rooms import. Reconciliation compares providers' statements with
// our books and opens a case for each difference.

export { type ColumnNames, readColumnNames } from './columns.ts'
export { reconciliationTask } from './daily.ts'
export { importAndFinish } from './import.ts'
export { parseTimeOrDay } from './line.ts'
export { reconciliationGauges } from './metrics.ts'
export { reconciliationRoutes } from './routes.ts'
export { openFile } from './spool.ts'
export { presentStatement } from './statements.ts'
export { parseOwnReference } from './subject.ts'
