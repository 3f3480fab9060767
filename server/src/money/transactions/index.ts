// Exports the functions and types of transactions that other rooms import. Transactions show the ledger to merchants.

export { transactionReference } from './present.ts'
export { transactionRoutes } from './routes.ts'
