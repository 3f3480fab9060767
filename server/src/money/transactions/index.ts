// Exports the public interface of transactions, the merchant's view of the ledger.

export { transactionReference } from './present.ts'
export { transactionRoutes } from './routes.ts'
