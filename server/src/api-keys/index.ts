// The door of api-keys.

export { type AuthenticateOptions, createAuthenticate } from './authenticate.ts'
export { type ApiKeyRecord, createKey, presentKey } from './create.ts'
export { isWellFormedKey, looksLikeKey, newPlaintextKey } from './format.ts'
export { revokeKey } from './revoke.ts'
export { createUsage, type Usage } from './usage.ts'
