// The door of transactions: the merchant's view of the ledger.

export { referenceOf } from './present.ts'
export { transactionRoutes } from './routes.ts'
