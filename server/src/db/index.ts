// The door of db: the pool and transactions, migrations, and the embedded PostgreSQL.

export type { Deps } from './deps.ts'
export * from './pool.ts'
