// The door of transactions: the merchant's view of the ledger.

export { balanceRoutes } from './routes.ts'
