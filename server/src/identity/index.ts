// The door of identity.

export { signingKey } from './keys.ts'
export { createSessions } from './session.ts'
export { issueAccessToken } from './tokens.ts'
