// The door of transactions: the merchant's view of the ledger.

export { transactionRoutes } from './routes.ts'
