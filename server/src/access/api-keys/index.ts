// Exports the functions for API keys, their routes, and the record of their use.

export { type AuthenticateOptions, createAuthenticate, createReadCallerAgain } from './authenticate.ts'
export { createKey, insertKey, type NewKey } from './create.ts'
export { isWellFormedKey, looksLikeKey, newPlaintextKey } from './format.ts'
export { keyCreatedAt } from './list.ts'
export { type ApiKeyRecord, presentKey } from './present.ts'
export { lockKey, revokeAllKeys, revokeKey, revokeKeysOf, revokeLocked, revokeOlderKeys } from './revoke.ts'
export { apiKeyRoutes } from './routes.ts'
export { createUsage, type KeyUsage } from './usage.ts'
